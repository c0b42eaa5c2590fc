package export

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"

	"github.com/vadehq/vade/internal/testenv"
)

// wholeItem returns an instruction file for the whole project.
func wholeItem(t *testing.T, name, text string) *Item {
	it := item(t, definition.Instruction, name, text)
	it.Source, it.At, it.Whole = name, name, true
	it.IsFile = func(string) bool { return true }
	return it
}

// TestInstructionsOnce checks that the file for the whole project never contains the same text
// twice, even if an earlier export generated that file from the others.
func TestInstructionsOnce(t *testing.T) {
	const rules = "# Rules\nUse tabs.\nWrite tests.\nBe brief.\n"
	for _, c := range []struct {
		name, host string
		items      []string
		want, of   string
		lost       []string
	}{
		{"an earlier copy", "gemini", []string{"CLAUDE.md", rules + "New.\n", "GEMINI.md", rules}, rules + "New.\n", "CLAUDE.md", nil},
		{
			"an earlier copy, and a line was changed", "gemini", []string{"CLAUDE.md", "# Rules\nUse blanks.\nWrite tests.\nBe brief.\n", "GEMINI.md", rules},
			"# Rules\nUse blanks.\nWrite tests.\nBe brief.\n", "CLAUDE.md",
			[]string{"GEMINI.md:2 this file looks like an earlier copy of CLAUDE.md: this line is missing there and is not exported"},
		},
		{
			"a file that has more", "gemini", []string{"CLAUDE.md", rules, "GEMINI.md", "# Gemini\n\n" + rules + "Own.\n"}, "# Gemini\n\n" + rules + "Own.\n", "GEMINI.md", nil,
		},
		{
			"a file that has more, and a line was added", "gemini",
			[]string{"CLAUDE.md", rules + "New.\n", "GEMINI.md", "# Gemini\none\ntwo\nthree\nfour\nfive\n\n" + rules}, "# Gemini\none\ntwo\nthree\nfour\nfive\n\n" + rules, "GEMINI.md",
			[]string{"CLAUDE.md:5 GEMINI.md contains most of this text and is not changed: this line is missing there and is not exported"},
		},
		{
			"files of their own", "gemini", []string{"CLAUDE.md", rules, "GEMINI.md", "Other.\n"}, "Other.\n\n" + rules, "GEMINI.md, CLAUDE.md",
			[]string{"GEMINI.md:0 this file is itself an instruction file, so the text of CLAUDE.md is appended to it"},
		},
		{"two that say the same", "codex", []string{"CLAUDE.md", rules, "GEMINI.md", rules}, rules, "CLAUDE.md", nil},
		{"one that says less", "codex", []string{"GEMINI.md", rules, "CLAUDE.md", rules + "New.\n"}, rules + "New.\n", "CLAUDE.md", nil},
		{
			"two that say much of the same", "codex", []string{"CLAUDE.md", rules, "GEMINI.md", "# Rules\nUse blanks.\nWrite tests.\nBe brief.\n"},
			rules + "\n# Rules\nUse blanks.\nWrite tests.\nBe brief.\n", "CLAUDE.md, GEMINI.md", []string{"GEMINI.md:0 this text overlaps with CLAUDE.md, and both are exported"},
		},
		{
			"an import of one that goes along", "gemini", []string{"AGENTS.md", rules, "CLAUDE.md", "@AGENTS.md\n\nOther, see @docs/a.md.\n"},
			rules + "\nOther, see @docs/a.md.\n", "AGENTS.md, CLAUDE.md", nil,
		},
		{"a file that imports the others", "claude-code", []string{"AGENTS.md", rules, "CLAUDE.md", "See @AGENTS.md first.\n"}, "See @AGENTS.md first.\n", "CLAUDE.md", nil},
		{
			"a source that the copy has whole", "gemini", []string{"AGENTS.md", "a\n", "CLAUDE.md", "b\nc\n", "GEMINI.md", "a\nb\nb\n"},
			"a\n\nb\nc\n", "AGENTS.md, CLAUDE.md", []string{"GEMINI.md:0 this file looks like an earlier copy of AGENTS.md, CLAUDE.md: its lines are in a different order there"},
		},
		{
			"another order is another text", "gemini", []string{"CLAUDE.md", "# Go\ntabs\n# JS\nblanks\n", "GEMINI.md", "# Go\nblanks\n# JS\ntabs\n"},
			"# Go\ntabs\n# JS\nblanks\n", "CLAUDE.md", []string{"GEMINI.md:0 this file looks like an earlier copy of CLAUDE.md: its lines are in a different order there"},
		},
	} {
		var items []*Item
		for i := 0; i < len(c.items); i += 2 {
			items = append(items, wholeItem(t, c.items[i], c.items[i+1]))
		}
		r := Instructions(lookup(t, c.host), items, func(it *Item) []byte { return []byte(it.Body) })
		if len(r.Files) != 1 {
			t.Errorf("%s: %d files", c.name, len(r.Files))
			continue
		}
		of := r.Files[0].Source
		if len(r.Files[0].Sources) > 0 {
			of = strings.Join(r.Files[0].Sources, ", ")
		}
		if got := string(r.Files[0].Data); got != c.want || of != c.of {
			t.Errorf("%s: %q of %s, want %q of %s", c.name, got, of, c.want, c.of)
		}
		var lost []string
		for _, l := range r.Losses {
			lost = append(lost, fmt.Sprintf("%s:%d %s", l.Source, l.Line, l.Message))
			if l.Fix == "" || l.What != LossText {
				t.Errorf("%s: the loss %+v", c.name, l)
			}
		}
		if !slices.Equal(lost, c.lost) {
			t.Errorf("%s loses %q, want %q", c.name, lost, c.lost)
		}
	}
}

// TestMeantInstructions checks that a file that was explicitly named as a source is not treated as
// a generated copy.
func TestMeantInstructions(t *testing.T) {
	own := wholeItem(t, "GEMINI.md", "one\ntwo\nthree\n")
	own.Explicit = true
	r := Instructions(lookup(t, "gemini"), []*Item{wholeItem(t, "CLAUDE.md", "one\ntwo\nfour\n"), own}, func(it *Item) []byte { return []byte(it.Body) })
	if got := string(r.Files[0].Data); !strings.HasPrefix(got, "one\ntwo\nthree\n\none\ntwo\nfour\n") {
		t.Errorf("%q", got)
	}
}

// TestExportingInstructionsAgainAddsNothing checks that an export whose sources
// include an earlier export's output produces the same file.
func TestExportingInstructionsAgainAddsNothing(t *testing.T) {
	text := rapid.StringMatching("([a-d]{1,2}\n){1,5}")
	testenv.Check(t, func(r *rapid.T) {
		host := rapid.SampledFrom([]string{"gemini", "codex", "claude-code", "copilot-cli", "qwen"}).Draw(r, "host")
		p := lookup(t, host)
		place := p.Export.Instructions.Whole
		var items []*Item
		for _, name := range []string{"FIRST.md", "SECOND.md", place} {
			if s := text.Draw(r, name); name != place || rapid.Bool().Draw(r, "own") {
				items = append(items, wholeItem(t, name, s))
			}
		}
		raw := func(it *Item) []byte { return []byte(it.Body) }
		made := string(Instructions(p, items, raw).Files[0].Data)
		items = append(slices.DeleteFunc(items, func(it *Item) bool { return it.Source == place }), wholeItem(t, place, made))
		if again := string(Instructions(p, items, raw).Files[0].Data); len(linesIn(again)) > len(linesIn(made)) {
			r.Fatalf("%s: %q is %q when it is made again", host, made, again)
		}
	})
}

// TestImportsThatDoNothing checks that imports are reported as losses if the host reads the file in
// place but does not support imports in it.
func TestImportsThatDoNothing(t *testing.T) {
	for _, c := range []struct{ host, file, lost string }{
		{"copilot-vscode", ".github/copilot-instructions.md", "file"},
		{"copilot-cli", ".github/copilot-instructions.md", ""},
		{"copilot-cli", "AGENTS.md", ""},
		{"codex", "AGENTS.md", "file"},
		{"opencode", "AGENTS.md", "file"},
		{"claude-code", "CLAUDE.md", ""},
		{"gemini", "GEMINI.md", ""},
		{"qwen", "QWEN.md", ""},
		{"copilot-vscode", ".github/instructions/a.instructions.md", "file"},
	} {
		it := wholeItem(t, c.file, "One.\nSee @docs/fixing.md.\n")
		it.Whole = !strings.Contains(c.file, ".instructions.")
		r := Instructions(lookup(t, c.host), []*Item{it}, func(it *Item) []byte { return []byte(it.Body) })
		var lost []string
		for _, l := range r.Losses {
			if lost = append(lost, l.What); l.Line != 2 || l.Fix == "" {
				t.Errorf("%s: %+v", c.host, l)
			}
		}
		if got := strings.Join(lost, " "); got != c.lost || len(r.Files) != 1 || r.Files[0].Path != c.file {
			t.Errorf("%s: %s loses %q, want %q: %+v", c.host, c.file, got, c.lost, r)
		}
	}
}
