package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/schedule"
	"github.com/vadehq/vade/internal/terminal"
)

func (a *app) loop() *cobra.Command {
	c := &cobra.Command{Use: "loop", Short: "Repeat a command on a schedule", RunE: a.group}
	c.Long = `"run" repeats a command in the foreground. "parse" splits text into an interval and
a prompt, for the bundled "loop" skill. For the grammar, run: vade help loop.`
	c.Example = "  vade loop parse '5m /check-build'\n  vade loop run --every 5m -- make test"
	c.AddCommand(a.loopParse(), a.loopRun())
	return c
}

// group runs a command that only has subcommands. It prints the command's help.
func (a *app) group(c *cobra.Command, _ []string) error {
	if a.json {
		return usage{failure{c.Name() + ": COMMAND is missing", "see: " + c.CommandPath() + " --help"}}
	}
	return c.Help()
}

func (a *app) loopParse() *cobra.Command {
	return &cobra.Command{
		Use: "parse TEXT…", Short: "Split text into an interval, a cron expression and a prompt",
		Long: `Print what the text asks to repeat, and how often. Nothing runs.

The interval is the first word (a number and s, m, h or d), or "every" and an interval
at the end, such as "every 20m" or "every 2 hours". The default is ten minutes. If cron
cannot express an interval evenly, the interval is rounded to the nearest one that cron
can express; if two are equally near, the longer one is used.

Arguments are joined with spaces.

--json prints {"rule", "asked", "interval", "seconds", "cron", "cadence", "rounded",
"notes", "prompt"}; rule is leading, trailing or default.

Exit codes: 0 success, 2 invalid usage or no prompt.`,
		Example: `  vade loop parse '5m /check-build'
  vade loop parse 'run the tests every 2 hours'
  vade loop parse --json 90m look at the queue
  vade loop parse -- 5m make test --all        a prompt with dashes`,
		Args:              checkArgs("specify the text: vade loop parse '5m /check-build'"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(_ *cobra.Command, args []string) error { return a.runLoopParse(strings.Join(args, " ")) },
	}
}

func (a *app) runLoopParse(text string) error {
	p, err := schedule.Parse(text)
	if err != nil {
		return usage{failure{err.Error(), "use " + schedule.Usage}}
	}
	return a.output(p, func() error { return a.printPlan(p) })
}

// printPlan prints the parts of a plan. The prompt comes last because it may span several lines.
func (a *app) printPlan(p schedule.Plan) error {
	out := a.stdout()
	line := func(name, text string) {
		fmt.Fprintf(out, "%s %s\n", out.Paint(terminal.Dim, fmt.Sprintf("%-9s", name)), text)
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
	return out.Err()
}

// loopFlags holds the flags for vade loop run.
type loopFlags struct {
	every, cron, span, jitter string
	times                     int
	quiet                     bool
}

const noCommand = "put the command after --: vade loop run --every 5m -- make test"

func (a *app) loopRun() *cobra.Command {
	var f loopFlags
	c := &cobra.Command{
		Use: "run [flags] [INTERVAL] -- COMMAND [ARG…]", Short: "Run a command immediately and then on a schedule",
		Long: `Run a command immediately and then repeatedly, in the foreground, until you stop it.
Runs are aligned to the clock: with 5m, they start at five past, ten past and so on. A
run is skipped if the previous one is still running.

The command starts directly, with your environment, without a shell and without a
policy. For pipes, use: -- sh -c '...'. The command has no stdin and no terminal; its
output is passed through.

Ctrl-C, SIGTERM, SIGHUP and SIGQUIT are passed on to the command and its children.
They are killed after ten seconds or a second signal. The loop ends after seven days, or
earlier with --times or --for, which let a run in progress finish.

Each run is reported on stderr; with --json, as a JSON object: {"event": "begin",
"interval", "seconds", "cron", "cadence", "rounded", "notes", "ends"}, then {"event":
"run", "run", "began", "seconds", "ok", "exit", "signal", "error", "next"} and {"event":
"skip", "run", "due", "next"}, and {"event": "end", "why", "runs", "skipped"}; why is
times, time, stopped or start.

Exit codes: 0 ended or stopped; 1 the last run failed, or the first could not start;
2 invalid usage.`,
		Example: `  vade loop run --every 5m -- make test
  vade loop run 2h -- ./check-links --quiet
  vade loop run --cron '0 9-17 * * mon-fri' -- ./report
  vade loop run --every 10m --times 6 --jitter 0 -- sh -c 'date && git fetch'`,
		Args: checkArgs(noCommand),
		RunE: func(c *cobra.Command, args []string) error { return a.runLoop(c, f, args) },
	}
	// Flags after the first argument belong to the command.
	c.Flags().SetInterspersed(false)
	c.Flags().StringVar(&f.every, "every", "", "run every `INTERVAL`, such as 5m, 2h or 1d (default 10m)")
	c.Flags().StringVar(&f.cron, "cron", "", "run on the schedule of the five-field cron expression `EXPR`")
	c.Flags().IntVar(&f.times, "times", 0, "end after `N` runs")
	c.Flags().StringVar(&f.span, "for", "", "stop starting runs after `TIME`, at most 7d (default 7d)")
	c.Flags().StringVar(&f.jitter, "jitter", "", "delay each run by a random time up to `TIME` (default: a tenth of the interval, at most 30s)")
	c.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "do not report runs")
	return c
}

func (a *app) runLoop(c *cobra.Command, f loopFlags, args []string) error {
	// The interval may precede "--".
	if p, err := schedule.Parse(args[0] + " x"); c.ArgsLenAtDash() != 0 && err == nil && p.Rule == schedule.Leading {
		if c.Flags().Changed("every") {
			return usage{failure{"--every " + f.every + " and " + args[0] + " are both intervals", "use only one of them"}}
		}
		if len(args) < 3 || args[1] != "--" {
			interval := strings.Fields(args[0])[0]
			return usage{failure{
				"the interval " + interval + " must be followed by -- and a command",
				"use: vade loop run [flags] " + interval + " -- COMMAND",
			}}
		}
		f.every, args = args[0], args[2:]
	}
	if args[0] == "" {
		return usage{failure{"no command", noCommand}}
	}
	if err := directories("-C", a.dir); err != nil {
		return err
	}
	l, plan, err := f.loop(c)
	if err != nil {
		return err
	}
	defer surviveSIGPIPE()()
	kill := a.signals.hold()
	reporter := loopReporter{to: a.stderr(), json: a.json, quiet: f.quiet}
	reporter.begin(plan, l.For, l.Times)
	l.Say = reporter.event
	command := sandbox.Unsandboxed{Args: args, Dir: a.dir, Stdout: a.world.Stdout, Stderr: a.world.Stderr, Kill: kill}
	end := l.Run(c.Context(), func(ctx context.Context, _ int) error { return command.Run(ctx) })
	switch {
	case end.Why == schedule.Stopped || end.Err == nil:
		return nil
	case end.Why == schedule.NotBegun:
		return failure{end.Err.Error(), "specify a program in PATH or the path to a program; for shell syntax, use: -- sh -c '...'"}
	}
	return silent{exitFailure}
}

// loop returns the loop that the flags describe, and the plan to print.
func (f *loopFlags) loop(c *cobra.Command) (schedule.Loop, loopPlan, error) {
	l := schedule.Loop{Times: f.times, For: schedule.Life, Jitter: -1, NotStarted: sandbox.ErrNotStarted}
	plan := loopPlan{Event: "begin", Cron: f.cron, Cadence: "on the schedule " + f.cron, Notes: []string{}}
	fail := func(message, hint string) (schedule.Loop, loopPlan, error) {
		return l, plan, usage{failure{message, hint}}
	}
	const form = "use a number and a unit, such as 30s, 5m, 2h or 1d"
	changed := c.Flags().Changed
	var ok bool
	if changed("times") && f.times < 1 {
		return fail("--times must be 1 or more", "omit it for no limit")
	}
	if changed("for") {
		l.For, ok = schedule.ReadSpan(f.span)
		if !ok || l.For <= 0 || l.For > schedule.Life {
			return fail("--for "+f.span+": must be a duration of at most seven days", form)
		}
	}
	if changed("jitter") {
		if l.Jitter, ok = schedule.ReadSpan(f.jitter); !ok {
			return fail("--jitter "+f.jitter+": invalid duration", form+", or 0 for none")
		}
	}
	byInterval := f.every != "" || changed("every")
	switch {
	case changed("cron") && byInterval:
		return fail("an interval and --cron cannot be used together", "use only one of them")
	case !changed("cron"):
		if !byInterval {
			f.every = schedule.DefaultInterval
		}
		i, rounded, ok := schedule.ReadInterval(f.every)
		if !ok {
			return fail("--every "+f.every+": invalid interval", form)
		}
		plan.Interval, plan.Seconds, plan.Cron, plan.Cadence = i.Text, i.Seconds, i.Cron, i.Cadence
		plan.Rounded, plan.Notes = rounded, i.Notes()
	}
	var err error
	if l.Table, err = schedule.NewTable(plan.Cron); err != nil {
		return fail("--cron "+f.cron+": "+err.Error(), "see: vade loop run --help")
	}
	return l, plan, nil
}

// surviveSIGPIPE turns SIGPIPE into a write error until stop is called, so that the process can
// clean up if the program that reads its output exits. Child processes are not affected.
func surviveSIGPIPE() (stop func()) {
	unread := make(chan os.Signal, 1)
	signal.Notify(unread, syscall.SIGPIPE)
	return func() { signal.Stop(unread) }
}

// loopPlan describes a loop that is about to start. It is printed with --json.
type loopPlan struct {
	Event    string    `json:"event"`
	Interval string    `json:"interval,omitempty"`
	Seconds  int64     `json:"seconds,omitempty"`
	Cron     string    `json:"cron"`
	Cadence  string    `json:"cadence"`
	Rounded  string    `json:"rounded"`
	Notes    []string  `json:"notes"`
	Ends     time.Time `json:"ends"`
}

// loopEvent is the JSON form of an event.
type loopEvent struct {
	Event   string       `json:"event"`
	Run     int          `json:"run,omitempty"`
	Due     time.Time    `json:"due,omitzero"`
	Began   time.Time    `json:"began,omitzero"`
	Seconds *float64     `json:"seconds,omitempty"`
	OK      *bool        `json:"ok,omitempty"`
	Exit    *int         `json:"exit,omitempty"`
	Signal  string       `json:"signal,omitempty"`
	Error   string       `json:"error,omitempty"`
	Why     schedule.Why `json:"why,omitempty"`
	Runs    *int         `json:"runs,omitempty"`
	Skipped *int         `json:"skipped,omitempty"`
	Next    time.Time    `json:"next,omitzero"`
}

// loopReporter reports a loop's events on stderr. It ignores write errors.
type loopReporter struct {
	to    *terminal.Writer
	json  bool
	quiet bool
}

func (t loopReporter) say(format string, args ...any) {
	_, _ = fmt.Fprintln(t.to, "vade: "+terminal.EscapeLine(fmt.Sprintf(format, args...)))
}

func (t loopReporter) object(v any) {
	if text, err := json.Marshal(v); err == nil {
		_, _ = t.to.Write(append(terminal.EscapeJSON(text), '\n'))
	}
}

// begin reports the plan. If the interval was rounded and --json is not set, begin reports the
// rounding even if quiet is set.
func (t loopReporter) begin(p loopPlan, span time.Duration, times int) {
	p.Ends = time.Now().Add(span).Round(time.Second)
	switch {
	case t.json && !t.quiet:
		t.object(p)
	case t.json:
	default:
		if p.Rounded != "" {
			t.say("%s", p.Rounded)
		}
		if t.quiet || times == 1 {
			return
		}
		many := ""
		if times > 1 {
			many = plural(times, "run") + ", "
		}
		t.say("%s, %suntil %s at the latest; press Ctrl-C to stop", p.Cadence, many, p.Ends.Format("Mon Jan 2 15:04"))
		for _, note := range p.Notes {
			t.say("%s", note)
		}
	}
}

// event reports one event.
func (t loopReporter) event(e schedule.Event) {
	next := ""
	if !e.Next.IsZero() {
		next = ", next " + clock(e.Next)
	}
	notStarted := errors.Is(e.Err, sandbox.ErrNotStarted)
	switch {
	case t.quiet:
	case t.json:
		t.object(eventJSON(e))
	case e.Run == 1 && notStarted:
		// The command returns this error, so do not report it twice.
	case e.What == "skip":
		t.say("skipped %s: run %d is still running%s", clock(e.Began), e.Run, next)
	case e.What == "end":
		skipped, why := "", "stopped"
		if e.Skipped > 0 {
			skipped = ", " + strconv.Itoa(e.Skipped) + " skipped"
		}
		switch e.Why {
		case schedule.Done:
			why = "the --times limit was reached"
		case schedule.Over:
			why = "the time limit was reached"
		}
		t.say("ended after %s%s: %s", plural(e.Run, "run"), skipped, why)
	default:
		how, after := "ok", " after "+e.Took.Round(10*time.Millisecond).String()
		if e.Err != nil {
			how = e.Err.Error()
		}
		if notStarted {
			after = ""
		}
		t.say("run %d: %s%s%s", e.Run, how, after, next)
	}
}

// clock formats t as a time of day, preceded by the date unless that is today.
func clock(t time.Time) string {
	t = t.Local()
	if now := time.Now(); t.YearDay() != now.YearDay() || t.Year() != now.Year() {
		return t.Format("Mon Jan 2 15:04:05")
	}
	return t.Format("15:04:05")
}

func eventJSON(e schedule.Event) loopEvent {
	v := loopEvent{Event: e.What, Run: e.Run, Next: e.Next.Truncate(time.Second)}
	began := e.Began.Truncate(time.Second)
	switch e.What {
	case "skip":
		v.Due = began
		return v
	case "end":
		v.Run, v.Why, v.Runs, v.Skipped = 0, e.Why, &e.Run, &e.Skipped
		return v
	}
	v.Began, v.OK, v.Seconds = began, new(e.Err == nil), new(e.Took.Round(time.Millisecond).Seconds())
	x, ended := errors.AsType[*sandbox.ExitError](e.Err)
	switch {
	case e.Err == nil:
		v.Exit = new(int)
	case ended && x.Signal == "":
		v.Exit = &x.Code
	case ended:
		v.Signal = x.Signal
	default:
		v.Error = e.Err.Error()
	}
	return v
}
