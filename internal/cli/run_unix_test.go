//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/vadehq/vade/internal/runs"
	"github.com/vadehq/vade/internal/sandbox"
)

// TestStarted checks that a background run does not count as started until its journal can be read.
// With an empty journal, "last" would refer to an older run.
func TestStarted(t *testing.T) {
	store, err := runs.Open(filepath.Join(t.TempDir(), "runs"))
	if err != nil {
		t.Fatal(err)
	}
	const id = "20260101-000000000-abcd"
	if err := os.Mkdir(store.Dir(id), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(store.JournalPath(id), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := sandbox.Unsandboxed{Args: []string{"sleep", "10"}}.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop(syscall.SIGKILL)
	go func() {
		time.Sleep(100 * time.Millisecond)
		if _, err := store.Create(runs.Run{ID: id}); err != nil {
			t.Error(err)
		}
	}()
	if err := started(store, id, p, os.DevNull); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Read(id); err != nil {
		t.Error(err)
	}
}
