// Command vade shows and loads the skills, commands, agents and instructions of
// coding agents.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/cli"
)

func main() {
	catalog.SandboxMain()
	// Help lists commands in the order of their table.
	cobra.EnableCommandSorting = false
	os.Exit(cli.Main(os.Args[1:], cli.System()))
}
