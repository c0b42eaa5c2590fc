//go:build unix

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/schedule"
)

// runLoopOf runs a command as vade loop run does. It uses a synctest bubble, whose clock stops
// while the command runs.
func runLoopOf(t *testing.T, quiet, asJSON bool, times int, words ...string) (end schedule.Event, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	a := &app{world: World{Stdout: &stdout, Stderr: &stderr, LookupEnv: func(string) (string, bool) { return "", false }}, json: asJSON}
	synctest.Test(t, func(t *testing.T) {
		list, err := schedule.NewTable("*/5 * * * *")
		if err != nil {
			t.Fatal(err)
		}
		told := loopReporter{to: a.stderr(), json: asJSON, quiet: quiet}
		told.begin(loopPlan{Event: "begin", Cron: "*/5 * * * *", Cadence: "every 5 minutes", Rounded: "4m is rounded", Notes: []string{"a note"}}, time.Hour, times)
		l := schedule.Loop{Table: list, Times: times, NotStarted: sandbox.ErrNotStarted, Say: told.event}
		command := sandbox.Unsandboxed{Args: words, Stdout: &stdout, Stderr: &stderr}
		end = l.Run(t.Context(), func(ctx context.Context, _ int) error { return command.Run(ctx) })
	})
	return end, stdout.String(), stderr.String()
}

func TestLoopLines(t *testing.T) {
	end, out, errs := runLoopOf(t, false, false, 3, "sh", "-c", "echo here; exit 4")
	if out != "here\nhere\nhere\n" || end.Why != schedule.Done || end.Err == nil {
		t.Errorf("%q, %+v", out, end)
	}
	lines := strings.Split(strings.TrimSuffix(errs, "\n"), "\n")
	want := []string{"vade: 4m is rounded", "vade: every 5 minutes, 3 runs, until ", "vade: a note", "vade: run 1: exit code 4 after 0s, next ", "vade: run 2: exit code 4 after 0s, next ", "vade: run 3: exit code 4 after 0s", "vade: ended after 3 runs: the --times limit was reached"}
	if len(lines) != len(want) {
		t.Fatalf("%q", lines)
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, want[i]) {
			t.Errorf("%q, want %q", line, want[i])
		}
	}
	if _, out, errs := runLoopOf(t, true, false, 2, "echo", "x"); out != "x\nx\n" || errs != "vade: 4m is rounded\n" {
		t.Errorf("%q, %q", out, errs)
	}
	if _, out, errs := runLoopOf(t, true, true, 1, "echo", "x"); out != "x\n" || errs != "" {
		t.Errorf("%q, %q", out, errs)
	}
	end, _, errs = runLoopOf(t, false, false, 3, "no-such\x1bprogram")
	if end.Why != schedule.NotBegun || strings.Contains(errs, "run 1") {
		t.Errorf("%q, %+v", errs, end)
	}
}

func TestLoopJSON(t *testing.T) {
	_, _, errs := runLoopOf(t, false, true, 2, "sh", "-c", "exit 4")
	var got []string
	for line := range strings.Lines(errs) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		got = append(got, fmt.Sprintf("%v %v %v %v %v %v %v", v["event"], v["run"], v["ok"], v["exit"], v["why"], v["runs"], v["next"] != nil))
	}
	want := "begin <nil> <nil> <nil> <nil> <nil> false\nrun 1 false 4 <nil> <nil> true\nrun 2 false 4 <nil> <nil> false\nend <nil> <nil> <nil> times 2 false"
	if all := strings.Join(got, "\n"); all != want {
		t.Errorf("got\n%s\nwant\n%s", all, want)
	}
}

// TestHoldSignals checks that the context ends with the signal as its cause, and that a second
// signal closes the channel.
func TestHoldSignals(t *testing.T) {
	// Without a handler, the signal would kill the test.
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM)
	defer signal.Stop(signals)
	ctx := newSignalContext(t.Context())
	kill := ctx.hold()
	send := func() {
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	send()
	<-ctx.Done()
	if cause, ok := context.Cause(ctx).(*sandbox.SignalError); !ok || cause.Signal != syscall.SIGTERM {
		t.Errorf("%v", context.Cause(ctx))
	}
	select {
	case <-kill:
		t.Error("the first signal kills")
	default:
	}
	send()
	<-kill
}
