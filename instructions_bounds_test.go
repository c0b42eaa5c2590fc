package vade_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/instructions"
	"github.com/vadehq/vade/internal/testenv"
)

// TestImportsAreBounded checks the limit on the number of imported files.
func TestImportsAreBounded(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	files := map[string]string{}
	var all strings.Builder
	for i := range 2500 {
		name := "i/" + strings.Repeat("x", i/100+1) + string(rune('a'+i%10)) + string(rune('a'+i/10%10)) + ".md"
		files["p/"+name] = "text"
		all.WriteString("@" + name + "\n")
	}
	files["p/CLAUDE.md"] = all.String()
	in := compose(t, newHousehold(t, "claude-code", files).o, instructions.Request{})
	if len(in.Parts) != 2000 || !slices.Contains(codes(in), "LIMIT_FILES") {
		t.Errorf("%d parts, %q", len(in.Parts), codes(in))
	}
}

// TestIdleImportsAreBounded checks the limits on reading and reporting imports that contribute no
// text, and that other files are still included.
func TestIdleImportsAreBounded(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	missing := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "@no/%d.md\n", i)
		}
		return b.String()
	}
	tests := []struct {
		name, text  string
		parts, told int
		limits      []string
	}{
		{"few", missing(200) + "@a.md", 3, 200, nil},
		{"many to tell", missing(999) + "@a.md", 3, 200, []string{"only the first 200 import problems are reported"}},
		{"as many as are looked at", missing(1000), 2, 200, []string{"only the first 200 import problems are reported"}},
		{"too many", missing(5000) + "@a.md", 2, 200, []string{"only the first 200 import problems are reported; imports after the first 1000 unresolved ones are ignored"}},
		{"people", strings.NewReplacer("no/", "x", ".md", "").Replace(missing(1000)) + "@a.md", 2, 0, []string{"imports after the first 1000 unresolved ones are ignored"}},
		{"again and again", "@a.md" + strings.Repeat(" @./a.md @CLAUDE.md", 3), 3, 1, nil},
		{"a long name", "@a.md @" + strings.Repeat("x/", 100_000) + "y", 3, 1, nil},
	}
	for _, tt := range tests {
		for _, as := range []string{"", "claude-code"} {
			t.Run(tt.name+" "+as, func(t *testing.T) {
				w := newHousehold(t, as, map[string]string{"p/CLAUDE.md": tt.text, "p/a.md": "A", "p/.claude/rules/r.md": "R"})
				in := compose(t, w.o, instructions.Request{})
				if len(in.Parts) != tt.parts {
					t.Errorf("parts %q, want %d", partPaths(in, w.dir), tt.parts)
				}
				var limits []string
				told := 0
				for _, d := range in.Diagnostics {
					if d.Code == "LIMIT_FILES" {
						limits = append(limits, d.Message)
					} else {
						told++
					}
					if len(d.Message)+len(d.Fix) > 10_000 {
						t.Errorf("a message of %d bytes", len(d.Message)+len(d.Fix))
					}
				}
				if told != tt.told || !slices.Equal(limits, tt.limits) {
					t.Errorf("%d diagnostics and the limits %q, want %d and %q", told, limits, tt.told, tt.limits)
				}
			})
		}
	}
}

// countingFS is a file system that counts how often each file is read.
type countingFS struct {
	fstest.MapFS
	reads map[string]int
}

type countedFile struct {
	fs.File
	read func()
}

func (f countedFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	if n > 0 {
		f.read()
	}
	return n, err
}

func (c countingFS) Open(name string) (fs.File, error) {
	f, err := c.MapFS.Open(name)
	return countedFile{f, func() { c.reads[name]++ }}, err
}

// TestNoFileIsReadTwice checks that no file is read twice, no matter how its import is spelled or
// whether the file is included.
func TestNoFileIsReadTwice(t *testing.T) {
	files := fstest.MapFS{"bin.md": {Data: []byte("a\x00b")}, "ok.md": {Data: []byte("OK")}}
	text := "ROOT"
	for i := range 30 {
		link := fmt.Sprintf("l%d.md", i)
		files[link] = &fstest.MapFile{Data: []byte("bin.md"), Mode: fs.ModeSymlink | 0o777}
		text += " @" + strings.Repeat("./", i+1) + "bin.md @" + link + " @" + strings.Repeat("x/../", i) + "ok.md"
	}
	files["CLAUDE.md"] = &fstest.MapFile{Data: []byte(text)}
	c := countingFS{files, map[string]int{}}
	in := compose(t, catalog.Options{As: "claude-code", Layers: []catalog.LayerFS{{Layer: definition.Project, Name: "app", FS: c}}, Isolated: true}, instructions.Request{})
	if c.reads["bin.md"] != 1 || c.reads["ok.md"] != 1 {
		t.Errorf("reads %v, want each file once", c.reads)
	}
	n := 0
	for _, d := range in.Diagnostics {
		if d.Code == "FILE_BINARY" {
			n++
		}
	}
	if n != 60 || len(in.Parts) != 2 {
		t.Errorf("%d imports of what is no text and %d parts, want 60 and 2", n, len(in.Parts))
	}
}

// TestBytesReadAreBounded checks that files that are not included count toward the limit.
func TestBytesReadAreBounded(t *testing.T) {
	files := fstest.MapFS{"CLAUDE.md": {}, "last.md": {Data: []byte("LAST")}}
	data := bytes.Repeat([]byte{0}, 4<<20)
	var text strings.Builder
	for i := range 30 {
		files[fmt.Sprintf("b%d.md", i)] = &fstest.MapFile{Data: data}
		fmt.Fprintf(&text, "@b%d.md\n", i)
	}
	files["CLAUDE.md"].Data = []byte(text.String() + "@last.md")
	c := countingFS{files, map[string]int{}}
	in := compose(t, catalog.Options{As: "claude-code", Layers: []catalog.LayerFS{{Layer: definition.Project, Name: "app", FS: c}}, Isolated: true}, instructions.Request{})
	if n := len(c.reads); n > 1+16 || !slices.Contains(codes(in), "LIMIT_FILES") || len(in.Parts) != 1 {
		t.Errorf("%d files read, %d parts, %q", n, len(in.Parts), codes(in))
	}
}

// TestEncodingOfInstructions checks that a file is decoded the same way whether or not it is
// imported, and that diagnostics about imports have the right position.
func TestEncodingOfInstructions(t *testing.T) {
	tests := []struct{ data, text, codes, neutral string }{
		{"caf\xe9", "caf\ufffd", "", "ENCODING_INVALID"},
		{"\xff\xff x \xe2\x82 y", "\ufffd\ufffd x \ufffd y", "", "ENCODING_INVALID"},
		{"a\x00b", "", "FILE_BINARY", "FILE_BINARY"},
		{"\xff\xfea\x00", "", "FILE_BINARY", "ENCODING_UTF16"},
	}
	for _, as := range []string{"", "claude-code"} {
		for _, tt := range tests {
			for _, name := range []string{"CLAUDE.md", "imported.md"} {
				t.Run(as+" "+name+" "+tt.data, func(t *testing.T) {
					files := map[string]string{"p/CLAUDE.md": "ROOT @imported.md"}
					files["p/"+name] = tt.data
					in := compose(t, newHousehold(t, as, files).o, instructions.Request{})
					text := ""
					for _, p := range in.Parts {
						if p.Path == name {
							text = p.Text
						}
					}
					want := tt.codes
					if as == "" {
						want = tt.neutral
					}
					if got := strings.Join(codes(in), " "); text != tt.text || got != want {
						t.Errorf("text %q, codes %q; want %q, %q", text, got, tt.text, want)
					}
				})
			}
		}
	}
	in := compose(t, newHousehold(t, "claude-code", map[string]string{"p/CLAUDE.md": "x\xff@y\xff\xff\n\xff\xff @a.md\n@b.md"}).o, instructions.Request{})
	var got []string
	for _, d := range in.Diagnostics {
		got = append(got, fmt.Sprint(d.Line, ":", d.Column, " ", d.Fix[:11]))
	}
	if diff := cmp.Diff([]string{"2:4 create a.md", "3:1 create b.md"}, got); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
}
