package host

import (
	"strings"
	"unicode"

	"github.com/vadehq/vade/definition"
)

// Calls says how the definitions of a host are called, by a user in a prompt and
// by a model, and what a call makes of their bodies.
type Calls struct {
	// Prefix stands before the name of a definition at the beginning of a prompt;
	// "": the kind can not be called so. Kinds are the kinds in the order in which
	// a name is looked for. NameEnds are the characters that end a name; "" is any
	// white space.
	Prefix   func(definition.Kind) string
	Kinds    []definition.Kind
	NameEnds string
	// User is what a call by a user makes of a body, Model one by a model; nil
	// where there is no such call.
	User, Model func(definition.Kind) *Template
	// AsText says why a host sends a call of a kind as the text that it is, and
	// what to do instead; "" where it does not.
	AsText func(definition.Kind) (why, fix string)
	// Gone says why a name that no definition has is text, where the host once
	// knew what it calls; "" where it never did.
	Gone func(name string) (why, fix string)
	// Mentions finds the skills that a text names at any place, nil finds none.
	// The texts of those follow the prompt.
	Mentions func(text string) []SkillMention
	// Follow is what the user's text becomes where a call attaches the body; nil
	// where the body is the user's text.
	Follow func(Wrapped) string
	// Missing is the answer to a model that calls what is not there.
	Missing func(name string, available []string) string
	// Unknown is what the host ends with where a user calls what is not there; nil
	// sends the prompt as text.
	Unknown func(name string, available []string) string
	// Launching is the answer of the tool by which a model loads a skill, where
	// the text of the skill is a message behind it; nil: the text is the answer.
	Launching func(name string) string
	// Loaded takes the place of a text that the session has already; nil sends it
	// again.
	Loaded func(name string) string
	// ByFile: a model loads a skill by reading its file.
	ByFile bool
	// Workers are the host's own agents that run in a conversation of their own,
	// WorkerMode the value of "mode" that makes one of an agent. A command for
	// such an agent does too.
	Workers    []string
	WorkerMode string
	// Mentioned says what becomes of the files that the text of a call mentions;
	// nil: of nothing.
	Mentioned *MentionedFiles
}

// SkillMention is a skill that a text names, by its name alone or with the path
// of its file.
type SkillMention struct{ Name, Path string }

// MentionedFiles says what becomes of files that a text mentions.
type MentionedFiles struct {
	// Tool is the name of the tool that the host says it has called for one.
	Tool string
	// Announce stands before the text of one, File is that text, and Directory
	// what stands for a directory.
	Announce  func(path string) string
	File      func(path, text string) string
	Directory func(path string, names []string) string
	// Agent stands for an agent that is mentioned like a file.
	Agent func(name string) string
}

// NoPrefix is the prefix of what no user can call.
func NoPrefix(definition.Kind) string { return "" }

// Slash is the prefix of skills and commands that are called by "/".
func Slash(k definition.Kind) string {
	if k == definition.Skill || k == definition.Command {
		return "/"
	}
	return ""
}

// TypedCall is what a user types for a prefix.
func TypedCall(prefix func(definition.Kind) string) func(definition.Kind, string) string {
	return func(k definition.Kind, name string) string {
		if p := prefix(k); p != "" {
			return p + name
		}
		return ""
	}
}

// ToolCall is the call of a tool by which a model loads skills.
func ToolCall(tool string, kinds ...definition.Kind) func(definition.Kind, string) string {
	return func(k definition.Kind, name string) string {
		for _, one := range kinds {
			if one == k {
				return tool + "(" + name + ")"
			}
		}
		return ""
	}
}

// ReadingCall is what a model does that has no tool for skills.
func ReadingCall(k definition.Kind, name string) string {
	if k == definition.Skill {
		return "reads the SKILL.md of " + name
	}
	return ""
}

// TemplateFor returns a template for one kind.
func TemplateFor(kind definition.Kind, t *Template) func(definition.Kind) *Template {
	return func(k definition.Kind) *Template {
		if k == kind {
			return t
		}
		return nil
	}
}

// WholeFile is what a model sees that reads the file of a skill.
func WholeFile() func(definition.Kind) *Template {
	return TemplateFor(definition.Skill, &Template{Whole: true})
}

// QuotedFields divides a line at white space where no quotes are open; of two
// quotes one opens and the next of its kind closes. An empty word is none. any:
// all white space divides; otherwise the blank and the tab.
func QuotedFields(line string, any bool) []string {
	var words []string
	var word strings.Builder
	var quote rune
	end := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote = r
		case r == ' ' || r == '\t' || any && unicode.IsSpace(r):
			end()
		default:
			word.WriteRune(r)
		}
	}
	end()
	return words
}
