package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/terminal"
)

// exitRefused is the exit code of a command that was not allowed to run.
const exitRefused = 3

// shellFlags adds the flags that say how commands run.
func (a *app) shellFlags(c *cobra.Command, o *catalog.ShellOptions) {
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "decide on each shell command, and run none")
	c.Flags().BoolVar(&o.RequireSandbox, "require-sandbox", false, "start no process unless all walls around it stand")
}

// withHelper lets processes be started behind walls that this program builds.
func withHelper(o catalog.ShellOptions) catalog.ShellOptions {
	// Without the path of the program no process is started, which is said.
	o.SandboxHelper, _ = os.Executable()
	return o
}

func (a *app) shell() *cobra.Command {
	var options catalog.ShellOptions
	var request catalog.ShellRequest
	c := &cobra.Command{
		Use: "shell [flags] -- COMMAND", Short: "Decide on one shell command and run it as a definition would",
		Long: `Decide on one shell command, as it may stand in a definition, and run it exactly
as loading the definition would. It is the tool for trying a policy. Nothing is
handed to a shell: the command is parsed, judged by the policy, and run piece by
piece, in this process or behind walls.

$ARGUMENTS, $0, $1 and so on stand for what --arg gives; ${CLAUDE_PLUGIN_ROOT} and
${CLAUDE_SKILL_DIR} for --plugin-dir, or else the working directory. Several
words are taken as the words of one command, whatever they hold. What you type
needs no consent: a grant of your policy is enough.

A status that is an answer, such as 1 of grep or test, is no failure.

Exit codes: 0 it ran, 1 it ran and failed, 2 wrong usage, 3 it was refused.`,
		Example: `  vade shell -- 'git status --short | head -5'
  vade shell --dry-run --json -- 'npm test || echo failed'
  vade shell --arg README.md -- 'wc -l $0'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage{failure{"there is no command", "write it behind two dashes: vade shell -- 'git status'"}}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			request.Command = args[0]
			if len(args) > 1 {
				request.Command = quoteWords(args)
			}
			return a.runShell(c.Context(), options, request)
		},
	}
	if !a.named(c) {
		return c
	}
	a.shellFlags(c, &options)
	// What follows the first word is the command's.
	c.Flags().SetInterspersed(false)
	c.Flags().StringArrayVar(&request.Arguments, "arg", nil, "give the command the argument `TEXT` (may be repeated)")
	c.Flags().StringVar(&request.PluginDir, "plugin-dir", "", "take `DIR` for the definition's own directory")
	a.noFiles(c)
	return c
}

// noFiles offers no file names where the shell completes operands.
func (a *app) noFiles(c *cobra.Command) {
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// quoteWords writes words so that a shell reads them back as they are.
func quoteWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}

func (a *app) runShell(ctx context.Context, options catalog.ShellOptions, request catalog.ShellRequest) error {
	if dir := request.PluginDir; dir != "" {
		info, err := os.Stat(dir)
		if err != nil || !info.IsDir() {
			return usage{failure{"--plugin-dir " + dir + ": there is no such directory", "name an existing directory"}}
		}
	}
	cat, err := a.open(ctx, catalog.Options{Shell: withHelper(options)})
	if err != nil {
		return err
	}
	defer cat.Close()
	result, err := cat.Shell(ctx, request)
	if err != nil {
		return err
	}
	if a.json {
		if err := a.printJSON(result); err != nil {
			return err
		}
	} else if err := a.printShell(options, result); err != nil {
		return err
	}
	return shellExit(result)
}

// shellExit is the exit code of a result.
func shellExit(r *catalog.ShellResult) error {
	switch {
	case r.Error == nil:
		return nil
	case r.Error.Code == "BASH_NOT_ALLOWED":
		return silent{exitRefused}
	}
	return silent{exitFailed}
}

// printShell prints what the command printed, and what became of it where that
// is not plain.
func (a *app) printShell(options catalog.ShellOptions, r *catalog.ShellResult) error {
	e := a.stderr()
	if r.Output != "" {
		if _, err := fmt.Fprintln(a.world.Stdout, terminal.Escape(r.Output)); err != nil {
			return err
		}
	}
	if r.Truncated {
		fmt.Fprintf(e, "%s the output was cut at the policy's limit\n", e.Paint(terminal.Yellow, "vade: warning:"))
	}
	if r.NotRead > 0 {
		fmt.Fprintf(e, "%s %d protected files or directories were not searched\n", e.Paint(terminal.Yellow, "vade: warning:"), r.NotRead)
	}
	if r.Error != nil {
		word := "failed"
		if r.Error.Code == "BASH_NOT_ALLOWED" {
			word = "refused"
		}
		fmt.Fprintf(e, "%s %s [%s]\n", e.Paint(terminal.Red, "vade: "+word+":"), terminal.EscapeLine(r.Error.Message), shellCode(r))
		if r.Error.Fix != "" {
			fmt.Fprintf(e, "%s %s\n", e.Paint(terminal.Cyan, "vade: hint:"), terminal.EscapeLine(r.Error.Fix))
		}
		return a.printProblems(r.Diagnostics)
	}
	if err := a.printProblems(r.Diagnostics); err != nil {
		return err
	}
	if options.DryRun {
		for _, c := range r.Decision.Commands {
			how := c.Runs
			if c.Open {
				how = "judged again when all its words are known"
			}
			if c.Runs == "missing" {
				how = "not installed: nothing runs, and the text says so"
			}
			fmt.Fprintf(a.world.Stdout, "allow  %s  (%s)\n", terminal.EscapeLine(strings.Join(c.Argv, " ")), how)
		}
	}
	return nil
}

func shellCode(r *catalog.ShellResult) string {
	if r.Error.Reason != "" {
		return r.Error.Reason
	}
	return string(r.Error.Code)
}

// printJSON prints one value as indented JSON.
func (a *app) printJSON(v any) error {
	data, err := jsonc.Marshal(v, "  ")
	if err != nil {
		return err
	}
	_, err = a.world.Stdout.Write(terminal.EscapeJSON(data))
	return err
}
