package instructions

import (
	"strings"

	"github.com/vadehq/vade/internal/chars"
)

// tag is the name of the element around instructions in the neutral view.
const tag = "custom-instructions"

// Section holds the instructions from one source, for the neutral view.
type Section struct {
	// Source is "managed", "user", "repo", "plugin" or "bundled".
	Source string
	// Agent is the agent that the instructions are for, or "" for the main conversation.
	Agent string
	Parts []Part
}

// Part is one file in a section.
type Part struct {
	// Path is the display path. Note is an optional remark that follows it.
	Path, Note string
	// Text is the trimmed text.
	Text string
}

// FormatSections formats each section that has parts as one element. A part's text cannot open or
// close an element; see [EscapeTags].
func FormatSections(sections []Section) string {
	var b strings.Builder
	for _, s := range sections {
		if len(s.Parts) == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString("<" + tag + ` source="` + attribute(s.Source) + `"`)
		if s.Agent != "" {
			b.WriteString(` agent="` + attribute(s.Agent) + `"`)
		}
		b.WriteString(">\n## " + heading(s.Source) + "\n")
		for _, p := range s.Parts {
			b.WriteString("\n### " + oneLine(p.Path))
			if p.Note != "" {
				b.WriteString(" (" + oneLine(p.Note) + ")")
			}
			text, _ := EscapeTags(p.Text)
			b.WriteString("\n\n" + text + "\n")
		}
		b.WriteString("\n</" + tag + ">")
	}
	return b.String()
}

func heading(source string) string {
	switch source {
	case "managed":
		return "Organization instructions"
	case "user":
		return "User instructions"
	case "repo":
		return "Repository instructions"
	}
	return "Instructions from the " + source + " layer"
}

// EscapeTags escapes the "<" in tags that open or close the neutral view's
// element, regardless of case and whitespace. n is the number of such tags.
func EscapeTags(text string) (guarded string, n int) {
	var b strings.Builder
	from := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '<' || !isTag(text[i+1:]) {
			continue
		}
		b.WriteString(text[from:i])
		b.WriteString("&lt;")
		from, n = i+1, n+1
	}
	if n == 0 {
		return text, 0
	}
	b.WriteString(text[from:])
	return b.String(), n
}

// maxInvisible is the maximum number of invisible characters in a recognized tag.
const maxInvisible = 64

// isTag reports whether the text after a "<" makes it one of the element's tags.
func isTag(rest string) bool {
	rest = skipInvisible(rest)
	if strings.HasPrefix(rest, "/") {
		rest = skipInvisible(rest[1:])
	}
	return len(rest) >= len(tag) && strings.EqualFold(rest[:len(tag)], tag)
}

func skipInvisible(s string) string {
	head := s[:min(len(s), maxInvisible)]
	return s[len(head)-len(strings.TrimLeftFunc(head, invisible)):]
}

// invisible reports whether r is invisible to readers: whitespace, a control character or a
// zero-width character.
func invisible(r rune) bool {
	return chars.IsSpace(r) || r < ' ' || r == 0x7f || r >= 0x200b && r <= 0x200f || r >= 0x2060 && r <= 0x2064
}

// oneLine sanitizes a name for use in a heading.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if invisible(r) && r != ' ' {
			return ' '
		}
		return r
	}, s)
	s, _ = EscapeTags(s)
	return s
}

// attribute escapes a name for use in an attribute.
func attribute(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(oneLine(s))
}
