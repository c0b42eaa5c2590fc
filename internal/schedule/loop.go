package schedule

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	cron "github.com/netresearch/go-cron"
)

// Table is a parsed cron expression.
type Table struct{ times cron.Schedule }

// NewTable parses a cron expression with five fields: minute, hour, day of the
// month, month, and day of the week, with lists, ranges, steps and English
// short names. If both day fields are restricted, a day has to match only one
// of them, as in crontab(5). It is an error if the expression never matches.
func NewTable(expression string) (*Table, error) {
	if n := len(strings.Fields(expression)); n != 5 {
		return nil, fmt.Errorf("a cron expression has five fields (minute, hour, day of the month, month, "+
			"day of the week); this one has %d", n)
	}
	p, err := cron.TryNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.DowOrDom)
	if err != nil {
		return nil, err
	}
	times, err := p.Parse(expression)
	if err != nil {
		if number, ok := errors.AsType[*strconv.NumError](err); ok {
			err = fmt.Errorf("%q is not a valid number or name", number.Num)
		}
		return nil, fmt.Errorf("not a cron expression: %w", err)
	}
	t := &Table{times}
	if t.Next(time.Now()).IsZero() {
		return nil, errors.New("the cron expression never matches")
	}
	return t, nil
}

// Next returns the first scheduled time after the given one, in the same time zone and on a full
// minute. It returns the zero time if there is none within five years. When clocks are set forward,
// times in the skipped hour are moved to just after it. When clocks are set back, times in the
// repeated hour occur twice.
func (t *Table) Next(after time.Time) time.Time {
	next := t.times.Next(after)
	for !next.IsZero() && !next.After(after) {
		// When clocks are set back, the library can return the same time again.
		next = t.times.Next(next.Add(time.Minute))
	}
	return next
}

// Loop repeats something on a schedule. Only Table is required.
type Loop struct {
	Table *Table
	// Times is the number of runs after which the loop ends. If 0, there is no limit.
	Times int
	// For is the period in which the loop may start new runs. It defaults to Life, which is also
	// the maximum.
	For time.Duration
	// Jitter is the maximum random delay after a run's scheduled time. The delay never exceeds half
	// the interval until the next run. If Jitter is negative, the maximum is a tenth of that
	// interval or defaultJitter, whichever is shorter.
	Jitter time.Duration
	// NotStarted is the error, possibly wrapped, that a run returns if it could not start.
	NotStarted error
	// Say is called for each event, one at a time. It may be nil.
	Say func(Event)
}

// defaultJitter is the default maximum delay of a run.
const defaultJitter = 30 * time.Second

// Event describes something that happened in a loop.
type Event struct {
	// What is the kind of event: "run" if a run has ended, "skip" if a run was due while the
	// previous one was still running, and "end" if the loop has ended.
	What string
	// Run is the run's number, starting at 1. For a "skip" event, it is the number of the run in
	// progress; for an "end" event, it is the number of runs.
	Run int
	// Began is when the run began or, for a "skip" event, when the run was due.
	Began time.Time
	// Took is how long the run took.
	Took time.Duration
	// Next is when the next run is due, or the zero time if none is.
	Next time.Time
	// Skipped is the number of skipped runs. It is set in "end" events.
	Skipped int
	// Why is the reason the loop ended.
	Why Why
	// Err is a failed run's error. In an "end" event, it is the error from the last run that ended
	// on its own.
	Err error
}

// Why is the reason a loop ended.
type Why string

// The reasons for which a loop ends.
const (
	Done     Why = "times"   // the requested number of runs is complete
	Over     Why = "time"    // the time limit passes before the next run is due
	Stopped  Why = "stopped" // the context was canceled
	NotBegun Why = "start"   // the first run could not be started
)

// look is the interval at which the clock is checked. A single timer is not enough, because timers
// stop while the machine sleeps, and because the clock can be set.
const look = 30 * time.Second

// Run calls do immediately, and then at each scheduled time until the loop ends. It skips a run
// that is due while the previous one is still running. If the machine slept, a single run replaces
// the missed ones. After the duration For, Run does not start any more runs, but lets a run in
// progress finish. The context passed to do is canceled when ctx is canceled, or when the duration
// Life has passed since the first run began. Run waits for the run in progress and returns the last
// event.
func (l Loop) Run(ctx context.Context, do func(ctx context.Context, run int) error) Event {
	if l.For <= 0 || l.For > Life {
		l.For = Life
	}
	say := l.Say
	if say == nil {
		say = func(Event) {}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	start := time.Now()
	// The monotonic clock stops while the machine sleeps, and the system clock
	// can be set, so use the clock on which more time has passed.
	age := func() time.Duration {
		now := time.Now()
		return max(now.Sub(start), now.Round(0).Sub(start.Round(0)))
	}
	var due, began time.Time
	running, done := false, make(chan error, 1)
	end := Event{What: "end"}
	plan := func() {
		due = time.Time{}
		now := time.Now().Round(0)
		tick := l.Table.Next(now)
		if !tick.IsZero() && (l.Times == 0 || end.Run < l.Times) && tick.Sub(now) < l.For-age() {
			due = tick.Add(l.late(tick))
		}
	}
	begin := func() {
		end.Run++
		run := end.Run
		plan()
		began, running = time.Now(), true
		go func() { done <- do(ctx, run) }()
	}
	for begin(); end.Why == ""; {
		wait := min(look, Life-age())
		if !due.IsZero() {
			wait = min(wait, due.Sub(time.Now().Round(0)))
		}
		ended := false
		var err error
		select {
		case err = <-done:
			ended = true
		case <-ctx.Done():
		case <-time.After(wait):
			// If a run ends just when the next one is due, the next one is not skipped.
			select {
			case err = <-done:
				ended = true
			default:
			}
		}
		running = running && !ended
		switch {
		case ctx.Err() != nil:
			end.Why = Stopped
		case ended:
			end.Err = err
			say(Event{What: "run", Run: end.Run, Began: began, Took: time.Since(began), Next: due, Err: err})
			switch {
			case end.Run == 1 && err != nil && errors.Is(err, l.NotStarted):
				end.Why = NotBegun
			case end.Run == l.Times:
				end.Why = Done
			}
		case age() >= Life:
			end.Why = Over
		case due.IsZero() || time.Now().Round(0).Before(due):
		case age() >= l.For:
			due = time.Time{}
		case running:
			end.Skipped++
			missed := due
			plan()
			say(Event{What: "skip", Run: end.Run, Began: missed, Next: due})
		default:
			begin()
		}
		if end.Why == "" && !running && due.IsZero() {
			end.Why = Over
		}
	}
	if running {
		cancel()
		<-done
	}
	say(end)
	return end
}

// late returns how long to delay the run that is scheduled at tick. The delay is random.
func (l Loop) late(tick time.Time) time.Duration {
	after := l.Table.Next(tick)
	if after.IsZero() {
		return 0
	}
	gap, most := after.Sub(tick), l.Jitter
	if most < 0 {
		most = min(gap/10, defaultJitter)
	}
	return rand.N(min(most, gap/2) + 1)
}
