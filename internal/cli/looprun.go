package cli

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/schedule"
)

// loopFlags are the flags of vade loop run.
type loopFlags struct {
	every, cron, span, jitter string
	times                     int
	quiet                     bool
}

func (a *app) loopRun() *cobra.Command {
	var f loopFlags
	c := &cobra.Command{
		Use: "run [flags] [INTERVAL] -- COMMAND [ARG...]", Short: "Run a command at once, and then on a schedule",
		Long: `Run a command at once and then again and again, in the foreground, until it is
stopped. The times are those of the clock on the wall: with 5m at five past, ten past
and so on. A time at which the run before still goes on is skipped, which is said.

The command is yours: it is started directly, with your environment, and no policy is
asked. No shell reads its words; for pipes write: -- sh -c '...'. Its output passes
through. It has no standard input and no terminal to ask on.

Ctrl-C (or SIGTERM, SIGHUP, SIGQUIT) stops: the command gets the same signal, with all that it
started, and after ten seconds or a second Ctrl-C it is killed. The loop ends by itself
after seven days, and earlier with --times or --for: then no run begins any more, and
the one that goes on may end.

For each run there is a line on standard error; with --json it is a JSON object:
{"event": "begin", "interval", "seconds", "cron", "cadence", "rounded", "notes", "ends"}, then
{"event": "run", "run", "began", "seconds", "ok", "exit", "signal", "error", "next"} and
{"event": "skip", "run", "due", "next"}, and
{"event": "end", "why", "runs", "skipped"}; why is times, time, stopped or start.

Exit codes: 0 ended as asked, also when stopped; 1 the last run failed, or the first
could not be started; 2 wrong usage.`,
		Example: `  vade loop run --every 5m -- make test
  vade loop run 2h -- ./check-links --quiet
  vade loop run --cron '0 9-17 * * mon-fri' -- ./report
  vade loop run --every 10m --times 6 --jitter 0 -- sh -c 'date && git fetch'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage{failure{"there is no command", "write it behind two dashes: vade loop run --every 5m -- make test"}}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.runLoop(c, f, args) },
	}
	// What follows the first word is the command's.
	c.Flags().SetInterspersed(false)
	c.Flags().StringVar(&f.every, "every", "", "run every `INTERVAL`, such as 5m, 2h or 1d (default "+schedule.DefaultInterval+")")
	c.Flags().StringVar(&f.cron, "cron", "", "run at the times of the cron expression `EXPR` with five fields")
	c.Flags().IntVar(&f.times, "times", 0, "end after `N` runs")
	c.Flags().StringVar(&f.span, "for", "", "begin runs for `TIME`, at most 7d (default 7d)")
	c.Flags().StringVar(&f.jitter, "jitter", "", "begin up to `TIME` later, at random (default a tenth of the interval, at most 30s)")
	c.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "say nothing of runs")
	return c
}

func (a *app) runLoop(c *cobra.Command, f loopFlags, args []string) error {
	if f.times < 1 && c.Flags().Changed("times") {
		return usage{failure{"--times has to be 1 or more", "leave it out for no bound"}}
	}
	if c.ArgsLenAtDash() != 0 {
		var err error
		if args, err = f.leading(c, args); err != nil {
			return err
		}
	}
	if args[0] == "" {
		return usage{failure{"there is no command", "write it behind two dashes: vade loop run --every 5m -- make test"}}
	}
	if a.dir != "" {
		if info, err := os.Stat(a.dir); err != nil || !info.IsDir() {
			return usage{failure{"-C " + a.dir + ": there is no such directory", "name an existing directory"}}
		}
	}
	l, plan, err := f.loop(c)
	if err != nil {
		return err
	}
	defer outliveReaders()()
	ctx, kill, free := a.untilTold(c.Context())
	defer free()
	told := a.loopTeller(f.quiet)
	told.begin(plan, l.For, l.Times)
	l.Say = told.event
	command := sandbox.Unwalled{Args: args, Dir: a.dir, Stdout: a.world.Stdout, Stderr: a.world.Stderr, Kill: kill}
	end := l.Run(ctx, func(ctx context.Context, _ int) error { return started(command.Run(ctx)) })
	switch {
	case end.Why == schedule.Stopped || end.Err == nil:
		return nil
	case end.Why == schedule.NotBegun:
		return failure{end.Err.Error(), "name a program of your PATH or its path; what only a shell knows needs one: -- sh -c '...'"}
	}
	return silent{exitFailed}
}

// leading takes an interval and two dashes from the front of the words.
func (f *loopFlags) leading(c *cobra.Command, args []string) ([]string, error) {
	if p, err := schedule.Parse(args[0] + " x"); err != nil || p.Rule != schedule.Leading {
		return args, nil
	}
	words := strings.Fields(args[0])
	interval, behind := words[0], append(words[1:], args[1:]...)
	if c.Flags().Changed("every") {
		return nil, usage{failure{"--every " + f.every + " and " + interval + " are two intervals", "use one of them"}}
	}
	dashes := slices.Index(behind, "--")
	switch {
	case dashes == 0 && len(words) == 1 && len(behind) > 1:
		f.every = interval
		return behind[1:], nil
	case dashes > 0 && strings.HasPrefix(behind[0], "-"):
		return nil, usage{failure{"flags stand before the interval", "write: vade loop run " + strings.Join(behind[:dashes], " ") + " " + interval + " -- COMMAND"}}
	}
	command := "COMMAND"
	if dashes < 0 && len(behind) > 0 {
		command = strings.Join(behind, " ")
	}
	return nil, usage{failure{"behind the interval " + interval + " there have to be two dashes and a command", "write: vade loop run " + interval + " -- " + command + "; flags stand before the interval"}}
}

// loop is what the flags ask for.
func (f *loopFlags) loop(c *cobra.Command) (schedule.Loop, loopPlan, error) {
	l := schedule.Loop{Times: f.times, For: schedule.Life, Jitter: -1}
	fail := func(message, hint string) (schedule.Loop, loopPlan, error) {
		return l, loopPlan{}, usage{failure{message, hint}}
	}
	const form = "write a number and a unit, such as 30s, 5m, 2h or 1d"
	if c.Flags().Changed("for") {
		span, ok := schedule.ReadSpan(f.span)
		switch {
		case !ok || span <= 0:
			return fail("--for "+f.span+" is no time", form)
		case span > schedule.Life:
			return fail("--for "+f.span+" is too long: a loop ends after seven days", "leave it out for seven days")
		}
		l.For = span
	}
	if c.Flags().Changed("jitter") {
		span, ok := schedule.ReadSpan(f.jitter)
		if !ok {
			return fail("--jitter "+f.jitter+" is no time", form+", or 0 for none")
		}
		l.Jitter = span
	}
	plan := loopPlan{Event: "begin", Cron: f.cron, Cadence: "at the times of " + f.cron, Notes: []string{}}
	byCron, byInterval := c.Flags().Changed("cron"), f.every != "" || c.Flags().Changed("every")
	if byCron && byInterval {
		return fail("an interval and --cron say two things", "use one of them")
	}
	if !byCron {
		if !byInterval {
			f.every = schedule.DefaultInterval
		}
		i, rounded, ok := schedule.ReadInterval(f.every)
		if !ok {
			return fail("--every "+f.every+" is no interval", form)
		}
		plan.Interval, plan.Seconds, plan.Cron, plan.Cadence, plan.Rounded = i.Text, int64(i.Every), i.Cron, i.Cadence, rounded
		plan.Notes = i.Notes()
	}
	table, err := schedule.NewTable(plan.Cron)
	if err != nil {
		return fail("--cron "+f.cron+": "+err.Error(), "see: vade loop run --help")
	}
	l.Table = table
	return l, plan, nil
}

// untilTold returns a context that ends with the signal that tells the process to stop,
// as its cause, and a channel that is closed by a second one. It does not end with its
// parent at once: the same signal ends that too, without saying which it was.
func (a *app) untilTold(parent context.Context) (ctx context.Context, kill <-chan struct{}, free func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	signals, stop := listen(2)
	over, again := make(chan struct{}), make(chan struct{})
	// A signal before listen was heard by the parent only.
	unheard := context.AfterFunc(parent, func() {
		time.Sleep(100 * time.Millisecond)
		cancel(context.Canceled)
	})
	go func() {
		for n := range 2 {
			select {
			case s := <-signals:
				if n == 0 {
					cancel(signalCause(s))
				} else {
					close(again)
				}
			case <-over:
				return
			}
		}
	}()
	return ctx, again, func() {
		stop()
		unheard()
		close(over)
		cancel(context.Canceled)
	}
}

// notBegun is the error of a command that could not be started.
type notBegun struct{ error }

func (notBegun) Is(target error) bool { return target == schedule.ErrNotStarted }

// started tells the schedule which errors are those of a start.
func started(err error) error {
	if errors.Is(err, sandbox.ErrNotStarted) {
		return notBegun{err}
	}
	return err
}
