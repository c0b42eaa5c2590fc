package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/terminal"
)

func (a *app) load() *cobra.Command {
	var maxKB int64
	var agent, session string
	var shell catalog.ShellOptions
	c := &cobra.Command{
		Use: "load REQUEST…", Short: "Load definitions as JSON, with references expanded",
		Long: `Load the requested definitions and print one JSON object, even on failure:

  /x   x                        a command or, if there is none, a skill
  command:x                     a command
  .claude/commands/x.md         a definition by its path
  skill:x                       a skill
  skills: a, b, c               up to three skills, 25 KB in total
  agent:x   instruction:x       an agent, an instruction
  mcp:server/x                  a definition from a server in your servers.yaml

Arguments follow the name; a single argument is split by Claude Code's rules. Unknown
flags, and everything after "--", belong to the request.

@path references to text files in the project are expanded, except for files that the
policy protects. By default, only read-only shell commands run. Other commands are left
unexpanded and reported. --no-shell or VADE_NO_SHELL=1 disables them all.

Exit codes: 0 loaded, 1 failed ("success": false), 2 invalid usage.`,
		Example: `  vade load /review-pr 123
  vade load '/review-pr 123 "the parser"'
  vade load skill:testing | jq -r '.skills[0].content'
  vade load skills: go, testing
  vade load .claude/commands/deploy.md`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: a.completeNames(),
		// The arguments of a request may start with a hyphen. splitRequest separates them from
		// flags.
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			c.InheritedFlags() // This call merges the global flags into c.Flags().
			options, request := splitRequest(c, args)
			if err := c.Flags().Parse(options); err != nil {
				return a.loadUsage(err.Error())
			}
			if help, err := c.Flags().GetBool("help"); help && err == nil {
				return c.Help()
			}
			return a.runLoad(c.Context(), agent, catalog.Options{MaxSkillBytes: maxKB << 10, Shell: shell, Session: session}, request)
		},
	}
	c.Flags().Int64Var(&maxKB, "max-kb", 25, "load at most `N` KB for a request with skill: or skills:")
	a.agentFlag(c, &agent, "agent", "load as the agent `NAME`; refuse definitions for other agents")
	c.Flags().StringVar(&session, "session-id", "", "set the session ID to `ID`")
	c.Flags().BoolVar(&shell.Off, "no-shell", false, "do not run shell commands")
	a.shellFlags(c, &shell)
	a.viewFlags(c)
	return c
}

// splitRequest separates vade's own flags from the request. After the request's first word, unknown
// flags belong to the request, as does everything after "--".
func splitRequest(c *cobra.Command, args []string) (options, request []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return options, append(request, args[i+1:]...)
		}
		f, hasValue := option(c, arg)
		switch {
		case f == nil && (len(request) > 0 || len(arg) < 2 || arg[0] != '-'):
			request = append(request, arg)
		case f != nil && !hasValue && f.NoOptDefVal == "" && i+1 < len(args):
			options = append(options, arg, args[i+1])
			i++
		default:
			options = append(options, arg)
		}
	}
	return options, request
}

// option returns the flag that arg names, or nil, and reports whether arg includes a value.
func option(c *cobra.Command, arg string) (f *pflag.Flag, hasValue bool) {
	if name, ok := strings.CutPrefix(arg, "--"); ok {
		name, _, hasValue = strings.Cut(name, "=")
		return c.Flags().Lookup(name), hasValue
	}
	if len(arg) < 2 || arg[0] != '-' {
		return nil, false
	}
	f = c.Flags().ShorthandLookup(arg[1:2])
	if f != nil && f.NoOptDefVal != "" && len(arg) > 2 {
		return nil, false
	}
	return f, len(arg) > 2
}

func (a *app) runLoad(ctx context.Context, agent string, o catalog.Options, args []string) error {
	if len(args) == 0 {
		return a.loadUsage("empty request")
	}
	if o.MaxSkillBytes <= 0 || o.MaxSkillBytes > 1<<30 {
		return a.loadUsage("--max-kb must be between 1 and 1048576")
	}
	o.Shell, o.Remote = withHelper(o.Shell), true
	cat, err := a.open(ctx, o)
	if err != nil {
		code := "FILE_UNREADABLE"
		if errors.As(err, new(usage)) {
			code = "USAGE"
		}
		a.printLoadError(code, withoutProgramName(err))
		return err
	}
	defer cat.Close()
	result, failed := cat.LoadFor(ctx, agent, args...)
	a.jsonPrinted = true
	data, err := catalog.JSON(result)
	if err == nil {
		_, err = a.world.Stdout.Write(data)
	}
	if err != nil || failed == nil {
		return err
	}
	if e := a.stderr(); e.IsTerminal() {
		e.Label(terminal.Red, "vade: error:", "%s", result.Error.Message)
		e.Label(terminal.Cyan, "vade: hint:", "%s", result.Error.Fix)
	}
	return silent{exitFailure}
}

// loadUsage returns a usage error after printing it as JSON.
func (a *app) loadUsage(message string) error {
	a.printLoadError("USAGE", message)
	return usage{failure{message, "see: vade load --help"}}
}

func (a *app) printLoadError(code, message string) {
	type fault struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	_ = a.printJSON(struct {
		Success bool  `json:"success"`
		Error   fault `json:"error"`
	}{false, fault{code, message}})
}

// completeNames completes the names of active definitions of the given kinds, or of all kinds if
// none are given.
func (a *app) completeNames(kinds ...definition.Kind) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if c.DisableFlagParsing {
			// Cobra has not removed the flags from args.
			c.InheritedFlags()
			var options []string
			options, args = splitRequest(c, args)
			_ = c.Flags().Parse(options)
		}
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return a.names(c, kinds...), cobra.ShellCompDirectiveDefault
	}
}

// names returns completions for active definitions of the given kinds, or of all kinds if none are
// given.
func (a *app) names(c *cobra.Command, kinds ...definition.Kind) []string {
	cat, err := a.open(c.Context(), catalog.Options{})
	if err != nil {
		return nil
	}
	defer cat.Close()
	list, err := cat.List(c.Context(), catalog.Query{Kinds: kinds})
	if err != nil {
		return nil
	}
	counts := map[string]int{}
	for _, d := range list {
		counts[d.Name()]++
	}
	var names []string
	for _, d := range list {
		name := d.Name()
		// Without a kind prefix, "load" finds only commands and skills.
		bare := counts[name] == 1 && (c.Name() != "load" || d.Kind() == definition.Skill)
		if !bare && c.Name() != "show" && d.Kind() != definition.Command {
			name = d.Kind().String() + ":" + name
		}
		names = append(names, terminal.EscapeLine(name)+"\t"+terminal.Truncate(terminal.EscapeLine(d.Description()), 60))
	}
	return names
}
