package resolve

import (
	"path"
	"strings"

	"github.com/vadehq/vade/definition"
)

// Request is a parsed load request. The syntax is part of the load contract:
//
//	/x    x    command:x             a command
//	.claude/commands/x.md            a definition, given by its file
//	skill:x                          a skill
//	skills: a, b, c                  several skills
//	agent:x    instruction:x         the other kinds
//
// Arguments may follow the name, and the word "load" may precede the request.
type Request struct {
	// Kind is the requested kind, or 0 for a path.
	Kind definition.Kind
	// Any is set if the request does not specify a kind. The name may then be that of a command or
	// a skill.
	Any bool
	// Many is set if the request is a list. Only skills can be loaded as a list, and they take no
	// arguments.
	Many bool
	// Names are the requested names in order, without duplicates.
	Names []string
	// Path is the requested file's path, as written.
	Path string
	// Whole is all of the text after the kind. It is kept because names may contain spaces.
	Whole string
	// Arguments is the text after the name. Words holds the arguments if they were passed
	// separately. If Words is nil, Arguments must be split according to the host's rules.
	Arguments string
	Words     []string
}

// ParseRequest parses a request. If there is only one word, it may contain the whole request and is
// split at whitespace. Otherwise, each word after the first is one argument. ParseRequest never
// fails: for an empty request, it returns a Request without names or a path.
func ParseRequest(words ...string) Request {
	if len(words) > 1 && words[0] == "load" {
		words = words[1:]
	}
	if len(words) == 0 {
		return Request{}
	}
	text := strings.TrimSpace(words[0])
	if rest, ok := cutWord(text, "load"); ok && len(words) == 1 {
		text = rest
	}
	if list, ok := cutPrefix(text, "skills:"); ok {
		return parseList(strings.Join(append([]string{list}, words[1:]...), " "))
	}
	r := Request{Kind: definition.Command, Any: true}
	for _, k := range definition.Kinds {
		if rest, ok := cutPrefix(text, k.String()+":"); ok {
			r.Kind, r.Any, text = k, false, strings.TrimSpace(rest)
			break
		}
	}
	if text == "" && len(words) > 1 {
		// Treat "skill: x" like "skill:x".
		text, words = strings.TrimSpace(words[1]), words[1:]
	}
	name := text
	if len(words) > 1 {
		r.Words = words[1:]
	} else {
		r.Whole = trimSlash(text, r.Any)
		if i := strings.IndexAny(text, " \t\r\n"); i >= 0 {
			name, r.Arguments = text[:i], strings.TrimLeft(text[i:], " \t\r\n")
		}
	}
	if r.Any && isPath(name) && !strings.HasPrefix(name, "mcp:") {
		r.Kind, r.Path = 0, name
		return r
	}
	if name = trimSlash(name, r.Any); name != "" {
		r.Names = []string{name}
	}
	return r
}

// parseList parses the list after "skills:". Names are separated by commas or,
// if there are none, by whitespace.
func parseList(list string) Request {
	r := Request{Kind: definition.Skill, Many: true}
	divided := strings.Split(list, ",")
	if len(divided) == 1 {
		divided = strings.Fields(list)
	}
	seen := map[string]bool{}
	for _, name := range divided {
		name = strings.TrimSpace(name)
		if rest, ok := cutPrefix(name, "skill:"); ok {
			name = strings.TrimSpace(rest)
		}
		if name != "" && !seen[name] {
			seen[name] = true
			r.Names = append(r.Names, name)
		}
	}
	return r
}

// trimSlash removes the leading slash from a command's name.
func trimSlash(name string, command bool) string {
	if command {
		return strings.TrimPrefix(name, "/")
	}
	return name
}

// isPath reports whether a name is a file path. It recognizes paths by a definition's file
// extension, or by a prefix such as "./".
func isPath(name string) bool {
	for _, begin := range [...]string{"./", "../", "~/"} {
		if strings.HasPrefix(name, begin) {
			return true
		}
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".mdc", ".toml", ".js":
		// With a leading slash, a path must contain another slash: "/x.md" is the command x.md.
		return !strings.HasPrefix(name, "/") || strings.Contains(name[1:], "/")
	}
	return false
}

func cutPrefix(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

func cutWord(s, word string) (string, bool) {
	rest, ok := strings.CutPrefix(s, word)
	if !ok || rest == "" || strings.TrimLeft(rest, " \t") == rest {
		return s, false
	}
	return strings.TrimSpace(rest), true
}
