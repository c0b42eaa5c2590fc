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

// promptFlags holds the flags for vade prompt.
type promptFlags struct {
	request     prompt.Request
	parts, text bool
}

func (a *app) prompt() *cobra.Command {
	var f promptFlags
	c := &cobra.Command{
		Use: "prompt", Short: "Print the context an agent starts with, and its token cost",
		Long: `Print the context that an agent has before its task: its prompt, its
preloaded skills (useSkills), the listing of other skills, and its instructions. Without
--agent, print the main conversation's context. With --host, the listing and
instructions are the host's.

Shell commands in skills run as in "vade load". On a terminal, each part is listed with
its estimated token count; use --parts or --text to select the output format.

--json prints {"host", "version", "agent", "text", "parts": [{"what", "name",
"path", "text", "characters", "tokens"}…], "characters", "tokens", "cut":
[{"name", "path", "reason"}…], "diagnostics"}.

Exit codes: 0 success, 1 failure or no such agent, 2 invalid usage.`,
		Example: `  vade prompt --agent architect
  vade prompt --agent architect --file internal/api/api.go --parts
  vade prompt --agent architect --budget 4000 --json | jq -r '.cut[].name'
  vade prompt --host claude-code --agent architect
  vade prompt --parts                      cost of the main conversation`,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.runPrompt(c.Context(), f)
		},
	}
	flags := c.Flags()
	a.agentFlag(c, &f.request.Agent, "agent", "print the context for the agent `NAME`")
	flags.StringArrayVar(&f.request.Files, "file", nil, "include instructions and skills for `FILE` (may be repeated)")
	positiveFlag(c, &f.request.Budget, "budget", "limit the skill listing to `N` characters or, with --host, to N in the unit that the host uses (default: the host's budget, or 15000)")
	flags.StringVar(&f.request.Tool, "tool", "", "use `NAME` for the tool that loads skills, such as vade-load_skill in Copilot (default: loadSkill)")
	flags.BoolVar(&f.parts, "parts", false, "print the parts with their token cost")
	flags.BoolVar(&f.text, "text", false, "print the text, even on a terminal")
	a.viewFlags(c)
	a.viewFlag(c)
	return c
}

func (a *app) runPrompt(ctx context.Context, f promptFlags) error {
	if f.parts && f.text {
		return usage{failure{"--parts and --text cannot be used together", "use only one of them"}}
	}
	if f.request.Tool != "" && !a.neutral() {
		return usage{failure{"--tool and --host cannot be used together: each host has its own listing", "use only one of them"}}
	}
	var client catalog.ClientOptions
	if p, ok := registry.Lookup(a.host); ok && !a.neutral() {
		if p.Listing != nil && f.request.Budget > 0 && p.Listing.Budget.Overflow == hosts.Unbounded {
			return usage{failure{"--budget: " + p.Name + " lists everything and has no budget", "remove it"}}
		}
		f.request, client = prompt.ForHost(p, f.request)
	}
	cat, err := a.open(ctx, catalog.Options{Client: client, Shell: withHelper(catalog.ShellOptions{})})
	if err != nil {
		return err
	}
	defer cat.Close()
	progress := a.stderr().StartProgress("reading definitions")
	p, err := prompt.Build(ctx, cat, f.request)
	progress.Done()
	if e := (*definition.Error)(nil); errors.As(err, &e) && e.Code == diag.AgentNotFound && !a.neutral() &&
		!strings.HasPrefix(e.Fix, "did you mean") {
		e.Fix = "to see which hosts load it, run: vade explain agent:" + f.request.Agent
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
	printCut(a.stderr(), "vade: ", p.Cut)
	return a.printWarnings(p.Diagnostics)
}

// Characters and widths of the bars that show each part's share of the total. Widths are in
// columns.
const (
	barMark  = "█"
	barHalf  = "▌"
	barWidth = 40
	// partsWidth is the minimum total width of the other columns.
	partsWidth = 44
)

// printParts prints the cost of each part of a prompt.
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
	maxWidth := min(barWidth, max(out.Width()-partsWidth, 8))
	for _, x := range p.Parts {
		share := x.Tokens * 100 / max(all, 1)
		t.Row(x.What, x.Name, x.Tokens, x.Characters, fmt.Sprintf("%d %%", share), bar(x.Tokens, all, maxWidth))
	}
	t.Print(out)
	out.Line(terminal.Dim, "%s, about %s, %s", plural(len(p.Parts), "part"), plural(p.Tokens, "token"), plural(p.Characters, "character"))
}

// bar returns a bar that is maxWidth*n/all columns wide.
func bar(n, all, maxWidth int) string {
	halves := 2 * maxWidth * n / max(all, 1)
	text := strings.Repeat(barMark, halves/2)
	if halves%2 == 1 || halves == 0 && n > 0 {
		text += barHalf
	}
	return text
}
