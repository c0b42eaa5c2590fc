package frontmatter

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/vadehq/vade/diag"
)

// chunk is a part of a block that is judged on its own: a line that begins with
// a key, and the lines that belong to it.
type chunk struct {
	start, end int
	// key is the length of the key, 0 for what stands before the first.
	key int
	// joined: lines at the left edge that are no key of their own belong to it.
	joined bool
}

func (c chunk) span() diag.Span { return diag.Span{Start: c.start, End: c.end} }

// chunks divides text before each line that begins with a key at the left edge.
// With join, a line counts as the beginning of a field only if it looks like
// one among prose: others belong to the value before them.
func chunks(text []byte, join bool) []chunk {
	var list []chunk
	for i := 0; i < len(text); {
		end := lineEnd(text, i)
		next := end + breakLen(text[end:])
		line := text[i:end]
		last := len(list) - 1
		switch key := keyEnd(line); {
		case key > 0 && (!join || last < 0 || beginsField(line[:key], list[last].joined)):
			list = append(list, chunk{start: i, end: next, key: key})
		case last < 0:
			list = append(list, chunk{start: i, end: next})
		default:
			c := &list[last]
			c.joined = c.joined || join && c.key > 0 && isJunk(text, *c, line)
			c.end = next
		}
		i = next
	}
	return list
}

// isJunk says whether a line that begins no field is text at the left edge, and
// not a comment, a list item of the chunk's key, or an indented line.
func isJunk(text []byte, c chunk, line []byte) bool {
	switch {
	case len(bytes.TrimSpace(line)) == 0, isBlank(line[0]):
		return false
	case line[0] == '#', line[0] == '-' && len(line) > 1 && isBlank(line[1]):
		return c.joined || line[0] == '-' && hasValue(text, c)
	}
	return true
}

// hasValue says whether something stands behind the key on its line.
func hasValue(text []byte, c chunk) bool {
	i := skipBlanks(text, c.start+c.key+1)
	return i < len(text) && breakLen(text[i:]) == 0 && text[i] != '#'
}

// beginsField says whether a word with a colon at the left edge is a field: not
// one that begins a line of an example dialogue, and not a capitalised word in
// the middle of prose ("Note: ...").
func beginsField(key []byte, inProse bool) bool {
	key = bytes.Trim(key, `"'`)
	if isKnownField(string(key)) {
		return true
	}
	return !isSpeaker(string(key)) && (!inProse || 'a' <= key[0] && key[0] <= 'z')
}

// isKnownField lists the fields of all hosts, in the spelling that they are
// found in.
func isKnownField(key string) bool {
	switch key {
	case "name", "description", "when_to_use", "when-to-use", "whenToUse", "title", "summary",
		"argument-hint", "arguments", "args", "model", "effort", "context", "agent", "mode", "shell", "version", "license",
		"compatibility", "metadata", "keywords", "tags", "category", "author", "color", "tools", "allowed-tools",
		"allowed_tools", "allowedTools", "disallowed-tools", "disallowedTools", "paths", "globs", "alwaysApply",
		"applyTo", "excludeAgent", "target", "agents", "skills", "useSkills", "hooks", "mcpServers", "mcp-servers",
		"handoffs", "user-invocable", "disable-model-invocation", "permissionMode", "maxTurns", "memory",
		"background", "isolation", "initialPrompt", "temperature", "hasArchitectureAccess", "dependencies",
		"trigger", "inclusion", "type", "id", "icon", "readonly", "subtask", "permission", "aliases":
		return true
	}
	return false
}

// isSpeaker lists the words that begin lines in the examples of agents'
// descriptions.
func isSpeaker(word string) bool {
	switch word {
	case "Context", "user", "User", "assistant", "Assistant", "commentary", "Commentary", "Example", "Examples", "example", "examples", "human", "Human", "system", "System":
		return true
	}
	return false
}

// isDialogue says whether a block has an example dialogue at its left edge,
// whose lines look like fields to the first stage of repair, or unknown fields
// that occur twice.
func isDialogue(text []byte) bool {
	seen := map[string]bool{}
	for _, c := range chunks(text, false) {
		key := string(text[c.start : c.start+c.key])
		if isSpeaker(key) || seen[key] && !isKnownField(key) {
			return true
		}
		seen[key] = true
	}
	return false
}

func sortEdits(edits []edit) {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.span.Start, b.span.Start) })
}
