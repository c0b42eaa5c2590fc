package render

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recordedCase contains the parts of a recorded case that the replay needs.
type recordedCase struct {
	ID     string
	Prompt string
	Files  map[string]json.RawMessage
	Expect struct {
		Rendered [][2]string
	}
}

// recordedCases returns the recorded Claude Code cases whose file names match pattern.
func recordedCases(t *testing.T, pattern string) []recordedCase {
	dir := os.Getenv("VADE_CONFORMANCE")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "conformance")
	}
	names, _ := filepath.Glob(filepath.Join(dir, "claude-code", pattern))
	if len(names) == 0 {
		t.Skipf("no recorded cases in %s; VADE_CONFORMANCE names another directory", dir)
	}
	var cases []recordedCase
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var c recordedCase
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		cases = append(cases, c)
	}
	return cases
}

// invoked returns the body and argument names of the definition that the prompt
// invokes, and the argument line.
func (c recordedCase) invoked() (text string, names []string, args string, ok bool) {
	name, found := strings.CutPrefix(c.Prompt, "/")
	if !found {
		return "", nil, "", false
	}
	if i := strings.IndexAny(name, " \n"); i >= 0 {
		name, args = name[:i], name[i:]
	}
	for _, path := range []string{".claude/skills/" + name + "/SKILL.md", ".claude/commands/" + name + ".md"} {
		var data string
		if json.Unmarshal(c.Files[path], &data) != nil {
			continue
		}
		_, rest, _ := strings.Cut(data, "---\n")
		head, text, _ := strings.Cut(rest, "---\n")
		return text, argumentNames(head), args, true
	}
	return "", nil, "", false
}

// argumentNames parses "arguments: [a, b]" if the names are plain words.
func argumentNames(head string) []string {
	_, list, found := strings.Cut(head, "arguments: [")
	if list, _, _ = strings.Cut(list, "]"); !found || strings.Contains(list, "{") {
		return nil
	}
	return strings.Split(list, ", ")
}

const (
	skillPrefix = "Base directory for this skill: "
	skillDir    = "@@W@@/proj/.claude/skills/t"
)

// TestRecordedArguments renders the bodies in the recorded cases about
// arguments and variables, using the arguments in their prompts.
func TestRecordedArguments(t *testing.T) {
	cases := append(recordedCases(t, "a*.json"), recordedCases(t, "v0*.json")...)
	replayed := 0
	for _, c := range cases {
		text, names, args, ok := c.invoked()
		if !ok || len(c.Expect.Rendered) == 0 {
			continue
		}
		want := c.Expect.Rendered[len(c.Expect.Rendered)-1][1]
		vars := map[string]string{"CLAUDE_SESSION_ID": "{SESSION}", "CLAUDE_PROJECT_DIR": "@@W@@/proj", "CLAUDE_EFFORT": "medium"}
		if strings.HasPrefix(want, skillPrefix) {
			_, want, _ = strings.Cut(want, "\n\n")
			vars["CLAUDE_SKILL_DIR"] = skillDir
		}
		replayed++
		t.Run(c.ID, func(t *testing.T) {
			got := render(Input{Text: text, Arguments: ParseArguments(args), Names: names, Variables: vars}, nil).Content
			if got != want {
				t.Errorf("args %q:\n got %q\nwant %q", args, got, want)
			}
		})
	}
	if replayed < 20 {
		t.Errorf("only %d of %d cases were replayed", replayed, len(cases))
	}
}
