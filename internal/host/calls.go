package host

import (
	"strings"
	"unicode"

	"github.com/vadehq/vade/definition"
)

// Calls describes how users and models call the host's definitions, and how the host processes a
// definition's body when it is called.
type Calls struct {
	// Prefix returns the text that a user types before a definition's name at the start of a
	// prompt, or "" if users cannot call definitions of that kind. Kinds lists the kinds in lookup
	// order. NameEnds returns the characters that end a definition's name in a prompt. If NameEnds
	// is nil or returns "", whitespace ends the name.
	Prefix   func(definition.Kind) string
	Kinds    []definition.Kind
	NameEnds func(definition.Kind) string
	// User returns the template for definitions that a user calls, and Model returns the template
	// for those that a model calls. Each returns nil if the host does not support such calls for
	// the kind.
	User, Model func(definition.Kind) *Template
	// AsText explains why the host sends calls to definitions of the given kind as plain text, and
	// suggests an alternative. It returns "" if the host executes the calls.
	AsText func(definition.Kind) (why, fix string)
	// Interactive is set if AsText does not apply to the host's interactive program.
	Interactive bool
	// Removed returns an explanation for the name of a command that only older versions of the host
	// had. The host sends such a name as plain text. Removed returns "" for other names.
	Removed func(name string) (why, fix string)
	// Mentions finds all skills that a prompt mentions. The host sends their content after the
	// prompt. If Mentions is nil, mentions have no effect.
	Mentions func(text string) []SkillMention
	// Follow returns the text that replaces the user's input on hosts that send the body
	// separately. If Follow is nil, the body replaces the user's input.
	Follow func(Wrapped) string
	// Missing returns the tool result for a model that calls an unknown skill.
	Missing func(name string, available []string) string
	// Ambiguous returns the tool result for a name that matches several skills when case is
	// ignored. If Ambiguous is nil, names are case-sensitive.
	Ambiguous func(name string, names []string) string
	// Unknown returns the error for a user who calls an unknown definition. If nil, the prompt is
	// sent as text.
	Unknown func(name string, available []string) string
	// Launching returns the skill tool's result if the skill's text follows in a separate message.
	// If nil, the text itself is the result.
	Launching func(name string) string
	// Loaded returns the text to send instead of content that the session already contains. If nil,
	// the content is sent again.
	Loaded func(name string) string
	// ByFile is set if a model loads a skill by reading its file.
	ByFile bool
	// Workers lists built-in agents that run in a separate conversation. Other agents run in a
	// separate conversation if their "mode" is WorkerMode. A command assigned to such an agent also
	// runs in a separate conversation.
	Workers    []string
	WorkerMode string
	// Mentioned describes how the host attaches files mentioned in a call. If nil, the host does
	// not attach files.
	Mentioned *MentionedFiles
}

// SkillMention is a mention of a skill in text by the skill's name and, optionally, the path of its
// file.
type SkillMention struct{ Name, Path string }

// MentionedFiles describes how mentioned files are attached.
type MentionedFiles struct {
	// Tool is the name of the tool that, according to the host's message, read the file.
	Tool string
	// Announce returns the text that precedes a file's content. File returns the text for a file,
	// and Directory returns the text for a directory.
	Announce  func(path string) string
	File      func(path, text string) string
	Directory func(path string, names []string) string
	// Agent returns the text for an agent that is mentioned with the same syntax as a file.
	Agent func(name string) string
}

// NoPrefix is a Prefix function for hosts whose users cannot call definitions.
func NoPrefix(definition.Kind) string { return "" }

// Slash returns "/" for kinds that users can call and "" for others.
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

// ToolCall returns a function that formats a model's call to a definition as a tool call. The
// function returns "" if the definition's kind is not one of kinds.
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
		return "reads " + name + "'s SKILL.md"
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

// WholeFile returns a [Calls.Model] function for hosts whose models load a skill by reading its
// whole file.
func WholeFile() func(definition.Kind) *Template {
	return TemplateFor(definition.Skill, &Template{Whole: true})
}

// QuotedFields splits a line at whitespace outside quotes and drops empty words. A quote ends at
// the next quote of the same kind. If any is set, all Unicode whitespace separates words;
// otherwise, only spaces and tabs do.
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
