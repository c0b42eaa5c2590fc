package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// treeFor is the tree of commands as a command line has it.
func treeFor(args ...string) *cobra.Command {
	a := &app{args: args}
	return a.root()
}

// maxCommandAllocs bounds how often memory is allocated for a command that the command
// line does not name. The flags of one command, or one profile of a host, take more.
const maxCommandAllocs = 7

func TestTreeIsSmall(t *testing.T) {
	most := float64(maxCommandAllocs * len(treeFor().Commands()))
	got := testing.AllocsPerRun(10, func() { treeFor("version") })
	if got > most {
		t.Errorf("the tree of commands takes %v allocations, at most %v are allowed: create flags after a.named, and look up no host before", got, most)
	}
	if whole := testing.AllocsPerRun(10, func() { treeFor(names(treeFor())...) }); whole < 5*most {
		t.Errorf("all commands with their flags take only %v allocations: the bound shows nothing", whole)
	}
}

// names are the names of the commands below one.
func names(c *cobra.Command) []string {
	var list []string
	for _, sub := range c.Commands() {
		list = append(list, sub.Name())
	}
	return list
}

// TestNamedIsWhole: a command line that names a command by any of its names has all
// of it, and lists all the others as they are.
func TestNamedIsWhole(t *testing.T) {
	whole := treeFor(names(treeFor())...)
	subs := 0
	for _, want := range whole.Commands() {
		subs += len(want.Commands())
		for _, word := range append([]string{want.Name()}, want.Aliases...) {
			for _, line := range [][]string{{word}, {"-C", "x", word, "y"}, {"help", word}, {cobra.ShellCompRequestCmd, word, "--"}} {
				tree := treeFor(line...)
				got, _, err := tree.Find([]string{word})
				if err != nil {
					t.Fatal(err)
				}
				if has := described(got); !slices.Equal(has, described(want)) {
					t.Errorf("%q: %s has %d texts of %d", line, word, len(has), len(described(want)))
				}
				if g, w := listed(tree), listed(whole); !slices.Equal(g, w) {
					t.Errorf("%q lists\n%q, want\n%q", line, g, w)
				}
			}
		}
	}
	if subs < 5 {
		t.Errorf("only %d commands stand below others", subs)
	}
}

// described is all that a command and those below it say of themselves.
func described(c *cobra.Command) []string {
	text := []string{c.Use, c.Short, c.Long, c.Example, fmt.Sprint(c.ValidArgsFunction != nil, c.PreRun != nil)}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		_, completes := c.GetFlagCompletionFunc(f.Name)
		text = append(text, fmt.Sprint(f.Name, f.Shorthand, f.Usage, f.DefValue, f.NoOptDefVal, completes))
	})
	for _, sub := range c.Commands() {
		text = append(text, described(sub)...)
	}
	return text
}

// listed is what the help of the program says of commands.
func listed(tree *cobra.Command) []string {
	var lines []string
	for _, c := range tree.Commands() {
		lines = append(lines, fmt.Sprint(c.Name(), c.Aliases, c.Short, c.IsAvailableCommand()))
	}
	return lines
}

// BenchmarkStart is what every start of the program does besides its command.
func BenchmarkStart(b *testing.B) {
	for _, args := range [][]string{{"version"}, {"help"}, {"load", "--help"}, {"listing", "--help"}} {
		b.Run(args[0], func(b *testing.B) {
			w := World{Stdout: io.Discard, Stderr: io.Discard, LookupEnv: func(string) (string, bool) { return "", false }}
			b.ReportAllocs()
			for b.Loop() {
				if code := Main(args, w); code != exitFine {
					b.Fatal(code)
				}
			}
		})
	}
}

// TestInterruptedHasNoHint asserts that an error without a hint prints no empty one.
func TestInterruptedHasNoHint(t *testing.T) {
	var stderr bytes.Buffer
	a := &app{world: World{Stderr: &stderr, LookupEnv: func(string) (string, bool) { return "", false }}}
	if code := a.exit(context.Canceled); code != exitFailed || stderr.String() != "vade: error: interrupted\n" {
		t.Errorf("%d %q", code, stderr.String())
	}
}
