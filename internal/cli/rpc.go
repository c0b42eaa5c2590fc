package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/rpc"
)

func (a *app) rpc() *cobra.Command {
	return &cobra.Command{
		Use: "rpc", Short: "Serve the TypeScript and Python clients over JSON-RPC",
		Long: `Answer JSON-RPC 2.0 requests on stdin with responses on stdout, one message per line,
until stdin ends. The TypeScript and Python clients start this command. The methods list,
load, render, listing, instructions, prompt, explain, check and audit return the JSON
output of the command with that name.

Shell commands in definitions run under your policy, as with "vade load".

Exit codes: 0 the client or a signal ended it, 1 failure, 2 invalid usage.`,
		Example: `  vade rpc < requests.jsonl
  vade schema result list         JSON Schema of a result`,
		RunE: func(c *cobra.Command, _ []string) error { return a.runRPC(c.Context()) },
	}
}

func (a *app) runRPC(ctx context.Context) error {
	var companions catalog.Companions
	defer companions.Close()
	defer surviveSIGPIPE()()
	o, err := a.options(catalog.Options{Shell: withHelper(catalog.ShellOptions{}), Companions: &companions})
	if err != nil {
		return err
	}
	return rpc.New(rpc.Options{Catalog: o, Logger: a.logger("text")}).Serve(ctx, a.world.Stdin, a.world.Stdout)
}
