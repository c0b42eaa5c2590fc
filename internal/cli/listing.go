package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade"
	"github.com/vadehq/vade/internal/terminal"
)

func (a *app) listing() *cobra.Command {
	var client vade.ClientOptions
	c := &cobra.Command{
		Use: "listing", Short: "Show what a model sees of skills and agents before it loads one",
		Long: `Show the lines that stand for skills, commands and agents in the context of a
model: in the view of a host, with its names, its order, its limits and its
budget, exactly as it writes them. What a file has to be touched for is listed
with --touched. The host's own skills and agents are not shown.

On a terminal what could disturb it is escaped; --json has the exact texts.`,
		Example: `  vade listing --as claude-code
  vade listing --as claude-code --context-tokens 200000
  vade listing --as claude-code --touched src/api/main.go
  vade listing --as claude-code@2.1.88 --json | jq -r '.skills[]'`,
		Args: exactly(cobra.NoArgs, "see: vade listing --help"),
		RunE: func(c *cobra.Command, _ []string) error { return a.runListing(c.Context(), client) },
	}
	a.view(c)
	a.as(c)
	a.client(c, &client)
	return c
}

func (a *app) runListing(ctx context.Context, client vade.ClientOptions) error {
	cat, err := a.open(ctx, vade.Options{Client: client})
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

func (a *app) printListing(l *vade.Listing) error {
	out := a.stdout()
	for _, part := range []struct {
		title string
		lines []string
	}{{"Skills and commands", l.Skills}, {"Agents", l.Agents}} {
		if _, err := fmt.Fprintf(out, "%s\n", out.Paint(terminal.Bold, fmt.Sprintf("%s (%d)", part.title, len(part.lines)))); err != nil {
			return err
		}
		for _, line := range part.lines {
			if _, err := fmt.Fprintf(out, "  %s\n", terminal.EscapeLine(line)); err != nil {
				return err
			}
		}
	}
	e := a.stderr()
	if n := len(l.Cut); n > 0 {
		fmt.Fprintf(e, "vade: the budget of %s cuts %s (vade listing --json names them)\n", terminal.EscapeLine(l.Host), plural(n, "description"))
	}
	for _, s := range l.Skipped {
		fmt.Fprintf(e, "vade: not listed: agent %s (%s): %s\n", terminal.EscapeLine(s.Name), terminal.EscapeLine(s.Path), terminal.EscapeLine(s.Reason))
	}
	for _, d := range l.Diagnostics {
		if d.Severity > 0 {
			if err := terminal.PrintDiagnostic(e, d); err != nil {
				return err
			}
		}
	}
	return nil
}
