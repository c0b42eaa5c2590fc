package document

import (
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// quote matches the blockquote markers at the start of a line.
var quote = lazyregexp.New(`^(?: {0,3}> ?)+`)

// alert matches the first line of a GitHub alert, which uses blockquote syntax.
var alert = lazyregexp.New(`^\s*\[!\w+\]\s*$`)

// isHeading reports whether a line is a nonempty heading.
func isHeading(line string) bool {
	rest := strings.TrimLeft(line, "#")
	n := len(line) - len(rest)
	return n >= 1 && n <= 6 && rest != "" && (rest[0] == ' ' || rest[0] == '\t') && strings.Trim(rest, "# \t") != ""
}

// isRule reports whether a line is one that underlines a heading or separates sections or table
// rows.
func isRule(line string) bool { return len(line) >= 3 && strings.Trim(line, "-=*_|: \t") == "" }

// marker returns the length of the list marker at the start of a line, or 0 if there is none.
func marker(line string) int {
	for _, bullet := range [...]string{"-", "*", "+", "•"} {
		if rest, ok := strings.CutPrefix(line, bullet); ok && rest != "" && (rest[0] == ' ' || rest[0] == '\t') {
			return len(bullet) + 1
		}
	}
	rest := strings.TrimLeft(line, "0123456789")
	n := len(line) - len(rest)
	if n >= 1 && n <= 9 && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") ")) {
		return n + 2
	}
	return 0
}

// walker splits Markdown text into regions: paragraphs, list items, table rows, headings, code
// blocks and comments. It makes one pass over the lines and omits nothing, because a model reads
// the source and not the rendered page.
type walker struct {
	d      *reader
	source *signal.Region
	text   string
	// shown is the text with hidden content replaced by spaces, or nil if nothing is hidden.
	// afterLargeGap holds the ranges of text that many blank lines or spaces push out of sight.
	shown         []byte
	afterLargeGap []diag.Span

	block builder
	// kind is "heading", "item", "row" or "code", or "" for a paragraph.
	kind, heading    string
	inList, afterGap bool
	// fence is the enclosing code block's opening marker, and indent is its indentation.
	fence       string
	indent      int
	fenceQuoted bool
	lang        string
	// medium is the medium of text outside code. depth is the number of enclosing hidden elements.
	// endless[0] reports whether a comment without an end was found, and endless[1] whether a
	// hidden element without an end tag was found.
	medium  signal.Medium
	depth   int
	endless [2]bool
}

// document splits Markdown text into regions.
func (d *reader) document(r *signal.Region) {
	w := walker{d: d, source: r, text: r.Text, afterLargeGap: d.afterLargeGap(r), afterGap: true, medium: signal.Prose}
	w.block.source = r
	w.walk(0, len(w.text))
}

// walk processes the lines in a range.
func (w *walker) walk(from, to int) {
	for at := from; at < to && w.d.count < maxRegions; {
		end := min(to, lineEnd(w.text, at))
		w.line(at, end)
		at = end + 1
	}
	w.flush()
}

// visible returns a line with hidden text replaced by spaces.
func (w *walker) visible(at, end int) string {
	line := w.text[at:end]
	if w.shown != nil {
		line = string(w.shown[at:end])
	}
	return strings.TrimSuffix(line, "\r")
}

// line processes the line from at to end, without its line ending.
func (w *walker) line(at, end int) {
	if w.fence == "" {
		w.conceal(at, end)
	}
	line := w.visible(at, end)
	mark := 0
	if (w.fence == "" || w.fenceQuoted) && strings.HasPrefix(strings.TrimLeft(line, " "), ">") {
		mark = len(quote().FindString(line))
	}
	content, quoted := line[mark:], mark > 0
	indent := len(content) - len(strings.TrimLeft(content, " \t"))
	start := at + len(line) - len(content)
	if line != w.text[at:at+len(line)] {
		// Hidden text before the content does not count as indentation.
		content, start, indent = content[indent:], start+indent, 0
	}
	switch {
	case w.fence != "" && w.fenceQuoted && !quoted:
		w.flush()
	case w.fence != "" && strings.HasPrefix(content[indent:], w.fence) && strings.Trim(content, w.fence[:1]+" \t") == "":
		w.flush()
		return
	case w.fence != "":
		cut := min(indent, w.indent)
		w.block.add(content[cut:], start+cut, end)
		return
	}
	if content[indent:] == "" || quoted && alert().MatchString(content) {
		w.flush()
		w.afterGap = true
		return
	}
	w.outsideFence(content, start, end, indent, quoted)
	w.afterGap = false
}

// outsideFence processes a nonempty line outside a fenced code block. Its content starts at start.
func (w *walker) outsideFence(content string, start, end, indent int, quoted bool) {
	text, at := content[indent:], start+indent
	switch {
	case w.opensFence(text, indent, quoted):
	case isHeading(text):
		title := strings.Trim(text, "# \t")
		w.oneLineBlock("heading", title, at+strings.Index(text, title), end)
	case indent >= 4 && w.afterGap && !w.inList && !quoted, w.kind == "code" && indent >= 4:
		if w.kind != "code" {
			w.flush()
			w.kind, w.lang = "code", "?"
		}
		w.block.add(content[4:], start+4, end)
	case isRule(text):
		// The line underlines a heading or is a separator.
		if len(w.block.pieces) > 0 && w.kind == "" && !quoted && strings.IndexByte("=-", text[0]) >= 0 {
			w.kind = "heading"
		}
		w.flush()
	case text[0] == '|':
		// Replace an escaped vertical bar in a table cell with text of the same length.
		w.oneLineBlock("row", strings.ReplaceAll(text, `\|`, " |"), at, end)
	case marker(text) > 0:
		w.flush()
		w.inList = true
		n := marker(text)
		// A code block can start on the same line as a list item.
		if !w.opensFence(strings.TrimLeft(text[n:], " "), indent, quoted) {
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

// oneLineBlock adds a one-line block.
func (w *walker) oneLineBlock(kind, text string, at, end int) {
	w.flush()
	w.kind = kind
	w.block.add(text, at, end)
	w.flush()
}

// opensFence reports whether the line opens a code block. If so, it starts the block.
func (w *walker) opensFence(line string, indent int, quoted bool) bool {
	if !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~") {
		return false
	}
	info := strings.TrimLeft(line, line[:1])
	fence := line[:len(line)-len(info)]
	if info = strings.TrimSpace(info); fence[0] == '`' && strings.Contains(info, "`") {
		return false
	}
	w.flush()
	w.fence, w.indent, w.fenceQuoted = fence, indent, quoted
	if w.lang = signal.Language(info); info == "" {
		w.lang = "?"
	}
	return true
}

// flush ends the current block.
func (w *walker) flush() {
	kind, fenced := w.kind, w.fence != ""
	w.kind, w.fence, w.afterGap = "", "", w.afterGap || fenced
	switch {
	case len(w.block.pieces) == 0:
		return
	case fenced || kind == "code":
		w.d.shellLines(w.emit(signal.Fence, w.lang, ""))
		return
	}
	index := w.emit(w.medium, "", kind)
	if kind == "heading" {
		w.heading, w.inList = strings.ToLower(strings.TrimSpace(w.d.set.Regions[index].Text)), false
	}
	w.spans(index)
}

// emit adds the current block as a region. If the block's language is "?", emit guesses it.
func (w *walker) emit(m signal.Medium, lang, part string) int {
	start, end := w.block.pieces[0].at, w.block.end
	r := w.block.region()
	r.Medium, r.Lang, r.Heading, r.Part = m, lang, w.heading, part
	if lang == "?" {
		if _, r.Lang = guess(r.Text); !signal.IsCode(r.Lang) {
			r.Lang = ""
		}
	}
	for _, s := range w.afterLargeGap {
		r.Hidden = r.Hidden || s.Start < end && start < s.End
	}
	return w.d.add(r)
}

// shellLines adds regions for shell commands in a code block that is labeled as another language,
// because a model may run such a line regardless of the label. In a Python block, it also adds
// lines that start with "!", which notebooks pass to a shell. To recognize commands, it uses only
// the first row of guess.txt, whose program names are not words in other languages.
func (d *reader) shellLines(index int) {
	block := d.set.Regions[index]
	switch block.Lang {
	case "sh", "ps1", "bat", "make", "docker": // package command reads the whole block
		return
	}
	if !signal.IsCode(block.Lang) {
		return
	}
	at := 0
	for line := range strings.Lines(block.Text) {
		command, magic := strings.TrimSpace(line), false
		if block.Lang == "py" {
			command, magic = strings.CutPrefix(command, "!")
		}
		if magic || linePatterns()[0].matches(command) {
			start := at + strings.Index(line, command)
			r := part(&block, start, start+len(command), block.Medium)
			r.Lang, r.Parent = "sh", index
			d.add(r)
		}
		at += len(line)
	}
}

// spans adds the code spans in a block of prose. It ignores spans longer than 4 KiB, whose
// backticks are usually unrelated.
func (w *walker) spans(index int) {
	text := w.d.set.Regions[index].Text
	if strings.IndexByte(text, '`') < 0 {
		return
	}
	var runs [][2]int
	for at := strings.IndexByte(text, '`'); at < len(text); {
		end := len(text) - len(strings.TrimLeft(text[at:], "`"))
		runs = append(runs, [2]int{at, end})
		next := strings.IndexByte(text[end:], '`')
		if next < 0 {
			break
		}
		at = end + next
	}
	for i := 0; i < len(runs) && w.d.count < maxRegions; i++ {
		from := runs[i][1]
		for k := i + 1; k < len(runs) && runs[k][0] < from+4<<10; k++ {
			if runs[k][1]-runs[k][0] == from-runs[i][0] {
				from += languagePrefixLen(text[from:runs[k][0]], from-runs[i][0])
				span := part(&w.d.set.Regions[index], from, runs[k][0], signal.CodeSpan)
				span.Parent = index
				w.d.add(span)
				i = k
				break
			}
		}
	}
}

// languagePrefixLen returns the length of the language name at the start of a code span that is
// written like a code block, as in ```sh chmod 755 run```. If the second word is a file name, as in
// ```sh run.sh```, then the first word is a command and languagePrefixLen returns 0.
func languagePrefixLen(text string, ticks int) int {
	lang, rest, ok := strings.Cut(text, " ")
	first, _, _ := strings.Cut(rest, " ")
	if !ok || ticks < 3 || !signal.IsCode(signal.Language(lang)) || strings.ContainsAny(first, "./") {
		return 0
	}
	return len(lang) + 1
}
