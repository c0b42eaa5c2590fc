package instructions

import (
	"strings"

	"github.com/vadehq/vade/internal/chars"
)

// tag is the element in which the neutral view puts instructions.
const tag = "custom-instructions"

// Section are the instructions of one source, for the neutral view.
type Section struct {
	// Source says whose they are: "managed", "user", "repo", "plugin", "bundled".
	Source string
	// Agent is the agent that they are put together for, or "".
	Agent string
	Parts []Part
}

// Part is one file of a section.
type Part struct {
	// Path is the file as it is shown, Note what is said behind it, or "".
	Path, Note string
	// Text is its text, without white space at both ends.
	Text string
}

// Compose returns the text of sections, one element of its own for each that has
// parts. Nothing in a part can end the element or begin one: see [Guard].
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
		return "Instructions of the organisation"
	case "user":
		return "Instructions of the user"
	case "repo":
		return "Instructions of this repository"
	}
	return "Instructions of the " + source + " layer"
}

// Guard returns a text in which no tag ends or begins the element of the neutral
// view, in whatever case and with whatever white space: the "<" of such a tag is
// written as an entity. n is how many there were.
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

// maxBlanks is how much white space may stand in a tag that is still taken for
// one.
const maxInvisible = 64

// isTag reports whether what stands behind a "<" makes it a tag of the element.
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

// hidden reports what a reader does not see: white space, controls and characters
// without width.
func invisible(r rune) bool {
	return chars.IsSpace(r) || r < ' ' || r == 0x7f || r >= 0x200b && r <= 0x200f || r >= 0x2060 && r <= 0x2064
}

// oneLine makes a name harmless in a heading.
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

// attribute makes a name harmless in an attribute.
func attribute(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(oneLine(s))
}
