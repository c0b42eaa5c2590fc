package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/terminal"
)

// exportFlags are the flags of vade export.
type exportFlags struct {
	out           string
	stdout        bool
	force, dryRun bool
	request       export.Request
	plugin        export.PluginRequest
}

func (a *app) export() *cobra.Command {
	var f exportFlags
	c := &cobra.Command{
		Use: "export HOST", Short: "Write definitions as another host's own files",
		Long: `Make a host's own files from the project's active definitions: with its directories,
fields, tool names and syntax. What the host cannot express is listed with its line
and what to do. Without --out and --stdout nothing is written.

--out does not replace a file that holds something else unless --force is given.
Nothing runs, and no symlink is followed.

Exit codes: 0 fine, also with losses; 1 nothing of a definition could be exported,
or a file not written; 2 wrong usage.`,
		Example: `  vade export opencode                        what would be written and lost
  vade export gemini --kind command --out .   into the project itself
  vade export codex --name deploy --stdout
  vade export copilot-vscode --out ../copy --dry-run
  vade export claude-sdk --out src/vade       options for the Claude Agent SDK
  vade export cursor --stdout --json | jq -r '.files[].path'
  vade export claude-code --as-plugin tools --out ../market`,
		Args: func(_ *cobra.Command, args []string) error {
			hint := "name one of: " + strings.Join(exportHosts(), ", ")
			switch {
			case len(args) == 0:
				return usage{failure{"no host is named to export to", hint}}
			case len(args) > 1:
				return usage{failure{fmt.Sprintf("export writes for one host, and %d are named", len(args)), "say it once for each"}}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return a.runExport(c.Context(), args[0], f)
		},
	}
	c.ValidArgsFunction = cobra.FixedCompletions(exportHosts(), cobra.ShellCompDirectiveNoFileComp)
	flags := c.Flags()
	flags.StringVar(&f.out, "out", "", "write the files below `DIR`")
	flags.BoolVar(&f.stdout, "stdout", false, "print the files, each behind a line with its path")
	kinds(c, &f.request.Kinds, "export")
	flags.StringSliceVar(&f.request.Names, "name", nil, "export only the definition `NAME`, or its path (may be repeated)")
	flags.BoolVar(&f.request.User, "user", false, "export the user's own definitions too")
	flags.BoolVar(&f.force, "force", false, "replace files that hold something else")
	flags.StringVar(&f.plugin.Name, "as-plugin", "", "make a plugin of this `NAME` and a marketplace beside it, for "+strings.Join(export.PluginHosts(), ", "))
	flags.StringVar(&f.plugin.Version, "plugin-version", "", "with --as-plugin: its `VERSION`, such as 1.2.3 (default 0.1.0)")
	flags.BoolVar(&f.plugin.NoServers, "no-mcp", false, "with --as-plugin: leave the MCP servers out")
	flags.StringVar(&f.plugin.Description, "plugin-description", "", "with --as-plugin: `TEXT` that says what it is for")
	flags.StringVar(&f.plugin.Author, "plugin-author", "", "with --as-plugin: the `NAME` of who made it")
	flags.BoolVar(&f.dryRun, "dry-run", false, "with --out: say what would be written, and write nothing")
	return c
}

func exportHosts() []string { return append(export.Hosts(), export.OptionHosts()...) }

// exportHint says which host may be meant.
func exportHint(host string) string {
	base, _, _ := strings.Cut(host, "@")
	if near := resolve.Nearest(base, exportHosts()); len(near) > 0 {
		return "did you mean " + strings.Join(near, " or ") + "?"
	}
	return "use one of: " + strings.Join(exportHosts(), ", ")
}

func (a *app) runExport(ctx context.Context, host string, f exportFlags) error {
	switch {
	case f.stdout && f.out != "":
		return usage{failure{"--out and --stdout do not go together", "use one of the two"}}
	case f.dryRun && f.out == "":
		return usage{failure{"--dry-run is for --out", "without --out nothing is written anyway"}}
	case f.force && f.out == "":
		return usage{failure{"--force is for --out", "name the directory: --out DIR"}}
	}
	f.request.Host = host
	cat, err := a.open(ctx, catalog.Options{})
	if err != nil {
		return err
	}
	defer cat.Close()
	progress := a.stderr().StartProgress("reading definitions")
	e, err := exportOf(ctx, cat, f)
	progress.Done()
	switch {
	case errors.Is(err, export.ErrNoPlugin):
		return usage{failure{bare(err), "plugins can be written for " + strings.Join(export.PluginHosts(), ", ")}}
	case errors.Is(err, export.ErrPluginName):
		return usage{failure{bare(err), pluginNameHint(host, f.plugin.Name)}}
	case errors.Is(err, export.ErrPluginVersion):
		return usage{failure{"--plugin-version " + bare(err), "use three numbers, such as 1.2.3"}}
	case errors.Is(err, export.ErrNoHost), errors.Is(err, export.ErrNoFiles):
		return usage{failure{bare(err), exportHint(host)}}
	case errors.Is(err, definition.ErrNotFound):
		return failure{bare(err), "see what there is with: vade list"}
	case err != nil:
		return err
	}
	if err := a.putExport(e, f); err != nil {
		return err
	}
	if len(e.LeftOut()) > 0 || slices.ContainsFunc(e.Diagnostics, func(d diag.Diagnostic) bool { return d.Severity == diag.Error }) {
		return silent{exitFailed}
	}
	return nil
}

// putExport writes or prints an export.
func (a *app) putExport(e *export.Export, f exportFlags) error {
	var steps []export.WrittenFile
	var err error
	switch {
	case f.out != "" && f.dryRun:
		steps, err = e.Plan(f.out)
	case f.out != "":
		if steps, err = e.Write(f.out, f.force); errors.Is(err, export.ErrDiffers) {
			err = failure{bare(err), "look at it, and replace it with --force; --dry-run lists all"}
		}
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.printExportJSON(e, steps, f.stdout)
	}
	if f.stdout {
		a.streamExport(e)
	} else {
		a.exportTable(e, steps, f)
		a.exportLosses(a.stdout(), e)
	}
	return nil
}

// printExportJSON prints an export with what writing it does, and with the texts of its
// files where they are asked for.
func (a *app) printExportJSON(e *export.Export, steps []export.WrittenFile, texts bool) error {
	type file struct {
		export.ExportedFile
		Bytes  int     `json:"bytes"`
		Change string  `json:"change,omitempty"`
		Text   *string `json:"text,omitempty"`
	}
	files := make([]file, len(e.Files))
	for i, f := range e.Files {
		files[i] = file{ExportedFile: f, Bytes: len(f.Data)}
		if steps != nil {
			files[i].Change = steps[i].Change
		}
		if texts {
			text := strings.ToValidUTF8(string(f.Data), "\ufffd")
			files[i].Text = &text
		}
	}
	return a.printJSON(struct {
		Host        string            `json:"host"`
		Version     string            `json:"version"`
		Files       []file            `json:"files"`
		Losses      []export.HostLoss `json:"losses"`
		Diagnostics []diag.Diagnostic `json:"diagnostics"`
	}{e.Host, e.Version, files, e.Losses, e.Diagnostics})
}

// streamExport prints all files one behind the other; what is lost goes to standard
// error.
func (a *app) streamExport(e *export.Export) {
	out := a.stdout()
	for i, f := range e.Files {
		if i > 0 {
			fmt.Fprintln(out)
		}
		out.Line(terminal.Bold, "==> %s <==", f.Path)
		text := strings.ToValidUTF8(string(f.Data), "\ufffd")
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		a.printText(text)
	}
	a.exportLosses(a.stderr(), e)
}

func (a *app) exportTable(e *export.Export, steps []export.WrittenFile, f exportFlags) {
	out := a.stdout()
	t := terminal.Table{Columns: []terminal.Column{{Title: "FILE", Style: terminal.Bold}, {Title: "BYTES"}}}
	if steps != nil {
		t.Columns = append([]terminal.Column{{}}, t.Columns...)
	}
	// The files for a program are of no single definition.
	single := slices.ContainsFunc(e.Files, func(x export.ExportedFile) bool { return x.Source != "" })
	if single {
		t.Columns = append(t.Columns, terminal.Column{Title: "KIND", Style: terminal.Dim}, terminal.Column{Title: "OF", Flexible: true})
	}
	count := map[string]int{}
	for i, x := range e.Files {
		cells := []any{x.Path, len(x.Data)}
		if steps != nil {
			count[steps[i].Change]++
			cells = append([]any{steps[i].Change}, cells...)
		}
		if single {
			of := x.Source
			if len(x.Sources) > 0 {
				of = strings.Join(x.Sources, ", ")
			}
			cells = append(cells, x.Kind, of)
		}
		t.Row(cells...)
	}
	t.Print(out)
	line := fmt.Sprintf("%s %s: %s", e.Host, e.Version, plural(len(e.Files), "file"))
	switch {
	case f.dryRun:
		line += fmt.Sprintf("; %d would be made, %d replaced; nothing is written", count["create"], count["replace"])
	case f.out != "":
		line += fmt.Sprintf("; %d made, %d replaced in %s", count["create"], count["replace"], f.out)
	default:
		line += "; nothing is written without --out"
	}
	out.Line(terminal.Dim, "%s", line)
}

// exportLosses lists what is lost.
func (a *app) exportLosses(out *terminal.Writer, e *export.Export) {
	for _, d := range e.Diagnostics {
		terminal.PrintDiagnostic(out, d)
	}
	count := map[string]int{}
	for i, l := range e.Losses {
		count[l.What]++
		if i == 0 || e.Losses[i-1].Source != l.Source {
			fmt.Fprintln(out)
			out.Line(terminal.Bold, "%s", l.Source)
		}
		place := ""
		if l.Line > 0 {
			place = fmt.Sprintf("line %d: ", l.Line)
		}
		word, style := l.What, terminal.Yellow
		if l.Whole {
			word, style = "not exported", terminal.Red
		}
		out.Label(style, "  "+word+":", "%s%s", place, l.Message)
		if l.Fix != "" {
			out.Label(terminal.Green, "    fix:", "%s", l.Fix)
		}
	}
	if len(e.Losses) == 0 {
		return
	}
	var parts []string
	for _, what := range export.Losses() {
		if count[what] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", what, count[what]))
		}
	}
	fmt.Fprintln(out)
	out.Line(terminal.Dim, "%s: %s", number(len(e.Losses), "loss", "losses"), strings.Join(parts, ", "))
}

// exportOf makes the export that the flags ask for.
func exportOf(ctx context.Context, cat *catalog.Catalog, f exportFlags) (*export.Export, error) {
	if f.plugin.Name == "" {
		if f.plugin.Version+f.plugin.Description+f.plugin.Author != "" || f.plugin.NoServers {
			return nil, usage{failure{"--plugin-version, --plugin-description, --plugin-author and --no-mcp are for --as-plugin", "name the plugin: --as-plugin NAME"}}
		}
		return export.To(ctx, cat, f.request)
	}
	f.plugin.Request = f.request
	return export.Plugin(ctx, cat, f.plugin)
}

// pluginNameHint says which name a plugin can have.
func pluginNameHint(host, name string) string {
	if near := export.NearestPluginName(host, name); near != "" {
		return "use --as-plugin " + near
	}
	return "use small letters, digits and hyphens, such as my-plugin"
}

// lossTool is the word for a loss of a tool: a list that a host takes for another one is
// shown without being asked for.
const lossTool = "tool"

// printLosses prints how much each host can not express, or with each all of it.
// What lets more happen in a host than a definition does is always printed.
func (a *app) printLosses(losses []export.HostLoss, each bool) {
	e := a.stderr()
	byHost := map[string][]export.HostLoss{}
	var hosts []string
	for i := range losses {
		l := &losses[i]
		if each || l.Widens || l.InPlace && l.What == lossTool {
			printLoss(e, l)
		}
		if byHost[l.Host] == nil {
			hosts = append(hosts, l.Host)
		}
		byHost[l.Host] = append(byHost[l.Host], *l)
	}
	if each {
		return
	}
	slices.Sort(hosts)
	for _, h := range hosts {
		e.Line(terminal.Plain, "vade: %s: %s (%s): see --verbose", h, number(len(byHost[h]), "loss", "losses"),
			counts(byHost[h], func(l *export.HostLoss) string { return l.What }))
	}
}

// printLoss prints one loss with its place. A message that names the host needs no
// name before it.
func printLoss(e *terminal.Writer, l *export.HostLoss) {
	place := l.Source
	if l.Line > 0 {
		place += fmt.Sprintf(":%d", l.Line)
	}
	text := l.Message
	if l.Host == "neutral" {
		// What is imported is written for no host.
		const truth = "the source of truth"
		for _, before := range []string{"", "in "} {
			if rest, ok := strings.CutPrefix(text, before+l.Host+" "); ok {
				text = before + truth + " " + rest
			}
		}
	} else if l.Host != "" && !strings.Contains(text, l.Host) {
		text = l.Host + ": " + text
	}
	e.Label(terminal.Bold, terminal.EscapeLine(place+":"), "%s", text)
	printFix(e, l.Fix)
}

// printFix prints what to do about what was said before.
func printFix(e *terminal.Writer, fix string) {
	if fix != "" {
		e.Label(terminal.Green, "  fix:", "%s", fix)
	}
}
