package serve

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/vadehq/vade/internal/testenv"
)

// TestSavesWithoutPause saves a file as editors do, another one renamed over it, as fast
// as it goes: what comes afterwards is still seen, and the watch still ends.
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
		st, err := s.hold(t.Context())
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

// TestEventsAreTakenAtOnce asserts that events are taken while nobody handles them, in
// bounded memory.
func TestEventsAreTakenAtOnce(t *testing.T) {
	w := newWatcher(serverFor(t, project(t, some())))
	events, errs, done := make(chan fsnotify.Event), make(chan error), make(chan struct{})
	go func() { defer close(done); w.pump(events, errs) }()
	for i := range 2 * maxEvents {
		events <- fsnotify.Event{Name: fmt.Sprint("/elsewhere/", i), Op: fsnotify.Write}
	}
	close(events)
	<-done
	if len(w.events) != maxEvents || !w.noticed(<-w.events) || w.noticed(<-w.events) {
		t.Errorf("%d events wait, or the lost ones are not noticed once", len(w.events))
	}
}

// TestOnlyDirectoriesAreWatched asserts that new files and links cost no watch, that a
// directory that goes away gives its own back, and that there is an end to them.
func TestOnlyDirectoriesAreWatched(t *testing.T) {
	dir := project(t, some())
	w := newWatcher(serverFor(t, dir))
	events, err := fsnotify.NewWatcher()
	if err != nil {
		t.Skip("the system tells of nothing: ", err)
	}
	defer events.Close()
	go w.pump(events.Events, events.Errors)
	w.system = events
	if err := w.look(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := len(events.WatchList())
	at := filepath.Join(dir, ".claude/skills")
	for i := range 50 {
		put(t, dir, fmt.Sprintf(".claude/skills/go-style/f%d.md", i), "x")
		w.enter(fmt.Sprintf("%s/go-style/f%d.md", at, i))
	}
	if err := os.Symlink(filepath.Join(at, "deploy"), filepath.Join(at, "link")); err == nil {
		w.enter(at + "/link")
	}
	if got := len(events.WatchList()); got != before {
		t.Errorf("%d watches after files came, %d before", got, before)
	}
	if err := os.MkdirAll(filepath.Join(at, "new/deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.enter(at + "/new")
	w.enter(at + "/new/deep")
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
	w.enter(at + "/new")
	if got := len(events.WatchList()); got != before || !w.polled {
		t.Errorf("beyond the limit: %d watches, polled %v", got, w.polled)
	}
}
