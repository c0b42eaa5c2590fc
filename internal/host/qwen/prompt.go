package qwen

import (
	"fmt"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/gemini"
)

// prompt describes calls in Qwen Code 0.24.4 (cases n05 and n05-1). The text that surrounds skills
// comes from Qwen Code's source code.
func prompt() *host.Prompt {
	command, skill := template(), skillTemplate()
	loaded := *skill
	loaded.Wrap = skillText
	return &host.Prompt{
		UserCall:  host.TypedCall(host.Slash),
		ModelCall: host.ToolCall("skill", definition.Skill, definition.Command),
		// Calling a skill with user-invocable: false ends the run (case c04-8).
		NotForUsers: func(name string) string { return "The command \"/" + name + "\" is not supported in this mode." },
		// See case n07-1 and BuiltinCommandLoader.ts in Qwen Code's source code.
		Own: []string{
			"about", "agents", "approval-mode", "auth", "bug", "clear", "compress", "config", "context", "copy", "diff", "directory", "docs", "doctor",
			"editor", "export", "extensions", "help", "history", "hooks", "ide", "init", "language", "mcp", "memory", "model", "permissions", "plan", "quit",
			"resume", "settings", "skills", "stats", "summary", "theme", "tools", "vim",
		},
		Calls: &host.Calls{
			Prefix: host.Slash, Kinds: []definition.Kind{definition.Command, definition.Skill},
			User: func(k definition.Kind) *host.Template {
				switch k {
				case definition.Command:
					return command
				case definition.Skill:
					return skill
				}
				return nil
			},
			// The tool also runs commands that are not skills, according to tools/skill.ts in Qwen
			// Code's source code.
			Model: func(k definition.Kind) *host.Template {
				switch k {
				case definition.Skill:
					return &loaded
				case definition.Command:
					return command
				}
				return nil
			},
			Missing: func(name string, available []string) string {
				if len(available) == 0 {
					return "Skill \"" + name + "\" not found. No skills are currently available."
				}
				return "Skill \"" + name + "\" not found. Available skills: " + strings.Join(available, ", ")
			},
			Loaded: func(name string) string { return "Skill \"" + name + "\" is already loaded in context." },
		},
	}
}

// template returns the template for commands, in TOML and Markdown. It supports "{{args}}", "!{}"
// and "@{}", and in Markdown also "$ARGUMENTS" (see cases n05 and n05-1 and Qwen Code's source
// code).
func template() *host.Template {
	shell := gemini.BracedShell(status)
	shell.Plain, shell.Bare = []string{"$ARGUMENTS"}, bare
	return &host.Template{
		LineFeeds: true, TrimAfter: true,
		Steps: []host.Step{
			{InBody: true, Files: gemini.BracedFiles(nil, ".gitignore", ".qwenignore")},
			{InBody: true, Places: &host.Placeholders{All: []string{"{{args}}"}, Patterns: true}, Shell: shell},
			{Append: gemini.Invocation},
		},
		Turn: host.TurnKeys{Model: "model"},
	}
}

// skillTemplate returns the template for a skill called by a user. Nothing in the skill is replaced
// (case n07).
func skillTemplate() *host.Template {
	return &host.Template{
		Trim: true, Turn: host.TurnKeys{Model: "model", Tools: "allowedTools"},
		Wrap: func(w host.Wrapped) string {
			text := skillText(w)
			if w.Arguments == "" {
				return text
			}
			// According to skill-args-file.ts in Qwen Code's source code, the host writes this
			// file. Vade does not write it.
			path := ".qwen/tmp/s-" + safeName(w.Session) + "/qwen-skill-args-" + safeName(w.Name) + ".txt"
			return text + "\n\n" + w.Invocation + "\n\nYour invocation arguments have been written verbatim to a session-private file." +
				" Its exact path is below \u2014 use it wherever these instructions say to read the args file (e.g. `< '" + path +
				"'`), and do not retype the arguments, which is how they get mistyped.\n<skill-args-file>" + path +
				"</skill-args-file>\n<skill-args>" + w.Arguments + "</skill-args>\n"
		},
	}
}

// skillText returns a skill's text, according to tools/skill-utils.ts in Qwen Code's source code.
func skillText(w host.Wrapped) string {
	return "Base directory for this skill: " + w.Dir +
		"\nImportant: ALWAYS resolve absolute paths from this base directory when working with skills.\n\n" + w.Body + "\n"
}

// status returns the text that follows a failed command's output, according to Qwen Code's source
// code.
func status(command string, status int) string {
	if status == 0 {
		return ""
	}
	return fmt.Sprintf("\n[Shell command '%s' exited with code %d]", command, status)
}

// bare returns the value of "$ARGUMENTS" in a command. This is the argument line without
// surrounding single quotes or, if it looks dangerous to the shell, the line quoted for the shell,
// according to checkArgumentSafety in Qwen Code's source code.
func bare(line string) string {
	bare := line
	if len(line) >= 2 && line[0] == '\'' && line[len(line)-1] == '\'' {
		bare = line[1 : len(line)-1]
	}
	for _, mark := range []string{"$(", "`", "<(", ">(", ";", "|", "&&", " &", "& "} {
		if strings.Contains(bare, mark) {
			return gemini.QuoteArgument(line)
		}
	}
	// A "<" or ">" is treated as a redirection only if whitespace follows it or a digit precedes
	// it. An arrow within a word is therefore not a redirection.
	for i := 0; i < len(bare); i++ {
		if c := bare[i]; (c == '<' || c == '>') && (i+1 < len(bare) && strings.IndexByte(" \t\n\r\v\f", bare[i+1]) >= 0 || i > 0 && bare[i-1] >= '0' && bare[i-1] <= '9') {
			return gemini.QuoteArgument(line)
		}
	}
	return bare
}

// safeName makes a name safe for use in a file name.
func safeName(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || strings.ContainsRune("._-", r)) {
			return r
		}
		return '_'
	}, s)
}
