package instructions

import (
	"math"
	"strings"
)

// span is a range of bytes, half-open.
type span struct{ start, end int }

// line is the span of a line without its end, in half the room: there are as many
// as a hostile text has bytes.
type line struct{ start, end uint32 }

// maxText is the length of the longest text that lines are made of.
const maxText = math.MaxInt32

// visitor is told of what a walk comes by.
type visitor interface {
	// paragraph has lines of text in which there are code spans, links and the
	// like. They are the visitor's until it returns.
	paragraph([]line)
	// comment is a block of HTML that begins with a comment, with the line
	// breaks behind it; top: it stands in no list or quotation.
	comment(start, end int, top bool)
}

// maxNesting is how deep lists and quotations are followed. What stands deeper
// is no text that somebody reads.
const maxNesting = 32

// walker divides Markdown into blocks: as much of CommonMark as it takes to tell
// text from code, HTML and comments.
type walker struct {
	text  string
	visit visitor
}

// lines returns the lines of a text without their ends. Of empty lines one after
// the other there is only the first: no block is another one with more of them.
func lines(text string) []line {
	list := make([]line, 0, countLines(text))
	empty := false
	for i := 0; i < len(text); {
		end := len(text)
		next := end
		if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
			end, next = i+n, i+n+1
		}
		if end > i && text[end-1] == '\r' {
			end--
		}
		if !empty || end > i {
			list = append(list, line{uint32(i), uint32(end)})
		}
		empty = end == i
		i = next
	}
	return list
}

// countLines returns how many lines there are, or a few more: empty ones behind
// the first count only where they end with a carriage return.
func countLines(text string) int {
	n := 1 + strings.Count(text, "\n")
	for i := strings.Index(text, "\n\n\n"); i >= 0; {
		breaks := run(text, i)
		n -= breaks - 2
		next := strings.Index(text[i+breaks:], "\n\n\n")
		if next < 0 {
			break
		}
		i += breaks + next
	}
	return n
}

func (w *walker) line(l line) string { return w.text[l.start:l.end] }

// blocks walks through the lines of one container. Those that it has behind it
// are changed.
func (w *walker) blocks(list []line, depth int) {
	if depth > maxNesting {
		return
	}
	for i := 0; i < len(list); {
		line := w.line(list[i])
		rest, indent := unindent(line)
		switch {
		case rest == "":
			i++
		case indent > 3:
			i = w.indentedCode(list, i)
		case fenceOf(rest) > 0:
			i = w.fenced(list, i, rest)
		case rest[0] == '<' && htmlKind(rest, false) != noHTML:
			i = w.html(list, i, rest, depth)
		case isRule(rest):
			i++
		case rest[0] == '#' && headingText(rest) >= 0:
			list[i].start = list[i].end - uint32(len(rest)-headingText(rest))
			w.visit.paragraph(list[i : i+1])
			i++
		case rest[0] == '>':
			i = w.quotation(list, i, depth)
		case listMark(rest) > 0:
			i = w.item(list, i, depth)
		case isTarget(rest):
			i++
		default:
			i = w.plain(list, i)
		}
	}
}

// plain hands a paragraph to the visitor and returns the line behind it.
func (w *walker) plain(list []line, i int) int {
	end := i + 1
	for end < len(list) && !w.interrupts(w.line(list[end])) {
		end++
	}
	w.visit.paragraph(list[i:end])
	return end
}

// interrupts reports whether a line ends the paragraph before it.
func (w *walker) interrupts(line string) bool {
	rest, indent := unindent(line)
	switch {
	case rest == "":
		return true
	case indent > 3:
		return false
	case fenceOf(rest) > 0, rest[0] == '>', isRule(rest), rest[0] == '#' && headingText(rest) >= 0:
		return true
	case rest[0] == '<':
		return htmlKind(rest, true) != noHTML
	}
	n := listMark(rest)
	return n > 0 && n < len(rest) && (isMark(rest[0]) || strings.HasPrefix(rest, "1.") || strings.HasPrefix(rest, "1)"))
}

func (w *walker) indentedCode(list []line, i int) int {
	for i++; i < len(list); i++ {
		if rest, indent := unindent(w.line(list[i])); rest != "" && indent <= 3 {
			break
		}
	}
	return i
}

// fenced returns the line behind the fenced code that begins at i; without an
// end it is all the rest.
func (w *walker) fenced(list []line, i int, opener string) int {
	n := fenceOf(opener)
	for i++; i < len(list); i++ {
		rest, indent := unindent(w.line(list[i]))
		if indent <= 3 && rest != "" && rest[0] == opener[0] && run(rest, 0) >= n && strings.Trim(rest[run(rest, 0):], " \t") == "" {
			return i + 1
		}
	}
	return i
}

// html deals with a block of HTML.
func (w *walker) html(list []line, i int, rest string, depth int) int {
	kind := htmlKind(rest, false)
	if kind == htmlTag {
		for i++; i < len(list) && strings.Trim(w.line(list[i]), " \t") != ""; i++ {
		}
		return i
	}
	closer := htmlCloser(kind, rest)
	end := i
	// The opener of a comment is no part of its end, but "<!-->" is all of one.
	for skip := 2; end < len(list); end, skip = end+1, 0 {
		line := w.line(list[end])
		if end == i {
			line = rest
		}
		if containsFold(line[min(skip, len(line)):], closer) {
			end++
			break
		}
	}
	if kind != htmlComment {
		return end
	}
	start, stop := int(list[i].start), len(w.text)
	if end < len(list) {
		stop = int(list[end].start)
	}
	if depth > 0 && end > i {
		stop = int(list[end-1].end)
	}
	if strings.Contains(w.text[start:stop], "-->") {
		for depth == 0 && end < len(list) && list[end].start == list[end].end {
			end++
			stop = len(w.text)
			if end < len(list) {
				stop = int(list[end].start)
			}
		}
		w.visit.comment(start, stop, depth == 0)
	}
	return end
}

// quotation walks through the lines of a quotation, without their marks. A
// paragraph in it may go on without one.
func (w *walker) quotation(list []line, i int, depth int) int {
	first := i
	lazy := false
	for ; i < len(list); i++ {
		line := w.line(list[i])
		rest, indent := unindent(line)
		if rest == "" || (rest[0] != '>' || indent > 3) && (!lazy || w.interrupts(line)) {
			break
		}
		list[i].start = list[i].end - uint32(len(rest))
		if rest[0] == '>' && indent <= 3 {
			if list[i].start++; strings.HasPrefix(rest, "> ") {
				list[i].start++
			}
		}
		text, _ := unindent(w.line(list[i]))
		lazy = text != ""
	}
	w.blocks(list[first:i], depth+1)
	return i
}

// item walks through one item of a list: its first line and all that is
// indented as far as its text, or goes on with its paragraph.
func (w *walker) item(list []line, i int, depth int) int {
	rest, indent := unindent(w.line(list[i]))
	mark := listMark(rest)
	text, blanks := unindent(rest[mark:])
	if text == "" || blanks > 4 {
		blanks = 1
	}
	first := i
	list[i].start = list[i].end - uint32(max(len(rest)-mark-blanks, 0))
	width := indent + mark + blanks
	lazy := text != ""
	for i++; i < len(list); i++ {
		line := w.line(list[i])
		rest, indent := unindent(line)
		switch {
		case rest == "":
			lazy = false
			list[i].start = list[i].end
			continue
		case indent >= width:
			list[i].start += uint32(columns(line, width))
		case lazy && !w.interrupts(line) && listMark(rest) == 0:
		default:
			w.blocks(list[first:i], depth+1)
			return i
		}
		lazy = true
	}
	w.blocks(list[first:i], depth+1)
	return i
}
