package auditcache

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit"
	"github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/audit/signal"
)

func testPackage() *signal.Package {
	return &signal.Package{
		Name: "a", Kind: definition.Skill, Layer: definition.Plugin,
		Files:  []*signal.File{{Path: "SKILL.md", Raw: []byte("text"), Size: 4}, {Path: "x.sh", Raw: []byte("ls"), Size: 2}},
		Missed: []signal.Missed{{Path: "logo.png", Size: 9, Reason: signal.MissedMedia}},
	}
}

// TestKey checks that a change to anything that a verdict depends on changes the key.
func TestKey(t *testing.T) {
	want := Key(testPackage(), audit.Options{})
	if Key(testPackage(), audit.Options{}) != want {
		t.Fatal("the same package has two keys")
	}
	for name, change := range map[string]func(p *signal.Package, o *audit.Options){
		"name":      func(p *signal.Package, _ *audit.Options) { p.Name = "b" },
		"kind":      func(p *signal.Package, _ *audit.Options) { p.Kind = definition.Command },
		"layer":     func(p *signal.Package, _ *audit.Options) { p.Layer = definition.User },
		"bare":      func(p *signal.Package, _ *audit.Options) { p.Bare = true },
		"byte":      func(p *signal.Package, _ *audit.Options) { p.Files[0].Raw = []byte("texT") },
		"companion": func(p *signal.Package, _ *audit.Options) { p.Files[1].Raw = []byte("lS") },
		"path":      func(p *signal.Package, _ *audit.Options) { p.Files[1].Path = "y.sh" },
		"size":      func(p *signal.Package, _ *audit.Options) { p.Files[1].Size = 3 },
		"exec":      func(p *signal.Package, _ *audit.Options) { p.Files[1].Exec = true },
		"order":     func(p *signal.Package, _ *audit.Options) { p.Files[0], p.Files[1] = p.Files[1], p.Files[0] },
		"one less":  func(p *signal.Package, _ *audit.Options) { p.Files = p.Files[:1] },
		"moved": func(p *signal.Package, _ *audit.Options) {
			p.Files[0].Raw, p.Files[1].Raw = []byte("tex"), []byte("tls")
		},
		"missed":     func(p *signal.Package, _ *audit.Options) { p.Missed = nil },
		"why missed": func(p *signal.Package, _ *audit.Options) { p.Missed[0].Reason = signal.MissedNative },
		"persona":    func(_ *signal.Package, o *audit.Options) { o.Persona = rules.Auditor },
		"known bad": func(_ *signal.Package, o *audit.Options) {
			o.KnownBad = &audit.KnownBad{Hosts: []string{"files.example"}}
		},
	} {
		p, o := testPackage(), audit.Options{}
		change(p, &o)
		if Key(p, o) == want {
			t.Errorf("%s: the key is the same", name)
		}
	}
}

// TestKeyKnowsAllFields fails if someone adds a field on which a verdict may depend. Add the new
// field to Key first, and then to this test.
func TestKeyKnowsAllFields(t *testing.T) {
	for _, x := range []struct {
		of     any
		fields string
	}{
		{signal.Package{}, "Name Kind Layer Files Bare Missed"},
		{signal.File{}, "Path Raw Text Size Exec Role Lang From RightToLeft Offsets UTF8"},
		{signal.Missed{}, "Path Size Reason Note"},
		{audit.Options{}, "Persona KnownBad"},
		{audit.KnownBad{}, "Digests Hosts Publishers"},
	} {
		typ := reflect.TypeOf(x.of)
		var names []string
		for i := range typ.NumField() {
			if f := typ.Field(i); f.IsExported() {
				names = append(names, f.Name)
			}
		}
		if got := strings.Join(names, " "); got != x.fields {
			t.Errorf("%s has the fields %s; Key knows %s", typ, got, x.fields)
		}
	}
}

func verdicts() []*Verdict {
	key := "sha256:" + strings.Repeat("0", 64)
	return []*Verdict{
		{Key: key, Complete: true},
		{Key: key, Severity: rules.Inform},
		{Key: key, Severity: rules.Block, Findings: []Finding{
			{Rule: "X01", Name: "pipe", Severity: rules.Block, Path: "a\nb.md", Line: 3, Message: "a \"word\"\nend\n<x>", Digest: key, More: 2},
			{Rule: "U03", Name: "zero", Severity: rules.Review, Message: "\u200b\u2028", Digest: key},
		}},
	}
}

func newCache(t *testing.T) *Cache {
	t.Helper()
	return Open(filepath.Join(t.TempDir(), "cache/verdicts"))
}

func TestCache(t *testing.T) {
	c := newCache(t)
	for i, v := range verdicts() {
		id := ID("skill", "plugin", string(rune('a'+i)))
		if got, err := c.Get(id); got != nil || err != nil {
			t.Fatalf("before: %v, %v", got, err)
		}
		for range 2 {
			if err := c.Put(id, v); err != nil {
				t.Fatal(err)
			}
		}
		got, err := c.Get(id)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(v, got); diff != "" {
			t.Error(diff)
		}
	}
	list, _ := os.ReadDir(c.Dir())
	if len(list) != len(verdicts()) {
		t.Errorf("%d files, want %d", len(list), len(verdicts()))
	}
	for _, e := range list {
		if info, _ := e.Info(); info.Mode().Perm() != 0o600 {
			t.Errorf("%s can be read by others: %v", e.Name(), info.Mode())
		}
	}
}

// TestNotBelieved checks that Get accepts only a complete file that Vade wrote
// for this ID and that only the user can access.
func TestNotBelieved(t *testing.T) {
	id, bad := ID("skill", "plugin", "a"), verdicts()[2]
	clean, err := encode(id, verdicts()[0])
	if err != nil {
		t.Fatal(err)
	}
	block, err := encode(id, bad)
	if err != nil {
		t.Fatal(err)
	}
	other, err := encode(ID("skill", "plugin", "b"), verdicts()[0])
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string][]byte{
		"empty": nil, "another's": other, "a word more": append([]byte(nil), append(clean, 'x')...), "two": append(append([]byte(nil), clean...), clean...),
		"blocked and clean":      []byte(strings.Replace(string(block), "\nblock ", "\nclean ", 1)),
		"clean and blocked":      []byte(strings.Replace(string(clean), "\nclean ", "\nblock ", 1)),
		"no severity":            []byte(strings.Replace(string(clean), "\nclean ", "\nfine ", 1)),
		"less":                   []byte(strings.Replace(string(block), `"severity":"block"`, `"severity":"review"`, 1)),
		"without a rule":         []byte(strings.Replace(string(block), `"rule":"X01"`, `"rule":""`, 1)),
		"unknown field":          []byte(strings.Replace(string(block), `"rule"`, `"x":1,"rule"`, 1)),
		"another form":           []byte(strings.Replace(string(clean), " 1\n", " 2\n", 1)),
		"no word of wholeness":   []byte(strings.Replace(string(clean), " whole", "", 1)),
		"findings that are none": []byte(strings.Replace(string(clean), "end\n", "[]\nend\n", 1)),
	}
	for name, text := range texts {
		c := newCache(t)
		if err := c.Put(id, verdicts()[0]); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(c.Dir(), id), text, 0o600); err != nil {
			t.Fatal(err)
		}
		if v, err := c.Get(id); v != nil || !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v, %v", name, v, err)
		}
		// An invalid file must not prevent storing a new verdict.
		if err := c.Put(id, bad); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if v, err := c.Get(id); err != nil || v.Severity != rules.Block {
			t.Errorf("%s: afterwards %v, %v", name, v, err)
		}
	}
	for n := range block {
		if v, err := parse(id, block[:n]); v != nil || err == nil {
			t.Fatalf("the first %d bytes are accepted: %v", n, v)
		}
	}
}

// TestPrivate checks that Get ignores files that other users could have written, and that Put
// writes nothing if other users can access the directory.
func TestPrivate(t *testing.T) {
	id := ID("skill", "plugin", "a")
	for name, corrupt := range map[string]func(t *testing.T, c *Cache){
		"a file that others read":      func(t *testing.T, c *Cache) { chmod(t, filepath.Join(c.Dir(), id), 0o644) },
		"a directory that others read": func(t *testing.T, c *Cache) { chmod(t, c.Dir(), 0o755) },
		"a directory above":            func(t *testing.T, c *Cache) { chmod(t, filepath.Dir(c.Dir()), 0o777) },
		"a link": func(t *testing.T, c *Cache) {
			file := filepath.Join(c.Dir(), id)
			if err := errors.Join(os.Rename(file, file+"x"), os.Symlink(id+"x", file)); err != nil {
				t.Fatal(err)
			}
		},
		"a linked directory": func(t *testing.T, c *Cache) {
			if err := errors.Join(os.Rename(c.Dir(), c.Dir()+"x"), os.Symlink(c.Dir()+"x", c.Dir())); err != nil {
				t.Fatal(err)
			}
		},
		"a second name": func(t *testing.T, c *Cache) {
			file := filepath.Join(c.Dir(), id)
			if err := os.Link(file, file+"x"); err != nil {
				t.Fatal(err)
			}
		},
		"a directory in its place": func(t *testing.T, c *Cache) {
			file := filepath.Join(c.Dir(), id)
			if err := errors.Join(os.Remove(file), os.Mkdir(file, 0o700)); err != nil {
				t.Fatal(err)
			}
		},
		"too long": func(t *testing.T, c *Cache) {
			if err := os.Truncate(filepath.Join(c.Dir(), id), 1<<30); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCache(t)
			if err := c.Put(id, verdicts()[0]); err != nil {
				t.Fatal(err)
			}
			corrupt(t, c)
			if v, err := c.Get(id); v != nil || err == nil {
				t.Errorf("%v, %v", v, err)
			}
		})
	}
}

func chmod(t *testing.T, name string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

// TestManyWriters checks that a reader always gets a complete verdict while several writers run.
func TestManyWriters(t *testing.T) {
	c, id := newCache(t), ID("skill", "plugin", "a")
	list := verdicts()
	if err := c.Put(id, list[0]); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for k := range 50 {
				if err := c.Put(id, list[(i+k)%len(list)]); err != nil {
					t.Error(err)
				}
				if v, err := c.Get(id); v == nil || err != nil {
					t.Error(v, err)
				}
			}
		})
	}
	group.Wait()
	if list, _ := os.ReadDir(c.Dir()); len(list) != 1 {
		t.Errorf("%d files remain", len(list))
	}
}

// FuzzParse checks that any file either parses as a consistent verdict or returns an error.
func FuzzParse(f *testing.F) {
	id := ID("skill", "plugin", "a")
	for _, v := range verdicts() {
		data, err := encode(id, v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := parse(id, data)
		if (v == nil) != (err != nil) {
			t.Fatalf("%v, %v", v, err)
		}
		if v == nil {
			return
		}
		if !v.valid() || v.Severity == rules.Block != (len(v.Findings) > 0 && v.Findings[0].Severity == rules.Block) {
			t.Fatalf("%+v", v)
		}
		again, err := encode(id, v)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := parse(id, again); err != nil || !cmp.Equal(v, back) {
			t.Fatalf("%+v and %+v, %v", v, back, err)
		}
	})
}
