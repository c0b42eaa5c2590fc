package trust

import (
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

// short generates strings that are ambiguous when concatenated.
var short = rapid.SampledFrom([]string{"", "a", "b", "ab", "ba", "a/b", "\x00", "a\x00b", "é"})

func drawClosure(t *rapid.T) *Closure {
	c := &Closure{ID: ID{short.Draw(t, "project"), short.Draw(t, "kind"), short.Draw(t, "name"), short.Draw(t, "path")}}
	for i := range rapid.IntRange(0, 5).Draw(t, "files") {
		f := File{
			Path: strings.Repeat("d/", i) + short.Draw(t, "file"),
			Mode: rapid.SampledFrom([]fs.FileMode{0o644, 0o755, 0o600, 0o100, fs.ModeSymlink | 0o777, fs.ModeNamedPipe}).Draw(t, "mode"),
		}
		switch {
		case f.Mode&fs.ModeSymlink != 0:
			f.Target = short.Draw(t, "target")
		case f.Mode.IsRegular() && rapid.Bool().Draw(t, "kept"):
			f.Data = []byte(short.Draw(t, "data"))
			f.Digest, f.Size = digestOf(f.Data), int64(len(f.Data))
		case f.Mode.IsRegular():
			f.Digest, f.Size = digestOf([]byte(short.Draw(t, "data"))), rapid.Int64Range(0, 9).Draw(t, "size")
		}
		c.Files = append(c.Files, f)
	}
	c.Commands = rapid.SliceOfN(short, 0, 3).Draw(t, "commands")
	c.Grants = rapid.SliceOfN(short, 0, 3).Draw(t, "grants")
	return c
}

func cloned(c *Closure) *Closure {
	d := *c
	d.Files = slices.Clone(c.Files)
	d.Commands, d.Grants = slices.Clone(c.Commands), slices.Clone(c.Grants)
	return &d
}

func TestOrderDoesNotMatter(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		c := drawClosure(t)
		d := cloned(c)
		r := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))
		r.Shuffle(len(d.Files), func(i, j int) { d.Files[i], d.Files[j] = d.Files[j], d.Files[i] })
		if got, want := d.Digest(), c.Digest(); got != want {
			t.Fatalf("%s and %s", got, want)
		}
		for i := range d.Files {
			// Mode bits that are ignored, and data whose digest is known.
			if d.Files[i].Mode.IsRegular() && d.Files[i].Mode != 0o100 {
				d.Files[i].Mode ^= 0o044
			}
			d.Files[i].Data = nil
		}
		if got, want := d.Digest(), c.Digest(); got != want {
			t.Fatalf("%s and %s with different read permissions", got, want)
		}
	})
}

// TestEveryChangeCounts makes one random change to a closure and checks that
// the digest, the approval and the diff reflect it.
func TestEveryChangeCounts(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		c := drawClosure(t)
		d := cloned(c)
		what := change(t, d)
		if c.Digest() == d.Digest() {
			t.Fatalf("%s changed, but the digest did not:\n%+v\n%+v", what, c, d)
		}
		if newRecord(c, now).covers(d) {
			t.Fatalf("%s changed, but the approval covers it", what)
		}
		if len(Diff(newRecord(c, now), d)) == 0 && c.ID == d.ID {
			t.Fatalf("%s changed, but the diff is empty", what)
		}
	})
}

func change(t *rapid.T, c *Closure) string {
	what := rapid.IntRange(0, 9).Draw(t, "what")
	if len(c.Files) == 0 && what > 4 {
		what = 4
	}
	texts := []*string{&c.ID.Project, &c.ID.Kind, &c.ID.Name, &c.ID.Path}
	if what < len(texts) {
		*texts[what] += "x"
		return "the ID"
	}
	if what == 4 {
		c.Files = append(c.Files, File{Path: "new", Digest: digestOf(nil)})
		return "the number of files"
	}
	i := rapid.IntRange(0, len(c.Files)-1).Draw(t, "which")
	f := &c.Files[i]
	switch {
	case what == 5:
		c.Files = slices.Delete(c.Files, i, i+1)
		return "the number of files"
	case what == 6:
		f.Path += "x"
		return "the name of a file"
	case what == 7 && f.Mode.IsRegular():
		if f.Mode&0o111 != 0 {
			f.Mode &^= 0o111
		} else {
			f.Mode |= 0o100
		}
		return "the exec bit"
	case what == 8 && f.Mode.IsRegular():
		f.Mode, f.Digest, f.Size, f.Data, f.Target = fs.ModeSymlink, "", 0, nil, "x"
		return "the type"
	case f.Mode&fs.ModeSymlink != 0:
		f.Target += "x"
		return "the target"
	case len(f.Data) > 0:
		f.Data = slices.Clone(f.Data)
		f.Data[rapid.IntRange(0, len(f.Data)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		return "a bit of the content"
	case rapid.Bool().Draw(t, "size"):
		f.Data, f.Size = nil, f.Size+1
		return "the size"
	}
	f.Data, f.Digest = nil, digestOf([]byte("other"))
	return "the digest"
}

// TestDigestIsStable pins a small closure's digest: a different digest would
// revoke every existing approval.
func TestDigestIsStable(t *testing.T) {
	c := sample()
	if got, want := c.Digest(), "sha256:35f7b3b926e3b4ff4356212c691dba0727b86d3881f4d899eca9b77a3ec55109"; got != want {
		t.Errorf("the digest is %s, want %s", got, want)
	}
}

func TestGrantsAndCommandsCount(t *testing.T) {
	r := newRecord(sample(), now)
	for name, tc := range map[string]struct {
		change func(*Closure)
		want   bool
	}{
		"same":              {func(*Closure) {}, true},
		"grants turned":     {func(c *Closure) { slices.Reverse(c.Grants) }, true},
		"grant twice":       {func(c *Closure) { c.Grants = append(c.Grants, c.Grants[0]) }, true},
		"grant added":       {func(c *Closure) { c.Grants = append(c.Grants, "Bash(make:*)") }, false},
		"grant removed":     {func(c *Closure) { c.Grants = c.Grants[1:] }, false},
		"grants gone":       {func(c *Closure) { c.Grants = nil }, false},
		"command added":     {func(c *Closure) { c.Commands = append(c.Commands, "make") }, false},
		"command twice":     {func(c *Closure) { c.Commands = append(c.Commands, c.Commands[0]) }, false},
		"commands turned":   {func(c *Closure) { slices.Reverse(c.Commands) }, false},
		"command removed":   {func(c *Closure) { c.Commands = c.Commands[1:] }, false},
		"command as grants": {func(c *Closure) { c.Commands, c.Grants = c.Grants, c.Commands }, false},
	} {
		c := sample()
		tc.change(c)
		if got := r.covers(c); got != tc.want {
			t.Errorf("%s: covered %t, want %t", name, got, tc.want)
		}
		if got := len(Diff(r, c)) == 0; got != tc.want {
			t.Errorf("%s: %v", name, Diff(r, c))
		}
	}
}
