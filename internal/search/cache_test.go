package search

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/internal/catalog"
)

// large opens a project with more than maxInMemory skills, whose files are an hour old.
func large(t *testing.T) (dir, home string, open func() []catalog.Definition) {
	dir, home = filepath.Join(t.TempDir(), "p"), t.TempDir()
	if runtime.GOOS != "windows" && os.Chmod(home, 0o700) != nil {
		t.Fatal("cannot make the home directory private")
	}
	for i := range maxInMemory + 50 {
		writeOld(t, filepath.Join(dir, fmt.Sprintf(".claude/skills/s%d/SKILL.md", i)), fmt.Sprintf("---\ndescription: x\n---\nThe word is w%d.\n", i))
	}
	return dir, home, func() []catalog.Definition {
		c, err := catalog.Open(t.Context(), catalog.Options{Dir: dir, Home: home, ManagedDir: home, Getenv: func(string) string { return "" }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		list, err := c.List(t.Context(), catalog.Query{})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
}

// writeOld writes a file whose modification time is not recent.
func writeOld(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestCache(t *testing.T) {
	began := time.Now()
	dir, home, open := large(t)
	want := func(query, name string) {
		t.Helper()
		if got := found(t, New(open(), DefaultWeights()), query, Options{}); !slices.Equal(got, strings.Fields(name)) {
			t.Errorf("%s: %v, not %q", query, got, name)
		}
	}
	cached := func() []string {
		files, err := filepath.Glob(filepath.Join(home, ".cache/vade/search/*"))
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	want("w7", "s7")
	if len(cached()) != 0 && time.Since(began) < 2*time.Second {
		t.Fatal("vectors of files that just changed are stored")
	}
	time.Sleep(2200 * time.Millisecond) // Wait until a change is certain to produce a new modification time.
	want("w7", "s7")
	files := cached()
	if len(files) != 1 {
		t.Fatalf("%d files", len(files))
	}
	if info, err := os.Stat(files[0]); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	// A stored vector is used instead of the file.
	stored := decode(whole)
	if len(stored) < maxInMemory {
		t.Fatalf("%d vectors", len(stored))
	}
	want("w7", "s7")
	// A changed file is read again, even if its length is the same.
	writeOld(t, filepath.Join(dir, ".claude/skills/s7/SKILL.md"), "---\ndescription: x\n---\nThe word is q7.\n")
	want("q7", "s7")
	want("w7", "")
	// Damaged and foreign files are replaced.
	for name, data := range map[string][]byte{
		"empty": nil, "foreign": []byte("hello"), "cut": whole[:len(whole)/2], "longer": append(bytes.Clone(whole), 'x'),
		"changed": bytes.Replace(whole, whole[200:204], []byte("abcd"), 1), "another version": append([]byte("vade search 0\n"), whole[len(first):]...),
	} {
		if err := os.WriteFile(files[0], data, 0o600); err != nil {
			t.Fatal(err)
		}
		want("w8", "s8")
		if data, err := os.ReadFile(files[0]); err != nil || len(decode(data)) < maxInMemory {
			t.Errorf("%s: not replaced: %v", name, err)
		}
	}
	// A directory that other users can write to is not used.
	if runtime.GOOS != "windows" {
		if err := os.Chmod(filepath.Dir(files[0]), 0o777); err != nil {
			t.Fatal(err)
		}
		want("w9", "s9")
	}
}

// interrupted is a context that is canceled after a given number of calls to Err.
type interrupted struct {
	context.Context
	left atomic.Int64
}

func (c *interrupted) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestInterrupted checks that an interrupted search stores complete vectors for what it has read.
func TestInterrupted(t *testing.T) {
	_, home, open := large(t)
	time.Sleep(2200 * time.Millisecond)
	stored := func() map[key]vector {
		files, _ := filepath.Glob(filepath.Join(home, ".cache/vade/search/*"))
		if len(files) != 1 {
			return nil
		}
		data, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		return decode(data)
	}
	list := open()
	partly := 0
	for n := int64(0); ; n += 100 {
		ctx := &interrupted{Context: t.Context()}
		ctx.left.Store(n)
		before := len(stored())
		_, err := New(list, DefaultWeights()).Search(ctx, "w7", Options{})
		now := len(stored())
		if now < before {
			t.Fatalf("%d vectors, %d before", now, before)
		}
		if now > 0 && now < len(list) {
			partly++
		}
		if err == nil {
			break
		}
		if n > 1e6 {
			t.Fatal("the search does not end")
		}
	}
	if partly == 0 {
		t.Error("nothing was stored before the end")
	}
	got := stored()
	if err := os.RemoveAll(filepath.Join(home, ".cache")); err != nil {
		t.Fatal(err)
	}
	found(t, New(list, DefaultWeights()), "w7", Options{})
	if d := cmp.Diff(stored(), got); d != "" {
		t.Error(d)
	}
}

func TestKeepInMemory(t *testing.T) {
	for _, memory := range []int{0, 100, 1 << 20} {
		dir, home, open := large(t)
		time.Sleep(2200 * time.Millisecond)
		x := New(open(), DefaultWeights())
		x.KeepInMemory(memory)
		if got := found(t, x, "w7", Options{}); !slices.Equal(got, []string{"s7"}) {
			t.Fatalf("%v", got)
		}
		for _, gone := range []string{filepath.Join(home, ".cache"), filepath.Join(dir, ".claude/skills/s8/SKILL.md")} {
			if err := os.RemoveAll(gone); err != nil {
				t.Fatal(err)
			}
		}
		if got := len(found(t, x, "w8", Options{})); (got == 1) != (memory == 1<<20) {
			t.Errorf("with %d bytes: %d results", memory, got)
		}
		if x.memory < 0 {
			t.Errorf("%d bytes too many in memory", -x.memory)
		}
	}
}

func FuzzDecode(f *testing.F) {
	z := newVectorizer(DefaultWeights())
	none := func() text {
		return text{name: "deploy", description: "Ship it", body: noBody}
	}
	f.Add([]byte(nil))
	f.Add(encode([]entry{{0, key{1}}, {1, key{}}}, []vector{z.vector(f.Context(), none()), nil}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > len(first)+4 {
			// Make the version and the checksum valid.
			data = append([]byte(first+"\x00\x00\x00\x00"), data[len(first)+4:]...)
			putChecksum(data)
		}
		for _, v := range decode(data) {
			v.match(parse("ship it to deploy"))
		}
	})
}
