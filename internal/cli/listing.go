package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	hosts "github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/terminal"
)

func (a *app) listing() *cobra.Command {
	var client catalog.ClientOptions
	c := &cobra.Command{
		Use: "listing", Short: "Show what a model sees of skills and agents before it loads one",
		Long: `Show the entries that stand for skills, commands and agents in the context of a
model: in the view of a host, with its names, its order, its limits and its
budget, exactly as it writes them, and in the frame that it puts around them where
that is known. What a file has to be touched for is listed with --touched. The
host's own skills and agents are not shown.

Standard error names, with the reason, whose description is cut, and what the host
does not list. What another definition of the same name shadows is not among them:
see vade list --all. --nested is for the neutral view: a host lists what stands in a
directory below once --touched names a file there.

On a terminal what could disturb it is escaped; --json has the exact texts and all
names: it prints {"host", "version", "skills": [line…], "agents": [line…],
"cut": [{"name", "path", "reason"}…], "skipped": [{"kind", "name", "path",
"reason"}…], "text", "agentsText", "diagnostics"}: "text" is the whole listing of
skills as the model gets it, "agentsText" that of agents, both empty where the
host's frame is not known. What each rests on: vade explain --host HOST.

Which switches mean something depends on the host: the length of the context for
Codex, touched files for Qwen, all for Claude Code. Another one is wrong usage.

Exit codes: 0 listed, 1 failed, 2 wrong usage.`,
		Example: `  vade listing --as claude-code
  vade listing --as claude-code --context-tokens 200000
  vade listing --as claude-code --touched src/api/main.go
  vade listing --as claude-code --agent architect
  vade listing --as codex --context-tokens 128000
  vade listing --as gemini --json | jq -r .text
  vade listing --as copilot-cli --json | jq -r '.cut[].name'
  vade listing --as claude-code --json | jq -r '.skipped[] | .path + ": " + .reason'
  vade listing --as claude-code@2.1.88 --json | jq -r '.skills[]'`,
		Args: exactly(cobra.NoArgs, "see: vade listing --help"),
		RunE: func(c *cobra.Command, _ []string) error { return a.runListing(c.Context(), client) },
	}
	if !a.named(c) {
		return c
	}
	a.view(c)
	a.as(c)
	a.client(c, &client)
	return c
}

func (a *app) runListing(ctx context.Context, client catalog.ClientOptions) error {
	if a.nested && !a.neutral() {
		hint := "leave it out"
		if p, ok := registry.Lookup(a.host); ok && p.Switches&hosts.SwitchTouched != 0 {
			hint = "name one: --touched DIR/FILE"
		}
		return usage{failure{"--nested: a host lists what stands in a directory below only once a file there is touched", hint}}
	}
	cat, err := a.open(ctx, catalog.Options{Client: client})
	if err != nil {
		return err
	}
	defer cat.Close()
	l, err := cat.Listing(ctx)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(l)
	}
	return a.printListing(l)
}

func (a *app) printListing(l *catalog.Listing) error {
	out := a.stdout()
	for _, part := range []struct {
		title string
		lines []string
		text  string
	}{{"Skills and commands", l.Skills, l.Text}, {"Agents", l.Agents, l.AgentsText}} {
		if _, err := fmt.Fprintf(out, "%s\n", out.Paint(terminal.Bold, fmt.Sprintf("%s (%d)", part.title, len(part.lines)))); err != nil {
			return err
		}
		lines := part.lines
		if part.text != "" {
			lines = strings.Split(part.text, "\n")
		}
		for _, line := range lines {
			if _, err := fmt.Fprintf(out, "  %s\n", terminal.EscapeLine(line)); err != nil {
				return err
			}
		}
	}
	e := a.stderr()
	a.printCut(e, l)
	printSkipped(e, l)
	for _, d := range l.Diagnostics {
		if d.Severity > 0 || ofListing(d) {
			if err := terminal.PrintDiagnostic(e, d); err != nil {
				return err
			}
		}
	}
	return nil
}

// ofListing reports whether a diagnostic that is for information only is about
// what is listed; the others are those of vade list --all.
func ofListing(d diag.Diagnostic) bool {
	switch d.Code {
	case diag.NotListed, diag.FileOutsideRoot, diag.FileNotFound, diag.FileDirectory:
		return true
	}
	return false
}

// How many names standard error has; --json has all.
const (
	maxCut     = 5
	maxSkipped = 20
)

// printCut names those whose description is cut, and says what to do.
func (a *app) printCut(e *terminal.Writer, l *catalog.Listing) {
	budget := false
	for i, x := range l.Cut {
		budget = budget || x.Reason == catalog.CutDropped || x.Reason == catalog.CutShortened || x.Reason == catalog.CutOmitted
		if i < maxCut {
			fmt.Fprintf(e, "vade: cut: %s (%s): %s\n", terminal.EscapeLine(x.Name), terminal.EscapeLine(x.Path), terminal.EscapeLine(x.Reason))
		}
	}
	more(e, len(l.Cut)-maxCut)
	if len(l.Cut) == 0 {
		return
	}
	hint := "shorten the descriptions"
	if budget {
		hint += ", or let fewer be listed"
		if p, ok := registry.Lookup(a.host); ok && p.Listing != nil {
			if !p.Listing.Manual {
				hint += " (disable-model-invocation: true)"
			}
			if p.Switches&hosts.SwitchContextTokens != 0 {
				hint += "; a longer context: --context-tokens N"
			}
		}
	}
	fmt.Fprintf(e, "%s %s\n", e.Paint(terminal.Cyan, "vade: hint:"), hint)
}

func printSkipped(e *terminal.Writer, l *catalog.Listing) {
	for i, s := range l.Skipped {
		if i == maxSkipped {
			break
		}
		fmt.Fprintf(e, "vade: not listed: %s %s (%s): %s\n", s.Kind, terminal.EscapeLine(s.Name), terminal.EscapeLine(s.Path), terminal.EscapeLine(s.Reason))
	}
	more(e, len(l.Skipped)-maxSkipped)
}

func more(e *terminal.Writer, n int) {
	if n > 0 {
		fmt.Fprintf(e, "vade: and %d more: --json\n", n)
	}
}
