package body

import (
	"strings"

	"github.com/vadehq/vade/diag"
)

// FirstHeading returns the first heading of a Markdown text: its title without
// the marks, and the span of its lines with their endings. Both forms are
// found, "# title" and a paragraph underlined with "=" or "-"; frontmatter,
// fenced code blocks and HTML comments are passed over. A heading without a
// title is none.
func FirstHeading(md string) (title string, span diag.Span, ok bool) {
	r := lines{text: md, next: frontmatterEnd(md)}
	paragraph := -1
	for r.scan() {
		line := strings.TrimLeft(r.line, " ")
		indented := len(r.line)-len(line) > 3 || strings.HasPrefix(line, "\t")
		if paragraph >= 0 && !indented && isUnderline(line) {
			return underlined(md, paragraph, r.start, r.next)
		}
		if title := atxTitle(line); title != "" && !indented {
			return title, diag.Span{Start: r.start, End: r.next}, true
		}
		switch {
		case beginsBlock(r.line) || strings.HasPrefix(line, ">") || indented && paragraph < 0:
			paragraph = -1
		case paragraph < 0:
			paragraph = r.start
		}
	}
	return "", diag.Span{}, false
}

// underlined returns the heading whose text stands from start to underline.
func underlined(md string, start, underline, end int) (string, diag.Span, bool) {
	title := strings.Join(strings.Fields(md[start:underline]), " ")
	return title, diag.Span{Start: start, End: end}, title != ""
}

// atxTitle returns the title of a line of the form "## title ##", or "".
func atxTitle(line string) string {
	rest := strings.TrimLeft(line, "#")
	if n := len(line) - len(rest); n == 0 || n > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return ""
	}
	title := strings.Trim(rest, " \t")
	if open := strings.TrimRight(title, "#"); open == "" || strings.HasSuffix(open, " ") || strings.HasSuffix(open, "\t") {
		title = strings.TrimRight(open, " \t")
	}
	return title
}

// isUnderline reports whether a line makes the paragraph before it a heading.
func isUnderline(line string) bool {
	line = strings.TrimRight(line, " \t")
	return line != "" && (strings.Trim(line, "=") == "" || strings.Trim(line, "-") == "")
}

// frontmatterEnd returns where the text after the frontmatter begins.
func frontmatterEnd(md string) int {
	start := len(md) - len(strings.TrimPrefix(md, "\ufeff"))
	r := lines{text: md, next: start, raw: true}
	if !r.scan() || strings.TrimRight(r.line, " \t") != "---" {
		return start
	}
	for r.scan() {
		if strings.TrimRight(r.line, " \t") == "---" {
			return r.next
		}
	}
	return start
}

// lines reads a text line by line and passes over fenced code blocks and over
// lines that begin in or with an HTML comment, except where it is raw.
type lines struct {
	text string
	raw  bool
	// line is the current line without its ending, start where it begins and
	// next where the one after it does.
	line        string
	start, next int

	// fence is the line that began the code around, from its marks on.
	fence string
	// noCommentEnd: no "-->" follows.
	noCommentEnd bool
}

func (r *lines) scan() bool {
	for r.next < len(r.text) {
		r.start = r.next
		r.line = lineAt(r.text, r.start)
		r.next = len(r.text)
		if n := strings.IndexByte(r.text[r.start:], '\n'); n >= 0 {
			r.next = r.start + n + 1
		}
		if r.raw || !r.hidden() {
			return true
		}
	}
	return false
}

// hidden reports whether the current line belongs to a fence or comment, and
// moves behind a comment.
func (r *lines) hidden() bool {
	rest := strings.TrimLeft(r.line, " \t>")
	switch {
	case rest == "":
	case r.fence != "" && closesFence(rest, r.fence):
		r.fence = ""
		return true
	case r.fence == "" && hasAt(rest, 0, "<!--"):
		return r.passComment(r.start + len(r.line) - len(rest))
	case r.fence == "":
		for n := listMark(rest); n > 0 && n < len(rest); n = listMark(rest) {
			rest = strings.TrimLeft(rest[n:], " \t>")
		}
		if fenceLength(rest) > 0 {
			r.fence = rest
		}
	}
	return r.fence != ""
}

// passComment moves behind the comment at i. What follows it on its last line
// is the next line.
func (r *lines) passComment(i int) bool {
	n := -1
	if !r.noCommentEnd {
		n = strings.Index(r.text[i+2:], "-->")
	}
	if n < 0 {
		r.noCommentEnd = true
		r.next = len(r.text)
		return true
	}
	r.next = i + 2 + n + len("-->")
	if rest := lineAt(r.text, r.next); isBlank(rest) {
		r.next += len(rest)
		if n := strings.IndexByte(r.text[r.next:], '\n'); n >= 0 {
			r.next += n + 1
		}
	}
	return true
}

// beginsBlock reports whether a line does not go on with the paragraph before
// it.
func beginsBlock(line string) bool {
	n := 0
	for n < len(line) && (line[n] == ' ' || line[n] == '\t' || line[n] == '>') {
		n++
	}
	line = line[n:]
	if line == "" || isBlank(line) {
		return true
	}
	if listMark(line) > 0 {
		return true
	}
	switch line[0] {
	case '#', '|':
		return true
	case '`', '~', '-', '=', '*', '_':
		return runLength(line, 0) >= 3
	}
	return false
}
