// Serve compares "vade serve --http" on the loopback interface against a bare server that uses the
// same SDK and returns constants. It prints Markdown tables. bench/README.md explains the numbers.
//
//	go run ./bench/serve
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/vadehq/vade/bench/build"
	"github.com/vadehq/vade/bench/tree"
)

// config holds the flag values.
type config struct {
	sizes    []int
	workers  int
	rounds   int
	duration time.Duration
	seed     uint64
	vade     string
	log      string
	// out receives the tables. figures holds the same numbers by name.
	out     io.Writer
	figures map[string]float64
}

// bareCommand is the argument that makes this program run as the bare server.
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
	c := config{out: os.Stdout, figures: map[string]float64{}}
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	sizes := flags.String("sizes", "10000,100000", "numbers of skills")
	flags.IntVar(&c.workers, "workers", 16, "concurrent requests")
	flags.IntVar(&c.rounds, "rounds", 5, "measured rounds per pair, after one warm-up round")
	flags.DurationVar(&c.duration, "duration", 2*time.Second, "duration of a round for each server")
	flags.Uint64Var(&c.seed, "seed", 1, "random seed for the trees")
	flags.StringVar(&c.vade, "vade", "", "measure this binary instead of building ./cmd/vade")
	flags.StringVar(&c.log, "log", "text", "value for vade serve --log; stderr is discarded")
	asJSON := flags.Bool("json", false, "print the numbers as one JSON object, and the tables to stderr")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *asJSON {
		c.out = os.Stderr
	}
	for _, word := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return fmt.Errorf("-sizes %s: %q is not a number of skills", *sizes, word)
		}
		c.sizes = append(c.sizes, n)
	}
	if c.workers < 1 || c.rounds < 1 || c.duration <= 0 {
		return errors.New("-workers, -rounds and -duration must be greater than 0")
	}
	work, err := os.MkdirTemp("", "vade-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if c.vade == "" {
		root, err := build.Root()
		if err == nil {
			c.vade, err = build.Program(root, work, "./cmd/vade")
		}
		if err != nil {
			return err
		}
	}
	for _, n := range c.sizes {
		if err := c.measure(work, n); err != nil {
			return err
		}
	}
	if !*asJSON {
		return nil
	}
	enc := json.NewEncoder(os.Stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(c.figures)
}

// measure creates a tree and measures a server that serves it.
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
	fmt.Fprintf(c.out, "## %d definitions\n\n| metric | value |\n|---|---|\n", n)
	row := func(what string, took time.Duration) {
		fmt.Fprintf(c.out, "| %s | %.1f ms |\n", what, ms(took))
		c.figures[fmt.Sprintf("%d/%s ms", n, what)] = ms(took)
	}
	memory := func(what string, wait time.Duration) string {
		now, peak := v.memory()
		for range 20 {
			time.Sleep(wait / 20)
			least, most := v.memory()
			now, peak = min(now, least), most
		}
		c.figures[fmt.Sprintf("%d/memory %s MiB", n, what)] = now
		return fmt.Sprintf("%.0f MiB, %.0f MiB", now, peak)
	}
	row("startup to first /healthz response", time.Since(began))
	name := tree.Name(c.seed, 0)
	began = time.Now()
	skill, err := v.call(callTool(name))
	if err != nil {
		return err
	}
	row("first load_skill", time.Since(began))
	prompt, err := v.call(getPrompt(name))
	if err != nil {
		return err
	}
	first, last, pages, listed, err := v.pages()
	if err != nil {
		return err
	}
	row("first page of skills/list, the first time", first)
	row("last page of skills/list, the first time", last)
	fmt.Fprintf(c.out, "| pages and skills of skills/list | %d, %d |\n", pages, listed)
	if first, last, _, _, err = v.pages(); err != nil {
		return err
	}
	row("first page of skills/list, again", first)
	row("last page of skills/list, again", last)
	// Wait longer if there are more files: the server releases memory only after it has polled the
	// files for changes, and it polls less often as their number grows.
	fmt.Fprintf(c.out, "| resident memory at rest, and its peak | %s |\n\n", memory("at rest", time.Duration(n)*400*time.Microsecond))
	if err := c.compare(work, v, n, "load_skill", skill, callTool(name)); err != nil {
		return err
	}
	if err := c.compare(work, v, n, "prompts/get", prompt, getPrompt(name)); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "Resident memory after the load, and its peak: %s\n\n", memory("after the load", 0))
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
