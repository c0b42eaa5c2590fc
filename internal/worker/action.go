package worker

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/shell"
)

// action describes what an agent wants to do.
type action struct {
	kind, title string
	// command is the command line to execute.
	command string
	// paths lists the files that the action involves.
	paths []string
}

// actionOf returns the action that a tool call performs. Depending on the agent, the command and
// the paths are in different input fields or appear only in the title.
func actionOf(c *toolCall) action {
	a := action{kind: c.ToolKind, title: shorten(c.Title)}
	for _, l := range c.Locations {
		a.paths = append(a.paths, l.Path)
	}
	var input map[string]json.RawMessage
	_ = json.Unmarshal(c.Input, &input)
	for key, value := range input {
		names := make([]string, 1)
		if json.Unmarshal(value, &names[0]) != nil {
			_ = json.Unmarshal(value, &names)
		}
		for _, name := range names {
			if namesFile(key) && name != "" {
				a.paths = append(a.paths, strings.TrimPrefix(name, "file://"))
			}
		}
	}
	slices.Sort(a.paths)
	for _, change := range c.changes() {
		a.paths = append(a.paths, change.Path)
	}
	// A tool call with a command is an execution, even if the agent reports a different kind.
	if _, ok := input["command"]; ok {
		a.kind = "execute"
	}
	if a.kind == "execute" {
		a.command = commandOf(input["command"], input["args"])
		// Gemini CLI 0.61.0 puts the whole command in the title. A truncated title is not used.
		if len(input) == 0 && !strings.HasSuffix(c.Title, "…") && !strings.HasSuffix(c.Title, "...") {
			a.command = c.Title
		}
	}
	return a
}

// namesFile reports whether a tool's input field with this key contains the
// name of a file or directory.
func namesFile(key string) bool {
	key = strings.ToLower(key)
	for _, part := range []string{"text", "content", "string", "pattern"} {
		if strings.Contains(key, part) {
			return false
		}
	}
	for _, part := range []string{"path", "file", "dir", "cwd", "uri", "dest", "source", "target"} {
		if strings.Contains(key, part) {
			return true
		}
	}
	return false
}

// commandOf returns the command line in data, which is a string, a list of words, or a program
// whose arguments are in more.
func commandOf(data, more json.RawMessage) string {
	var text string
	var words, args []string
	if more != nil && json.Unmarshal(more, &args) != nil {
		return ""
	}
	switch {
	case json.Unmarshal(data, &text) == nil && len(args) > 0:
		return shell.Quote(append([]string{text}, args...))
	case json.Unmarshal(data, &text) == nil:
		return text
	case json.Unmarshal(data, &words) == nil && len(words) > 0 && len(args) == 0:
		// A program that has a shell's name but is in another directory may belong to the project.
		script, ok := shell.ScriptOf(words)
		if dir, _ := path.Split(words[0]); ok && slices.Contains([]string{"", "/bin/", "/usr/bin/"}, dir) {
			return script
		}
		return shell.Quote(words)
	}
	return ""
}

// toolsOf returns the neutral names of the tools that perform this kind of action.
func toolsOf(kind string) []string {
	switch kind {
	case "read":
		return []string{"Read", "NotebookRead"}
	case "search":
		return []string{"Grep", "Glob", "LS", "Read"}
	case "edit", "delete", "move":
		return []string{"Edit", "Write", "MultiEdit", "NotebookEdit"}
	case "execute":
		return []string{"Bash"}
	case "fetch":
		return []string{"WebFetch", "WebSearch"}
	}
	return nil
}
