package trust

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestUnwritableDirectory drops root privileges for one thread.
func TestUnwritableDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := syscall.Setfsuid(65534); err != nil {
			t.Skipf("cannot drop root's privileges: %v", err)
		}
		defer syscall.Setfsuid(0)
	}
	s := &Store{filepath.Join(dir, "trust")}
	_, err := s.Give(sample(), now)
	var bad *StoreError
	if !errors.As(err, &bad) || !strings.Contains(bad.Problem, "is not readable and writable") || bad.Fix == "" {
		t.Errorf("Give = %v", err)
	}
}
