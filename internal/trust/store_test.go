package trust

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/diag"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600))

func sample() *Closure {
	return &Closure{
		ID: ID{"/home/u/project", "skill", "release", "/home/u/project/skills/release/SKILL.md"},
		Files: []File{
			{Path: "/home/u/project/skills/release/SKILL.md", Mode: 0o644, Data: []byte("---\nname: release\n---\nRun !`make dist`\n")},
			{Path: "/home/u/project/skills/release/build.sh", Mode: 0o755, Data: []byte("#!/bin/sh\necho <built>\n")},
			{Path: "/home/u/project/skills/release/logo.png", Mode: 0o644, Data: []byte("\x89PNG\x00")},
			{Path: "/home/u/project/skills/release/large.txt", Mode: 0o644, Digest: digestOf([]byte("large")), Size: MaxText + 1},
			{Path: "/home/u/project/skills/release/link", Mode: fs.ModeSymlink | 0o777, Target: "../other"},
		},
		Commands: []string{"make dist", "git status"},
		Grants:   []string{"Bash(make dist)", "Bash(git:*)"},
	}
}

func newStore(t *testing.T) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "config", "trust"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func give(t *testing.T, s *Store, c *Closure) *Record {
	t.Helper()
	r, err := s.Give(c, now)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func wantState(t *testing.T, s *Store, c *Closure, want State) *Record {
	t.Helper()
	got, r, err := s.Check(c)
	if err != nil || got != want || (r == nil) != (want == None) {
		t.Errorf("Check = %v, %v, %v; want %v", got, r, err, want)
	}
	return r
}

func TestGiveCheckRevoke(t *testing.T) {
	s := newStore(t)
	c := sample()
	wantState(t, s, c, None)
	if _, err := os.Lstat(s.Dir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Check created the directory: %v", err)
	}
	if done, err := s.Revoke(c.ID); done || err != nil {
		t.Errorf("Revoke in an empty store = %t, %v", done, err)
	}
	given := give(t, s, c)
	if found := wantState(t, s, c, Trusted); found != nil {
		if diff := cmp.Diff(given, found); diff != "" {
			t.Errorf("the stored record differs:\n%s", diff)
		}
	}
	changed := sample()
	changed.Files[1].Data = []byte("#!/bin/sh\ncurl example.com\n")
	wantState(t, s, changed, Changed)
	other := sample()
	other.ID.Project = "/home/u/copy"
	wantState(t, s, other, None)

	give(t, s, changed)
	wantState(t, s, changed, Trusted)
	wantState(t, s, c, Changed)

	if done, err := s.Revoke(c.ID); !done || err != nil {
		t.Errorf("Revoke = %t, %v", done, err)
	}
	wantState(t, s, changed, None)
	if done, err := s.Revoke(c.ID); done || err != nil {
		t.Errorf("Revoke of nothing = %t, %v", done, err)
	}
}

func TestWhatIsKept(t *testing.T) {
	r := newRecord(sample(), now)
	kept := map[string]bool{}
	for _, f := range r.Files {
		kept[filepath.Base(f.Path)] = f.Data != nil
	}
	want := map[string]bool{"SKILL.md": true, "build.sh": true, "logo.png": false, "large.txt": false, "link": false}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Error(diff)
	}
	many := sample()
	many.ID.Path = "z/SKILL.md"
	many.Files = []File{{Path: many.ID.Path, Data: []byte("the definition")}, {Path: "a/toolong", Data: make([]byte, MaxText+1)}}
	for i := range 40 {
		many.Files = append(many.Files, File{Path: fmt.Sprintf("a/%02d", i), Data: []byte(strings.Repeat("x", MaxText))})
	}
	total, definition := 0, false
	for _, f := range newRecord(many, now).Files {
		total += len(f.Data)
		definition = definition || f.Path == many.ID.Path && f.Data != nil
	}
	if total > MaxTexts || total < MaxTexts-MaxText || !definition {
		t.Errorf("%d bytes stored, including the definition: %t", total, definition)
	}
}

func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("this system has no file modes")
	}
	s := newStore(t)
	give(t, s, sample())
	for path, want := range map[string]fs.FileMode{s.Dir(): 0o700, filepath.Dir(s.Dir()): 0o700, recordFile(s, sample().ID): 0o600} {
		if info, err := os.Lstat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", path, info.Mode(), err, want)
		}
	}
}

func recordFile(s *Store, id ID) string { return filepath.Join(s.Dir(), id.key()+recordSuffix) }

// TestBadStore approves a closure, damages the store, and checks that the approval is not valid.
func TestBadStore(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("owners and modes are not checked on this system")
	}
	for name, tc := range map[string]struct {
		spoil func(dir string) error
		want  string
	}{
		"readable by its group": {func(dir string) error { return os.Chmod(dir, 0o740) }, "is accessible to its group or others"},
		"entered by others":     {func(dir string) error { return os.Chmod(dir, 0o701) }, "is accessible to its group or others"},
		"parent for others":     {func(dir string) error { return os.Chmod(filepath.Dir(dir), 0o777) }, "is writable by others"},
		"parent for its group":  {func(dir string) error { return os.Chmod(filepath.Dir(dir), 0o770) }, "is writable by its group"},
		"link":                  {func(dir string) error { return errors.Join(os.Rename(dir, dir+"2"), os.Symlink(dir+"2", dir)) }, "is a symlink"},
		"file":                  {func(dir string) error { return errors.Join(os.Rename(dir, dir+"2"), os.WriteFile(dir, nil, 0o600)) }, "is not a directory"},
		"another's": {func(dir string) error {
			if os.Geteuid() != 0 {
				return errors.ErrUnsupported
			}
			return os.Chown(dir, 12345, -1)
		}, "belongs to user 12345"},
		"another's parent": {func(dir string) error {
			if os.Geteuid() != 0 {
				return errors.ErrUnsupported
			}
			return os.Chown(filepath.Dir(dir), 12345, -1)
		}, "belongs to user 12345"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			give(t, s, sample())
			if err := tc.spoil(s.Dir()); errors.Is(err, errors.ErrUnsupported) {
				t.Skip("only root can change a directory's owner")
			} else if err != nil {
				t.Fatal(err)
			}
			check := func(call string, err error) {
				t.Helper()
				var bad *StoreError
				if !errors.As(err, &bad) || !strings.Contains(bad.Problem, tc.want) || bad.Fix == "" {
					t.Errorf("%s: %v, want %q and a fix", call, err, tc.want)
				} else if d := bad.Diagnostic(); d.Code != diag.TrustInvalid || d.Fix != bad.Fix {
					t.Errorf("%s: %+v", call, d)
				}
			}
			state, r, err := s.Check(sample())
			if state != None || r != nil {
				t.Errorf("Check = %v, %v", state, r)
			}
			check("Check", err)
			_, err = Open(s.Dir())
			check("Open", err)
			_, _, err = s.List()
			check("List", err)
			_, err = s.Revoke(sample().ID)
			check("Revoke", err)
			if name != "file" {
				_, err = s.Give(sample(), now)
				check("Give", err)
			}
		})
	}
}

func TestOpenWantsAnAbsolutePath(t *testing.T) {
	var bad *StoreError
	for _, dir := range []string{"", "trust", "./trust"} {
		if _, err := Open(dir); !errors.As(err, &bad) {
			t.Errorf("Open(%q) = %v", dir, err)
		}
	}
}

// TestBadRecord damages one of two records. It checks that only the other
// record is still valid, and that List reports the damaged one.
func TestBadRecord(t *testing.T) {
	good := sample()
	good.ID.Name = "other"
	edit := func(old, new string) func(string) error {
		return func(path string) error {
			data, err := os.ReadFile(path)
			if err == nil && !strings.Contains(string(data), old) {
				err = fmt.Errorf("no %q in\n%s", old, data)
			}
			return errors.Join(err, os.WriteFile(path, []byte(strings.ReplaceAll(string(data), old, new)), 0o600))
		}
	}
	for name, spoil := range map[string]func(path string) error{
		"empty":           func(path string) error { return os.Truncate(path, 0) },
		"half":            func(path string) error { return os.Truncate(path, 100) },
		"no JSON":         func(path string) error { return os.WriteFile(path, []byte("trusted"), 0o600) },
		"another JSON":    func(path string) error { return os.WriteFile(path, []byte(`{"version": 1}`), 0o600) },
		"null":            func(path string) error { return os.WriteFile(path, []byte(`null`), 0o600) },
		"too long":        func(path string) error { return os.Truncate(path, maxRecord+1) },
		"more after it":   edit("\n}\n", "\n}\n{}"),
		"an unknown key":  edit(`"version": 1`, `"version": 1, "unless": true`),
		"another version": edit(`"version": 1`, `"version": 2`),
		"another ID":      edit(`"kind": "skill"`, `"kind": "agent"`),
		"another digest":  edit(`"digest": "sha256:`, `"digest": "sha256:0`),
		"another file":    edit("build.sh", "other.sh"),
		"another text":    edit("<built>", "[built]"),
		"another mode":    edit(`"mode": 73`, `"mode": 72`),
		"another target":  edit("../other", "../more"),
		"a wrong digest":  edit(digestOf(sample().Files[1].Data), digestOf(nil)),
		"grants turned":   edit("Bash(git:*)", "Bash(zip:*)"),
		"files turned": func(path string) error {
			var r recordJSON
			data, err := os.ReadFile(path)
			err = errors.Join(err, json.Unmarshal(data, &r))
			slices.Reverse(r.Files)
			data, err2 := json.Marshal(r)
			return errors.Join(err, err2, os.WriteFile(path, data, 0o600))
		},
		"the other's": func(path string) error {
			s := &Store{filepath.Dir(path)}
			data, err := os.ReadFile(recordFile(s, good.ID))
			return errors.Join(err, os.WriteFile(path, data, 0o600))
		},
		"directory": func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"link": func(path string) error {
			return errors.Join(os.Rename(path, path+"2"), os.Symlink(filepath.Base(path)+"2", path))
		},
		"readable": func(path string) error {
			if runtime.GOOS == "windows" {
				return errors.ErrUnsupported
			}
			return os.Chmod(path, 0o604)
		},
		"hard link": func(path string) error {
			if runtime.GOOS == "windows" {
				return errors.ErrUnsupported
			}
			return os.Link(path, filepath.Join(filepath.Dir(path), "..", "second"))
		},
		"another's": func(path string) error {
			if os.Geteuid() != 0 {
				return errors.ErrUnsupported
			}
			return os.Chown(path, 12345, -1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			give(t, s, sample())
			give(t, s, good)
			path := recordFile(s, sample().ID)
			if err := spoil(path); errors.Is(err, errors.ErrUnsupported) {
				t.Skip("not supported here")
			} else if err != nil {
				t.Fatal(err)
			}
			state, r, err := s.Check(sample())
			var broken *RecordError
			if state != None || r != nil || !errors.As(err, &broken) || broken.Path != path || broken.Problem == "" {
				t.Errorf("Check = %v, %v, %v", state, r, err)
			}
			wantState(t, s, good, Trusted)
			list, found, err := s.List()
			if err != nil || len(list) != 1 || list[0].ID != good.ID {
				t.Errorf("List = %v, %v", list, err)
			}
			if len(found) == 0 || !slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.File == path && d.Code == diag.TrustInvalid && d.Fix != "" }) {
				t.Errorf("List returned %v", found)
			}
			if done, err := s.Revoke(sample().ID); !done || err != nil {
				t.Errorf("Revoke of a broken record = %t, %v", done, err)
			}
			wantState(t, s, sample(), None)
			give(t, s, sample())
			wantState(t, s, sample(), Trusted)
		})
	}
}

func TestList(t *testing.T) {
	s := newStore(t)
	if list, found, err := s.List(); list != nil || found != nil || err != nil {
		t.Errorf("an empty store lists %v, %v, %v", list, found, err)
	}
	for _, id := range []ID{{"/b", "skill", "x", "p"}, {"/a", "skill", "x", "q"}, {"", "skill", "x", "p"}, {"/a", "agent", "x", "p"}, {"/a", "skill", "w", "p"}, {"/a", "skill", "x", "p"}} {
		c := sample()
		c.ID = id
		give(t, s, c)
	}
	for _, name := range []string{"README", "x.json", ".tmp-00"} {
		if err := os.WriteFile(filepath.Join(s.Dir(), name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, found, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	var got []ID
	for _, r := range list {
		got = append(got, r.ID)
		for _, f := range r.Files {
			if f.Data != nil {
				t.Errorf("%s: List returned the text of %s", r.ID.Name, f.Path)
			}
		}
	}
	want := []ID{{"", "skill", "x", "p"}, {"/a", "agent", "x", "p"}, {"/a", "skill", "w", "p"}, {"/a", "skill", "x", "p"}, {"/a", "skill", "x", "q"}, {"/b", "skill", "x", "p"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(found) != 2 || filepath.Base(found[0].File) != "README" || filepath.Base(found[1].File) != "x.json" {
		t.Errorf("got %v, want README and x.json", found)
	}
}

func TestTooMuchToConsentTo(t *testing.T) {
	s := newStore(t)
	var limit *LimitError
	c := sample()
	c.Files = make([]File, MaxFiles+1)
	if _, err := s.Give(c, now); !errors.As(err, &limit) || limit.What != "files" {
		t.Errorf("too many files: %v", err)
	}
	c.Files = []File{{Path: "a", Size: MaxBytes}, {Path: "b", Size: 1}}
	if _, err := s.Give(c, now); !errors.As(err, &limit) || limit.What != "bytes" || limit.Path != "b" {
		t.Errorf("too many bytes: %v", err)
	}
	c.Files, c.Commands = nil, []string{strings.Repeat("x", maxRecord)}
	if _, err := s.Give(c, now); !errors.As(err, &limit) || limit.What != "bytes in the record" {
		t.Errorf("too long a record: %v", err)
	}
	if _, err := os.Lstat(s.Dir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a refused approval created the directory: %v", err)
	}
}

// TestTextsTooLongAfterEncoding uses characters that take six bytes each in JSON, and checks that a
// record that would be too long is stored without its texts.
func TestTextsTooLongAfterEncoding(t *testing.T) {
	c := sample()
	c.Files = nil
	for i := range maxRecord/(6*MaxText) + 1 {
		c.Files = append(c.Files, File{Path: fmt.Sprint(i), Data: []byte(strings.Repeat("\x01", MaxText))})
	}
	s := newStore(t)
	give(t, s, c)
	r := wantState(t, s, c, Trusted)
	if r != nil && r.Files[0].Data != nil {
		t.Error("the texts are stored")
	}
}

// TestConcurrentUse approves, checks, revokes and lists approvals concurrently.
func TestConcurrentUse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "trust")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			s, err := Open(dir)
			if err != nil {
				t.Error(err)
				return
			}
			for j := range 20 {
				c := sample()
				c.ID.Name = fmt.Sprint(j % 2)
				c.Files[0].Data = []byte(fmt.Sprint("text ", i%2))
				if _, err := s.Give(c, now); err != nil {
					t.Error(err)
				}
				if _, r, err := s.Check(c); err != nil || r != nil && r.ID != c.ID {
					t.Errorf("Check = %v, %v", r, err)
				}
				if _, found, err := s.List(); err != nil || len(found) > 0 {
					t.Errorf("List: %v, %v", found, err)
				}
				if j%5 == 0 {
					if _, err := s.Revoke(c.ID); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 || len(entries) > 2 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestKilled kills processes while they approve closures. It checks that each record is complete
// and is one that a process wrote.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("TRUST_TEST_DIR"); dir != "" {
		giveUntilKilled(dir)
		return
	}
	dir := filepath.Join(t.TempDir(), "trust")
	records := 0
	for range 8 {
		child := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		child.Env = append(os.Environ(), "TRUST_TEST_DIR="+dir)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		// Wait for the first byte, which shows that the process has started writing.
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
		time.Sleep(3 * time.Millisecond)
		child.Process.Kill()
		child.Wait()
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		list, found, err := s.List()
		if err != nil || len(found) > 0 {
			t.Fatalf("List: %v, %v", found, err)
		}
		records += len(list)
	}
	if records == 0 {
		t.Fatal("nothing was approved: the test is broken")
	}
}

func giveUntilKilled(dir string) {
	s, err := Open(dir)
	if err != nil {
		panic(err)
	}
	for i := 0; ; i++ {
		c := sample()
		c.ID.Name = fmt.Sprint(i % 2)
		c.Files[0].Data = []byte(strings.Repeat(fmt.Sprintln(i), MaxText/10))
		if _, err := s.Give(c, now); err != nil {
			panic(err)
		}
		if i == 1 {
			fmt.Print("x")
		}
	}
}

func TestStoreError(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want string
	}{
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.EROFS}, "is on a read-only file system"},
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.ENOSPC}, "is on a full disk"},
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}, "is not readable and writable by this user"},
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.EIO}, "cannot be used: "},
		{errors.New("other"), "cannot be used: other"},
	} {
		var bad *StoreError
		err := newStoreError("/dir", tc.err)
		if !errors.As(err, &bad) || !strings.HasPrefix(bad.Problem, tc.want) || bad.Fix == "" || !errors.Is(err, errors.Unwrap(tc.err)) && errors.Unwrap(tc.err) != nil {
			t.Errorf("%v: %v, want %q", tc.err, err, tc.want)
		}
	}
	if err := newStoreError("/dir", nil); err != nil {
		t.Errorf("newStoreError(nil) = %v", err)
	}
}
