package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/explain"
	hosts "github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/prompt"
	"github.com/vadehq/vade/internal/terminal"
)

// promptFlags are the flags of vade prompt.
type promptFlags struct {
	request     prompt.Request
	parts, text bool
}

func (a *app) prompt() *cobra.Command {
	var f promptFlags
	c := &cobra.Command{
		Use: "prompt", Short: "Print the context that an agent starts with",
		Long: `Put together what an agent has before its task: its own text, the skills that it
begins with (useSkills), a table of the other skills within a budget, and the
instructions that are for it. Without --agent it is the main conversation.

With --as the listing of skills and agents, its budget and the instructions are those
of that host, in its form. What a host puts before an agent besides its text is known
of some only; standard error says where it is not.

Standard output has the text itself, the parts with an empty line between them. On a
terminal it is the parts, each with its estimated tokens and a bar; --parts prints
them elsewhere too, --text the text on a terminal.

The shell commands of the skills that an agent begins with run as they do for
"vade load": those only that your policy allows.

--json prints {"host", "version", "agent", "text", "parts": [{"what": "prompt",
"skill", "skills", "agents" or "instructions", "name", "path", "text", "characters",
"tokens"}…], "characters", "tokens", "cut": [{"name", "path", "reason"}…],
"diagnostics"}.

Exit codes: 0 printed, 1 failed or no such agent, 2 wrong usage.`,
		Example: `  vade prompt --agent architect
  vade prompt --agent architect --file internal/api/api.go --parts
  vade prompt --agent architect --budget 4000 --json | jq -r '.cut[].name'
  vade prompt --as claude-code --agent architect
  vade prompt --parts                      the main conversation`,
		Args: exactly(cobra.NoArgs, "see: vade prompt --help"),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.runPrompt(c.Context(), f)
		},
	}
	if !a.named(c) {
		return c
	}
	flags := c.Flags()
	flags.Var(agentName{&f.request.Agent}, "agent", "put it together for the agent `NAME`")
	flags.StringArrayVar(&f.request.Files, "file", nil, "`FILE` is worked on: it brings in instructions and skills (may be repeated)")
	flags.Var(positive{&f.request.Budget}, "budget", "the rows of the table of skills have at most `N` characters together, with --as in the host's own unit (default: the view's own, 15000 without --as)")
	flags.BoolVar(&f.parts, "parts", false, "print the parts with what they cost")
	flags.BoolVar(&f.text, "text", false, "print the text, on a terminal too")
	_ = c.RegisterFlagCompletionFunc("agent", a.completeAgents)
	a.view(c)
	a.as(c)
	return c
}

func (a *app) runPrompt(ctx context.Context, f promptFlags) error {
	if f.parts && f.text {
		return usage{failure{"--parts and --text are two forms of one answer", "use one of them"}}
	}
	var client catalog.ClientOptions
	if p, ok := registry.Lookup(a.host); ok && !a.neutral() {
		if p.Listing != nil && f.request.Budget > 0 && p.Listing.Budget.Overflow == hosts.Unbounded {
			return usage{failure{"--budget: " + p.Name + " has none: it lists everything, however long that is", "leave it out"}}
		}
		if p.Switches&hosts.SwitchTouched != 0 {
			client.Touched, f.request.Files = f.request.Files, nil
		}
	}
	cat, err := a.open(ctx, catalog.Options{Client: client, Shell: withHelper(catalog.ShellOptions{})})
	if err != nil {
		return err
	}
	defer cat.Close()
	p, err := prompt.Build(ctx, cat, f.request)
	if e := (*definition.Error)(nil); errors.As(err, &e) {
		return a.noPrompt(ctx, e, f.request.Agent)
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(p)
	}
	out := a.stdout()
	if f.parts || out.IsTerminal() && !f.text {
		err = printParts(out, p)
	} else {
		text := p.Text
		if out.IsTerminal() {
			text = terminal.Escape(text)
		}
		if text != "" {
			text += "\n"
		}
		_, err = io.WriteString(out, text)
	}
	e := a.stderr()
	for i, x := range p.Cut {
		if i < maxCut {
			fmt.Fprintf(e, "vade: cut: %s (%s): %s\n", terminal.EscapeLine(x.Name), terminal.EscapeLine(x.Path), terminal.EscapeLine(x.Reason))
		}
	}
	more(e, len(p.Cut)-maxCut)
	return errors.Join(err, a.printWarnings(p.Diagnostics))
}

// noPrompt is the failure of a prompt that there is none of. An agent that is there, and
// that the view does not have, has a reason and a fix of its own.
func (a *app) noPrompt(ctx context.Context, e *definition.Error, agent string) error {
	if e.Code != diag.AgentNotFound || a.neutral() {
		return failure{e.Message, e.Fix}
	}
	o, err := a.options(catalog.Options{})
	if err != nil {
		return err
	}
	x, err := explain.Run(ctx, o, explain.Request{Name: agent, Kinds: []definition.Kind{definition.Agent}, Hosts: []string{a.host}})
	if err != nil {
		return failure{e.Message, e.Fix}
	}
	for i := range x.Definitions {
		d := &x.Definitions[i]
		if v := &d.Verdicts[0]; d.CopyOf == "" && v.Reason != "" {
			fix := v.Fix
			if fix == "" {
				fix = "see: vade explain agent:" + agent
			}
			return failure{e.Message + ": " + d.Path + " is there, and " + v.Reason, fix}
		}
	}
	return failure{e.Message, e.Fix}
}

// printWarnings prints diagnostics that are more than information.
func (a *app) printWarnings(list []diag.Diagnostic) error {
	e := a.stderr()
	for _, d := range list {
		if d.Severity > 0 || ofListing(d) {
			if err := terminal.PrintDiagnostic(e, d); err != nil {
				return err
			}
		}
	}
	return nil
}

// The bars of parts: what they are made of, and how long the longest is.
const (
	barMark  = "█"
	barHalf  = "▌"
	barWidth = 40
	// partsWidth is what stands beside a bar at least.
	partsWidth = 44
)

// printParts prints what each part of a prompt costs.
func printParts(out *terminal.Writer, p *prompt.Prompt) error {
	title := "the main conversation"
	if p.Agent != "" {
		title = "agent " + p.Agent
	}
	view := p.Host + " " + p.Version
	if p.Host == hosts.NeutralName {
		view = hosts.NeutralName
	}
	_, err := fmt.Fprintf(out, "%s\n", out.Paint(terminal.Bold, terminal.EscapeLine(fmt.Sprintf("%s (%s)", title, view))))
	if err != nil {
		return err
	}
	all := 0
	for _, x := range p.Parts {
		all += x.Tokens
	}
	t := terminal.Table{Columns: []terminal.Column{
		{Title: "PART"}, {Title: "NAME", Style: terminal.Bold, Flexible: true}, {Title: "TOKENS", Right: true}, {Title: "CHARACTERS", Right: true, Style: terminal.Dim},
		{Title: "SHARE", Right: true}, {Style: terminal.Cyan},
	}}
	most := min(barWidth, max(out.Width()-partsWidth, 8))
	for _, x := range p.Parts {
		share := x.Tokens * 100 / max(all, 1)
		t.Row(terminal.Text(x.What), terminal.Text(x.Name), terminal.Text(strconv.Itoa(x.Tokens)), terminal.Text(strconv.Itoa(x.Characters)),
			terminal.Text(fmt.Sprintf("%d %%", share)), terminal.Text(bar(x.Tokens, all, most)))
	}
	if err := t.Print(out); err != nil {
		return err
	}
	line := fmt.Sprintf("%s, about %s, %s", plural(len(p.Parts), "part"), plural(p.Tokens, "token"), plural(p.Characters, "character"))
	_, err = fmt.Fprintln(out, out.Paint(terminal.Dim, line))
	return err
}

// bar is a line whose length is the share of n in all, most for all of it.
func bar(n, all, most int) string {
	halves := 2 * most * n / max(all, 1)
	text := strings.Repeat(barMark, halves/2)
	if halves%2 == 1 || halves == 0 && n > 0 {
		text += barHalf
	}
	return text
}
