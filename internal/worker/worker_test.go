package worker_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/runs"
	"github.com/vadehq/vade/internal/testenv"
	"github.com/vadehq/vade/internal/worker"
	"github.com/vadehq/vade/internal/worker/fakeagent"
)

// bench is a project with a file, a protected file and a run store.
type bench struct {
	t     *testing.T
	dir   string
	store *runs.Store
	n     int
	// guard and limits override a run's settings.
	guard  worker.GuardOptions
	limits worker.Limits
	// launch overrides how the fake agent is started.
	launch host.Launch
	events []runs.Event
}

func TestMain(m *testing.M) {
	if os.Getenv(fakeagent.Variable) != "" {
		fakeagent.Main()
		return
	}
	os.Exit(m.Run())
}

func newBench(t *testing.T) *bench {
	home := t.TempDir()
	b := &bench{t: t, dir: filepath.Join(home, "project")}
	for name, text := range map[string]string{"a.txt": "one\ntwo\nthree\n", ".env": "SECRET=1\n"} {
		if err := os.MkdirAll(b.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	store, err := runs.Open(filepath.Join(home, "runs"))
	if err != nil {
		t.Fatal(err)
	}
	b.store = store
	b.guard = worker.GuardOptions{Permission: worker.ByPolicy}
	b.limits = worker.Limits{
		Start: 2 * time.Second, Quiet: 100 * time.Millisecond, Stuck: 1500 * time.Millisecond,
		Cancel: 200 * time.Millisecond, Total: 20 * time.Second,
	}
	return b
}

// run runs a task on the fake agent.
func (b *bench) run(ctx context.Context, behavior string, task worker.Task) worker.Result {
	b.t.Helper()
	cat, err := catalog.Open(b.t.Context(), catalog.Options{Dir: b.dir, Home: filepath.Dir(b.dir), Getenv: func(string) string { return "" }})
	if err != nil {
		b.t.Fatal(err)
	}
	defer cat.Close()
	b.n++
	id := fmt.Sprintf("%s-%d", runs.NewID(time.Now()), b.n)
	journal, err := b.store.Create(runs.Run{ID: id, Request: behavior, Dir: b.dir})
	if err != nil {
		b.t.Fatal(err)
	}
	defer journal.Close()
	b.events = nil
	journal.OnEvent = func(e runs.Event) { b.events = append(b.events, e) }
	g := b.guard
	g.Catalog, g.Dir, g.Journal = cat, b.dir, journal
	guard, err := worker.NewGuard(g)
	if err != nil {
		b.t.Fatal(err)
	}
	defer guard.Close()
	task.Dir = b.dir
	if task.Messages == nil {
		task.Messages = []string{"do it"}
	}
	o := worker.Options{
		Launch: b.launch, Environ: append(os.Environ(), fakeagent.Variable+"="+behavior),
		Getenv: os.Getenv, ID: id, Guard: guard, Limits: b.limits, Journal: journal,
	}
	if b.launch.Print == nil {
		o.Command = []string{os.Args[0]}
	}
	r := worker.Run(ctx, task, o)
	if !r.State.Final() {
		b.t.Errorf("%s: state %s is not final", behavior, r.State)
	}
	if left := processesOf(id); len(left) > 0 {
		b.t.Errorf("%s: processes are left: %s", behavior, left)
	}
	return r
}

// processesOf returns the processes that have a run's mark, on operating systems that show it.
func processesOf(id string) (list []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		if env, err := os.ReadFile(file); err == nil && strings.Contains(string(env), "VADE_RUN="+id) {
			list = append(list, file)
		}
	}
	return list
}

// TestManyRuns runs several agents concurrently that misbehave at random.
func TestManyRuns(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	behaviors := []string{
		"answer", "garbage", "order", "version", "login", "hang-start", "hang-new", "hang", "die-start", "die-new", "half", "exit",
		"loop", "pairs", "deaf-loop", "limit", "error", "full", "refuse", "long-line", "forks", "orphan", "outside", "files",
		"terminal", "permission", "flood", "wait", "lost",
	}
	const count, atOnce = 200, 8
	random := rand.New(rand.NewPCG(seed(t), 0))
	states := map[runs.State]int{}
	var mu sync.Mutex
	slots := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for n := range count {
		behavior := fmt.Sprintf("%s:%d", behaviors[random.IntN(len(behaviors))], n)
		cancel := time.Duration(random.IntN(4000)) * time.Millisecond
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			b := newBench(t)
			b.guard.Edits = n%2 == 0
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			defer time.AfterFunc(cancel, stop).Stop()
			r := b.run(ctx, behavior, worker.Task{})
			mu.Lock()
			defer mu.Unlock()
			states[r.State]++
			if r.State != runs.Done && r.Reason == "" {
				t.Errorf("%s: %s without a reason", behavior, r.State)
			}
			if _, err := os.Lstat(filepath.Join(b.dir, "../escaped.txt")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s: a file outside the directory was written", behavior)
			}
		})
	}
	all.Wait()
	t.Log(states)
}

func TestRun(t *testing.T) {
	for _, x := range []struct {
		behavior string
		state    runs.State
		text     string // expected in the answer or the reason
	}{
		{"answer", runs.Done, "the answer"},
		{"echo", runs.Done, `"prompt":[{"type":"text","text":"do it"}]`},
		{"garbage:1", runs.Done, "the answer"},
		{"order", runs.Done, "the answer"},
		{"version", runs.Failed, "does not support version 1"},
		{"login", runs.Failed, "requires a login"},
		{"hang-start", runs.Failed, "did not open a session within"},
		{"hang-new", runs.Failed, "did not open a session within"},
		{"hang", runs.Failed, "no progress for"},
		{"die-start", runs.Failed, "exit code 3; it printed: fatal: out of luck"},
		{"die-new", runs.Failed, "exit code 3"},
		{"half", runs.Failed, "exit code 3"},
		{"exit", runs.Failed, "it printed: fatal: out of luck"},
		{"loop", runs.Failed, "is repeating the same calls"},
		{"pairs", runs.Failed, "is repeating the same calls"},
		{"edits", runs.Failed, "is repeating the same changes"},
		{"busy", runs.Done, "the answer"},
		{"deaf-loop", runs.Done, "done after all"},
		{"limit", runs.Done, "the answer"},
		{"error", runs.Failed, "the model is gone"},
		{"full", runs.Failed, "the disk is full"},
		{"refuse", runs.Failed, "refused to answer"},
		{"long-line", runs.Failed, "ended unexpectedly"},
		{"forks", runs.Done, "the answer"},
		{"orphan", runs.Failed, "exit code 0"},
		{"deaf", runs.Failed, "did not open a session within"},
		{"lost", runs.Done, `{"type":"text","text":"do it"},{"type":"text","text":"An earlier attempt`},
	} {
		t.Run(x.behavior, func(t *testing.T) {
			t.Parallel()
			if x.behavior == "busy" && runtime.GOOS != "linux" {
				t.Skip("only Linux shows the processor time of a run")
			}
			r := newBench(t).run(t.Context(), x.behavior, worker.Task{})
			if r.State != x.state || !strings.Contains(r.Text+r.Reason, x.text) {
				t.Errorf("%s, %q, %q", r.State, r.Text, r.Reason)
			}
			if strings.Contains(r.Text, "said before") {
				t.Errorf("the answer contains the earlier session: %q", r.Text)
			}
		})
	}
}

// BenchmarkStart measures the overhead of starting an agent in a run: the time from the request
// until the agent's program starts, reported as ms/start.
func BenchmarkStart(b *testing.B) {
	home := b.TempDir()
	store, err := runs.Open(filepath.Join(home, "runs"))
	if err != nil {
		b.Fatal(err)
	}
	dir := filepath.Join(home, "project")
	name := filepath.Join(dir, ".claude/commands/review.md")
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("Review $ARGUMENTS.\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	var sum time.Duration
	for b.Loop() {
		begin := time.Now()
		report, err := worker.Execute(b.Context(), worker.Request{
			Catalog: catalog.Options{Dir: dir, Home: home, Getenv: os.Getenv}, Prompt: "/review src",
			Command:    []string{"env", fakeagent.Variable + "=answer", os.Args[0]},
			Permission: worker.ByPolicy, Store: store,
			OnEvent: func(e runs.Event) {
				if e.State == runs.Starting {
					sum += time.Since(begin)
				}
			},
		})
		if err != nil || report.State != runs.Done {
			b.Fatal(report, err)
		}
	}
	b.ReportMetric(float64(sum.Microseconds())/1000/float64(b.N), "ms/start")
}

// TestProbeOfDeafAgent checks that a probe does not hang if the agent reads nothing.
func TestProbeOfDeafAgent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cat, err := catalog.Open(t.Context(), catalog.Options{
		Dir: b.dir, Home: filepath.Dir(b.dir), As: "codex", Getenv: func(string) string { return "" },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer cat.Close()
	p, err := worker.AskHost(t.Context(), cat, b.dir, t.TempDir(), worker.Options{
		Command: []string{os.Args[0]}, Environ: append(os.Environ(), fakeagent.Variable+"=deaf"),
		Getenv: os.Getenv, ID: runs.NewID(time.Now()), Limits: b.limits,
	})
	if err != nil || !strings.Contains(p.Reason, "did not open a session within") {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestRunGuard(t *testing.T) {
	b := newBench(t)
	r := b.run(t.Context(), "outside", worker.Task{})
	for _, want := range []string{"outside", "protected"} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("%q is not in %q", want, r.Text)
		}
	}
	if _, err := os.Lstat(filepath.Join(b.dir, "../escaped.txt")); !errors.Is(err, os.ErrNotExist) {
		t.Error("a file outside the directory was written")
	}
	r = b.run(t.Context(), "files", worker.Task{})
	if !strings.Contains(r.Text, `"two\n"`) || !strings.Contains(r.Text, "only in a worktree") {
		t.Errorf("%q", r.Text)
	}
	r = b.run(t.Context(), "terminal", worker.Task{})
	if !strings.Contains(r.Text, `one\ntwo\nthree`) || !strings.Contains(r.Text, "the policy does not allow the command") {
		t.Errorf("%q", r.Text)
	}
	r = b.run(t.Context(), "permission", worker.Task{})
	if got := strings.Count(r.Text, `"optionId":"no"`); got != 12 || strings.Count(r.Text, `"optionId":"yes"`) != 1 {
		t.Errorf("%q", r.Text)
	}
	b.guard.Edits = true
	r = b.run(t.Context(), "files", worker.Task{})
	if data, err := os.ReadFile(filepath.Join(b.dir, "new.txt")); string(data) != "made\n" {
		t.Errorf("%q, %v, %q", data, err, r.Text)
	}
	b.guard.Allowed = []string{"Read", "Grep"}
	r = b.run(t.Context(), "permission", worker.Task{})
	if strings.Count(r.Text, `"optionId":"no"`) != 13 {
		t.Errorf("%q", r.Text)
	}
}

// TestKillNested checks that when a run ends, a run started by its agent also ends.
func TestKillNested(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows the environment of processes")
	}
	b := newBench(t)
	t.Setenv("VADE_RUN", "first,outer")
	b.limits.Restarts = -1
	done := make(chan worker.Result, 1)
	go func() { done <- b.run(t.Context(), "hang-start", worker.Task{}) }()
	for {
		worker.KillRemains("outer")
		select {
		case r := <-done:
			if !strings.Contains(r.Reason, "signal") {
				t.Error(r.Reason)
			}
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func TestRunPrint(t *testing.T) {
	b := newBench(t)
	b.launch.Print = []string{"cat"}
	if r := b.run(t.Context(), "", worker.Task{}); r.State != runs.Done || r.Text != "do it" {
		t.Errorf("%+v", r)
	}
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows the processor time of a run")
	}
	b.launch.Print = []string{"sleep", "1000"}
	r := b.run(t.Context(), "", worker.Task{})
	if r.State != runs.Failed || !strings.Contains(r.Reason, "no progress for") {
		t.Errorf("%+v", r)
	}
	if text := fmt.Sprint(b.events); !strings.Contains(text, "quiet") {
		t.Errorf("%s", text)
	}
}

func TestRunAsks(t *testing.T) {
	b := newBench(t)
	var asked []string
	b.guard.Permission = worker.Ask
	b.guard.Ask = func(_ context.Context, q string) (bool, error) { asked = append(asked, q); return true, nil }
	r := b.run(t.Context(), "permission", worker.Task{})
	if strings.Count(r.Text, `"optionId":"yes"`) != 8 || len(asked) != 7 {
		t.Errorf("%q, %q", r.Text, asked)
	}
	// Time spent waiting for an answer does not count as a lack of progress. The question is
	// withdrawn when the run ends.
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	b.guard.Ask = func(ctx context.Context, _ string) (bool, error) { <-ctx.Done(); return false, ctx.Err() }
	r = b.run(ctx, "permission", worker.Task{})
	if r.State != runs.Cancelled {
		t.Errorf("%s, %q", r.State, r.Reason)
	}
	if !strings.Contains(fmt.Sprint(b.events), "waiting") {
		t.Errorf("%v", b.events)
	}
}

func TestRunMode(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	b.limits.Stuck, b.limits.Quiet = time.Minute, time.Minute
	if r := b.run(ctx, "hang", worker.Task{}); r.State != runs.Cancelled {
		t.Errorf("%s, %q", r.State, r.Reason)
	}
	b.limits.Total = 300 * time.Millisecond
	if r := b.run(t.Context(), "hang", worker.Task{}); r.State != runs.Failed || !strings.Contains(r.Reason, "the run reached its time limit") {
		t.Errorf("%s, %q", r.State, r.Reason)
	}
	b.limits.Total = 20 * time.Second
	if r := b.run(t.Context(), "flood", worker.Task{}); r.State != runs.Failed {
		t.Errorf("%s, %q", r.State, r.Reason)
	}
}

// seed returns the seed for the test run, or a fixed seed.
func seed(t *testing.T) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(cmp.Or(os.Getenv(testenv.SeedVariable), "1"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
