package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/instructions"
)

func (a *app) instructions() *cobra.Command {
	var r instructions.Request
	var client catalog.ClientOptions
	c := &cobra.Command{
		Use: "instructions", Short: "Print the instructions that stand before every prompt here",
		Long: `Put together the instruction files that are in force here: what is put before a
model without anybody asking for it.

With --as it is, byte for byte, what that host sends: its own files in its own
order, with what they import, and with --for or --touched also what the host adds
once it has read that file. Without --as it is what the files of all hosts say,
in one <custom-instructions> element for each source: the organisation, the user,
the repository, plugins. A file that holds such a tag can not end the element.

Without --for only what applies to all files is printed. With --agent it is also
what is for that agent alone; with --as it is what a session that runs as that agent
gets. Imports are read inside the project only, not what the policy protects; what
is left out is told on standard error. Where a host's form is not known the texts
stand for themselves: vade explain --host HOST says what each rests on.

On a terminal the role of each message stands before it: [user], or [tool_result]
for what stands behind the result of the tool that read the file. Where standard
output is no terminal, the exact texts follow one another without a mark, each up
to the end of a line; --json keeps them apart.

--json prints {"host", "version", "messages": [[role, text]…], "parts": [{"path",
"layer", "importedBy", "file", "pattern", "bytes", "text"}…], "diagnostics"}:
"bytes" is the length of the file with its frontmatter, "text" what of it is sent,
"pattern" the one, as it is written, by which "file" brought it in.

Exit codes: 0 printed, 1 failed, 2 wrong usage.`,
		Example: `  vade instructions
  vade instructions --for src/main.go
  vade instructions --agent architect
  vade instructions --as claude-code --for src/main.go
  vade instructions --as codex
  vade instructions --as copilot-cli --for src/main.go --json | jq -r '.parts[].path'
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
	if !a.named(c) {
		return c
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
	in, err := instructions.For(ctx, cat, r)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(in)
	}
	err = a.printMessages(in.Messages)
	if len(in.Messages) == 0 {
		_, said := fmt.Fprintln(a.stderr(), "no instructions apply here")
		err = errors.Join(err, said)
	}
	return errors.Join(err, a.printProblems(in.Diagnostics))
}
