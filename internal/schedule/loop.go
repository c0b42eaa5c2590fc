package schedule

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// ErrNotStarted marks the error of a run that could not begin at all.
var ErrNotStarted = errors.New("it can not be started")

// Loop repeats something by a table. Only its Table is needed.
type Loop struct {
	Table *Table
	// Times is after how many runs the loop ends; 0 is no bound.
	Times int
	// For is how long new runs begin, at most Life; 0 is Life.
	For time.Duration
	// Jitter is how much later than the table a run begins at most, at random, and
	// never later than half of the way to the next time; 0 is not at all. Below 0 it is
	// a tenth of the way to the next time, at most DefaultJitter.
	Jitter time.Duration
	// Say is told of each thing that happens, one at a time; nil tells nobody.
	Say func(Event)

	// draw returns a number from 0 up to, and without, n; nil is at random.
	draw func(n int64) int64
}

// DefaultJitter is the most that a run is late by default.
const DefaultJitter = 30 * time.Second

// Event is one thing that happened in a loop.
type Event struct {
	// What happened: "run" where one has ended, "skip" where one was due while the one
	// before was still going, "end" where the loop is over.
	What string
	// Run is the number of the run, from 1; of a skip that of the one still going, and
	// at the end how many there were.
	Run int
	// Began is when the run began, and of a skip when it was due.
	Began time.Time
	// Took is how long a run took.
	Took time.Duration
	// Next is when the next run is due; zero where none is.
	Next time.Time
	// Skipped is how many were skipped, at the end.
	Skipped int
	// Why says what ended the loop.
	Why Why
	// Err is how a run failed, and at the end how the last one did that ended by itself.
	Err error
}

// Why is what ended a loop.
type Why string

// The ends of a loop.
const (
	Done     Why = "times"   // as many runs as were asked for
	Over     Why = "time"    // its time is over, or no run is due within it
	Stopped  Why = "stopped" // the context ended
	NotBegun Why = "start"   // the first run could not be started
)

// look is how often the clock is looked at: a timer stands still while the machine
// sleeps, and a clock can be set.
const look = 30 * time.Second

// back is how far a clock has to be set back for the times to be counted anew. Less is
// an adjustment, after which no run may come twice.
const back = time.Minute

// Run does it once at once, and then at each time of the table, until the loop is over.
// A run that is due while the one before it goes on is skipped, and one for which the
// machine slept comes once when it wakes. Each run gets a context that ends with ctx,
// and at the latest Life after the first began; it is waited for, so it has to heed it.
// After For no run begins, and one that goes on may end. The result is the last event.
func (l Loop) Run(ctx context.Context, do func(ctx context.Context, run int) error) Event {
	if l.For <= 0 || l.For > Life {
		l.For = Life
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &state{Loop: l, do: do, ctx: ctx, start: time.Now(), done: make(chan error, 1)}
	s.seen = s.start
	s.plan(wall())
	s.begin()
	for s.why == "" {
		s.step(ctx)
	}
	if s.going {
		cancel()
		<-s.done
	}
	end := Event{What: "end", Run: s.runs, Skipped: s.skipped, Why: s.why, Err: s.last}
	s.say(end)
	return end
}

// wall is the time of day alone, which differences of clocks that were set show in.
func wall() time.Time { return time.Now().Round(0) }

// state is a loop that runs.
type state struct {
	Loop
	do    func(context.Context, int) error
	ctx   context.Context
	start time.Time // with the clock that no one sets
	seen  time.Time // the last look at the time of day

	due     time.Time // of the next run; zero for none
	began   time.Time
	going   bool
	done    chan error
	runs    int
	skipped int
	last    error
	why     Why
}

func (s *state) say(e Event) {
	if s.Say != nil {
		s.Say(e)
	}
}

// age is how long the loop lives, by the clock of which it is more: one stands still
// while the machine sleeps, and the other can be set.
func (s *state) age() time.Duration {
	now := time.Now()
	return max(now.Sub(s.start), now.Round(0).Sub(s.start.Round(0)))
}

// plan sets when the next run is due.
func (s *state) plan(now time.Time) {
	s.due = time.Time{}
	tick := s.Table.Next(now)
	if tick.IsZero() || s.Times > 0 && s.runs >= s.Times || tick.Sub(now) >= s.For-s.age() {
		return
	}
	s.due = tick.Add(s.late(tick))
}

// late is how much later than its time a run begins.
func (s *state) late(tick time.Time) time.Duration {
	after := s.Table.Next(tick)
	if after.IsZero() {
		return 0
	}
	gap, most := after.Sub(tick), s.Jitter
	if most < 0 {
		most = min(gap/10, DefaultJitter)
	}
	draw := s.draw
	if draw == nil {
		draw = rand.Int64N
	}
	return time.Duration(draw(int64(min(most, gap/2)) + 1))
}

// begin starts a run.
func (s *state) begin() {
	s.runs++
	s.began, s.going = time.Now(), true
	run := s.runs
	go func() { s.done <- s.do(s.ctx, run) }()
	if s.Times > 0 && run >= s.Times {
		s.due = time.Time{}
	}
}

// ended takes note of how a run ended.
func (s *state) ended(err error) {
	s.going, s.last = false, err
	s.say(Event{What: "run", Run: s.runs, Began: s.began, Took: time.Since(s.began), Next: s.due, Err: err})
	switch {
	case s.runs == 1 && errors.Is(err, ErrNotStarted):
		s.why = NotBegun
	case s.Times > 0 && s.runs >= s.Times:
		s.why = Done
	case s.due.IsZero():
		s.why = Over
	}
}

// step waits for the next thing to happen and sees to it.
func (s *state) step(ctx context.Context) {
	wait := min(look, Life-s.age())
	if !s.due.IsZero() {
		wait = min(wait, s.due.Sub(wall()))
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case err := <-s.done:
		s.settle(ctx, err)
		return
	case <-timer.C:
	}
	if ctx.Err() != nil {
		s.why = Stopped
		return
	}
	// A run that ended as the next one is due has ended.
	select {
	case err := <-s.done:
		if s.settle(ctx, err); s.why != "" {
			return
		}
	default:
	}
	s.tick()
}

// settle takes the result of a run, unless the loop was told to stop: then the result
// is that of the stop.
func (s *state) settle(ctx context.Context, err error) {
	if ctx.Err() != nil {
		s.going, s.why = false, Stopped
		return
	}
	s.ended(err)
}

// tick looks at the clocks.
func (s *state) tick() {
	now := wall()
	setBack := now.Before(s.seen.Round(0).Add(-back))
	s.seen = now
	switch {
	case s.age() >= Life:
		s.why = Over
	case s.due.IsZero():
	case s.age() >= s.For:
		s.due = time.Time{}
	case setBack:
		s.plan(now)
	case now.Before(s.due):
	case s.going:
		s.skipped++
		due := s.due
		s.plan(now)
		s.say(Event{What: "skip", Run: s.runs, Began: due, Next: s.due})
	default:
		s.plan(now)
		s.begin()
	}
	if s.why == "" && !s.going && s.due.IsZero() {
		s.why = Over
	}
}
