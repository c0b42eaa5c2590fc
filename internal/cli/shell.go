package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/terminal"
)

// exitRefused is the exit code of a command that the policy or the audit refuses, or that finds a
// ledger in an unsupported format.
const exitRefused = 3

// shellFlags adds the flags that control how shell commands run.
func (a *app) shellFlags(c *cobra.Command, o *catalog.ShellOptions) {
	c.Flags().BoolVarP(&o.DryRun, "dry-run", "n", false, "check shell commands against the policy without running them")
	c.Flags().BoolVar(&o.RequireSandbox, "require-sandbox", false, "start processes only in a complete sandbox")
}

// withHelper returns o with the current executable as the program that sets up sandboxes.
func withHelper(o catalog.ShellOptions) catalog.ShellOptions {
	// If Executable fails, Vade starts no processes and reports the reason in a diagnostic.
	o.SandboxHelper, _ = os.Executable()
	return o
}

func (a *app) shell() *cobra.Command {
	var options catalog.ShellOptions
	var request catalog.ShellRequest
	c := &cobra.Command{
		Use: "shell [flags] -- COMMAND", Short: "Run a shell command under the policy, as a definition would",
		Long: `Run a shell command exactly as loading a definition would: it is parsed, checked
against the policy, and run in this process or in the sandbox, without a shell. Commands
that you type do not need approval.

--arg sets $ARGUMENTS, $0, $1 …; --plugin-dir sets ${CLAUDE_PLUGIN_ROOT} and
${CLAUDE_SKILL_DIR}, by default the working directory. Multiple arguments are joined
into one command. An exit code that conveys a result, such as 1 from grep, is not a
failure.

Exit codes: 0 success, 1 the command failed, 2 invalid usage, 3 the policy refused it.`,
		Example: `  vade shell -- 'git status --short | head -5'
  vade shell --dry-run --json -- 'npm test || echo failed'
  vade shell --arg README.md -- 'wc -l $0'`,
		ValidArgsFunction: cobra.NoFileCompletions,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage{failure{"no command", "put the command after --: vade shell -- 'git status'"}}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			request.Command = args[0]
			if len(args) > 1 {
				request.Command = shell.Quote(args)
			}
			return a.runShell(c.Context(), options, request)
		},
	}
	a.shellFlags(c, &options)
	// Flags after the first argument belong to the command.
	c.Flags().SetInterspersed(false)
	c.Flags().StringArrayVar(&request.Arguments, "arg", nil, "pass the argument `TEXT` (may be repeated)")
	c.Flags().StringVar(&request.PluginDir, "plugin-dir", "", "use `DIR` as the definition's directory")
	return c
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
	err = a.output(result, func() error { return a.printShell(options, result) })
	if err == nil && result.Error != nil && result.Error.Code == "BASH_NOT_ALLOWED" {
		return silent{exitRefused}
	}
	return failIf(result.Error != nil, err)
}

// printShell prints a command's output and warnings, and either its error or the decisions.
func (a *app) printShell(options catalog.ShellOptions, r *catalog.ShellResult) error {
	out, e := a.stdout(), a.stderr()
	if r.Output != "" {
		fmt.Fprintln(out, terminal.Escape(r.Output))
	}
	if r.Truncated {
		e.Label(terminal.Yellow, "vade: warning:", "the output was truncated at the policy's limit")
	}
	if r.NotRead > 0 {
		e.Label(terminal.Yellow, "vade: warning:", "%s not searched", number(r.NotRead, "protected file or directory was", "protected files or directories were"))
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
				how = "not installed; its output will be an error message"
			case c.Open:
				how = "checked again after expansion"
			}
			out.Line(terminal.Plain, "allow  %s  (%s)", strings.Join(c.Argv, " "), how)
		}
	}
	return a.printProblems(r.Diagnostics)
}
