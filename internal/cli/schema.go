package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit/scan"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/rpc"
	"github.com/vadehq/vade/internal/terminal"
)

// schemaKinds returns the valid values for KIND.
func schemaKinds() []string {
	return []string{"skill", "command", "agent", "instruction", "project", "audit", "result"}
}

const schemaWords = "one of: skill, command, agent, instruction, project, audit, result NAME"

// schemaOf identifies a schema by host and kind.
type schemaOf struct {
	Host string `json:"host"`
	// Kind is the argument to vade schema.
	Kind string `json:"kind"`
}

func (a *app) schema() *cobra.Command {
	var hostName string
	var list bool
	c := &cobra.Command{
		Use: "schema [KIND] [NAME]", Short: "Print JSON Schemas for editors and CI",
		Long: `Print a JSON Schema (draft 2020-12) for the frontmatter of KIND, as Vade or a host
reads it; for vade.yaml ("project"); for the output of vade audit --json ("audit"); or
for a result of vade rpc, which is the output of the command NAME with --json
("result NAME").

With this line at the top of vade.yaml, editors complete and check it:

  # yaml-language-server: $schema=./vade.schema.json

Exit codes: 0 success, 1 the host does not read the kind, 2 invalid usage.`,
		Example: `  vade schema skill > skill.schema.json
  vade schema skill --host copilot-cli
  vade schema agent --host gemini
  vade schema project > vade.schema.json
  vade schema audit > audit.schema.json
  vade schema result list
  vade schema --list`,
		Args:              checkArgs("print one schema at a time"),
		ValidArgsFunction: cobra.FixedCompletions(schemaKinds(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case list && len(args) > 0:
				return usage{failure{"--list does not take a kind", "run: vade schema --list"}}
			case list:
				return a.listSchemas(hostName)
			case len(args) == 0:
				return usage{failure{"KIND is missing", "use " + schemaWords + "; to list all, run: vade schema --list"}}
			}
			if args[0] == "result" {
				return a.printResultSchema(args[1:], hostName)
			}
			if len(args) > 1 {
				return usage{failure{"only the kind result takes a name", "print one schema at a time"}}
			}
			return a.printSchema(args[0], hostName)
		},
	}
	hostFlag(c, &hostName, "print the schema for `HOST` (see: vade help hosts)", catalog.Hosts)
	c.Flags().BoolVar(&list, "list", false, "list the available schemas")
	return c
}

func (a *app) printSchema(word, hostName string) error {
	if (word == "project" || word == "audit") && hostName != "" {
		return usage{failure{"--host does not apply to " + word, "remove --host"}}
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
	if !ok || !slices.Contains(schemaKinds(), kind.String()) {
		return usage{failure{fmt.Sprintf("schema: unknown kind %q", word), didYouMean(word, schemaKinds(), "use "+schemaWords)}}
	}
	data, err := catalog.Schema(kind, hostName)
	if err != nil {
		return failure{err.Error(), "to list its schemas, run: vade schema --list --host " + hostName}
	}
	_, err = a.world.Stdout.Write(data)
	return err
}

// printResultSchema prints the schema for a result of vade rpc.
func (a *app) printResultSchema(names []string, hostName string) error {
	if hostName != "" {
		return usage{failure{"--host does not apply to result", "remove --host"}}
	}
	hint := "use one of: " + strings.Join(rpc.ResultNames(), ", ")
	if len(names) == 0 {
		return usage{failure{"the result's NAME is missing", hint}}
	}
	data, ok := rpc.ResultSchema(names[0])
	if !ok {
		return usage{failure{fmt.Sprintf("schema: unknown result %q", names[0]), didYouMean(names[0], rpc.ResultNames(), hint)}}
	}
	_, err := a.world.Stdout.Write(data)
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
		for _, name := range rpc.ResultNames() {
			all = append(all, schemaOf{"vade rpc", "result " + name})
		}
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
