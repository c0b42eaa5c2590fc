package pathmatch

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestActivation(t *testing.T) {
	for _, tc := range []struct {
		in, want []string
	}{
		{nil, nil},
		{[]string{""}, nil},
		{[]string{" , "}, nil},
		{[]string{"**"}, nil},
		{[]string{"**, **"}, nil},
		{[]string{"/**"}, nil},
		{[]string{"**/**"}, nil},
		{[]string{"src/**"}, []string{"src"}},
		{[]string{"src/**/**"}, []string{"src/**"}},
		{[]string{"**", "docs"}, []string{"**", "docs"}},
		{[]string{"docs/**, src/**"}, []string{"docs", "src"}},
		{[]string{"docs/**", "a,b"}, []string{"docs", "a", "b"}},
		{[]string{"docs/** src/**"}, []string{"docs/** src"}},
		{[]string{"**/*.{go,ts}"}, []string{"**/*.go", "**/*.ts"}},
		{[]string{"{a,b}/{c,d}"}, []string{"a/c", "a/d", "b/c", "b/d"}},
		{[]string{"{a,{b,c}x}"}, []string{"a", "bx", "cx"}},
		{[]string{"{src,lib}/**, x"}, []string{"src", "lib", "x"}},
		{[]string{"a{}b{c,d}"}, []string{"a{}bc", "a{}bd"}},
		{[]string{"{go}"}, []string{"go"}},
		{[]string{"{a,b"}, []string{"{a,b"}},
		{[]string{"a},b"}, []string{"a}", "b"}},
		{[]string{"!src/**"}, []string{"!src"}},
	} {
		if diff := cmp.Diff(tc.want, Activation(tc.in)); diff != "" {
			t.Errorf("Activation(%q): -want +got\n%s", tc.in, diff)
		}
	}
}

func TestActivationLimits(t *testing.T) {
	bomb := strings.Repeat("{a,b}", 40)
	if got := Activation([]string{bomb}); !slices.Equal(got, []string{bomb}) {
		t.Errorf("%d patterns from a brace bomb, want it as it stands", len(got))
	}
	if _, problems := CompileActivation([]string{bomb}); len(problems) != 1 || !strings.Contains(problems[0].Message, "too many") {
		t.Errorf("problems %v, want one", problems)
	}
	long := "{" + strings.Repeat("a,", 2000) + "b}"
	if got := Activation([]string{long}); !slices.Equal(got, []string{long}) {
		t.Errorf("%d patterns from a long list", len(got))
	}
}

func TestCompileActivation(t *testing.T) {
	for _, tc := range []struct {
		patterns []string
		path     string
		want     bool
		problem  string
	}{
		{[]string{"SRC/**"}, "src/a.go", true, ""},
		{[]string{"src/**"}, "web/src/a.go", true, ""},
		{[]string{"/src"}, "web/src/a.go", false, ""},
		{[]string{"./src/**"}, "src/a.go", false, "remove ./ or"},
		{[]string{"../x"}, "x", false, "remove ./ or"},
		{[]string{"~/x"}, "x", false, "~ is not expanded"},
		{[]string{"docs/** src/**"}, "src/a.go", false, "spaces do not separate"},
		{[]string{"my notes.md"}, "a/my notes.md", true, ""},
		{[]string{"!src/**"}, "src/a.go", false, "patterns are negated"},
		{[]string{"*.go", "!a.go"}, "a.go", false, ""},
		{[]string{"*.go", "!a.go"}, "b.go", true, ""},
		{[]string{"#x"}, "#x", false, "comment"},
		{[]string{"src", "[a"}, "src/b", true, "lacks a closing"},
	} {
		m, problems := CompileActivation(tc.patterns)
		if got := m.MatchUnder(tc.path, false); got != tc.want {
			t.Errorf("%q: MatchUnder(%q) = %v, want %v", tc.patterns, tc.path, got, tc.want)
		}
		if tc.problem == "" != (len(problems) == 0) || tc.problem != "" && !strings.Contains(problems[0].Message, tc.problem) {
			t.Errorf("%q: problems %v, want %q", tc.patterns, problems, tc.problem)
		}
	}
	if m, _ := CompileActivation([]string{"**"}); m != nil {
		t.Error("a field that restricts nothing has a matcher")
	}
	if _, problems := CompileActivation([]string{"src", "lib, [a"}); len(problems) != 1 || problems[0].Index != 1 {
		t.Errorf("problems %v, want one for entry 1", problems)
	}
}

// recordedCase contains the parts of a recorded case that these tests need.
type recordedCase struct {
	Files  map[string]string `json:"files"`
	Script []struct {
		Input struct {
			FilePath string `json:"file_path"`
		} `json:"input"`
	} `json:"script"`
	Expect struct {
		Listing []string `json:"listing"`
	} `json:"expect"`
}

// TestRecordedActivation compares the results against what Claude Code 2.1.329 listed after it had
// read one file: the skills whose paths match the file, and the skills without paths.
func TestRecordedActivation(t *testing.T) {
	for _, id := range []string{"m25-paths", "m52-paths-forms"} {
		t.Run(id, func(t *testing.T) {
			dir := os.Getenv("VADE_CONFORMANCE")
			if dir == "" {
				dir = filepath.Join("..", "..", "..", "shared", "conformance")
			}
			data, err := os.ReadFile(filepath.Join(dir, "claude-code", id+".json"))
			if err != nil {
				t.Skip("the recorded cases are not here; set VADE_CONFORMANCE to their directory")
			}
			var c recordedCase
			if err := json.Unmarshal(data, &c); err != nil {
				t.Fatal(err)
			}
			read := strings.TrimPrefix(c.Script[0].Input.FilePath, "{PROJ}/")
			listed := map[string]bool{}
			for _, line := range c.Expect.Listing {
				name, _, _ := strings.Cut(line, ":")
				listed[name] = true
			}
			for file, text := range c.Files {
				name, isSkill := strings.CutPrefix(file, ".claude/skills/")
				if !isSkill {
					continue
				}
				name = strings.TrimSuffix(name, "/SKILL.md")
				m, _ := CompileActivation(pathsField(text))
				if got := m == nil || m.MatchUnder(read, false); got != listed[name] {
					t.Errorf("%s, paths %q: active = %v, Claude Code says %v", name, pathsField(text), got, listed[name])
				}
			}
		})
	}
}

// pathsField parses the paths line in these cases' frontmatter, which is a scalar or a flow
// sequence. It replaces the placeholder for the project directory with an absolute path.
func pathsField(text string) []string {
	for line := range strings.SplitSeq(text, "\n") {
		value, ok := strings.CutPrefix(line, "paths: ")
		if !ok {
			continue
		}
		value = strings.ReplaceAll(value, "{PROJ}", "/home/u/project")
		var entries []string
		if inner, ok := strings.CutPrefix(value, "["); ok {
			for e := range strings.SplitSeq(strings.TrimSuffix(inner, "]"), ",") {
				entries = append(entries, strings.Trim(e, ` "`))
			}
			return entries
		}
		return []string{strings.Trim(value, `"`)}
	}
	return nil
}
