package vfs

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestNotOpened checks that OpenFile does not open a FIFO except as a path (O_PATH). ReadHead does
// open it by default, which proves that the test detects it.
func TestNotOpened(t *testing.T) {
	inside, _ := layout(t)
	for name, tree := range trees(t, inside, Options{}) {
		watch, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
		if err != nil {
			t.Skip("this system has no inotify:", err)
		}
		defer unix.Close(watch)
		if _, err := unix.InotifyAddWatch(watch, filepath.Join(inside, "pipe"), unix.IN_OPEN); err != nil {
			t.Fatal(err)
		}
		opened := func() bool {
			buf := make([]byte, 4096)
			n, err := unix.Read(watch, buf)
			return err == nil && n >= int(unsafe.Sizeof(unix.InotifyEvent{}))
		}
		if _, err := tree.OpenFile("pipe"); !errors.Is(err, ErrNotRegular) {
			t.Fatalf("%s: %v", name, err)
		}
		if opened() {
			t.Errorf("%s: the pipe was opened", name)
		}
		if name != "default" {
			continue
		}
		if _, _, err := tree.ReadHead("pipe", nil); !errors.Is(err, ErrNotRegular) {
			t.Fatalf("%s: %v", name, err)
		}
		if !opened() {
			t.Errorf("%s: the kernel does not tell of openings: the test shows nothing", name)
		}
	}
}

// TestReopen tests reopening a file without /proc, which opens it by name. A name that has become a
// symlink must be rejected.
func TestReopen(t *testing.T) {
	inside, _ := layout(t)
	tree := trees(t, inside, Options{})["default"]
	back, ok := tree.back.(fdBackend)
	if !ok {
		t.Skip("this kernel has no openat2")
	}
	fd, err := back.reopen(-1, "a/b/file")
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 10)
	if n, err := unix.Read(fd, buf); string(buf[:n]) != "content" {
		t.Errorf("read %q, %v", buf[:n], err)
	}
	unix.Close(fd)
	if _, err := back.reopen(-1, "link"); !errors.Is(err, ErrLink) {
		t.Errorf("a link: %v", err)
	}
}

// TestLease simulates a process that delays every open. The tree must give up.
func TestLease(t *testing.T) {
	inside, _ := layout(t)
	f, err := os.Create(filepath.Join(inside, "leased"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		t.Skip("this file system has no leases:", err)
	}
	defer unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
	tree := trees(t, inside, Options{})["default"]
	_, err = within(t, func() ([]byte, error) { return tree.ReadFile("leased", 10) })
	if !errors.Is(err, unix.EAGAIN) {
		t.Errorf("ReadFile: %v", err)
	}
	_, err = within(t, func() ([]byte, error) {
		h, err := tree.OpenFile("leased")
		if err == nil {
			h.Close()
		}
		return nil, err
	})
	if !errors.Is(err, unix.EAGAIN) {
		t.Errorf("OpenFile: %v", err)
	}
}

// TestUnknownTypes checks that the tree determines entry types on file systems
// that do not report them.
func TestUnknownTypes(t *testing.T) {
	dir := t.TempDir()
	err := errors.Join(os.Mkdir(filepath.Join(dir, "dir"), 0o755), os.WriteFile(filepath.Join(dir, "file"), nil, 0o644),
		os.Symlink("file", filepath.Join(dir, "link")))
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var buf []byte
	for _, name := range []string{".", "..", "dir", "file", "gone", "link"} {
		record := make([]byte, 32)
		binary.NativeEndian.PutUint16(record[16:], uint16(len(record)))
		record[18] = unix.DT_UNKNOWN
		copy(record[19:], name)
		buf = append(buf, record...)
	}
	entries, err := appendEntries(nil, int(f.Fd()), buf)
	if want := []Entry{{"dir", Dir}, {"file", File}, {"link", Link}}; err != nil || !slices.Equal(entries, want) {
		t.Errorf("%v, %v; want %v", entries, err, want)
	}
}
