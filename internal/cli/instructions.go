package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/instructions"
	"github.com/vadehq/vade/internal/terminal"
)

func (a *app) instructions() *cobra.Command {
	var r instructions.Request
	var client catalog.ClientOptions
	c := &cobra.Command{
		Use: "instructions", Short: "Print the instructions that stand before every prompt here",
		Long: `Print the active instruction files: what is in front of every prompt.

With --as it is, byte for byte, what that host sends, with imports; --for or
--touched adds what the host adds once it has read that file. Without --as it is
what all hosts' files say, in one <custom-instructions> element for each source.
Imports are read inside the project only; what is left out is on standard error.

A terminal shows the role of each message before it; elsewhere the exact texts
follow one another.

--json prints {"host", "version", "messages": [[role, text]…], "parts": [{"path",
"layer", "importedBy", "file", "pattern", "bytes", "text"}…], "diagnostics"}.

Exit codes: 0 printed, 1 failed, 2 wrong usage.`,
		Example: `  vade instructions
  vade instructions --for src/main.go
  vade instructions --agent architect
  vade instructions --as claude-code --for src/main.go
  vade instructions --as codex
  vade instructions --as gemini --json | jq '.messages'
  vade instructions --json | jq -r '.parts[].path'`,
		Args: exactly(cobra.NoArgs, "see: vade instructions --help"),
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("for") && r.For == "" {
				return usage{failure{"--for names no file", "name a file, which need not exist: vade instructions --for src/main.go"}}
			}
			// The neutral view has agents too, but no session that runs as one.
			r.Agent = client.Agent
			if a.neutral() {
				client.Agent = ""
			}
			return a.runInstructions(c.Context(), r, client)
		},
	}
	c.Flags().StringVar(&r.For, "for", "", "add what applies to `FILE`, which need not exist")
	a.view(c)
	a.as(c)
	a.client(c, &client)
	c.Flags().Lookup("agent").Usage = "put them together for the agent `NAME`"
	return c
}

func (a *app) runInstructions(ctx context.Context, r instructions.Request, client catalog.ClientOptions) error {
	cat, err := a.open(ctx, catalog.Options{Client: client})
	if err != nil {
		return err
	}
	defer cat.Close()
	in, err := instructions.Build(ctx, cat, r)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(in)
	}
	a.printMessages(in.Messages)
	if len(in.Messages) == 0 {
		a.stderr().Line(terminal.Plain, "no instructions apply here")
	}
	return a.printProblems(in.Diagnostics)
}

// printMessages prints the texts of messages to standard output, one after the other,
// each up to the end of a line. On a terminal the role of each is before it and the text
// is escaped; elsewhere the texts are exact and nothing is between them.
func (a *app) printMessages(messages []definition.Message) {
	for _, m := range messages {
		if a.stdout().IsTerminal() {
			a.stdout().Line(terminal.Dim, "[%s]", m.Role)
		}
		a.printText(strings.TrimSuffix(m.Text, "\n") + "\n")
	}
}
