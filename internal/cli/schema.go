package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit/scan"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/terminal"
)

// schemaWords are what a schema can be of.
const schemaWords = "skill, command, agent, instruction, project or audit"

// schemaOf is one schema that there is.
type schemaOf struct {
	Host string `json:"host"`
	// Kind is the word that is given to the command.
	Kind string `json:"kind"`
}

func (a *app) schema() *cobra.Command {
	var hostName string
	var list bool
	c := &cobra.Command{
		Use: "schema KIND|project|audit", Short: "Print a JSON Schema of the frontmatter of a kind, of vade.yaml, or of vade audit --json",
		Long: `Print a JSON Schema (draft 2020-12) of the frontmatter of a kind, as Vade or a host
reads it, of vade.yaml ("project"), or of what vade audit --json prints ("audit").
With this line at its top, editors complete and check vade.yaml:

  # yaml-language-server: $schema=./vade.schema.json

Exit codes: 0 printed, 1 the host reads no frontmatter of the kind, 2 wrong usage.`,
		Example: `  vade schema skill > skill.schema.json
  vade schema skill --host copilot-cli
  vade schema agent --host gemini
  vade schema project > vade.schema.json
  vade schema audit > audit.schema.json
  vade schema --list`,
		Args:              exactly(cobra.MaximumNArgs(1), "print one schema at a time"),
		ValidArgsFunction: cobra.FixedCompletions([]string{"skill", "command", "agent", "instruction", "project", "audit"}, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, args []string) error {
			if hostName != "" && !known(hostName) {
				return noHost("--host", hostName, "", catalog.Hosts())
			}
			switch {
			case list && len(args) > 0:
				return usage{failure{"--list prints what there is: take the kind away", "vade schema --list"}}
			case list:
				return a.listSchemas(hostName)
			case len(args) == 0:
				return usage{failure{"name a kind, project for vade.yaml, or audit", "use " + schemaWords + "; all: vade schema --list"}}
			}
			return a.printSchema(args[0], hostName)
		},
	}
	c.Flags().StringVar(&hostName, "host", "", "as `HOST` reads it (see: vade help hosts)")
	c.Flags().BoolVar(&list, "list", false, "print of which kinds there is a schema")
	complete(c, "host", catalog.Hosts()...)
	return c
}

func (a *app) printSchema(word, hostName string) error {
	if (word == "project" || word == "audit") && hostName != "" {
		return usage{failure{word + " is the schema of what no host reads", "take --host away"}}
	}
	switch word {
	case "project":
		_, err := a.world.Stdout.Write(catalog.ProjectSchema())
		return err
	case "audit":
		_, err := a.world.Stdout.Write(scan.Schema())
		return err
	}
	kind, ok := definition.ParseKind(word)
	if !ok {
		return usage{failure{fmt.Sprintf("%q is no kind", word), "use " + schemaWords}}
	}
	data, err := catalog.Schema(kind, hostName)
	if err != nil {
		return failure{err.Error(), "what there is: vade schema --list --host " + hostName}
	}
	_, err = a.world.Stdout.Write(data)
	return err
}

func (a *app) listSchemas(hostName string) error {
	hosts := catalog.Hosts()
	if hostName != "" {
		hosts = []string{hostName}
	}
	all := []schemaOf{}
	for _, h := range hosts {
		if hostName == "" && strings.Contains(h, "@") {
			continue
		}
		for _, k := range catalog.SchemaKinds(h) {
			all = append(all, schemaOf{h, k.String()})
		}
	}
	if hostName == "" {
		all = append(all, schemaOf{"vade.yaml", "project"}, schemaOf{"vade audit", "audit"})
	}
	if a.json {
		return a.printJSON(all)
	}
	var t terminal.Table
	t.Columns = []terminal.Column{{}, {}}
	for _, one := range all {
		t.Row(one.Host, one.Kind)
	}
	return t.Print(a.stdout())
}
