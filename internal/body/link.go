package body

import (
	"iter"
	"strings"

	"github.com/vadehq/vade/diag"
)

// Link is where a link or an image of a text leads to.
type Link struct {
	// Target is written as it stands in the text, Span its place.
	Target string
	Span   diag.Span
}

// maxLabels is the number of labels in brackets that are remembered for the
// definitions of reference links.
const maxLabels = 10_000

// Links gives the links and images of a Markdown text that are not in code, in
// comments or in blocks of HTML, by the rules of CommonMark 0.31: inline ones in
// their order, and then the definitions of reference links that are referred to.
// The time is linear in the text.
func Links(text string) iter.Seq[Link] {
	return func(yield func(Link) bool) {
		l := linker{text: text, yield: yield, labels: map[string]bool{}}
		for i := 0; i < len(text) && !l.done; {
			i = l.line(i)
		}
		for _, d := range l.definitions {
			if !l.done && l.labels[d.label] {
				l.done = !yield(d.Link)
			}
		}
	}
}

type definition struct {
	Link
	label string
}

// linker goes through a text line by line, and through a line mark by mark.
type linker struct {
	text  string
	yield func(Link) bool
	done  bool
	markdown
	// open are the brackets of the paragraph that are not closed yet, by where they
	// stand; those below inactive can not be of a link any more, since a link holds
	// no other.
	open     []int
	inactive int
	// html is the block of HTML that the line is in, paragraph that text stands
	// before the line in its block, indented that code may begin by indenting.
	html      htmlBlock
	paragraph bool
	list      bool
	// labels are the texts in brackets that are no inline link.
	labels      map[string]bool
	definitions []definition
}

// line deals with the line at i and returns where the next begins.
func (l *linker) line(i int) int {
	line := lineAt(l.text, i)
	end := i + len(line)
	next := min(end+1, len(l.text))
	if end < len(l.text) && l.text[end] == '\r' {
		next = min(end+2, len(l.text))
	}
	if i < l.commentEnd {
		l.reset()
		return l.marks(i, end, next)
	}
	if l.fence.length == 0 {
		if l.passedOver(line) {
			l.reset()
			return next
		}
		if beginsBlock(line) {
			l.reset()
		}
		if !l.paragraph {
			if at, ok := l.definition(i, line); ok {
				return at
			}
		}
		l.paragraph = !isBlank(line)
	}
	return l.marks(i, end, next)
}

// reset forgets the brackets of the paragraph before.
func (l *linker) reset() { l.open, l.inactive, l.paragraph = l.open[:0], 0, false }

// passedOver reports whether a line is in a block of HTML or is code by its
// indentation.
func (l *linker) passedOver(line string) bool {
	trimmed := strings.TrimLeft(line, " \t")
	if l.html.inside(trimmed) {
		return true
	}
	if trimmed == "" {
		return false
	}
	columns := indentation(line)
	switch {
	case listMark(trimmed) > 0 && (columns < 4 || l.list):
		l.list = true
	case columns == 0 && !l.paragraph:
		l.list = false
	}
	if columns >= 4 && !l.paragraph && !l.list {
		return true
	}
	return columns < 4 && l.html.begins(trimmed, l.paragraph)
}

// indentation is the number of columns before the text of a line.
func indentation(line string) int {
	n := 0
	for _, c := range []byte(line) {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 4 - n%4
		default:
			return n
		}
	}
	return n
}

// marks deals with what stands in a line from i to end. A link may end on a later
// line.
func (l *linker) marks(i, end, next int) int {
	for i < end && !l.done {
		c := l.text[i]
		switch c {
		case '`', '~':
			n := runLength(l.text, i)
			l.edge(l.text, i, n)
			i += n
			continue
		case '<':
			i = l.openComment(l.text, i)
			continue
		case '\\':
			i++
			if l.plain(i) && i < end && l.text[i] == '`' {
				i += runLength(l.text, i) - 1
			}
		case '[':
			if l.plain(i) {
				l.open = append(l.open, i)
			}
		case ']':
			if l.plain(i) && len(l.open) > 0 {
				if at := l.close(i); at > i {
					i = at
					continue
				}
			}
		}
		i++
	}
	return max(i, next)
}

// close deals with the "]" at i, and returns where the link ends, if it is one.
func (l *linker) close(i int) int {
	top := len(l.open) - 1
	from := l.open[top]
	l.open = l.open[:top]
	image := from > 0 && l.text[from-1] == '!'
	active := top >= l.inactive || image
	l.inactive = min(l.inactive, top)
	if active && hasAt(l.text, i+1, "(") {
		if target, end, ok := linkTarget(l.text, i+2); ok {
			l.done = !l.yield(target)
			if !image {
				l.inactive = top
			}
			return end
		}
	}
	if label := l.text[from+1 : i]; len(label) < 1000 && len(l.labels) < maxLabels {
		l.labels[folded(label)] = true
	}
	return i
}

// folded is a label as labels are compared.
func folded(label string) string { return strings.ToLower(strings.Join(strings.Fields(label), " ")) }

// definition takes the definition of a reference link in the line at i, and returns
// where it ends.
func (l *linker) definition(i int, line string) (int, bool) {
	n := 0
	for n < 3 && n < len(line) && line[n] == ' ' {
		n++
	}
	if !strings.HasPrefix(line[n:], "[") {
		return 0, false
	}
	colon := strings.Index(line, "]:")
	if colon <= n+1 || strings.ContainsAny(line[n+1:colon], "[]") || isBlank(line[n+1:colon]) || colon-n > 1000 {
		return 0, false
	}
	at := skipBlanks(l.text, i+colon+2)
	target, end, ok := destination(l.text, at)
	if !ok || end == at {
		return 0, false
	}
	rest := lineAt(l.text, end)
	if title := strings.TrimSpace(rest); title != "" {
		if !strings.ContainsAny(rest[:1], " \t") || !isTitle(title) {
			return 0, false
		}
	}
	if len(l.definitions) < maxLabels {
		l.definitions = append(l.definitions, definition{target, folded(line[n+1 : colon])})
	}
	end += len(rest)
	if end < len(l.text) && l.text[end] == '\r' {
		end++
	}
	return min(end+1, len(l.text)), true
}

// isTitle reports whether a text is one title and nothing else.
func isTitle(s string) bool {
	return len(s) > 1 && (s[0] == '"' && s[len(s)-1] == '"' || s[0] == '\'' && s[len(s)-1] == '\'' || s[0] == '(' && s[len(s)-1] == ')')
}
