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
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/explain"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/terminal"
)

func (a *app) show() *cobra.Command {
	var file string
	var model bool
	c := &cobra.Command{
		Use: "show NAME", Short: "Show one definition: its location, fields and problems",
		Long: `Show every definition called NAME, of any kind and in any layer: the active one and
those that it shadows, with their fields and problems. NAME is a name or alias, a kind
and name ("skill:deploy"), or a path.

--as-model prints exactly the text that a model gets when the definition is loaded
without arguments (with --host, by that host). No commands run. Invisible characters
appear as code points, ‹U+200B›, and are counted on stderr.`,
		Example: `  vade show deploy
  vade show skill:deploy
  vade show .claude/agents/reviewer.md
  vade show deploy --host codex         show what that host sees
  vade show deploy --json
  vade show skill:remember --file reference/hosts.md
  vade show --as-model deploy           print the text that a model gets`,
		Args:              checkArgs("specify one definition; to list them, run: vade list"),
		ValidArgsFunction: a.completeNames(),
		RunE: func(c *cobra.Command, args []string) error {
			if file != "" && model {
				return usage{failure{"--file and --as-model cannot be used together", "use only one of them"}}
			}
			if model {
				return a.runShowModel(c.Context(), args[0])
			}
			if file != "" {
				return a.runShowFile(c.Context(), args[0], file)
			}
			return a.runShow(c.Context(), args[0])
		},
	}
	c.Flags().StringVar(&file, "file", "", "print the file at `PATH` in a skill")
	c.Flags().BoolVar(&model, "as-model", false, "print the text that a model gets, with invisible characters shown as code points")
	a.viewFlags(c)
	a.viewFlag(c)
	return c
}

func (a *app) runShow(ctx context.Context, name string) error {
	// With DryRun, the audit does not store its verdicts.
	cat, err := a.open(ctx, catalog.Options{Unread: true, Remote: true, Shell: catalog.ShellOptions{DryRun: true}})
	if err != nil {
		return err
	}
	defer cat.Close()
	list, err := cat.Named(ctx, name)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		hint := "to list definitions, run: vade list --all (add --nested to include subdirectories)"
		if !a.neutral() {
			hint = "to see which hosts load it, run: vade explain " + shell.ForShell(name)
		}
		return unknownNameError(ctx, cat, name, hint)
	}
	for i, d := range list {
		// Do not audit the definitions of MCP servers, because their content is not read here.
		if d.State() != definition.Dropped && d.Layer() != definition.MCP {
			list[i] = d.WithAuditProblem(ctx)
		}
	}
	if a.json {
		return a.printJSON(map[string]any{"definitions": list})
	}
	out := a.stdout()
	for i, d := range list {
		if i > 0 {
			fmt.Fprintln(out)
		}
		a.printDefinition(ctx, out, d)
	}
	return nil
}

// unknownNameError returns the error for an unknown name. Its hint suggests similar names or, if
// there are none, is the given hint.
func unknownNameError(ctx context.Context, cat *catalog.Catalog, name, hint string) error {
	return failure{fmt.Sprintf("no definition named %q", name), didYouMeanAny(cat.Nearest(ctx, name), "", hint)}
}

// printDefinition prints one definition's fields and problems.
func (a *app) printDefinition(ctx context.Context, out *terminal.Writer, d catalog.Definition) {
	fmt.Fprintf(out, "%s %s\n", out.Paint(terminal.Dim, d.Kind().String()), out.Paint(terminal.Bold, terminal.EscapeLine(d.Name())))
	row := func(label, text string) {
		if text != "" {
			label = out.Paint(terminal.Dim, fmt.Sprintf("%-24s", terminal.EscapeLine(label)))
			fmt.Fprintf(out, "  %s %s\n", label, terminal.Wrap(terminal.EscapeLine(text), out.Width(), 27, 27))
		}
	}
	row("file", d.Path())
	row("layer", layerText(d))
	state := d.State().String()
	if d.Reason() != "" {
		state += ": " + d.Reason()
	}
	if a.neutral() && d.State() == definition.Shadowed {
		state += " (in Vade's view; for each host, run: vade explain " + shell.ForShell(d.Name()) + ")"
	}
	row("state", state)
	row("description", d.Description())
	if !a.neutral() {
		row("in the listing", listedText(ctx, d))
	}
	if d.Title() != d.Name() {
		row("title", d.Title())
	}
	row("also", strings.Join(d.Aliases(), ", "))
	row("paths", strings.Join(d.Paths(), ", "))
	row("size", fmt.Sprintf("%d bytes, about %d tokens; %d in a listing", d.Size(), d.Tokens(), d.ListingTokens()))
	fields(ctx, d, row)
	terminal.PrintDiagnostics(out, d.Diagnostics()...)
}

// listedText describes how the host lists the definition to its model. It returns "" if the host
// does not load the definition or does not list definitions of this kind.
func listedText(ctx context.Context, d catalog.Definition) string {
	l, err := explain.ListingStateOf(ctx, d)
	if err != nil || d.State() != definition.Loaded {
		return ""
	}
	return listedWord(l.Listed, l.Why)
}

// listedWord describes a listing state.
func listedWord(listed, why string) string {
	word := map[string]string{explain.ListedWhole: "yes", explain.ListedCut: "cut", explain.ListedNot: "no"}[listed]
	if why != "" && word != "" {
		return word + ": " + why
	}
	return word
}

func layerText(d catalog.Definition) string {
	text := d.Layer().String()
	if d.Plugin() != "" {
		text += " " + d.Plugin()
	}
	if d.Legacy() {
		text += " (legacy directory)"
	}
	return text
}

// fields prints the frontmatter fields that have not been printed yet.
func fields(ctx context.Context, d catalog.Definition, row func(label, text string)) {
	fm, err := d.Frontmatter(ctx)
	if err != nil {
		if !errors.Is(err, definition.ErrNotFound) {
			row("not read", withoutProgramName(err))
		}
		return
	}
	for _, key := range fm.Keys() {
		if key != "name" && key != "description" && key != "paths" && key != "prompt" {
			row(key, fm.Text(key))
		}
	}
}

// Limits on the size of a printed file, in bytes, and on the number of files listed.
const (
	maxShownFile  = 8 << 20
	maxShownNames = 200
)

// runShowFile prints one file of the active skill called name.
func (a *app) runShowFile(ctx context.Context, name, file string) error {
	cat, err := a.open(ctx, catalog.Options{})
	if err != nil {
		return err
	}
	defer cat.Close()
	d, err := cat.Get(ctx, definition.Skill, strings.TrimPrefix(name, "skill:"))
	if errors.Is(err, definition.ErrNotFound) {
		list, _ := cat.Named(ctx, name)
		for _, off := range list {
			if off.Kind() == definition.Skill && off.State() == definition.Disabled {
				return failure{fmt.Sprintf("the skill %q is disabled: %s", off.Name(), off.Reason()), "to see its fields, run: vade show skill:" + off.Name()}
			}
		}
		return failure{fmt.Sprintf("no skill named %q", name), "to list skills, run: vade list --kind skill"}
	}
	if err != nil {
		return err
	}
	data, err := d.ReadFile(ctx, file, maxShownFile)
	if errors.Is(err, catalog.ErrNoFile) {
		return failure{fmt.Sprintf("the skill %q has no readable file %q", d.Name(), file), a.filesOf(ctx, d)}
	}
	if err != nil {
		return err
	}
	return a.printFile([]string{d.Name(), file}, data)
}

// filesOf returns a hint that lists a skill's files.
func (a *app) filesOf(ctx context.Context, d catalog.Definition) string {
	files, truncated, err := d.Files(ctx, maxShownNames)
	if err != nil || len(files) == 0 {
		return "see: vade show " + shell.ForShell(d.Name())
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Path)
	}
	slices.Sort(names)
	if truncated {
		names = append(names, "…")
	}
	return "its files: " + strings.Join(names, ", ")
}

// runShowModel prints the text that a model would get.
func (a *app) runShowModel(ctx context.Context, name string) error {
	cat, err := a.open(ctx, catalog.Options{Shell: catalog.ShellOptions{Off: true}, Unaudited: true})
	if err != nil {
		return err
	}
	defer cat.Close()
	list, err := cat.Named(ctx, name)
	if err != nil {
		return err
	}
	if in := slices.DeleteFunc(slices.Clone(list), func(d catalog.Definition) bool { return d.State() != definition.Loaded }); len(in) > 0 {
		list = in
	}
	if len(list) == 0 {
		return unknownNameError(ctx, cat, name, "to list definitions, run: vade list --all")
	}
	if len(list) > 1 {
		var words []string
		for _, d := range list {
			words = append(words, d.Path())
		}
		return usage{failure{fmt.Sprintf("%q is ambiguous: %d definitions have this name", name, len(list)), "use a path: " + strings.Join(words, ", ")}}
	}
	m, err := list[0].AsModel(ctx)
	if err != nil {
		return err
	}
	text, n := terminal.Visible(m.Text)
	if a.json {
		return a.printJSON(struct {
			*catalog.ModelText
			Visible string `json:"visible"`
			Hidden  int    `json:"hidden"`
		}{m, text, n})
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	fmt.Fprint(a.stdout(), text)
	e := a.stderr()
	if n > 0 {
		e.Label(terminal.Plain, "vade:", "%s shown as code points: %s", plural(n, "invisible character"), countInvisible(text))
	} else {
		e.Label(terminal.Plain, "vade:", "no invisible characters")
	}
	if m.Commands > 0 {
		e.Label(terminal.Plain, "vade:", "%s not run; to run the ones that your policy allows, use: vade load %s", number(m.Commands, "shell command was", "shell commands were"), shell.ForShell(m.Name))
	}
	return a.printProblems(m.Diagnostics)
}

// countInvisible summarizes how often each invisible character occurs in text produced by
// [terminal.Visible].
func countInvisible(text string) string {
	const maxNames = 12
	count := map[string]int{}
	for _, mark := range strings.Split(text, "‹")[1:] {
		number, _, ok := strings.Cut(mark, "›")
		if !ok || len(number) > 8 || !strings.HasPrefix(number, "U+") && !strings.HasPrefix(number, "0x") {
			continue
		}
		count[number]++
	}
	var parts []string
	for i, number := range slices.Sorted(maps.Keys(count)) {
		if i == maxNames {
			parts = append(parts, fmt.Sprintf("and %d others", len(count)-maxNames))
			break
		}
		parts = append(parts, fmt.Sprintf("%s ×%d", number, count[number]))
	}
	return strings.Join(parts, ", ")
}
