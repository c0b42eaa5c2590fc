package vade_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// matrix is one file of skills in a project's directory of skills for each row,
// and what hosts made of it: "name: description" as listed, nil where it is
// dropped.
type matrix struct {
	Files map[string]json.RawMessage
	Rows  []struct {
		Fixture string
		Claude  *string
	}
}

// TestFrontmatterMatrix compares the lines that Claude Code 2.1.329 listed.
func TestFrontmatterMatrix(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(recordedDir(), "frontmatter-matrix.json"))
	if err != nil {
		t.Skipf("the frontmatter matrix is not here: %v", err)
	}
	var m matrix
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	w := newHousehold(t, "claude-code", nil)
	for name, raw := range m.Files {
		w.plant(t, name, raw)
	}
	l, err := listingOf(t, w.o)
	if err != nil {
		t.Fatal(err)
	}
	left := slices.Clone(l.Skills)
	for _, row := range m.Rows {
		at := slices.IndexFunc(left, func(line string) bool {
			return strings.HasPrefix(line, row.Fixture+":") || strings.HasPrefix(line, row.Fixture+" (")
		})
		switch {
		case at < 0 && row.Claude != nil:
			t.Errorf("%s is not listed, want %q", row.Fixture, *row.Claude)
		case at >= 0 && row.Claude == nil:
			t.Errorf("%s is listed: %q", row.Fixture, left[at])
		case at >= 0 && !isLine(left[at], *row.Claude):
			t.Errorf("%s: %q, want %q", row.Fixture, left[at], *row.Claude)
		}
		if at >= 0 {
			left = slices.Delete(left, at, at+1)
		}
	}
	if len(left) > 0 || len(m.Rows) < 25 {
		t.Errorf("%d rows; of no row are the lines %q", len(m.Rows), left)
	}
}

// isLine compares a line with one whose description may be cut: "name: begin…[length]".
func isLine(line, want string) bool {
	begin, rest, cut := strings.Cut(want, "…[")
	if !cut {
		return line == want
	}
	length, err := strconv.Atoi(strings.TrimSuffix(rest, "]"))
	_, description, _ := strings.Cut(line, ": ")
	return err == nil && strings.HasPrefix(line, begin) && utf8.RuneCountInString(description) == length
}

// plant lays one file of the matrix: a text, bytes, or a link to a skill that
// stands elsewhere in the project.
func (w *household) plant(t *testing.T, name string, raw json.RawMessage) {
	t.Helper()
	const skills = "p/.claude/skills/"
	var text string
	if json.Unmarshal(raw, &text) == nil {
		lay(t, w.dir, map[string]string{skills + name: text})
		return
	}
	var other struct {
		Base64   []byte
		Link     string
		FileLink bool
	}
	must(t, json.Unmarshal(raw, &other))
	at := filepath.Join(w.dir, filepath.FromSlash(skills+name))
	skill := func(name string) string { return "---\nname: " + name + "\ndescription: d\n---\nbody\n" }
	switch {
	case other.Link != "":
		lay(t, w.dir, map[string]string{"p/elsewhere/" + other.Link + "/SKILL.md": skill(other.Link), skills + ".keep": ""})
		must(t, os.Symlink(filepath.Join(w.dir, "p", "elsewhere", other.Link), at))
	case other.FileLink:
		own := filepath.Base(filepath.Dir(at))
		lay(t, w.dir, map[string]string{"p/elsewhere/" + own + ".md": skill(own), filepath.Dir(skills+name) + "/.keep": ""})
		must(t, os.Symlink(filepath.Join(w.dir, "p", "elsewhere", own+".md"), at))
	default:
		lay(t, w.dir, map[string]string{skills + name: string(other.Base64)})
	}
}
