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
)

func (a *app) explain() *cobra.Command {
	var kinds, hosts []string
	var all bool
	c := &cobra.Command{
		Use: "explain [NAME]", Aliases: []string{"why"}, Short: "Explain which hosts load a definition, and why others do not",
		Long: `Explain, for every host, whether it loads a definition: under which name, what it
takes the place of, whether its model sees it, and where it is not loaded, why and
what the least is to do about it.

NAME is a name or an alias, with its kind before it ("skill:deploy") where only
that kind is meant, or the path of a file. Files that stand where no host looks are
explained too. --all explains everything in one matrix. --host looks at one host in
full; without a NAME it prints what is known of that host, and what each statement
rests on: observed, source, documented or inferred.

The marks of the matrix are those of its last lines, in ASCII unless LC_ALL,
LC_CTYPE or LANG says UTF-8. A "?" behind a mark: it is inferred, and was nowhere
observed or documented.

Exit codes: 0 explained, 1 nothing has the name, 2 wrong usage.`,
		Example: `  vade explain deploy
  vade explain skill:deploy --host codex
  vade explain .claude/skills/deploy/SKILL.md
  vade explain --all
  vade explain --host gemini                what is known of a host
  vade explain deploy --json | jq -r '.definitions[].verdicts[] | .host + ": " + .state'`,
		Args:              exactly(cobra.MaximumNArgs(1), "explain one definition at a time; everything: vade explain --all"),
		ValidArgsFunction: a.completeNames,
		RunE: func(c *cobra.Command, args []string) error {
			r := explain.Request{Hosts: hosts, All: all}
			for _, word := range kinds {
				k, ok := definition.ParseKind(word)
				if !ok {
					return usage{failure{fmt.Sprintf("--kind %s: no kind is named so", word), "use skill, command, agent or instruction"}}
				}
				r.Kinds = append(r.Kinds, k)
			}
			if len(args) > 0 {
				r.Name = args[0]
			}
			return a.runExplain(c.Context(), r)
		},
	}
	if !a.named(c) {
		return c
	}
	c.Flags().StringSliceVar(&kinds, "kind", nil, "explain only `KIND`: skill, command, agent, instruction (may be repeated)")
	c.Flags().StringSliceVar(&hosts, "host", nil, "explain it for `HOST` only (may be repeated): "+strings.Join(realHosts(), ", "))
	c.Flags().BoolVar(&all, "all", false, "explain every definition")
	_ = c.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions([]string{"skill", "command", "agent", "instruction"}, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("host", cobra.FixedCompletions(realHosts(), cobra.ShellCompDirectiveNoFileComp))
	a.view(c)
	return c
}

func (a *app) runExplain(ctx context.Context, r explain.Request) error {
	for _, h := range r.Hosts {
		if _, err := explain.Known(h); err != nil {
			return noHost("--host", h, "", realHosts())
		}
	}
	switch {
	case r.All && r.Name != "":
		return usage{failure{"--all explains everything: take the name away", "vade explain --all, or vade explain " + r.Name}}
	case !r.All && r.Name == "" && len(r.Hosts) > 0:
		return a.explainHosts(r.Hosts)
	case !r.All && r.Name == "":
		return usage{failure{"name a definition", "vade explain NAME, vade explain --all, or vade explain --host HOST"}}
	}
	o, err := a.options(catalog.Options{})
	if err != nil {
		return err
	}
	progress := a.stderr().StartProgress("asking every host")
	x, err := explain.Run(ctx, o, r)
	progress.Done()
	var missing *definition.Error
	switch {
	case errors.As(err, &missing):
		if a.json {
			fmt.Fprintln(a.world.Stdout, `{"hosts":[],"definitions":[],"diagnostics":[]}`)
		}
		return failure{missing.Message, missing.Fix}
	case err != nil:
		return err
	case a.json:
		return a.printJSON(x)
	}
	p := a.explainPrinter(x)
	switch {
	case r.All:
		p.everything(r.Kinds)
	case len(x.Hosts) == 1:
		p.oneHost()
	default:
		p.named()
	}
	return p.err
}

// explainHosts prints what is known of hosts.
func (a *app) explainHosts(hosts []string) error {
	var known []*explain.HostKnowledge
	for _, h := range hosts {
		k, err := explain.Known(h)
		if err != nil {
			return err
		}
		known = append(known, k)
	}
	if a.json {
		return a.printJSON(struct {
			Hosts []*explain.HostKnowledge `json:"hosts"`
		}{known})
	}
	p := a.explainPrinter(&explain.Explanation{})
	for i, k := range known {
		if i > 0 {
			p.line("")
		}
		p.knowledge(k)
	}
	return p.err
}
