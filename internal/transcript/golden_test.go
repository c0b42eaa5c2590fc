package transcript

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// read parses a transcript and drafts from it.
func read(t testing.TB, text string, o Options, do DraftOptions) (*Session, *Draft) {
	t.Helper()
	s, err := Parse(t.Context(), strings.NewReader(text), o)
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDraft(s, do)
	if err != nil {
		t.Fatal(err)
	}
	return s, d
}

func notes(s *Session) []string {
	var list []string
	for _, d := range s.Diagnostics {
		list = append(list, d.Message)
	}
	return list
}

// TestGolden drafts from one session in each format.
func TestGolden(t *testing.T) {
	for _, name := range []string{"claude-code.jsonl", "codex.jsonl", "plain.md"} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			s, d := read(t, string(data), Options{Name: name}, DraftOptions{})
			if want := Format(strings.TrimSuffix(strings.TrimSuffix(name, ".jsonl"), ".md")); s.Format != want {
				t.Errorf("format %s, want %s", s.Format, want)
			}
			got := d.Markdown(s.Format, notes(s), false)
			file := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("differs from %s (write it with -update):\n%s", file, got)
			}
			if again := d.Markdown(s.Format, notes(s), false); again != got {
				t.Error("the same draft is written differently")
			}
		})
	}
}
