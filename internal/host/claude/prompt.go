package claude

import (
	"fmt"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/shell"
)

// prompt describes Claude Code's messages.
func prompt(version string) *host.Prompt {
	p := &host.Prompt{
		Fields: shell.Fields, Escapes: true, Guard: guard,
		UserCall: host.TypedCall(host.Slash), ModelCall: host.ToolCall("Skill", definition.Skill, definition.Command, definition.Workflow), // a01
		// The arguments are appended to the unmodified body, even if it does not end in a line
		// break (cases a05, a35 and a37).
		Append: "\n\nARGUMENTS: ",
		// The host adds this line to skills (case a01) but not to commands (case a35).
		Place:  func(dir string) string { return "Base directory for this skill: " + dir + "\n\n" },
		Effort: "medium", // v01
		// Other effort values are ignored (format notes, section 3.4).
		Efforts: []string{"low", "medium", "high", "xhigh", "max"},

		ForkAgent: generalAgent, // format notes, section 3.4

		Announce: announce,
		// See case m36.
		Preload: func(name string) string {
			return "<command-message>" + name + "</command-message>\n<command-name>" + name + "</command-name>\n<skill-format>true</skill-format>"
		},
		Join: "\n", TwinJoin: "\n", // a01; m27
		// See cases a20, a21.
		UnknownIsText: true,
		Unknown:       func(name string) string { return "Unknown skill: " + name },
		Reminder:      unknownCommand,
		// The message always uses the name of the directory or file, even if the user called the
		// definition by another name (case h78).
		SwitchedOff: func(name string) string {
			return "Skill \"" + name + "\" is disabled via skillOverrides. Remove the override from your settings to run it."
		},
		// The phrase "can only be invoked by Claude" was observed; the rest of the message is
		// inferred.
		NotForUsers: func(name string) string {
			return "This skill can only be invoked by Claude, not directly by users. Ask Claude to use the \"" + name + "\" skill for you."
		},
		Workflow:      workflow,
		Tool:          skillTool(),
		Own:           ownCommands(),
		Others:        otherCommands(),
		ServerCommand: func(server, prompt string) string { return "mcp__" + server + "__" + prompt }, // e02
		Shell:         shellTexts(),
		// Files are attached as in f01. The size limit was observed (case f12). Binary files are
		// not attached.
		Attach: host.Attach{ReadTool: "Read", ListTool: "Bash", MaxBytes: 256 << 10},
	}
	if version == oldVersion {
		oldPrompt(p)
	}
	return p
}

// oldPrompt applies the differences in 2.1.88.
func oldPrompt(p *host.Prompt) {
	p.Fields, p.Guard = shell.FieldsQuoted, nil               // a02 to a26, s34
	p.KeepLeadingSpaces = true                                // a24
	p.OneByOne, p.Escapes, p.MissingEmpty = true, false, true // a13, a10, a01
	p.TrimText, p.SwitchedOff = true, nil                     // a24
	p.UnknownIsText, p.Reminder = false, nil                  // a20
	p.TwinJoin, p.AttachJoin = "", p.Join                     // m27, f04
	p.Tool.Changed, p.Tool.Overridden = nil, nil
	p.Tool.Loaded, p.Tool.Asks = nil, func(name string) string { return "Execute skill: " + name } // m42, s16
	p.Tool.Disabled = func(name string) string {                                                   // m03
		return toolError("Skill " + name + " cannot be used with Skill tool due to disable-model-invocation")
	}
	p.Tool.Unknown = func(name, _ string) string { return toolError("Unknown skill: " + name) } // m25, m42
	p.Tool.Own = func(name string) string { return toolError("Skill " + name + " is not a prompt-based skill") }
	p.Shell.Off = ""            // the setting is unknown (s19)
	p.Shell.Silent = true       // the run ends without text (s03, s04)
	p.Attach.FromServers = true // observations, section 3
}

// announce returns the message that precedes the body (a01; without arguments: a04).
func announce(name, args string) string {
	text := "<command-message>" + name + "</command-message>\n<command-name>/" + name + "</command-name>"
	if args != "" {
		text += "\n<command-args>" + args + "</command-args>"
	}
	return text
}

// unknownCommand returns the message that precedes an unknown command (observed in 2.1.329 and
// 2.1.330). The client has 28 more built-in commands that this message never names.
func unknownCommand(c host.UnknownCommand) string {
	const most, unnamed = 40, 28
	text := reminder + "The user's message starts with the slash command /" + c.Name +
		", but no command with that name is available in this session, so it did not run. "
	if c.Similar != "" {
		text += "The closest available command is /" + c.Similar + ". Ask the user before running it. "
	}
	if len(c.Available) == 0 {
		text += "No slash commands are available in this session. "
	} else {
		named := c.Available[:min(most, len(c.Available))]
		text += fmt.Sprintf("Slash commands available in this session: /%s, and %d more. ",
			strings.Join(named, ", /"), len(c.Available)-len(named)+c.Manual+unnamed)
	}
	return text + "Treat the message as a plain request and do the task with the tools you have. If the task needs that command, " +
		"tell the user it is not installed in this session. The user can add it as an organization plugin or a project skill. " +
		"Do not give installation steps you are not sure of. Do not say the command ran.\n</system-reminder>"
}

// workflow returns the text that asks the model to run a workflow (observed in 2.1.330).
func workflow(c host.WorkflowCall) string {
	text := "Run the \"" + c.Name + "\" workflow.\n\n" + c.Description + "\n\n"
	if c.WhenToUse != "" {
		text += c.WhenToUse + "\n\n"
	}
	if len(c.Phases) > 0 {
		text += "Phases:\n"
		for _, p := range c.Phases {
			text += "- " + p.Title
			if p.Detail != "" {
				text += ": " + p.Detail
			}
			text += "\n"
		}
		text += "\n"
	}
	text += "Invoke: Workflow({ name: " + quoted(c.Name)
	if c.Arguments != "" {
		text += ", args: " + quoted(c.Arguments)
	}
	return text + " })\n\nIf the user asks you to modify this workflow or write a new script, load the `workflow-authoring` skill first."
}

// quoted formats a string as JSON.stringify does.
func quoted(s string) string {
	text, _ := jsonc.Marshal(s, "")
	return strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029").Replace(string(text))
}

// guard escapes the character sequences in a value that would start a shell command. It inserts a
// space between "!" and an adjacent backtick, and a backslash before "!" at the start of a word
// (cases s34 and h79).
func guard(value string) string {
	value = strings.ReplaceAll(value, "`!", "` !")
	value = strings.ReplaceAll(value, "!`", "! `")
	var b strings.Builder
	start := true
	for _, r := range value {
		if r == '!' && start {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		start = chars.IsSpace(r)
	}
	return b.String()
}

func toolError(text string) string { return "<tool_use_error>" + text + "</tool_use_error>" }

func skillTool() host.SkillTool {
	return host.SkillTool{
		Launching: func(name string) string { return "Launching skill: " + name }, // m05
		// See cases m25, m42.
		Unknown: func(name, similar string) string {
			text := "Unknown skill: " + name
			if similar != "" {
				text += ". Did you mean " + similar + "?"
			}
			return toolError(text)
		},
		// See case m03.
		Disabled: func(name string) string {
			return toolError("Skill " + name + " cannot be used with Skill tool due to disable-model-invocation. Ask the user to run /" + name +
				" themselves \u2014 it cannot be invoked via the Skill tool. Do not replicate this skill's workflow by other means \u2014 it is reserved for explicit user invocation.")
		},
		// See case m42.
		Own: func(name string) string {
			return toolError(name + " is a UI command, not a skill. Ask the user to run /" + name +
				" themselves \u2014 it cannot be invoked via the Skill tool.")
		},
		Denied: "Skill execution blocked by permission rules", // m39
		// See case s16.
		Asks: func(name string) string {
			return "Execute skill: " + name + ". The user can add the allow rule Skill(" + name + ") to .claude/settings.local.json to let it run without asking."
		},
		// See case m42. The form with arguments was observed in 2.1.330.
		Loaded: func(name, args string) string {
			text := "Skill /" + name + " is already loaded above; instructions unchanged."
			if args != "" {
				text += " Arguments: " + args
			}
			return text
		},
		// Observed in 2.1.330.
		Changed: func(name string) string {
			return "(Re-invocation of /" + name + " \u2014 the skill instructions were previously loaded; the arguments or dynamic output below are new.)\n"
		},
		Overridden: func(name string) string {
			return toolError("Skill " + name + " is disabled for model invocation in skillOverrides settings")
		},
		Forked: func(name string) string { return "Skill \"" + name + "\" completed (forked execution).\n\nResult:\n" }, // m34
		Rule:   "Skill", Bypass: "bypassPermissions",
	}
}

// ownCommands lists the client's built-in commands that appear in the recordings (cases m08, m25
// and m42). The list is incomplete.
func ownCommands() []string { return []string{"cd", "clear", "fast", "help", "init"} }

// otherCommands lists additional built-in commands (observed in 2.1.330).
func otherCommands() []string {
	return []string{
		"advisor", "agents", "background", "batch", "branch", "btw", "bug", "chrome", "color", "copy",
		"debug", "desktop", "diff", "extra-usage", "feedback", "focus", "fork", "goal", "heapdump",
		"ide", "insights", "install-github-app", "install-slack-app", "keybindings", "mobile",
		"output-style", "passes", "plan", "powerup", "privacy-settings", "proactive", "recap",
		"release-notes", "reload-plugins", "remote-control", "rename", "review", "sandbox", "schedule",
		"skills", "stats", "statusline", "stop", "tasks", "team-onboarding", "teleport", "theme", "tui",
		"ultraplan", "ultrareview", "upgrade", "usage", "usage-credits", "verify", "vim", "voice",
		"web-setup", "workflows",
	}
}

func shellTexts() host.ShellTexts {
	return host.ShellTexts{
		NoOutput: "(Bash completed with no output)",              // s20
		Off:      "[shell command execution disabled by policy]", // s19
		// The text contains both stdout and stderr (cases s03 and s37).
		Failed: func(pattern, output string) string {
			return "Shell command failed for pattern \"" + pattern + "\": [stderr]\n" + output
		},
		// See case s04.
		Refused: func(pattern, reason string) string {
			return "Shell command permission check failed for pattern \"" + pattern + "\": " + reason
		},
		Large: 30_000, Saved: saved,
	}
}

// previewLength is the maximum length, in bytes, of the preview that replaces a large output.
const previewLength = 2000

// saved returns the text for output of more than 30,000 characters (case s13). "ID" is a
// placeholder for the file name that the host chooses.
func saved(s host.Saved) string {
	preview := s.Output
	if len(preview) > previewLength {
		preview = strings.ToValidUTF8(preview[:previewLength], "")
		if i := strings.LastIndexByte(preview, '\n'); i > previewLength/2 {
			preview = preview[:i]
		}
	}
	dashed := strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return r
		}
		return '-'
	}, s.Project)
	return fmt.Sprintf("<persisted-output>\nOutput too large (%s). Full output saved to: %s/projects/%s/%s/tool-results/ID.txt\n\nPreview (first 2KB):\n%s\n...\n</persisted-output>",
		size(len(s.Output)), s.Config, dashed, s.Session, preview)
}

func size(n int) string {
	if n < 1<<20 {
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/(1<<10)), ".0") + "KB"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/(1<<20)), ".0") + "MB"
}
