package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/schedule"
	"github.com/vadehq/vade/internal/terminal"
)

// loopPlan is what a loop is going to do; its fields are what --json prints.
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

// loopTeller says on standard error what happens in a loop.
type loopTeller struct {
	to    *terminal.Writer
	json  bool
	quiet bool
}

func (a *app) loopTeller(quiet bool) loopTeller {
	return loopTeller{to: a.stderr(), json: a.json, quiet: quiet}
}

// begin says what is going to be done. What was rounded is said also to people who want
// to hear of nothing else.
func (t loopTeller) begin(p loopPlan, span time.Duration, times int) {
	p.Ends = time.Now().Add(span).Round(time.Second)
	if t.json {
		if !t.quiet {
			t.object(p)
		}
		return
	}
	if p.Rounded != "" {
		say(t.to, "%s", p.Rounded)
	}
	if t.quiet {
		return
	}
	if times == 1 {
		// It is over with the run at once, of which there is a line.
		return
	}
	many := ""
	if times > 1 {
		many = runsOf(times) + ", "
	}
	say(t.to, "%s, %suntil %s at the latest; Ctrl-C stops", terminal.EscapeLine(p.Cadence), many, p.Ends.Format("Mon 2 Jan 15:04"))
	for _, note := range p.Notes {
		say(t.to, "%s", note)
	}
}

// event says what happened.
func (t loopTeller) event(e schedule.Event) {
	switch {
	case t.quiet:
	case t.json:
		t.object(eventJSON(e))
	case e.Run == 1 && errors.Is(e.Err, schedule.ErrNotStarted):
		// It is the error of the whole command.
	default:
		say(t.to, "%s", terminal.EscapeLine(eventLine(e)))
	}
}

func (t loopTeller) object(v any) {
	text, err := json.Marshal(v)
	if err == nil {
		// Nothing can be said of it where standard error can not be written.
		_, _ = t.to.Write(append(terminal.EscapeJSON(text), '\n'))
	}
}

func eventLine(e schedule.Event) string {
	next := ""
	if !e.Next.IsZero() {
		next = ", next " + clock(e.Next)
	}
	switch e.What {
	case "skip":
		return fmt.Sprintf("skipped %s: run %d is still going%s", clock(e.Began), e.Run, next)
	case "end":
		skipped := ""
		if e.Skipped > 0 {
			skipped = ", " + strconv.Itoa(e.Skipped) + " skipped"
		}
		return fmt.Sprintf("ended after %s%s: %s", runsOf(e.Run), skipped, whyWords(e.Why))
	}
	how := "ok after " + e.Took.Round(10*time.Millisecond).String()
	switch {
	case errors.Is(e.Err, schedule.ErrNotStarted):
		how = e.Err.Error()
	case e.Err != nil:
		how = e.Err.Error() + how[len("ok"):]
	}
	return fmt.Sprintf("run %d: %s%s", e.Run, how, next)
}

func whyWords(w schedule.Why) string {
	switch w {
	case schedule.Done:
		return "as many as asked for"
	case schedule.Over:
		return "no more are due in its time"
	}
	return "told to stop"
}

func runsOf(n int) string {
	if n == 1 {
		return "1 run"
	}
	return strconv.Itoa(n) + " runs"
}

// clock is a time of the day, with the date where it is another day's.
func clock(t time.Time) string {
	t = t.Local()
	if now := time.Now(); t.YearDay() != now.YearDay() || t.Year() != now.Year() {
		return t.Format("Mon 2 Jan 15:04:05")
	}
	return t.Format("15:04:05")
}

// eventJSON is what --json prints of an event.
func eventJSON(e schedule.Event) any {
	switch e.What {
	case "skip":
		return struct {
			Event string    `json:"event"`
			Run   int       `json:"run"`
			Due   time.Time `json:"due"`
			Next  time.Time `json:"next,omitzero"`
		}{e.What, e.Run, whole(e.Began), whole(e.Next)}
	case "end":
		return struct {
			Event   string       `json:"event"`
			Why     schedule.Why `json:"why"`
			Runs    int          `json:"runs"`
			Skipped int          `json:"skipped"`
		}{e.What, e.Why, e.Run, e.Skipped}
	}
	r := struct {
		Event   string    `json:"event"`
		Run     int       `json:"run"`
		Began   time.Time `json:"began"`
		Seconds float64   `json:"seconds"`
		OK      bool      `json:"ok"`
		Exit    *int      `json:"exit,omitempty"`
		Signal  string    `json:"signal,omitempty"`
		Error   string    `json:"error,omitempty"`
		Next    time.Time `json:"next,omitzero"`
	}{Event: e.What, Run: e.Run, Began: whole(e.Began), Seconds: e.Took.Round(time.Millisecond).Seconds(), OK: e.Err == nil, Next: whole(e.Next)}
	x, ended := errors.AsType[*sandbox.ExitError](e.Err)
	switch {
	case e.Err == nil:
		r.Exit = new(int)
	case ended && x.Signal == "":
		r.Exit = &x.Code
	case ended:
		r.Signal = x.Signal
	default:
		r.Error = e.Err.Error()
	}
	return r
}

// whole is a time without parts of a second.
func whole(t time.Time) time.Time { return t.Truncate(time.Second) }

// listen hears the signals that tell a process to stop, up to n that nobody takes.
func listen(n int) (signals chan os.Signal, stop func()) {
	signals = make(chan os.Signal, n)
	signal.Notify(signals, stops()...)
	return signals, func() { signal.Stop(signals) }
}

// stops are the signals that tell the process to stop. One that it was started to
// ignore, as nohup does it, tells it nothing.
func stops() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			list = append(list, s)
		}
	}
	return list
}

// outliveReaders keeps the process alive where nobody reads its output any more, which
// is then an error of the write: there is something to be ended or removed first. What it
// starts is told by the system as ever.
func outliveReaders() (stop func()) {
	unread := make(chan os.Signal, 1)
	signal.Notify(unread, syscall.SIGPIPE)
	return func() { signal.Stop(unread) }
}

// signalCause is why a context ends with a signal.
func signalCause(s os.Signal) error {
	if number, ok := s.(syscall.Signal); ok {
		return &sandbox.SignalError{Signal: number}
	}
	return errors.New(s.String())
}
