package vade_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/instructions"
	"github.com/vadehq/vade/internal/vfs"
)

// sheet is the part of a recorded case that concerns instructions.
type sheet struct {
	CWD    string
	Files  map[string]json.RawMessage
	Argv   []string
	Script []struct {
		Tool  string
		Input map[string]string
	}
	Expect, Old *struct{ Rendered [][2]json.RawMessage }
}

func readSheet(t *testing.T, id string) *sheet {
	t.Helper()
	dir := os.Getenv("VADE_CONFORMANCE")
	if dir == "" {
		dir = "../shared/conformance"
	}
	names, _ := filepath.Glob(filepath.Join(dir, "claude-code", id+"-*.json"))
	if len(names) != 1 {
		t.Skipf("no recorded case %s in %s; set VADE_CONFORMANCE to the directory of the cases", id, dir)
	}
	data, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.Replace(data, []byte(`"expect_2.1.88"`), []byte(`"old"`), 1)
	var s sheet
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

// sheetText returns a recorded string, which may be compressed.
func sheetText(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var packed struct{ Base64, Zlib string }
	if err := json.Unmarshal(raw, &packed); err != nil {
		t.Fatal(err)
	}
	data, err := base64.StdEncoding.DecodeString(packed.Base64 + packed.Zlib)
	if err == nil && packed.Zlib != "" {
		var z io.Reader
		if z, err = zlib.NewReader(bytes.NewReader(data)); err == nil {
			data, err = io.ReadAll(z)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestRecordedInstructions compares the instruction blocks against those that
// Claude Code sent, byte for byte.
func TestRecordedInstructions(t *testing.T) {
	for _, id := range []string{"f06", "f08", "f11", "f13", "m55", "m59"} {
		for _, version := range []string{"2.1.329", "2.1.88"} {
			t.Run(id+"@"+version, func(t *testing.T) {
				s := readSheet(t, id)
				rendered := s.Expect.Rendered
				if version == "2.1.88" && s.Old != nil {
					rendered = s.Old.Rendered
				}
				got := s.instructions(t, version)
				var want []string
				for _, m := range rendered {
					if text := sheetText(t, m[1]); strings.Contains(text, "Contents of ") {
						want = append(want, text)
					}
				}
				if version == "2.1.88" && id == "f08" {
					// Instructions added because of the touched file follow the tool's result.
					last := len(got) - 2
					tail := "\n\n" + strings.Join(got[last:], "\n\n")
					if !strings.HasSuffix(want[1], tail) {
						t.Errorf("the result ends with %q, not with %q", want[1], tail)
					}
					got, want = got[:last], want[:1]
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("- recorded, + composed:\n%s", diff)
				}
			})
		}
	}
}

// instructions writes the case's files and builds its instructions.
func (s *sheet) instructions(t *testing.T, version string) []string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"proj/.git/HEAD": ""}
	for name, raw := range s.Files {
		if home, ok := strings.CutPrefix(name, "~/"); ok {
			name = "home/" + home
		} else {
			name = "proj/" + name
		}
		files[name] = sheetText(t, raw)
	}
	lay(t, dir, files)
	o := catalog.Options{
		Dir: filepath.Join(dir, "proj", s.CWD), Home: filepath.Join(dir, "home"), As: "claude-code@" + version,
		Getenv: func(string) string { return "" }, ManagedDir: filepath.Join(dir, "managed"),
		Now: func() time.Time { return time.Date(2026, 11, 21, 23, 59, 0, 0, time.FixedZone("", 14*3600)) },
	}
	for i, arg := range s.Argv {
		switch arg {
		case "--agent":
			o.Client.Agent = s.Argv[i+1]
		case "--bare":
			o.Client.Bare = true
		}
	}
	var r instructions.Request
	for _, step := range s.Script {
		if step.Tool == "Read" {
			r.For = strings.Replace(step.Input["file_path"], "{PROJ}", filepath.Join(dir, "proj"), 1)
		}
	}
	var texts []string
	for _, m := range compose(t, o, r).Messages {
		texts = append(texts, strings.ReplaceAll(m.Text, dir, "@@W@@"))
	}
	return texts
}

func lay(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func compose(t *testing.T, o catalog.Options, r instructions.Request) *instructions.Instructions {
	t.Helper()
	ctx := context.Background()
	c, err := catalog.Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	in, err := instructions.Build(ctx, c, r)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// household consists of a project and a home directory.
type household struct {
	dir string
	o   catalog.Options
}

func newHousehold(t *testing.T, as string, files map[string]string) *household {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	lay(t, dir, files)
	lay(t, dir, map[string]string{"p/.git/HEAD": "", "h/.keep": "", "m/.keep": ""})
	return &household{dir, catalog.Options{
		As: as, Dir: filepath.Join(dir, "p"), Home: filepath.Join(dir, "h"), ManagedDir: filepath.Join(dir, "m"),
		Getenv: func(string) string { return "" },
		// Sort the entries. Otherwise, the order of rules would depend on the file system.
		Order: func(_ string, entries []vfs.Entry) {
			slices.SortFunc(entries, func(a, b vfs.Entry) int { return strings.Compare(a.Name, b.Name) })
		},
	}}
}

func partPaths(in *instructions.Instructions, dir string) []string {
	var list []string
	for _, p := range in.Parts {
		list = append(list, strings.TrimPrefix(p.Path, dir+"/"))
	}
	return list
}

func codes(in *instructions.Instructions) []string {
	var list []string
	for _, d := range in.Diagnostics {
		list = append(list, string(d.Code))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// family returns one file for every location that the host reads.
func family() map[string]string {
	return map[string]string{
		"m/CLAUDE.md": "M", "m/.claude/rules/m.md": "MR", "h/.claude/CLAUDE.md": "U\n@more.md\n@~/far.md", "h/.claude/more.md": "UM", "h/far.md": "UF",
		"h/.claude/rules/u.md": "UR", "h/.claude/rules/go.md": "---\npaths: \"*.go\"\n---\nUGO",
		"p/CLAUDE.md": "R", "p/.claude/CLAUDE.md": "RC", "p/.claude/rules/b.md": "RB", "p/.claude/rules/a/z.md": "RAZ", "p/.claude/rules/a.md": "RA",
		"p/CLAUDE.local.md": "RL", "p/AGENTS.md": "RA", "p/w/CLAUDE.md": "W", "p/w/.claude/rules/w.md": "WR", "p/w/CLAUDE.local.md": "WL",
		"p/w/in/CLAUDE.md": "I\n@x.md", "p/w/in/x.md": "IX", "p/w/in/.claude/CLAUDE.md": "IC", "p/w/in/CLAUDE.local.md": "IL", "p/w/in/AGENTS.md": "IA",
		"p/w/in/.claude/rules/a.md": "---\npaths: \"*.go\"\n---\nIGO", "p/w/in/.claude/rules/z.md": "IR", "p/w/in/deep/CLAUDE.md": "ID",
		"p/.claude/rules/go.md": "---\npaths: \"w/**/*.go, !x\"\n---\nRGO", "p/.claude/rules/ts.md": "---\npaths: \"*.ts\"\n---\nRTS",
		"p/other/CLAUDE.md": "NOT",
	}
}

func TestHostOrder(t *testing.T) {
	session := []string{
		"m/CLAUDE.md", "m/.claude/rules/m.md", "h/.claude/CLAUDE.md", "h/.claude/more.md", "h/far.md", "h/.claude/rules/u.md",
		"CLAUDE.md", ".claude/CLAUDE.md", ".claude/rules/a/z.md", ".claude/rules/a.md", ".claude/rules/b.md", "CLAUDE.local.md",
		"w/CLAUDE.md", "w/.claude/rules/w.md", "w/CLAUDE.local.md",
	}
	touched := []string{
		"h/.claude/rules/go.md", "w/in/CLAUDE.md", "w/in/x.md", "w/in/.claude/CLAUDE.md", "w/in/CLAUDE.local.md", "w/in/.claude/rules/z.md",
		"w/in/.claude/rules/a.md", ".claude/rules/go.md",
	}
	without := func(words ...string) []string {
		return slices.DeleteFunc(slices.Clone(session), func(p string) bool {
			return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(p, w) })
		})
	}
	tests := []struct {
		name   string
		change func(*catalog.Options)
		r      instructions.Request
		want   []string
	}{
		{"the beginning of a session", nil, instructions.Request{}, session},
		{"a file", nil, instructions.Request{For: "in/new.go"}, append(slices.Clone(session), touched...)},
		{"a file that was touched", func(o *catalog.Options) { o.Client.Touched = []string{"in/new.go"} }, instructions.Request{For: "in/deep/gone/x.ts"},
			append(append(slices.Clone(session), touched...), "w/in/deep/CLAUDE.md", ".claude/rules/ts.md")},
		{"a file further up", nil, instructions.Request{For: "../x.go"}, session},
		{"without the user's", func(o *catalog.Options) { o.Client.SettingSources = []string{"project", "local"} }, instructions.Request{}, without("h/")},
		{"without the project's", func(o *catalog.Options) { o.Client.SettingSources = []string{"user"} }, instructions.Request{}, session[:6]},
		{"without the local ones", func(o *catalog.Options) { o.Client.SettingSources = []string{"user", "project"} }, instructions.Request{}, without("local")},
		{"the managed ones alone", func(o *catalog.Options) { o.Client.SettingSources = []string{} }, instructions.Request{}, session[:2]},
		{"nothing", func(o *catalog.Options) { o.Client.Bare = true }, instructions.Request{For: "in/new.go"}, nil},
	}
	w := newHousehold(t, "claude-code", family())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := w.o
			o.Dir = filepath.Join(w.dir, "p", "w")
			if tt.change != nil {
				tt.change(&o)
			}
			in := compose(t, o, tt.r)
			var want []string
			want = append(want, tt.want...)
			if diff := cmp.Diff(want, partPaths(in, w.dir)); diff != "" {
				t.Errorf("- want, + got:\n%s", diff)
			}
		})
	}
}

func TestTouchedParts(t *testing.T) {
	w := newHousehold(t, "claude-code", family())
	in := compose(t, w.o, instructions.Request{For: "w/in/x.go"})
	at := slices.IndexFunc(in.Parts, func(p instructions.FilePart) bool {
		return strings.HasSuffix(p.Path, "rules/go.md") && p.Layer == definition.Project
	})
	if at < 0 {
		t.Fatalf("no conditional rule in %q", partPaths(in, w.dir))
	}
	want := instructions.FilePart{Path: ".claude/rules/go.md", Layer: definition.Project, File: "w/in/x.go", Pattern: "w/**/*.go", Bytes: 34, Text: "RGO"}
	if diff := cmp.Diff(want, in.Parts[at]); diff != "" {
		t.Error(diff)
	}
	for i, m := range in.Messages[1:] {
		if last := i == len(in.Messages)-2; strings.HasSuffix(m.Text, "\n") == last {
			t.Errorf("block %d of %d ends with %q", i, len(in.Messages)-1, m.Text[len(m.Text)-20:])
		}
	}
}

func TestAgentsFile(t *testing.T) {
	tests := []struct {
		name  string
		as    string
		files map[string]string
		link  [2]string
		want  []string
	}{
		{"alone", "claude-code", map[string]string{"p/AGENTS.md": "A\n@x.md", "p/x.md": "X", "p/.claude/AGENTS.md": "C"}, [2]string{}, []string{"AGENTS.md", "x.md", ".claude/AGENTS.md"}},
		{"the old version", "claude-code@2.1.88", map[string]string{"p/AGENTS.md": "A"}, [2]string{}, nil},
		{"beside the other", "claude-code", map[string]string{"p/AGENTS.md": "A", "p/CLAUDE.md": "C"}, [2]string{}, []string{"CLAUDE.md"}},
		{"beside the user's", "claude-code", map[string]string{"p/AGENTS.md": "A", "h/.claude/CLAUDE.md": "C"}, [2]string{}, []string{"h/.claude/CLAUDE.md", "AGENTS.md"}},
		{"a link to it", "claude-code", map[string]string{"p/AGENTS.md": "A"}, [2]string{"AGENTS.md", "p/CLAUDE.md"}, []string{"CLAUDE.md"}},
		{"a link to it in the old version", "claude-code@2.1.88", map[string]string{"p/AGENTS.md": "A"}, [2]string{"AGENTS.md", "p/CLAUDE.md"}, []string{"CLAUDE.md"}},
		{"a link from it", "claude-code", map[string]string{"p/CLAUDE.md": "A"}, [2]string{"CLAUDE.md", "p/AGENTS.md"}, []string{"CLAUDE.md"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newHousehold(t, tt.as, tt.files)
			if tt.link[0] != "" {
				if err := os.Symlink(tt.link[0], filepath.Join(w.dir, tt.link[1])); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(tt.want, partPaths(compose(t, w.o, instructions.Request{}), w.dir)); diff != "" {
				t.Errorf("- want, + got:\n%s", diff)
			}
		})
	}
}

// TestLongInstructions checks that instruction files and skills have different size limits.
func TestLongInstructions(t *testing.T) {
	text := strings.TrimSpace(strings.Repeat(strings.Repeat("Indent with tabs.\n", 100)+"\n", 3<<20/1801))
	w := newHousehold(t, "claude-code", map[string]string{"p/CLAUDE.md": text, "p/CLAUDE.local.md": text + text})
	in := compose(t, w.o, instructions.Request{})
	if len(in.Parts) != 1 || in.Parts[0].Path != "CLAUDE.md" || in.Parts[0].Text != text {
		t.Errorf("parts %q", partPaths(in, w.dir))
	}
	if got := codes(in); !slices.Equal(got, []string{"FILE_TOO_LARGE"}) {
		t.Errorf("codes %q", got)
	}
}

// TestTouchedText checks that blank lines after frontmatter are removed with it, and that other
// blank lines stay.
func TestTouchedText(t *testing.T) {
	w := newHousehold(t, "claude-code", map[string]string{
		"p/.claude/rules/go.md": "---\npaths: x\n---\n\n\n text \n\n", "p/d/CLAUDE.md": "\n\ntext\n<!-- c -->\n",
	})
	in := compose(t, w.o, instructions.Request{For: "d/x"})
	var got []string
	for _, p := range in.Parts {
		got = append(got, p.Text)
	}
	if diff := cmp.Diff([]string{"\n\ntext\n", "text \n\n"}, got); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
}

// TestNestedIsForTouchedFilesOnly checks that reading all directories does not
// add instructions that only a touched file activates.
func TestNestedIsForTouchedFilesOnly(t *testing.T) {
	w := newHousehold(t, "claude-code", family())
	w.o.Nested = true
	for _, p := range partPaths(compose(t, w.o, instructions.Request{}), w.dir) {
		if strings.HasPrefix(p, "w/") || strings.HasPrefix(p, "other/") {
			t.Errorf("%s is in the session", p)
		}
	}
}
