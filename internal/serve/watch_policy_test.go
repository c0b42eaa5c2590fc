package serve

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/vfs"
)

// shellServer serves one command that the policy of its home directory may forbid. open
// is called before each catalog is opened.
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

// TestThePolicyIsKeptWithoutWatching asserts that a server which does not look at the
// files still looks at the policy, and at nothing else.
func TestThePolicyIsKeptWithoutWatching(t *testing.T) {
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
	st, err := s.hold(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer st.release()
	if _, ok := st.prompt("new"); ok || st.generation != 1 {
		t.Errorf("the files were read again: generation %d", st.generation)
	}
}

// TestThePolicyWaitsForNoCatalog asserts that a policy which changes while the files are
// read, however long that takes, is in force before they are.
func TestThePolicyWaitsForNoCatalog(t *testing.T) {
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
		t.Error("another catalog is in force")
	}
	release()
	eventually(t, "the other catalog is in force", func() bool { return s.current.Load().generation > 1 })
	if ran() {
		t.Error("the command runs again")
	}
}

// described is the description of what is served under a name.
func described(t *testing.T, s *Server, name string) (string, bool) {
	t.Helper()
	st, err := s.hold(t.Context())
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

// hookHandler calls a function for each line of the log.
type hookHandler struct {
	slog.Handler
	hook func(message string)
}

func (h hookHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h hookHandler) Handle(_ context.Context, r slog.Record) error {
	h.hook(r.Message)
	return nil
}

// TestAChangeBeforeTheWatchIsSeen changes a file right after it was read and before the
// system is asked to tell of its directory, which came along with the one above it.
func TestAChangeBeforeTheWatchIsSeen(t *testing.T) {
	const skill = "---\nname: moved\ndescription: x\n---\n"
	dir := project(t, some())
	var once sync.Once
	s := serverFor(t, dir, func(o *Options) {
		o.Logger = slog.New(hookHandler{slog.DiscardHandler, func(message string) {
			// The state is replaced, and its directories are not watched yet.
			if message == "the definitions changed" {
				once.Do(func() { put(t, dir, ".agents/skills/moved/SKILL.md", strings.Replace(skill, "x", "last", 1)) })
			}
		}})
	})
	watching(t, s)
	put(t, dir, "new/moved/SKILL.md", skill)
	eventually(t, "the change is read", func() bool {
		if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
			// The watch may not have begun yet: it is moved until it is seen.
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

// settled waits until the clock of the file system is beyond what was written.
func settled(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "last", "x")
	tree, err := vfs.Open(dir, vfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	eventually(t, "what was written is old", func() bool {
		stamp, err := tree.Stamp("last")
		return err == nil && !stamp.ChangedSince(time.Now())
	})
}

// TestLookingDoubts asserts that what changes between the reading and the watch is
// doubted, with and without a system that tells of changes, and nothing else.
func TestLookingDoubts(t *testing.T) {
	for _, told := range []bool{true, false} {
		for what, change := range map[string]func(dir string) error{
			"nothing": func(string) error { return nil },
			"a file that is written": func(dir string) error {
				return os.WriteFile(filepath.Join(dir, ".claude/skills/go-style/SKILL.md"), []byte("---\nname: go-style\ndescription: y\n---\n"), 0o644)
			},
			"a file that came": func(dir string) error {
				return os.WriteFile(filepath.Join(dir, ".claude/commands/came.md"), []byte("x"), 0o644)
			},
			"a file that went":      func(dir string) error { return os.Remove(filepath.Join(dir, ".claude/commands/hello.md")) },
			"a directory that went": func(dir string) error { return os.RemoveAll(filepath.Join(dir, ".claude/skills/deploy")) },
		} {
			dir := project(t, some())
			w := newWatcher(serverFor(t, dir))
			settled(t)
			if told {
				events, err := fsnotify.NewWatcher()
				if err != nil {
					t.Skip("the system tells of nothing: ", err)
				}
				defer events.Close()
				go w.pump(events.Events, events.Errors)
				w.system = events
			}
			st, err := w.s.hold(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			st.release()
			if err := change(dir); err != nil {
				t.Fatal(err)
			}
			if err := w.look(t.Context()); err != nil || w.doubtful == (what == "nothing") {
				t.Errorf("told %v, %s: doubtful is %v, %v", told, what, w.doubtful, err)
			}
			if w.reload(t.Context()); told && w.doubtful {
				t.Errorf("%s: what was read with the watch there is doubted", what)
			}
		}
	}
}

// TestAnotherDirectoryOfTheName asserts that a project which is taken away and made anew
// is served again.
func TestAnotherDirectoryOfTheName(t *testing.T) {
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

// TestThePolicySwitchesOffWhatComesWithVade: what is listed by the policy is listed anew.
func TestThePolicySwitchesOffWhatComesWithVade(t *testing.T) {
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

// TestPolicyIsLogged asserts that whoever changes the policy finds in the log what
// became of it.
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
	// As Watch begins.
	s.logPolicy(t.Context(), policyState{})
	put("version: 1\nremote-shell: true\n")
	if !strings.Contains(log.String(), `msg="the policy changed" remote-shell=true`) || !strings.Contains(log.String(), "policy.yaml:2") {
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
