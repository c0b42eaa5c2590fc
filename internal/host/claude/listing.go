package claude

import (
	"strings"

	"github.com/vadehq/vade/internal/host"
)

// listing describes how a Claude Code version lists definitions.
func listing(version string) *host.Listing {
	if version == oldVersion {
		return oldListing()
	}
	return &host.Listing{
		// Claude Code's documentation gives this maximum length and the setting that changes it. No
		// recording contains a truncated description or when_to_use.
		MaxDescription: 1536, Ellipsis: "…", Join: " - ",
		Clean: oneLine, Escape: escape,
		Commands: true, Paths: true,
		RawWorkflows:   true, // observed in 2.1.330
		SecondName:     true, // m08, m15, m18
		PluginsNeedOne: true, // h24, h26, h88
		Compare:        host.Collate,
		Scoped: func(dir, name string) string { // m27
			return " (scoped to " + dir + "/ — use this instead of the unscoped \"" + name +
				"\" skill when the files being changed are under " + dir + "/)"
		},
		From: func(dir, root string) string { // m27
			return " (from " + root + " — applies when working on files under " + dir + "/)"
		},
		// A total of 30,000 units and [host.FillInOrder] reproduce the recorded listings exactly,
		// including one with 301 entries (2.1.329, h11, h12, m22, m23, m24). The minimum of 8,000
		// for a small context is documented (format notes, section 3.5). How the total depends on
		// the context size is inferred.
		Budget: host.Budget{
			Overflow: host.FillInOrder, EntryOverhead: len("- \n"),
			Columns:       true, // observed in 2.1.330 with characters of all display widths
			ContextTokens: 1_000_000, Fraction: 0.01, CharsPerToken: 3, Least: 8000, Env: "SLASH_COMMAND_TOOL_CHAR_BUDGET",
			Own: ownEntries(), Uncounted: 3, // measured with one to five descriptions that fit exactly
		},
		SkillTool: "Skill", AgentTools: []string{"Agent", "Task"}, // m55
		Agent: func(name, description, tools string) string { // m36, m37, m54
			return name + ": " + description + " (Tools: " + tools + ")"
		},
		AllTools: "All tools", AllBut: "All tools except ", NoTools: "None", // NoTools is inferred
		OwnAgents: []string{generalAgent},
	}
}

// ownEntries returns the client's built-in entries, as listed in an empty project (2.1.329 and
// 2.1.330).
func ownEntries() []host.OwnEntry {
	return []host.OwnEntry{
		{Name: "dataviz", Units: 1445},
		{Name: "update-config", Units: 705},
		{Name: "keybindings-help", Units: 246, ModelOnly: true},
		{Name: "code-review", Units: 848},
		{Name: "simplify", Units: 186},
		{Name: "fewer-permission-prompts", Units: 189},
		{Name: "loop", Units: 342},
		{Name: "claude-api", Units: 1169},
		{Name: "workflow-authoring", Units: 250},
		{Name: "run", Units: 366},
		{Name: "plugin-authoring", Units: 273},
		{Name: "init", Units: 65, Last: true},
		{Name: "security-review", Units: 88, Last: true},
	}
}

// generalAgent is the client's built-in general agent. A file can replace it (cases h46 and h90).
const generalAgent = "general-purpose"

// oldListing describes the listing in 2.1.88. It includes all duplicates (cases m11, m13, m28, m61
// and m62) but no agents (case m36). Text is not escaped (case m43). Skills are named only after
// their directories and are sorted by directory name in byte order (case m08). The order of
// commands is unknown (case m16).
func oldListing() *host.Listing {
	return &host.Listing{
		MaxDescription: 250, Ellipsis: "…", Join: " - ",
		Commands: true, Paths: true,
		Duplicates: true, CommandsByLayer: true,
		Compare: strings.Compare,
		// In the recordings, a listing with 600 entries contains only names (case m23), and shorter
		// listings have all descriptions truncated to the same length (case m22). The numbers are
		// documented, except for MinShare, which is inferred. It is unknown how much of the budget
		// Claude Code's own entries use.
		Budget: host.Budget{
			Overflow: host.ShareEqually, EntryOverhead: len("- \n"),
			ContextTokens: 200_000, Fraction: 0.01, CharsPerToken: 4, Env: "SLASH_COMMAND_TOOL_CHAR_BUDGET",
			MinShare: 20,
		},
		SkillTool: "Skill", AgentTools: []string{"Agent", "Task"},
		OwnAgents: []string{generalAgent},
	}
}

// escape keeps an entry from opening or closing a tag (case m43). It does not escape ampersands.
func escape(s string) string {
	if !strings.ContainsAny(s, "<>") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "<", "&lt;"), ">", "&gt;")
}
