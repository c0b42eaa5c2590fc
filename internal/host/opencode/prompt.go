package opencode

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
)

// prompt describes calls in opencode 1.18.33. Both commands and skills are templates (cases n05
// and n07).
func prompt() *host.Prompt {
	called, skill := template(), template()
	skill.Footer = skillFooter
	return &host.Prompt{
		UserCall:  host.TypedCall(host.Slash),
		ModelCall: host.ToolCall("skill", definition.Skill),
		// The argument line is the text after the first space, according to opencode's source code.
		KeepLeadingSpaces: true,
		Calls: &host.Calls{
			Prefix: host.Slash, Kinds: []definition.Kind{definition.Command, definition.Skill},
			User: func(k definition.Kind) *host.Template {
				switch {
				case host.Slash(k) == "":
					return nil
				case k == definition.Skill:
					return skill
				}
				return called
			},
			Model: host.TemplateFor(definition.Skill, &host.Template{Trim: true, Wrap: skillText, Resources: 10, Closed: []string{".git"}}),
			// These texts come from tool/skill.ts and session/prompt.ts in opencode's source code.
			Missing: func(name string, available []string) string {
				return "Skill \"" + name + "\" not found. Available skills: " + orNone(available)
			},
			// An unknown command ends the run (case n05-1).
			Unknown: func(name string, available []string) string {
				text := "Command not found: \"" + name + "\"."
				if len(available) > 0 {
					text += " Available commands: " + strings.Join(available, ", ")
				}
				return text
			},
			Workers: []string{"general", "explore"}, WorkerMode: "subagent", // documented
			Mentioned: &host.MentionedFiles{
				Tool: "Read",
				// From the source (session/prompt.ts).
				Announce: func(path string) string {
					return "Called the Read tool with the following input: {\"filePath\":" + jsonText(path) + "}"
				},
				File:      read,
				Directory: list,
				Agent: func(name string) string {
					return " Use the above message and context to generate a prompt and call the task tool with subagent: " + name
				},
			},
		},
	}
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// template describes how a body is rendered. First, the host inserts arguments. It then runs the
// commands in the resulting text. Finally, it attaches mentioned files (see case n05 and opencode's
// source code).
func template() *host.Template {
	return &host.Template{
		Trim: true, Split: words,
		Steps: []host.Step{
			{Places: &host.Placeholders{Positions: true, Rest: true, Zero: zero}},
			{Places: &host.Placeholders{All: []string{"$ARGUMENTS"}, Patterns: true}},
			{Append: host.ArgumentLine},
			{Shell: &host.ShellSyntax{Open: "!`", Close: "`", LineEnd: true}},
		},
		Turn: host.TurnKeys{Model: "model", Agent: "agent", Fork: "subtask"},
	}
}

// zero returns the value of "$0". If the text has another positional placeholder, the value is
// "undefined". Otherwise it is the last argument, or "" if there are no arguments (see case n05 and
// opencode's source code).
func zero(words []string, highest bool) string {
	switch {
	case !highest:
		return "undefined"
	case len(words) > 0:
		return words[len(words)-1]
	}
	return ""
}

// words splits a line into words. A word is an image marker such as "[Image 1]", a quoted string,
// or a run of characters other than whitespace and quotes. Unpaired quotes are dropped, and one
// quote at each end of a word is removed, according to opencode's source code.
func words(line string) []string {
	var words []string
	for i := 0; i < len(line); {
		n := imageMark(line[i:])
		if n == 0 && (line[i] == '"' || line[i] == '\'') {
			if end := strings.IndexByte(line[i+1:], line[i]); end >= 0 {
				n = end + 2
			}
		}
		if n == 0 {
			n = plainWord(line[i:])
		}
		if n == 0 {
			i++
			continue
		}
		word := line[i : i+n]
		i += n
		if word[0] == '"' || word[0] == '\'' {
			word = word[1:]
		}
		if word != "" && (word[len(word)-1] == '"' || word[len(word)-1] == '\'') {
			word = word[:len(word)-1]
		}
		words = append(words, word)
	}
	return words
}

// imageMark returns the length of the image marker, such as "[Image 1]", at the start of s, or 0 if
// there is none.
func imageMark(s string) int {
	const mark = "[image"
	if len(s) < len(mark) || !strings.EqualFold(s[:len(mark)], mark) {
		return 0
	}
	rest := strings.TrimLeftFunc(s[len(mark):], chars.IsSpace)
	digits := strings.TrimLeft(rest, "0123456789")
	if len(rest) == len(s)-len(mark) || len(digits) == len(rest) || !strings.HasPrefix(digits, "]") {
		return 0
	}
	return len(s) - len(digits) + 1
}

// plainWord returns the length of the text before the first whitespace or quote.
func plainWord(s string) int {
	for i, r := range s {
		if r == '"' || r == '\'' || chars.IsSpace(r) {
			return i
		}
	}
	return len(s)
}

// skillFooter returns the text that follows a skill called as a command (case c07).
func skillFooter(dir string) string {
	return "\n\nBase directory for this skill: " + dir +
		"\nRelative paths in this skill (e.g., scripts/, references/) are relative to this base directory."
}

// skillText returns the skill tool's result, according to tool/skill.ts in opencode's source code.
// The host lists files in directory order.
func skillText(w host.Wrapped) string {
	var files []string
	for _, f := range w.Resources.Paths() {
		if !strings.Contains(f, "SKILL.md") {
			files = append(files, "<file>"+w.Dir+"/"+f+"</file>")
		}
	}
	return strings.Join([]string{
		"<skill_content name=\"" + w.Name + "\">", "# Skill: " + w.Name, "", w.Body, "",
		"Base directory for this skill: " + w.Dir,
		"Relative paths in this skill (e.g., scripts/, reference/) are relative to this base directory.",
		"Note: file list is sampled.", "", "<skill_files>", strings.Join(files[:min(len(files), 10)], "\n"), "</skill_files>", "</skill_content>",
	}, "\n")
}

// These are the limits of the read tool (see tool/read.ts in opencode's source code).
const (
	maxLines      = 2000
	maxLineLength = 2000
	maxBytes      = 50 << 10
)

// read returns the read tool's result for a file (see case n05 and, for long files, opencode's
// source code).
func read(path, text string) string {
	lines := fileLines(text)
	var b strings.Builder
	b.WriteString("<path>" + path + "</path>\n<type>file</type>\n<content>\n")
	shown, bytes, cut := 0, 0, false
	for _, line := range lines[:min(len(lines), maxLines)] {
		line = host.CutLine(line, maxLineLength, fmt.Sprintf("... (line truncated to %d chars)", maxLineLength))
		size := len(line)
		if shown > 0 {
			size++
		}
		if cut = bytes+size > maxBytes; cut {
			break
		}
		bytes += size
		if shown > 0 {
			b.WriteByte('\n')
		}
		shown++
		b.WriteString(strconv.Itoa(shown) + ": " + line)
	}
	switch {
	case cut:
		fmt.Fprintf(&b, "\n\n(Output capped at %d KB. Showing lines 1-%d. Use offset=%d to continue.)", maxBytes>>10, shown, shown+1)
	case shown < len(lines):
		fmt.Fprintf(&b, "\n\n(Showing lines 1-%d of %d. Use offset=%d to continue.)", shown, len(lines), shown+1)
	default:
		fmt.Fprintf(&b, "\n\n(End of file - total %d lines)", len(lines))
	}
	b.WriteString("\n</content>")
	return b.String()
}

// list returns the read tool's result for a directory, according to opencode's source code.
func list(path string, names []string) string {
	end := fmt.Sprintf("\n(%d entries)", len(names))
	shown := names
	if len(names) > maxLines {
		shown = names[:maxLines]
		end = fmt.Sprintf("\n(Showing %d of %d entries. Use 'offset' parameter to read beyond entry %d)", len(shown), len(names), len(shown)+1)
	}
	return strings.Join([]string{"<path>" + path + "</path>", "<type>directory</type>", "<entries>", strings.Join(shown, "\n"), end, "</entries>"}, "\n")
}

// jsonText formats a string as JSON in the way JavaScript does, without HTML escapes.
func jsonText(s string) string {
	text, _ := jsonc.Marshal(s, "")
	return strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(string(text))
}

// fileLines splits a file into lines. A trailing line break does not add an empty line.
func fileLines(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
