package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	hosts "github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

// client adds the switches that a host's own program has, by its own names. They
// mean something in the view of a host only; open sees to that.
func (a *app) client(c *cobra.Command, o *catalog.ClientOptions) {
	f := c.Flags()
	modes := catalog.PermissionModes()
	f.Var(sources{&o.SettingSources}, "setting-sources", "read the user's, the project's and the local settings and definitions only of `LIST`: "+
		strings.Join(catalog.SettingSources(), ","))
	f.BoolVar(&o.Bare, "bare", false, "load no definitions and no instructions")
	f.BoolVar(&o.NoCommands, "disable-slash-commands", false, "load no skills and no commands")
	f.Var(mode{&o.PermissionMode, modes}, "permission-mode", "ask for permission as in `MODE`: "+strings.Join(modes, ", "))
	f.Var(agents{&o.Agents}, "agents", "use the agents of `JSON` besides those in files")
	f.Var(agentName{&o.Agent}, "agent", "run the session as the agent `NAME`")
	f.StringArrayVar(&o.AddDirs, "add-dir", nil, "look for definitions in `DIR` too (may be repeated)")
	f.Var(positive{&o.ContextTokens}, "context-tokens", "the model's context has `N` tokens")
	f.StringArrayVar(&o.Touched, "touched", nil, "the session has read or changed `FILE` (may be repeated)")
	_ = c.RegisterFlagCompletionFunc("setting-sources", cobra.FixedCompletions(catalog.SettingSources(), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("permission-mode", cobra.FixedCompletions(modes, cobra.ShellCompDirectiveNoFileComp))
	for _, name := range []string{"agent", "subagent"} {
		if f.Lookup(name) != nil {
			_ = c.RegisterFlagCompletionFunc(name, a.completeAgents)
		}
	}
	c.PreRun = func(c *cobra.Command, _ []string) { a.takesFor = c.Flags().Lookup("for") != nil }
}

// completeAgents offers the names of agents in force to the shell.
func (a *app) completeAgents(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	names := a.names(c, definition.Agent)
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], "agent:")
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// neutral reports whether the view is no host's.
func (a *app) neutral() bool { return a.host == "" || a.host == hosts.NeutralName }

// checkClient refuses switches that the view's host has not, and directories that
// do not exist.
func (a *app) checkClient(o *catalog.ClientOptions) error {
	given := o.Given()
	if len(given) == 0 {
		return nil
	}
	p := registry.Neutral()
	if !a.neutral() {
		p, _ = registry.Lookup(a.host)
	}
	if foreign := (hosts.SwitchesOf(given) &^ p.Switches).Words(); len(foreign) > 0 {
		s := foreign[0]
		if a.neutral() {
			hint := "name the host: --as claude-code"
			if s.Is == hosts.SwitchTouched && a.takesFor {
				hint = "use --for FILE, or " + hint
			}
			return usage{failure{s.Flag + " is a switch of a host's program and means nothing in the neutral view", hint}}
		}
		hint := "leave it out"
		var flags []string
		for _, s := range p.Switches.Words() {
			flags = append(flags, s.Flag)
		}
		if len(flags) > 0 {
			hint += "; there are: " + strings.Join(flags, ", ")
		}
		return usage{failure{s.Flag + " means nothing in the view of " + p.Name, hint}}
	}
	for _, dir := range o.AddDirs {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return usage{failure{"--add-dir " + dir + ": there is no such directory", "name an existing directory"}}
		}
	}
	return nil
}

// sources is a flag that takes a list of sources of settings. An empty one reads
// none.
type sources struct{ to *[]string }

func (v sources) Set(text string) error {
	list := []string{}
	for _, word := range strings.Split(text, ",") {
		word = strings.TrimSpace(word)
		if word != "" && !slices.Contains(catalog.SettingSources(), word) {
			return fmt.Errorf("no source is named %q; use %s", word, strings.Join(catalog.SettingSources(), ", "))
		}
		if word != "" {
			list = append(list, word)
		}
	}
	*v.to = list
	return nil
}

func (v sources) Type() string { return "list" }

func (v sources) String() string {
	if v.to == nil {
		return ""
	}
	return strings.Join(*v.to, ",")
}

// agentName is a flag that takes the name of an agent. An empty one, as of a variable
// that is not set, is refused: it would ask for nobody, and get what is for some alone.
type agentName struct{ to *string }

func (v agentName) Set(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("it names no agent; see: vade list --kind agent")
	}
	*v.to = text
	return nil
}

func (v agentName) Type() string { return "string" }

func (v agentName) String() string {
	if v.to == nil {
		return ""
	}
	return *v.to
}

// mode is a flag that takes one of the permission modes.
type mode struct {
	to    *string
	modes []string
}

func (v mode) Set(text string) error {
	if !slices.Contains(v.modes, text) {
		return fmt.Errorf("no mode is named so; use %s", strings.Join(v.modes, ", "))
	}
	*v.to = text
	return nil
}

func (v mode) Type() string { return "mode" }

func (v mode) String() string {
	if v.to == nil {
		return ""
	}
	return *v.to
}

// agents is a flag that takes a JSON object. What is wrong in one of its agents
// is a diagnostic.
type agents struct{ to *string }

func (v agents) Set(text string) error {
	var all map[string]json.RawMessage
	err := json.Unmarshal([]byte(text), &all)
	if err == nil && all == nil {
		err = errors.New("it is null")
	}
	if err != nil {
		return fmt.Errorf(`not a JSON object: %w; write {"name": {"description": "…", "prompt": "…"}}`, err)
	}
	*v.to = text
	return nil
}

func (v agents) Type() string { return "json" }

func (v agents) String() string {
	if v.to == nil {
		return ""
	}
	return *v.to
}

// positive is a flag that takes a number above 0.
type positive struct{ to *int }

func (v positive) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n <= 0 {
		return fmt.Errorf("not a number above 0")
	}
	*v.to = n
	return nil
}

func (v positive) Type() string { return "number" }

func (v positive) String() string {
	if v.to == nil || *v.to == 0 {
		return ""
	}
	return strconv.Itoa(*v.to)
}
