//go:build unix

package vfs

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// two returns the files used in most tests.
func two() []TempFile {
	return []TempFile{{"a.md", []byte("first\n")}, {"reference/deep/b.md", []byte("second\n")}}
}

// parentDir returns the path of a missing directory whose parent belongs to the user.
func parentDir(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "cache", "vade")
}

func openTempDir(t *testing.T, parent string, o TempDirOptions) *TempDir {
	t.Helper()
	s, err := OpenTempDir(parent, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// namesBelow lists everything below a directory.
func namesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if rel, _ := filepath.Rel(dir, p); rel != "." {
			list = append(list, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestTempDirIsPrivate(t *testing.T) {
	parent := parentDir(t)
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	s := openTempDir(t, parent, TempDirOptions{})
	dir, err := s.Write("skill", two())
	if err != nil {
		t.Fatal(err)
	}
	if dir != s.Dir()+"/skill" || filepath.Dir(s.Dir()) != parent || !isTempDir(filepath.Base(s.Dir())) {
		t.Errorf("the directory is %s in %s", dir, s.Dir())
	}
	for p, want := range map[string]fs.FileMode{
		filepath.Dir(parent): 0o700, parent: 0o700, s.Dir(): 0o700, dir: 0o700, dir + "/reference": 0o700, dir + "/reference/deep": 0o700,
		dir + "/a.md": 0o600, dir + "/reference/deep/b.md": 0o600,
	} {
		info, err := os.Lstat(p)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has the rights %o, want %o", p, info.Mode().Perm(), want)
		}
	}
	if data, _ := os.ReadFile(dir + "/reference/deep/b.md"); string(data) != "second\n" {
		t.Errorf("the file holds %q", data)
	}
	if err := s.Verify("skill", two()); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if left := namesBelow(t, parent); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := s.Write("skill", two()); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("the second end: %v", err)
	}
}

func TestTempDirNamesAreRandom(t *testing.T) {
	parent := parentDir(t)
	seen := map[string]bool{}
	for range 20 {
		s := openTempDir(t, parent, TempDirOptions{})
		if seen[s.Dir()] || strings.Contains(s.Dir(), "-000000") {
			t.Fatalf("%s is not random", s.Dir())
		}
		seen[s.Dir()] = true
	}
}

// TestTempDirExists simulates an attacker who knows the names of the
// directory and its contents in advance, and creates something there.
func TestTempDirExists(t *testing.T) {
	const guessed = tempDirPrefix + "0123456789abcdef0123456789abcdef"
	for _, x := range []struct {
		name  string
		place func(t *testing.T, at, elsewhere string)
	}{
		{"a link to a directory", func(t *testing.T, at, elsewhere string) { must(t, os.Symlink(elsewhere, at)) }},
		{"a link to nothing", func(t *testing.T, at, elsewhere string) { must(t, os.Symlink(filepath.Join(elsewhere, "new"), at)) }},
		{"a link to a file", func(t *testing.T, at, elsewhere string) {
			must(t, os.Symlink(filepath.Join(elsewhere, "precious"), at))
		}},
		{"a file", func(t *testing.T, at, _ string) { must(t, os.WriteFile(at, []byte("theirs"), 0o666)) }},
		{"a directory", func(t *testing.T, at, _ string) { must(t, os.Mkdir(at, 0o777)) }},
		{"a second name of a file", func(t *testing.T, at, elsewhere string) { must(t, os.Link(filepath.Join(elsewhere, "precious"), at)) }},
		{"a pipe", func(t *testing.T, at, _ string) { must(t, syscall.Mkfifo(at, 0o666)) }},
	} {
		t.Run(x.name, func(t *testing.T) {
			elsewhere := t.TempDir()
			must(t, os.WriteFile(filepath.Join(elsewhere, "precious"), []byte("mine"), 0o600))
			untouched := func() {
				t.Helper()
				if left := namesBelow(t, elsewhere); len(left) != 1 {
					t.Errorf("written elsewhere: %v", left)
				}
				if data, _ := os.ReadFile(filepath.Join(elsewhere, "precious")); string(data) != "mine" {
					t.Errorf("a file elsewhere is now %q", data)
				}
			}
			// First, the temporary directory itself.
			parent := parentDir(t)
			must(t, os.MkdirAll(parent, 0o700))
			x.place(t, filepath.Join(parent, guessed), elsewhere)
			before, _ := os.Lstat(filepath.Join(parent, guessed))
			if s, err := OpenTempDir(parent, TempDirOptions{Name: func() string { return guessed }}); err == nil {
				t.Errorf("%s was taken over", s.Dir())
			}
			if after, err := os.Lstat(filepath.Join(parent, guessed)); err != nil || !os.SameFile(before, after) {
				t.Errorf("what stood there is gone: %v", err)
			}
			// If the name exists, a different name is used.
			names := []string{guessed, tempDirName()}
			s := openTempDir(t, parent, TempDirOptions{Name: func() string {
				n := names[0]
				names = names[1:]
				return n
			}})
			untouched()
			// Next, the skill's directory inside it.
			x.place(t, filepath.Join(s.Dir(), "skill"), elsewhere)
			if dir, err := s.Write("skill", two()); err == nil {
				t.Errorf("%s was taken over", dir)
			}
			untouched()
			// Last, a file and a directory below it, just before they are created.
			for _, at := range []string{"other/a.md", "third/reference"} {
				name, below, _ := strings.Cut(at, "/")
				s.options.Before = func(change, of string) error {
					if of == below && (change == "create" || change == "mkdir") {
						x.place(t, filepath.Join(s.Dir(), at), elsewhere)
					}
					return nil
				}
				if dir, err := s.Write(name, two()); err == nil {
					t.Errorf("%s was taken over", dir)
				}
				s.options.Before = func(string, string) error { return nil }
				untouched()
				if left := namesBelow(t, filepath.Join(s.Dir(), name)); len(left) > 0 {
					t.Errorf("left behind: %v", left)
				}
			}
			must(t, s.Close())
			untouched()
		})
	}
}

// TestTempDirParent checks that nothing is created in a parent directory that
// other users can change.
func TestTempDirParent(t *testing.T) {
	for _, x := range []struct {
		name  string
		place func(t *testing.T, base string)
	}{
		{"a link", func(t *testing.T, base string) {
			must(t, os.Mkdir(filepath.Join(base, "elsewhere"), 0o700))
			must(t, os.Symlink(filepath.Join(base, "elsewhere"), filepath.Join(base, "vade")))
		}},
		{"a link to nothing", func(t *testing.T, base string) {
			must(t, os.Symlink(filepath.Join(base, "elsewhere"), filepath.Join(base, "vade")))
		}},
		{"a file", func(t *testing.T, base string) { must(t, os.WriteFile(filepath.Join(base, "vade"), nil, 0o600)) }},
		{"open to others", func(t *testing.T, base string) {
			must(t, os.Mkdir(filepath.Join(base, "vade"), 0o700))
			must(t, os.Chmod(filepath.Join(base, "vade"), 0o755))
		}},
		{"writable above", func(t *testing.T, base string) { must(t, os.Chmod(base, 0o777)) }},
	} {
		t.Run(x.name, func(t *testing.T) {
			base := filepath.Join(t.TempDir(), "base")
			must(t, os.Mkdir(base, 0o700))
			x.place(t, base)
			before := namesBelow(t, base)
			if s, err := OpenTempDir(filepath.Join(base, "vade"), TempDirOptions{}); err == nil {
				t.Errorf("made %s", s.Dir())
			}
			if _, err := SweepTempDirs(filepath.Join(base, "vade")); err == nil && x.name == "open to others" {
				t.Error("swept")
			}
			if after := namesBelow(t, base); strings.Join(after, " ") != strings.Join(before, " ") {
				t.Errorf("there is now %v, before %v", after, before)
			}
		})
	}
	if _, err := OpenTempDir("relative/dir", TempDirOptions{}); err == nil {
		t.Error("a relative directory was taken")
	}
}

func TestTempDirRefusesNames(t *testing.T) {
	s := openTempDir(t, parentDir(t), TempDirOptions{})
	for _, name := range []string{"", ".", "..", "../x", "a/b", "/x", `a\b`, "a\x00b"} {
		if _, err := s.Write(name, two()); err == nil {
			t.Errorf("the directory %q was made", name)
		}
	}
	for _, name := range []string{"", ".", "../x", "a/../../x", "/x", `a\..\b`, "a\x00b", ".git/config"} {
		if _, err := s.Write("skill", []TempFile{{Path: name}}); err == nil {
			t.Errorf("the file %q was made", name)
		}
	}
	if left := namesBelow(t, s.Dir()); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestTempDirFaults makes each change fail, as on a full or read-only disk.
func TestTempDirFaults(t *testing.T) {
	for _, failure := range []error{syscall.ENOSPC, syscall.EROFS, syscall.EDQUOT, syscall.EIO} {
		for at := 0; ; at++ {
			n, failed := 0, false
			parent := parentDir(t)
			s, err := OpenTempDir(parent, TempDirOptions{Before: func(string, string) error {
				if n++; n == at+1 {
					failed = true
					return failure
				}
				return nil
			}})
			dir := ""
			if err == nil {
				dir, err = s.Write("skill", two())
				if left := namesBelow(t, s.Dir()); err != nil && len(left) > 0 {
					t.Errorf("%v at change %d leaves %v", failure, at, left)
				}
				must(t, s.Close())
			}
			if left := namesBelow(t, parent); len(left) > 0 {
				t.Errorf("%v at change %d leaves %v after the end", failure, at, left)
			}
			if !failed {
				if err != nil || at < 6 {
					t.Fatalf("%d changes, %s, %v", at, dir, err)
				}
				break
			}
			if !errors.Is(err, failure) {
				t.Errorf("%v at change %d gives %v", failure, at, err)
			}
		}
	}
}

// TestTempDirTampered checks that each modification of the files is detected, during and after
// writing, and that Close does not remove files created by others.
func TestTempDirTampered(t *testing.T) {
	for _, x := range []struct {
		name   string
		tamper func(t *testing.T, s *TempDir, elsewhere string)
	}{
		{"other bytes", func(t *testing.T, s *TempDir, _ string) {
			must(t, os.WriteFile(s.Dir()+"/skill/a.md", []byte("third\n"), 0o600))
		}},
		{"more bytes", func(t *testing.T, s *TempDir, _ string) {
			must(t, os.WriteFile(s.Dir()+"/skill/a.md", []byte("first\nand more"), 0o600))
		}},
		{"gone", func(t *testing.T, s *TempDir, _ string) { must(t, os.Remove(s.Dir()+"/skill/a.md")) }},
		{"a link to the same bytes", func(t *testing.T, s *TempDir, elsewhere string) {
			must(t, os.WriteFile(elsewhere+"/same", []byte("first\n"), 0o600))
			must(t, os.Remove(s.Dir()+"/skill/a.md"))
			must(t, os.Symlink(elsewhere+"/same", s.Dir()+"/skill/a.md"))
		}},
		{"a second name", func(t *testing.T, s *TempDir, elsewhere string) {
			must(t, os.Link(s.Dir()+"/skill/a.md", elsewhere+"/second"))
		}},
		{"open to others", func(t *testing.T, s *TempDir, _ string) { must(t, os.Chmod(s.Dir()+"/skill/a.md", 0o644)) }},
		{"a directory below moved", func(t *testing.T, s *TempDir, elsewhere string) {
			must(t, os.Rename(s.Dir()+"/skill/reference", elsewhere+"/reference"))
			must(t, os.Symlink(elsewhere+"/reference", s.Dir()+"/skill/reference"))
		}},
		{"the directory moved", func(t *testing.T, s *TempDir, elsewhere string) {
			must(t, os.Rename(s.Dir()+"/skill", elsewhere+"/skill"))
			must(t, os.Symlink(elsewhere+"/skill", s.Dir()+"/skill"))
		}},
		{"all of it moved", func(t *testing.T, s *TempDir, elsewhere string) {
			must(t, os.Rename(s.Dir(), elsewhere+"/all"))
			must(t, os.Symlink(elsewhere+"/all", s.Dir()))
		}},
		{"all of it open", func(t *testing.T, s *TempDir, _ string) { must(t, os.Chmod(s.Dir(), 0o755)) }},
	} {
		t.Run(x.name, func(t *testing.T) {
			elsewhere := t.TempDir()
			must(t, os.WriteFile(elsewhere+"/precious", []byte("mine"), 0o600))
			s := openTempDir(t, parentDir(t), TempDirOptions{})
			if _, err := s.Write("skill", two()); err != nil {
				t.Fatal(err)
			}
			x.tamper(t, s, elsewhere)
			if err := s.Verify("skill", two()); err == nil {
				t.Error("it was not seen")
			}
			_ = s.Close()
			if _, err := os.Stat(elsewhere + "/precious"); err != nil {
				t.Error(err)
			}
			during := openTempDir(t, parentDir(t), TempDirOptions{})
			during.options.Before = func(change, _ string) error {
				if change == "verify" {
					x.tamper(t, during, t.TempDir())
				}
				return nil
			}
			if dir, err := during.Write("skill", two()); err == nil {
				t.Errorf("%s was handed out", dir)
			}
		})
	}
}

// TestTempDirChild is not a test but the process that TestTempDirKilled kills.
func TestTempDirChild(t *testing.T) {
	parent, until := os.Getenv("VFS_SCRATCH_PARENT"), os.Getenv("VFS_SCRATCH_UNTIL")
	if parent == "" {
		t.Skip("it is started by TestTempDirKilled")
	}
	stop := func() {
		os.Stdout.WriteString("\nhere\n")
		// The runtime would end a process whose goroutines all wait forever.
		time.Sleep(time.Hour)
	}
	n := 0
	s, err := OpenTempDir(parent, TempDirOptions{Before: func(change, _ string) error {
		if change == until {
			if n++; n == 2 || change == "verify" {
				stop()
			}
		}
		return nil
	}})
	if err == nil {
		_, err = s.Write("skill", two())
	}
	must(t, err)
	stop()
}

// TestTempDirKilled kills a process. The process's directory stays while it
// runs and is swept afterward.
func TestTempDirKilled(t *testing.T) {
	for _, until := range []string{"mkdir", "create", "write", "verify", "end"} {
		t.Run(until, func(t *testing.T) {
			parent := parentDir(t)
			child := exec.Command(os.Args[0], "-test.run=^TestTempDirChild$")
			child.Env = append(os.Environ(), "VFS_SCRATCH_PARENT="+parent, "VFS_SCRATCH_UNTIL="+until)
			out, err := child.StdoutPipe()
			must(t, err)
			must(t, child.Start())
			here := false
			for lines := bufio.NewScanner(out); !here && lines.Scan(); {
				here = lines.Text() == "here"
			}
			if !here {
				t.Fatal("the process did not come as far")
			}
			isOwn := openTempDir(t, parent, TempDirOptions{})
			before := namesBelow(t, parent)
			if n, err := SweepTempDirs(parent); n != 0 || err != nil {
				t.Errorf("%d directories of living processes were removed, %v", n, err)
			}
			if after := namesBelow(t, parent); len(after) != len(before) || len(after) < 2 {
				t.Errorf("there is %v, before %v", after, before)
			}
			must(t, child.Process.Kill())
			_ = child.Wait()
			// Directories with similar names stay.
			elsewhere := t.TempDir()
			must(t, os.WriteFile(elsewhere+"/precious", nil, 0o600))
			must(t, os.Symlink(elsewhere, filepath.Join(parent, tempDirName())))
			must(t, os.WriteFile(filepath.Join(parent, tempDirName()), nil, 0o600))
			must(t, os.Mkdir(filepath.Join(parent, "vade-other"), 0o700))
			if n, err := SweepTempDirs(parent); n != 1 || err != nil {
				t.Errorf("%d were removed, %v", n, err)
			}
			if left := namesBelow(t, parent); len(left) != 4 {
				t.Errorf("there is %v", left)
			}
			if _, err := os.Stat(elsewhere + "/precious"); err != nil {
				t.Error(err)
			}
			if _, err := isOwn.Write("skill", two()); err != nil {
				t.Errorf("the living one is not whole: %v", err)
			}
		})
	}
	if n, err := SweepTempDirs(filepath.Join(t.TempDir(), "none")); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
