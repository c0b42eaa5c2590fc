package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/schedule"
	"github.com/vadehq/vade/internal/terminal"
)

func (a *app) loop() *cobra.Command {
	c := &cobra.Command{Use: "loop", Short: "Read what is to be repeated, and repeat a command", RunE: help}
	if !a.named(c) {
		return c
	}
	c.Long = `"parse" says what an interval and a prompt mean: it is what the bundled skill "loop"
is built from. "run" repeats a command here, in the foreground. docs/loop.md has the
grammar and the rules of rounding.`
	c.Example = "  vade loop parse '5m /check-build'\n  vade loop run --every 5m -- make test"
	c.Args = exactly(cobra.NoArgs, "see: vade loop --help")
	c.AddCommand(a.loopParse(), a.loopRun())
	return c
}

func help(c *cobra.Command, _ []string) error { return c.Help() }

func (a *app) loopParse() *cobra.Command {
	c := &cobra.Command{
		Use: "parse TEXT...", Short: "Say what interval, cron expression and prompt a text means",
		Long: `Say what a text asks to be repeated, and how often. Nothing is run or set up.

The first word may be the interval: digits and one of s, m, h, d. Otherwise the text
may end with "every" and an interval, as in "every 20m" or "every 2 hours". Otherwise
it is every ten minutes. What cron can not keep evenly is rounded to the nearest that
it can, and of two that are equally near to the longer; the answer says so.

Several words are one text, with a blank between two.

--json prints {"rule", "asked", "interval", "seconds", "cron", "cadence", "rounded",
"notes", "prompt"}; rule is leading, trailing or default.

Exit codes: 0 read, 2 wrong usage, also where there is no prompt.`,
		Example: `  vade loop parse '5m /check-build'
  vade loop parse 'run the tests every 2 hours'
  vade loop parse --json 90m look at the queue
  vade loop parse -- 5m make test --all        words with dashes in front`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage{failure{"there is no text", "write it behind the command: vade loop parse '5m /check-build'"}}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.runLoopParse(strings.Join(args, " ")) },
	}
	a.noFiles(c)
	return c
}

func (a *app) runLoopParse(text string) error {
	p, err := schedule.Parse(text)
	if err != nil {
		return usage{failure{err.Error(), "write " + schedule.Usage}}
	}
	if a.json {
		return a.printJSON(p)
	}
	return a.printPlan(p)
}

// printPlan prints a plan a line for each thing, the prompt last: it may have lines of
// its own.
func (a *app) printPlan(p schedule.Plan) error {
	out := a.stdout()
	var problems []error
	line := func(name, text string) {
		_, err := fmt.Fprintf(out, "%s %s\n", out.Paint(terminal.Dim, fmt.Sprintf("%-9s", name)), text)
		problems = append(problems, err)
	}
	line("interval", p.Text+" ("+p.Cadence+")")
	line("cron", p.Cron)
	if p.Rounded != "" {
		line("rounded", p.Rounded)
	}
	for _, note := range p.Notes {
		line("note", note)
	}
	line("prompt", strings.ReplaceAll(terminal.Escape(p.Prompt), "\n", "\n"+strings.Repeat(" ", 10)))
	return errors.Join(problems...)
}

// say writes one line for people, or nothing where they want none.
func say(w io.Writer, format string, args ...any) {
	// Nothing can be said of it where standard error can not be written.
	_, _ = fmt.Fprintf(w, "vade: "+format+"\n", args...)
}
