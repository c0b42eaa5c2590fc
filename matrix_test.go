package vade_test

import (
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host/registry"
)

// matrix contains one skill file per row and the result for each host: "name: description" as
// listed, "ERR …" if the host reports that it ignores the file, and nil if it ignores the file
// silently.
type matrix struct {
	Files map[string]json.RawMessage
	Rows  []map[string]*string
}

// column describes a host in the matrix: its column name and its skills directory.
type column struct{ name, host, skills string }

var columns = []column{
	{"claude", "claude-code", ".claude/skills"},
	{"codex", "codex", ".codex/skills"},
	{"copilot", "copilot-cli", ".github/skills"},
	{"gemini", "gemini", ".gemini/skills"},
	{"opencode", "opencode", ".opencode/skills"},
	{"skills-ref", "agentskills", ".agents/skills"},
}

// matrixDifferent lists the cells where Vade differs from the recording, by
// column and row, with reasons.
var matrixDifferent = map[string]map[string]string{}

func readMatrix(t *testing.T) matrix {
	t.Helper()
	data, err := os.ReadFile("vectors/frontmatter-matrix.json")
	must(t, err)
	var m matrix
	must(t, json.Unmarshal(data, &m))
	if len(m.Rows) < 25 {
		t.Errorf("the matrix has %d rows", len(m.Rows))
	}
	return m
}

// TestFrontmatterMatrix compares the listing against the lines that Claude Code 2.1.329 listed.
func TestFrontmatterMatrix(t *testing.T) {
	m := readMatrix(t)
	w := newHousehold(t, "claude-code", nil)
	for name, raw := range m.Files {
		w.plant(t, columns[0].skills, name, raw)
	}
	l, err := listingOf(t, w.o)
	if err != nil {
		t.Fatal(err)
	}
	left := slices.Clone(l.Skills)
	for _, row := range m.Rows {
		fixture, want := *row["fixture"], row["claude"]
		at := slices.IndexFunc(left, func(line string) bool {
			return strings.HasPrefix(line, fixture+":") || strings.HasPrefix(line, fixture+" (")
		})
		switch {
		case at < 0 && want != nil:
			t.Errorf("%s is not listed, want %q", fixture, *want)
		case at >= 0 && want == nil:
			t.Errorf("%s is listed: %q", fixture, left[at])
		case at >= 0 && !isLine(left[at], *want):
			t.Errorf("%s: %q, want %q", fixture, left[at], *want)
		}
		if at >= 0 {
			left = slices.Delete(left, at, at+1)
		}
	}
	if len(left) > 0 {
		t.Errorf("of no row are the lines %q", left)
	}
}

// TestMatrixOfHosts checks every column except the first: whether each row's skill loads, its name
// and description, and whether the host reports a dropped file.
func TestMatrixOfHosts(t *testing.T) {
	m := readMatrix(t)
	cells, different := 0, 0
	for _, col := range columns[1:] {
		t.Run(col.host, func(t *testing.T) {
			w := newHousehold(t, col.host, nil)
			for name, raw := range m.Files {
				w.plant(t, col.skills, name, raw)
			}
			w.o.Unread = true
			c, err := catalog.Open(t.Context(), w.o)
			must(t, err)
			defer c.Close()
			all, err := c.List(t.Context(), catalog.Query{All: true})
			must(t, err)
			l, err := c.Listing(t.Context())
			must(t, err)
			wrong := 0
			for _, row := range m.Rows {
				cells++
				fixture, want := *row["fixture"], row[col.name]
				problem := cell(col, fixture, want, all)
				if problem == "" {
					problem = listed(col.host, fixture, want, strings.Join(l.Skills, "\n"))
				}
				if problem != "" {
					wrong++
				}
				why := matrixDifferent[col.name][fixture]
				switch {
				case problem != "" && why == "":
					t.Errorf("%s: %s", fixture, problem)
				case problem != "":
					different++
				case why != "":
					t.Errorf("%s is as recorded: it does not belong into the table of different cells", fixture)
				}
			}
			publish(t, "matrix/"+col.host+"/cells", len(m.Rows))
			publish(t, "matrix/"+col.host+"/exact", len(m.Rows)-wrong)
		})
	}
	t.Logf("%d cells, %d deliberately different", cells, different)
	if different*20 > cells {
		t.Errorf("%d of %d cells are different: that is more than one in twenty", different, cells)
	}
}

// cell describes how a cell differs from the recording, or returns "".
func cell(col column, fixture string, want *string, all []catalog.Definition) string {
	var found *catalog.Definition
	for i := range all {
		path := all[i].Path()
		if strings.EqualFold(path, col.skills+"/"+fixture+"/SKILL.md") || path == col.skills+"/"+fixture {
			found = &all[i]
		}
	}
	line := ""
	if found != nil && found.State() == definition.Loaded {
		line = strings.TrimSuffix(found.Name()+": "+found.Description(), "\n")
	}
	profile, _ := registry.Lookup(col.host)
	switch {
	case want != nil && *want == "valid":
		if line == "" {
			return "it is valid, and not loaded: " + reason(found)
		}
	case want == nil, strings.HasPrefix(*want, "ERR"):
		switch {
		case line != "":
			return "it is loaded: " + line
		case want != nil && (found == nil || found.Reason() == ""):
			return "it is dropped without a reason"
		case want != nil && profile.Silent:
			return "the profile says that the host is silent"
		case want == nil && found != nil && found.Reason() == "":
			return "Vade is as silent as the host"
		}
	case line == "":
		return "not loaded, want " + *want + ": " + reason(found)
	default:
		if w := strings.TrimSuffix(strings.ReplaceAll(*want, "⏎", "\n"), "\n"); !isLine(line, w) {
			return strconv.Quote(line) + ", want " + strconv.Quote(w)
		}
	}
	return ""
}

// listed returns the difference between a recorded line and the listing, or "" if they agree. The
// listing must contain the line's name and description, escaped if the host escapes them (case
// n09). Not every host lists definitions without a description.
func listed(view, fixture string, want *string, listing string) string {
	profile, _ := registry.Lookup(view)
	if want == nil || *want == "valid" || strings.HasPrefix(*want, "ERR") || fixture == "dmi" && !profile.Listing.Manual {
		return ""
	}
	name, description, _ := strings.Cut(strings.TrimSuffix(strings.ReplaceAll(*want, "⏎", "\n"), "\n"), ": ")
	description, _, _ = strings.Cut(description, "…[")
	if description == "" && profile.Listing.NeedsDescription {
		return ""
	}
	if profile.Listing.Escape != nil {
		description = html.EscapeString(description)
	}
	if !strings.Contains(listing, name) || !strings.Contains(listing, description) {
		return "its line is not listed: " + strconv.Quote(name+": "+description)
	}
	return ""
}

func reason(d *catalog.Definition) string {
	if d == nil {
		return "not found"
	}
	return d.State().String() + ", " + d.Reason()
}

// isLine reports whether a line equals want, whose description may be
// shortened: "name: begin…[length]".
func isLine(line, want string) bool {
	begin, rest, cut := strings.Cut(want, "…[")
	if !cut {
		return line == want
	}
	length, err := strconv.Atoi(strings.TrimSuffix(rest, "]"))
	_, description, _ := strings.Cut(line, ": ")
	return err == nil && strings.HasPrefix(line, begin) && utf8.RuneCountInString(description) == length
}

// plant writes one of the matrix's files: text, bytes, or a symlink to a skill
// elsewhere in the project.
func (w *household) plant(t *testing.T, dir, name string, raw json.RawMessage) {
	t.Helper()
	skills := "p/" + dir + "/"
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
