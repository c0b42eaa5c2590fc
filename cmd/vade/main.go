// Command vade shows and loads the skills, commands, agents and instructions of coding agents.
package main

import (
	"os"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/cli"
)

func main() {
	catalog.SandboxMain()
	os.Exit(cli.Main(os.Args[1:], cli.System()))
}
