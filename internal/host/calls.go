package host

import (
	"strings"
	"unicode"

	"github.com/vadehq/vade/definition"
)

// Calls describes how users and models call the host's definitions, and how a call processes
// their bodies.
type Calls struct {
	// Prefix returns the text that a user types before a definition's name at the start of a
	// prompt. "" means that users cannot call the kind. Kinds are the kinds in lookup order.
	// NameEnds returns the characters that end a name of a kind. "", or nil for all kinds, means any
	// whitespace.
	Prefix   func(definition.Kind) string
	Kinds    []definition.Kind
	NameEnds func(definition.Kind) string
	// User renders a body that a user calls, and Model a body that a model calls. nil means that
	// there is no such call.
	User, Model func(definition.Kind) *Template
	// AsText explains why the host sends a call of a kind as plain text, and what to do instead.
	// It returns "" if the host executes the call.
	AsText func(definition.Kind) (why, fix string)
	// Gone explains that the host sends a name as plain text because only older versions had a
	// command with that name. For any other name it returns "".
	Gone func(name string) (why, fix string)
	// Mentions finds all skills that a prompt mentions; their content follows the prompt. nil
	// finds none.
	Mentions func(text string) []SkillMention
	// Follow renders the user's text if a call attaches the body separately. nil means that the
	// body replaces the user's text.
	Follow func(Wrapped) string
	// Missing is the tool result for a model that calls an unknown skill.
	Missing func(name string, available []string) string
	// Ambiguous is the tool result if several skills have a name that differs only in case. If it is
	// set, models may write names in any case.
	Ambiguous func(name string, names []string) string
	// Unknown is the error for a user who calls an unknown definition. nil means that the prompt
	// is sent as text.
	Unknown func(name string, available []string) string
	// Launching is the result of the skill tool if the skill's text follows in a separate
	// message. nil means that the text itself is the result.
	Launching func(name string) string
	// Loaded replaces content that the session already contains. nil means that the content is
	// sent again.
	Loaded func(name string) string
	// ByFile means that a model loads a skill by reading its file.
	ByFile bool
	// Workers are built-in agents that run in a separate conversation. WorkerMode is the value of
	// "mode" that makes an agent run in one. A command for such an agent also runs in a separate
	// conversation.
	Workers    []string
	WorkerMode string
	// Mentioned describes how the host attaches files that the text of a call mentions. nil means
	// that it attaches none.
	Mentioned *MentionedFiles
}

// SkillMention is a skill mentioned in text, by name and possibly with its file's
// path.
type SkillMention struct{ Name, Path string }

// MentionedFiles describes how mentioned files are attached.
type MentionedFiles struct {
	// Tool is the tool that the host claims to have called for a file.
	Tool string
	// Announce precedes a file's text, File renders the text, and Directory renders a
	// directory.
	Announce  func(path string) string
	File      func(path, text string) string
	Directory func(path string, names []string) string
	// Agent renders an agent that is mentioned like a file.
	Agent func(name string) string
}

// NoPrefix is the prefix of kinds that users cannot call.
func NoPrefix(definition.Kind) string { return "" }

// Slash returns "/" for the kinds that users call, and "" for others.
func Slash(k definition.Kind) string {
	if k.Callable() {
		return "/"
	}
	return ""
}

// TypedCall returns a function that formats a user's call with a prefix.
func TypedCall(prefix func(definition.Kind) string) func(definition.Kind, string) string {
	return func(k definition.Kind, name string) string {
		if p := prefix(k); p != "" {
			return p + name
		}
		return ""
	}
}

// ToolCall returns a function that formats a model's call of a skill tool.
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

// ReadingCall describes how a model without a skill tool loads a skill.
func ReadingCall(k definition.Kind, name string) string {
	if k == definition.Skill {
		return "reads the SKILL.md of " + name
	}
	return ""
}

// TemplateFor returns a function that returns t for one kind and nil for others.
func TemplateFor(kind definition.Kind, t *Template) func(definition.Kind) *Template {
	return func(k definition.Kind) *Template {
		if k == kind {
			return t
		}
		return nil
	}
}

// WholeFile is the template of hosts whose model reads a skill's file itself.
func WholeFile() func(definition.Kind) *Template {
	return TemplateFor(definition.Skill, &Template{Whole: true})
}

// QuotedFields splits a line at whitespace outside quotes. A quote is closed by the next quote of
// the same kind. Empty words are dropped. If any is set, all Unicode whitespace separates words;
// otherwise only spaces and tabs do.
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
