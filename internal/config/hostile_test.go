package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/vfs"
)

// hostile returns malicious files, all of which are invalid.
func hostile() map[string]string {
	laughs := "a0: &a0 [x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		n, m := string(rune('0'+i)), string(rune('1'+i))
		laughs += "a" + m + ": &a" + m + " [*a" + n + ", *a" + n + ", *a" + n + ", *a" + n + ", *a" + n + ", *a" + n + "]\n"
	}
	deep := ""
	for i := range 300 {
		deep += strings.Repeat(" ", i) + "a:\n"
	}
	return map[string]string{
		"10 MB":                  "source: ai\n" + strings.Repeat("# more\n", 10<<20/7),
		"10 MB of one line":      "hosts: [" + strings.Repeat("gemini, ", 10<<20/8) + "]",
		"lists in lists":         "source: " + strings.Repeat("[", 30000),
		"closed lists in lists":  "source: " + strings.Repeat("[", 30000) + strings.Repeat("]", 30000),
		"maps in maps":           "mcp: " + strings.Repeat("{a: ", 15000),
		"deep block":             deep,
		"a key twice":            "source: ai\nsource: .agents\n",
		"a key twice, deeper":    "mcp:\n  deny: [a]\n  deny: [b]\n",
		"a key twice, in braces": "mcp: {deny: [a], deny: [b]}\n",
		"two spellings of a key": "source: ai\n\"source\": .agents\n",
		"anchor":                 "source: &a ai\n",
		"alias":                  "source: &a ai\nhosts: *a\n",
		"alias to itself":        "source: &a [*a]\n",
		"laughs":                 laughs,
		"merge":                  "x: &x {deny: [a]}\nmcp:\n  <<: *x\n",
		"tag":                    "source: !!python/object/apply:os.system [ls]\n",
		"two documents":          "source: ai\n---\nmcp:\n  deny: ['*']\n",
		"a byte of nothing":      "source: a\x00i\n",
		"escape":                 "source: \"a\\u001b[2Ji\"\n",
		"no UTF-8":               "source: \"\xff\xfe\"\n",
		"UTF-16":                 "\xff\xfes\x00o\x00u\x00r\x00c\x00e\x00:\x00 \x00a\x00i\x00",
		"a list":                 "- source: ai\n",
		"a word":                 "ai\n",
		"a tab":                  "mcp:\n\tdeny: [a]\n",
		"many keys":              strings.Repeat("k: 1\n", 10000),
		"CR only":                "version: 2\rsource: ..\r",
	}
}

// TestHostile checks that a malicious file is reported and not used, and that
// the time it takes is proportional to its length.
func TestHostile(t *testing.T) {
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			p, diags := Parse(File, []byte(text))
			if !p.Invalid || len(diags) == 0 || why(p, "x") == "" {
				t.Errorf("it is accepted: %+v %v", p, diags)
			}
			for _, s := range p.Source {
				if why := BadPath(s); why != "" {
					t.Errorf("the source %q %s", s, why)
				}
			}
			if !slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Severity == diag.Error }) {
				t.Errorf("no error: %v", diags)
			}
			for _, d := range diags {
				if len(d.Message)+len(d.Fix) > 2000 || d.File != File {
					t.Errorf("%.300s", d.String())
				}
			}
			if len(diags) > 20000 {
				t.Errorf("%d diagnostics", len(diags))
			}
		})
	}
}

// TestLineEnds checks that CRLF line endings or a byte order mark do not change a file's meaning.
func TestLineEnds(t *testing.T) {
	const text = "version: 1\nsource: [ai, docs/x.md]\nhosts:\n  - gemini\nsync:\n  links: never\nmcp:\n  deny: [\"a*\"]\n"
	for _, same := range []string{strings.ReplaceAll(text, "\n", "\r\n"), "\ufeff" + text, "\ufeff" + strings.ReplaceAll(text, "\n", "\r\n"), "---\n" + text} {
		p, diags := Parse(File, []byte(same))
		if p.Invalid || len(diags) > 0 || !slices.Equal(p.Source, []string{"ai", "docs/x.md"}) || !slices.Equal(p.Hosts, []string{"gemini"}) || !p.Sync.NoLinks || why(p, "ab") == "" {
			t.Errorf("%.20q: %v %+v", same, diags, p)
		}
	}
}

// TestReadHostile checks that Read does not read files that are not regular files.
func TestReadHostile(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "vade.yaml")
	if err := os.WriteFile(outside, []byte("source: ai\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, plant := range map[string]func(top string) error{
		"link out":       func(top string) error { return os.Symlink(outside, filepath.Join(top, File)) },
		"link nowhere":   func(top string) error { return os.Symlink("none", filepath.Join(top, File)) },
		"link to itself": func(top string) error { return os.Symlink(File, filepath.Join(top, File)) },
		"link to a device": func(top string) error {
			return os.Symlink("/dev/zero", filepath.Join(top, File))
		},
		"hard link": func(top string) error { return os.Link(outside, filepath.Join(top, File)) },
		"directory": func(top string) error { return os.Mkdir(filepath.Join(top, File), 0o755) },
		"pipe":      func(top string) error { return pipe(filepath.Join(top, File)) },
		"no right": func(top string) error {
			if os.Getuid() == 0 {
				return errors.ErrUnsupported
			}
			return os.WriteFile(filepath.Join(top, File), []byte("source: ai\n"), 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			if err := plant(top); err != nil {
				t.Skip("cannot create it here:", err)
			}
			tree, err := vfs.Open(top, vfs.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer tree.Close()
			p, _, err := Read(tree)
			if err == nil || errors.Is(err, fs.ErrNotExist) || !p.Invalid || len(p.Source) > 0 || why(p, "x") == "" {
				t.Errorf("%+v %v", p, err)
			}
		})
	}
	top := t.TempDir()
	if err := os.WriteFile(filepath.Join(top, File), make([]byte, 10<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	tree, err := vfs.Open(top, vfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if p, diags, err := Read(tree); err != nil || !p.Invalid || len(diags) != 1 || diags[0].Source != "" {
		t.Errorf("%+v %v %v", p, diags, err)
	}
}
