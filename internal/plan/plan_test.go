package plan_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/plan"
	"github.com/vadehq/vade/internal/runs"
	"github.com/vadehq/vade/internal/testenv"
	"github.com/vadehq/vade/internal/vfs"
	"github.com/vadehq/vade/internal/worker"
	"github.com/vadehq/vade/internal/worker/fakeagent"
)

// The test binary also serves as the agent, and as the process that runs a plan and gets killed.
const homeVariable = "VADE_PLAN_TEST_HOME"

func TestMain(m *testing.M) {
	switch home := os.Getenv(homeVariable); {
	case os.Getenv(fakeagent.Variable) != "":
		fakeagent.Main()
	case home != "":
		if _, err := run(context.Background(), home); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
}

// run runs the plan in a home directory.
func run(ctx context.Context, home string) (map[string]plan.Outcome, error) {
	data, err := os.ReadFile(filepath.Join(home, "plan.yaml"))
	if err != nil {
		return nil, err
	}
	p, diags := plan.Parse("plan.yaml", data, valid)
	if p == nil {
		return nil, fmt.Errorf("%v", diags)
	}
	store, err := runs.Open(filepath.Join(home, "state"))
	if err != nil {
		return nil, err
	}
	getenv := func(name string) string {
		if name == "PATH" {
			return os.Getenv(name)
		}
		return ""
	}
	return plan.Run(ctx, p, plan.Options{Name: "test", Dir: filepath.Join(home, "queue"), Request: worker.Request{
		Catalog: catalog.Options{Dir: filepath.Join(home, "project"), Home: home, Getenv: getenv},
		Command: []string{"env", fakeagent.Variable + "=task", os.Args[0]}, Permission: worker.ByPolicy, Store: store,
	}})
}

// valid accepts all tasks.
func valid(*plan.Task) (problem, fix string) { return "", "" }

// project creates a repository with one commit and a plan.
func project(t *testing.T, text string) string {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, "project")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"plan.yaml": text, "project/a.txt": "a\n"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-A")
	git(t, dir, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "first")
	return home
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestRun(t *testing.T) {
	home := project(t, `
parallel: 3
tasks:
  - {id: one, request: one}
  - {id: two, request: two, after: one}
  - {id: three, request: three, after: [one, two]}
  - {id: bad, request: bad, retries: 1}
  - {id: four, request: four, after: bad}
`)
	outcomes, err := run(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	for task, want := range map[string]string{"one": "done", "two": "done", "three": "done", "bad": "failed", "four": "failed"} {
		if got := outcomes[task]; string(got.State) != want {
			t.Errorf("%s: %+v", task, got)
		}
	}
	if !strings.Contains(outcomes["four"].Reason, "dependency failed: bad") {
		t.Errorf("%+v", outcomes["four"])
	}
	dir := filepath.Join(home, "project")
	if got := git(t, dir, "ls-tree", "--name-only", "vade/test/three"); got != "a.txt\none.txt\nthree.txt\ntwo.txt" {
		t.Errorf("%q", got)
	}
	if got := git(t, dir, "status", "--porcelain"); got != "" {
		t.Errorf("the checkout changed: %q", got)
	}
	// Running a finished plan again does nothing.
	before := git(t, dir, "rev-parse", "vade/test/one")
	if again, err := run(t.Context(), home); err != nil || len(again) != 5 || git(t, dir, "rev-parse", "vade/test/one") != before {
		t.Errorf("%v, %v", again, err)
	}
}

// TestCancelTask checks that canceling a task does not end its plan.
func TestCancelTask(t *testing.T) {
	home := project(t, `
tasks:
  - {id: one, request: wait, retries: 3}
  - {id: two, request: two, after: one}
  - {id: three, request: three}
`)
	store, err := runs.Open(filepath.Join(home, "state"))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for ; t.Context().Err() == nil; time.Sleep(20 * time.Millisecond) {
			list, _ := store.List()
			for _, r := range list {
				if r.Request == "wait" && r.State == runs.Running {
					_ = store.Cancel(r.ID)
					return
				}
			}
		}
	}()
	outcomes, err := run(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	for task, want := range map[string]runs.State{"one": runs.Cancelled, "two": runs.Failed, "three": runs.Done} {
		if got := outcomes[task]; got.State != want {
			t.Errorf("%s: %+v", task, got)
		}
	}
}

// TestRunIsKilled repeatedly kills the process that runs a plan. In the end, each task must have
// taken effect exactly once, and the interrupted attempts must have left nothing behind.
func TestRunIsKilled(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	const tasks, kills = 20, 50
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	var text strings.Builder
	text.WriteString("parallel: 4\ntasks:\n")
	for i := range tasks {
		fmt.Fprintf(&text, "  - {id: t%d, request: r%d, retries: 1, after: [", i, i)
		if i > 0 && random.IntN(2) == 0 {
			fmt.Fprintf(&text, "t%d", random.IntN(i))
		}
		text.WriteString("]}\n")
	}
	home := project(t, text.String())
	for range kills {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), homeVariable+"="+home)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(random.IntN(600)) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	outcomes, err := run(t.Context(), home)
	// On a busy machine, a child of the last killed process may still hold the lock.
	for range 100 {
		if !errors.Is(err, vfs.ErrBusy) {
			break
		}
		time.Sleep(100 * time.Millisecond)
		outcomes, err = run(t.Context(), home)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, "project")
	for i := range tasks {
		task, file := fmt.Sprintf("t%d", i), fmt.Sprintf("r%d.txt", i)
		if outcomes[task].State != runs.Done {
			t.Errorf("%s: %+v", task, outcomes[task])
			continue
		}
		commits := git(t, dir, "log", "--format=%H", "vade/test/"+task, "--", file)
		if len(strings.Fields(commits)) != 1 || outcomes[task].Commit != git(t, dir, "rev-parse", "vade/test/"+task) {
			t.Errorf("%s: commits %q, outcome %+v", task, commits, outcomes[task])
		}
	}
	worktrees := strings.Count(git(t, dir, "worktree", "list", "--porcelain"), "worktree ")
	if worktrees != 1 {
		t.Errorf("%d worktrees", worktrees)
	}
	store, err := runs.Open(filepath.Join(home, "state"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := store.List()
	if err != nil || len(list) < tasks || slices.ContainsFunc(list, func(r *runs.Run) bool { return !r.State.Final() }) {
		t.Errorf("%d runs, %v", len(list), err)
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"tasks: []":                               "has no tasks",
		"tasks:\n- {id: a}":                       "is missing its id or request",
		"tasks:\n- {id: a/b, request: x}":         "is not a valid task id",
		"tasks:\n- {id: a, request: x, after: b}": "does not exist",
		"tasks:\n- {id: a, request: x, after: A}": "cycle",
		"tasks:\n- {id: a, request: x, after: b}\n- {id: b, request: y, after: [a]}": "contain a cycle",
		"tasks:\n- {id: a, request: x}\n- {id: A, request: y}":                       "two tasks",
		"parallel: 0\ntasks:\n- {id: a, request: x}":                                 "from 1 to 64",
		"tasks:\n- {id: a, request: x, timeout: soon}":                               "must be a positive duration",
		"tasks:\n- {id: a, request: x, prio: 1}":                                     "unknown key prio",
		"tasks: [":                                                                   "",
	} {
		p, diags := plan.Parse("plan.yaml", []byte(text), valid)
		if p != nil || !strings.Contains(fmt.Sprint(diags), want) {
			t.Errorf("%q: %v, %v", text, p, diags)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("parallel: 2\ntasks:\n- {id: a, request: x, after: [b], timeout: 3m}\n"))
	f.Fuzz(func(_ *testing.T, data []byte) { plan.Parse("plan.yaml", data, valid) })
}
