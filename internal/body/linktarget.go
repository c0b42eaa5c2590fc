package body

import (
	"strings"

	"github.com/vadehq/vade/diag"
)

// linkTarget reads the part of an inline link behind its "(", and returns where it ends.
func linkTarget(text string, i int) (Link, int, bool) {
	i = skipBlanks(text, i)
	if hasAt(text, i, ")") {
		return Link{Span: diag.Span{Start: i, End: i}}, i + 1, true
	}
	target, i, ok := destination(text, i)
	if !ok {
		return Link{}, 0, false
	}
	behind := skipBlanks(text, i)
	if behind > i && behind < len(text) {
		if end, ok := title(text, behind); ok {
			behind = skipBlanks(text, end)
		}
	}
	return target, behind + 1, hasAt(text, behind, ")")
}

// skipBlanks passes over blanks and at most one line end.
func skipBlanks(text string, i int) int {
	lines := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case ' ', '\t', '\r':
		case '\n':
			if lines++; lines > 1 {
				return i
			}
		default:
			return i
		}
	}
	return i
}

// maxParens is how deep the parentheses of a target may be nested.
const maxParens = 32

// destination reads the target at i, and returns where it ends.
func destination(text string, i int) (Link, int, bool) {
	start := i
	if hasAt(text, i, "<") {
		for i++; i < len(text) && text[i] != '\n' && text[i] != '<'; i++ {
			switch text[i] {
			case '\\':
				i++
			case '>':
				return Link{text[start+1 : i], diag.Span{Start: start + 1, End: i}}, i + 1, true
			}
		}
		return Link{}, 0, false
	}
	depth := 0
loop:
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && text[i+1] > ' ':
			i++
		case c == '(':
			if depth++; depth > maxParens {
				return Link{}, 0, false
			}
		case c == ')':
			if depth--; depth < 0 {
				break loop
			}
		case c <= ' ' || c == 0x7f:
			break loop
		}
	}
	return Link{text[start:i], diag.Span{Start: start, End: i}}, i, depth <= 0 && i > start
}

// maxTitle is the longest title, in bytes: the bound that keeps the time linear.
const maxTitle = 2000

// title reads the title at i, which ends in the paragraph, and returns where.
func title(text string, i int) (int, bool) {
	closing := text[i]
	text = text[:min(len(text), i+maxTitle)]
	switch closing {
	case '"', '\'':
	case '(':
		closing = ')'
	default:
		return 0, false
	}
	for i++; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == closing:
			return i + 1, true
		case c == '(' && closing == ')':
			return 0, false
		case c == '\n' && isBlank(lineAt(text, i+1)):
			return 0, false
		}
	}
	return 0, false
}

// htmlBlock is a block of HTML, in which nothing is Markdown: the zero value is
// none, blankEnds one that ends at a blank line, and another one that ends behind
// the tag that it names.
type htmlBlock string

const blankEnds htmlBlock = "\n"

// inside reports whether a line belongs to the block, and ends it where it does.
func (h *htmlBlock) inside(line string) bool {
	switch {
	case *h == "":
		return false
	case *h == blankEnds:
		if line == "" {
			*h = ""
			return false
		}
	case containsFold(line, string(*h)):
		*h = ""
	}
	return true
}

// begins reports whether a block begins with a line, without the blanks before it.
func (h *htmlBlock) begins(line string, paragraph bool) bool {
	rest, ok := strings.CutPrefix(line, "<")
	if !ok {
		return false
	}
	rest, closing := strings.CutPrefix(rest, "/")
	n := 0
	for n < len(rest) && (isWord(rest[n]) && rest[n] != '_' || rest[n] == '-') {
		n++
	}
	name := strings.ToLower(rest[:n])
	if n < len(rest) && strings.IndexByte(" \t>", rest[n]) < 0 && !strings.HasPrefix(rest[n:], "/>") {
		return false
	}
	switch name {
	case "pre", "script", "style", "textarea":
		if !closing {
			if end := "</" + name + ">"; !containsFold(line, end) {
				*h = htmlBlock(end)
			}
			return true
		}
	case "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col", "colgroup", "dd",
		"details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame", "frameset",
		"h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "legend", "li", "link", "main", "menu",
		"menuitem", "nav", "noframes", "ol", "optgroup", "option", "p", "param", "search", "section", "summary", "table", "tbody",
		"td", "tfoot", "th", "thead", "title", "tr", "track", "ul":
		*h = blankEnds
		return true
	}
	// Any other whole tag alone on its line begins one too, but not in a paragraph.
	if tag := strings.TrimRight(line, " \t"); !paragraph && n > 0 && !isDigit(rest[0]) && strings.IndexByte(tag, '>') == len(tag)-1 {
		*h = blankEnds
		return true
	}
	return false
}

// containsFold reports whether a text has another in it, in whatever capitals.
func containsFold(s, sub string) bool { return strings.Contains(strings.ToLower(s), sub) }
