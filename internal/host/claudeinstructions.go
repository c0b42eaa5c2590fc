package host

import (
	"strings"
	"time"

	"github.com/vadehq/vade/internal/definition"
)

// The labels of Claude Code for its instruction files (f06). That the managed
// ones have the user's is inferred: no recording has one.
const (
	claudeUserLabel    = "user's private global instructions for all projects"
	claudeProjectLabel = "project instructions, checked into the codebase"
	claudeLocalLabel   = "user's private project instructions, not checked in"
)

// The lines of the message that holds the instruction files (f06, f08, f11,
// f13, the same in both versions but for what stands around them).
const (
	claudeReminder    = "<system-reminder>\n"
	claudeReminderEnd = "\n</system-reminder>"
	claudeBinding     = "Codebase and user instructions are shown below. Be sure to adhere to these instructions. " +
		"IMPORTANT: These instructions OVERRIDE any default behavior and you MUST follow them exactly as written.\n\n"
)

// claudeInstructions is that of Claude Code at a version: the order and the
// wrapping are those of f06 and f08, the depth that of f13, the length that of
// the formats dossier (section 3.8).
func claudeInstructions(version string) *Instructions {
	t := &Instructions{
		Rows: claudeInstructionRows(), MaxFile: 4 << 20, Imports: ImportsBeside, Depth: 4,
		Mode: claudeInstructionMode, Part: claudePart, Message: claudeMessage,
		Touched: claudeTouched, TouchedRole: "user", Closer: "</system-reminder>", Excludes: "claudeMdExcludes",
	}
	if version == claudeOld {
		// Neither AGENTS.md nor a setting for it is known to 2.1.88 (observations,
		// section 3, on f07).
		t.Mode, t.Message = nil, claudeOldMessage
		// The files that a touched file brings in stand in the result of the tool
		// itself, behind it and divided by an empty line (f08).
		t.TouchedRole = "tool_result"
		t.Touched = func(path, text string, _ bool) string { return claudeTouched(path, text, false) }
	}
	return t
}

func claudeInstructionRows() []InstructionRow {
	row := func(l definition.Layer, source, label, dir, file string) InstructionRow {
		return InstructionRow{
			Layer: l, Source: source, Label: label, Dir: dir, File: file, Conditional: file == "",
			Other: strings.HasPrefix(file, "AGENTS"), NotNested: strings.HasPrefix(file, "AGENTS"),
		}
	}
	managed, user, project := definition.Managed, definition.User, definition.Project
	return []InstructionRow{
		// The managed rows before the user's: formats dossier, section 3.1.
		row(managed, SourceManaged, claudeUserLabel, "", "CLAUDE.md"),
		row(managed, SourceManaged, claudeUserLabel, ".claude/rules", ""),
		row(user, SourceUser, claudeUserLabel, ".claude", "CLAUDE.md"),
		row(user, SourceUser, claudeUserLabel, ".claude/rules", ""),
		row(project, SourceProject, claudeProjectLabel, "", "CLAUDE.md"),
		// The place of AGENTS.md among the others is inferred.
		row(project, SourceProject, claudeProjectLabel, "", "AGENTS.md"),
		row(project, SourceProject, claudeProjectLabel, ".claude", "CLAUDE.md"),
		row(project, SourceProject, claudeProjectLabel, ".claude", "AGENTS.md"),
		row(project, SourceProject, claudeProjectLabel, ".claude/rules", ""),
		row(project, SourceLocal, claudeLocalLabel, "", "CLAUDE.local.md"),
	}
}

// claudeInstructionMode reads the setting of the plugin that comes with the
// client (formats dossier, section 3.14). What it does not know is the default.
func claudeInstructionMode(setting string) InstructionMode {
	switch setting {
	case "claude-md":
		return InstructionMode{}
	case "claude-md-and-agents-md":
		return InstructionMode{Fallback: true, Both: true}
	case "managed-only":
		return InstructionMode{ManagedOnly: true}
	}
	return InstructionMode{Fallback: true}
}

func claudePart(path, label, text string) string {
	return "Contents of " + path + " (" + label + "):\n\n" + text
}

// claudeMessage: with an agent of the user's choice the block has a line break
// behind it (m55), else not (f06, f08, f11, f13).
func claudeMessage(parts string, _ time.Time, asAgent bool) string {
	text := claudeReminder + claudeBinding + parts + claudeReminderEnd
	if asAgent {
		text += "\n"
	}
	return text
}

// claudeOldMessage is that of 2.1.88, which tells the date with it (f06, m55).
func claudeOldMessage(parts string, now time.Time, _ bool) string {
	return claudeReminder + "As you answer the user's questions, you can use the following context:\n# claudeMd\n" +
		claudeBinding + parts + "\n# currentDate\nToday's date is " + now.Format(time.DateOnly) + ".\n\n" +
		"      IMPORTANT: this context may or may not be relevant to your tasks. " +
		"You should not respond to this context unless it is highly relevant to your task." + claudeReminderEnd + "\n\n"
}

// claudeTouched: a block that another one follows has a line break behind it (f08).
func claudeTouched(path, text string, followed bool) string {
	block := claudeReminder + "Contents of " + path + ":\n\n" + text + claudeReminderEnd
	if followed {
		block += "\n"
	}
	return block
}
