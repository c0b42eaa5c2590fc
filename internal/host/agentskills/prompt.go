package agentskills

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// listing is what the standard's reference library writes for a prompt
// (source, skills-ref to-prompt). It takes directories in the order in which they
// are named; here it is that of the names.
func listing() *host.Listing {
	return &host.Listing{
		Manual: true,
		Escape: escapePython,
		Line: func(e host.ListedItem) string {
			return host.XMLTall("skill", host.XMLTall("name", e.Name)+"\n"+host.XMLTall("description", e.Description)+"\n"+
				host.XMLTall("location", e.Path))
		},
		Frame:     func(t host.ListedText) string { return host.XMLTall("available_skills", strings.Join(t.Lines, "\n")) },
		RealPaths: true,
		Rank:      host.SameRank, Compare: strings.Compare,
	}
}

// escapePython is html.escape of Python.
func escapePython(s string) string {
	if !strings.ContainsAny(s, `&<>"'`) {
		return s
	}
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;").Replace(s)
}

// instructions: the standard says nothing of instruction files.
func instructions() *host.Instructions { return &host.Instructions{} }

// prompt says what the standard has of calls: a model reads the file of
// a skill. How a user calls one is left to the client (documented).
func prompt() *host.Prompt {
	return &host.Prompt{
		UserCall: func(definition.Kind, string) string { return "" }, ModelCall: host.ReadingCall,
		Calls: &host.Calls{
			Prefix: host.Slash, Kinds: []definition.Kind{definition.Skill}, Model: host.WholeFile(), ByFile: true,
			AsText: func(definition.Kind) (why, fix string) {
				return "the standard has no calls by users", "name the client: --as, or let the model load it: --by model"
			},
		},
	}
}
