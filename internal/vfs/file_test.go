//go:build unix

package vfs

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func TestOpenFile(t *testing.T) {
	inside, _ := layout(t)
	big := bytes.Repeat([]byte("0123456789abcdef"), 20_000)
	if err := os.WriteFile(filepath.Join(inside, "big"), big, 0o640); err != nil {
		t.Fatal(err)
	}
	read := func(tree *Tree, name string) ([]byte, error) {
		h, err := tree.OpenFile(name)
		if err != nil {
			return nil, err
		}
		defer h.Close()
		return io.ReadAll(h)
	}
	for name, tree := range trees(t, inside, Options{}) {
		for _, tc := range []struct {
			file string
			want string
			err  error
		}{
			{"a/b/file", "content", nil},
			{"empty", "", nil},
			{"big", string(big), nil},
			{"nothing", "", fs.ErrNotExist},
			{"a/b/file/x", "", fs.ErrNotExist},
			{"a", "", ErrDirectory},
			{".", "", ErrDirectory},
			{"link", "", ErrLink},
			{"dirlink/b/file", "", ErrLink},
			{"up", "", ErrLink},
			{"a/out/secret", "", ErrLink},
			{"loop", "", ErrLink},
			{"pipe", "", ErrNotRegular},
			{"hard", "", ErrHardLink},
			{"../out/secret", "", ErrOutside},
			{"/etc/hostname", "", ErrOutside},
			{"", "", ErrOutside},
		} {
			got, err := within(t, func() ([]byte, error) { return read(tree, tc.file) })
			if !errors.Is(err, tc.err) || string(got) != tc.want {
				t.Errorf("%s: OpenFile(%q): %d bytes, %v; want %d, %v", name, tc.file, len(got), err, len(tc.want), tc.err)
			}
		}
		h, err := tree.OpenFile("big")
		if err != nil {
			t.Fatal(err)
		}
		info, err := h.Stat()
		if err != nil || info.Name() != "big" || info.Size() != int64(len(big)) || info.Mode() != 0o640 {
			t.Errorf("%s: Stat = %v, %v", name, info, err)
		}
		if user, _, links, _ := info.(*Info).Owner(); user == "" || user == "-" || links != 1 {
			t.Errorf("%s: Owner = %q, %d", name, user, links)
		}
		if err := h.Close(); err != nil {
			t.Errorf("%s: Close: %v", name, err)
		}
		if n, err := h.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Errorf("%s: a closed handle reads %d, %v", name, n, err)
		}
	}
	for name, tree := range trees(t, inside, Options{HardLinks: true}) {
		if got, err := read(tree, "hard"); err != nil || string(got) != "SECRET" {
			t.Errorf("%s: a hard link that is allowed: %q, %v", name, got, err)
		}
	}
}

// TestDevices checks that a device is rejected because of its type.
func TestDevices(t *testing.T) {
	info, err := os.Stat("/dev/null")
	if err != nil || info.Mode()&fs.ModeCharDevice == 0 {
		t.Skip("this system has no /dev/null")
	}
	for name, tree := range trees(t, "/dev", Options{}) {
		if _, err := tree.OpenFile("null"); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: OpenFile: %v", name, err)
		}
		info, err := tree.Info("null")
		if err != nil || info.Mode()&(fs.ModeDevice|fs.ModeCharDevice) != fs.ModeDevice|fs.ModeCharDevice {
			t.Errorf("%s: Info = %v, %v", name, info, err)
		}
	}
}

func TestInfo(t *testing.T) {
	inside, _ := layout(t)
	file := filepath.Join(inside, "a/b/file")
	when := time.Date(2020, 2, 3, 4, 5, 6, 789, time.UTC)
	for _, err := range []error{os.Chmod(file, 0o600|fs.ModeSetuid), os.Chtimes(file, when, when), os.Chmod(filepath.Join(inside, "a"), 0o755|fs.ModeSticky|fs.ModeSetgid)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, tree := range trees(t, inside, Options{}) {
		for _, n := range []string{"a/b/file", "a", ".", "link", "up", "loop", "pipe", "hard", "empty", "a/back"} {
			got, err := tree.Info(n)
			if err != nil {
				t.Errorf("%s: Info(%q): %v", name, n, err)
				continue
			}
			compare(t, name+" "+n, got, filepath.Join(inside, n))
		}
		if info, err := tree.Info("a/b/file"); err != nil || !info.ModTime().Equal(when) || info.Sys() != nil {
			t.Errorf("%s: %v, %v", name, info, err)
		}
		for n, want := range map[string]error{"nothing": fs.ErrNotExist, "dirlink/b": ErrLink, "empty/x": fs.ErrNotExist, "../out": ErrOutside, "": ErrOutside} {
			if _, err := tree.Info(n); !errors.Is(err, want) {
				t.Errorf("%s: Info(%q): %v, want %v", name, n, err, want)
			}
		}
	}
}

// compare compares a FileInfo against the one from package os.
func compare(t *testing.T, what string, got fs.FileInfo, file string) {
	t.Helper()
	want, err := os.Lstat(file)
	if err != nil {
		t.Fatal(err)
	}
	if got.Name() != filepath.Base(file) && got.Name() != "." {
		t.Errorf("%s: the name is %q", what, got.Name())
	}
	if got.Size() != want.Size() || got.Mode() != want.Mode() || !got.ModTime().Equal(want.ModTime()) || got.IsDir() != want.IsDir() {
		t.Errorf("%s: %d %v %v, want %d %v %v", what, got.Size(), got.Mode(), got.ModTime(), want.Size(), want.Mode(), want.ModTime())
	}
	user, group, links, blocks := got.(*Info).Owner()
	st, o := sysInfo(want)
	if links != st.links || blocks != o.blocks || user == "" || group == "" {
		t.Errorf("%s: %q %q %d %d, want %+v %+v", what, user, group, links, blocks, st, o)
	}
}

func TestReadDirInfo(t *testing.T) {
	inside, _ := layout(t)
	for name, tree := range trees(t, inside, Options{}) {
		infos, more, err := tree.ReadDirInfo(".", 100)
		if err != nil || more {
			t.Fatalf("%s: %v, %v", name, more, err)
		}
		entries, err := os.ReadDir(inside)
		if err != nil || len(entries) != len(infos) {
			t.Fatalf("%s: %d entries, want %d (%v)", name, len(infos), len(entries), err)
		}
		for i, info := range infos {
			if info.Name() != entries[i].Name() {
				t.Errorf("%s: entry %d is %q, want %q", name, i, info.Name(), entries[i].Name())
			}
			compare(t, name+" "+info.Name(), info, filepath.Join(inside, info.Name()))
		}
		if infos, more, err := tree.ReadDirInfo("a", 2); len(infos) != 2 || !more || err != nil {
			t.Errorf("%s: with a limit of 2: %v, %v, %v", name, infos, more, err)
		}
		if infos, more, err := tree.ReadDirInfo("a", -1); len(infos) != 0 || !more || err != nil {
			t.Errorf("%s: with a limit below 0: %v, %v, %v", name, infos, more, err)
		}
		for n, want := range map[string]error{"dirlink": ErrLink, "nothing": fs.ErrNotExist, "a/back/x": ErrLink, "..": ErrOutside} {
			if _, _, err := tree.ReadDirInfo(n, 10); !errors.Is(err, want) {
				t.Errorf("%s: ReadDirInfo(%q): %v, want %v", name, n, err, want)
			}
		}
		if _, _, err := tree.ReadDirInfo("empty", 10); err == nil {
			t.Errorf("%s: a file was listed", name)
		}
	}
}

func TestReadlink(t *testing.T) {
	inside, outside := layout(t)
	for name, tree := range trees(t, inside, Options{}) {
		for n, want := range map[string]string{"link": "a/b/file", "up": "../out/secret", "upabs": outside + "/secret", "loop": "loop", "a/back": "../a/b"} {
			if got, err := tree.Readlink(n); got != want || err != nil {
				t.Errorf("%s: Readlink(%q) = %q, %v", name, n, got, err)
			}
		}
		for n, want := range map[string]error{"a": ErrNotLink, "empty": ErrNotLink, "nothing": fs.ErrNotExist, "dirlink/back": ErrLink, "../out": ErrOutside} {
			if got, err := tree.Readlink(n); !errors.Is(err, want) {
				t.Errorf("%s: Readlink(%q) = %q, %v; want %v", name, n, got, err, want)
			}
		}
	}
}

func TestFilesOfTheProgram(t *testing.T) {
	when := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	tree := FromFS(fstest.MapFS{"a/b": {Data: []byte("text"), Mode: 0o444, ModTime: when}, "a/c": {}, "p": {Mode: fs.ModeNamedPipe}}, "mem")
	h, err := tree.OpenFile("a/b")
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if data, err := io.ReadAll(h); string(data) != "text" || err != nil {
		t.Errorf("read %q, %v", data, err)
	}
	if _, err := tree.OpenFile("a"); !errors.Is(err, ErrDirectory) {
		t.Errorf("a directory: %v", err)
	}
	if _, err := tree.OpenFile("p"); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a pipe: %v", err)
	}
	info, err := tree.Info("a/b")
	if err != nil || info.Size() != 4 || info.Mode() != 0o444 || !info.ModTime().Equal(when) {
		t.Fatalf("Info = %v, %v", info, err)
	}
	if user, group, links, blocks := info.(*Info).Owner(); user != "-" || group != "-" || links != 1 || blocks != 1 {
		t.Errorf("Owner = %q, %q, %d, %d", user, group, links, blocks)
	}
	infos, more, err := tree.ReadDirInfo("a", 1)
	if err != nil || !more || len(infos) != 1 || infos[0].Name() != "b" {
		t.Errorf("ReadDirInfo = %v, %v, %v", infos, more, err)
	}
	if _, err := tree.Readlink("a/b"); !errors.Is(err, ErrNotLink) {
		t.Errorf("Readlink: %v", err)
	}
}

// TestSingle tests when single checks a file a second time. It passes a stat with an ID that does
// not match the file, so a second check returns ErrChanged.
func TestSingle(t *testing.T) {
	inside, _ := layout(t)
	for name, tree := range trees(t, inside, Options{}) {
		opened := time.Now().Add(-time.Hour).Truncate(time.Second).UnixNano() + second/2
		tree.opened = opened
		for _, tc := range []struct {
			file    string
			links   uint64
			changed int64
			want    error
		}{
			{"empty", 2, 0, ErrHardLink},
			{"empty", 1, opened - clockLag - 1, nil},
			{"empty", 1, opened - clockLag, ErrChanged},
			{"empty", 1, opened, ErrChanged},
			{"empty", 1, opened + second/4, ErrChanged},
			// a time in whole seconds
			{"empty", 1, opened - second/2, ErrChanged},
			{"empty", 1, opened - second/2 + 1, nil},
			{"empty", 1, opened - 3*second/2, nil},
			{"nothing", 1, opened, fs.ErrNotExist},
			{"nothing", 1, opened - second + 1, nil},
		} {
			if err := tree.single(tc.file, stat{links: tc.links, changed: tc.changed}); !errors.Is(err, tc.want) {
				t.Errorf("%s: %+v: %v", name, tc, err)
			}
		}
		tree.hardLinks = true
		if err := tree.single("nothing", stat{links: 2, changed: opened}); err != nil {
			t.Errorf("%s: with hard links allowed: %v", name, err)
		}
	}
}

// TestFresh reads a file that was just written, and a file that was replaced the way editors
// replace files.
func TestFresh(t *testing.T) {
	inside, _ := layout(t)
	for name, tree := range trees(t, inside, Options{}) {
		for i := range 3 {
			file := filepath.Join(inside, "fresh")
			text := strings.Repeat("x", i+1)
			if err := errors.Join(os.WriteFile(file+".tmp", []byte(text), 0o644), os.Rename(file+".tmp", file)); err != nil {
				t.Fatal(err)
			}
			if got, err := tree.ReadFile("fresh", 10); string(got) != text || err != nil {
				t.Errorf("%s: %q, %v", name, got, err)
			}
			h, err := tree.OpenFile("fresh")
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			h.Close()
		}
	}
}
