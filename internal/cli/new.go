package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/scaffold"
	"github.com/vadehq/vade/internal/terminal"
)

// newFlags are the flags of vade new.
type newFlags struct {
	request scaffold.Request
	hosts   []string
	yes     bool
}

// newKinds are the words for what can be made.
func newKinds() []string { return []string{"skill", "command", "agent", "instruction"} }

func (a *app) making() *cobra.Command {
	var f newFlags
	c := &cobra.Command{
		Use: "new KIND NAME", Short: "Make a skill, a command, an agent or an instruction",
		Long: `Make a definition that begins with a template, and that vade check finds nothing
wrong with. KIND is skill, command, agent or instruction. On a terminal it asks for
what no flag says; --yes and --json ask nothing.

Without --host it goes into the project's source of truth: the directory that vade.yaml
names, or .agents/skills and .github. With --host it goes where that host reads it, in
the host's form; with --user into your own directories, for all projects.

--from is the name of a template (vade new templates), or the name or path of a
definition, which is copied.

What is there is never replaced, and nothing is written through a link or outside of
the project, or of your own directories with --user. Nothing runs.

Exit codes: 0 it was made; 1 something of the name is there, a host can not have it, or
vade check would find fault with it; 2 wrong usage.`,
		Example: `  vade new skill triage-bug --description 'Finds the cause of a bug. Use when one is reported.'
  vade new command git/tidy --from arguments --description 'Tidies a branch'
  vade new agent reviewer --from reviewer --host codex --description 'Reviews a change. Use when one is ready.'
  vade new instruction go-style --path '**/*.go' --description 'How Go is written here'
  vade new skill my-review --from simplify --user
  vade new skill my-debug --from debug --dry-run        show the files, write nothing
  vade new templates                                    what one can begin with`,
		RunE: func(c *cobra.Command, args []string) error { return a.runNew(c.Context(), f, args) },
	}
	c.AddCommand(a.newTemplates())
	c.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return newKinds(), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	flags, r := c.Flags(), &f.request
	flags.StringVar(&r.Description, "description", "", "what it does and when to use it, in a `TEXT` of one line")
	flags.StringVar(&r.From, "from", "", "begin with a template or a copy of a definition: `NAME`")
	flags.StringSliceVar(&f.hosts, "host", nil, "make it for `HOST` alone: "+strings.Join(export.Hosts(), ", "))
	flags.BoolVar(&r.User, "user", false, "make it one of your own, for all projects")
	flags.StringVar(&r.Dir, "dir", "", "put it into `DIR`, another source directory of the project")
	flags.StringVar(&r.ArgumentHint, "argument-hint", "", "say to people what stands behind it, such as \"[issue]\", in a `TEXT`")
	flags.StringSliceVar(&r.Arguments, "arg", nil, "give an argument a `NAME` (may be repeated)")
	flags.StringArrayVar(&r.Tools, "tool", nil, "let an agent use only `TOOL`, or a skill or command use it without asking (may be repeated)")
	flags.StringVar(&r.Model, "model", "", "ask for the `MODEL`")
	flags.StringArrayVar(&r.Paths, "path", nil, "only for the files that a `PATTERN` fits: of an instruction or a skill (may be repeated)")
	flags.BoolVar(&r.Plan, "dry-run", false, "show the files and write nothing")
	flags.BoolVar(&r.Anyway, "anyway", false, "write it though vade check finds fault with it")
	flags.BoolVar(&f.yes, "yes", false, "ask nothing")
	_ = c.RegisterFlagCompletionFunc("host", cobra.FixedCompletions(export.Hosts(), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("from", func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return templateNames(args), cobra.ShellCompDirectiveDefault
	})
	return c
}

// templateNames are the templates of the kind on a command line, or all.
func templateNames(args []string) []string {
	kind := definition.Kind(0)
	if len(args) > 0 {
		kind, _ = definition.ParseKind(args[0])
	}
	var names []string
	for _, t := range scaffold.Templates(kind) {
		if !slices.Contains(names, t.Name) {
			names = append(names, t.Name)
		}
	}
	return names
}

func (a *app) newTemplates() *cobra.Command {
	return &cobra.Command{
		Use: "templates [KIND]", Short: "List what a definition can begin with",
		Long:      "List the templates that vade new takes with --from, of a kind or of all. The first of a\nkind is taken where none is named.",
		Example:   "  vade new templates\n  vade new templates skill --json",
		ValidArgs: newKinds(),
		Args:      exactly(cobra.MaximumNArgs(1), "name one of: "+strings.Join(newKinds(), ", ")),
		RunE: func(_ *cobra.Command, args []string) error {
			kind := definition.Kind(0)
			if len(args) > 0 {
				k, ok := definition.ParseKind(args[0])
				if !ok {
					return noKind(args[0])
				}
				kind = k
			}
			list := scaffold.Templates(kind)
			if a.json {
				return a.printJSON(struct {
					Templates []scaffold.Template `json:"templates"`
				}{list})
			}
			t := terminal.Table{Columns: []terminal.Column{{Title: "KIND", Style: terminal.Dim}, {Title: "TEMPLATE", Style: terminal.Bold}, {Title: "ABOUT", Flexible: true}}}
			for _, x := range list {
				t.Row(terminal.Text(x.Kind.String()), terminal.Text(x.Name), terminal.Text(x.About))
			}
			return t.Print(a.stdout())
		},
	}
}

func noKind(word string) error {
	return usage{failure{fmt.Sprintf("new %s: no kind is named so", word), "name one of: " + strings.Join(newKinds(), ", ")}}
}

func (a *app) runNew(ctx context.Context, f newFlags, args []string) error {
	r := &f.request
	if len(args) > 0 {
		k, ok := definition.ParseKind(args[0])
		if !ok {
			return noKind(args[0])
		}
		r.Kind = k
	}
	if len(args) > 1 {
		r.Name = args[1]
	}
	o, err := a.options(catalog.Options{})
	switch {
	case err != nil:
		return err
	case len(f.hosts) > 1:
		hosts := strings.Join(f.hosts, ",")
		return usage{failure{"--host takes one host, not " + hosts, "make it without --host, and then: vade sync --hosts " + hosts}}
	case len(args) > 2:
		return usage{failure{fmt.Sprintf("new takes a kind and a name, and there are %d words", len(args)), "put a text into quotes: --description 'Does this. Use when that.'"}}
	}
	r.Host = strings.Join(f.hosts, "")
	if a.isTerminal(a.world.Stdin) && a.isTerminal(a.world.Stdout) && !a.json && !f.yes {
		if err := askNew(ctx, a.world.Stdin, a.stdout(), r); err != nil {
			return err
		}
	}
	if r.Kind == 0 || r.Name == "" {
		return usage{failure{"a kind and a name are needed", "say: vade new " + strings.Join(newKinds(), "|") + " NAME"}}
	}
	result, err := scaffold.New(ctx, o, *r)
	if e, ok := errors.AsType[*scaffold.Error](err); ok {
		f := failure{e.Message, e.Fix}
		if errors.Is(e, scaffold.ErrName) || errors.Is(e, scaffold.ErrNewField) || errors.Is(e, scaffold.ErrNewFrom) {
			return usage{f}
		}
		return f
	}
	if err != nil {
		return err
	}
	if err := a.printNew(result, r); err != nil {
		return err
	}
	if result.Failed() {
		return silent{exitFailed}
	}
	return nil
}

// isTerminal reports whether a stream is one that a person sits at.
func (a *app) isTerminal(stream any) bool {
	w, ok := stream.(io.Writer)
	return ok && terminal.New(w, terminal.Options{Env: a.world.LookupEnv}).IsTerminal()
}
