package listing

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// TableBudget is the default maximum total length of a skill table's rows, in characters.
const TableBudget = 15_000

// Table formats skills as a Markdown table, sorted by group and name. Below the table, it explains
// how to load a skill with a tool whose argument skillId is the skill's name. If the rows exceed
// budget characters, Table drops the descriptions that do not fit but keeps every name. A budget of
// 0 means [TableBudget]. If there are no skills, the text is "". If group is nil, all skills are in
// one group.
func Table(tool string, skills []*definition.Definition, budget int, group func(*definition.Definition) int) Listing {
	if group == nil {
		group = func(*definition.Definition) int { return 0 }
	}
	skills = slices.Clone(skills)
	slices.SortStableFunc(skills, func(a, b *definition.Definition) int {
		return cmp.Or(cmp.Compare(group(a), group(b)), strings.Compare(a.Name, b.Name))
	})
	var entries []Entry
	for _, d := range skills {
		entries = append(entries, Entry{Definition: d})
	}
	t := &host.Listing{
		Join: " - ", Clean: oneLine, Escape: cell, Compare: strings.Compare,
		Line:   func(i host.ListedItem) string { return "| " + i.Name + " | " + i.Description + " |" },
		Rank:   group,
		Budget: host.Budget{Overflow: host.FillInOrder, EntryOverhead: 1, Fraction: 1, CharsPerToken: 1, ContextTokens: TableBudget},
	}
	t.Frame = func(l host.ListedText) string {
		return "## Available Skills\n\n" +
			"Each skill contains the project's knowledge of one area. Load it with the " + tool + " tool before you work in that area.\n\n" +
			"| Skill | Description |\n|-------|-------------|\n" + strings.Join(l.Lines, "\n") +
			"\n\nExample: " + tool + "({ skillId: " + quoted(skills[0].Name) + " })"
	}
	return Skills(t, entries, Limits{Total: Total(&t.Budget, 0, 0, budget)})
}

// cell escapes a string for use in a table cell.
func cell(s string) string { return strings.NewReplacer(`\`, `\\`, "|", `\|`).Replace(s) }

func quoted(s string) string {
	// Marshaling a string cannot fail.
	b, _ := json.Marshal(oneLine(s))
	return string(b)
}
