package cli

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/explain"
	"github.com/vadehq/vade/internal/terminal"
)

// listFlags holds the flags for vade list.
type listFlags struct {
	query        catalog.Query
	long, tokens bool
	sort         string
}

func (a *app) list() *cobra.Command {
	var f listFlags
	q := &f.query
	c := &cobra.Command{
		Use: "list [WORD…]", Short: "List active definitions and the hosts that load them",
		Long: `List active skills, commands, agents and instructions from the managed, project, user,
plugin and bundled layers and from your MCP servers (vade remote). With WORDs, list only
definitions whose name or description contains each word.

The HOSTS column lists the project's hosts that load the definition. States apply to the
project's main host: the first host in vade.yaml or, without one, the only host in use.
If the project has no main host, or with --host neutral, they apply to Vade's view
across all layers.

In the first column, "!" marks definitions with problems (see vade show NAME), "+"
bundled, "~" shadowed, "-" dropped and "x" disabled definitions. --all lists all of
these.

With more than 2000 definitions, hosts are compared only with --long. --json shows
Vade's view; --long adds "hosts" to each definition.`,
		Example: `  vade list
  vade list review
  vade list --kind skill --kind command
  vade list --all                 also list inactive definitions, and why
  vade list --host claude-code    list what that host sees
  vade list --tokens --sort tokens
  vade list --json | jq -r '.definitions[].name'`,
		RunE: func(c *cobra.Command, args []string) error {
			q.Words = args
			return a.runList(c.Context(), f)
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
	c.Flags().BoolVarP(&f.long, "long", "l", false, "compare hosts regardless of the number of definitions")
	c.Flags().BoolVar(&f.tokens, "tokens", false, "show the estimated tokens of each listing entry and of the whole file")
	choiceFlag(c, &f.sort, "sort", "sort by `KEY`", "name", "kind", "layer", "tokens", "path")
	a.pagerFlag(c)
	a.agentFlag(c, &q.Agent, "agent", "list only what the agent `NAME` may use")
	a.yesFlag(c)
	a.viewFlags(c)
	a.viewFlag(c)
	return c
}

// maxCompared is the default limit on how many definitions a list compares across hosts. Reading
// that many in every host's view takes less than a second.
const maxCompared = 2000

// listRow is a definition in a list.
type listRow struct {
	catalog.Definition
	// state and reason apply to the main host or, if the project has none, to the selected view.
	state  definition.State
	reason string
	hosts  []string
}

func (a *app) runList(ctx context.Context, f listFlags) error {
	if a.nested {
		if err := a.askBeforeWalk(ctx, "list --nested"); err != nil {
			return err
		}
	}
	collectLater()
	q := f.query
	cat, err := a.open(ctx, catalog.Options{Unread: q.All, Remote: len(q.Layers) == 0 || slices.Contains(q.Layers, catalog.MCP)})
	if err != nil {
		return err
	}
	defer cat.Close()
	progress := a.stderr().StartProgress("reading definitions")
	defer progress.Done()
	compared := a.host == "" && (f.long || !a.json)
	q.All = q.All || compared
	found, err := cat.Overview(ctx, q)
	if err != nil {
		return err
	}
	if a.json && !f.long && f.sort == "" && len(q.Words) == 0 {
		progress.Done()
		return found.WriteJSON(a.world.Stdout)
	}
	canCompare := f.long || found.Counts.Found <= maxCompared
	l, err := a.compare(ctx, cat, found.Definitions, compared && canCompare)
	if err != nil {
		return err
	}
	progress.Done()
	l.f, l.uncompared = f, compared && !canCompare
	q.All = f.query.All
	l.recount(&found.Counts)
	l.keep(q.All)
	l.sort(f.sort)
	if a.json {
		found.Definitions = found.Definitions[:0]
		for _, d := range l.rows {
			found.Definitions = append(found.Definitions, d.Definition)
		}
		if l.comparison != nil {
			found.Hosts = l.comparison.Loaders
		}
		if err := found.WriteJSON(a.world.Stdout); err != nil {
			return err
		}
	}
	if len(l.rows) == 0 && len(q.Words) > 0 {
		a.jsonPrinted = a.json
		return failure{"no definitions match " + strconv.Quote(strings.Join(q.Words, " ")), "to list all, run: vade list"}
	}
	if a.json {
		return nil
	}
	err = a.paged(ctx, func() error {
		out := a.stdout()
		l.print(out)
		host := a.host
		if a.neutral() {
			host = ""
		}
		l.summary(out, found.Counts, host)
		return out.Err()
	})
	if err != nil {
		return err
	}
	return a.listProblems(ctx, cat, q)
}

// onlyVade reports whether the definition is built into Vade or comes from an MCP server. Hosts
// cannot load such a definition, because it is not in a file.
func (d listRow) onlyVade() bool { return d.ComesWithVade() || d.Layer() == catalog.MCP }

// list is the data that vade list prints.
type list struct {
	f    listFlags
	rows []listRow
	// main is the host whose states are shown, or "" if the selected view's states are shown.
	main string
	// comparison is nil if hosts were not compared.
	comparison *explain.Comparison
	// onlyVade is the number of active definitions that only Vade can load.
	onlyVade int
	// uncompared is set if there were too many definitions to compare hosts.
	uncompared bool
}

// compare returns the definitions with their states and, if compared is set, with the hosts that
// load them.
func (a *app) compare(ctx context.Context, cat *catalog.Catalog, found []catalog.Definition, compared bool) (*list, error) {
	l := &list{}
	main := -1
	if compared && slices.ContainsFunc(found, func(d catalog.Definition) bool { return !listRow{Definition: d}.onlyVade() }) {
		inUse, err := cat.HostsInUse(ctx)
		if err != nil {
			return nil, err
		}
		if !a.json {
			l.main = cat.MainHost(inUse)
			main = slices.IndexFunc(inUse, func(h catalog.CheckedHost) bool { return h.Host == l.main })
		}
		if len(inUse) > 0 {
			if l.comparison, err = a.compareHosts(ctx, cat, inUse); err != nil {
				return nil, err
			}
		}
	}
	for _, d := range found {
		row := listRow{Definition: d, state: d.State(), reason: d.Reason()}
		if !row.onlyVade() && l.comparison != nil {
			row.hosts = l.comparison.Loaders(d.Record())
			copied := d.State() == definition.Dropped && (d.Record().ReasonCode == diag.SyncCopy || d.Record().ReasonCode == diag.SameFile)
			if main >= 0 && !copied {
				t := l.comparison.Of(d.Record(), main)
				row.state, row.reason = t.State, t.Reason
			}
		}
		l.rows = append(l.rows, row)
	}
	return l, nil
}

// compareHosts compares what the given hosts load.
func (a *app) compareHosts(ctx context.Context, cat *catalog.Catalog, hosts []catalog.CheckedHost) (*explain.Comparison, error) {
	o, err := a.options(catalog.Options{})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, h := range hosts {
		names = append(names, h.Host)
	}
	return explain.Compare(ctx, o, cat, names)
}

// keep removes inactive definitions, unless all is set. It also keeps definitions that are active
// in Vade's view but inactive in the main host, unless the main host shadows them.
func (l *list) keep(all bool) {
	l.rows = slices.DeleteFunc(l.rows, func(d listRow) bool {
		other := l.main != "" && d.state != definition.Shadowed && d.State() == definition.Loaded
		return !all && d.state != definition.Loaded && !other
	})
}

// recount recomputes the counts from the definitions' states in the main host.
func (l *list) recount(n *catalog.Counts) {
	if l.main == "" {
		return
	}
	n.Loaded, n.Shadowed, n.Dropped, n.Disabled = 0, 0, 0, 0
	for _, d := range l.rows {
		switch d.state {
		case definition.Shadowed:
			n.Shadowed++
		case definition.Dropped:
			// Do not count a second path to the same file as a separate definition.
			if d.Record().ReasonCode != diag.SameFile {
				n.Dropped++
			}
		case definition.Disabled:
			n.Disabled++
		default:
			if n.Loaded++; d.onlyVade() {
				l.onlyVade++
			}
		}
	}
}

// sort sorts rows by key or, by default, by kind and name, as the catalog does. Definitions that
// come with Vade are last unless key implies a different order.
func (l *list) sort(key string) {
	bundled := func(a, b listRow) int {
		return a.Catalog().BundledLast(a.Record()) - b.Catalog().BundledLast(b.Record())
	}
	by, ok := map[string]func(a, b listRow) int{
		"":     bundled,
		"kind": bundled,
		"name": func(a, b listRow) int { return cmp.Or(bundled(a, b), cmp.Compare(a.Name(), b.Name())) },
		"layer": func(a, b listRow) int {
			return cmp.Compare(slices.Index(layers[:], a.Layer()), slices.Index(layers[:], b.Layer()))
		},
		"tokens": func(a, b listRow) int { return cmp.Compare(b.Record().Tokens, a.Record().Tokens) },
		"path":   func(a, b listRow) int { return cmp.Compare(a.Path(), b.Path()) },
	}[key]
	if ok {
		slices.SortStableFunc(l.rows, by)
	}
}

// collectLater delays the first garbage collection until the heap reaches 64 MiB. Listing ten
// thousand definitions takes less memory than that. Later collections are unaffected.
func collectLater() {
	const percent = 64 / 4 * 100 // By default, the first collection happens at 4 MiB.
	before := debug.SetGCPercent(percent)
	runtime.AddCleanup(new([16]byte), func(before int) { debug.SetGCPercent(before) }, before)
}

// print prints the table.
func (l *list) print(out *terminal.Writer) {
	t := terminal.Table{Columns: []terminal.Column{
		{}, {Title: "KIND", Style: terminal.Dim}, {Title: "NAME", Style: terminal.Bold}, {Title: "LAYER", Style: terminal.Dim},
	}}
	if l.comparison != nil {
		t.Columns = append(t.Columns, terminal.Column{Title: "HOSTS"})
	}
	if l.f.tokens {
		t.Columns = append(t.Columns, terminal.Column{Title: "LISTED", Right: true}, terminal.Column{Title: "TOKENS", Right: true})
	}
	t.Columns = append(t.Columns, terminal.Column{Title: "DESCRIPTION", Flexible: true})
	listing, total := 0, 0
	for _, d := range l.rows {
		cells := []any{d.mark(), d.Kind(), d.Name(), d.Layer()}
		if l.comparison != nil {
			cells = append(cells, l.hosts(d))
		}
		if r := d.Record(); l.f.tokens {
			listing, total = listing+int(r.ListingTokens), total+int(r.Tokens)
			cells = append(cells, r.ListingTokens, r.Tokens)
		}
		text := d.Description()
		if l.f.query.All && d.reason != "" {
			text = d.reason
		}
		t.Row(append(cells, text)...)
	}
	if cells := []any{"", "", "total", "", listing, total}; l.f.tokens {
		if l.comparison != nil {
			cells = slices.Insert(cells, 4, any(""))
		}
		t.Row(cells...)
	}
	t.Print(out)
}

// hosts returns the text for the HOSTS column.
func (l *list) hosts(d listRow) terminal.Cell {
	switch n := len(d.hosts); {
	case d.onlyVade():
		return terminal.Cell{Text: "vade", Style: terminal.Dim}
	case n == 0:
		return terminal.Cell{Text: "none", Style: terminal.Red}
	case n == 1:
		return terminal.Cell{Text: d.hosts[0]}
	case n == len(l.comparison.Hosts):
		return terminal.Cell{Text: fmt.Sprintf("all %d", n)}
	default:
		return terminal.Cell{Text: fmt.Sprintf("%s +%d", d.hosts[0], n-1)}
	}
}

// layers lists the values of --layer.
var layers = [...]definition.Layer{definition.Managed, definition.Project, definition.User, definition.Plugin, definition.Bundled, catalog.MCP}

func layerWords() []string {
	var words []string
	for _, l := range layers {
		words = append(words, l.String())
	}
	return words
}

// inactiveMark returns the mark for an inactive definition or server.
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

// mark returns the symbol for the first column. It is empty for active definitions without
// problems, unless they are built into Vade.
func (d listRow) mark() terminal.Cell {
	switch mark, ok := inactiveMark(d.state); {
	case ok:
		return mark
	case d.HasProblems():
		return terminal.Cell{Text: "!", Style: terminal.Yellow}
	case d.ComesWithVade():
		return terminal.Cell{Text: "+", Style: terminal.Dim}
	}
	return terminal.Cell{}
}

// summary prints counts and hints after the table. host is the host selected with --host, or "".
func (l *list) summary(out *terminal.Writer, n catalog.Counts, host string) {
	q := l.f.query
	servers := plural(n.MCPServers, "MCP server")
	if n.MCPHeld > 0 {
		servers += fmt.Sprintf(", %d of them blocked by vade.yaml", n.MCPHeld)
	}
	also := []string{plural(n.Hooks, "hook") + " (see vade help hooks)", servers + " (see vade mcp list)"}
	also = slices.DeleteFunc(also, func(s string) bool { return strings.HasPrefix(s, "0 ") })
	if len(also) > 0 && len(q.Kinds) == 0 {
		out.Line(terminal.Dim, "also found: %s", strings.Join(also, ", "))
	}
	if !q.All {
		// Do not count bundled definitions that are off by default.
		n.Disabled, n.Found = n.Disabled-n.BundledOff, n.Found-n.BundledOff
	}
	parts, dropped := []string{plural(n.Loaded, "definition")}, "dropped"
	if l.main != "" {
		parts[0] = fmt.Sprintf("%s in %s", plural(n.Loaded-l.onlyVade, "definition"), l.main)
		if l.onlyVade > 0 {
			parts = append(parts, fmt.Sprintf("%d only through vade load", l.onlyVade))
		}
		dropped = "not loaded"
	}
	parts = append(parts, counted(count{n.Shadowed, "shadowed"}, count{n.Dropped - n.Copies, dropped}, count{n.Disabled, "disabled"})...)
	if n.Copies > 0 {
		parts = append(parts, number(n.Copies, "copy", "copies")+" from vade sync")
	}
	line := strings.Join(parts, ", ")
	if n.WithProblems > 0 {
		line += fmt.Sprintf(", %d with problems (vade show NAME)", n.WithProblems)
	}
	hidden := n.Found - len(l.rows)
	switch {
	case hidden > 0 && !q.All:
		line += "; to list the others, run: vade list --all"
		if slices.Equal(q.Layers, []definition.Layer{catalog.MCP}) {
			line = strings.TrimSuffix(line, "--all") + "--layer mcp --all"
		}
	case len(l.rows) > 0:
	case len(q.Kinds)+len(q.Layers) > 0 || q.Agent != "":
		line += "; to list everything, run: vade list --all"
	case host != "":
		line += "; to see why, run: vade explain --all --host " + host
	default:
		line += "; to create one, run: vade new"
	}
	out.Line(terminal.Dim, "%s", line)
	if l.comparison != nil {
		out.Line(terminal.Dim, "hosts in use: %s", strings.Join(l.comparison.Hosts, ", "))
	}
	if l.uncompared {
		out.Line(terminal.Dim, "hosts are not compared for more than %d definitions; to compare them anyway, run: vade list --long", maxCompared)
	}
}

// listProblems prints the catalog's diagnostics. Unless q.All is set, it omits informational ones.
func (a *app) listProblems(ctx context.Context, cat *catalog.Catalog, q catalog.Query) error {
	diagnostics, err := cat.Diagnostics(ctx)
	if err != nil {
		return err
	}
	return a.printProblems(slices.DeleteFunc(slices.Clone(diagnostics), func(d diag.Diagnostic) bool {
		// The summary has already counted the definitions that are waiting for approval.
		return !q.All && (d.Severity == diag.Info || d.Code == diag.RemoteUntrusted && !slices.Contains(q.Layers, catalog.MCP))
	}))
}
