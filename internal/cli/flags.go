package cli

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
)

// viewFlags adds the flags that select the directories to read.
func (a *app) viewFlags(c *cobra.Command) {
	c.Flags().BoolVar(&a.nested, "nested", false, "also search all subdirectories of the project")
	c.Flags().StringArrayVar(&a.plugins, "plugin-dir", nil, "use the plugin in `DIR` (may be repeated)")
}

// viewFlag adds --host, which selects a host's view.
func (a *app) viewFlag(c *cobra.Command) {
	hostFlag(c, &a.host, "show what `HOST` sees (see: vade help hosts)", catalog.Hosts)
}

// hostFlag adds --host, which accepts one of names.
func hostFlag(c *cobra.Command, to *string, usage string, names func() []string) {
	c.Flags().Func("host", usage, func(text string) (err error) {
		*to, err = hostNamed("--host", text, names())
		return err
	})
	completeHosts(c, names)
}

// hostsFlag adds --host, which accepts one or more of names. The flag may be repeated, and its
// value may be a comma-separated list.
func hostsFlag(c *cobra.Command, to *[]string, usage string, names func() []string) {
	c.Flags().Func("host", usage, func(text string) error {
		for word := range strings.SplitSeq(text, ",") {
			name, err := hostNamed("--host", word, names())
			if err != nil {
				return err
			}
			*to = append(*to, name)
		}
		return nil
	})
	completeHosts(c, names)
}

// kindFlag adds --kind.
func kindFlag(c *cobra.Command, to *[]definition.Kind, verb string) {
	var words []string
	for _, k := range definition.Kinds {
		words = append(words, k.String())
	}
	c.Flags().FuncP("kind", "k", verb+" only `KIND` (may be repeated): "+strings.Join(words, ", "), func(text string) error {
		for word := range strings.SplitSeq(text, ",") {
			k, ok := definition.ParseKind(word)
			if !ok {
				return unknownWord("--kind", "kind", word, words)
			}
			*to = append(*to, k)
		}
		return nil
	})
	completeFlag(c, "kind", words...)
}

// choiceFlag adds a flag that accepts one of words.
func choiceFlag(c *cobra.Command, to *string, flag, usage string, words ...string) {
	c.Flags().Func(flag, usage+": "+strings.Join(words, ", "), func(text string) error {
		if !slices.Contains(words, text) {
			return unknownWord("--"+flag, "value", text, words)
		}
		*to = text
		return nil
	})
	completeFlag(c, flag, words...)
}

// agentFlag adds a flag that takes an agent name. It rejects an empty name, such as the value of an
// unset variable, because running without an agent means running without restrictions.
func (a *app) agentFlag(c *cobra.Command, to *string, flag, usage string) {
	c.Flags().Func(flag, usage, func(text string) error {
		if strings.TrimSpace(text) == "" {
			return errors.New("the name is empty; to list agents, run: vade list --kind agent")
		}
		*to = text
		return nil
	})
	_ = c.RegisterFlagCompletionFunc(flag, func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		names := a.names(c, definition.Agent)
		for i := range names {
			names[i] = strings.TrimPrefix(names[i], "agent:")
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
}

// positiveFlag adds a flag that takes a positive integer.
func positiveFlag(c *cobra.Command, to *int, flag, usage string) {
	c.Flags().Func(flag, usage, func(text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n <= 0 {
			return errors.New("must be a positive integer")
		}
		*to = n
		return nil
	})
}

// completeFlag offers words as completions for a flag's value.
func completeFlag(c *cobra.Command, flag string, words ...string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

func completeHosts(c *cobra.Command, names func() []string) {
	_ = c.RegisterFlagCompletionFunc("host", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return names(), cobra.ShellCompDirectiveNoFileComp
	})
}
