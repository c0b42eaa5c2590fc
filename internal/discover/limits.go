package discover

import (
	"cmp"
	"sync"
	"sync/atomic"

	"github.com/vadehq/vade/diag"
)

// Limits bounds a scan. A zero field selects its default.
type Limits struct {
	// Directories and Files are the maximum total numbers of directories and files. Entries is the
	// maximum number of entries per directory. The defaults are 100,000, 1,000,000 and 250,000.
	Directories, Files, Entries int
	// Nested is the maximum depth of a nested root below the project. The default is 12.
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

// meter counts directories and files against the limits and reports each exceeded limit once.
type meter struct {
	limits      Limits
	dirs, files atomic.Int64
	mu          sync.Mutex
	reported    map[diag.Code]bool
	diagnostics []diag.Diagnostic
}

// countDirectory counts a directory before it is listed, and countEntries counts the directory's
// entries afterward. Each returns false if the limit is exceeded.
func (m *meter) countDirectory(shown string) bool {
	if m.dirs.Add(1) <= int64(m.limits.Directories) {
		return true
	}
	m.reportOnce(diag.For(shown, diag.DirLimit, "reached the limit of %d directories; this directory and the remaining ones were skipped", m.limits.Directories).
		WithFix("to reduce the count, move files that should not be loaded to another location"))
	return false
}

func (m *meter) countEntries(shown string, entries int) bool {
	if m.files.Add(int64(entries)) <= int64(m.limits.Files) {
		return true
	}
	m.reportOnce(diag.For(shown, diag.FileLimit, "reached the limit of %d files; this directory and the remaining ones were skipped", m.limits.Files).
		WithFix("to reduce the count, move files that should not be loaded to another location"))
	return false
}

func (m *meter) reportOnce(d diag.Diagnostic) {
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
