package claude

import (
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// Claude Code's labels for its instruction files (case f06) and for managed files (case h48).
const (
	managedLabel = "organization-managed policy instructions"
	userLabel    = "user's private global instructions for all projects"
	projectLabel = "project instructions, checked into the codebase"
	localLabel   = "user's private project instructions, not checked in"
)

// Parts of the message that contains the instruction files (cases f06, f08, f11 and f13). Both
// versions use these lines, but the text around them differs.
const (
	reminder    = "<system-reminder>\n"
	reminderEnd = "\n</system-reminder>"
	binding     = "Codebase and user instructions are shown below. Be sure to adhere to these instructions. " +
		"IMPORTANT: These instructions OVERRIDE any default behavior and you MUST follow them exactly as written.\n\n"
)

// instructions describes a Claude Code version's instruction files. The order
// and wrapping come from cases f06 and f08, the import depth from f13, and the
// size limit from the format notes (section 3.8).
func instructions(version string) *host.Instructions {
	t := &host.Instructions{
		Rows: instructionRows(), MaxFile: 4 << 20, Imports: host.ImportsBeside, Depth: 4,
		Mode: instructionMode, Part: part, Message: message,
		Touched: touched, TouchedRole: "user", Closer: "</system-reminder>", Excludes: "claudeMdExcludes",
	}
	if version == oldVersion {
		// 2.1.88 supports neither AGENTS.md nor a setting for it (observations, section 3, on f07).
		t.Mode, t.Message = nil, oldMessage
		// Files activated by a touched file are appended to the tool result, after a blank line
		// (case f08).
		t.TouchedRole = "tool_result"
		t.Touched = func(path, text string, _ bool) string { return touched(path, text, false) }
	}
	return t
}

func instructionRows() []host.InstructionRow {
	row := func(l definition.Layer, source, label, dir, file string) host.InstructionRow {
		return host.InstructionRow{
			Layer: l, Source: source, Label: label, Dir: dir, File: file, Conditional: file == "",
			Real:  file == "", // h35, h61
			Other: strings.HasPrefix(file, "AGENTS"), NotNested: strings.HasPrefix(file, "AGENTS"),
		}
	}
	managed, user, project := definition.Managed, definition.User, definition.Project
	return []host.InstructionRow{
		// The managed rows come before the user's (format notes, section 3.1).
		row(managed, host.SourceManaged, managedLabel, "", "CLAUDE.md"),
		row(managed, host.SourceManaged, managedLabel, ".claude/rules", ""),
		row(user, host.SourceUser, userLabel, ".claude", "CLAUDE.md"),
		row(user, host.SourceUser, userLabel, ".claude/rules", ""),
		row(project, host.SourceProject, projectLabel, "", "CLAUDE.md"),
		row(project, host.SourceProject, projectLabel, ".claude", "CLAUDE.md"),
		row(project, host.SourceProject, projectLabel, ".claude/rules", ""),
		row(project, host.SourceLocal, localLabel, "", "CLAUDE.local.md"),
		// The AGENTS.md rows come after a directory's other rows (case h97). Both AGENTS.md and
		// CLAUDE.local.md are read only if the setting requests both.
		row(project, host.SourceProject, projectLabel, "", "AGENTS.md"),
		row(project, host.SourceProject, projectLabel, ".claude", "AGENTS.md"),
	}
}

// instructionMode parses the setting of the client's built-in plugin (format notes, section 3.14).
// Unknown values select the default.
func instructionMode(setting string) host.InstructionMode {
	switch setting {
	case "claude-md":
		return host.InstructionMode{}
	case "claude-md-and-agents-md":
		return host.InstructionMode{Fallback: true, Both: true}
	case "managed-only":
		return host.InstructionMode{ManagedOnly: true}
	}
	return host.InstructionMode{Fallback: true}
}

func part(path, label, text string) string {
	return "Contents of " + path + " (" + label + "):\n\n" + text
}

// message returns the block that contains the instruction files. A line break follows the block
// only if the user chose an agent (case m55). There is none without an agent (cases f06, f08, f11
// and f13).
func message(parts string, _ time.Time, asAgent bool) string {
	text := reminder + binding + parts + reminderEnd
	if asAgent {
		text += "\n"
	}
	return text
}

// oldMessage returns the message in 2.1.88, which includes the date (cases f06 and m55).
func oldMessage(parts string, now time.Time, _ bool) string {
	return reminder + "As you answer the user's questions, you can use the following context:\n# claudeMd\n" +
		binding + parts + "\n# currentDate\nToday's date is " + now.Format(time.DateOnly) + ".\n\n" +
		"      IMPORTANT: this context may or may not be relevant to your tasks. " +
		"You should not respond to this context unless it is highly relevant to your task." + reminderEnd + "\n\n"
}

// touched returns the block for a touched file. It ends with a line break if another block follows
// (case f08).
func touched(path, text string, followed bool) string {
	block := reminder + "Contents of " + path + ":\n\n" + text + reminderEnd
	if followed {
		block += "\n"
	}
	return block
}
