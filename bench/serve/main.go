// Serve measures "vade serve --http" on the loopback interface beside a bare server of
// the same SDK that returns constants, in one run, and prints Markdown tables.
// bench/README.md says what the figures mean.
//
//	go run ./bench/serve
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/vadehq/vade/bench/tree"
)

// config is what the flags say.
type config struct {
	sizes    []int
	workers  int
	rounds   int
	duration time.Duration
	seed     uint64
	vade     string
	log      string
}

// bareCommand makes this program the bare server.
const bareCommand = "bare-server"

func main() {
	var err error
	if len(os.Args) == 4 && os.Args[1] == bareCommand {
		err = serveBare(os.Args[2], os.Args[3])
	} else {
		err = start(os.Args[1:])
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func start(args []string) error {
	var c config
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	sizes := flags.String("sizes", "10000,100000", "numbers of skills")
	flags.IntVar(&c.workers, "workers", 16, "requests at a time")
	flags.IntVar(&c.rounds, "rounds", 5, "rounds of each pair, after one that is not counted")
	flags.DurationVar(&c.duration, "duration", 2*time.Second, "length of a round for each of the two")
	flags.Uint64Var(&c.seed, "seed", 1, "seed of the trees")
	flags.StringVar(&c.vade, "vade", "", "measure this binary instead of building ./cmd/vade")
	flags.StringVar(&c.log, "log", "text", "the --log of vade serve; its standard error is thrown away")
	if err := flags.Parse(args); err != nil {
		return err
	}
	for _, word := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return fmt.Errorf("-sizes %s: %q is no number of skills", *sizes, word)
		}
		c.sizes = append(c.sizes, n)
	}
	if c.workers < 1 || c.rounds < 1 || c.duration <= 0 {
		return errors.New("-workers, -rounds and -duration are more than 0")
	}
	work, err := os.MkdirTemp("", "vade-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if c.vade == "" {
		c.vade = filepath.Join(work, "vade")
		build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", c.vade, "./cmd/vade")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	for _, n := range c.sizes {
		if err := c.measure(work, n); err != nil {
			return err
		}
	}
	return nil
}

// measure makes a tree and measures the server over it.
func (c *config) measure(work string, n int) error {
	dir := filepath.Join(work, strconv.Itoa(n))
	if err := tree.Write(dir, tree.Options{Skills: n, Seed: c.seed}); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	began := time.Now()
	v, err := c.startVade(work, dir)
	if err != nil {
		return err
	}
	defer v.stop()
	fmt.Printf("## %d definitions\n\n| what | figure |\n|---|---|\n", n)
	row := func(what, format string, args ...any) {
		fmt.Printf("| %s | %s |\n", what, fmt.Sprintf(format, args...))
	}
	row("start to the first answer of /healthz", "%.0f ms", ms(time.Since(began)))
	name := tree.Name(c.seed, 0)
	began = time.Now()
	skill, err := v.call(callTool(name))
	if err != nil {
		return err
	}
	row("first load_skill", "%.1f ms", ms(time.Since(began)))
	prompt, err := v.call(getPrompt(name))
	if err != nil {
		return err
	}
	first, last, pages, listed, err := v.pages()
	if err != nil {
		return err
	}
	row("first page of skills/list, the first time", "%.1f ms", ms(first))
	row(fmt.Sprintf("last page of skills/list (%d pages, %d skills)", pages, listed), "%.1f ms", ms(last))
	if first, last, _, _, err = v.pages(); err != nil {
		return err
	}
	row("first page of skills/list, again", "%.1f ms", ms(first))
	row("last page of skills/list, again", "%.1f ms", ms(last))
	row("resident memory then, and its peak", "%s", v.memory())
	fmt.Println()
	if err := c.compare(work, v, "load_skill", skill, callTool(name)); err != nil {
		return err
	}
	if err := c.compare(work, v, "prompts/get", prompt, getPrompt(name)); err != nil {
		return err
	}
	fmt.Printf("Resident memory after the load, and its peak: %s\n\n", v.memory())
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
