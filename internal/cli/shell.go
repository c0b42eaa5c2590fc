package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/catalog"
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
		Long: `Decide on a shell command and run it exactly as loading a definition would: the
command is parsed, judged by the policy, and run piece by piece, in this process or
in the sandbox; no shell sees it. What you type needs no approval.

--arg sets $ARGUMENTS, $0, $1 …; --plugin-dir, else the working directory, sets
${CLAUDE_PLUGIN_ROOT} and ${CLAUDE_SKILL_DIR}. Several words are the words of one
command. A status that is an answer, such as 1 of grep, is not a failure.

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
	if err := directories("--plugin-dir", request.PluginDir); err != nil {
		return err
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
		err = a.printJSON(result)
	} else {
		err = a.printShell(options, result)
	}
	switch {
	case err != nil || result.Error == nil:
		return err
	case result.Error.Code == "BASH_NOT_ALLOWED":
		return silent{exitRefused}
	}
	return silent{exitFailed}
}

// printShell prints what the command printed, and what became of it where that
// is not plain.
func (a *app) printShell(options catalog.ShellOptions, r *catalog.ShellResult) error {
	out, e := a.stdout(), a.stderr()
	if r.Output != "" {
		fmt.Fprintln(out, terminal.Escape(r.Output))
	}
	if r.Truncated {
		e.Label(terminal.Yellow, "vade: warning:", "the output was cut at the policy's limit")
	}
	if r.NotRead > 0 {
		e.Label(terminal.Yellow, "vade: warning:", "%d protected files or directories were not searched", r.NotRead)
	}
	if r.Error != nil {
		word := "failed"
		if r.Error.Code == "BASH_NOT_ALLOWED" {
			word = "refused"
		}
		e.Label(terminal.Red, "vade: "+word+":", "%s [%s]", r.Error.Message, cmp.Or(r.Error.Reason, string(r.Error.Code)))
		if r.Error.Fix != "" {
			e.Label(terminal.Cyan, "vade: hint:", "%s", r.Error.Fix)
		}
	} else if options.DryRun {
		for _, c := range r.Decision.Commands {
			how := c.Runs
			switch {
			case c.Runs == "missing":
				how = "not installed: nothing runs, and the text says so"
			case c.Open:
				how = "judged again when all its words are known"
			}
			out.Line(terminal.Plain, "allow  %s  (%s)", strings.Join(c.Argv, " "), how)
		}
	}
	return a.printProblems(r.Diagnostics)
}
