package serve

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/testenv"
)

// eventually waits until a condition holds. The timeout is generous, because the machine may be
// busy.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for until := time.Now().Add(30 * time.Second); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("it never comes about that " + what)
		}
	}
}

func watching(t *testing.T, s *Server) {
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Watch(ctx) }()
	t.Cleanup(func() { stop(); <-done })
}

func names(t *testing.T, session *mcp.ClientSession) []string {
	t.Helper()
	r, err := session.ListPrompts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, p := range r.Prompts {
		list = append(list, p.Name)
	}
	return list
}

func TestChangesAreServedAndAnnounced(t *testing.T) {
	dir := project(t, some())
	s := serverFor(t, dir)
	var mu sync.Mutex
	told := 0
	session := connect(t, s, "any", &mcp.ClientOptions{PromptListChangedHandler: func(context.Context, *mcp.PromptListChangedRequest) {
		mu.Lock()
		defer mu.Unlock()
		told++
	}})
	watching(t, s)
	// The first change may occur before the watch starts, so repeat it until it is noticed.
	has := func(name string) func() bool {
		return func() bool { return slices.Contains(names(t, session), name) }
	}
	eventually(t, "a new command is served", func() bool {
		put(t, dir, ".claude/commands/new.md", "---\ndescription: New\n---\nx"+time.Now().String()+"\n")
		time.Sleep(50 * time.Millisecond)
		return has("new")()
	})
	put(t, dir, ".claude/skills/fresh/SKILL.md", "---\nname: fresh\ndescription: Fresh\n---\nx\n")
	eventually(t, "a new skill is served", has("fresh"))
	if err := os.RemoveAll(filepath.Join(dir, ".claude/skills/fresh")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a removed skill is gone", func() bool { return !has("fresh")() })
	put(t, dir, ".agents/skills/later/SKILL.md", "---\nname: later\ndescription: In a directory that was not there\n---\nx\n")
	eventually(t, "a skill of a new root is served", has("later"))
	eventually(t, "the client was told", func() bool { mu.Lock(); defer mu.Unlock(); return told > 0 })
}

// TestChangedPolicyTakesEffect checks that revoking a permission in the policy
// takes effect without a restart.
func TestChangedPolicyTakesEffect(t *testing.T) {
	home := t.TempDir()
	dir := project(t, map[string]string{".agents/commands/now.md": "---\ndescription: x\n---\nRun !`echo ran-'42'`.\n"})
	s, err := New(t.Context(), opens(dir, home), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	session := connect(t, s, "any", nil)
	watching(t, s)
	ran := func() bool { return strings.Contains(promptText(t, session, "now", nil), "ran-42") }
	if !ran() {
		t.Fatal("the command does not run in the beginning")
	}
	put(t, home, ".config/vade/policy.yaml", "shell: off\n")
	eventually(t, "the user's policy forbids it", func() bool { return !ran() })
	put(t, home, ".config/vade/policy.yaml", "shell: readonly\n")
	eventually(t, "the user's policy allows it", ran)
	put(t, dir, ".vade/policy.yaml", "shell: off\n")
	eventually(t, "the project's policy forbids it", func() bool { return !ran() })
}

// TestRequestKeepsItsState checks that a request's state does not change when
// the server's state is replaced, and that the last release closes it.
func TestRequestKeepsItsState(t *testing.T) {
	dir := project(t, some())
	s := serverFor(t, dir)
	old, err := s.acquireLoaded(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, ".claude/commands/new.md", "---\ndescription: New\n---\nx\n")
	if err := s.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ok := old.prompt("new"); ok {
		t.Error("the old store has changed")
	}
	text, err := loadText(t.Context(), old.catalog, mustFind(t, old, "hello"), "", "x")
	if err != nil || !strings.Contains(text, "Hello x!") {
		t.Errorf("%q %v", text, err)
	}
	fresh, err := s.acquireLoaded(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.release()
	mustFind(t, fresh, "new")
	if fresh.generation != old.generation+1 {
		t.Errorf("generation %d follows %d", fresh.generation, old.generation)
	}
	if old.refs.Load() != 1 {
		t.Errorf("the old store is held %d times", old.refs.Load())
	}
	old.release()
	if old.retain() {
		t.Error("a closed store can be held")
	}
}

func mustFind(t *testing.T, st *state, name string) catalog.Definition {
	t.Helper()
	p, ok := st.prompt(name)
	if !ok {
		t.Fatalf("%s is not there", name)
	}
	return p
}

// shellServer returns a server for a project with a command that the policy in the home directory
// may forbid. open is called before each catalog is opened.
func shellServer(t *testing.T, open func()) (s *Server, dir, home string, ran func() bool) {
	t.Helper()
	home = t.TempDir()
	dir = project(t, map[string]string{".agents/commands/now.md": "---\ndescription: x\n---\nRun !`echo ran-'42'`.\n"})
	opened := opens(dir, home)
	s, err := New(t.Context(), func(ctx context.Context, host string) (*catalog.Catalog, error) {
		open()
		return opened(ctx, host)
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	session := connect(t, s, "any", nil)
	ran = func() bool { return strings.Contains(promptText(t, session, "now", nil), "ran-42") }
	if !ran() {
		t.Fatal("the command does not run in the beginning")
	}
	return s, dir, home, ran
}

// TestPolicyIsWatchedWithNoWatch checks that a server that does not watch files still watches the
// policy, and nothing else.
func TestPolicyIsWatchedWithNoWatch(t *testing.T) {
	s, dir, home, ran := shellServer(t, func() {})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.watchPolicy(ctx, 10*time.Millisecond) }()
	defer func() { stop(); <-done }()
	put(t, dir, ".agents/commands/new.md", "---\ndescription: New\n---\nx\n")
	put(t, home, ".config/vade/policy.yaml", "shell: off\n")
	eventually(t, "the policy forbids it", func() bool { return !ran() })
	if err := os.Remove(filepath.Join(home, ".config/vade/policy.yaml")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the policy allows it", ran)
	st, err := s.acquireLoaded(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer st.release()
	if _, ok := st.prompt("new"); ok || st.generation != 1 {
		t.Errorf("the files were read again: generation %d", st.generation)
	}
}

// TestPolicyDoesNotWaitForCatalog checks that a policy change made while files are being read takes
// effect before reading ends, however long that takes.
func TestPolicyDoesNotWaitForCatalog(t *testing.T) {
	var calls atomic.Int64
	reading, goOn := make(chan struct{}, 8), make(chan struct{})
	s, dir, home, ran := shellServer(t, func() {
		if calls.Add(1) > 1 {
			reading <- struct{}{}
			<-goOn
		}
	})
	release := sync.OnceFunc(func() { close(goOn) })
	t.Cleanup(release)
	watching(t, s)
	t.Cleanup(release)
	eventually(t, "the files are read again", func() bool {
		select {
		case <-reading:
			return true
		default:
			put(t, dir, ".agents/commands/new.md", "---\ndescription: New\n---\nx\n")
			return false
		}
	})
	put(t, home, ".config/vade/policy.yaml", "shell: off\n")
	eventually(t, "the policy forbids it", func() bool { return !ran() })
	if s.current.Load().generation != 1 {
		t.Error("another catalog is active")
	}
	release()
	eventually(t, "the other catalog is active", func() bool { return s.current.Load().generation > 1 })
	if ran() {
		t.Error("the command runs again")
	}
}

// described returns the description of the definition served under name.
func described(t *testing.T, s *Server, name string) (string, bool) {
	t.Helper()
	st, err := s.acquireLoaded(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer st.release()
	p, ok := st.prompt(name)
	if !ok {
		return "", false
	}
	return p.Description(), true
}

// hookHandler calls a function for each log line.
type hookHandler struct {
	slog.Handler
	hook func(message string)
}

func (h hookHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h hookHandler) Handle(_ context.Context, r slog.Record) error {
	h.hook(r.Message)
	return nil
}

// TestChangeBeforeWatchIsNoticed changes a file after it is read but before its directory is
// watched, and checks that the change is noticed. The directory is created together with its
// parent.
func TestChangeBeforeWatchIsNoticed(t *testing.T) {
	const skill = "---\nname: moved\ndescription: x\n---\n"
	dir := project(t, some())
	var once sync.Once
	s := serverFor(t, dir, func(o *Options) {
		o.Logger = slog.New(hookHandler{slog.DiscardHandler, func(message string) {
			// The new state is active, but its directories are not watched yet.
			if message == "definitions reloaded" {
				once.Do(func() { put(t, dir, ".agents/skills/moved/SKILL.md", strings.Replace(skill, "x", "last", 1)) })
			}
		}})
	})
	watching(t, s)
	put(t, dir, "new/moved/SKILL.md", skill)
	eventually(t, "the change is read", func() bool {
		if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
			// The watch may not have started yet, so repeat the move until it is noticed.
			_ = os.RemoveAll(filepath.Join(dir, ".agents"))
			_ = os.Mkdir(filepath.Join(dir, ".agents"), 0o755)
			if err := os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, ".agents/skills")); err != nil {
				t.Fatal(err)
			}
		}
		description, ok := described(t, s, "moved")
		return ok && description == "last"
	})
}

// TestRecreatedDirectoryIsServed checks that a project that is removed and
// recreated is served again.
func TestRecreatedDirectoryIsServed(t *testing.T) {
	dir := project(t, some())
	s := serverFor(t, dir)
	watching(t, s)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the new one is served", func() bool {
		put(t, dir, ".git/HEAD", "ref: refs/heads/main\n")
		put(t, dir, ".claude/commands/again.md", "---\ndescription: x\n---\nx\n")
		_, before := described(t, s, "hello")
		_, again := described(t, s, "again")
		return again && !before
	})
}

// TestPolicyDisablesBundledSkills checks that the list of bundled definitions is updated when the
// policy changes.
func TestPolicyDisablesBundledSkills(t *testing.T) {
	s, _, home, _ := shellServer(t, func() {})
	watching(t, s)
	offered := func() bool { _, ok := described(t, s, "verify"); return ok }
	if !offered() {
		t.Fatal("it is not offered")
	}
	put(t, home, ".config/vade/policy.yaml", "bundled: {disable: [verify]}\n")
	eventually(t, "it is switched off", func() bool { return !offered() })
	put(t, home, ".config/vade/policy.yaml", "bundled: {disable: [batch]}\n")
	eventually(t, "it is back", offered)
}

// TestPolicyIsLogged checks that policy changes and their effects are logged.
func TestPolicyIsLogged(t *testing.T) {
	dir, home := project(t, some()), t.TempDir()
	var log bytes.Buffer
	s, err := New(t.Context(), opens(dir, home), Options{Remote: true, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	put := func(text string) {
		file := filepath.Join(home, ".config/vade/policy.yaml")
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		log.Reset()
		if err := s.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	// Watch starts by logging this state.
	s.logPolicy(t.Context(), policyState{})
	put("version: 1\nremote-shell: true\n")
	if !strings.Contains(log.String(), `msg="policy changed" remote-shell=true`) || !strings.Contains(log.String(), "policy.yaml:2") {
		t.Errorf("on: %s", log.String())
	}
	put("version: 1\nremote-shell: yes please\n")
	if !strings.Contains(log.String(), "remote-shell=false") || !strings.Contains(log.String(), "POLICY_INVALID") {
		t.Errorf("wrong: %s", log.String())
	}
	put("version: 1\nremote-shell: yes please\ntimeout: 9s\n")
	if strings.Contains(log.String(), "remote-shell") {
		t.Errorf("it is said again: %s", log.String())
	}
}

// TestSavesWithoutPause saves a file as fast as possible by renaming another file over it, as
// editors do. Later changes must still be noticed, and the watcher must still be able to stop.
func TestSavesWithoutPause(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	dir := project(t, some())
	s := serverFor(t, dir)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan struct{})
	go func() { defer close(done); s.Watch(ctx) }()
	files := []string{"go-style", "deploy"}
	for _, name := range files {
		for i := range 3000 {
			name := ".claude/skills/" + name + "/SKILL.md"
			put(t, dir, name+".tmp", fmt.Sprintf("---\nname: x\ndescription: %d\n---\nx\n", i))
			if err := os.Rename(filepath.Join(dir, name+".tmp"), filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	eventually(t, "a new command is served", func() bool {
		put(t, dir, ".claude/commands/new.md", "---\ndescription: New\n---\nx"+time.Now().String()+"\n")
		time.Sleep(50 * time.Millisecond)
		st, err := s.acquireLoaded(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer st.release()
		_, ok := st.prompt("new")
		return ok
	})
	stop()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("the watch does not end")
	}
}
