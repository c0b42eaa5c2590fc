package cli

import (
	"context"
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
		Use: "mcp", Short: "List MCP server entries, and convert them for another host",
		Long: `MCP server entries come from every host's configuration files, from plugins and
from agents. No server is started or contacted. Possible secrets are replaced with
references to environment variables. vade.yaml can block servers (mcp: allow, deny).

For the servers whose skills Vade loads itself, see: vade remote.`,
		Example: "  vade mcp list\n  vade mcp list --host claude-code --all\n  vade mcp export cursor",
		RunE:    a.group,
	}
	c.AddCommand(a.mcpList(), a.mcpExport())
	return c
}

func (a *app) mcpList() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List MCP server entries",
		Long: `In the first column, "!" marks entries with hidden secrets, and "?"
entries that the host asks you to approve. With --all, "~" marks shadowed, "-" blocked
and "x" disabled entries.

--json prints {"host", "version", "servers": [{"name", "transport", "command",
"env", "cwd", "url", "headers", "timeout", "startTimeout", "tools", "notTools",
"extras", "hidden", "state", "reason", "approval", "fix", "origins": [{"layer",
"path", "line", "plugin", "agent", "format"}…]}…], "diagnostics"}. References use these
forms: ${NAME}, ${NAME:-text}, ${input:id}, ${dir:project}.

Exit codes: 0 success, 1 failure, 2 invalid usage.`,
		Example: `  vade mcp list
  vade mcp list --all             also list inactive entries, and why
  vade mcp list --host codex      list what that host sees
  vade mcp list --json | jq -r '.servers[].name'`,
		RunE: func(c *cobra.Command, _ []string) error { return a.runServers(c.Context(), all) },
	}
	c.Flags().BoolVarP(&all, "all", "a", false, "also list inactive entries, with reasons")
	a.viewFlags(c)
	a.viewFlag(c)
	return c
}

func (a *app) runServers(ctx context.Context, all bool) error {
	cat, err := a.open(ctx, catalog.Options{})
	if err != nil {
		return err
	}
	defer cat.Close()
	progress := a.stderr().StartProgress("reading configuration files")
	s, err := servers.List(ctx, cat)
	progress.Done()
	if err != nil {
		return err
	}
	total := len(s.List)
	if !all {
		s.List = slices.DeleteFunc(s.List, func(one servers.Server) bool { return one.State != definition.Loaded })
	}
	if a.json {
		return a.printJSON(s)
	}
	a.printServers(s, all, total)
	return a.printProblems(slices.DeleteFunc(s.Diagnostics, func(d diag.Diagnostic) bool { return d.Severity == 0 && !all }))
}

// printServers prints a table of server entries. all is set if s may include inactive entries.
// total is the number of active and inactive entries.
func (a *app) printServers(s *servers.Servers, all bool, total int) {
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
	parts := counted(count{counts[definition.Shadowed], "shadowed"}, count{counts[definition.Dropped], "blocked"},
		count{counts[definition.Disabled], "disabled"}, count{asks, "waiting for approval"})
	line := strings.Join(append([]string{plural(counts[definition.Loaded], "MCP server")}, parts...), ", ")
	if n := total - len(s.List); n > 0 {
		line += fmt.Sprintf("; %d inactive; to list them, run: vade mcp list --all", n)
	}
	out.Line(terminal.Dim, "%s", line)
}

// serverMark returns the mark in the first column, which is empty for most entries.
func serverMark(s *servers.Servers, one *servers.Server) terminal.Cell {
	mark, ok := inactiveMark(one.State)
	switch {
	case ok:
		return mark
	case one.Approval == "asks":
		return terminal.Cell{Text: "?", Style: terminal.Yellow}
	case len(one.Hidden) > 0 && slices.ContainsFunc(s.Diagnostics, func(d diag.Diagnostic) bool {
		return d.Code == "MCP_SECRET" && strings.HasPrefix(d.Message, "MCP server "+one.Name+": ")
	}):
		return terminal.Cell{Text: "!", Style: terminal.Yellow}
	}
	return terminal.Cell{}
}

// serverSource returns an entry's source and the number of additional sources.
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

// mcpExportFlags holds the flags for vade mcp export.
type mcpExportFlags struct {
	out                 string
	names               []string
	stdout, user, force bool
}

func (a *app) mcpExport() *cobra.Command {
	var f mcpExportFlags
	hosts := export.ServerHosts()
	c := &cobra.Command{
		Use: "export HOST", Short: "Convert MCP server entries to a host's format",
		Long: `Convert the project's active MCP server entries to a host's file.
--user also includes your user-level entries. Without --out, the file is printed.
Anything the host cannot express is reported on stderr. Secrets become references to
environment variables. A file that also has other settings is never changed.

--json prints {"host", "version", "path", "shared", "fragment", "text", "servers":
[name…], "losses": [{"host", "name", "source", "line", "what", "message", "fix",
"whole"}…]}.

Exit codes: 0 success, 1 failure or nothing to write, 2 invalid usage.`,
		Example: `  vade mcp export cursor
  vade mcp export codex --name github
  vade mcp export copilot-vscode --out .`,
		Args:      checkArgs("use one of: " + strings.Join(hosts, ", ")),
		ValidArgs: hosts,
		RunE:      func(c *cobra.Command, args []string) error { return a.runMCPExport(c.Context(), f, args[0]) },
	}
	c.Flags().StringVar(&f.out, "out", "", "write the host's file to `DIR`")
	c.Flags().BoolVar(&f.stdout, "stdout", false, "print the file (the default without --out)")
	c.Flags().StringArrayVar(&f.names, "name", nil, "export only the server `NAME` (may be repeated)")
	c.Flags().BoolVar(&f.user, "user", false, "also export your user-level servers")
	a.yesFlag(c)
	c.Flags().BoolVar(&f.force, "force", false, "with --out: replace an existing file")
	return c
}

func (a *app) runMCPExport(ctx context.Context, f mcpExportFlags, name string) error {
	name, err := hostNamed("mcp export", name, export.ServerHosts())
	if err != nil {
		return err
	}
	if f.stdout && f.out != "" {
		return usage{failure{"--stdout and --out cannot be used together", "use only one of them"}}
	}
	if f.force && f.out == "" {
		return usage{failure{"--force requires --out", "run: vade mcp export " + name + " --out DIR --force"}}
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
			return failure{fmt.Sprintf("--name %s: no such MCP server", n), "to list servers, run: vade mcp list --all"}
		}
	}
	x, err := export.Servers(ctx, s, export.Request{Host: name, Names: f.names, User: f.user})
	if err != nil {
		return err
	}
	if err := a.reportOmittedServers(s, x, f); err != nil {
		return err
	}
	return a.printServerExport(ctx, x, f)
}

// reportOmittedServers reports entries that are not exported because they are inactive, or because
// they belong to an agent or the user. It returns an error if all entries are omitted, or if --name
// selects an omitted entry.
func (a *app) reportOmittedServers(s *servers.Servers, x *export.ServerExport, f mcpExportFlags) error {
	lost := func(name string) bool {
		return slices.ContainsFunc(x.Losses, func(l export.HostLoss) bool { return l.Whole && l.Name == name })
	}
	var why []failure
	for i := range s.List {
		one := &s.List[i]
		named := slices.Contains(f.names, one.Name)
		if len(f.names) > 0 && !named || slices.Contains(x.Servers, one.Name) || lost(one.Name) {
			continue
		}
		switch {
		case one.State == definition.Dropped:
			why = append(why, failure{fmt.Sprintf("%s is not exported: it is %s", one.Name, one.Reason), one.Fix})
		case one.State == definition.Disabled && named:
			why = append(why, failure{fmt.Sprintf("%s is not exported: %s", one.Name, one.Reason), "enable it in " + one.Origins[0].Path})
		case one.State != definition.Loaded:
		case one.Origins[0].Agent != "" && named:
			why = append(why, failure{fmt.Sprintf("%s is not exported: it belongs to the agent %s", one.Name, one.Origins[0].Agent), "move it to a configuration file, such as .mcp.json"})
		case named:
			fix := "copy it to a configuration file in the project, such as .mcp.json"
			if slices.ContainsFunc(one.Origins, func(o servers.ServerOrigin) bool { return o.Layer == definition.User }) {
				fix = "to include your user-level servers, use --user"
			}
			why = append(why, failure{fmt.Sprintf("%s is not exported: it is defined outside the project, in %s", one.Name, one.Origins[0].Path), fix})
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
		return failure{"the project has no MCP servers to export", "to include your user-level servers, use --user"}
	}
	return failure{"no MCP servers to export", "to list servers, run: vade mcp list --all"}
}

func (a *app) printServerExport(ctx context.Context, x *export.ServerExport, f mcpExportFlags) error {
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
		return a.writeServers(ctx, x, f)
	}
	if a.json {
		return a.printServersJSON(x, nil)
	}
	if x.Fragment {
		e.Line(terminal.Plain, "vade: %s already exists and has other settings; add these entries to it by hand", x.Path)
	}
	a.printText(string(x.Data))
	return nil
}

func (a *app) printServersJSON(x *export.ServerExport, steps []export.WrittenFile) error {
	return a.printJSON(struct {
		*export.ServerExport
		Text  string               `json:"text"`
		Steps []export.WrittenFile `json:"steps,omitempty"`
	}{x, string(x.Data), steps})
}

func (a *app) writeServers(ctx context.Context, x *export.ServerExport, f mcpExportFlags) error {
	if x.Path == "" {
		return usage{failure{x.Host + " has no MCP configuration file", "use --stdout instead of --out"}}
	}
	if err := a.confirmFile(ctx, string(x.Data)); err != nil {
		return err
	}
	steps, err := x.Write(f.out, f.force)
	fix := "review it, then use --force"
	if x.Shared {
		fix = "the file has other settings; add the output of vade mcp export " + x.Host + " to it by hand"
	}
	if err != nil {
		return withHint(err, hint{export.ErrDiffers, false, fix})
	}
	if a.json {
		return a.printServersJSON(x, steps)
	}
	for _, s := range steps {
		change := map[string]string{"create": "created", "replace": "replaced", "same": "up to date"}[s.Change]
		a.stderr().Line(terminal.Plain, "vade: %s: %s, with %s", path.Join(f.out, s.Path), change, plural(len(x.Servers), "server"))
	}
	return nil
}
