package discover

import (
	"cmp"
	"sync"
	"sync/atomic"

	"github.com/vadehq/vade/diag"
)

// Limits bound a scan. Zero takes the default.
type Limits struct {
	// Directories and Files count what is listed over all places, Entries
	// what is listed of one directory. The defaults are 100,000, 1,000,000 and 250,000.
	Directories, Files, Entries int
	// Nested is the depth below the project to which nested places are looked
	// for; 12 by default.
	Nested int
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Directories: cmp.Or(l.Directories, 100_000),
		Files:       cmp.Or(l.Files, 1_000_000),
		Entries:     cmp.Or(l.Entries, 250_000),
		Nested:      cmp.Or(l.Nested, 12),
	}
}

// meter counts what a scan has used of its limits, and reports each limit once.
type meter struct {
	limits      Limits
	dirs, files atomic.Int64
	mu          sync.Mutex
	reported    map[diag.Code]bool
	diagnostics []diag.Diagnostic
}

// dir counts a directory that is about to be listed, met the entries that it
// turned out to have; false says that the limit is reached.
func (m *meter) dir(shown string) bool {
	if m.dirs.Add(1) <= int64(m.limits.Directories) {
		return true
	}
	m.once(diag.For(shown, diag.DirLimit, "not read: %d directories have been read already", m.limits.Directories).
		WithFix("remove what is not meant to be loaded from the directories of definitions"))
	return false
}

func (m *meter) met(shown string, entries int) bool {
	if m.files.Add(int64(entries)) <= int64(m.limits.Files) {
		return true
	}
	m.once(diag.For(shown, diag.FileLimit, "not read: %d files have been met already", m.limits.Files).
		WithFix("remove what is not meant to be loaded from the directories of definitions"))
	return false
}

func (m *meter) once(d diag.Diagnostic) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.reported == nil {
		m.reported = map[diag.Code]bool{}
	}
	if !m.reported[d.Code] {
		m.reported[d.Code] = true
		m.diagnostics = append(m.diagnostics, d)
	}
}

func (m *meter) report(d diag.Diagnostic) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.diagnostics = append(m.diagnostics, d)
}
