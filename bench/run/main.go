// Run compares the run times of vade processes with those of reference programs, and prints a
// Markdown table. The two programs in a pair run alternately. bench/README.md explains the numbers.
//
//	go run ./bench/run
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/vadehq/vade/bench/tree"
)

// config holds the flag values.
type config struct {
	rounds int
	warm   int
	sizes  []int
	seed   uint64
	vade   string
	only   *regexp.Regexp
	json   bool
}

func main() {
	if err := start(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func start(args []string) error {
	cfg, err := parseFlags(args)
	if err != nil {
		return err
	}
	return run(cfg)
}

func parseFlags(args []string) (config, error) {
	var cfg config
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.IntVar(&cfg.rounds, "rounds", 21, "measured rounds per pair")
	flags.IntVar(&cfg.warm, "warm", 2, "warm-up rounds")
	flags.Uint64Var(&cfg.seed, "seed", 1, "random seed for the trees")
	flags.StringVar(&cfg.vade, "vade", "", "measure this binary instead of building ./cmd/vade")
	flags.BoolVar(&cfg.json, "json", false, "print the numbers as one JSON object, and the table to stderr")
	sizes := flags.String("sizes", "10,1000,10000", "numbers of skills, ascending")
	only := flags.String("only", "", "measure only the pairs whose name matches this regular expression")
	if err := flags.Parse(args); err != nil {
		return cfg, err
	}
	for s := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n <= loaded || len(cfg.sizes) > 0 && n <= cfg.sizes[len(cfg.sizes)-1] {
			return cfg, fmt.Errorf("-sizes %s: expected ascending numbers above %d", *sizes, loaded)
		}
		cfg.sizes = append(cfg.sizes, n)
	}
	if cfg.rounds < 1 || cfg.warm < 0 || flags.NArg() > 0 {
		return cfg, errors.New("expected at least one round and no arguments")
	}
	var err error
	cfg.only, err = regexp.Compile(*only)
	return cfg, err
}

// loaded is the index of the skill to load by name.
const loaded = 3

func run(cfg config) error {
	dir, err := os.MkdirTemp("", "vade-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b, err := prepare(dir, cfg)
	if err != nil {
		return err
	}
	pairs := b.pairs(cfg)
	for _, p := range pairs {
		if err := errors.Join(p.a.check(), p.b.check()); err != nil {
			return err
		}
	}
	var out io.Writer = os.Stdout
	if cfg.json {
		out = os.Stderr
	}
	figures := map[string]float64{}
	fmt.Fprintf(out, "%s/%s, %d CPUs, %s; %d rounds after %d warm-up rounds\n\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), cfg.rounds, cfg.warm)
	fmt.Fprint(out, tableHead)
	for _, p := range pairs {
		result, err := p.measure(cfg.rounds, cfg.warm)
		if err != nil {
			return err
		}
		fmt.Fprint(out, result.row())
		result.figures(figures)
	}
	if !cfg.json {
		return nil
	}
	enc := json.NewEncoder(os.Stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(figures)
}

// bench holds the compiled programs and the trees.
type bench struct {
	dir, home   string
	vade, empty string
	// floor is the path of the compiled floor.c, or "" if no C compiler is installed.
	floor string
	// repo is a git repository. git and bash are the programs' paths. git is "" if either is not
	// installed.
	repo, git, bash string
}

func (b *bench) tree(n int) string { return filepath.Join(b.dir, fmt.Sprintf("tree-%d", n)) }

// pairs lists the comparisons.
func (b *bench) pairs(cfg config) []pair {
	name := tree.Name(cfg.seed, loaded)
	vade := func(label, want, dir string, args ...string) process {
		return process{label, b.vade, args, b.home, dir, want}
	}
	list := func(n int) process {
		last := tree.Name(cfg.seed, n-1)
		return vade(fmt.Sprintf("vade list --json, %d", n), last, b.tree(n), "list", "--json")
	}
	load := func(n int) process {
		return vade(fmt.Sprintf("vade load, %d", n), name, b.tree(n), "load", "skill:"+name)
	}
	heads := func(label, program string, n int) process {
		dir := filepath.Join(b.tree(n), filepath.FromSlash(tree.SkillsDir))
		return process{fmt.Sprintf("%s, %d", label, n), program, []string{dir}, b.home, b.tree(n), strconv.Itoa(n)}
	}
	version := vade("vade version", "", "", "version")
	empty := process{"empty", b.empty, nil, b.home, "", ""}

	var all []pair
	for _, n := range cfg.sizes {
		if b.floor != "" {
			all = append(all, pair{list(n), heads("floor", b.floor, n)})
		}
	}
	least, most := cfg.sizes[0], cfg.sizes[len(cfg.sizes)-1]
	all = append(all, pair{load(most), load(least)}, pair{load(most), empty}, pair{version, empty})
	all = append(all, b.commandPairs()...)

	var chosen []pair
	for _, p := range all {
		if cfg.only.MatchString(p.a.name + " / " + p.b.name) {
			chosen = append(chosen, p)
		}
	}
	return chosen
}
