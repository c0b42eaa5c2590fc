package gemini

import (
	"fmt"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
)

// prompt describes calls in Gemini CLI 0.61.0, according to case n05 and Gemini CLI's source code.
func prompt() *host.Prompt {
	return &host.Prompt{
		UserCall:  host.TypedCall(host.Slash),
		ModelCall: host.ToolCall("activate_skill", definition.Skill),
		// From the source (BuiltinCommandLoader.ts).
		Own: []string{
			"about", "agents", "auth", "bug", "chat", "clear", "commands", "compress", "copy", "directory", "docs", "editor", "extensions", "footer", "help",
			"hooks", "ide", "init", "mcp", "memory", "model", "permissions", "plan", "policies", "privacy", "quit", "restore", "resume", "rewind", "settings",
			"setup-github", "shells", "shortcuts", "skills", "stats", "terminal-setup", "theme", "tools", "upgrade", "vim",
		},
		Calls: &host.Calls{
			Prefix: host.Slash, Kinds: []definition.Kind{definition.Command, definition.Skill},
			User: host.TemplateFor(definition.Command, template()),
			// From the source (tools/activate-skill.ts).
			Model: host.TemplateFor(definition.Skill, &host.Template{Trim: true, Wrap: skillText, Resources: 200, Closed: []string{"node_modules", ".git", "dist", "__pycache__"}}),
			AsText: func(k definition.Kind) (why, fix string) {
				if k != definition.Skill {
					return "", ""
				}
				// Without a terminal, skills are not commands (case n07). With a terminal, the host
				// calls the tool itself, according to SkillCommandLoader.ts in Gemini CLI's source
				// code.
				return "skills can be invoked as commands only in interactive mode, where the host calls activate_skill",
					"to render that call, use --by model"
			},
			Missing: func(name string, available []string) string {
				return "Error: Skill \"" + name + "\" not found. Available skills are: " + strings.Join(available, ", ")
			},
		},
	}
}

// template describes how commands are rendered. The host inserts files first. It then finds the
// shell commands in each part of the text and inserts arguments around and inside them (see case
// n05 and prompt-processors in Gemini CLI's source code).
func template() *host.Template {
	return &host.Template{
		Steps: []host.Step{
			{InBody: true, Files: BracedFiles(file, ".gitignore", ".geminiignore")},
			{
				InBody: true, Places: &host.Placeholders{All: []string{"{{args}}"}, Patterns: true},
				Shell: BracedShell(status),
			},
			{Append: Invocation},
		},
	}
}

// BracedShell returns the syntax for "!{command}", which may contain "{{args}}". status returns the
// text that follows a command's output.
func BracedShell(status func(string, int) string) *host.ShellSyntax {
	return &host.ShellSyntax{
		Open: "!{", Braces: true, Quoted: []string{"{{args}}"}, Quote: QuoteArgument, ErrorsToo: true, Status: status,
		Refused: func(name, command string) string {
			return name + " cannot be run. Blocked command: \"" + command + "\". Reason: Blocked by policy."
		},
	}
}

// BracedFiles returns the syntax for "@{path}". content returns the part of a file's text to
// include. ignored lists the names of ignore files, such as .gitignore.
func BracedFiles(content func(string) string, ignored ...string) *host.FileSyntax {
	return &host.FileSyntax{
		Open: "@{", Content: content, Ignored: ignored,
		Begin: func(path string) string { return "--- Start of content for directory: " + path + " ---\n" },
		Each:  func(path string) string { return "--- " + path + " ---\n" },
		After: "\n",
		End:   func(path string) string { return "--- End of content for directory: " + path + " ---" },
	}
}

// Invocation returns the text that Gemini CLI and Qwen Code append to a body without argument
// placeholders, which is the user's full input, according to argumentProcessor.ts in Gemini CLI's
// source code.
func Invocation(c host.Called) string {
	if c.Arguments == "" {
		return ""
	}
	return "\n\n" + c.Invocation
}

// status returns the text that follows a command's output. Because the host runs commands in a
// terminal, it reports a successful command as terminated by signal 0 (case n05).
func status(command string, status int) string {
	if status != 0 {
		return fmt.Sprintf("\n[Shell command '%s' exited with code %d]", command, status)
	}
	return "\n[Shell command '" + command + "' terminated by signal 0]"
}

// file truncates an inserted file to 2,000 lines of at most 2,000 characters each, according to
// fileUtils.ts in Gemini CLI's source code.
func file(text string) string {
	const most = 2000
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	lines = lines[:min(len(lines), most)]
	for i := range lines {
		lines[i] = host.CutLine(lines[i], most, "... [truncated]")
	}
	return strings.Join(lines, "\n")
}

// skillText returns the result of activate_skill, according to tools/activate-skill.ts in Gemini
// CLI's source code.
func skillText(w host.Wrapped) string {
	return "<activated_skill name=\"" + w.Name + "\">\n  <instructions>\n    " + w.Body +
		"\n  </instructions>\n\n  <available_resources>\n    " + folder(w.Dir, &w.Resources) + "\n  </available_resources>\n</activated_skill>"
}

// folder returns a directory's content as a tree drawn in text, according to getFolderStructure.ts
// in Gemini CLI's source code.
func folder(dir string, f *host.Folder) string {
	text := "Showing up to 200 items (files + folders)."
	if cutShort(f) {
		text += " Folders or files indicated with ... contain more items not shown, were ignored, or the display limit (200 items) was reached."
	}
	return text + "\n\n" + dir + "/\n" + strings.Join(drawn(nil, f, ""), "\n")
}

// cutShort reports whether some entries in a folder were omitted.
func cutShort(f *host.Folder) bool {
	if f.Closed || f.MoreFiles || f.MoreFolders {
		return true
	}
	for i := range f.Folders {
		if cutShort(&f.Folders[i]) {
			return true
		}
	}
	return false
}

// drawn appends the lines of the tree for a folder's content.
func drawn(lines []string, f *host.Folder, indent string) []string {
	line := func(last bool, text string) string {
		if last {
			return indent + "└───" + text
		}
		return indent + "├───" + text
	}
	foldersFollow := len(f.Folders) > 0 || f.MoreFolders
	for i, name := range f.Files {
		lines = append(lines, line(i == len(f.Files)-1 && !foldersFollow, name))
	}
	if f.MoreFiles {
		lines = append(lines, line(!foldersFollow, "..."))
	}
	for i := range f.Folders {
		sub := &f.Folders[i]
		last := i == len(f.Folders)-1 && !f.MoreFolders
		if sub.Closed {
			lines = append(lines, line(last, sub.Name+"/..."))
			continue
		}
		deeper := indent + "│   "
		if last {
			deeper = indent + "    "
		}
		lines = drawn(append(lines, line(last, sub.Name+"/")), sub, deeper)
	}
	if f.MoreFolders {
		lines = append(lines, indent+"└───...")
	}
	return lines
}

// QuoteArgument quotes a shell argument like shell-quote 1.8.3, which Gemini CLI and Qwen Code use.
// An empty argument disappears, according to shell-utils.ts in Gemini CLI's source code.
func QuoteArgument(s string) string {
	special := strings.ContainsFunc(s, chars.IsSpace)
	switch {
	case s == "":
		return ""
	case (special || strings.ContainsAny(s, "\"\\")) && !strings.Contains(s, "'"):
		return "'" + s + "'"
	case special || strings.ContainsAny(s, "\"'"):
		return "\"" + escapeEach(s, "\"\\$`!") + "\""
	}
	return escapeEach(s, "#!\"$&'()*,:;<=>?@[\\]^`{|}")
}

// escapeEach escapes the characters in set with a backslash. As in shell-quote's regular
// expression, the colon in a drive name such as "C:" is not escaped if a character in set follows
// it.
func escapeEach(s, set string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if drive := i+2 < len(s) && host.IsLetter(s[i]) && s[i+1] == ':' && strings.IndexByte(set, s[i+2]) >= 0 && strings.IndexByte(set, ':') >= 0; drive {
			b.WriteString(s[i:i+2] + "\\" + s[i+2:i+3])
			i += 2
			continue
		}
		if strings.IndexByte(set, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
