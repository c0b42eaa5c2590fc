package body

import (
	"strings"

	"github.com/vadehq/vade/diag"
)

// FirstHeading returns the first heading in a Markdown text: its title without markers, and the
// span of its lines including their line endings. It recognizes "# title" and a paragraph
// underlined with "=" or "-". It skips frontmatter, fenced code blocks, HTML comments, lists, block
// quotes and headings without a title.
func FirstHeading(md string) (title string, span diag.Span, ok bool) {
	w := walker{text: md, paragraph: func([]diag.Span) {}}
	w.heading = func(lines []diag.Span) {
		if ok {
			return
		}
		first, last := lines[0], lines[len(lines)-1]
		title = atxTitle(strings.TrimLeft(w.line(first), " "))
		if len(lines) > 1 {
			title = strings.Join(strings.Fields(md[first.Start:last.Start]), " ")
		}
		span = diag.Span{Start: first.Start, End: len(md)}
		if n := strings.IndexByte(md[last.End:], '\n'); n >= 0 {
			span.End = last.End + n + 1
		}
		ok = title != ""
	}
	w.walk(frontmatterEnd(md))
	if !ok {
		return "", diag.Span{}, false
	}
	return title, span, true
}

// atxTitle returns the title from a line such as "## title ##", or "".
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

// isUnderline reports whether a line turns the preceding paragraph into a heading.
func isUnderline(line string) bool {
	rest, indent := unindent(line)
	return rest != "" && indent <= 3 && (rest[0] == '=' || rest[0] == '-') &&
		strings.TrimRight(rest[runLength(rest, 0):], " \t") == ""
}

// frontmatterEnd returns the offset of the text after the frontmatter.
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

// lines reads text line by line. Unless raw is set, it skips fenced code blocks
// and HTML comments at the start of a line.
type lines struct {
	text string
	raw  bool
	// line is the current line without its line ending, start is its offset, and next is the
	// offset of the next line.
	line        string
	start, next int

	// fence is the opening line of the current code block, from its first fence character on.
	fence string
	// noCommentEnd is set once the rest of the text is known to contain no "-->".
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

// hidden reports whether the current line belongs to a fenced code block or a
// comment. If a comment begins here, hidden skips it.
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

// passComment skips the comment at i. Scanning continues with the rest of the comment's last line.
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
