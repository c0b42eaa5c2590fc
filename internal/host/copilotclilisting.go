package host

import "strings"

// copilotCLIListing is that of Copilot CLI 1.0.102. Recorded are that of 300
// skills with descriptions of 297 characters 37 are whole (n14), which holds for
// 15,000 characters where each entry has this form and a line feed, that commands
// are among them (n05) and agents in the tools (n06), and that texts are escaped
// (n09). The form, the order and the figure are those of other records of the same
// host; that of an entry without room for a description, and that of agents, is
// inferred.
func copilotCLIListing() *Listing {
	return &Listing{
		Commands: true,
		Escape:   escapeXML,
		Line:     copilotItem, Frame: copilotFrame,
		Rank: sameRank, Compare: strings.Compare,
		Budget:      Budget{Overflow: BareRest, Around: 1, Least: 15_000, Env: "SKILL_CHAR_BUDGET"},
		Agent:       func(name, description, _ string) string { return name + ": " + description },
		AgentHidden: copilotAgentHidden,
	}
}

func copilotItem(e ListedItem) string {
	if e.Bare {
		return "<skill>\n  " + xmlTag("name", e.Name) + "\n</skill>"
	}
	return "<skill>\n  " + xmlTag("name", e.Name) + "\n  " + xmlTag("description", e.Description) +
		"\n  " + xmlTag("location", e.Layer.String()) + "\n</skill>"
}

func copilotFrame(t ListedText) string {
	return xmlTall("skill", xmlTall("available_skills", strings.Join(t.Lines, "\n")))
}

// copilotAgentHidden: an agent that models must not call is not offered to them
// (documented).
func copilotAgentHidden(field func(key string) string) string {
	switch {
	case field("disable-model-invocation") == "true":
		return "only a user can call it: take disable-model-invocation out of its frontmatter to list it"
	case field("infer") == "false":
		return "only a user can call it: take infer out of its frontmatter to list it"
	}
	return ""
}
