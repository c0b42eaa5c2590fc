package instructions

import "strings"

// unindent returns a line without the blanks before it, and how many columns they
// take.
func unindent(line string) (rest string, indent int) {
	i := 0
	for ; i < len(line); i++ {
		if line[i] == '\t' {
			indent += 4 - indent%4
		} else if line[i] == ' ' {
			indent++
		} else {
			break
		}
	}
	return line[i:], indent
}

// columns returns how many bytes the first columns of a line take.
func columns(line string, width int) int {
	for i, col := 0, 0; i < len(line); i++ {
		if col >= width || line[i] != ' ' && line[i] != '\t' {
			return i
		}
		if col++; line[i] == '\t' {
			col += 3 - (col-1)%4
		}
	}
	return len(line)
}

// run returns how often the byte at i is repeated.
func run(s string, i int) int {
	n := 1
	for i+n < len(s) && s[i+n] == s[i] {
		n++
	}
	return n
}

// fenceOf returns the length of the fence that begins a line, or 0.
func fenceOf(rest string) int {
	if rest[0] != '`' && rest[0] != '~' {
		return 0
	}
	n := run(rest, 0)
	if n < 3 || rest[0] == '`' && strings.IndexByte(rest[n:], '`') >= 0 {
		return 0
	}
	return n
}

// headingText returns where the text of a heading begins, or -1.
func headingText(rest string) int {
	n := run(rest, 0)
	if n > 6 || n < len(rest) && rest[n] != ' ' && rest[n] != '\t' {
		return -1
	}
	return n
}

// isRule reports whether a line is a rule across the page.
func isRule(rest string) bool {
	c := rest[0]
	if c != '-' && c != '*' && c != '_' {
		return false
	}
	n := 0
	for i := range len(rest) {
		switch rest[i] {
		case c:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}

func isMark(c byte) bool { return c == '-' || c == '*' || c == '+' }

// listMark returns the length of the list mark that begins a line, or 0.
func listMark(rest string) int {
	n := 0
	switch {
	case isMark(rest[0]):
		n = 1
	case '0' <= rest[0] && rest[0] <= '9':
		for n < len(rest) && n < 9 && '0' <= rest[n] && rest[n] <= '9' {
			n++
		}
		if n == len(rest) || rest[n] != '.' && rest[n] != ')' {
			return 0
		}
		n++
	}
	if n == 0 || n < len(rest) && rest[n] != ' ' && rest[n] != '\t' {
		return 0
	}
	return n
}

// isTarget reports whether a line says where a link leads: "[name]: target".
func isTarget(rest string) bool {
	if rest[0] != '[' {
		return false
	}
	n := strings.Index(rest, "]:")
	return n > 1 && !strings.ContainsAny(rest[1:n], "[]") && strings.Trim(rest[n+2:], " \t") != ""
}

// html is the kind of a block of HTML, by how it ends.
type html uint8

const (
	noHTML html = iota
	// htmlRaw ends with its closing tag, htmlComment with "-->", htmlOther with
	// what belongs to its beginning.
	htmlRaw
	htmlComment
	htmlOther
	// htmlTag ends at an empty line.
	htmlTag
)

// htmlKind returns what block of HTML begins a line. A paragraph is not ended by
// every tag.
func htmlKind(rest string, inParagraph bool) html {
	switch {
	case strings.HasPrefix(rest, "<!--"):
		return htmlComment
	case strings.HasPrefix(rest, "<?"), strings.HasPrefix(rest, "<![CDATA["):
		return htmlOther
	case len(rest) > 2 && rest[1] == '!' && isAlnum(rest[2]):
		return htmlOther
	}
	name := tagName(rest)
	switch {
	case name == "":
		return noHTML
	case isRawTag(name) && rest[1] != '/':
		return htmlRaw
	case isBlockTag(name):
		return htmlTag
	}
	// Any other tag, alone on its line.
	if n := tagLength(rest); !inParagraph && n > 0 && strings.Trim(rest[n:], " \t") == "" {
		return htmlTag
	}
	return noHTML
}

// tagName returns the name of the tag at the start of s in small letters, or "".
func tagName(s string) string {
	n := 1
	if strings.HasPrefix(s, "</") {
		n = 2
	}
	end := n
	for end < len(s) && end < n+16 && (isAlnum(s[end]) || end > n && s[end] == '-') {
		end++
	}
	if end == n || '0' <= s[n] && s[n] <= '9' || end < len(s) && !strings.ContainsRune(" \t/>", rune(s[end])) {
		return ""
	}
	return strings.ToLower(s[n:end])
}

func isRawTag(name string) bool {
	switch name {
	case "script", "pre", "style", "textarea":
		return true
	}
	return false
}

// isBlockTag reports whether a tag begins a block of HTML also in a paragraph, as
// CommonMark has it.
func isBlockTag(name string) bool {
	switch name {
	case "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col", "colgroup",
		"dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame",
		"frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "legend", "li", "link",
		"main", "menu", "menuitem", "meta", "nav", "noframes", "ol", "optgroup", "option", "p", "param", "search", "section",
		"summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "track", "ul":
		return true
	}
	return false
}

// htmlCloser returns the text that ends a block of HTML.
func htmlCloser(kind html, rest string) string {
	switch {
	case kind == htmlComment:
		return "-->"
	case kind == htmlRaw:
		return "</" + tagName(rest) + ">"
	case strings.HasPrefix(rest, "<?"):
		return "?>"
	case strings.HasPrefix(rest, "<!["):
		return "]]>"
	}
	return ">"
}

// containsFold reports whether s holds a text in any case of its ASCII letters.
// The text is in small letters.
func containsFold(s, text string) bool {
	for i := 0; i+len(text) <= len(s); i++ {
		n := 0
		for n < len(text) && lower(s[i+n]) == text[n] {
			n++
		}
		if n == len(text) {
			return true
		}
	}
	return false
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
