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

// treeFor returns the command tree for a command line.
func treeFor(args ...string) *cobra.Command {
	a := &app{args: args}
	return a.root()
}

// maxStartAllocs limits the number of memory allocations before a small command runs.
const maxStartAllocs = 100

func TestTreeIsSmall(t *testing.T) {
	if got := testing.AllocsPerRun(10, func() { treeFor("version") }); got > maxStartAllocs {
		t.Errorf("the tree of one command takes %v allocations, at most %v are allowed", got, maxStartAllocs)
	}
	if whole := testing.AllocsPerRun(10, func() { treeFor() }); whole < 5*maxStartAllocs {
		t.Errorf("all commands take only %v allocations: the bound shows nothing", whole)
	}
}

// TestNamedCommandIsComplete checks that if the command line names a command, the tree contains
// only that command, in full. Otherwise, the tree must contain all commands.
func TestNamedCommandIsComplete(t *testing.T) {
	whole := treeFor()
	subs := 0
	for _, want := range whole.Commands() {
		subs += len(want.Commands())
		word := want.Name()
		for _, alias := range want.Aliases {
			if got := treeFor(alias).Commands(); len(got) != 1 || got[0].Name() != word {
				t.Errorf("%q: %d commands, want %s alone", alias, len(got), word)
			}
		}
		for _, line := range [][]string{{word}, {word, "list"}, {"--json", "-C", "x", "--no-color", word, "y"}, {"--directory", "list", "-Cy", word}} {
			got := treeFor(line...).Commands()
			if len(got) != 1 || !slices.Equal(described(got[0]), described(want)) {
				t.Errorf("%q: %d commands, want %s alone with all of it", line, len(got), word)
			}
		}
		for _, line := range [][]string{{"help", word}, {cobra.ShellCompRequestCmd, word, "--"}, {"-C", word}, {"--", word}, {"x", word}} {
			if got := treeFor(line...); !slices.Equal(listed(got), listed(whole)) {
				t.Errorf("%q lists\n%q, want\n%q", line, listed(got), listed(whole))
			}
		}
	}
	if subs < 5 {
		t.Errorf("only %d commands stand below others", subs)
	}
}

// described returns the help output for a command and its subcommands.
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

// listed returns the command list from the program's help.
func listed(tree *cobra.Command) []string {
	var lines []string
	for _, c := range tree.Commands() {
		lines = append(lines, fmt.Sprint(c.Name(), c.Aliases, c.Short, c.IsAvailableCommand()))
	}
	return lines
}

// BenchmarkStart measures the startup work that all commands share.
func BenchmarkStart(b *testing.B) {
	for _, args := range [][]string{{"version"}, {"help"}, {"load", "--help"}, {"listing", "--help"}} {
		b.Run(args[0], func(b *testing.B) {
			w := World{Stdout: io.Discard, Stderr: io.Discard, LookupEnv: func(string) (string, bool) { return "", false }}
			b.ReportAllocs()
			for b.Loop() {
				if code := Main(args, w); code != exitOK {
					b.Fatal(code)
				}
			}
		})
	}
}

// TestInterruptedHasNoHint checks that an error without a hint does not print an empty one.
func TestInterruptedHasNoHint(t *testing.T) {
	var stderr bytes.Buffer
	a := &app{world: World{Stderr: &stderr, LookupEnv: func(string) (string, bool) { return "", false }}}
	if code := a.exit(context.Canceled); code != exitFailure || stderr.String() != "vade: error: interrupted\n" {
		t.Errorf("%d %q", code, stderr.String())
	}
}

// TestOtherWords checks that no name borrowed from another tool is also a Vade command.
func TestOtherWords(t *testing.T) {
	for word, other := range otherWords() {
		if slices.ContainsFunc(commandTable(), func(row command) bool { return row.name == word }) {
			t.Errorf("%s is a command, but leads to %s", word, other)
		}
	}
}
