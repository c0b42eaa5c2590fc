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
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/scaffold"
	"github.com/vadehq/vade/internal/terminal"
)

// newFlags holds the flags for vade new.
type newFlags struct {
	request scaffold.Request
	hosts   []string
}

// newKinds returns the valid values for KIND.
func newKinds() []string { return []string{"skill", "command", "agent", "instruction"} }

func (a *app) newCommand() *cobra.Command {
	var f newFlags
	c := &cobra.Command{
		Use: "new KIND NAME", Short: "Create a skill, command, agent or instruction",
		Long: `Create a definition from a template. KIND is skill, command, agent or instruction. The
result passes vade check. On a terminal, Vade asks for missing values unless you pass
--yes or --json.

The definition is written to the project's source of truth: the directories in
vade.yaml, or .agents and .github. With --host, it is written in that host's format
where the host reads it; with --user, to your home directory, for all projects.

--from is a template (vade new templates), or the name or path of a definition to copy.

vade new never replaces existing files, follows symlinks or runs anything.

Exit codes: 0 created; 1 the name is taken, the host cannot express it, or vade check
would report problems; 2 invalid usage.`,
		Example: `  vade new skill triage-bug --description 'Find the cause of a reported bug'
  vade new command git/tidy --from arguments --description 'Tidy a branch'
  vade new agent reviewer --from reviewer --host codex
  vade new instruction go-style --path '**/*.go' --description 'Go style'
  vade new skill my-review --from simplify --user
  vade new skill my-debug --from debug --dry-run    show the files
  vade new templates                                list templates`,
		Args: cobra.ArbitraryArgs,
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
	flags.StringVar(&r.Description, "description", "", "set the description to `TEXT`: what the definition does and when to use it, in one line")
	flags.StringVar(&r.From, "from", "", "start from the template or definition `NAME`")
	hostsFlag(c, &f.hosts, "create it for `HOST` only (see: vade help hosts)", registry.RealNames)
	flags.BoolVar(&r.User, "user", false, "create it in your home directory, for all projects")
	flags.StringVar(&r.Dir, "dir", "", "create it in `DIR`, another of the project's source directories")
	flags.StringVar(&r.ArgumentHint, "argument-hint", "", "set the argument hint to `TEXT`, such as \"[issue]\"")
	flags.StringSliceVar(&r.Arguments, "arg", nil, "add the argument `NAME` (may be repeated)")
	flags.StringArrayVar(&r.Tools, "tool", nil, "restrict an agent to `TOOL`, or let a skill or command use it without asking (may be repeated)")
	flags.StringVar(&r.Model, "model", "", "request `MODEL`")
	flags.StringArrayVar(&r.Paths, "path", nil, "apply an instruction or skill only to files matching `PATTERN` (may be repeated)")
	flags.BoolVarP(&r.Plan, "dry-run", "n", false, "show the files and write nothing")
	flags.BoolVar(&r.Anyway, "anyway", false, "write it even if vade check reports problems")
	a.yesFlag(c)
	_ = c.RegisterFlagCompletionFunc("from", func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return templateNames(args), cobra.ShellCompDirectiveDefault
	})
	return c
}

// templateNames returns the names of the templates for the kind in args[0], or of all templates if
// args is empty.
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
		Use: "templates [KIND]", Short: "List the templates for vade new",
		Long:      "List the templates for vade new --from, for one kind or all kinds. The first\ntemplate for a kind is the default.",
		Example:   "  vade new templates\n  vade new templates skill --json",
		ValidArgs: newKinds(),
		Args:      checkArgs("use one of: " + strings.Join(newKinds(), ", ")),
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
				return a.printJSON(map[string]any{"templates": list})
			}
			t := terminal.Table{Columns: []terminal.Column{{Title: "KIND", Style: terminal.Dim}, {Title: "TEMPLATE", Style: terminal.Bold}, {Title: "ABOUT", Flexible: true}}}
			for _, x := range list {
				t.Row(x.Kind, x.Name, x.About)
			}
			return t.Print(a.stdout())
		},
	}
}

func noKind(word string) error {
	return unknownWord("new", "kind", word, newKinds())
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
		return usage{failure{"--host takes one host, not " + hosts, "create it without --host, then run: vade sync --host " + hosts}}
	case len(args) > 2:
		return usage{failure{fmt.Sprintf("new takes a kind and a name, not %d arguments", len(args)), "quote values with spaces: --description 'Do this. Use when that.'"}}
	}
	r.Host = strings.Join(f.hosts, "")
	if a.asks() {
		if err := askNew(a.ask(ctx, "use flags: vade new --help"), r); err != nil {
			return err
		}
	}
	if r.Kind == 0 || r.Name == "" {
		return usage{failure{"kind or name is missing", "run: vade new " + strings.Join(newKinds(), "|") + " NAME"}}
	}
	return a.reviewed(ctx, r.Plan, func(dry bool) (int, error) {
		r.Plan = dry
		return a.createNew(ctx, o, r)
	})
}

// createNew creates a definition's files and returns how many there are. If r.Plan is set, it only
// prints what it would create.
func (a *app) createNew(ctx context.Context, o catalog.Options, r *scaffold.Request) (int, error) {
	result, err := scaffold.New(ctx, o, *r)
	if e, ok := errors.AsType[*scaffold.Error](err); ok {
		f := failure{e.Message, e.Fix}
		if errors.Is(e, scaffold.ErrName) || errors.Is(e, scaffold.ErrNewField) || errors.Is(e, scaffold.ErrNewFrom) {
			return 0, usage{f}
		}
		return 0, f
	}
	if err != nil {
		return 0, err
	}
	return len(result.Files), failIf(result.Failed(), a.printNew(result, r))
}

// isTerminal reports whether a stream is a terminal.
func (a *app) isTerminal(stream any) bool {
	w, ok := stream.(io.Writer)
	return ok && terminal.New(w, terminal.Options{Env: a.world.LookupEnv}).IsTerminal()
}
