package cli

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/terminal"
)

func (a *app) list() *cobra.Command {
	var q catalog.Query
	c := &cobra.Command{
		Use: "list", Short: "List active definitions",
		Long: `List active skills, commands, agents and instructions from the managed, project, user,
plugin and bundled layers and from your MCP servers (vade remote).

The first column marks problems "!" (see vade show NAME) and bundled definitions "+".
With --all, it also marks shadowed "~", dropped "-" and disabled "x" ones.`,
		Example: `  vade list
  vade list --kind skill --kind command
  vade list --all                 also list inactive definitions, and why
  vade list --host claude-code      list what that host sees
  vade list --all --layer bundled list bundled definitions
  vade list --json | jq -r '.definitions[].name'`,
		Args: checkArgs("see: vade list --help"),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.runList(c.Context(), q)
		},
	}
	kindFlag(c, &q.Kinds, "list")
	c.Flags().Func("layer", "list only `LAYER` (may be repeated): "+strings.Join(layerWords(), ", "), func(text string) error {
		for word := range strings.SplitSeq(text, ",") {
			i := slices.Index(layerWords(), word)
			if i < 0 {
				return unknownWord("--layer", "layer", word, layerWords())
			}
			q.Layers = append(q.Layers, layers[i])
		}
		return nil
	})
	completeFlag(c, "layer", layerWords()...)
	c.Flags().BoolVarP(&q.All, "all", "a", false, "also list shadowed, dropped and disabled definitions, with reasons")
	a.agentFlag(c, &q.Agent, "agent", "list only what the agent `NAME` may use")
	a.yesFlag(c)
	a.viewFlags(c)
	a.viewFlag(c)
	return c
}

func (a *app) runList(ctx context.Context, q catalog.Query) error {
	if a.nested {
		if err := a.askBeforeWalk(ctx, "list --nested"); err != nil {
			return err
		}
	}
	collectLater()
	cat, err := a.open(ctx, catalog.Options{Unread: q.All, Remote: len(q.Layers) == 0 || slices.Contains(q.Layers, catalog.MCP)})
	if err != nil {
		return err
	}
	defer cat.Close()
	progress := a.stderr().StartProgress("reading definitions")
	found, err := cat.Overview(ctx, q)
	progress.Done()
	if err != nil {
		return err
	}
	if a.json {
		return found.WriteJSON(a.world.Stdout)
	}
	out := a.stdout()
	printTable(out, found.Definitions, q.All)
	return a.summary(ctx, out, cat, q, found.Counts)
}

// collectLater delays the first garbage collection until the heap reaches 64 MiB. Listing ten
// thousand definitions takes less. Later collections happen as usual.
func collectLater() {
	const percent = 64 / 4 * 100 // By default the first collection is at 4 MiB.
	before := debug.SetGCPercent(percent)
	runtime.AddCleanup(new([16]byte), func(before int) { debug.SetGCPercent(before) }, before)
}

func printTable(out *terminal.Writer, list []catalog.Definition, reasons bool) {
	t := terminal.Table{Columns: []terminal.Column{
		{}, {Title: "KIND", Style: terminal.Dim}, {Title: "NAME", Style: terminal.Bold}, {Title: "LAYER", Style: terminal.Dim},
		{Title: "DESCRIPTION", Flexible: true},
	}}
	for _, d := range list {
		text := d.Description()
		if reasons && d.Reason() != "" {
			text = d.Reason()
		}
		t.Row(stateMark(d), d.Kind(), d.Name(), d.Layer(), text)
	}
	t.Print(out)
}

// layers are the values of --layer.
var layers = [...]definition.Layer{definition.Managed, definition.Project, definition.User, definition.Plugin, definition.Bundled, catalog.MCP}

func layerWords() []string {
	var words []string
	for _, l := range layers {
		words = append(words, l.String())
	}
	return words
}

// inactiveMark returns the mark of inactive definitions and servers.
func inactiveMark(s definition.State) (mark terminal.Cell, ok bool) {
	switch s {
	case definition.Shadowed:
		return terminal.Cell{Text: "~", Style: terminal.Yellow}, true
	case definition.Dropped:
		return terminal.Cell{Text: "-", Style: terminal.Red}, true
	case definition.Disabled:
		return terminal.Cell{Text: "x", Style: terminal.Red}, true
	}
	return mark, false
}

// stateMark returns the mark in the first column, which is empty for most definitions.
func stateMark(d catalog.Definition) terminal.Cell {
	switch mark, ok := inactiveMark(d.State()); {
	case ok:
		return mark
	case d.HasProblems():
		return terminal.Cell{Text: "!", Style: terminal.Yellow}
	case d.ComesWithVade():
		return terminal.Cell{Text: "+", Style: terminal.Dim}
	}
	return terminal.Cell{}
}

// summary prints counts and hints after the table.
func (a *app) summary(ctx context.Context, out *terminal.Writer, cat *catalog.Catalog, q catalog.Query, n catalog.Counts) error {
	if n.Hooks+n.MCPServers > 0 && len(q.Kinds) == 0 {
		servers := plural(n.MCPServers, "MCP server")
		if n.MCPHeld > 0 {
			servers += fmt.Sprintf(", %d of them disabled by vade.yaml", n.MCPHeld)
		}
		out.Line(terminal.Dim, "also here: %s (vade help hooks), %s (vade mcp list)", plural(n.Hooks, "hook"), servers)
	}
	if !q.All {
		// Bundled definitions that the user did not turn off are not counted.
		n.Disabled, n.Found = n.Disabled-n.BundledOff, n.Found-n.BundledOff
	}
	parts := []string{plural(n.Loaded, "definition")}
	for _, p := range []struct {
		n    int
		word string
	}{{n.Shadowed, "shadowed"}, {n.Dropped - n.Copies, "dropped"}, {n.Disabled, "disabled"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	switch {
	case n.Copies == 1:
		parts = append(parts, "1 copy for a host")
	case n.Copies > 1:
		parts = append(parts, fmt.Sprintf("%d copies for hosts", n.Copies))
	}
	line := strings.Join(parts, ", ")
	if n.WithProblems > 0 {
		line += fmt.Sprintf(", %d with problems (vade show NAME)", n.WithProblems)
	}
	if hidden := n.Found - n.Loaded; hidden > 0 && !q.All {
		line += "; list the others with: vade list --all"
		if slices.Equal(q.Layers, []definition.Layer{catalog.MCP}) {
			line = strings.TrimSuffix(line, "--all") + "--layer mcp --all"
		}
	}
	out.Line(terminal.Dim, "%s", line)
	diagnostics, err := cat.Diagnostics(ctx)
	if err != nil {
		return err
	}
	return a.printProblems(slices.DeleteFunc(slices.Clone(diagnostics), func(d diag.Diagnostic) bool {
		// The counts above include definitions that wait for approval.
		return !q.All && (d.Severity == diag.Info || d.Code == diag.RemoteUntrusted && !slices.Contains(q.Layers, catalog.MCP))
	}))
}
