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
	var agent string
	var shell catalog.ShellOptions
	c := &cobra.Command{
		Use: "load REQUEST…", Short: "Load a definition as JSON, with its references expanded",
		Long: `Load what a request asks for and print one JSON object, also when it fails:

  /x   x                        a command, or else a skill
  command:x                     a command
  .claude/commands/x.md         a definition by its file
  skill:x                       a skill
  skills: a, b, c               up to three skills, 25 KB together
  agent:x   instruction:x       an agent, an instruction
  mcp:server/x                  what a server of your servers.yaml offers

The words after the name are its arguments; a single word is split as Claude Code
splits it. Flags that vade does not have belong to the request; after "--" all do.

@path references are expanded: text files inside the project that the policy does
not protect. Shell commands run where the policy allows them, by default only those
that read; the others stay in the text and are reported. --no-shell, or
VADE_NO_SHELL=1, runs none. With --agent, definitions for other agents are refused.

Exit codes: 0 loaded, 1 not ("success": false), 2 wrong usage.`,
		Example: `  vade load /review-pr 123
  vade load '/review-pr 123 "the parser"'
  vade load skill:testing | jq -r '.skills[0].content'
  vade load skills: go, testing
  vade load .claude/commands/deploy.md`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: a.completeNames,
		// A request has arguments that may look like options.
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			c.InheritedFlags() // joins the flags of all commands to this one's
			options, request := splitRequest(c, args)
			if err := c.Flags().Parse(options); err != nil {
				return a.loadUsage(err.Error())
			}
			if help, err := c.Flags().GetBool("help"); help && err == nil {
				return c.Help()
			}
			return a.runLoad(c.Context(), maxKB, agent, shell, request)
		},
	}
	c.Flags().Int64Var(&maxKB, "max-kb", 25, "load at most `N` KB of skills in one request")
	a.agent(c, &agent, "agent", "the agent `NAME` asks: what is for others (agents:) is refused")
	c.Flags().BoolVar(&shell.Off, "no-shell", false, "run no shell command")
	a.shellFlags(c, &shell)
	a.view(c)
	return c
}

// splitRequest tells vade's own options from the words of the request. Options
// that vade does not have are words once the request has begun; after "--"
// everything is.
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

// option returns the flag that an argument names, and whether it holds a value.
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

func (a *app) runLoad(ctx context.Context, maxKB int64, agent string, shell catalog.ShellOptions, args []string) error {
	if len(args) == 0 {
		return a.loadUsage("the request names nothing to load")
	}
	if maxKB <= 0 || maxKB > 1<<20 {
		return a.loadUsage("--max-kb must be from 1 to 1048576")
	}
	cat, err := a.open(ctx, catalog.Options{MaxSkillBytes: maxKB << 10, Shell: withHelper(shell), Remote: true})
	if err != nil {
		code := "FILE_UNREADABLE"
		if errors.As(err, new(usage)) {
			code = "USAGE"
		}
		a.printLoadError(code, bare(err))
		return err
	}
	defer cat.Close()
	result, failed := cat.LoadFor(ctx, agent, args...)
	a.printed = true
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
	return silent{exitFailed}
}

// loadUsage keeps the promise that standard output is JSON.
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

// completeNames offers names in force to the shell.
func (a *app) completeNames(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if c.DisableFlagParsing {
		// Options are among the words.
		c.InheritedFlags()
		var options []string
		options, args = splitRequest(c, args)
		_ = c.Flags().Parse(options)
	}
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.names(c), cobra.ShellCompDirectiveDefault
}

// names are the names in force of some kinds, or of all, for the shell.
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
	have := map[string]int{}
	for _, d := range list {
		have[d.Name()]++
	}
	var names []string
	for _, d := range list {
		name := d.Name()
		// "load" takes the bare name of a command or a skill only.
		bare := have[name] == 1 && (c.Name() != "load" || d.Kind() == definition.Skill)
		if !bare && c.Name() != "show" && d.Kind() != definition.Command {
			name = d.Kind().String() + ":" + name
		}
		names = append(names, terminal.EscapeLine(name)+"\t"+terminal.Truncate(terminal.EscapeLine(d.Description()), 60))
	}
	return names
}
