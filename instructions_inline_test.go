package vade_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/internal/instructions"
	"github.com/vadehq/vade/internal/testenv"
)

// TestInlineImports checks that imported text replaces the import, and that
// failures are reported both in place and to the user.
func TestInlineImports(t *testing.T) {
	chain := map[string]string{}
	for i := range 8 {
		chain[fmt.Sprintf("p/c%d.md", i)] = fmt.Sprintf("C%d @./c%d.md", i, i+1)
	}
	for _, tc := range []struct {
		name, text string
		files      map[string]string
		want       string
		codes      []string
	}{
		{"in the line", "a @b.md c", map[string]string{"p/b.md": "B"}, "a <!-- Imported from: b.md -->\nB\n<!-- End of import from: b.md --> c", nil},
		{"in code", "`@b.md`\n```\n@b.md\n```", map[string]string{"p/b.md": "B"}, "`@b.md`\n```\n@b.md\n```", nil},
		{
			"twice", "@b.md @b.md",
			map[string]string{"p/b.md": "B"},
			"<!-- Imported from: b.md -->\nB\n<!-- End of import from: b.md --> <!-- Imported from: b.md -->\nB\n<!-- End of import from: b.md -->", nil,
		},
		{
			"relative to the file", "@d/b.md",
			map[string]string{"p/d/b.md": "@c.md", "p/d/c.md": "C"},
			"<!-- Imported from: d/b.md -->\n<!-- Imported from: c.md -->\nC\n<!-- End of import from: c.md -->\n<!-- End of import from: d/b.md -->", nil,
		},
		{"itself", "@GEMINI.md", nil, "<!-- File already processed: GEMINI.md -->", []string{"SYMLINK_LOOP"}},
		{
			"a circle", "@b.md",
			map[string]string{"p/b.md": "@./GEMINI.md"},
			"<!-- Imported from: b.md -->\n<!-- File already processed: ./GEMINI.md -->\n<!-- End of import from: b.md -->", []string{"SYMLINK_LOOP"},
		},
		{"outside", "@../out.md", map[string]string{"out.md": "OUT"}, "<!-- Import failed: ../out.md - Path traversal attempt -->", []string{"FILE_OUTSIDE_ROOT"}},
		{"an address", "@https://example.org/a", nil, "<!-- Import failed: https://example.org/a - Path traversal attempt -->", []string{"FILE_OUTSIDE_ROOT"}},
		{"missing", "@d/no.md", nil, "<!-- Import failed: d/no.md - ENOENT: no such file or directory, access '{P}/d/no.md' -->", []string{"FILE_NOT_FOUND"}},
		{"somebody", "@someone", nil, "<!-- Import failed: someone - ENOENT: no such file or directory, access '{P}/someone' -->", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newHousehold(t, "gemini", tc.files)
			lay(t, w.dir, map[string]string{"p/GEMINI.md": tc.text})
			in := compose(t, w.o, instructions.Request{})
			got := strings.ReplaceAll(in.Parts[0].Text, filepath.Join(w.dir, "p"), "{P}")
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("- want, + got:\n%s", diff)
			}
			if diff := cmp.Diff(tc.codes, codes(in)); diff != "" {
				t.Errorf("codes: - want, + got:\n%s", diff)
			}
		})
	}
	t.Run("depth", func(t *testing.T) {
		w := newHousehold(t, "gemini", chain)
		lay(t, w.dir, map[string]string{"p/GEMINI.md": "@c0.md"})
		in := compose(t, w.o, instructions.Request{})
		if text := in.Parts[0].Text; !strings.Contains(text, "C4 @./c5.md") || strings.Contains(text, "C5") || len(in.Parts) != 6 {
			t.Errorf("%d parts: %s", len(in.Parts), text)
		}
		if got := codes(in); !slices.Equal(got, []string{"LIMIT_DEPTH"}) {
			t.Errorf("codes %q", got)
		}
	})
}

// TestUserImportDirectory checks that a user's file imports only from its own directory.
func TestUserImportDirectory(t *testing.T) {
	w := newHousehold(t, "gemini", map[string]string{
		"h/.gemini/GEMINI.md": "@more.md @../secret.md", "h/.gemini/more.md": "MORE", "h/secret.md": "SECRET",
	})
	text := ""
	for _, m := range compose(t, w.o, instructions.Request{}).Messages {
		text += m.Text
	}
	if strings.Contains(text, "SECRET") || !strings.Contains(text, "MORE") {
		t.Error(text)
	}
}

// TestManyInlineImports checks the size limit on files that import each other many times.
func TestManyInlineImports(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	files := map[string]string{"p/GEMINI.md": strings.Repeat("@f0.md ", 500)}
	for i := range 5 {
		files[fmt.Sprintf("p/f%d.md", i)] = strings.Repeat(fmt.Sprintf("@f%d.md ", i+1), 500)
	}
	files["p/f5.md"] = "END"
	w := newHousehold(t, "gemini", files)
	in := compose(t, w.o, instructions.Request{})
	if len(in.Parts) > 2001 || len(in.Messages[0].Text) > 64<<20 || !slices.Contains(codes(in), "LIMIT_FILES") {
		t.Errorf("%d parts, %d bytes, codes %q", len(in.Parts), len(in.Messages[0].Text), codes(in))
	}
}

// TestProtectedInline checks that protected files are not read and that
// symlinks that leave the project are not followed.
func TestProtectedInline(t *testing.T) {
	w := newHousehold(t, "qwen", map[string]string{"p/QWEN.md": "@.env @link.md", "p/.env": "TOKEN", "out/x.md": "OUT"})
	if err := os.Symlink(filepath.Join(w.dir, "out", "x.md"), filepath.Join(w.dir, "p", "link.md")); err != nil {
		t.Fatal(err)
	}
	in := compose(t, w.o, instructions.Request{})
	if text := in.Messages[0].Text; strings.Contains(text, "TOKEN") || strings.Contains(text, "OUT") {
		t.Error(text)
	}
	if got := codes(in); !slices.Equal(got, []string{"FILE_PROTECTED", "SYMLINK_OUTSIDE"}) {
		t.Errorf("codes %q", got)
	}
}
