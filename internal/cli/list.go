package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/terminal"
)

func (a *app) list() *cobra.Command {
	var kinds []string
	var layers []string
	var all bool
	var agent string
	c := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List the definitions that are in force",
		Long: `List the definitions that are in force here: skills, commands, agents and
instructions of the managed, project, user, plugin and bundled layers, and what the
MCP servers of your servers.yaml offer (see vade servers).

In the first column, "!" marks a definition with problems (see vade show NAME), "+"
one that comes with Vade, and with --all "~" one that another of the same name shadows, "-" one that is
not read, and "x" one that is switched off.`,
		Example: `  vade list
  vade list --kind skill --kind command
  vade list --all                 also what is shadowed, dropped or disabled, and why
  vade list --as claude-code      as that host sees it
  vade list --all --layer bundled what comes with Vade, and what switches it on
  vade list --json | jq -r '.definitions[].name'`,
		Args: exactly(cobra.NoArgs, "see: vade list --help"),
		RunE: func(c *cobra.Command, _ []string) error {
			q := catalog.Query{All: all, Agent: agent}
			for _, word := range kinds {
				k, ok := definition.ParseKind(word)
				if !ok {
					return usage{failure{fmt.Sprintf("--kind %s: no kind is named so", word), "use skill, command, agent or instruction"}}
				}
				q.Kinds = append(q.Kinds, k)
			}
			for _, word := range layers {
				l, ok := layerOf(word)
				if !ok {
					return usage{failure{fmt.Sprintf("--layer %s: no layer is named so", word), "use " + strings.Join(layerWords(), ", ")}}
				}
				q.Layers = append(q.Layers, l)
			}
			return a.runList(c.Context(), q)
		},
	}
	if !a.named(c) {
		return c
	}
	c.Flags().StringSliceVar(&kinds, "kind", nil, "list only `KIND`: skill, command, agent, instruction (may be repeated)")
	c.Flags().StringSliceVar(&layers, "layer", nil, "list only `LAYER`: "+strings.Join(layerWords(), ", ")+" (may be repeated)")
	_ = c.RegisterFlagCompletionFunc("layer", cobra.FixedCompletions(layerWords(), cobra.ShellCompDirectiveNoFileComp))
	c.Flags().BoolVar(&all, "all", false, "list also what is shadowed, dropped or disabled, each with its reason")
	c.Flags().Var(agentName{&agent}, "agent", "list what is offered to the agent `NAME`: not what is for others (agents:)")
	_ = c.RegisterFlagCompletionFunc("agent", a.completeAgents)
	_ = c.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions([]string{"skill", "command", "agent", "instruction"}, cobra.ShellCompDirectiveNoFileComp))
	a.view(c)
	a.as(c)
	return c
}

func (a *app) runList(ctx context.Context, q catalog.Query) error {
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
	if err := printTable(out, found.Definitions, q.All); err != nil {
		return err
	}
	return a.summary(ctx, out, cat, q, found.Counts)
}

func printTable(out *terminal.Writer, list []catalog.Definition, reasons bool) error {
	t := terminal.Table{Columns: []terminal.Column{
		{}, {Title: "KIND", Style: terminal.Dim}, {Title: "NAME", Style: terminal.Bold}, {Title: "LAYER", Style: terminal.Dim},
		{Title: "DESCRIPTION", Flexible: true},
	}}
	for _, d := range list {
		mark, style := markOf(d)
		text := d.Description()
		if reasons && d.Reason() != "" {
			text = d.Reason()
		}
		t.Row(terminal.Cell{Text: mark, Style: style}, terminal.Text(d.Kind().String()), terminal.Text(d.Name()),
			terminal.Text(d.Layer().String()), terminal.Text(text))
	}
	return t.Print(out)
}

// layers are those that a list can be narrowed to.
func layers() []definition.Layer {
	return []definition.Layer{definition.Managed, definition.Project, definition.User, definition.Plugin, definition.Bundled, catalog.MCP}
}

func layerWords() []string {
	var words []string
	for _, l := range layers() {
		words = append(words, l.String())
	}
	return words
}

func layerOf(word string) (definition.Layer, bool) {
	i := slices.Index(layerWords(), word)
	if i < 0 {
		return 0, false
	}
	return layers()[i], true
}

// markOf returns the sign before a definition that is not simply in force.
func markOf(d catalog.Definition) (string, terminal.Style) {
	switch d.State() {
	case definition.Shadowed:
		return "~", terminal.Yellow
	case definition.Dropped:
		return "-", terminal.Red
	case definition.Disabled:
		return "x", terminal.Red
	}
	switch {
	case d.Faulty():
		return "!", terminal.Yellow
	case d.ComesWithVade():
		return "+", terminal.Dim
	}
	return "", terminal.Plain
}

// summary prints the last line: how many, and what to do about the others.
func (a *app) summary(ctx context.Context, out *terminal.Writer, cat *catalog.Catalog, q catalog.Query, n catalog.Counts) error {
	if n.Hooks+n.MCPServers > 0 && len(q.Kinds) == 0 {
		servers := plural(n.MCPServers, "MCP server")
		if n.MCPHeld > 0 {
			servers += fmt.Sprintf(" of which vade.yaml holds %d back", n.MCPHeld)
		}
		carried := fmt.Sprintf("with them: %s, %s (vade list --json)", plural(n.Hooks, "hook"), servers)
		if _, err := fmt.Fprintln(out, out.Paint(terminal.Dim, carried)); err != nil {
			return err
		}
	}
	if !q.All {
		// What comes with Vade and waits to be switched on is nothing that was written here.
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
		line += fmt.Sprintf(", %d with problems: vade show NAME", n.WithProblems)
	}
	if hidden := n.Found - n.Loaded; hidden > 0 && !q.All {
		line += "; the others: vade list --all"
		if slices.Equal(q.Layers, []definition.Layer{catalog.MCP}) {
			line = strings.TrimSuffix(line, "--all") + "--layer mcp --all"
		}
	}
	if _, err := fmt.Fprintln(out, out.Paint(terminal.Dim, line)); err != nil {
		return err
	}
	diagnostics, err := cat.Diagnostics(ctx)
	if err != nil {
		return err
	}
	for _, d := range diagnostics {
		if d.Code == diag.RemoteUntrusted && !q.All && !slices.Contains(q.Layers, catalog.MCP) {
			// That something waits is counted above; one need not want it.
			continue
		}
		if d.Severity > 0 || q.All {
			if err := terminal.PrintDiagnostic(a.stderr(), d); err != nil {
				return err
			}
		}
	}
	return nil
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
