package body

import (
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// maxNesting is the maximum supported nesting depth of lists and block quotes.
const maxNesting = 32

// walker splits Markdown into blocks. It implements as much of CommonMark as is necessary to
// distinguish text from code, HTML and comments.
type walker struct {
	text string
	// paragraph receives the lines of each paragraph, heading and table row.
	paragraph func(lines []diag.Span)
	// heading, if not nil, receives the lines of each heading outside lists and
	// block quotes, including the underline.
	heading func(lines []diag.Span)
	// definition, if not nil, receives each link reference definition, which has the form
	// "[label]: target".
	definition func(label string, target Link)
	// comment, if not nil, receives each HTML block that begins with a comment. top is set if the
	// block is not in a list or block quote. In that case, the range includes the blank lines after
	// the block.
	comment func(at diag.Span, top bool)
	// quoted, if not nil, receives fenced code blocks and block-level comments.
	quoted func(kind quotation, at diag.Span)
}

// quotation is a kind of Markdown construct whose text may be an example rather than part of the
// instructions.
type quotation uint8

const (
	fenced quotation = iota + 1
	codeSpan
	comment
)

// walk processes the text from the given offset to its end.
func (w *walker) walk(from int) {
	list := make([]diag.Span, 0, strings.Count(w.text[from:], "\n")+1)
	for i := from; i < len(w.text); {
		end := len(w.text)
		if n := strings.IndexByte(w.text[i:], '\n'); n >= 0 {
			end = i + n
		}
		list = append(list, diag.Span{Start: i, End: i + len(strings.TrimSuffix(w.text[i:end], "\r"))})
		i = end + 1
	}
	w.blocks(list, 0)
}

func (w *walker) line(l diag.Span) string { return w.text[l.Start:l.End] }

// blocks processes the lines of the document or of one list item or block quote. It modifies the
// spans in list.
func (w *walker) blocks(list []diag.Span, depth int) {
	if depth > maxNesting {
		return
	}
	for i := 0; i < len(list); {
		rest, indent := unindent(w.line(list[i]))
		switch {
		case rest == "":
			i++
		case indent > 3:
			for i++; i < len(list); i++ {
				if rest, indent := unindent(w.line(list[i])); rest != "" && indent <= 3 {
					break
				}
			}
		case fenceLength(rest) > 0:
			i = w.fencedCode(list, i, rest)
		case htmlEnd(rest, false) != "":
			i = w.html(list, i, rest, depth)
		case isThematicBreak(rest):
			i++
		case isHeading(rest):
			if w.heading != nil && depth == 0 {
				w.heading(list[i : i+1])
			}
			list[i].Start = list[i].End - len(strings.TrimLeft(rest, "#"))
			w.paragraph(list[i : i+1])
			i++
		case rest[0] == '>':
			i = w.quotation(list, i, depth)
		case listMark(rest) > 0:
			i = w.item(list, i, depth)
		case rest[0] == '[' && w.defines(list[i], rest):
			i++
		default:
			first := i
			for i++; i < len(list) && !w.interrupts(w.line(list[i])) && !isUnderline(w.line(list[i])); i++ {
			}
			w.paragraph(list[first:i])
			if i < len(list) && isUnderline(w.line(list[i])) {
				i++
				if w.heading != nil && depth == 0 {
					w.heading(list[first:i])
				}
			}
		}
	}
}

// interrupts reports whether a line ends the preceding paragraph. A line that begins with "|" is a
// table row, and each row is treated as a separate paragraph.
func (w *walker) interrupts(line string) bool {
	rest, indent := unindent(line)
	switch {
	case rest == "":
		return true
	case indent > 3, isAlnum(rest[0]) && !isDigit(rest[0]):
		return false
	case fenceLength(rest) > 0, rest[0] == '>', rest[0] == '|', isThematicBreak(rest), isHeading(rest), htmlEnd(rest, true) != "":
		return true
	}
	n := listMark(rest)
	return n > 0 && n < len(rest) && (!isDigit(rest[0]) || strings.HasPrefix(rest, "1.") || strings.HasPrefix(rest, "1)"))
}

// fencedCode returns the index of the line after the fenced code block that begins at line i. An
// unclosed block extends to the end of list.
func (w *walker) fencedCode(list []diag.Span, i int, opener string) int {
	at := diag.Span{Start: list[i].End - len(opener) + fenceLength(opener), End: len(w.text)}
	for i++; i < len(list); i++ {
		at.End = list[i].End
		if rest, indent := unindent(w.line(list[i])); indent <= 3 && closesFence(rest, opener) {
			at.End -= len(rest)
			i++
			break
		}
	}
	if w.quoted != nil {
		w.quoted(fenced, at)
	}
	return i
}

// closesFence reports whether a line closes the fenced code block that opener begins.
func closesFence(rest, opener string) bool {
	return rest != "" && rest[0] == opener[0] && runLength(rest, 0) >= fenceLength(opener) && isBlank(rest[runLength(rest, 0):])
}

// html processes the HTML block that begins at line i, and returns the index of the line after it.
func (w *walker) html(list []diag.Span, i int, rest string, depth int) int {
	closer := htmlEnd(rest, false)
	if closer == blankLine {
		for i++; i < len(list) && !isBlank(w.line(list[i])); i++ {
		}
		return i
	}
	// Skip only the "<!" of the opener, because "<!-->" is a complete comment.
	first, line := i, rest[2:]
	for i++; i < len(list) && !(strings.Contains(line, ">") && strings.Contains(strings.ToLower(line), closer)); i++ {
		line = w.line(list[i])
	}
	if closer != "-->" {
		return i
	}
	n := strings.Index(line, closer)
	if w.quoted != nil {
		end := len(w.text)
		if n >= 0 {
			end = list[i-1].End - len(line) + n
		}
		w.quoted(comment, diag.Span{Start: list[first].End - len(rest), End: end})
	}
	if n < 0 || w.comment == nil {
		return i
	}
	at := diag.Span{Start: list[first].Start, End: len(w.text)}
	for depth == 0 && i < len(list) && list[i].Start == list[i].End {
		i++
	}
	switch {
	case depth > 0:
		at.End = list[i-1].End
	case i < len(list):
		at.End = list[i].Start
	}
	w.comment(at, depth == 0)
	return i
}

// quotation processes the lines of the block quote that begins at line i, without their ">"
// markers. It returns the index of the line after the quote. A line without a marker is part of the
// quote if it continues a paragraph.
func (w *walker) quotation(list []diag.Span, i, depth int) int {
	first, lazy := i, false
	for ; i < len(list); i++ {
		line := w.line(list[i])
		rest, indent := unindent(line)
		marked := rest != "" && rest[0] == '>' && indent <= 3
		if !marked && (rest == "" || !lazy || w.interrupts(line)) {
			break
		}
		if marked {
			rest = strings.TrimPrefix(rest[1:], " ")
		}
		list[i].Start = list[i].End - len(rest)
		lazy = !isBlank(rest)
	}
	w.blocks(list[first:i], depth+1)
	return i
}

// item processes the list item that begins at line i: its first line and all lines that are
// indented as far as the item's text or that continue its paragraph. It returns the index of the
// line after the item.
func (w *walker) item(list []diag.Span, i, depth int) int {
	rest, indent := unindent(w.line(list[i]))
	mark := listMark(rest)
	text, spaces := unindent(rest[mark:])
	if text == "" || spaces > 4 {
		spaces = 1
	}
	width, first := indent+mark+spaces, i
	list[i].Start = list[i].End - max(len(rest)-mark-spaces, 0)
	lazy := text != ""
	for i++; i < len(list); i++ {
		line := w.line(list[i])
		rest, indent := unindent(line)
		switch {
		case rest == "":
			lazy = false
			list[i].Start = list[i].End
			continue
		case indent >= width:
			for column := 0; column < width; list[i].Start++ {
				if column++; w.text[list[i].Start] == '\t' {
					column += 3 - (column-1)%4
				}
			}
		case !lazy || w.interrupts(line) || listMark(rest) > 0:
			w.blocks(list[first:i], depth+1)
			return i
		}
		lazy = true
	}
	w.blocks(list[first:i], depth+1)
	return i
}

// defines reports whether a line is a link reference definition, and passes the definition to
// w.definition.
func (w *walker) defines(l diag.Span, rest string) bool {
	colon := strings.Index(rest, "]:")
	if colon <= 1 || colon > 1000 || strings.ContainsAny(rest[1:colon], "[]") || isBlank(rest[1:colon]) {
		return false
	}
	at := l.End - len(rest) + colon + 2
	for at < l.End && (w.text[at] == ' ' || w.text[at] == '\t') {
		at++
	}
	target, end, ok := destination(w.text[:l.End], at)
	if !ok || end == at {
		return false
	}
	if after := w.text[end:l.End]; !isBlank(after) {
		t := strings.TrimSpace(after)
		if n, ok := title(t, 0); after[0] != ' ' && after[0] != '\t' || !ok || n < len(t) {
			return false
		}
	}
	if w.definition != nil {
		w.definition(rest[1:colon], target)
	}
	return true
}

// unindent returns a line without its indentation, and the indentation's width in columns.
func unindent(line string) (rest string, indent int) {
	for i := range len(line) {
		switch line[i] {
		case ' ':
			indent++
		case '\t':
			indent += 4 - indent%4
		default:
			return line[i:], indent
		}
	}
	return "", indent
}

// fenceLength returns the length of the fence at the start of a line, or 0.
func fenceLength(rest string) int {
	if rest == "" || rest[0] != '`' && rest[0] != '~' {
		return 0
	}
	n := runLength(rest, 0)
	if n < 3 || rest[0] == '`' && strings.IndexByte(rest[n:], '`') >= 0 {
		return 0
	}
	return n
}

func isHeading(rest string) bool {
	n := len(rest) - len(strings.TrimLeft(rest, "#"))
	return n >= 1 && n <= 6 && (n == len(rest) || rest[n] == ' ' || rest[n] == '\t')
}

func isThematicBreak(rest string) bool {
	mark, marks := rest[0], 0
	for i := range len(rest) {
		if rest[i] == mark {
			marks++
		} else if rest[i] != ' ' && rest[i] != '\t' {
			return false
		}
	}
	return marks >= 3 && (mark == '-' || mark == '*' || mark == '_')
}

// blankLine is the value that htmlEnd returns for an HTML block that ends at a blank line.
const blankLine = "\n"

// htmlEnd returns the lowercase text that ends the HTML block beginning on a line, or "" if no
// block begins there. If inParagraph is set, only tags that interrupt a paragraph begin a block.
func htmlEnd(rest string, inParagraph bool) string {
	switch {
	case rest[0] != '<' || len(rest) < 3:
		return ""
	case strings.HasPrefix(rest, "<!--"):
		return "-->"
	case rest[1] == '?':
		return "?>"
	case strings.HasPrefix(rest, "<![CDATA["):
		return "]]>"
	case rest[1] == '!' && isAlnum(rest[2]):
		return ">"
	}
	name, closing := strings.CutPrefix(rest[1:], "/")
	end := tagName(name)
	after := name[end:]
	name = strings.ToLower(name[:end])
	if after == "" || strings.Contains(" \t/>", after[:1]) {
		switch name {
		case "pre", "script", "style", "textarea":
			if !closing {
				return "</" + name + ">"
			}
		case "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col", "colgroup",
			"dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame",
			"frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "legend", "li", "link",
			"main", "menu", "menuitem", "meta", "nav", "noframes", "ol", "optgroup", "option", "p", "param", "search", "section",
			"summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "track", "ul":
			return blankLine
		}
	}
	// Any other tag begins a block if nothing else is on its line.
	if n := tagLength(rest); !inParagraph && n > 0 && isBlank(rest[n:]) && !strings.Contains(rest[:n], "@") {
		return blankLine
	}
	return ""
}

// maxTag is the maximum length of a tag.
const maxTag = 4096

// tagPattern matches an HTML tag or a URL in angle brackets.
var tagPattern = lazyregexp.New(`^(?:` +
	`</?[A-Za-z][A-Za-z0-9-]*(?:\s+[\w:.-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>` + "`" + `]+))?)*\s*/?>|` +
	`<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*>|<[A-Za-z0-9][^\s<>@]*@[^\s<>]*>)`)

// tagLength returns the length of the tag or URL at the start of s, or 0.
func tagLength(s string) int {
	s = s[:min(len(s), maxTag)]
	name := strings.TrimPrefix(s[1:], "/")
	end := tagName(name)
	switch {
	case end == 0:
		return 0
	case hasAt(name, end, ">") && !isDigit(name[0]):
		return len(s) - len(name) + end + 1
	}
	return len(tagPattern().FindString(s))
}

// tagName returns the length of the tag name at the start of s, or 0.
func tagName(s string) int {
	end := 0
	for end < len(s) && (isAlnum(s[end]) || end > 0 && s[end] == '-') {
		end++
	}
	return end
}

func isAlnum(c byte) bool { return isWord(c) && c != '_' }

// listMark returns the length of the list marker at the start of s, or 0. The marker must be
// followed by a space, a tab or the end of the line.
func listMark(s string) int {
	if s == "" {
		return 0
	}
	n := 0
	switch c := s[0]; {
	case c == '-' || c == '*' || c == '+':
		n = 1
	case isDigit(c):
		digits, _ := number(s)
		if digits < len(s) && digits < 10 && (s[digits] == '.' || s[digits] == ')') {
			n = digits + 1
		}
	}
	if n == 0 || n < len(s) && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n
}

// lineAt returns the rest of the line starting at i, without its line ending.
func lineAt(text string, i int) string {
	line := text[i:]
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	return strings.TrimSuffix(line, "\r")
}

func isBlank(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}
