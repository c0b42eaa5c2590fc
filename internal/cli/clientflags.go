package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	hosts "github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

// clientFlags adds flags that have the same names and meanings as flags of the hosts' own programs.
// They require --host. checkClient rejects flags that the selected host does not have.
func (a *app) clientFlags(c *cobra.Command, o *catalog.ClientOptions) {
	f := c.Flags()
	settings := catalog.SettingSources()
	about := "read settings and definitions only from the sources in `LIST`: " + strings.Join(settings, ",")
	f.Func("setting-sources", about, func(text string) error {
		// An empty, non-nil list selects no sources.
		o.SettingSources = []string{}
		for word := range strings.SplitSeq(text, ",") {
			switch word = strings.TrimSpace(word); {
			case word == "":
			case slices.Contains(settings, word):
				o.SettingSources = append(o.SettingSources, word)
			default:
				return fmt.Errorf("unknown source %q; use one of: %s", word, strings.Join(settings, ", "))
			}
		}
		return nil
	})
	f.BoolVar(&o.Bare, "bare", false, "do not load definitions or instructions")
	f.BoolVar(&o.NoCommands, "disable-slash-commands", false, "do not load skills or commands")
	choiceFlag(c, &o.PermissionMode, "permission-mode", "use the permission mode `MODE`", catalog.PermissionModes()...)
	f.Func("agents", "add the agents in `JSON` to those in files", func(text string) error {
		var all map[string]json.RawMessage
		err := json.Unmarshal([]byte(text), &all)
		if err == nil && all == nil {
			err = errors.New("the value is null")
		}
		if err != nil {
			return fmt.Errorf(`invalid JSON object: %s; use {"name": {"description": "…", "prompt": "…"}}`, diag.JSONProblem(err))
		}
		o.Agents = text
		return nil
	})
	a.agentFlag(c, &o.Agent, "agent", "run the session as the agent `NAME`")
	f.StringArrayVar(&o.AddDirs, "add-dir", nil, "also look for definitions in `DIR` (may be repeated)")
	positiveFlag(c, &o.ContextTokens, "context-tokens", "assume a context window of `N` tokens")
	f.StringArrayVar(&o.Touched, "touched", nil, "assume the session has read or edited `FILE` (may be repeated)")
	completeFlag(c, "setting-sources", settings...)
}

// neutral reports whether no host is selected.
func (a *app) neutral() bool { return a.host == "" || a.host == hosts.NeutralName }

const needsHost = "add --host HOST, such as --host claude-code"

// checkClient returns a usage error for flags that the selected host does not have.
func (a *app) checkClient(o *catalog.ClientOptions) error {
	p := registry.Neutral()
	if !a.neutral() {
		p, _ = registry.Lookup(a.host)
	}
	if foreign := (o.Switches() &^ p.Switches).Words(); len(foreign) > 0 {
		s := foreign[0]
		if a.neutral() {
			return usage{failure{s.Flag + " is a host-specific flag and requires --host", needsHost}}
		}
		hint := "remove it"
		var flags []string
		for _, s := range p.Switches.Words() {
			flags = append(flags, s.Flag)
		}
		if len(flags) > 0 {
			hint += "; available: " + strings.Join(flags, ", ")
		}
		return usage{failure{p.Name + " does not support " + s.Flag, hint}}
	}
	return nil
}
