package cli

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/servers"
	"github.com/vadehq/vade/internal/terminal"
)

func (a *app) mcp() *cobra.Command {
	c := &cobra.Command{
		Use: "mcp", Short: "List the entries of MCP servers, and write them for another host",
		Long: `Entries of MCP servers come from the files of all hosts, plugins, agents and the
user. No server is started or asked. What may be a secret is neither shown nor
copied: a reference to an environment variable takes its place. vade.yaml can hold
servers back (mcp: allow, deny). The servers whose skills Vade itself uses are
others: vade servers.`,
		Example: "  vade mcp list\n  vade mcp list --as claude-code --all\n  vade mcp export cursor",
		Args:    exactly(cobra.NoArgs, "see: vade mcp --help"),
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.mcpList(), a.mcpExport())
	return c
}

func (a *app) mcpList() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List the entries of MCP servers",
		Long: `The first column marks hidden secrets "!" and entries that the host asks the user
for first "?"; with --all also shadowed "~", held back "-" and switched off "x".

--json prints {"host", "version", "servers": [{"name", "transport", "command",
"env", "cwd", "url", "headers", "timeout", "startTimeout", "tools", "notTools",
"extras", "hidden", "state", "reason", "approval", "fix", "origins": [{"layer",
"path", "line", "plugin", "agent", "format"}…]}…], "diagnostics"}. References have
one form: ${NAME}, ${NAME:-text}, ${input:id}, ${dir:project}.

Exit codes: 0 listed, 1 failed, 2 wrong usage.`,
		Example: `  vade mcp list
  vade mcp list --all             also what is shadowed, held back or off, and why
  vade mcp list --as codex        as that host finds them
  vade mcp list --json | jq -r '.servers[].name'`,
		Args: exactly(cobra.NoArgs, "see: vade mcp list --help"),
		RunE: func(c *cobra.Command, _ []string) error { return a.runServers(c.Context(), all) },
	}
	c.Flags().BoolVar(&all, "all", false, "list also what is not in force, each with its reason")
	a.view(c)
	a.as(c)
	return c
}

func (a *app) runServers(ctx context.Context, all bool) error {
	cat, err := a.open(ctx, catalog.Options{})
	if err != nil {
		return err
	}
	defer cat.Close()
	s, err := servers.List(ctx, cat)
	if err != nil {
		return err
	}
	every := len(s.List)
	if !all {
		s.List = slices.DeleteFunc(s.List, func(one servers.Server) bool { return one.State != definition.Loaded })
	}
	if a.json {
		return a.printJSON(s)
	}
	a.printServers(s, all, every)
	return a.printProblems(slices.DeleteFunc(s.Diagnostics, func(d diag.Diagnostic) bool { return d.Severity == 0 && !all }))
}

// printServers prints a table of entries. all: those that are not in force are among
// them; every is how many there are with these.
func (a *app) printServers(s *servers.Servers, all bool, every int) {
	out := a.stdout()
	t := terminal.Table{Columns: []terminal.Column{
		{}, {Title: "NAME", Style: terminal.Bold}, {Title: "TRANSPORT", Style: terminal.Dim}, {Title: "LAYER", Style: terminal.Dim},
		{Title: "SOURCE", Style: terminal.Dim}, {Title: "COMMAND", Flexible: true},
	}}
	counts, asks := map[definition.State]int{}, 0
	for i := range s.List {
		one := &s.List[i]
		counts[one.State]++
		text := strings.Join(one.Command, " ")
		if one.URL != "" {
			text = one.URL
		}
		if one.Reason != "" && all {
			text = one.Reason
		}
		if one.Approval == "asks" {
			asks++
		}
		t.Row(serverMark(s, one), one.Name, one.Transport, one.Origins[0].Layer, serverSource(one), text)
	}
	t.Print(out)
	line := plural(counts[definition.Loaded], "MCP server")
	for _, p := range []struct {
		state definition.State
		word  string
	}{{definition.Shadowed, "shadowed"}, {definition.Dropped, "held back"}, {definition.Disabled, "switched off"}} {
		if n := counts[p.state]; n > 0 {
			line += fmt.Sprintf(", %d %s", n, p.word)
		}
	}
	if asks > 0 {
		line += fmt.Sprintf(", %d to be approved first", asks)
	}
	if n := every - len(s.List); n > 0 {
		line += fmt.Sprintf("; %d not in force: vade mcp list --all", n)
	}
	out.Line(terminal.Dim, "%s", line)
}

// serverMark is the sign before an entry that is not simply in force.
func serverMark(s *servers.Servers, one *servers.Server) terminal.Cell {
	mark, ok := notActive(one.State)
	switch {
	case ok:
		return mark
	case one.Approval == "asks":
		return terminal.Cell{Text: "?", Style: terminal.Yellow}
	case len(one.Hidden) > 0 && slices.ContainsFunc(s.Diagnostics, func(d diag.Diagnostic) bool {
		return d.Code == "MCP_SECRET" && strings.HasPrefix(d.Message, "the MCP server "+one.Name+": ")
	}):
		return terminal.Cell{Text: "!", Style: terminal.Yellow}
	}
	return terminal.Cell{}
}

// serverSource says where an entry stands, and in how many more places.
func serverSource(one *servers.Server) string {
	o := one.Origins[0]
	text := o.Path
	if o.Agent != "" {
		text = "agent " + o.Agent
	}
	if n := len(one.Origins) - 1; n > 0 {
		text += fmt.Sprintf(" +%d", n)
	}
	return text
}

// mcpExportFlags are the flags of vade mcp export.
type mcpExportFlags struct {
	out                 string
	names               []string
	stdout, user, force bool
}

func (a *app) mcpExport() *cobra.Command {
	var f mcpExportFlags
	hosts := export.ServerHosts()
	c := &cobra.Command{
		Use: "export HOST", Short: "Write the entries of MCP servers in the words of a host",
		Long: `Write the active MCP servers of the project's files, with --user also the user's,
as another host's file. Without --out it goes to standard output; standard error
names what the host cannot express. No secret is copied: it becomes a reference to
an environment variable. A file that holds other settings too is never changed.

--json prints {"host", "version", "path", "shared", "fragment", "text", "servers":
[name…], "losses": [{"host", "name", "source", "line", "what", "message", "fix",
"whole"}…]}.

Exit codes: 0 written; 1 failed, or nothing to write; 2 wrong usage.`,
		Example: `  vade mcp export cursor
  vade mcp export codex --name github
  vade mcp export copilot-vscode --out .`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage{failure{"name the host to write for", "one of: " + strings.Join(hosts, ", ")}}
			}
			return nil
		},
		ValidArgs: hosts,
		RunE:      func(c *cobra.Command, args []string) error { return a.runServerExport(c.Context(), f, args[0]) },
	}
	c.Flags().StringVar(&f.out, "out", "", "write the host's file below `DIR`")
	c.Flags().BoolVar(&f.stdout, "stdout", false, "print the text (what is done without --out)")
	c.Flags().StringArrayVar(&f.names, "name", nil, "only the server of `NAME` (may be repeated)")
	c.Flags().BoolVar(&f.user, "user", false, "also the user's own servers")
	c.Flags().BoolVar(&f.force, "force", false, "with --out: replace another file that stands there")
	return c
}

func (a *app) runServerExport(ctx context.Context, f mcpExportFlags, name string) error {
	if !slices.Contains(export.ServerHosts(), strings.SplitN(name, "@", 2)[0]) || !known(name) {
		return usage{failure{fmt.Sprintf("%s: there is no host of this name with MCP servers", name), "use one of: " + strings.Join(export.ServerHosts(), ", ")}}
	}
	if f.stdout && f.out != "" {
		return usage{failure{"--stdout and --out exclude each other", "use one of them"}}
	}
	if f.force && f.out == "" {
		return usage{failure{"--force is for --out", "say: vade mcp export " + name + " --out DIR --force"}}
	}
	cat, err := a.open(ctx, catalog.Options{})
	if err != nil {
		return err
	}
	defer cat.Close()
	s, err := servers.List(ctx, cat)
	if err != nil {
		return err
	}
	for _, n := range f.names {
		if len(s.Named(n)) == 0 {
			return failure{fmt.Sprintf("--name %s: there is no MCP server of this name", n), "see what there is with: vade mcp list --all"}
		}
	}
	x, err := export.Servers(ctx, s, export.Request{Host: name, Names: f.names, User: f.user})
	if err != nil {
		return err
	}
	if err := a.unwrittenServers(s, x, f); err != nil {
		return err
	}
	return a.printServerExport(x, f)
}

// unwrittenServers says which entries do not go along because they are not in force,
// or stand in the user's files. Where nothing goes along, or one that was asked for,
// it is an error.
func (a *app) unwrittenServers(s *servers.Servers, x *export.ServerExport, f mcpExportFlags) error {
	lost := func(name string) bool {
		return slices.ContainsFunc(x.Losses, func(l export.HostLoss) bool { return l.Whole && l.Name == name })
	}
	var why []failure
	for i := range s.List {
		one := &s.List[i]
		asked := slices.Contains(f.names, one.Name)
		if len(f.names) > 0 && !asked || slices.Contains(x.Servers, one.Name) || lost(one.Name) {
			continue
		}
		switch {
		case one.State == definition.Dropped:
			why = append(why, failure{fmt.Sprintf("%s is not written: it is %s", one.Name, one.Reason), one.Fix})
		case one.State == definition.Disabled && asked:
			why = append(why, failure{fmt.Sprintf("%s is not written: %s", one.Name, one.Reason), "switch it on in " + one.Origins[0].Path})
		case one.State != definition.Loaded:
		case one.Origins[0].Agent != "" && asked:
			why = append(why, failure{fmt.Sprintf("%s is not written: it is the agent's own, %s", one.Name, one.Origins[0].Agent), "put it into a file of servers, such as .mcp.json"})
		case asked && !f.user:
			why = append(why, failure{fmt.Sprintf("%s is not written: it stands in no file of the project, but in %s", one.Name, one.Origins[0].Path), "take the user's own along: --user"})
		}
	}
	if len(x.Servers)+len(x.Losses) > 0 && len(f.names) == 0 {
		e := a.stderr()
		for _, w := range why {
			e.Line(terminal.Plain, "vade: %s", w.message)
			printFix(e, w.hint)
		}
		return nil
	}
	switch {
	case len(why) > 0:
		return why[0]
	case len(x.Servers)+len(x.Losses) > 0:
		return nil
	case !f.user && slices.ContainsFunc(s.List, func(one servers.Server) bool {
		return one.State == definition.Loaded && one.Origins[0].Layer == definition.User
	}):
		return failure{"no file of the project has an MCP server", "take the user's own along: --user"}
	}
	return failure{"there is no MCP server to write", "see what there is with: vade mcp list --all"}
}

func (a *app) printServerExport(x *export.ServerExport, f mcpExportFlags) error {
	e := a.stderr()
	for _, l := range x.Losses {
		place := l.Source
		if l.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, l.Line)
		}
		e.Line(terminal.Plain, "%s: %s: %s", place, l.Name, l.Message)
		printFix(e, l.Fix)
	}
	if f.out != "" {
		return a.writeServers(x, f)
	}
	if a.json {
		return a.printJSON(struct {
			*export.ServerExport
			Text string `json:"text"`
		}{x, string(x.Data)})
	}
	if x.Fragment {
		e.Line(terminal.Plain, "vade: %s is there and holds other settings too: put this into it by hand", x.Path)
	}
	a.printText(string(x.Data))
	return nil
}

func (a *app) writeServers(x *export.ServerExport, f mcpExportFlags) error {
	steps, err := x.Write(f.out, f.force)
	switch {
	case errors.Is(err, export.ErrNoFiles):
		return usage{failure{x.Host + " has no file of MCP servers", "use --stdout"}}
	case errors.Is(err, export.ErrDiffers) && x.Shared:
		return failure{err.Error(), "it holds other settings too: put the text of vade mcp export " + x.Host + " into it by hand"}
	case errors.Is(err, export.ErrDiffers):
		return failure{err.Error(), "look at it, and then use --force"}
	case err != nil:
		return err
	}
	if a.json {
		return a.printJSON(struct {
			*export.ServerExport
			Text  string               `json:"text"`
			Steps []export.WrittenFile `json:"steps"`
		}{x, string(x.Data), steps})
	}
	for _, s := range steps {
		change := map[string]string{"create": "made", "replace": "replaced", "same": "the same as before"}[s.Change]
		a.stderr().Line(terminal.Plain, "vade: %s: %s, with %s", path.Join(f.out, s.Path), change, plural(len(x.Servers), "server"))
	}
	return nil
}
