package body

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// targets returns the links in a text, sorted and without duplicates.
func targets(s string) []string {
	var list []string
	for l := range Links(s) {
		if s[l.Span.Start:l.Span.End] != l.Target {
			panic("the place of " + l.Target + " is wrong")
		}
		list = append(list, l.Target)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func TestLinks(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string
	}{
		{"[a](b.md)", "b.md"}, {"![a](b.png)", "b.png"}, {"[a]( <b c.md> 'title' )", "b c.md"}, {"[a](b.md \"t\")", "b.md"},
		{"[a](b(c).md)", "b(c).md"}, {"[a](b c.md)", ""}, {"[a] (b.md)", ""}, {"a](b.md)", ""}, {"\\[a](b.md)", ""}, {"[a\\](b.md)", ""},
		{"`[a](b.md)`", ""}, {"[`a`](b.md)", "b.md"}, {"[a`](b.md)`", ""}, {"```\n[a](b.md)\n```\n[c](d.md)", "d.md"},
		{"<!-- [a](b.md) -->[c](d.md)", ""}, {"x <!-- [a](b.md) -->[c](d.md)", "d.md"}, {"    [a](b.md)", ""}, {"- x\n\n    [a](b.md)", "b.md"}, {"text\n    [a](b.md)", "b.md"},
		{"[![i](i.png)](b.md)", "b.md i.png"}, {"[x [a](b.md) y](c.md)", "b.md"}, {"[a\nb](c.md)", "c.md"}, {"[a\n\nb](c.md)", ""},
		{"[a][l]\n\n[l]: b.md", "b.md"}, {"[L  x]\n\n[l X]: <b c.md> \"t\"", "b c.md"}, {"[l]: b.md", ""}, {"text\n[l]: b.md\n[l]", ""},
		{"<div>\n[a](b.md)\n</div>\n\n[c](d.md)", "d.md"}, {"<pre>\n\n[a](b.md)\n</pre>\n[c](d.md)", "d.md"}, {"<details>\n\n[a](b.md)", "b.md"},
		{"> [a](b.md)", "b.md"}, {"# [a](b.md)", "b.md"}, {"[a](b.md 'open", ""}, {"[a]()", ""}, {"[a](\nb.md\n)", "b.md"}, {"\\`[a](b.md)`", "b.md"},
		{"[a](b\\)c.md)", "b\\)c.md"}, {"[a](b.md)(c.md)", "b.md"}, {"| [a](b.md) |", "b.md"}, {"[a](<b.md)", ""}, {"[a](b.md\"t\")", "b.md\"t\""},
		{"[l]\n\n[l]: b.md\f", ""}, {"[l]\n\n[l]: b.md \f", ""},
	} {
		if got := strings.TrimSpace(strings.Join(targets(tt.text), " ")); got != tt.want {
			t.Errorf("%q has %q, not %q", tt.text, got, tt.want)
		}
	}
}

// byLibrary returns the links that a full Markdown parser finds.
func byLibrary(s string) []string {
	src := []byte(s)
	var list []string
	_ = ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(src)), func(n ast.Node, enter bool) (ast.WalkStatus, error) {
		if enter {
			switch l := n.(type) {
			case *ast.Link:
				list = append(list, string(l.Destination))
			case *ast.Image:
				list = append(list, string(l.Destination))
			}
		}
		return ast.WalkContinue, nil
	})
	slices.Sort(list)
	return slices.Compact(list)
}

// TestLinksOfDocuments checks Links against the library on this repository's documents and on the
// documents in VADE_CORPUS_DIR, if it is set. It tolerates a few differences, which are caused by
// indented code in lists and by HTML in the middle of lines.
func TestLinksOfDocuments(t *testing.T) {
	roots := []string{"../../docs", "../../README.md", "../../vectors/README.md"}
	if dir := os.Getenv("VADE_CORPUS_DIR"); dir != "" {
		roots = append(roots, dir)
	}
	files, links, differ := 0, 0, 0
	for _, root := range roots {
		err := filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() || filepath.Ext(p) != ".md" {
				return err
			}
			data, err := os.ReadFile(p)
			if err != nil || len(data) > 200_000 {
				return err
			}
			s := string(data)
			if strings.HasPrefix(s, "---\n") {
				if _, behind, ok := strings.Cut(s[4:], "\n---"); ok {
					s = behind
				}
			}
			got, want := targets(s), byLibrary(s)
			files++
			links += len(want)
			if !slices.Equal(got, want) {
				differ++
				var more, less []string
				for _, x := range got {
					if !slices.Contains(want, x) {
						more = append(more, x)
					}
				}
				for _, x := range want {
					if !slices.Contains(got, x) {
						less = append(less, x)
					}
				}
				t.Logf("%s: too many %q, too few %q", p, more, less)
			}
			return nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	t.Logf("%d of %d files with %d links differ", differ, files, links)
	if files < 20 || differ*100 > files {
		t.Errorf("%d of %d files differ", differ, files)
	}
}

func FuzzLinks(f *testing.F) {
	for _, s := range []string{"[a](b.md)", "[![a](b)](c 'd')", "[a]: <b>\n[a]", "<div>\n[a](b)", "`[`](", "- [a](\n\tb\n)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for l := range Links(s) {
			if l.Span.Start < 0 || l.Span.End > len(s) || s[l.Span.Start:l.Span.End] != l.Target {
				t.Errorf("the position of %q is %+v", l.Target, l.Span)
			}
		}
	})
}

// TestLinksLinear checks that hostile text is processed in time proportional to its length.
func TestLinksLinear(t *testing.T) {
	for _, unit := range []string{"[", "]", "[a](", "[a](b \"", "[a](<", "![", "[a]: b\n", "[a](b)", "<div>\n", "`[a](b)", "> ", "- ", "    ", "<!--", "[a](b 'c\n"} {
		n := 0
		for range Links(strings.Repeat(unit, 1_000_000/len(unit))) {
			n++
		}
		_ = n
	}
}
