package copilotcli

import (
	"strconv"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
)

// listing describes how Copilot CLI 1.0.102 lists definitions (cases h01 to h22, n05, n09, n14 and
// a02). For each kind of directory, skills in the working directory come before skills inherited
// from its parents. Adjacent skills from the same source form a group.
func listing() *host.Listing {
	return &host.Listing{
		Commands: true,
		Escape:   host.EscapeXML,
		Line:     item, Frame: frame,
		Rank: rank, Source: source, Compare: strings.Compare,
		Budget: host.Budget{
			Overflow: host.BareRest, EntryOverhead: 1, Least: 15_000, Env: "SKILL_CHAR_BUDGET",
			Own: []host.OwnEntry{{Name: "customize-cloud-agent", Units: 443}, {Name: "github-pr-media", Units: 324}},
		},
		Agent:       func(name, description, _ string) string { return "**" + name + "**: " + description },
		AgentTitles: true,
		AgentFrame: func(lines []string) string {
			return "User-provided custom agents:\n- " + strings.Join(lines, "\n\n- ")
		},
		AgentHidden: agentHidden,
		// The task tool's agent_type parameter accepts these names (observed in 1.0.102).
		Tools: func(_, agents []string) []string { return agents },
	}
}

// rank returns a definition's position. Commands come after all other definitions.
func rank(d *definition.Definition) int {
	place := host.ByLayer(definition.Project, definition.User, definition.Plugin)(d) * 2
	if d.Origin.Distance > 0 && d.Origin.Layer != definition.Plugin {
		place++
	}
	if d.Origin.Legacy {
		place += 1 << 32
	}
	return place
}

// source returns a skill's group. All directories in COPILOT_SKILLS_DIRS belong to one group.
func source(d *definition.Definition) string {
	switch o := &d.Origin; {
	case o.Layer != definition.Project:
		return strconv.Itoa(int(o.Layer)) + " " + strconv.Itoa(int(o.Row))
	case o.Legacy:
		return "command " + strconv.FormatBool(o.Distance > 0)
	default:
		return strconv.FormatBool(o.Distance > 0)
	}
}

func item(e host.ListedItem) string {
	if e.Bare {
		return e.Name
	}
	return "<skill>\n  " + host.XMLTag("name", e.Name) + "\n  " + host.XMLTag("description", e.Description) +
		"\n  " + host.XMLTag("location", e.Layer.String()) + "\n</skill>"
}

func frame(t host.ListedText) string {
	lines := t.Lines
	if len(t.Bare) > 0 {
		lines = append(lines, "Additional skills available (invoke by name): "+strings.Join(t.Bare, ", "))
	}
	return host.XMLTall("skill", host.XMLTall("available_skills", strings.Join(lines, "\n")))
}

// agentHidden returns the reason why an agent is not listed for models, or "" if it is listed.
// According to Copilot CLI's documentation, an agent is not listed if its fields do not let models
// invoke it.
func agentHidden(_ *definition.Definition, field func(key string) string) string {
	switch {
	case field("disable-model-invocation") == "true":
		return "only users can invoke it; to list it, remove disable-model-invocation from its frontmatter"
	case field("infer") == "false":
		return "only users can invoke it; to list it, remove infer from its frontmatter"
	}
	return ""
}

// These are the parts of the instructions, in order. partBetween is for files in directories
// between the repository root and the working directory, nearest first. The files in the root and
// in the working directory itself come before partBetween.
const (
	partUser = iota << 8
	partRepository
	partMemory
	partBetween
	partUserRules
	partRules
)

// instructions describes how Copilot CLI 1.0.102 reads instructions (cases n02 and i01 to i10).
func instructions() *host.Instructions {
	user, project := definition.User, definition.Project
	row := func(l definition.Layer, source, dir, file string) host.InstructionRow {
		return host.InstructionRow{
			Layer: l, Source: source, Dir: dir, File: file, NotNested: true, Conditional: file == "",
			NoImports: file == "" || file == "GEMINI.md",
		}
	}
	rows := []host.InstructionRow{
		row(user, host.SourceUser, ".copilot", "copilot-instructions.md"),
		row(user, host.SourceUser, ".copilot/instructions", ""),
		// The next two rows are for the directories in COPILOT_CUSTOM_INSTRUCTIONS_DIRS.
		row(user, host.SourceUser, "", "AGENTS.md"),
		row(user, host.SourceUser, ".github/instructions", ""),
		row(project, host.SourceProject, ".github", "copilot-instructions.md"),
		row(project, host.SourceProject, "", "AGENTS.md"),
		row(project, host.SourceProject, "", "CLAUDE.md"),
		row(project, host.SourceProject, ".claude", "CLAUDE.md"),
		row(project, host.SourceProject, "", "GEMINI.md"),
		row(project, host.SourceProject, ".github/instructions", ""),
		row(project, host.SourceProject, ".claude/rules", ""),
	}
	return &host.Instructions{
		Rows: rows,
		Rank: func(p host.InstructionPlace) (int, bool) {
			r := rows[p.Row]
			between := r.Layer == project && p.Distance > 0 && !p.Top
			part := partMemory
			switch {
			case r.Layer == project && p.Above:
				return 0, false
			case r.Layer == user && r.Conditional:
				part = partUserRules
			case r.Layer == user:
				part = partUser
			case between:
				return (partBetween+p.Distance)<<16 + p.Row, !r.Conditional
			case r.Conditional:
				part = partRules
			case r.Dir == ".github":
				part = partRepository
			case r.Dir == ".claude":
				return 0, false
			}
			if !p.Top {
				part++
			}
			return part<<16 + p.Row, true
		},
		MaxFile: host.MaxNeutralFile, Imports: host.ImportsInline, Depth: 8,
		Whole: true, Exact: true, Empty: true, Distinct: true,
		Inline: host.InlineTexts{
			Tokens: true, Once: true, MaxFiles: 64,
			Imported: func(path, abs, text string) string {
				return "@" + path + "\n\n<imported_custom_instruction source=\"" + abs + "\">\n" +
					strings.TrimRightFunc(text, chars.IsSpace) + "\n</imported_custom_instruction>"
			},
			Cycle: func(path, abs string) string {
				return "@" + path + "\n\n<imported_custom_instruction source=\"" + abs + "\" skipped=\"already-loaded\" />"
			},
		},
		Compose: compose, Closer: "</custom_instruction>",
	}
}

func compose(s host.InstructionSession, files []host.InstructionText) []host.InstructionMessage {
	var blocks []string
	for _, f := range files {
		if f.Rule {
			blocks = append(blocks, f.Text)
		} else {
			blocks = append(blocks, host.XMLTall("custom_instruction", f.Text))
		}
	}
	if len(s.Waiting) > 0 {
		blocks = append(blocks, table(s.Waiting))
	}
	return []host.InstructionMessage{{Role: "system", Text: strings.Join(blocks, "\n\n")}}
}

// table lists the instruction files that apply only when a matching file is in use. The model reads
// these files itself.
func table(files []host.WaitingInstruction) string {
	cell := strings.NewReplacer("|", `\|`, "\r\n", " ", "\n", " ").Replace
	var b strings.Builder
	b.WriteString("Here is a list of instruction files that contain rules for modifying or creating new code.\n" +
		"These files are important for ensuring that the code is modified or created correctly.\n" +
		"Please make sure to follow the rules specified in these files when working with the codebase.\n" +
		"If you have not already read the file, use the `view` tool to acquire it.\n" +
		"Make sure to acquire the instructions before making any changes to the code.\n" +
		"| Pattern | File Path | Description |\n| ------- | --------- | ----------- |\n")
	for _, f := range files {
		b.WriteString("| " + cell(strings.Join(f.Patterns, ", ")) + " | '" + f.Path + "' | " + cell(f.Description) + " |\n")
	}
	return b.String()
}
