package cli

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade"
)

// permissionModes are the words that --permission-mode takes.
var permissionModes = []string{"default", "acceptEdits", "auto", "bypassPermissions", "dontAsk", "manual", "plan"}

// client adds the switches that a host's own program has, by its own names. They
// mean something in the view of a host only; open sees to that.
func (a *app) client(c *cobra.Command, o *vade.ClientOptions) {
	f := c.Flags()
	f.Var(sources{&o.SettingSources}, "setting-sources", "read the user's, the project's and the local settings and definitions only of `LIST`: "+
		strings.Join(vade.SettingSources(), ","))
	f.BoolVar(&o.Bare, "bare", false, "load no definitions and no instructions")
	f.BoolVar(&o.NoCommands, "disable-slash-commands", false, "load no skills and no commands")
	f.Var(mode{&o.PermissionMode}, "permission-mode", "ask for permission as in `MODE`: "+strings.Join(permissionModes, ", "))
	f.StringVar(&o.Agents, "agents", "", "use the agents of `JSON` besides those in files")
	f.StringVar(&o.Agent, "agent", "", "run the session as the agent `NAME`")
	f.StringArrayVar(&o.AddDirs, "add-dir", nil, "look for definitions in `DIR` too (may be repeated)")
	f.Var(positive{&o.ContextTokens}, "context-tokens", "the model's context has `N` tokens")
	f.StringArrayVar(&o.Touched, "touched", nil, "the session has read or changed `FILE` (may be repeated)")
	_ = c.RegisterFlagCompletionFunc("setting-sources", cobra.FixedCompletions(vade.SettingSources(), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("permission-mode", cobra.FixedCompletions(permissionModes, cobra.ShellCompDirectiveNoFileComp))
}

// checkClient refuses switches of a host where the view is no host's, and
// directories that do not exist.
func (a *app) checkClient(o *vade.ClientOptions) error {
	set := o.SettingSources != nil || o.Bare || o.NoCommands || o.PermissionMode != "" || o.Agents != "" || o.Agent != "" ||
		len(o.AddDirs) > 0 || o.ContextTokens != 0 || len(o.Touched) > 0
	if set && (a.host == "" || a.host == "neutral") {
		return usage{failure{"the switches of a host's program mean nothing in the neutral view", "name the host: --as claude-code"}}
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
		if word != "" && !slices.Contains(vade.SettingSources(), word) {
			return fmt.Errorf("no source is named %q; use %s", word, strings.Join(vade.SettingSources(), ", "))
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

// mode is a flag that takes one of the permission modes.
type mode struct{ to *string }

func (v mode) Set(text string) error {
	if !slices.Contains(permissionModes, text) {
		return fmt.Errorf("no mode is named so; use %s", strings.Join(permissionModes, ", "))
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
