package coreutils

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// diskFS is a directory on disk. It contains the working directory.
type diskFS struct {
	root, dir string
	closed    []string // base names protected by the policy
}

func (d diskFS) at(op, name string, open bool) (string, error) {
	if name == "" {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	full := name
	if !filepath.IsAbs(name) {
		// filepath.Join would change the meaning of a trailing slash and of a/../b.
		full = d.dir + "/" + name
	}
	if clean := filepath.Clean(full); clean != d.root && !strings.HasPrefix(clean, d.root+"/") {
		return "", &fs.PathError{Op: op, Path: name, Err: ErrOutside}
	}
	if open && slices.Contains(d.closed, filepath.Base(full)) {
		return "", &fs.PathError{Op: op, Path: name, Err: ErrProtected}
	}
	return full, nil
}

func (d diskFS) Open(name string) (File, error) {
	full, err := d.at("open", name, true)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(full)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
	}
	return f, nil
}

func (d diskFS) ReadDir(name string) ([]fs.FileInfo, error) {
	full, err := d.at("readdir", name, true)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(full)
	var infos []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			infos = append(infos, diskInfo{info})
		}
	}
	return infos, err
}

func (d diskFS) Stat(name string) (fs.FileInfo, error)  { return d.look(name, os.Stat) }
func (d diskFS) Lstat(name string) (fs.FileInfo, error) { return d.look(name, os.Lstat) }

func (d diskFS) look(name string, with func(string) (fs.FileInfo, error)) (fs.FileInfo, error) {
	full, err := d.at("stat", name, false)
	if err != nil {
		return nil, err
	}
	info, err := with(full)
	if err != nil {
		return nil, err
	}
	return diskInfo{info}, nil
}

func (d diskFS) Readlink(name string) (string, error) {
	full, err := d.at("readlink", name, false)
	if err != nil {
		return "", err
	}
	return os.Readlink(full)
}

// diskInfo also provides the owner and block count.
type diskInfo struct{ fs.FileInfo }

func (i diskInfo) Owner() (userName, group string, links uint64, blocks int64) {
	st := i.Sys().(*syscall.Stat_t)
	userName, group = strconv.Itoa(int(st.Uid)), strconv.Itoa(int(st.Gid))
	if u, err := user.LookupId(userName); err == nil {
		userName = u.Username
	}
	if g, err := user.LookupGroupId(group); err == nil {
		group = g.Name
	}
	return userName, group, uint64(st.Nlink), st.Blocks
}

// sampleTree creates a working directory with one file of each type.
func sampleTree(t testing.TB) diskFS {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "work")
	files := map[string]string{
		"a.txt":             "one\ntwo\nthree\n",
		"b.md":              "# Title\n\n\n\ntext\twith tab\r\nlast without end",
		"empty.txt":         "",
		"run.sh":            "echo hi\n",
		"sp ace":            "x y  z\n",
		"it's":              "quote\n",
		"ünï.txt":           "ü é 漢字\nzwei wörter\n",
		".hidden":           "h\n",
		"back~":             "b\n",
		"bytes":             "\x00\x01\x7f\x80\xff\t\r\n\x1b[0m\na\rb\r\n\n\n",
		"long":              strings.Repeat("0123456789abcde\n", 5000),
		"big":               strings.Repeat("\x00", 3<<20),
		"dir/y.md":          "y\n",
		"dir/x.TXT":         "x\n",
		"dir/sub/deep.txt":  "deep\n",
		"dir/sub/.git/HEAD": "ref\n",
		"dir/.env":          "KEY=1\n",
		"new\nline":         "n\n",
	}
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	for _, name := range []string{"empty", "only/one"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"link": "a.txt", "dlink": "dir", "broken": "nowhere", "dir/up": "../a.txt", "loop": "loop", "xlink": "run.sh",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	os.Chmod(filepath.Join(dir, "run.sh"), 0o4755)
	os.Chmod(filepath.Join(dir, "b.md"), 0o600)
	os.Chmod(filepath.Join(dir, "empty"), 0o1777)
	ages(t, root)
	return diskFS{root: root, dir: dir}
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// ages sets modification times ranging from hours to years ago. Some files share a time.
func ages(t testing.TB, root string) {
	t.Helper()
	age, step := 90*time.Minute, 0
	now := time.Now()
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type()&fs.ModeSymlink == 0 {
			os.Chtimes(path, now.Add(-age), now.Add(-age-123456789*time.Nanosecond))
			if step++; step%3 != 0 {
				age = age*3/2 + time.Minute
			}
		}
		return err
	})
}

// ran is the result of a command.
type ran struct {
	out, err string
	status   int
}

// ours runs this package's implementation of a command.
func ours(t testing.TB, fsys diskFS, stdin string, argv ...string) ran {
	t.Helper()
	c, ok := Lookup(argv[0])
	if !ok {
		t.Fatalf("no command %s", argv[0])
	}
	p, err := c.Prepare(argv)
	if err != nil {
		t.Fatalf("%q: %v", argv, err)
	}
	var out, errs bytes.Buffer
	x := &IO{FS: fsys, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs, Dir: fsys.dir}
	status := p.Run(context.Background(), x)
	return ran{out.String(), errs.String(), status}
}

// theirs runs the system's implementation of a command.
func theirs(t testing.TB, fsys diskFS, stdin string, argv ...string) ran {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	var out, errs bytes.Buffer
	// Use a pipe, because wc would use a file's size.
	cmd.Stdin = struct{ io.Reader }{strings.NewReader(stdin)}
	cmd.Dir, cmd.Stdout, cmd.Stderr = fsys.dir, &out, &errs
	cmd.Env = []string{"LC_ALL=C.UTF-8", "TZ=UTC0", "PATH=" + os.Getenv("PATH"), "PWD=" + fsys.dir}
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Skip(err)
	}
	return ran{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// needs skips the test if the system's tool is missing or is a different implementation.
func needs(t testing.TB, tool, mark string) {
	t.Helper()
	out, err := exec.Command(tool, "--version").CombinedOutput()
	if err != nil || !strings.Contains(string(out), mark) {
		t.Skipf("%s of this system is not that of %s", tool, mark)
	}
}

// wordsOf splits a command line at spaces, treating single-quoted text as part of one word.
func wordsOf(line string) []string {
	var out []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}
