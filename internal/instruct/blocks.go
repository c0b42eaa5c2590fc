package instruct

import "strings"

// span is a range of bytes, half-open.
type span struct{ start, end int }

// visitor is told of what a walk comes by.
type visitor interface {
	// paragraph has text in which there are code spans, links and the like.
	paragraph(*paragraph)
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

// lines returns the lines of a text without their ends.
func lines(text string) []span {
	list := make([]span, 0, 1+strings.Count(text, "\n"))
	for i := 0; i < len(text); {
		end := len(text)
		next := end
		if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
			end, next = i+n, i+n+1
		}
		if end > i && text[end-1] == '\r' {
			end--
		}
		list = append(list, span{i, end})
		i = next
	}
	return list
}

func (w *walker) line(l span) string { return w.text[l.start:l.end] }

// blocks walks through the lines of one container.
func (w *walker) blocks(list []span, depth int) {
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
			at := list[i].end - len(rest) + headingText(rest)
			w.visit.paragraph(newParagraph(w.text, []span{{at, list[i].end}}))
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
func (w *walker) plain(list []span, i int) int {
	end := i + 1
	for end < len(list) && !w.interrupts(w.line(list[end])) {
		end++
	}
	w.visit.paragraph(newParagraph(w.text, list[i:end]))
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

func (w *walker) indentedCode(list []span, i int) int {
	for i++; i < len(list); i++ {
		if rest, indent := unindent(w.line(list[i])); rest != "" && indent <= 3 {
			break
		}
	}
	return i
}

// fenced returns the line behind the fenced code that begins at i; without an
// end it is all the rest.
func (w *walker) fenced(list []span, i int, opener string) int {
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
func (w *walker) html(list []span, i int, rest string, depth int) int {
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
	start, stop := list[i].start, len(w.text)
	if end < len(list) {
		stop = list[end].start
	}
	if depth > 0 && end > i {
		stop = list[end-1].end
	}
	if strings.Contains(w.text[start:stop], "-->") {
		for depth == 0 && end < len(list) && list[end].start == list[end].end {
			end++
			stop = len(w.text)
			if end < len(list) {
				stop = list[end].start
			}
		}
		w.visit.comment(start, stop, depth == 0)
	}
	return end
}

// quotation walks through the lines of a quotation, without their marks. A
// paragraph in it may go on without one.
func (w *walker) quotation(list []span, i int, depth int) int {
	var inner []span
	lazy := false
	for ; i < len(list); i++ {
		line := w.line(list[i])
		rest, indent := unindent(line)
		if rest == "" || (rest[0] != '>' || indent > 3) && (!lazy || w.interrupts(line)) {
			break
		}
		at := list[i].end - len(rest)
		if rest[0] == '>' && indent <= 3 {
			if at++; strings.HasPrefix(rest, "> ") {
				at++
			}
		}
		inner = append(inner, span{at, list[i].end})
		text, _ := unindent(w.text[at:list[i].end])
		lazy = text != ""
	}
	w.blocks(inner, depth+1)
	return i
}

// item walks through one item of a list: its first line and all that is
// indented as far as its text, or goes on with its paragraph.
func (w *walker) item(list []span, i int, depth int) int {
	rest, indent := unindent(w.line(list[i]))
	mark := listMark(rest)
	text, blanks := unindent(rest[mark:])
	if text == "" || blanks > 4 {
		blanks = 1
	}
	at := min(list[i].end-len(rest)+mark+blanks, list[i].end)
	inner := []span{{at, list[i].end}}
	width := indent + mark + blanks
	lazy := text != ""
	for i++; i < len(list); i++ {
		line := w.line(list[i])
		rest, indent := unindent(line)
		switch {
		case rest == "":
			lazy = false
			inner = append(inner, span{list[i].end, list[i].end})
			continue
		case indent >= width:
			inner = append(inner, span{list[i].start + columns(line, width), list[i].end})
		case lazy && !w.interrupts(line) && listMark(rest) == 0:
			inner = append(inner, list[i])
		default:
			w.blocks(inner, depth+1)
			return i
		}
		lazy = true
	}
	w.blocks(inner, depth+1)
	return i
}
