package scaffold

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/config"
)

// maxNewName is the longest name in characters (documented: the Agent Skills
// specification; Codex and Copilot drop a skill with a longer one).
const maxNewName = 64

// newName returns the name of a definition that is made, with colons between its parts;
// an error says why it can not be used, with one that can. The letters are those that the
// Agent Skills specification allows: some hosts drop or rename what has others.
func newName(kind definition.Kind, name string) (string, error) {
	if name == "" {
		return "", newError(ErrName, "name it: vade new "+kind.String()+" NAME", "the %s has no name", kind)
	}
	parts := []string{name}
	if kind == definition.Command {
		parts = strings.Split(strings.ReplaceAll(name, ":", "/"), "/")
	}
	fix := "use small letters, digits and single hyphens between them"
	if near := nearName(name); near != "" && near != name {
		fix += ", such as " + near
	}
	for _, part := range parts {
		switch {
		case !utf8.ValidString(part) || !isNewName(part):
			return "", newError(ErrName, fix, "the name %q has other characters", name)
		case config.BadPath(part) != "":
			return "", newError(ErrName, "give it another name, such as "+part+"-"+kind.String(), "the name %q %s", name, config.BadPath(part))
		case slices.Contains(reservedNames(kind), part):
			return "", newError(ErrName, "give it another name, such as "+part+"-"+kind.String(), "a file of the name %q is no %s of that name in every host", part, kind)
		}
	}
	whole := strings.Join(parts, ":")
	if utf8.RuneCountInString(whole) > maxNewName {
		return "", newError(ErrName, "shorten it", "the name has %d characters; some hosts take at most %d", utf8.RuneCountInString(whole), maxNewName)
	}
	return whole, nil
}

// reservedNames are names whose files mean something else to some host: README is
// documentation, index stands for its directory, and SKILL.md is a skill (the rules of
// the neutral view rest on these).
func reservedNames(kind definition.Kind) []string {
	switch kind {
	case definition.Command:
		return []string{"readme", "index", "skill"}
	case definition.Agent:
		return []string{"readme"}
	}
	return nil
}

func isNewName(s string) bool {
	last := byte('-')
	for i := range len(s) {
		c := s[i]
		if c == '-' && last == '-' || c != '-' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
		last = c
	}
	return last != '-'
}

// nearName is the name in letters that can be used, "" where nothing is left of it.
func nearName(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(path.Base(strings.ReplaceAll(name, "\\", "/"))) {
		switch {
		case b.Len() == maxNewName:
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.TrimRight(b.String(), "-")
}

// owned refuses a name that a host has for something of its own.
func (m *maker) owned() error {
	for _, p := range m.hosts {
		own := false
		switch m.kind {
		case definition.Skill, definition.Command:
			own = p.Prompt != nil && slices.Contains(p.Prompt.Own, m.name)
		case definition.Agent:
			own = p.Listing != nil && slices.Contains(p.Listing.OwnAgents, m.name)
		}
		if own {
			return newError(ErrName, "give it another name", "%s has %s of its own that is called %s", p.Name, article(m.kind), m.name)
		}
	}
	return nil
}

func article(k definition.Kind) string {
	if k == definition.Agent || k == definition.Instruction {
		return "an " + k.String()
	}
	return "a " + k.String()
}

// titleOf is a name as a heading.
func titleOf(name string) string {
	words := strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == ':' }), " ")
	if words == "" {
		return ""
	}
	return strings.ToUpper(words[:1]) + words[1:]
}

// CheckName says why a name can not be that of a definition which is made, as [New]
// does; nil where it can.
func CheckName(kind definition.Kind, name string) error {
	_, err := newName(kind, name)
	return err
}
