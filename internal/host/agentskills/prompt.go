package agentskills

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// listing reproduces the prompt that the to-prompt command of skills-ref, the standard's reference
// library, prints. The library keeps the order in which it is given directories, whereas Vade sorts
// skills by name.
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

// escapePython escapes s as Python's html.escape does.
func escapePython(s string) string {
	if !strings.ContainsAny(s, `&<>"'`) {
		return s
	}
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;").Replace(s)
}

// instructions returns no rows, because the standard does not mention instruction files.
func instructions() *host.Instructions { return &host.Instructions{} }

// prompt describes how skills are called according to the standard. A model loads a skill by
// reading its file. How users call skills depends on the client, according to the standard's
// documentation.
func prompt() *host.Prompt {
	return &host.Prompt{
		UserCall: func(definition.Kind, string) string { return "" }, ModelCall: host.ReadingCall,
		Calls: &host.Calls{
			Prefix: host.Slash, Kinds: []definition.Kind{definition.Skill}, Model: host.WholeFile(), ByFile: true,
			AsText: func(definition.Kind) (why, fix string) {
				return "the Agent Skills standard does not define how users invoke skills", "select another host with --host, or use --by model to render a model's call"
			},
		},
	}
}
