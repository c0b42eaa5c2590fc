package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
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
		Long: `Print what an agent has before its task: its own text, the skills that it starts
with (useSkills), a table of the other skills within a budget, and its
instructions. Without --agent it is the main conversation. With --as the listing,
its budget and the instructions are those of that host.

Shell commands of skills run as for "vade load". A terminal shows the parts, each
with its estimated tokens and a bar; --parts and --text choose.

--json prints {"host", "version", "agent", "text", "parts": [{"what", "name",
"path", "text", "characters", "tokens"}…], "characters", "tokens", "cut":
[{"name", "path", "reason"}…], "diagnostics"}.

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
	flags := c.Flags()
	a.agent(c, &f.request.Agent, "agent", "put it together for the agent `NAME`")
	flags.StringArrayVar(&f.request.Files, "file", nil, "`FILE` is worked on: it brings in instructions and skills (may be repeated)")
	positive(c, &f.request.Budget, "budget", "the rows of the table of skills have at most `N` characters together, with --as in the host's own unit (default: the view's own, 15000 without --as)")
	flags.BoolVar(&f.parts, "parts", false, "print the parts with what they cost")
	flags.BoolVar(&f.text, "text", false, "print the text, on a terminal too")
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
	if e := (*definition.Error)(nil); errors.As(err, &e) && e.Code == diag.AgentNotFound && !a.neutral() &&
		!strings.HasPrefix(e.Fix, "did you mean") {
		e.Fix = "whether it is there, and what the host makes of it: vade explain agent:" + f.request.Agent
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(p)
	}
	out := a.stdout()
	if f.parts || out.IsTerminal() && !f.text {
		printParts(out, p)
	} else if p.Text != "" {
		a.printText(p.Text + "\n")
	}
	a.printCut(p.Cut)
	return a.printWarnings(p.Diagnostics)
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
func printParts(out *terminal.Writer, p *prompt.Prompt) {
	title := "the main conversation"
	if p.Agent != "" {
		title = "agent " + p.Agent
	}
	view := p.Host + " " + p.Version
	if p.Host == hosts.NeutralName {
		view = hosts.NeutralName
	}
	out.Line(terminal.Bold, "%s (%s)", title, view)
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
		t.Row(x.What, x.Name, x.Tokens, x.Characters, fmt.Sprintf("%d %%", share), bar(x.Tokens, all, most))
	}
	t.Print(out)
	out.Line(terminal.Dim, "%s, about %s, %s", plural(len(p.Parts), "part"), plural(p.Tokens, "token"), plural(p.Characters, "character"))
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
