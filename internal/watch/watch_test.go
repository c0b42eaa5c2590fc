package watch

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/vfs"
)

// source provides the catalog for a directory.
type source struct {
	t       *testing.T
	options catalog.Options
	c       *catalog.Catalog
	began   time.Time
}

func sourceOf(t *testing.T, dir string) *source {
	t.Helper()
	s := &source{t: t, options: catalog.Options{Dir: dir, Home: t.TempDir(), ManagedDir: t.TempDir()}}
	if err := s.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *source) Acquire(ctx context.Context) (Loaded, error) {
	if s.began.IsZero() {
		s.began = time.Now()
	}
	_, err := s.c.Scan(ctx)
	return Loaded{Catalog: s.c, Began: s.began, Release: func() {}}, err
}

func (s *source) Reload(ctx context.Context) error {
	c, err := catalog.Open(ctx, s.options)
	if err != nil {
		return err
	}
	s.t.Cleanup(func() { c.Close() })
	s.c, s.began = c, time.Time{}
	return nil
}

// project returns a new project with some definitions.
func project(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, ".git/HEAD", "ref: refs/heads/main\n")
	put(t, dir, ".claude/commands/hello.md", "---\ndescription: Say hello\n---\nHello!\n")
	put(t, dir, ".claude/skills/go-style/SKILL.md", "---\nname: go-style\ndescription: How Go code looks\n---\nUse gofmt.\n")
	put(t, dir, ".claude/skills/deploy/SKILL.md", "---\nname: deploy\ndescription: Ship it\n---\nShip.\n")
	return dir
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestLookingFindsChanges(t *testing.T) {
	dir := project(t)
	w := newWatcher(sourceOf(t, dir), slog.New(slog.DiscardHandler))
	if err := w.rewatch(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !w.polled {
		t.Fatal("without events the files are not looked at")
	}
	if w.pollChanged(t.Context()) {
		t.Error("nothing has changed")
	}
	put(t, dir, ".claude/commands/hello.md", "---\ndescription: Say hello again\n---\nHello!\n")
	if !w.pollChanged(t.Context()) {
		t.Error("a changed file is not seen")
	}
	w.reload(t.Context())
	if w.pollChanged(t.Context()) {
		t.Error("what was read is taken for a change")
	}
	put(t, dir, ".claude/skills/more/SKILL.md", "---\nname: more\ndescription: More\n---\nx\n")
	if !w.pollChanged(t.Context()) {
		t.Error("a new skill is not seen")
	}
}

// TestLookingDoubts checks that the watcher sets maybeStale if and only if a file changed between
// reading and watching, with and without change notifications from the operating system.
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
			dir := project(t)
			w := newWatcher(sourceOf(t, dir), slog.New(slog.DiscardHandler))
			settled(t)
			if told {
				events, err := fsnotify.NewWatcher()
				if err != nil {
					t.Skip("the system tells of nothing: ", err)
				}
				defer events.Close()
				go w.pump(events.Events, events.Errors)
				w.notify = events
			}
			st, err := w.source.Acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			st.Release()
			if err := change(dir); err != nil {
				t.Fatal(err)
			}
			if err := w.rewatch(t.Context()); err != nil || w.maybeStale == (what == "nothing") {
				t.Errorf("told %v, %s: doubtful is %v, %v", told, what, w.maybeStale, err)
			}
			if w.reload(t.Context()); told && w.maybeStale {
				t.Errorf("%s: what was read with the watch there is doubted", what)
			}
		}
	}
}

// TestEventsAreTakenAtOnce checks that events are accepted even while none is
// being handled, using bounded memory.
func TestEventsAreTakenAtOnce(t *testing.T) {
	w := newWatcher(sourceOf(t, project(t)), slog.New(slog.DiscardHandler))
	events, errs, done := make(chan fsnotify.Event), make(chan error), make(chan struct{})
	go func() { defer close(done); w.pump(events, errs) }()
	for i := range 2 * maxEvents {
		events <- fsnotify.Event{Name: fmt.Sprint("/elsewhere/", i), Op: fsnotify.Write}
	}
	close(events)
	<-done
	if len(w.events) != maxEvents || !w.handleEvent(<-w.events) || w.handleEvent(<-w.events) {
		t.Errorf("%d events wait, or the lost ones are not noticed once", len(w.events))
	}
}

// TestOnlyDirectoriesAreWatched checks that new files and symlinks are not watched, that removing a
// directory releases its watch, and that the number of watches is limited.
func TestOnlyDirectoriesAreWatched(t *testing.T) {
	dir := project(t)
	w := newWatcher(sourceOf(t, dir), slog.New(slog.DiscardHandler))
	events, err := fsnotify.NewWatcher()
	if err != nil {
		t.Skip("the system tells of nothing: ", err)
	}
	defer events.Close()
	go w.pump(events.Events, events.Errors)
	w.notify = events
	if err := w.rewatch(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := len(events.WatchList())
	at := filepath.Join(dir, ".claude/skills")
	for i := range 50 {
		put(t, dir, fmt.Sprintf(".claude/skills/go-style/f%d.md", i), "x")
		w.watchDir(fmt.Sprintf("%s/go-style/f%d.md", at, i))
	}
	if err := os.Symlink(filepath.Join(at, "deploy"), filepath.Join(at, "link")); err == nil {
		w.watchDir(at + "/link")
	}
	if got := len(events.WatchList()); got != before {
		t.Errorf("%d watches after files came, %d before", got, before)
	}
	if err := os.MkdirAll(filepath.Join(at, "new/deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.watchDir(at + "/new")
	w.watchDir(at + "/new/deep")
	if got := len(events.WatchList()); got != before+2 || len(w.watched) != before+2 {
		t.Errorf("%d watches after two directories came, %d before", got, before)
	}
	w.forget(at + "/new")
	if got := len(events.WatchList()); got != before || len(w.watched) != before {
		t.Errorf("%d watches after they went, %d before", got, before)
	}
	for i := range maxWatched {
		w.watched[fmt.Sprint(i)] = false
	}
	w.watchDir(at + "/new")
	if got := len(events.WatchList()); got != before || !w.polled {
		t.Errorf("beyond the limit: %d watches, polled %v", got, w.polled)
	}
}

// settled waits until the file system's clock is later than the last write.
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
		stamp, err := tree.Fingerprint("last")
		return err == nil && !stamp.ChangedSince(time.Now())
	})
}

// eventually waits until a condition is true. The timeout is generous because
// the machine may be busy.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for until := time.Now().Add(30 * time.Second); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("it never comes about that " + what)
		}
	}
}
