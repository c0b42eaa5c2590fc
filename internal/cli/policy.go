package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/terminal"
	"github.com/vadehq/vade/internal/vfs"
)

func (a *app) policy() *cobra.Command {
	c := &cobra.Command{
		Use: "policy", Short: "Show and check the policy for shell commands",
		Long: `The policy controls which shell commands in definitions run, and what they may read.
By default, only read-only commands run, and they read only the project.

  user     $XDG_CONFIG_HOME/vade/policy.yaml or ~/.config/vade/policy.yaml
  project  .vade/policy.yaml; it can only restrict
  managed  /etc/vade/policy.yaml or your system's equivalent, and
           $VADE_MANAGED_DIR/policy.yaml

For each key, the strictest file wins. For a list of all keys, run: vade help policy.`,
		Example: "  vade policy show\n  vade policy check .vade/policy.yaml\n  vade policy schema > policy.schema.json",
		RunE:    a.group,
	}
	c.AddCommand(a.policyShow(), a.policyCheck(), a.policySchema())
	return c
}

func (a *app) policyShow() *cobra.Command {
	return &cobra.Command{
		Use: "show", Short: "Print the active policy and the source of each value",
		Example: "  vade policy show\n  vade policy show --json",
		RunE: func(c *cobra.Command, _ []string) error {
			cat, err := a.open(c.Context(), catalog.Options{})
			if err != nil {
				return err
			}
			defer cat.Close()
			settings, diags, err := cat.Policy(c.Context())
			if err != nil {
				return err
			}
			if catalog.ShellSwitchedOff(a.getenv) {
				a.stderr().Line(terminal.Plain, "vade: VADE_NO_SHELL is set: no commands run, regardless of the policy")
			}
			return a.printPolicy(settings, diags)
		},
	}
}

type settingJSON struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

func (a *app) printPolicy(settings []policy.Setting, diags []diag.Diagnostic) error {
	if a.json {
		list := make([]settingJSON, len(settings))
		for i, s := range settings {
			list[i] = settingJSON{s.Key, s.Value, s.Origin.String()}
		}
		return a.printJSON(struct {
			Settings    []settingJSON     `json:"settings"`
			Diagnostics []diag.Diagnostic `json:"diagnostics"`
		}{list, nonNil(diags)})
	}
	t := terminal.Table{Columns: []terminal.Column{{}, {Flexible: true}, {Style: terminal.Dim}}}
	last := ""
	for _, s := range settings {
		key := s.Key
		if key == last {
			key = ""
		}
		last = s.Key
		t.Row(key, cmp.Or(s.Value, "(none)"), s.Origin)
	}
	t.Print(a.stdout())
	return a.printProblems(diags)
}

func (a *app) policyCheck() *cobra.Command {
	var layer string
	c := &cobra.Command{
		Use: "check FILE", Short: "Check a policy file for problems",
		Long:    "Check a policy file without activating it. \"-\" reads stdin.\n\nExit codes: 0 no problems, 1 problems, 2 invalid usage or an unreadable file.",
		Example: "  vade policy check ~/.config/vade/policy.yaml\n  vade policy check --json .vade/policy.yaml",
		Args:    checkArgs("specify one file: vade policy check FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			data, err := a.readPolicy(args[0])
			if err != nil {
				return usage{failure{fmt.Sprintf("%s: %v", args[0], vfs.WithoutPath(err)), "specify a readable file"}}
			}
			diags := catalog.CheckPolicy(args[0], a.policyLayer(layer, args[0]), data)
			result := struct {
				Valid       bool              `json:"valid"`
				Diagnostics []diag.Diagnostic `json:"diagnostics"`
			}{len(diags) == 0, nonNil(diags)}
			return failIf(len(diags) > 0, a.output(result, func() error {
				if len(diags) == 0 {
					a.stdout().Line(terminal.Plain, "%s: no problems", args[0])
				}
				return terminal.PrintDiagnostics(a.stdout(), diags...)
			}))
		},
	}
	choiceFlag(c, &layer, "layer", "check it as a `LAYER` policy (default: derived from its path)", "managed", "user", "project")
	return c
}

// policyLayer returns the layer called word. If word is empty, it derives the layer from the file's
// path.
func (a *app) policyLayer(word, file string) definition.Layer {
	abs := absolute(file)
	managed := a.getenv("VADE_MANAGED_DIR")
	switch {
	case word == "managed", word == "" && (strings.HasPrefix(abs, "/etc/") || strings.HasPrefix(abs, "/Library/") ||
		managed != "" && strings.HasPrefix(abs, filepath.ToSlash(managed)+"/")):
		return definition.Managed
	case word == "project", word == "" && strings.HasSuffix(abs, "/.vade/policy.yaml"):
		return definition.Project
	}
	return definition.User
}

// maxPolicyInput is larger than the size limit for policy files, so that the policy parser reports
// files that exceed the limit.
const maxPolicyInput = 1 << 20

func (a *app) readPolicy(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(io.LimitReader(a.world.Stdin, maxPolicyInput))
	}
	return vfs.ReadUserFile(absolute(name), maxPolicyInput)
}

func (a *app) policySchema() *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of policy files",
		Example: "  vade policy schema > policy.schema.json",
		RunE: func(*cobra.Command, []string) error {
			_, err := a.world.Stdout.Write(catalog.PolicySchema())
			return err
		},
	}
}
