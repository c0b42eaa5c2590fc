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
	stdout, user  bool
	force, dryRun bool
	kinds, names  []string
	request       export.Request
	plugin        export.PluginRequest
}

func (a *app) export() *cobra.Command {
	var f exportFlags
	c := &cobra.Command{
		Use: "export HOST", Short: "Write definitions as another host's own files",
		Long: `Make the files of a host of the definitions that are in force in the project:
skills, commands, agents and instructions, in its directories, with its fields, its
names of tools, and its syntax for arguments, commands and files. What is lost, since
the host can not express it, is listed with its line and what can be done.

Without --out and --stdout nothing is written: the files are listed with their sizes.
--out refuses to replace a file that holds something else, unless --force is given.
Nothing runs, and no link is followed.

Exit codes: 0 fine, also where something is lost; 1 nothing of a definition could be
exported, or a file not be written; 2 wrong usage.`,
		Example: `  vade export opencode                        what would be written, and what is lost
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
	if !a.named(c) {
		return c
	}
	c.ValidArgsFunction = cobra.FixedCompletions(exportHosts(), cobra.ShellCompDirectiveNoFileComp)
	flags := c.Flags()
	flags.StringVar(&f.out, "out", "", "write the files below `DIR`")
	flags.BoolVar(&f.stdout, "stdout", false, "print the files, each behind a line with its path")
	flags.StringSliceVar(&f.kinds, "kind", nil, "export only `KIND`: skill, command, agent, instruction (may be repeated)")
	flags.StringSliceVar(&f.names, "name", nil, "export only the definition `NAME`, or its path (may be repeated)")
	flags.BoolVar(&f.user, "user", false, "export the user's own definitions too")
	flags.BoolVar(&f.force, "force", false, "replace files that hold something else")
	pluginFlags(c, &f.plugin)
	flags.BoolVar(&f.dryRun, "dry-run", false, "with --out: say what would be written, and write nothing")
	_ = c.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions([]string{"skill", "command", "agent", "instruction"}, cobra.ShellCompDirectiveNoFileComp))
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
	for _, word := range f.kinds {
		k, ok := definition.ParseKind(word)
		if !ok {
			return usage{failure{fmt.Sprintf("--kind %s: no kind is named so", word), "use skill, command, agent or instruction"}}
		}
		f.request.Kinds = append(f.request.Kinds, k)
	}
	switch {
	case f.stdout && f.out != "":
		return usage{failure{"--out and --stdout do not go together", "use one of the two"}}
	case f.dryRun && f.out == "":
		return usage{failure{"--dry-run is for --out", "without --out nothing is written anyway"}}
	case f.force && f.out == "":
		return usage{failure{"--force is for --out", "name the directory: --out DIR"}}
	}
	f.request.Host, f.request.Names, f.request.User = host, f.names, f.user
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
		return usage{failure{strings.TrimPrefix(err.Error(), "vade: "), "plugins can be written for " + strings.Join(export.PluginHosts(), ", ")}}
	case errors.Is(err, export.ErrPluginName):
		return usage{failure{strings.TrimPrefix(err.Error(), "vade: "), pluginNameHint(host, f.plugin.Name)}}
	case errors.Is(err, export.ErrPluginVersion):
		return usage{failure{"--plugin-version " + strings.TrimPrefix(err.Error(), "vade: "), "use three numbers, such as 1.2.3"}}
	case errors.Is(err, export.ErrNoHost), errors.Is(err, export.ErrNoFiles):
		return usage{failure{strings.TrimPrefix(err.Error(), "vade: "), exportHint(host)}}
	case errors.Is(err, definition.ErrNotFound):
		return failure{strings.TrimPrefix(err.Error(), "vade: "), "see what there is with: vade list"}
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
			err = failure{strings.TrimPrefix(err.Error(), "vade: "), "look at it, and replace it with --force; --dry-run lists all"}
		}
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(exportJSON(e, steps, f.stdout))
	}
	if f.stdout {
		return a.streamExport(e)
	}
	if err := a.exportTable(e, steps, f); err != nil {
		return err
	}
	return a.exportLosses(a.stdout(), e)
}

// exportedJSON is an export in JSON, with the texts of its files where they are
// asked for and with what writing it does.
type exportedJSON struct {
	Host        string             `json:"host"`
	Version     string             `json:"version"`
	Files       []exportedFileJSON `json:"files"`
	Losses      []export.HostLoss  `json:"losses"`
	Diagnostics []diag.Diagnostic  `json:"diagnostics"`
}

type exportedFileJSON struct {
	export.ExportedFile
	Bytes  int     `json:"bytes"`
	Change string  `json:"change,omitempty"`
	Text   *string `json:"text,omitempty"`
}

func exportJSON(e *export.Export, steps []export.WrittenFile, texts bool) exportedJSON {
	out := exportedJSON{Host: e.Host, Version: e.Version, Files: []exportedFileJSON{}, Losses: e.Losses, Diagnostics: e.Diagnostics}
	for i, f := range e.Files {
		x := exportedFileJSON{ExportedFile: f, Bytes: len(f.Data)}
		if steps != nil {
			x.Change = steps[i].Change
		}
		if texts {
			text := strings.ToValidUTF8(string(f.Data), "\ufffd")
			x.Text = &text
		}
		out.Files = append(out.Files, x)
	}
	return out
}

// streamExport prints all files one behind the other; what is lost goes to standard
// error.
func (a *app) streamExport(e *export.Export) error {
	out := a.stdout()
	for i, f := range e.Files {
		if i > 0 {
			if _, err := fmt.Fprintln(out); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintln(out, out.Paint(terminal.Bold, terminal.EscapeLine("==> "+f.Path+" <=="))); err != nil {
			return err
		}
		text := strings.ToValidUTF8(string(f.Data), "\ufffd")
		if out.IsTerminal() {
			text = terminal.Escape(text)
		}
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		if _, err := fmt.Fprint(out, text); err != nil {
			return err
		}
	}
	return a.exportLosses(a.stderr(), e)
}

func (a *app) exportTable(e *export.Export, steps []export.WrittenFile, f exportFlags) error {
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
		cells := []terminal.Cell{{Text: x.Path}, {Text: fmt.Sprint(len(x.Data))}}
		if steps != nil {
			count[steps[i].Change]++
			cells = append([]terminal.Cell{{Text: steps[i].Change}}, cells...)
		}
		if single {
			of := x.Source
			if len(x.Sources) > 0 {
				of = strings.Join(x.Sources, ", ")
			}
			cells = append(cells, terminal.Cell{Text: x.Kind.String()}, terminal.Cell{Text: of})
		}
		t.Row(cells...)
	}
	if len(e.Files) > 0 {
		if err := t.Print(out); err != nil {
			return err
		}
	}
	line := fmt.Sprintf("%s %s: %s", e.Host, e.Version, plural(len(e.Files), "file"))
	switch {
	case f.dryRun:
		line += fmt.Sprintf("; %d would be made, %d replaced; nothing is written", count["create"], count["replace"])
	case f.out != "":
		line += fmt.Sprintf("; %d made, %d replaced in %s", count["create"], count["replace"], f.out)
	default:
		line += "; nothing is written without --out"
	}
	_, err := fmt.Fprintln(out, out.Paint(terminal.Dim, terminal.EscapeLine(line)))
	return err
}

// exportLosses lists what is lost.
func (a *app) exportLosses(out *terminal.Writer, e *export.Export) error {
	for _, d := range e.Diagnostics {
		if err := terminal.PrintDiagnostic(out, d); err != nil {
			return err
		}
	}
	count := map[string]int{}
	for i, l := range e.Losses {
		count[l.What]++
		if i == 0 || e.Losses[i-1].Source != l.Source {
			if _, err := fmt.Fprintf(out, "\n%s\n", out.Paint(terminal.Bold, terminal.EscapeLine(l.Source))); err != nil {
				return err
			}
		}
		place := ""
		if l.Line > 0 {
			place = fmt.Sprintf("line %d: ", l.Line)
		}
		word, style := l.What, terminal.Yellow
		if l.Whole {
			word, style = "not exported", terminal.Red
		}
		text := "  " + out.Paint(style, word) + ": " + terminal.EscapeLine(place+l.Message)
		if l.Fix != "" {
			text += "\n    " + out.Paint(terminal.Cyan, "fix:") + " " + terminal.EscapeLine(l.Fix)
		}
		if _, err := fmt.Fprintln(out, text); err != nil {
			return err
		}
	}
	if len(e.Losses) == 0 {
		return nil
	}
	var parts []string
	for _, what := range export.Losses() {
		if count[what] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", what, count[what]))
		}
	}
	_, err := fmt.Fprintf(out, "\n%s\n", out.Paint(terminal.Dim, number(len(e.Losses), "loss", "losses")+": "+strings.Join(parts, ", ")))
	return err
}
