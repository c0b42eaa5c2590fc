package schedule

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// log collects a loop's events, each with the number of minutes since the loop began.
type log struct {
	start time.Time
	lines []string
}

func (l *log) add(format string, args ...any) {
	l.lines = append(l.lines, fmt.Sprintf("%v ", time.Since(l.start).Round(time.Second))+fmt.Sprintf(format, args...))
}

func (l *log) say(e Event) {
	switch {
	case e.What == "end":
		l.add("end %s: %d runs, %d skipped", e.Why, e.Run, e.Skipped)
	case e.Err != nil:
		l.add("%s %d: %v", e.What, e.Run, e.Err)
	default:
		l.add("%s %d", e.What, e.Run)
	}
}

func (l *log) check(t *testing.T, want ...string) {
	t.Helper()
	if got := strings.Join(l.lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// lasting returns a run that takes the given time and stops when its context is canceled.
func lasting(took time.Duration) func(context.Context, int) error {
	return func(ctx context.Context, _ int) error {
		select {
		case <-time.After(took):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// every runs a loop in a synctest bubble, whose clock starts at midnight.
func every(t *testing.T, expression string, f func(t *testing.T, l *Loop, said *log)) {
	synctest.Test(t, func(t *testing.T) {
		said := &log{start: time.Now()}
		f(t, &Loop{Table: table(t, expression), Say: said.say}, said)
	})
}

func TestLoopRunsImmediatelyAndOnSchedule(t *testing.T) {
	every(t, "*/5 * * * *", func(t *testing.T, l *Loop, said *log) {
		// If the loop begins at two minutes past, the next run is at five past.
		time.Sleep(2*time.Minute + time.Second)
		l.Times = 4
		end := l.Run(t.Context(), lasting(time.Second))
		said.check(t, "2m2s run 1", "5m1s run 2", "10m1s run 3", "15m1s run 4", "15m1s end times: 4 runs, 0 skipped")
		if end.Why != Done || end.Err != nil || end.Run != 4 {
			t.Errorf("%+v", end)
		}
	})
}

func TestLoopNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var next []string
		l := Loop{Table: table(t, "*/5 * * * *"), Times: 3, Say: func(e Event) {
			if e.What == "run" {
				next = append(next, fmt.Sprint(e.Next.IsZero(), e.Next.Minute(), e.Took))
			}
		}}
		l.Run(t.Context(), lasting(time.Second))
		if got := strings.Join(next, ", "); got != "false 5 1s, false 10 1s, true 0 1s" {
			t.Error(got)
		}
	})
}

func TestLoopSkipsOverlap(t *testing.T) {
	every(t, "*/5 * * * *", func(t *testing.T, l *Loop, said *log) {
		l.Times = 3
		l.Run(t.Context(), func(ctx context.Context, run int) error {
			if run == 2 {
				return lasting(11*time.Minute)(ctx, run)
			}
			return lasting(time.Minute)(ctx, run)
		})
		said.check(t, "1m0s run 1", "10m0s skip 2", "15m0s skip 2", "16m0s run 2", "21m0s run 3", "21m0s end times: 3 runs, 2 skipped")
	})
}

// TestLoopNeverOverlaps checks that two runs never overlap, even if one ends
// exactly when the next one is due.
func TestLoopNeverOverlaps(t *testing.T) {
	for _, took := range []time.Duration{0, time.Minute, 5 * time.Minute, 299 * time.Second, 301 * time.Second, 17 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			going, most, begun := 0, 0, 0
			l := Loop{Table: table(t, "*/5 * * * *"), For: 2 * time.Hour, Jitter: time.Minute}
			l.Run(t.Context(), func(ctx context.Context, run int) error {
				going++
				begun++
				most = max(most, going)
				defer func() { going-- }()
				return lasting(took)(ctx, run)
			})
			if most != 1 || begun < 6 {
				t.Errorf("%v: %d at a time, %d in all", took, most, begun)
			}
		})
	}
}

func TestLoopStops(t *testing.T) {
	every(t, "*/5 * * * *", func(t *testing.T, l *Loop, said *log) {
		ctx, cancel := context.WithTimeout(t.Context(), 7*time.Minute)
		defer cancel()
		end := l.Run(ctx, lasting(time.Second))
		said.check(t, "1s run 1", "5m1s run 2", "7m0s end stopped: 2 runs, 0 skipped")
		if end.Err != nil {
			t.Error(end.Err)
		}
	})
	// Run reports a run in progress and waits for it. The run's result no longer matters.
	every(t, "*/5 * * * *", func(t *testing.T, l *Loop, said *log) {
		ctx, cancel := context.WithTimeout(t.Context(), 7*time.Minute)
		defer cancel()
		end := l.Run(ctx, func(ctx context.Context, run int) error {
			if run == 1 {
				return nil
			}
			<-ctx.Done()
			said.add("told")
			time.Sleep(9 * time.Second)
			return ctx.Err()
		})
		said.check(t, "0s run 1", "7m0s told", "7m9s end stopped: 2 runs, 0 skipped")
		if end.Err != nil {
			t.Error(end.Err)
		}
	})
	// The loop is stopped before the first run begins.
	every(t, "*/5 * * * *", func(t *testing.T, l *Loop, said *log) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		l.Run(ctx, lasting(time.Hour))
		said.check(t, "0s end stopped: 1 runs, 0 skipped")
	})
}

func TestLoopEndsAfterSevenDays(t *testing.T) {
	every(t, "0 */6 * * *", func(t *testing.T, l *Loop, said *log) {
		end := l.Run(t.Context(), lasting(time.Hour))
		if age := time.Since(said.start); end.Why != Over || end.Run != 28 || age > Life || age < Life-6*time.Hour {
			t.Errorf("%+v after %v", end, age)
		}
	})
	// A run that never ends is stopped.
	every(t, "0 */6 * * *", func(t *testing.T, l *Loop, said *log) {
		end := l.Run(t.Context(), func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() })
		if age := time.Since(said.start); end.Why != Over || end.Run != 1 || age != Life || end.Err != nil {
			t.Errorf("%+v after %v", end, age)
		}
	})
	// Durations over seven days are invalid.
	every(t, "0 */6 * * *", func(t *testing.T, l *Loop, said *log) {
		l.For = 30 * day
		l.Run(t.Context(), lasting(time.Hour))
		if age := time.Since(said.start); age > Life {
			t.Error(age)
		}
	})
}

func TestLoopFor(t *testing.T) {
	// No run begins after this point, but the run in progress may finish.
	every(t, "*/5 * * * *", func(t *testing.T, l *Loop, said *log) {
		l.For = 10 * time.Minute
		l.Run(t.Context(), func(ctx context.Context, run int) error {
			return lasting(time.Duration(run)*4*time.Minute)(ctx, run)
		})
		said.check(t, "4m0s run 1", "13m0s run 2", "13m0s end time: 2 runs, 0 skipped")
	})
	// If no run is due within the remaining time, the loop ends immediately.
	every(t, "0 0 1 1 *", func(t *testing.T, l *Loop, said *log) {
		l.Run(t.Context(), lasting(time.Second))
		said.check(t, "1s run 1", "1s end time: 1 runs, 0 skipped")
	})
}

func TestLoopFailures(t *testing.T) {
	bad := errors.New("bad")
	every(t, "*/5 * * * *", func(t *testing.T, l *Loop, said *log) {
		l.Times = 2
		end := l.Run(t.Context(), func(context.Context, int) error { return bad })
		said.check(t, "0s run 1: bad", "5m0s run 2: bad", "5m0s end times: 2 runs, 0 skipped")
		if !errors.Is(end.Err, bad) {
			t.Error(end.Err)
		}
	})
	// The last run's result counts.
	every(t, "*/5 * * * *", func(t *testing.T, l *Loop, _ *log) {
		l.Times = 2
		end := l.Run(t.Context(), func(_ context.Context, run int) error {
			if run == 1 {
				return bad
			}
			return nil
		})
		if end.Err != nil {
			t.Error(end.Err)
		}
	})
	// If the first run cannot start, the loop ends. If a later run cannot start, it is tried again
	// at the next scheduled time.
	notStarted := errors.New("not started")
	none := fmt.Errorf("x: %w", notStarted)
	every(t, "*/5 * * * *", func(t *testing.T, l *Loop, said *log) {
		l.NotStarted = notStarted
		end := l.Run(t.Context(), func(context.Context, int) error { return none })
		said.check(t, "0s run 1: "+none.Error(), "0s end start: 1 runs, 0 skipped")
		if !errors.Is(end.Err, notStarted) {
			t.Error(end.Err)
		}
	})
	every(t, "*/5 * * * *", func(t *testing.T, l *Loop, said *log) {
		l.Times, l.NotStarted = 3, notStarted
		l.Run(t.Context(), func(_ context.Context, run int) error {
			if run == 2 {
				return none
			}
			return nil
		})
		said.check(t, "0s run 1", "5m0s run 2: "+none.Error(), "10m0s run 3", "10m0s end times: 3 runs, 0 skipped")
	})
}

func TestLoopJitter(t *testing.T) {
	for _, x := range []struct {
		expression   string
		jitter, most time.Duration
	}{
		{"*/5 * * * *", 0, 0},
		{"*/5 * * * *", time.Second, time.Second},
		{"*/5 * * * *", time.Hour, 150 * time.Second}, // half of the interval
		{"*/5 * * * *", -1, 30 * time.Second},
		{"*/1 * * * *", -1, 6 * time.Second}, // a tenth of the interval
		{"0 */1 * * *", -1, defaultJitter},
	} {
		synctest.Test(t, func(t *testing.T) {
			latest := time.Duration(0)
			late := map[time.Duration]bool{}
			l := Loop{Table: table(t, x.expression), Times: 50, Jitter: x.jitter}
			l.Run(t.Context(), func(_ context.Context, run int) error {
				if now := time.Now(); run > 1 {
					by := now.Sub(l.Table.Next(now.Add(-x.most - 1)))
					late[by], latest = true, max(latest, by)
				}
				return nil
			})
			if latest > x.most || latest < x.most/2 || x.most > 0 && len(late) < 10 {
				t.Errorf("%s, %v: late by up to %v, want %v; %d different times", x.expression, x.jitter, latest, x.most, len(late))
			}
		})
	}
}
