package fact

import (
	"bytes"
	"cmp"
	"sort"
	"strings"

	"github.com/vadehq/vade/diag"
)

// walker cuts a Markdown text into regions: paragraphs, items, rows and headings of
// prose, blocks of code, comments. It goes over the text once, by lines, and makes
// no tree: what a model reads is the text, not the page.
type walker struct {
	file int
	// text has blanks where a comment stood that was taken out.
	text []byte
	base Standing
	out  []Region

	block             builder
	heading           string
	inList, afterGap  bool
	fence             byte
	fenceLen          int
	fenceIndent       int
	fenceLang, intro  string
	noCommentsFollow  bool
	lastProse         string
	proseSinceHeading bool

	// depth is how many hidden elements are around, empty how many empty lines stand
	// ahead, endless which elements are known not to end.
	depth, empty int
	endless      [3]bool
	// veil is what hides all that follows.
	veil HiddenKind
}

// builder gathers the lines of one block.
type builder struct {
	text  strings.Builder
	lines []shift
	start int
	end   int
	open  bool
	kind  string
	veil  HiddenKind
}

func (b *builder) add(text string, at, end int) {
	if !b.open {
		*b = builder{start: at, open: true, kind: b.kind, veil: b.veil}
	} else {
		b.text.WriteByte('\n')
	}
	b.lines = append(b.lines, shift{b.text.Len(), at})
	b.text.WriteString(text)
	b.end = end
}

// maxRegions bounds the regions of one file.
const maxRegions = 50_000

// Markdown returns the regions of a text that begins at an offset of its file.
func markdown(file int, text string, from int, base Standing) []Region {
	w := walker{file: file, text: []byte(text), base: base, afterGap: true}
	w.walk(from, len(text))
	return w.out
}

// walk goes over the lines of a part of the text.
func (w *walker) walk(from, to int) {
	for at := from; at < to && len(w.out) < maxRegions; {
		end := to
		if n := bytes.IndexByte(w.text[at:to], '\n'); n >= 0 {
			end = at + n
		}
		w.line(at, end)
		w.pushed(at, end)
		at = end + 1
	}
	if w.fence != 0 {
		w.endFence()
	}
	w.flush()
}

// line takes in the line from at to end, without its ending.
func (w *walker) line(at, end int) {
	if w.fence == 0 {
		w.conceal(at, end)
	}
	w.gap(at, end)
	line := strings.TrimSuffix(string(w.text[at:end]), "\r")
	content, quoted := unquote(line)
	indent := len(content) - len(strings.TrimLeft(content, " \t"))
	trimmed := content[indent:]
	start := at + len(line) - len(content)
	if w.fence != 0 {
		if closes(trimmed, w.fence, w.fenceLen) {
			w.endFence()
			return
		}
		cut := min(indent, w.fenceIndent)
		w.block.add(content[cut:], start+cut, end)
		return
	}
	switch {
	case trimmed == "":
		w.flush()
		w.afterGap = true
		return
	case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
		if w.opens(trimmed, indent, end) {
			return
		}
		w.prose(trimmed, start+indent, end)
	case isHeading(trimmed):
		w.flush()
		text := strings.Trim(strings.TrimLeft(trimmed, "#"), " \t#")
		w.block.kind = "heading"
		w.block.add(text, start+indent+strings.Index(trimmed, text), end)
		w.flush()
		w.heading = strings.ToLower(text)
		w.inList, w.proseSinceHeading = false, false
		w.lastProse = text
	case indent >= 4 && w.afterGap && !w.inList && !quoted, w.block.kind == "code" && indent >= 4:
		if w.block.kind != "code" {
			w.flush()
			w.intro = w.lastProse
			w.block.kind = "code"
		}
		w.block.add(content[4:], start+4, end)
	case strings.HasPrefix(trimmed, "|"):
		w.flush()
		w.block.kind = "row"
		// In a cell a bar has a backslash before it. The length stays.
		trimmed = strings.ReplaceAll(trimmed, `\|`, " |")
		w.block.add(trimmed, start+indent, end)
		w.flush()
	default:
		if n := marker(trimmed); n > 0 {
			w.flush()
			w.inList = true
			w.block.kind = "item"
			w.block.add(trimmed[n:], start+indent+n, end)
			// The code of an item may begin on its own line.
			if rest := strings.TrimLeft(trimmed[n:], " "); strings.HasPrefix(rest, "```") && !strings.Contains(rest[3:], "`") {
				w.block = builder{}
				w.opens(rest, indent, end)
			}
		} else {
			if indent == 0 && w.afterGap {
				w.inList = false
			}
			w.prose(trimmed, start+indent, end)
		}
	}
	w.afterGap = false
}

func (w *walker) prose(text string, at, end int) {
	if w.block.kind == "code" {
		w.flush()
	}
	w.block.add(text, at, end)
}

// opens begins a block of code, if the line does.
func (w *walker) opens(line string, indent, end int) bool {
	c := line[0]
	n := len(line) - len(strings.TrimLeft(line, string(c)))
	info := strings.TrimSpace(line[n:])
	if c == '`' && strings.Contains(info, "`") {
		return false
	}
	w.flush()
	w.fence, w.fenceLen, w.fenceIndent = c, n, indent
	w.fenceLang = Language(info)
	w.intro = w.lastProse
	w.block = builder{start: min(end+1, len(w.text)), end: min(end+1, len(w.text)), kind: "fence"}
	w.afterGap = false
	return true
}

func closes(line string, c byte, n int) bool {
	rest := strings.TrimLeft(line, string(c))
	return len(line)-len(rest) >= n && strings.TrimSpace(rest) == ""
}

func (w *walker) endFence() {
	w.emit(Fence, w.fenceLang)
	w.fence = 0
	w.afterGap = true
}

// flush ends the block of prose or of indented code.
func (w *walker) flush() {
	if !w.block.open {
		w.block.kind = ""
		return
	}
	if w.block.kind == "code" {
		w.emit(Fence, "")
		return
	}
	w.emit(Prose, "")
	r := &w.out[len(w.out)-1]
	w.lastProse = r.Text
	w.spans(r)
}

func (w *walker) emit(m Medium, lang string) {
	r := Region{
		Place:    Place{w.file, diag.Span{Start: w.block.start, End: w.block.end}},
		Standing: w.base, Text: w.block.text.String(), Key: w.block.kind, lines: w.block.lines,
	}
	r.Medium, r.Lang, r.Heading = m, lang, w.heading
	if r.Veil = cmp.Or(w.block.veil, w.veil); r.Veil != "" {
		r.Hidden = true
	}
	if m == Fence {
		r.Intro = w.intro
	}
	w.out = append(w.out, r)
	w.block = builder{}
}

// spans adds the spans of code in a block of prose.
func (w *walker) spans(r *Region) {
	text := r.Text
	at := *r
	for i := strings.IndexByte(text, '`'); i >= 0 && i < len(text) && len(w.out) < maxRegions; {
		n := run(text[i:])
		end, ok := closer(text, i+n, n)
		if !ok {
			if i = next(text, i+n); i < 0 {
				return
			}
			continue
		}
		w.out = append(w.out, at.sub(i+n, end, CodeSpan))
		if i = next(text, end+n); i < 0 {
			return
		}
	}
}

func run(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }

func next(s string, from int) int {
	i := strings.IndexByte(s[from:], '`')
	if i < 0 {
		return -1
	}
	return from + i
}

// closer finds the run of n backticks behind from. It looks 4 KiB ahead, which is
// more than code in a line has.
func closer(s string, from, n int) (int, bool) {
	limit := min(len(s), from+4<<10)
	for i := from; i < limit; {
		if s[i] != '`' {
			i++
			continue
		}
		m := run(s[i:])
		if m == n {
			return i, true
		}
		i += m
	}
	return 0, false
}

// sub returns a part of a region as a region of another medium.
func (r *Region) sub(start, end int, m Medium) Region {
	s := *r
	s.Place = r.At(start, end)
	s.Text, s.Medium, s.Intro = r.Text[start:end], m, r.Text
	s.lines, s.zones = []shift{{0, s.Span.Start}}, nil
	for _, l := range r.lines[sort.Search(len(r.lines), func(i int) bool { return r.lines[i].text > start }):] {
		if l.text >= end {
			break
		}
		s.lines = append(s.lines, shift{l.text - start, l.raw})
	}
	return s
}

// unquote takes the marks of quotations from the head of a line.
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
	n := len(s) - len(strings.TrimLeft(s, "#"))
	return n >= 1 && n <= 6 && (n == len(s) || s[n] == ' ' || s[n] == '\t')
}

// marker returns the length of the mark of a list's item.
func marker(s string) int {
	switch {
	case len(s) > 1 && strings.IndexByte("-*+", s[0]) >= 0 && (s[1] == ' ' || s[1] == '\t'):
		return 2
	case strings.HasPrefix(s, "• "):
		return len("• ")
	}
	n := 0
	for n < len(s) && n < 9 && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n > 0 && n+1 < len(s) && (s[n] == '.' || s[n] == ')') && s[n+1] == ' ' {
		return n + 2
	}
	return 0
}
