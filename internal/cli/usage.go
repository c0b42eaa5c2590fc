package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/resolve"
)

// flagName maps an old flag name to the current name. Old names are accepted but not shown in help.
func flagName(f *pflag.FlagSet, name string) pflag.NormalizedName {
	switch {
	case name == "as", name == "hosts":
		name = "host"
	case name == "print":
		name = "dry-run"
	}
	return pflag.NormalizedName(name)
}

// otherWords maps the names of commands in other tools to the corresponding commands in Vade.
func otherWords() map[string]string {
	words := map[string]string{}
	for command, others := range map[string]string{
		"add":                     "install i get fetch use",
		"audit":                   "scan security",
		"check":                   "lint validate test",
		"check --fix":             "fix fmt format",
		"clean":                   "prune purge reset",
		"connect":                 "setup integrate",
		"doctor":                  "diagnose health status",
		"explain":                 "whynot debug diff",
		"export":                  "convert translate transform",
		"help environment":        "env config settings",
		"help hooks":              "hooks hook",
		"help hosts":              "hosts host targets clients",
		"import":                  "migrate adopt",
		"init":                    "setup-project bootstrap",
		"list --kind agent":       "agents agent",
		"list --kind skill":       "skills skill",
		"list --kind command":     "commands command prompts",
		"list --kind instruction": "rules rule memory",
		"list":                    "browse tui",
		"help schemas":            "lsp edit editor",
		"new":                     "create scaffold generate make template templates",
		"owners":                  "owner blame",
		"policy":                  "permissions allow",
		"publish":                 "release deploy share",
		"remove":                  "rm uninstall delete",
		"render":                  "preview expand",
		"run":                     "exec execute call invoke",
		"runs":                    "jobs ps history",
		"search":                  "find grep query",
		"serve":                   "server mcp-server",
		"show":                    "info view describe inspect read cat",
		"stats":                   "tokens cost usage",
		"sync":                    "build compile apply link copy",
		"trust":                   "approve",
		"update":                  "upgrade refresh outdated",
	} {
		for other := range strings.FieldsSeq(others) {
			words[other] = command
		}
	}
	return words
}

// didYouMean returns a hint that suggests the names most similar to word. If none is similar, it
// returns fallback.
func didYouMean(word string, names []string, fallback string) string {
	return didYouMeanAny(resolve.Nearest(word, names), "", fallback)
}

// didYouMeanAny returns a hint that suggests names, with prefix before the first one. If names is
// empty, it returns fallback.
func didYouMeanAny(names []string, prefix, fallback string) string {
	if len(names) == 0 {
		return fallback
	}
	return "did you mean " + prefix + catalog.JoinOr(names) + "?"
}

// unknownCommand returns the error for a word that is not one of the commands below path.
func unknownCommand(path, word string, names []string) error {
	near := resolve.Nearest(word, names)
	if command := otherWords()[word]; command != "" {
		if name, _, _ := strings.Cut(command, " "); slices.Contains(names, name) {
			near = []string{command}
		}
	}
	hint := didYouMeanAny(near, path+" ", "to list commands, run: "+path+" --help")
	return usage{failure{fmt.Sprintf("unknown command %q for %q", word, path), hint}}
}

// onlyCommands rejects arguments to a command that has only subcommands.
func onlyCommands(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		names = append(names, sub.Name())
	}
	return unknownCommand(c.CommandPath(), args[0], names)
}

// checkAllArgs sets the argument check of every command below c that does not have one.
func checkAllArgs(c *cobra.Command) {
	switch {
	case c.Args != nil:
	case c.HasSubCommands():
		c.Args = onlyCommands
	default:
		c.Args = checkArgs("")
	}
	for _, sub := range c.Commands() {
		checkAllArgs(sub)
	}
}

// checkArgs returns a function that checks a command's arguments against its Use line, such as
// "show NAME" or "remove NAME…". The error names the missing or unexpected argument. The default
// hint points to the command's help.
func checkArgs(hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		hint := cmp.Or(hint, "see: "+c.CommandPath()+" --help")
		var needed []string
		optional := 0
		for _, word := range strings.Fields(c.Use)[1:] {
			switch {
			case word == "[flags]" || word == "--":
				continue
			case strings.HasPrefix(word, "["):
				optional++
			default:
				needed = append(needed, strings.TrimRight(word, "….]"))
			}
			if strings.Contains(word, "…") {
				optional += len(args)
			}
		}
		command := strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
		switch {
		case len(args) < len(needed):
			return usage{failure{command + ": " + needed[len(args)] + " is missing", hint}}
		case len(args) > len(needed)+optional:
			return usage{failure{fmt.Sprintf("%s: unexpected argument %q", command, args[len(needed)+optional]), hint}}
		}
		return nil
	}
}

// flagError adds a hint to the error for an invalid flag.
func flagError(c *cobra.Command, err error) error {
	if u, ok := errors.AsType[usage](err); ok {
		return u
	}
	hint := "see: " + c.CommandPath() + " --help"
	if x, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		hint = didYouMeanAny(resolve.Nearest(x.GetSpecifiedName(), names), "--", hint)
	}
	return usage{failure{err.Error(), hint}}
}

// unknownWord returns the error for a word that is not one of words. The message mentions source,
// which is the flag or command that takes the word, and noun, which says what the words are.
func unknownWord(source, noun, word string, words []string) error {
	return usage{failure{fmt.Sprintf("%s: unknown %s %q", source, noun, word), didYouMean(word, words, "use one of: "+strings.Join(words, ", "))}}
}

// hostNamed looks up a host in names by its name or alias. source is the flag or command that takes
// the host, for use in the error message.
func hostNamed(source, name string, names []string) (string, error) {
	if name == "" {
		return "", usage{failure{source + " needs a value", "use one of: " + strings.Join(names, ", ")}}
	}
	host := registry.Canonical(name)
	base, _, _ := strings.Cut(host, "@")
	if slices.Contains(names, host) || slices.Contains(names, base) && isHost(host) {
		return host, nil
	}
	return "", unknownHost(source, name, names)
}

// unknownHost returns the error for an unknown host or host version. source is the flag or command
// that takes the host, and names lists the hosts that it accepts.
func unknownHost(source, name string, names []string) error {
	base, _, pinned := strings.Cut(registry.Canonical(name), "@")
	if pinned && slices.Contains(names, base) {
		versions := registry.VersionsOf(base)
		noun := "versions"
		if len(versions) == 1 {
			noun = "only version"
		}
		return usage{failure{
			fmt.Sprintf("%s %s: unknown version; Vade knows %s %s of %s", source, name, noun, catalog.JoinAnd(versions), base),
			"use " + base + " or " + base + "@" + versions[0],
		}}
	}
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return strings.Contains(n, "@") })
	if isHost(name) {
		return usage{failure{fmt.Sprintf("%s: this command does not support the host %s", source, name), "use one of: " + strings.Join(names, ", ")}}
	}
	var near []string
	for _, n := range resolve.Nearest(base, append(registry.Aliases(), names...)) {
		if n = registry.Canonical(n); slices.Contains(names, n) && !slices.Contains(near, n) {
			near = append(near, n)
		}
	}
	return usage{failure{fmt.Sprintf("%s: unknown host %q", source, name), didYouMeanAny(near, "", "use one of: "+strings.Join(names, ", "))}}
}
