package vfs

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// smallDisk mounts a file system that holds only a few pages.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k,mode=700"); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// TestTempDirFullDisk fills up a real disk.
func TestTempDirFullDisk(t *testing.T) {
	disk := smallDisk(t)
	parent := filepath.Join(disk, "vade")
	s := openTempDir(t, parent, TempDirOptions{})
	files := append(two(), TempFile{"large.md", bytes.Repeat([]byte("x"), 256<<10)})
	if _, err := s.Write("skill", files); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("a full disk gives %v", err)
	}
	if left := namesBelow(t, s.Dir()); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := s.Write("skill", two()); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// TestTempDirReadOnlyDisk uses a real disk that is read-only, either from the
// start or from some point on.
func TestTempDirReadOnlyDisk(t *testing.T) {
	disk := smallDisk(t)
	remount := func(flags uintptr) {
		t.Helper()
		if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT|flags, "size=64k,mode=700"); err != nil {
			t.Skipf("the file system cannot be mounted read-only: %v", err)
		}
	}
	parent := filepath.Join(disk, "vade")
	s := openTempDir(t, parent, TempDirOptions{})
	remount(syscall.MS_RDONLY)
	if _, err := s.Write("skill", two()); !errors.Is(err, syscall.EROFS) {
		t.Errorf("a read-only disk gives %v", err)
	}
	for _, dir := range []string{parent, filepath.Join(disk, "other")} {
		if _, err := OpenTempDir(dir, TempDirOptions{}); !errors.Is(err, syscall.EROFS) {
			t.Errorf("%s gives %v", dir, err)
		}
	}
	remount(0)
	if _, err := s.Write("skill", two()); err != nil {
		t.Errorf("writable again: %v", err)
	}
}

// TestTempDirLimitedChild is started by TestTempDirFileLimit.
func TestTempDirLimitedChild(t *testing.T) {
	parent := os.Getenv("VFS_SCRATCH_LIMITED")
	if parent == "" {
		t.Skip("it is started by TestTempDirFileLimit")
	}
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4, Max: 4}))
	s, err := OpenTempDir(parent, TempDirOptions{})
	must(t, err)
	_, err = s.Write("skill", two())
	if err == nil {
		t.Error("it was written")
	}
	must(t, s.Close())
}

// TestTempDirFileLimit limits the process to writing four bytes, which truncates a file.
func TestTempDirFileLimit(t *testing.T) {
	parent := parentDir(t)
	child := exec.Command(os.Args[0], "-test.run=^TestTempDirLimitedChild$")
	child.Env = append(os.Environ(), "VFS_SCRATCH_LIMITED="+parent)
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if left := namesBelow(t, parent); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
