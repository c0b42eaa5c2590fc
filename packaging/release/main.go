// Command release builds the files for a Vade release from the checkout in the current directory.
// Two runs on the same commit with the same Go version write identical bytes.
//
// Run it with: go run ./packaging --out DIR
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/vadehq/vade/internal/version"
)

// release contains the data from which all files of a release are built.
type release struct {
	// Out is the directory to write to.
	Out string
	// Version is the semantic version, without "v".
	Version string
	// Commit is the hash of the checked-out commit, with "-dirty" appended if
	// the checkout has changes.
	Commit string
	// Time is the commit's time. It is the modification time of all archived files.
	Time time.Time
	// Builds contains the executables, in the order of the targets.
	Builds []build
	// Pages and Completions map file names to contents. The archives contain these files, except
	// that Windows archives contain no manual pages.
	Pages, Completions map[string][]byte
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "packaging:", err)
		if errors.Is(err, errUsage) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

var errUsage = errors.New("see: go run ./packaging --help")

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("packaging", flag.ContinueOnError)
	out := flags.String("out", "", "write the files to `DIR`, which must be empty or not exist yet")
	targets := flags.String("targets", strings.Join(allTargets(), ","), "build for the `OS/ARCH` pairs in this list")
	number := flags.String("version", version.Number, "the `VERSION` of the release, without \"v\"")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "Usage: go run ./packaging --out DIR [--targets linux/amd64,…] [--version V]")
		flags.PrintDefaults()
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return errUsage
	case *out == "" || flags.NArg() > 0:
		return fmt.Errorf("--out is required, and other arguments are not allowed; %w", errUsage)
	case !regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`).MatchString(*number):
		return fmt.Errorf("--version: %q is not a semantic version such as 1.2.3 or 1.2.3-rc.1; %w", *number, errUsage)
	}
	r := &release{Version: *number}
	var err error
	if r.Out, err = filepath.Abs(*out); err != nil {
		return err
	}
	if list, err := os.ReadDir(r.Out); err == nil && len(list) > 0 {
		return fmt.Errorf("--out: %s is not empty; remove it or specify another directory", *out)
	}
	if err := r.readCommit(ctx); err != nil {
		return fmt.Errorf("%w; run it in the root directory of a Vade checkout", err)
	}
	for _, name := range strings.Split(*targets, ",") {
		t, ok := targetOf(name)
		if !ok {
			return fmt.Errorf("--targets: unknown target %q; choose from %s; %w", name, strings.Join(allTargets(), ", "), errUsage)
		}
		r.Builds = append(r.Builds, build{target: t})
	}
	return r.write(ctx)
}

// write builds the programs and writes all files.
func (r *release) write(ctx context.Context) error {
	for i := range r.Builds {
		b := &r.Builds[i]
		fmt.Printf("building %s/%s\n", b.os, b.arch)
		if err := b.compile(ctx, r); err != nil {
			return err
		}
	}
	var err error
	if r.Pages, r.Completions, err = r.documents(); err != nil {
		return err
	}
	for _, step := range []func() error{r.archives, r.linuxPackages, r.npm, r.wheels, r.sbom, r.templates, r.checksums} {
		if err := step(); err != nil {
			return err
		}
	}
	fmt.Printf("wrote version %s to %s\n", r.Version, r.Out)
	return nil
}

// readCommit sets the commit and its time in UTC.
func (r *release) readCommit(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "git", "log", "-1", "--format=%H %ct").Output()
	if err != nil {
		return fmt.Errorf("git log: %w", err)
	}
	hash, text, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return err
	}
	changes, err := exec.CommandContext(ctx, "git", "status", "--porcelain").Output()
	if len(changes) > 0 {
		hash += "-dirty"
	}
	r.Commit, r.Time = hash, time.Unix(seconds, 0).UTC()
	return err
}
