package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// agentSkillsListing is what the standard's reference library writes for a prompt
// (source, skills-ref to-prompt). It takes directories in the order in which they
// are named; here it is that of the names.
func agentSkillsListing() *Listing {
	return &Listing{
		Manual: true,
		Escape: escapePython,
		Line: func(e ListedItem) string {
			return xmlTall("skill", xmlTall("name", e.Name)+"\n"+xmlTall("description", e.Description)+"\n"+
				xmlTall("location", e.Path))
		},
		Frame:     func(t ListedText) string { return xmlTall("available_skills", strings.Join(t.Lines, "\n")) },
		RealPaths: true,
		Rank:      sameRank, Compare: strings.Compare,
	}
}

// escapePython is html.escape of Python.
func escapePython(s string) string {
	if !strings.ContainsAny(s, `&<>"'`) {
		return s
	}
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;").Replace(s)
}

// agentSkillsInstructions: the standard says nothing of instruction files.
func agentSkillsInstructions() *Instructions { return &Instructions{} }

// agentSkillsPrompt says what the standard has of calls: a model reads the file of
// a skill. How a user calls one is left to the client (documented).
func agentSkillsPrompt() *Prompt {
	return &Prompt{
		UserCall: func(definition.Kind, string) string { return "" }, ModelCall: byReading,
		Calls: &Calls{
			Prefix: slash, Kinds: []definition.Kind{definition.Skill}, Model: wholeFile(), ByFile: true,
			AsText: func(definition.Kind) (why, fix string) {
				return "the standard has no calls by users", "name the client: --as, or let the model load it: --by model"
			},
		},
	}
}
