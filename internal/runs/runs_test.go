package runs_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vadehq/vade/internal/runs"
	"github.com/vadehq/vade/internal/vfs"
)

func open(t *testing.T) *runs.Store {
	t.Helper()
	s, err := runs.Open(filepath.Join(t.TempDir(), "runs"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func create(t *testing.T, s *runs.Store, id string) *runs.Journal {
	t.Helper()
	j, err := s.Create(runs.Run{ID: id, Request: "/review", Host: "codex", Started: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestJournal(t *testing.T) {
	s := open(t)
	j := create(t, s, "one")
	j.Add(runs.Event{Event: "state", State: runs.Running})
	j.Add(runs.Event{Event: "session", Session: "s1"})
	if r, err := s.Read("one"); err != nil || r.State != runs.Running || r.Session != "s1" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := s.Create(runs.Run{ID: "one"}); !errors.Is(err, vfs.ErrBusy) {
		t.Errorf("a second process can write: %v", err)
	}
	if err := s.Remove("one"); err == nil {
		t.Error("a running run was removed")
	}
	j.Add(runs.Event{Event: "end", State: runs.Done, Text: "answer"})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Read("one"); err != nil || r.State != runs.Done || r.Text != "answer" || r.Ended.IsZero() {
		t.Errorf("%+v, %v", r, err)
	}
	if err := s.Remove("one"); err != nil {
		t.Error(err)
	}
}

// TestJournalOfKilled checks that no matter when a process is killed, another
// process can read its journal and continue it.
func TestJournalOfKilled(t *testing.T) {
	s := open(t)
	j := create(t, s, "one")
	j.Add(runs.Event{Event: "session", Session: "s1"})
	j.Add(runs.Event{Event: "state", State: runs.Running})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(s.JournalPath("one"))
	if err != nil {
		t.Fatal(err)
	}
	start := strings.IndexByte(string(whole), '\n') + 1
	for n := range whole {
		if err := os.WriteFile(s.JournalPath("one"), whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := s.Read("one")
		switch {
		case n < start-1 && !errors.Is(err, runs.ErrUnknown):
			t.Errorf("%d bytes: %+v, %v", n, r, err)
		case n >= start && (err != nil || r.State != runs.Failed || !strings.Contains(r.Reason, "killed")):
			t.Errorf("%d bytes: %+v, %v", n, r, err)
		}
		again := create(t, s, "one")
		again.Add(runs.Event{Event: "end", State: runs.Done})
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
		if r, err := s.Read("one"); err != nil || r.State != runs.Done {
			t.Errorf("%d bytes, continued: %+v, %v", n, r, err)
		}
	}
}

func TestSettle(t *testing.T) {
	s := open(t)
	j := create(t, s, "one")
	var killed []string
	settle := func() *runs.Run {
		t.Helper()
		r, err := s.Read("one")
		if err == nil {
			err = s.Settle(r, func(id string) { killed = append(killed, id) })
		}
		if err != nil {
			t.Error(err)
		}
		return r
	}
	settle()
	if err := j.Close(); err != nil || len(killed) > 0 {
		t.Errorf("%v, %v", err, killed)
	}
	settle()
	if r := settle(); len(killed) != 1 || r.State != runs.Failed || r.Ended.IsZero() {
		t.Errorf("%v, %+v", killed, r)
	}
}

func TestFind(t *testing.T) {
	s := open(t)
	for _, id := range []string{"20260101-000000000-aaaa", "20260102-000000000-bbbb", "20260102-000000001-cccc"} {
		if err := create(t, s, id).Close(); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{
		"bbbb": "20260102-000000000-bbbb", "20260101": "20260101-000000000-aaaa", runs.Last: "20260102-000000001-cccc",
		"20260102": "2 runs match", "none": "no such run", "../one": "no such run",
	} {
		r, err := s.Find(text)
		if got := func() string {
			if err != nil {
				return err.Error()
			}
			return r.ID
		}(); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", text, got)
		}
	}
	list, err := s.List()
	if err != nil || len(list) != 3 || list[0].ID != "20260102-000000001-cccc" {
		t.Errorf("%v, %v", list, err)
	}
}
