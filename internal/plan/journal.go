package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/vadehq/vade/internal/runs"
	"github.com/vadehq/vade/internal/vfs"
)

// journal records the outcomes of a plan's tasks in a file, so that a later process can continue
// the plan.
type journal struct {
	outcomes map[string]Outcome
	file     *os.File
	close    func()
}

// record is one line in the journal.
type record struct {
	Task    string   `json:"task"`
	Outcome *Outcome `json:"outcome"`
}

// openJournal opens the journal in a directory and reads the outcomes of completed tasks. It omits
// failed tasks, so that they run again. If another process has the journal open, openJournal fails
// with [vfs.ErrBusy].
func openJournal(dir string, p *Plan) (*journal, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	tree, err := vfs.Open(filepath.ToSlash(dir), vfs.Options{})
	if err != nil {
		return nil, err
	}
	release, err := tree.Lock()
	if err != nil {
		return nil, errors.Join(err, tree.Close())
	}
	j := &journal{outcomes: map[string]Outcome{}}
	j.close = func() {
		j.file.Close()
		release()
		tree.Close()
	}
	name := filepath.Join(dir, "journal.jsonl")
	data, err := os.ReadFile(name)
	if err == nil || errors.Is(err, os.ErrNotExist) {
		j.file, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	}
	if err == nil {
		// A killed process may have written an incomplete line.
		_, err = j.file.WriteString("\n")
	}
	if err != nil {
		j.close()
		return nil, err
	}
	for line := range bytes.Lines(data) {
		var r record
		if json.Unmarshal(line, &r) == nil && r.Outcome != nil && r.Outcome.State == runs.Done && p.Find(r.Task) != nil {
			j.outcomes[r.Task] = *r.Outcome
		}
	}
	return j, nil
}

// record writes a task's outcome to stable storage.
func (j *journal) record(task string, o Outcome) error {
	j.outcomes[task] = o
	line, err := json.Marshal(record{task, &o})
	if err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	if err == nil {
		err = j.file.Sync()
	}
	return err
}

// failed returns the ID of the first of a task's dependencies that has ended without success, or ""
// if there is none.
func (j *journal) failed(t *Task) string {
	for _, after := range t.After {
		if o, ended := j.outcomes[after]; ended && o.State != runs.Done {
			return after
		}
	}
	return ""
}

// ready reports whether a task need not wait any longer: all of its dependencies have ended, or one
// of them has failed.
func (j *journal) ready(t Task) bool {
	isOpen := func(id string) bool {
		_, ended := j.outcomes[id]
		return !ended
	}
	return j.failed(&t) != "" || !slices.ContainsFunc(t.After, isOpen)
}
