package plan

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"sync"

	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/runs"
	"github.com/vadehq/vade/internal/vfs"
)

// Queue assigns a plan's tasks to workers, which may run in several processes or on several
// machines. A lease has a fencing token that increases with each claim of its task: once a queue
// has given a task to another worker, it must reject the outcome of the earlier lease.
type Queue interface {
	// Claim waits for a task whose dependencies are done, and leases it. It
	// returns nil once every task has an outcome.
	Claim(ctx context.Context) (*Lease, error)
	// Extend reports progress. It fails with [ErrFenced] if the lease is no longer valid.
	Extend(l *Lease) error
	// Finish records a task's outcome in stable storage.
	Finish(l *Lease, o Outcome) error
	// Outcomes returns the outcomes so far, by task.
	Outcomes() map[string]Outcome
}

// Lease is a worker's exclusive claim to a task.
type Lease struct {
	Task  *Task
	Token uint64
}

// Outcome is a task's final result.
type Outcome struct {
	State  runs.State `json:"state"`
	Reason string     `json:"reason,omitempty"`
	// Run is the run's ID, and Commit is the commit that contains its result.
	Run    string `json:"run,omitempty"`
	Commit string `json:"commit,omitempty"`
}

// ErrFenced reports that another worker has claimed the task.
var ErrFenced = errors.New("another worker has claimed the task")

// localQueue is a queue for the workers in one process. Its journal outlives the process.
type localQueue struct {
	plan *Plan
	mu   sync.Mutex
	wake chan struct{}
	file *os.File

	tokens   map[string]uint64
	claimed  map[string]bool
	outcomes map[string]Outcome
}

// maxLine is the maximum length of a journal line. Long lines consist mostly of the reason.
const maxLine = 1 << 20

// record is one line in the journal.
type record struct {
	Task    string   `json:"task"`
	Token   uint64   `json:"token"`
	Outcome *Outcome `json:"outcome,omitempty"`
}

// OpenLocal opens a plan's queue, whose journal is in the given directory. It
// fails with [vfs.ErrBusy] if another process has the queue open. Tasks that
// were claimed but have no outcome can be claimed again.
func OpenLocal(dir string, p *Plan) (Queue, func() error, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, err
	}
	tree, err := vfs.Open(filepath.ToSlash(dir), vfs.Options{})
	if err != nil {
		return nil, nil, err
	}
	release, err := tree.Lock()
	if err != nil {
		return nil, nil, errors.Join(err, tree.Close())
	}
	q := &localQueue{
		plan: p, wake: make(chan struct{}),
		tokens: map[string]uint64{}, claimed: map[string]bool{}, outcomes: map[string]Outcome{},
	}
	name := filepath.Join(dir, "journal.jsonl")
	err = q.replay(name)
	if err == nil {
		q.file, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	}
	if err == nil {
		// A killed process may have written an incomplete line.
		_, err = q.file.WriteString("\n")
	}
	if err != nil {
		release()
		return nil, nil, errors.Join(err, tree.Close())
	}
	return q, func() error { release(); return errors.Join(q.file.Close(), tree.Close()) }, nil
}

func (q *localQueue) replay(name string) error {
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var r record
		if json.Unmarshal(lines.Bytes(), &r) != nil || q.plan.Find(r.Task) == nil {
			continue
		}
		q.tokens[r.Task] = max(q.tokens[r.Task], r.Token)
		// Failed tasks are retried.
		delete(q.outcomes, r.Task)
		if r.Outcome != nil && r.Outcome.State == runs.Done {
			q.outcomes[r.Task] = *r.Outcome
		}
	}
	return lines.Err()
}

func (q *localQueue) write(r record) error {
	line, err := json.Marshal(r)
	if err == nil {
		_, err = q.file.Write(append(line, '\n'))
	}
	if err == nil {
		err = q.file.Sync()
	}
	return err
}

// Claim implements [Queue].
func (q *localQueue) Claim(ctx context.Context) (*Lease, error) {
	for {
		q.mu.Lock()
		lease, open, err := q.next()
		wake := q.wake
		q.mu.Unlock()
		if err != nil || lease != nil || !open {
			return lease, err
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// next claims the first task that can run. open reports whether any task lacks an outcome.
func (q *localQueue) next() (lease *Lease, open bool, err error) {
	for i := range q.plan.Tasks {
		t := &q.plan.Tasks[i]
		if _, ended := q.outcomes[t.ID]; ended {
			continue
		}
		open = true
		if q.claimed[t.ID] {
			continue
		}
		ready := true
		for _, after := range t.After {
			o, ended := q.outcomes[after]
			ready = ready && ended
			if ended && o.State != runs.Done {
				q.outcomes[t.ID] = Outcome{State: runs.Failed, Reason: "dependency " + string(o.State) + ": " + after}
				err := q.write(record{Task: t.ID, Token: q.tokens[t.ID], Outcome: new(q.outcomes[t.ID])})
				if err != nil {
					return nil, true, err
				}
				return q.next()
			}
		}
		if !ready {
			continue
		}
		q.tokens[t.ID]++
		q.claimed[t.ID] = true
		return &Lease{Task: t, Token: q.tokens[t.ID]}, true, q.write(record{Task: t.ID, Token: q.tokens[t.ID]})
	}
	return nil, open, nil
}

// Extend implements [Queue].
func (q *localQueue) Extend(l *Lease) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.valid(l)
}

func (q *localQueue) valid(l *Lease) error {
	if q.tokens[l.Task.ID] != l.Token || !q.claimed[l.Task.ID] {
		return ErrFenced
	}
	return nil
}

// Finish implements [Queue].
func (q *localQueue) Finish(l *Lease, o Outcome) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.valid(l); err != nil {
		return err
	}
	q.claimed[l.Task.ID] = false
	o.Reason = chars.Truncate(o.Reason, 1000) // lines longer than maxLine would make the journal unreadable
	q.outcomes[l.Task.ID] = o
	close(q.wake)
	q.wake = make(chan struct{})
	return q.write(record{Task: l.Task.ID, Token: l.Token, Outcome: &o})
}

// Outcomes implements [Queue].
func (q *localQueue) Outcomes() map[string]Outcome {
	q.mu.Lock()
	defer q.mu.Unlock()
	return maps.Clone(q.outcomes)
}
