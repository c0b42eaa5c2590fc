package document

import (
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/signal"
)

// walker cuts a Markdown text into regions: paragraphs, items, rows and headings of
// prose, blocks of code, comments. It goes over the text once, by lines, and drops
// nothing: what a model reads is the text, not the page.
type walker struct {
	d    *reader
	from *signal.Region
	text string
	// gone are the ranges that were taken out because no page shows them, pushed those that
	// are out of sight.
	gone, pushed []diag.Span

	block builder
	// kind is "heading", "item", "row" or "code", "" for a paragraph.
	kind, heading    string
	inList, afterGap bool
	// fence is the mark of the block of code around, which has an indentation.
	fence       string
	indent      int
	fenceQuoted bool
	lang, intro string
	lastProse   string
	// noFences: a fence was not closed, so that what follows it is read as prose too.
	noFences bool
	// medium is that of the text that is not code. depth is how many hidden elements are
	// around. endless: no comment, or no element, ends from here on.
	medium  signal.Medium
	depth   int
	endless [2]bool
}

// document cuts a Markdown stretch into regions.
func (d *reader) document(r *signal.Region) {
	w := walker{d: d, from: r, text: r.Text, pushed: d.pushed(r), afterGap: true, medium: signal.Prose}
	w.block.from = r
	w.walk(0, len(w.text))
}

// walk goes over the lines of a part of the text.
func (w *walker) walk(from, to int) {
	for at := from; at < to && !w.d.full(); {
		end := min(to, lineEnd(w.text, at))
		w.line(at, end)
		at = end + 1
	}
	if w.fence == "" {
		w.flush()
		return
	}
	begin := to
	if len(w.block.pieces) > 0 {
		begin = w.block.pieces[0].at
	}
	w.endFence()
	if w.noFences = true; !signal.IsCode(w.lang) && begin < to {
		w.walk(begin, to)
	}
}

// visible is a line without what was taken out.
func (w *walker) visible(at, end int) string {
	line := w.text[at:end]
	if w.goneTo() > at {
		b := []byte(line)
		for i := len(w.gone) - 1; i >= 0 && w.gone[i].End > at; i-- {
			for k := max(at, w.gone[i].Start); k < min(end, w.gone[i].End); k++ {
				b[k-at] = ' '
			}
		}
		line = string(b)
	}
	return strings.TrimSuffix(line, "\r")
}

// line reads the line from at to end, without its ending.
func (w *walker) line(at, end int) {
	if w.fence == "" {
		w.conceal(at, end)
	}
	line := w.visible(at, end)
	content, quoted := unquote(line)
	indent := len(content) - len(strings.TrimLeft(content, " \t"))
	start := at + len(line) - len(content)
	if len(w.gone) > 0 && w.gone[len(w.gone)-1].End > at {
		// What was taken out is not indentation.
		content, start, indent = content[indent:], start+indent, 0
	}
	switch {
	case w.fence != "" && w.fenceQuoted && !quoted:
		w.endFence()
	case w.fence != "" && closes(content[indent:], w.fence):
		w.endFence()
		return
	case w.fence != "":
		cut := min(indent, w.indent)
		w.block.add(content[cut:], start+cut, end)
		return
	}
	if content[indent:] == "" {
		w.flush()
		w.afterGap = true
		return
	}
	w.outside(content, start, end, indent, quoted)
	w.afterGap = false
}

// outside reads a line that is not empty and not in a fence. Its content begins at start.
func (w *walker) outside(content string, start, end, indent int, quoted bool) {
	text, at := content[indent:], start+indent
	switch n := marker(text); {
	case w.opens(text, indent, quoted):
	case isHeading(text):
		w.flush()
		title := strings.Trim(text, "# \t")
		w.kind = "heading"
		w.block.add(title, at+strings.Index(text, title), end)
		w.flush()
	case indent >= 4 && w.afterGap && !w.inList && !quoted, w.kind == "code" && indent >= 4:
		if w.kind != "code" {
			w.flush()
			w.intro, w.kind = w.lastProse, "code"
		}
		w.block.add(content[4:], start+4, end)
	case strings.Trim(text, "-=*_ \t") == "" && len(text) > 2:
		w.rule(text[0], quoted)
	case text[0] == '|':
		w.row(text, at, end)
	case n > 0:
		w.flush()
		w.inList = true
		// The code of an item may begin on its own line.
		if !w.opens(strings.TrimLeft(text[n:], " "), indent, quoted) {
			w.kind = "item"
			w.block.add(text[n:], at+n, end)
		}
	default:
		w.inList = w.inList && (indent > 0 || !w.afterGap)
		if w.kind == "code" {
			w.flush()
		}
		w.block.add(text, at, end)
	}
}

// rule reads a line below a heading, or between two parts.
func (w *walker) rule(c byte, quoted bool) {
	if len(w.block.pieces) > 0 && w.kind == "" && !quoted && (c == '=' || c == '-') {
		w.kind = "heading"
	}
	w.flush()
}

// row reads the row of a table.
func (w *walker) row(text string, at, end int) {
	w.flush()
	if strings.Trim(text, "|-: \t") != "" {
		w.kind = "row"
		// In a cell a bar has a backslash before it. The length stays.
		w.block.add(strings.ReplaceAll(text, `\|`, " |"), at, end)
	}
	w.flush()
}

// opens begins a block of code, if the line does.
func (w *walker) opens(line string, indent int, quoted bool) bool {
	if w.noFences || !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~") {
		return false
	}
	info := strings.TrimLeft(line, line[:1])
	fence := line[:len(line)-len(info)]
	if info = strings.TrimSpace(info); fence[0] == '`' && strings.Contains(info, "`") {
		return false
	}
	w.flush()
	w.fence, w.indent, w.fenceQuoted, w.intro = fence, indent, quoted, w.lastProse
	if w.lang = signal.Language(info); info == "" {
		w.lang = "?"
	}
	return true
}

// closes reports whether a line ends the block of code that a fence began.
func closes(line, fence string) bool {
	return strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]+" \t") == ""
}

func (w *walker) endFence() {
	if len(w.block.pieces) > 0 {
		w.emit(signal.Fence, w.lang, "")
	}
	w.fence, w.afterGap = "", true
}

// flush ends the block of prose or of indented code.
func (w *walker) flush() {
	kind := w.kind
	w.kind = ""
	switch {
	case len(w.block.pieces) == 0:
		return
	case kind == "code":
		w.emit(signal.Fence, "?", "")
		return
	}
	index := w.emit(w.medium, "", kind)
	w.lastProse = w.d.set.Regions[index].Text
	if kind == "heading" {
		w.heading, w.inList = strings.ToLower(strings.TrimSpace(w.lastProse)), false
	}
	w.spans(index)
}

// emit adds the block as a region. The language "?" is guessed.
func (w *walker) emit(m signal.Medium, lang, part string) int {
	start, end := w.block.pieces[0].at, w.block.end
	r := w.block.region()
	r.Medium, r.Lang, r.Heading, r.Part = m, lang, w.heading, part
	if m == signal.Fence {
		r.Intro = w.intro
	}
	if lang == "?" {
		if _, r.Lang = guess(r.Text); !signal.IsCode(r.Lang) {
			r.Lang = ""
		}
	}
	for _, s := range w.pushed {
		r.Hidden = r.Hidden || s.Start < end && start < s.End
	}
	return w.d.add(r)
}

// spans adds the spans of code in a block of prose.
func (w *walker) spans(index int) {
	text := w.d.set.Regions[index].Text
	for i := strings.IndexByte(text, '`'); i >= 0 && i < len(text) && !w.d.full(); {
		mark := text[i : len(text)-len(strings.TrimLeft(text[i:], "`"))]
		from := i + len(mark)
		i = from
		if end := closer(text, from, mark); end > from {
			span := part(&w.d.set.Regions[index], from, end, signal.CodeSpan)
			span.Intro, span.Parent = text, index
			w.d.add(span)
			i = end + len(mark)
		}
		n := strings.IndexByte(text[i:], '`')
		if n < 0 {
			return
		}
		i += n
	}
}

// closer finds the backticks that end a span of code. It looks 4 KiB ahead, which is more
// than code in a line has.
func closer(s string, from int, mark string) int {
	for i := from; i < min(len(s), from+4<<10); {
		n := strings.IndexByte(s[i:], '`')
		if n < 0 {
			return -1
		}
		i += n
		rest := strings.TrimLeft(s[i:], "`")
		if len(s)-i-len(rest) == len(mark) {
			return i
		}
		i = len(s) - len(rest)
	}
	return -1
}

// unquote removes the marks of quotations from a line.
func unquote(line string) (string, bool) {
	quoted := false
	for {
		t := strings.TrimLeft(line, " ")
		if len(line)-len(t) > 3 || !strings.HasPrefix(t, ">") {
			return line, quoted
		}
		line, quoted = strings.TrimPrefix(t[1:], " "), true
	}
}

func isHeading(s string) bool {
	rest := strings.TrimLeft(s, "#")
	n := len(s) - len(rest)
	return n > 0 && n <= 6 && rest != "" && (rest[0] == ' ' || rest[0] == '\t') && strings.Trim(rest, " \t#") != ""
}

// marker returns the length of the mark of a list item.
func marker(s string) int {
	for _, mark := range [...]string{"- ", "* ", "+ ", "-\t", "*\t", "+\t", "• "} {
		if strings.HasPrefix(s, mark) {
			return len(mark)
		}
	}
	n := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if n > 0 && n < 10 && n+1 < len(s) && (s[n] == '.' || s[n] == ')') && s[n+1] == ' ' {
		return n + 2
	}
	return 0
}
