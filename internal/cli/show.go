package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/explain"
	"github.com/vadehq/vade/internal/terminal"
)

func (a *app) show() *cobra.Command {
	var file string
	var model bool
	c := &cobra.Command{
		Use: "show NAME", Short: "Show one definition: where it is, what it says, what is wrong",
		Long: `Show everything of a name, in every kind and layer: the definition that is in
force and those that it shadows, their fields, and each problem with its place.

NAME is a name or an alias, with its kind before it ("skill:deploy") where only
that kind is meant, or the path of a file.

--file prints one file that belongs to a skill, as it is: those that come with Vade are
not on the disk.

--as-model prints exactly what a model gets of the definition when it is loaded without
arguments; with --as HOST, what it gets in that host. No command runs. What does not
show in the text (control characters, characters without a width, marks of direction,
blanks that are not the usual one) stands as its number, ‹U+200B›, and standard error
says how much of it there is.`,
		Example: `  vade show deploy
  vade show skill:deploy
  vade show .claude/agents/reviewer.md
  vade show deploy --as codex           as that host sees it
  vade show deploy --json
  vade show skill:remember --file reference/hosts.md
  vade show --as-model deploy           the text as a model gets it, with what is hidden`,
		Args:              exactly(cobra.ExactArgs(1), "name one definition; see: vade list"),
		ValidArgsFunction: a.completeNames,
		RunE: func(c *cobra.Command, args []string) error {
			if file != "" && model {
				return usage{failure{"--file and --as-model ask for two texts", "use one of them"}}
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
	if !a.named(c) {
		return c
	}
	c.Flags().StringVar(&file, "file", "", "print the file `PATH` of a skill")
	c.Flags().BoolVar(&model, "as-model", false, "print what a model gets, with what does not show made visible")
	a.view(c)
	a.as(c)
	return c
}

func (a *app) runShow(ctx context.Context, name string) error {
	cat, err := a.open(ctx, catalog.Options{Unread: true, Remote: true})
	if err != nil {
		return err
	}
	defer cat.Close()
	list, err := cat.Named(ctx, name)
	if err != nil {
		return requestFailure(err)
	}
	if len(list) == 0 {
		hint := "see what there is with: vade list --all; what stands in directories further down with: --nested"
		if !a.neutral() {
			hint = "what every host makes of it: vade explain " + name
		}
		if near := cat.Nearest(ctx, name); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, " or ") + "?"
		}
		if a.json {
			fmt.Fprintln(a.world.Stdout, `{"definitions":[]}`)
		}
		return failure{fmt.Sprintf("nothing is named %q here", name), hint}
	}
	if a.json {
		return a.printJSON(struct {
			Definitions []catalog.Definition `json:"definitions"`
		}{list})
	}
	out := a.stdout()
	for i, d := range list {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if err := a.printDefinition(ctx, out, d); err != nil {
			return err
		}
	}
	return nil
}

// printDefinition prints the fields of one definition, its problems, and the
// beginning of its body.
func (a *app) printDefinition(ctx context.Context, out *terminal.Writer, d catalog.Definition) error {
	fmt.Fprintf(out, "%s %s\n", out.Paint(terminal.Dim, d.Kind().String()), out.Paint(terminal.Bold, terminal.EscapeLine(d.Name())))
	row := func(label, text string) {
		if text != "" {
			fmt.Fprintf(out, "  %s %s\n", out.Paint(terminal.Dim, fmt.Sprintf("%-24s", terminal.EscapeLine(label))), terminal.EscapeLine(text))
		}
	}
	row("file", d.Path())
	row("layer", layerText(d))
	state := d.State().String()
	if d.Reason() != "" {
		state += ": " + d.Reason()
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
	for _, problem := range d.Diagnostics() {
		if err := terminal.PrintDiagnostic(out, problem); err != nil {
			return err
		}
	}
	return nil
}

// listedText says whether a model sees the definition before it loads it, "" where
// the view does not list such ones.
func listedText(ctx context.Context, d catalog.Definition) string {
	l, err := explain.ListedOf(ctx, d)
	if err != nil || d.State() != definition.Loaded {
		return ""
	}
	return listedWord(l.Listed, l.Why)
}

// listedWord says in words for people whether a model sees a definition before it
// loads it.
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

// fields prints the frontmatter but for what stands above already.
func fields(ctx context.Context, d catalog.Definition, row func(label, text string)) {
	fm, err := d.Frontmatter(ctx)
	if err != nil {
		if !errors.Is(err, definition.ErrNotFound) {
			row("unreadable", err.Error())
		}
		return
	}
	for _, key := range fm.Keys() {
		if key != "name" && key != "description" && key != "paths" && key != "prompt" {
			row(key, fm.Text(key))
		}
	}
}
