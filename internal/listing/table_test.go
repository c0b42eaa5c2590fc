package listing

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"

	"github.com/vadehq/vade/internal/testenv"
)

func skill(name, description string) *definition.Definition {
	return &definition.Definition{Kind: definition.Skill, Name: name, Description: description}
}

func TestTable(t *testing.T) {
	got := Table("loadSkill", []*definition.Definition{
		skill("security", "What may go wrong, a|b"), skill("api\x1b[31m", "How endpoints\nare made"),
	}, 0, nil)
	want := "## Available Skills\n\n" +
		"Each skill contains the project's knowledge of one area. Load it with the loadSkill tool before you work in that area.\n\n" +
		"| Skill | Description |\n|-------|-------------|\n| api [31m | How endpoints are made |\n| security | What may go wrong, a\\|b |\n\n" +
		"Example: loadSkill({ skillId: \"api [31m\" })"
	if got.Text != want {
		t.Errorf("got:\n%s\nwant:\n%s", got.Text, want)
	}
	last := func(d *definition.Definition) int { return strings.Index("sx", d.Name[:1]) }
	grouped := Table("loadSkill", []*definition.Definition{skill("x", "last"), skill("s", "middle"), skill("z", "first")}, 0, last)
	if !strings.Contains(grouped.Text, "| z | first |\n| s | middle |\n| x | last |\n") {
		t.Errorf("by groups:\n%s", grouped.Text)
	}
	if got := Table("loadSkill", nil, 0, nil); got.Text != "" || len(got.Lines) > 0 {
		t.Errorf("without skills: %+v", got)
	}
}

// TestTableBudget checks that rows stay within the budget as long as the names fit, that no name is
// omitted, and that skills without a description still appear by name.
func TestTableBudget(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringMatching(`[a-zà-ü|\\ \n]{0,60}`), 1, 12).Draw(t, "descriptions")
		var skills []*definition.Definition
		names, has := 0, 0
		for i, text := range texts {
			d := skill(string(rune('a'+i)), text)
			names += len("| a |  |\n")
			skills = append(skills, d)
		}
		budget := rapid.IntRange(1, 1500).Draw(t, "budget")
		got := Table("load", skills, budget, nil)
		if len(got.Lines) != len(skills) {
			t.Fatalf("%d rows of %d skills", len(got.Lines), len(skills))
		}
		used := 0
		for _, l := range got.Lines {
			used += utf8.RuneCountInString(l.Text) + 1
			if strings.ContainsAny(l.Text, "\n\r") {
				t.Fatalf("a row of several lines: %q", l.Text)
			}
			if strings.TrimSpace(l.Definition.Description) != "" && l.Text == "| "+l.Definition.Name+" |  |" {
				has++
			}
		}
		if used > max(budget, names) {
			t.Fatalf("%d characters, the budget is %d and the names take %d", used, budget, names)
		}
		if has != len(got.Cut) {
			t.Fatalf("%d rows have lost their description, %d are named", has, len(got.Cut))
		}
	})
}
