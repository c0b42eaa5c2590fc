package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/terminal"
)

// exportFlags holds the flags for vade export.
type exportFlags struct {
	out           string
	stdout        bool
	force, dryRun bool
	// request describes the export. If it names a plugin, the files are packaged as that plugin.
	request export.PluginRequest
}

func (a *app) export() *cobra.Command {
	var f exportFlags
	c := &cobra.Command{
		Use: "export HOST", Short: "Convert definitions to another host's format",
		Long: `Convert the project's active definitions to a host's directories, fields, tool names
and syntax. Anything the host cannot express is reported with its line and a fix.
Without --out or --stdout, nothing is written.

--out does not replace existing files with different content unless you pass --force.
The export does not run anything and does not follow symlinks.

Exit codes: 0 success, even with losses; 1 a definition could not be exported or a
file not written; 2 invalid usage.`,
		Example: `  vade export opencode                        show the files and the losses
  vade export gemini --kind command --out .   write into the project
  vade export codex --name deploy --stdout
  vade export copilot-vscode --out ../copy --dry-run
  vade export claude-sdk --out src/vade       options for the Claude Agent SDK
  vade export copilot-sdk --out src/vade      sessions of the Copilot SDK
  vade export cursor --stdout --json | jq -r '.files[].path'
  vade export claude-code --as-plugin tools --out ../market`,
		Args: checkArgs("use one of: " + strings.Join(exportHosts(), ", ")),
		RunE: func(c *cobra.Command, args []string) error {
			return a.runExport(c.Context(), args[0], f)
		},
	}
	c.ValidArgsFunction = cobra.FixedCompletions(exportHosts(), cobra.ShellCompDirectiveNoFileComp)
	flags := c.Flags()
	flags.StringVar(&f.out, "out", "", "write the files to `DIR`")
	flags.BoolVar(&f.stdout, "stdout", false, "print the files, each preceded by a line with its path")
	kindFlag(c, &f.request.Kinds, "export")
	flags.StringSliceVar(&f.request.Names, "name", nil, "export only the definition with the name or path `NAME` (may be repeated)")
	flags.BoolVar(&f.request.User, "user", false, "also export your user-level definitions")
	flags.BoolVar(&f.force, "force", false, "replace existing files with different content")
	flags.StringVar(&f.request.Name, "as-plugin", "", "write a plugin called `NAME` and a marketplace, for "+strings.Join(export.PluginHosts(), ", "))
	flags.StringVar(&f.request.Version, "plugin-version", "", "with --as-plugin: set the plugin's version to `VERSION`, such as 1.2.3 (default 0.1.0)")
	flags.BoolVar(&f.request.NoServers, "no-mcp", false, "with --as-plugin: omit the MCP servers")
	flags.StringVar(&f.request.Description, "plugin-description", "", "with --as-plugin: set the plugin's description to `TEXT`")
	flags.StringVar(&f.request.Author, "plugin-author", "", "with --as-plugin: set the plugin's author to `NAME`")
	a.yesFlag(c)
	flags.BoolVarP(&f.dryRun, "dry-run", "n", false, "with --out: show the plan and write nothing")
	return c
}

func exportHosts() []string { return append(export.Hosts(), export.SDKs()...) }

func (a *app) runExport(ctx context.Context, host string, f exportFlags) error {
	switch {
	case f.stdout && f.out != "":
		return usage{failure{"--out and --stdout cannot be used together", "use only one of them"}}
	case f.dryRun && f.out == "":
		return usage{failure{"--dry-run requires --out", "without --out, nothing is written"}}
	case f.force && f.out == "":
		return usage{failure{"--force requires --out", "specify the directory: --out DIR"}}
	}
	f.request.Host = registry.Canonical(host)
	cat, err := a.open(ctx, catalog.Options{})
	if err != nil {
		return err
	}
	defer cat.Close()
	progress := a.stderr().StartProgress("reading definitions")
	e, err := exportOf(ctx, cat, f)
	progress.Done()
	switch {
	case errors.Is(err, export.ErrPluginVersion):
		return usage{failure{"--plugin-version " + withoutProgramName(err), "use three numbers, such as 1.2.3"}}
	case errors.Is(err, export.ErrNoHost):
		return unknownHost("export", host, exportHosts())
	case err != nil:
		base, _, _ := strings.Cut(host, "@")
		other := didYouMean(base, exportHosts(), "use one of: "+strings.Join(exportHosts(), ", "))
		return withHint(err,
			hint{export.ErrNoPlugin, true, "plugins are available for " + strings.Join(export.PluginHosts(), ", ")},
			hint{export.ErrPluginName, true, "use lowercase letters, digits and hyphens, such as my-plugin"},
			hint{export.ErrNoFiles, true, other},
			hint{definition.ErrNotFound, false, "to list definitions, run: vade list"})
	}
	err = a.reviewed(ctx, f.dryRun || f.out == "", func(dry bool) (int, error) {
		f.dryRun = dry && f.out != ""
		return len(e.Files), a.putExport(e, f)
	})
	isError := func(d diag.Diagnostic) bool { return d.Severity == diag.Error }
	return failIf(len(e.LeftOut()) > 0 || slices.ContainsFunc(e.Diagnostics, isError), err)
}

// putExport writes or prints an export.
func (a *app) putExport(e *export.Export, f exportFlags) error {
	var steps []export.WrittenFile
	var err error
	switch {
	case f.out != "" && f.dryRun:
		steps, err = e.Plan(f.out)
	case f.out != "":
		steps, err = e.Write(f.out, f.force)
	}
	if err != nil {
		return withHint(err, hint{export.ErrDiffers, false, "review it, then use --force to replace it; --dry-run lists all changes"})
	}
	if a.json {
		return a.printExportJSON(e, steps, f.stdout)
	}
	if f.stdout {
		for i, x := range e.Files {
			a.printFileText(i == 0, x.Path, strings.ToValidUTF8(string(x.Data), "\ufffd"))
		}
		a.exportLosses(a.stderr(), e)
		return nil
	}
	a.exportTable(e, steps, f)
	if !a.shown {
		a.exportLosses(a.stdout(), e)
	}
	return nil
}

// printExportJSON prints an export and the changes that would be made by writing it. If texts is
// set, file contents are included.
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

// printFileText prints one of several files, preceded by a line with its path.
func (a *app) printFileText(first bool, path, text string) {
	out := a.stdout()
	if !first {
		fmt.Fprintln(out)
	}
	out.Line(terminal.Bold, "==> %s <==", path)
	a.printText(strings.TrimSuffix(text, "\n") + "\n")
}

func (a *app) exportTable(e *export.Export, steps []export.WrittenFile, f exportFlags) {
	out := a.stdout()
	t := terminal.Table{Columns: []terminal.Column{{Title: "FILE", Style: terminal.Bold}, {Title: "BYTES"}}}
	if steps != nil {
		t.Columns = append([]terminal.Column{{}}, t.Columns...)
	}
	// Omit the KIND and OF columns for SDK options, which come from multiple sources.
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
	if !a.shown {
		t.Print(out)
	}
	line := fmt.Sprintf("%s %s: %s", e.Host, e.Version, plural(len(e.Files), "file"))
	switch {
	case f.dryRun:
		line += fmt.Sprintf("; would create %d and, with --force, replace %d", count["create"], count["replace"])
		if !a.reviewing {
			line += "; nothing was written"
		}
	case f.out != "":
		line += fmt.Sprintf("; created %d and replaced %d in %s", count["create"], count["replace"], f.out)
	case len(e.Files) > 0:
		line += "; to write them, use --out"
	}
	out.Line(terminal.Dim, "%s", line)
}

// exportLosses prints what is lost in an export.
func (a *app) exportLosses(out *terminal.Writer, e *export.Export) {
	terminal.PrintDiagnostics(out, e.Diagnostics...)
	for i, l := range e.Losses {
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
	fmt.Fprintln(out)
	out.Line(terminal.Dim, "%s", lossSummary(e.Losses))
}

// exportOf performs the export selected by the flags.
func exportOf(ctx context.Context, cat *catalog.Catalog, f exportFlags) (*export.Export, error) {
	if f.request.Name == "" {
		if f.request.Version+f.request.Description+f.request.Author != "" || f.request.NoServers {
			return nil, usage{failure{"--plugin-version, --plugin-description, --plugin-author and --no-mcp require --as-plugin", "specify the name of the plugin: --as-plugin NAME"}}
		}
		return export.To(ctx, cat, f.request.Request)
	}
	return export.Plugin(ctx, cat, f.request)
}

// lossTool is the kind of a loss that concerns a tool in a definition's tool list. Such a loss is
// printed even without --verbose if the host reads the list in place and interprets it differently.
const lossTool = "tool"

// printLosses prints the number of losses per host or, if each is set, every loss. It always prints
// the losses that may give a host more permissions than the author intended.
func (a *app) printLosses(losses []export.HostLoss, each bool) {
	e := a.stderr()
	byHost := map[string][]export.HostLoss{}
	for i := range losses {
		l := &losses[i]
		if each || l.Widens || l.InPlace && l.What == lossTool {
			printLoss(e, l)
		}
		byHost[l.Host] = append(byHost[l.Host], *l)
	}
	if each {
		return
	}
	for _, h := range slices.Sorted(maps.Keys(byHost)) {
		e.Line(terminal.Plain, "vade: %s: %s; use --verbose to list them", h, lossSummary(byHost[h]))
	}
}

// printLoss prints one loss with its position. It adds the host's name if the message does not
// contain it.
func printLoss(e *terminal.Writer, l *export.HostLoss) {
	place := l.Source
	if l.Line > 0 {
		place += fmt.Sprintf(":%d", l.Line)
	}
	text := l.Message
	if l.Host == "neutral" {
		// Imports produce the neutral format, which messages to users call the source of truth.
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

// printFix prints a fix unless it is empty.
func printFix(e *terminal.Writer, fix string) {
	if fix != "" {
		e.Label(terminal.Green, "  fix:", "%s", fix)
	}
}
