package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/terminal"
)

// overview is the data that vade prints when it is run without a command.
type overview struct {
	Directory string                `json:"directory"`
	Hosts     []catalog.CheckedHost `json:"hosts"`
	// Kinds maps each kind to the number of active definitions in Vade's view, except those that
	// come with Vade.
	Kinds map[string]int `json:"kinds"`
	// Unseen is the number of definitions that at least one host does not load. Worst is the
	// definition that the fewest hosts load. Compared is false if there were too many definitions
	// to compare hosts.
	Unseen   int     `json:"unseen"`
	Worst    *unseen `json:"worst,omitempty"`
	Compared bool    `json:"compared"`
	// Problems maps each severity to the number of problems found while reading definitions.
	Problems map[string]int `json:"problems"`
	Next     []nextStep     `json:"next"`
}

// unseen is a definition that at least one host does not load.
type unseen struct {
	Kind   definition.Kind `json:"kind"`
	Name   string          `json:"name"`
	Path   string          `json:"path"`
	Hosts  []string        `json:"hosts"`
	Reason string          `json:"reason"`
}

// nextStep is a suggested command and the reason for running it.
type nextStep struct {
	Command string `json:"command"`
	Why     string `json:"why"`
}

// maxNext is the maximum number of suggested commands.
const maxNext = 3

// runOverview prints the project's hosts, definitions and problems, and suggests commands to run
// next.
func (a *app) runOverview(ctx context.Context) error {
	collectLater()
	cat, err := a.open(ctx, catalog.Options{})
	if err != nil {
		return err
	}
	defer cat.Close()
	v := &overview{Hosts: []catalog.CheckedHost{}, Kinds: map[string]int{}, Problems: map[string]int{}}
	if cat.Quick.Project != nil {
		v.Directory = cat.Quick.Project.Dir()
	}
	progress := a.stderr().StartProgress("reading definitions")
	err = a.collectOverview(ctx, cat, v)
	progress.Done()
	switch {
	case err != nil:
		return err
	case a.json:
		return a.printJSON(v)
	}
	v.print(a.stdout())
	return a.stdout().Err()
}

// collectOverview fills in v with information about the project.
func (a *app) collectOverview(ctx context.Context, cat *catalog.Catalog, v *overview) error {
	all, err := cat.List(ctx, catalog.Query{All: true})
	if err != nil {
		return err
	}
	problems, err := cat.Diagnostics(ctx)
	if err != nil {
		return err
	}
	problems = slices.Clone(problems)
	var active []catalog.Definition
	for _, d := range all {
		if d.ComesWithVade() {
			continue
		}
		problems = append(problems, d.Record().Diagnostics...)
		if d.State() == definition.Loaded {
			active = append(active, d)
			v.Kinds[d.Kind().String()]++
		}
	}
	for _, d := range problems {
		v.Problems[d.Severity.String()]++
	}
	inUse, err := cat.HostsInUse(ctx)
	if err != nil {
		return err
	}
	v.Hosts = append(v.Hosts, inUse...)
	if v.Compared = len(active) <= maxCompared; v.Compared && len(active) > 0 && len(inUse) > 0 {
		if err := a.findUnseen(ctx, cat, v, active); err != nil {
			return err
		}
	}
	v.choose()
	return nil
}

// findUnseen finds the definitions that at least one host does not load.
func (a *app) findUnseen(ctx context.Context, cat *catalog.Catalog, v *overview, active []catalog.Definition) error {
	c, err := a.compareHosts(ctx, cat, v.Hosts)
	if err != nil {
		return err
	}
	for _, d := range active {
		x := unseen{Kind: d.Kind(), Name: d.Name(), Path: d.Path()}
		for i, name := range c.Hosts {
			if t := c.Of(d.Record(), i); t.State != definition.Loaded {
				x.Hosts, x.Reason = append(x.Hosts, name), cmp.Or(x.Reason, t.Reason)
			}
		}
		if len(x.Hosts) > 0 {
			v.Unseen++
			if v.Worst == nil || len(x.Hosts) > len(v.Worst.Hosts) {
				v.Worst = &x
			}
		}
	}
	return nil
}

// choose selects the commands to suggest.
func (v *overview) choose() {
	add := func(applies bool, command, why string) {
		if applies && len(v.Next) < maxNext {
			v.Next = append(v.Next, nextStep{command, why})
		}
	}
	empty := len(v.Kinds) == 0
	add(empty, "vade new skill NAME", "create your first skill")
	add(empty, "vade add OWNER/REPO", "install definitions from a repository")
	add(empty, "vade doctor", "see which agents are installed on this machine")
	if v.Worst != nil {
		name := v.Worst.Kind.String() + ":" + v.Worst.Name
		add(true, "vade explain "+shell.ForShell(name), "see why "+strings.Join(v.Worst.Hosts[:1], "")+" does not load it, and the fix")
	}
	broken := v.Problems[diag.Error.String()]+v.Problems[diag.Warning.String()] > 0
	add(broken, "vade check", "list the problems with their fixes")
	add(v.Unseen > 0, "vade sync --dry-run", "preview the copies that other hosts need")
	add(true, "vade list", "list all definitions with their hosts")
	add(true, "vade audit", "check definitions for security risks")
	add(true, "vade serve --help", "serve definitions to any agent over MCP")
}

// print prints the overview, which fits on a 24-line screen.
func (v *overview) print(out *terminal.Writer) {
	row := func(style terminal.Style, title, format string, args ...any) {
		text := terminal.Wrap(terminal.EscapeLine(fmt.Sprintf(format, args...)), out.Width(), 12, 12)
		fmt.Fprintln(out, out.Paint(style, fmt.Sprintf("%-12s", title)+text))
	}
	row(terminal.Bold, "project", "%s", cmp.Or(v.Directory, "none"))
	const maxShown = 5
	for i, h := range v.Hosts[:min(maxShown, len(v.Hosts))] {
		title := ""
		if i == 0 {
			title = "hosts"
		}
		row(terminal.Plain, title, "%s %s: %s", h.Host, h.Version, h.Why)
	}
	if n := len(v.Hosts) - maxShown; n > 0 {
		row(terminal.Plain, "", "and %d more", n)
	}
	if len(v.Hosts) == 0 {
		row(terminal.Plain, "hosts", "none found")
	}
	var kinds []string
	for _, k := range definition.Kinds {
		if n := v.Kinds[k.String()]; n > 0 {
			kinds = append(kinds, plural(n, k.String()))
		}
	}
	row(terminal.Plain, "definitions", "%s", cmp.Or(strings.Join(kinds, ", "), "none yet"))
	switch {
	case v.Worst != nil:
		text := "some hosts do not load "
		if v.Unseen > 1 {
			text = fmt.Sprintf("some hosts do not load %d definitions, such as ", v.Unseen)
		}
		row(terminal.Yellow, "not loaded", "%s%s %s", text, v.Worst.Kind, v.Worst.Name)
		row(terminal.Plain, "", "%s: %s", strings.Join(v.Worst.Hosts, ", "), v.Worst.Reason)
	case !v.Compared:
		row(terminal.Plain, "not loaded", "not compared: more than %d definitions; see: vade list --long", maxCompared)
	case len(v.Kinds) > 0 && len(v.Hosts) > 0:
		row(terminal.Green, "not loaded", "none: every host in use loads every definition")
	}
	var wrong []string
	for _, s := range []diag.Severity{diag.Error, diag.Warning} {
		if n := v.Problems[s.String()]; n > 0 {
			wrong = append(wrong, plural(n, s.String()))
		}
	}
	// Like vade list, this command reads the definitions without running the rules of vade check.
	const more = "; vade check looks for more"
	if len(wrong) > 0 {
		row(terminal.Red, "problems", "%s found while reading definitions%s", strings.Join(wrong, ", "), more)
	} else {
		row(terminal.Green, "problems", "none found while reading definitions%s", more)
	}
	fmt.Fprintln(out)
	t := terminal.Table{Columns: []terminal.Column{{Style: terminal.Bold}, {Flexible: true}}}
	for _, n := range v.Next {
		t.Row(n.Command, n.Why)
	}
	t.Print(out)
	out.Line(terminal.Dim, "all commands: vade help")
}
