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
		Use: "instructions", Short: "Print the instructions that a host adds to every prompt",
		Long: `With --host, print exactly what that host sends, including imports;
--for and --touched add what the host adds after it reads a file. Without --host, print
every host's instructions, in one <custom-instructions> element per source. Imports from
outside the project are not read. Omissions are listed on stderr.

On a terminal, each message is labeled with its role. Otherwise, the messages are
printed unchanged, one after another.

--json prints {"host", "version", "messages": [[role, text]…], "parts": [{"path",
"layer", "importedBy", "file", "pattern", "bytes", "text"}…], "diagnostics"}.

Exit codes: 0 success, 1 failure, 2 invalid usage.`,
		Example: `  vade instructions
  vade instructions --for src/main.go
  vade instructions --agent architect
  vade instructions --host claude-code --for src/main.go
  vade instructions --host codex
  vade instructions --host gemini --json | jq '.messages'
  vade instructions --json | jq -r '.parts[].path'`,
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("for") && r.For == "" {
				return usage{failure{"--for is empty", "specify a file, which need not exist: --for src/main.go"}}
			}
			// The neutral view has agents but cannot run a session as one.
			r.Agent = client.Agent
			if a.neutral() {
				client.Agent = ""
				if len(client.Touched) > 0 {
					return usage{failure{"--touched is a host-specific flag and requires --host", "use --for FILE, or " + needsHost}}
				}
			}
			return a.runInstructions(c.Context(), r, client)
		},
	}
	c.Flags().StringVar(&r.For, "for", "", "add instructions for `FILE`, which need not exist")
	a.viewFlags(c)
	a.viewFlag(c)
	a.clientFlags(c, &client)
	c.Flags().Lookup("agent").Usage = "print the instructions for the agent `NAME`"
	return c
}

func (a *app) runInstructions(ctx context.Context, r instructions.Request, client catalog.ClientOptions) error {
	cat, err := a.open(ctx, catalog.Options{Client: client})
	if err != nil {
		return err
	}
	defer cat.Close()
	progress := a.stderr().StartProgress("reading instructions")
	in, err := instructions.Build(ctx, cat, r)
	progress.Done()
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(in)
	}
	a.printMessages(in.Messages)
	if len(in.Messages) == 0 {
		a.stderr().Line(terminal.Plain, "no instructions found")
	}
	return a.printProblems(in.Diagnostics)
}

// printMessages prints messages to stdout, each ending in a newline. On a terminal, it adds roles
// and escapes the text; other streams get the exact text.
func (a *app) printMessages(messages []definition.Message) {
	for _, m := range messages {
		if a.stdout().IsTerminal() {
			a.stdout().Line(terminal.Dim, "[%s]", m.Role)
		}
		a.printText(strings.TrimSuffix(m.Text, "\n") + "\n")
	}
}
