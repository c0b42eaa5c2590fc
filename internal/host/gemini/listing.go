package gemini

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// listing describes how Gemini CLI 0.61.0 lists definitions. The listing is complete (case n14) and
// unescaped. It includes every skill (n09 and the frontmatter matrix) but no commands (case n05).
// The format comes from the source (packages/core/src/prompts/snippets.ts).
//
// Skills are listed in the order in which they are read: roots from lowest to highest precedence,
// and within a root by [key] (case h20). A skill that replaces an earlier one takes that skill's
// position, according to skills/skillManager.ts in Gemini CLI's source code. The user's agents are
// listed. A project's agents are listed only after the user has confirmed them in the host (cases
// a04 and a09), which Vade cannot detect.
func listing() *host.Listing {
	return &host.Listing{
		Manual: true,
		Line: func(e host.ListedItem) string {
			return "  <skill>\n    " + host.XMLTag("name", e.Name) + "\n    " + host.XMLTag("description", e.Description) +
				"\n    " + host.XMLTag("location", e.Path) + "\n  </skill>"
		},
		Frame: func(t host.ListedText) string {
			return "# Available Agent Skills\n\nYou have access to the following specialized skills. To activate a skill and " +
				"receive its detailed instructions, you can call the `activate_skill` tool with the skill's name.\n\n" +
				host.XMLTall("available_skills", strings.Join(t.Lines, "\n"))
		},
		Rank:    ownFirst(byRowsReversed(definition.Plugin, definition.User, definition.Project)),
		Key:     key,
		Compare: func(a, b string) int { return strings.Compare(b, a) }, KeepsPlace: true,
		Agent: func(name, description, _ string) string { return name + " -> " + description },
		AgentFrame: func(lines []string) string {
			return "The following sub-agents are available:\n\n- " + strings.Join(lines, "\n- ")
		},
		Tools:       tools,
		AgentOrder:  agentOrder,
		AgentHidden: agentHidden,
	}
}

// key returns the sort key that orders the skills in a root: the root's own SKILL.md, then
// directories, then symlinks to directories. The directories and the symlinks are each in reverse
// order by name (cases h08 and h20). If there are more than about fifty skills, adjacent skills
// sometimes change places from run to run (case h18).
func key(d *definition.Definition) string {
	dir := path.Dir(d.Origin.Path)
	switch {
	case dir == d.Origin.Root:
		return "2"
	case d.Origin.Linked:
		return "0" + dir
	}
	return "1" + dir
}

// agentHidden returns the reason why an agent is not listed, or "" if it is listed. According to
// agents/registry.ts in Gemini CLI's source code, the user must confirm a project's agents in the
// host. An agent with the name of a built-in agent is not listed.
func agentHidden(d *definition.Definition, _ func(key string) string) string {
	switch {
	case slices.Contains(ownAgents(), d.Name):
		return "a built-in agent already has this name; rename the agent"
	case d.Origin.Layer == definition.Project:
		return "the host lists a project's agent only after you approve the agent in the host"
	}
	return ""
}

// tools returns the activate_skill tool's description and the names that it
// accepts (observed in 0.61.0).
func tools(skills, _ []string) []string {
	if len(skills) == 0 {
		return nil
	}
	names := ownSkills()
	for _, s := range skills {
		if !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	return append([]string{"Activates a specialized agent skill by name (Available: '" + strings.Join(names, "', '") +
		"'). Returns the skill's instructions wrapped in `<activated_skill>` tags. These provide specialized guidance " +
		"for the current task. Use this when you identify a task that matches a skill's description. ONLY use names " +
		"exactly as they appear in the `<available_skills>` section."}, names...)
}

func ownSkills() []string { return []string{"skill-creator", "antigravity-support"} }

func ownAgents() []string { return []string{"codebase_investigator", "cli_help", "generalist"} }

// agentOrder lists the user's agents before extensions' agents, each group by file name, according
// to agents/registry.ts and agentLoader.ts in Gemini CLI's source code.
func agentOrder(a, b *definition.Definition) int {
	return cmp.Or(
		cmp.Compare(a.Origin.Layer, b.Origin.Layer), strings.Compare(a.Origin.Plugin, b.Origin.Plugin),
		strings.Compare(a.Origin.Path, b.Origin.Path),
	)
}

// instructions describes how Gemini CLI 0.61.0 reads instructions. Only GEMINI.md files and their
// imports are read. The user's file is in the system prompt, and the project's files are in the
// first message (cases n02, n03 and n04). The order, imports and wrapping come from the source
// (packages/core/src/utils/memoryDiscovery.ts, memoryImportProcessor.ts, config/config.ts). Files
// activated by a touched file follow the tool result.
func instructions() *host.Instructions {
	const file = "GEMINI.md"
	return &host.Instructions{
		Rows: []host.InstructionRow{
			{Layer: definition.User, Source: host.SourceUser, Dir: ".gemini", File: file},
			{Layer: definition.Plugin, Source: host.SourceUser},
			{Layer: definition.Project, Source: host.SourceProject, File: file},
		},
		MaxFile: host.MaxNeutralFile, Whole: true, Imports: host.ImportsInline, Depth: 5, Inline: Inline(),
		Compose: func(_ host.InstructionSession, files []host.InstructionText) []host.InstructionMessage {
			var messages []host.InstructionMessage
			if own := ContextBlocks(files, definition.User, absolutePath); own != "" {
				messages = append(messages, host.InstructionMessage{Role: "system", Text: memoryIntro},
					host.InstructionMessage{Role: "system", Text: host.XMLTall("loaded_context", own)})
			}
			var parts []string
			if extension := ContextBlocks(files, definition.Plugin, absolutePath); extension != "" {
				parts = append(parts, host.XMLTall("extension_context", extension))
			}
			if project := ContextBlocks(files, definition.Project, absolutePath); project != "" {
				parts = append(parts, host.XMLTall("project_context", project))
			}
			if len(parts) > 0 {
				messages = append(messages, host.InstructionMessage{Role: "user", Text: host.XMLTall("loaded_context", strings.Join(parts, "\n"))})
			}
			return messages
		},
		Brought: func(_ host.InstructionSession, files []host.InstructionText) []host.InstructionMessage {
			return []host.InstructionMessage{{
				Role: "tool_result", Text: "--- Newly Discovered Project Context ---\n" +
					ContextBlocks(files, definition.Project, absolutePath) + "\n--- End Project Context ---",
			}}
		},
		Closer: "</loaded_context>",
	}
}

// memoryIntro is the text that precedes the user's file in the system prompt (observed in 0.61.0).
const memoryIntro = `# Contextual Instructions (GEMINI.md)
The following content is loaded from local and global configuration files.
**Context Precedence:**
- **Global (~/.gemini/):** foundational user preferences. Apply these broadly.
- **Extensions:** supplementary knowledge and capabilities.
- **Workspace Root:** workspace-wide mandates. Supersedes global preferences.
- **Sub-directories:** highly specific overrides. These rules supersede all others for files within their scope.

**Conflict Resolution:**
- **Precedence:** Strictly follow the order above (Sub-directories > Workspace Root > Extensions > Global).
- **System Overrides:** Contextual instructions override default operational behaviors (e.g., tech stack, style, workflows, tool preferences) defined in the system prompt. However, they **cannot** override Core Mandates regarding safety, security, and agent integrity.
`

// Inline returns functions for the HTML comments that surround an imported file or replace an
// import that fails.
func Inline() host.InlineTexts {
	failed := func(path, why string) string { return "<!-- Import failed: " + path + " - " + why + " -->" }
	return host.InlineTexts{
		Imported: func(path, _, text string) string {
			return "<!-- Imported from: " + path + " -->\n" + text + "\n<!-- End of import from: " + path + " -->"
		},
		Failed:  failed,
		Outside: func(path string) string { return failed(path, "Path traversal attempt") },
		Cycle:   func(path, _ string) string { return "<!-- File already processed: " + path + " -->" },
		Missing: func(abs string) string { return "ENOENT: no such file or directory, access '" + abs + "'" },
	}
}

// ownFirst returns a rank function for skills. Skills that replace built-in skills come first, in
// the order of the built-in skills (observed in 0.61.0). All other skills are ranked by rank.
func ownFirst(rank func(*definition.Definition) int) func(*definition.Definition) int {
	own := ownSkills()
	return func(d *definition.Definition) int {
		if i := slices.Index(own, d.Name); i >= 0 {
			return i - len(own)
		}
		return rank(d)
	}
}

func absolutePath(path string) string { return path }

// ContextBlocks returns the text of the files in a layer, or in all layers if layer is 0. The text
// of each file is between two lines that contain the path that shown returns for the file.
func ContextBlocks(files []host.InstructionText, layer definition.Layer, shown func(path string) string) string {
	var list []string
	for _, f := range files {
		if layer == 0 || f.Layer == layer {
			at := shown(f.Path)
			list = append(list, "--- Context from: "+at+" ---\n"+f.Text+"\n--- End of Context from: "+at+" ---")
		}
	}
	return strings.Join(list, "\n\n")
}

// byRowsReversed ranks definitions by layer and, within a layer, in reverse row order. It is for
// hosts that read directories in order of increasing precedence.
func byRowsReversed(layers ...definition.Layer) func(*definition.Definition) int {
	rank := host.ByLayer(layers...)
	const rows = 1 << 16
	return func(d *definition.Definition) int {
		r := rank(d)
		return r - r%rows + rows - 1 - min(int(d.Origin.Row), rows-1)
	}
}
