// Package runs stores the runs of coding agents. Each run has a directory with an append-only
// journal, which shows the run's state at any time, even after a crash.
package runs

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vadehq/vade/internal/vfs"
)

// State is a run's state.
type State string

// The run states. Done, Failed and Cancelled are final.
const (
	// Starting means that the agent's program is starting.
	Starting State = "starting"
	// Running means that the agent is working.
	Running State = "running"
	// Quiet means that the agent has made no progress for a while.
	Quiet State = "quiet"
	// Waiting means that the agent is waiting for the user's decision.
	Waiting State = "waiting"
	// Stuck means that the agent has made no progress for too long.
	Stuck State = "stuck"
	// Looping means that the agent is repeating itself.
	Looping State = "looping"
	// Done means that the run ended with an answer from the agent.
	Done State = "done"
	// Failed means that the run ended without an answer.
	Failed State = "failed"
	// Cancelled means that the user ended the run.
	Cancelled State = "cancelled"
)

// Final reports whether a run in this state has ended.
func (s State) Final() bool { return s == Done || s == Failed || s == Cancelled }

// Event is one line in a journal. Fields that do not apply are empty.
type Event struct {
	Time time.Time `json:"time"`
	// Event is "start", "state", "session", "text", "tool", "permission", "step" or "end".
	Event string `json:"event"`
	// Run describes the run. It is set in "start" events.
	Run *Run `json:"run,omitempty"`
	// State is the new state. It is set in "state" and "end" events.
	State State `json:"state,omitempty"`
	// Reason explains the state, the decision or the step.
	Reason string `json:"reason,omitempty"`
	// Session is the ID of the agent's session. It is set in "session" events.
	Session string `json:"session,omitempty"`
	// Kind and Title describe a tool call, a requested permission or a step. Decision is "allowed"
	// or "refused", or the status of a tool call. In "session" events, Title is the agent's name
	// and version.
	Kind     string `json:"kind,omitempty"`
	Title    string `json:"title,omitempty"`
	Decision string `json:"decision,omitempty"`
	// Text is the text of the agent's message.
	Text string `json:"text,omitempty"`
}

// Run describes a run.
type Run struct {
	ID      string    `json:"id"`
	Request string    `json:"request"`
	Host    string    `json:"host"`
	Agent   string    `json:"agent,omitempty"`
	Dir     string    `json:"dir"`
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
	// Worktree, Branch and Base are set for a run in a worktree: the worktree's directory, its
	// branch, and the commit that it started from. Project is the top directory of the user's
	// checkout.
	Worktree string `json:"worktree,omitempty"`
	Branch   string `json:"branch,omitempty"`
	Base     string `json:"base,omitempty"`
	Project  string `json:"project,omitempty"`
	// Copies are the pathspecs of the ignored files that were copied into the worktree.
	Copies []string `json:"copies,omitempty"`
	// Command is the agent's command line, if it differs from the host's default.
	Command []string `json:"command,omitempty"`
	// Permission and Timeout are the values of the corresponding options of vade run.
	Permission string        `json:"permission,omitempty"`
	Timeout    time.Duration `json:"timeout,omitempty"`

	// The following fields are not part of the "start" event. They are derived from later events.
	State   State     `json:"state"`
	Reason  string    `json:"reason,omitempty"`
	Session string    `json:"session,omitempty"`
	Text    string    `json:"text,omitempty"`
	Ended   time.Time `json:"ended,omitzero"`
}

// Store is the directory that contains all of a user's runs.
type Store struct{ dir string }

// Limits for a journal. Beyond maxJournal bytes, the agent's messages and
// actions are no longer recorded.
const (
	maxLine    = 8 << 20
	maxText    = 4 << 10
	maxJournal = 64 << 20
)

// TreePrefix is the prefix of the names of directories in the store that contain a worktree instead
// of a run.
const TreePrefix = "tree-"

const journalName = "journal.jsonl"

// Open opens the store in a directory that only the user can access. It creates
// the directory if necessary.
func Open(dir string) (*Store, error) {
	d, err := vfs.MakePrivate(filepath.ToSlash(dir))
	if err != nil {
		return nil, err
	}
	return &Store{dir: dir}, d.Close()
}

// NewID returns an ID for a new run. IDs sort by time.
func NewID(now time.Time) string {
	var b [2]byte
	_, _ = rand.Read(b[:])
	milliseconds := now.UTC().Format("20060102-150405.000")
	return strings.Replace(milliseconds, ".", "", 1) + "-" + hex.EncodeToString(b[:])
}

// Root returns the directory that contains all runs.
func (s *Store) Root() string { return s.dir }

// Dir returns a run's directory.
func (s *Store) Dir(id string) string { return filepath.Join(s.dir, id) }

// JournalPath returns the path of a run's journal.
func (s *Store) JournalPath(id string) string { return filepath.Join(s.dir, id, journalName) }

// Journal is a run's journal, opened for writing. It is safe for concurrent use.
type Journal struct {
	mu   sync.Mutex
	file *os.File
	free func() error
	size int // bytes written
	err  error
	// OnEvent, if not nil, is called for each event after it is written.
	OnEvent func(Event)
}

// Create starts a run's journal. Until it is closed, no other process can write to it.
func (s *Store) Create(r Run) (*Journal, error) {
	if err := os.Mkdir(s.Dir(r.ID), 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	j, err := s.open(r.ID)
	if err != nil {
		return nil, err
	}
	// If the run is being resumed, discard an earlier request to cancel it.
	if err := os.Remove(s.cancelPath(r.ID)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, errors.Join(err, j.Close())
	}
	j.Add(Event{Event: "start", Run: &r})
	return j, j.Err()
}

// Cancel asks a run's process to end the run; see [Store.Cancelable].
func (s *Store) Cancel(id string) error { return os.WriteFile(s.cancelPath(id), nil, 0o600) }

func (s *Store) cancelPath(id string) string { return filepath.Join(s.dir, id, "cancel") }

// pollCancel is the interval at which a run checks whether it was canceled.
const pollCancel = 200 * time.Millisecond

// Cancelable returns a context that is canceled when any process calls
// [Store.Cancel] for the run. The caller must call the returned function.
func (s *Store) Cancelable(ctx context.Context, id string) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		tick := time.NewTicker(pollCancel)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if _, err := os.Lstat(s.cancelPath(id)); err == nil {
					cancel()
				}
			}
		}
	}()
	return ctx, cancel
}

// Settle records the end of a run whose process was killed, and calls kill for the processes that
// the run left behind. It does nothing if the run has ended or is still running.
func (s *Store) Settle(r *Run, kill func(id string)) error {
	if r.State.Final() && !r.Ended.IsZero() {
		return nil
	}
	info, err := os.Stat(s.JournalPath(r.ID))
	if err != nil {
		return err
	}
	j, err := s.open(r.ID)
	if errors.Is(err, vfs.ErrBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	kill(r.ID)
	j.Add(Event{Time: info.ModTime(), Event: "end", State: Failed, Reason: killed})
	return errors.Join(j.Err(), j.Close())
}

// killed is the reason recorded for a run whose process ended without recording an outcome.
const killed = "the run's process was killed"

// open opens a run's journal. Until it is closed, no other process can write to it.
func (s *Store) open(id string) (*Journal, error) {
	dir := s.Dir(id)
	tree, err := vfs.Open(filepath.ToSlash(dir), vfs.Options{})
	if err != nil {
		return nil, err
	}
	release, err := tree.Lock()
	if err != nil {
		tree.Close()
		return nil, err
	}
	free := func() error { release(); return tree.Close() }
	f, err := os.OpenFile(filepath.Join(dir, journalName), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, errors.Join(err, free())
	}
	j := &Journal{file: f, free: free}
	if err := j.terminate(); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// Discard returns a journal that is not written to disk, and a pointer to the events added to it.
func Discard() (*Journal, *[]Event) {
	var events []Event
	j := &Journal{}
	j.OnEvent = func(e Event) { events = append(events, e) }
	return j, &events
}

// terminate writes a newline, in case a killed process left the last line unfinished.
func (j *Journal) terminate() error {
	info, err := j.file.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	_, err = j.file.WriteString("\n")
	return err
}

// Add appends an event. Start, session and end events are synced to disk before Add returns. Err
// returns the first error.
func (j *Journal) Add(e Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if e.Time.IsZero() {
		e.Time = time.Now().Round(time.Millisecond)
	}
	if j.file != nil {
		j.err = cmp.Or(j.err, j.write(&e))
	}
	if j.OnEvent != nil {
		j.OnEvent(e)
	}
}

func (j *Journal) write(e *Event) error {
	for _, text := range []*string{&e.Reason, &e.Session, &e.Kind, &e.Title, &e.Decision} {
		*text = strings.ToValidUTF8((*text)[:min(len(*text), maxText)], "")
	}
	line, err := json.Marshal(e)
	if j.size += len(line); j.size > maxJournal && e.State == "" && e.Run == nil {
		return nil
	}
	if err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	// Written data survives a killed process even without Sync, but not a power failure. After a
	// power failure nothing is running, so syncing the start, the session and the end is enough.
	if err == nil && (e.State.Final() || e.Run != nil || e.Session != "") {
		err = j.file.Sync()
	}
	return err
}

// Err returns the first error that occurred in Add, such as a full disk.
func (j *Journal) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// Close closes the journal and lets other processes write to it.
func (j *Journal) Close() error { return errors.Join(j.file.Close(), j.free()) }

// ErrUnknown is returned if no run has the given ID.
var ErrUnknown = errors.New("no such run")

// Last can be used instead of an ID to refer to the newest run.
const Last = "last"

// Find returns the run with the given ID. If id is [Last], it returns the newest run. Otherwise, id
// may also be the beginning or the end of an ID if only one run's ID matches.
func (s *Store) Find(text string) (*Run, error) {
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	if text == "" {
		return nil, ErrUnknown
	}
	if text == Last {
		for _, name := range slices.Backward(names) {
			if r, err := s.Read(name); err == nil {
				return r, nil
			}
		}
	}
	var found []string
	for _, name := range names {
		if name == text {
			found = []string{name}
			break
		}
		if strings.HasPrefix(name, text) || strings.HasSuffix(name, text) {
			found = append(found, name)
		}
	}
	switch len(found) {
	case 0:
		return nil, ErrUnknown
	case 1:
		return s.Read(found[0])
	}
	return nil, fmt.Errorf("%d runs match %s, such as %s and %s; use a longer part of the ID", len(found), text, found[0], found[1])
}

// List returns all runs, newest first. It omits directories without a readable journal.
func (s *Store) List() ([]*Run, error) {
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	slices.Reverse(names)
	var list []*Run
	for _, name := range names {
		if r, err := s.Read(name); err == nil {
			list = append(list, r)
		}
	}
	return list, nil
}

func (s *Store) names() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	var names []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), TreePrefix) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// Read reads a run from its journal. A run whose process ended without
// recording an outcome counts as failed.
func (s *Store) Read(id string) (*Run, error) {
	var r *Run
	err := s.Events(id, func(e Event) {
		if e.Run != nil {
			// A resumed run continues its earlier session.
			session := ""
			if r != nil {
				session = r.Session
			}
			r = e.Run
			r.State, r.Session = Starting, session
		}
		if r != nil {
			r.apply(e)
		}
	})
	if err == nil && r == nil {
		err = ErrUnknown
	}
	if err != nil {
		return nil, err
	}
	if !r.State.Final() && !s.Alive(id) {
		r.State, r.Reason = Failed, killed
	}
	return r, nil
}

func (r *Run) apply(e Event) {
	if e.State != "" {
		r.State, r.Reason = e.State, e.Reason
	}
	if e.Session != "" {
		r.Session = e.Session
	}
	if e.Event == "end" {
		r.Text, r.Ended = e.Text, e.Time
	}
}

// Events calls do for each of a run's events. It skips incomplete lines, which
// a killed process may leave behind.
func (s *Store) Events(id string, do func(Event)) error {
	f, err := os.Open(filepath.Join(s.Dir(id), journalName))
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for size := 0; lines.Scan() && size < 2*maxJournal; size += len(lines.Bytes()) {
		var e Event
		if json.Unmarshal(bytes.TrimSpace(lines.Bytes()), &e) == nil {
			do(e)
		}
	}
	return lines.Err()
}

// Alive reports whether a run's process is still running.
func (s *Store) Alive(id string) bool {
	tree, err := vfs.Open(filepath.ToSlash(s.Dir(id)), vfs.Options{})
	if err != nil {
		return false
	}
	defer tree.Close()
	release, err := tree.Lock()
	if err != nil {
		return errors.Is(err, vfs.ErrBusy)
	}
	release()
	return false
}

// Remove deletes a run that has ended.
func (s *Store) Remove(id string) error {
	if s.Alive(id) {
		return errors.New("the run is still in progress")
	}
	return os.RemoveAll(s.Dir(id))
}
