package frontmatter

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// MaxBlock is the number of bytes, from the start of the file, within which a
// frontmatter block must end. The longest of 32,290 real blocks is 5,231 bytes.
const MaxBlock = 64 << 10

// Block locates a file's frontmatter. The zero value means that the file has
// none and consists only of a body.
type Block struct {
	// Found is set if the file has a block with both delimiters, in a form that the host
	// recognizes.
	Found bool
	// More is set if the data is only a prefix of the file and ends before the block does. In that
	// case, the other fields are undefined, and the caller should read more, up to [MaxBlock]
	// bytes.
	More bool
	// Open is the opening "---". It is set even if the block is not closed.
	Open diag.Span
	// Text is the text between the delimiter lines. It includes the last line ending unless the
	// host omits it.
	Text diag.Span
	// Close is the closing "---".
	Close diag.Span
	// Body is the offset of the first byte after the closing line, or 0 if the file has no block.
	Body int
	// Notes lists irregularities in the delimiters.
	Notes []Note
}

// Note is an irregularity in a block's delimiters.
type Note struct {
	Code diag.Code
	Span diag.Span
	// Rejected is set if this host rejects the block. If it is not set, only other hosts reject the
	// block.
	Rejected bool
}

// Split finds the frontmatter block at the start of data according to d. If prefix is set, data is
// a prefix of a longer file. If it ends before the block does, the result has More set.
func Split(data []byte, prefix bool, d host.Delimiters) Block {
	capped := len(data) > MaxBlock || prefix && len(data) == MaxBlock
	if capped {
		data, prefix = data[:MaxBlock], true
	}
	s := splitter{data: data, prefix: prefix, d: d}
	b := s.split()
	if b.More && capped {
		b = Block{}
		if s.open.dashes.End > 0 && s.plausible() {
			b.Open = s.open.dashes
			b.Notes = []Note{{Code: diag.FMTooLarge, Span: b.Open, Rejected: true}}
		}
	}
	return b
}

type splitter struct {
	data   []byte
	prefix bool
	d      host.Delimiters
	open   opener
}

// opener is the first "---" line under the most lenient rules.
type opener struct {
	dashes            diag.Span
	next              int // start of the line after the opener
	bom               int // bytes in byte order marks
	blank, comment    bool
	indent            int
	trailing, newline diag.Span
}

func (s *splitter) split() Block {
	state := s.findOpener()
	if state == tooShort {
		return Block{More: s.prefix}
	}
	if state == absent {
		return Block{}
	}
	closer, state := s.findCloser()
	switch {
	case state == tooShort && s.prefix:
		return Block{More: true}
	case s.prefix && s.firstLineCut():
		return Block{More: true}
	case !s.plausible():
		return Block{}
	case state != present && !s.d.OpenEnd:
		return Block{Open: s.open.dashes, Notes: []Note{{Code: diag.FMUnclosed, Span: s.open.dashes, Rejected: true}}}
	case state == present && s.d.Empty == host.EmptyBlockNone && closer.line == s.open.next:
		return Block{Open: s.open.dashes, Notes: []Note{{Code: diag.FMEmpty, Span: s.open.dashes, Rejected: true}}}
	}
	notes, rejected := s.openerNotes()
	if rejected {
		return Block{Open: s.open.dashes, Notes: notes}
	}
	if state != present {
		end := len(s.data)
		return Block{
			Found: true, Open: s.open.dashes, Text: diag.Span{Start: s.open.next, End: end},
			Close: diag.Span{Start: end, End: end}, Body: end,
			Notes: append(notes, Note{Code: diag.FMUnclosed, Span: s.open.dashes}),
		}
	}
	end := closer.line
	if text := s.data[s.open.next:end]; s.d.NoLastLF {
		end -= len(text) - len(bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r")))
	}
	return Block{
		Found: true,
		Open:  s.open.dashes,
		Text:  diag.Span{Start: s.open.next, End: end},
		Close: closer.dashes,
		Body:  closer.next,
		Notes: s.closerNotes(notes, closer),
	}
}

type state uint8

const (
	absent   state = iota // certainly not present
	tooShort              // more data is needed to decide
	present
)

const bom = "\xef\xbb\xbf"

// findOpener finds the opening line. It applies the most lenient rules and records which of them
// were needed.
func (s *splitter) findOpener() state {
	o, data, i := &s.open, s.data, 0
	for bytes.HasPrefix(data[i:], []byte(bom)) {
		i += len(bom)
	}
	o.bom = i
	for {
		line := i
		i = skipSpaces(data, i)
		rest := data[i:]
		switch {
		case len(rest) == 0 || isPartOf(rest, "---") || isPartOf(rest, "<!--") || isPartOf(rest, bom):
			return tooShort
		case isBreak(rest[0]):
			o.blank = true
			i = skipBreak(data, i)
		case bytes.HasPrefix(rest, []byte("<!--")):
			o.comment = true
			end := bytes.Index(rest, []byte("-->"))
			if end < 0 {
				return tooShort
			}
			i = skipSpaces(data, i+end+len("-->"))
			if i < len(data) && !isBreak(data[i]) {
				return absent
			}
			i = skipBreak(data, i)
		case bytes.HasPrefix(rest, []byte("---")):
			o.indent = i - line
			o.dashes = diag.Span{Start: i, End: i + 3}
			return s.finishOpener(i + 3)
		default:
			return absent
		}
	}
}

func (s *splitter) finishOpener(i int) state {
	o, data := &s.open, s.data
	end := skipSpaces(data, i)
	o.trailing = diag.Span{Start: i, End: end}
	switch {
	case end == len(data):
		o.next = end
		return s.atEnd()
	case !isBreak(data[end]) && s.d.OpenerPrefix:
		if s.d.OpenerSkip {
			_, size := utf8.DecodeRune(data[i:])
			i += size
		}
		o.trailing, o.next, o.newline = diag.Span{Start: i, End: i}, i, diag.Span{Start: i, End: i}
		return present
	case !isBreak(data[end]):
		o.dashes = diag.Span{}
		return absent
	case data[end] == '\r' && end+1 == len(data) && s.prefix:
		return tooShort
	}
	o.next = skipBreak(data, end)
	o.newline = diag.Span{Start: end, End: o.next}
	return present
}

// atEnd returns the state of a delimiter after which the data ends. If the file continues after the
// data, the rest of the delimiter's line is unknown.
func (s *splitter) atEnd() state {
	if s.prefix {
		return tooShort
	}
	return present
}

// plausible reports whether the opener probably starts a block and is not a horizontal rule. Many
// hosts do not look for an opener after blank lines or a comment, so such an opener is plausible
// only if the next line looks like YAML.
func (s *splitter) plausible() bool {
	o := &s.open
	if !o.blank && !o.comment {
		return true
	}
	line, _ := s.firstLine()
	return bytes.HasPrefix(line, []byte("---")) || bytes.HasPrefix(line, []byte("#")) || keyEnd(line) > 0
}

// firstLine returns the first non-blank line after the opener. whole reports whether data contains
// the end of that line.
func (s *splitter) firstLine() (line []byte, whole bool) {
	line = bytes.TrimLeft(s.data[s.open.next:], " \t\r\n")
	if i := bytes.IndexAny(line, "\r\n"); i >= 0 {
		return line[:i], true
	}
	return line, false
}

// firstLineCut reports whether plausible has to examine the first line after the opener although
// data ends before that line does.
func (s *splitter) firstLineCut() bool {
	_, whole := s.firstLine()
	return (s.open.blank || s.open.comment) && !whole
}

// closing describes a "---" that may close the block.
type closing struct {
	line, next int // offsets of its line (or of its dashes, if inLine) and of the text after it
	dashes     diag.Span
	indent     int
	trailing   diag.Span
	inLine     bool // text precedes the closer on its line
	text       bool // text follows the closer
	other      int  // offset of the first "---" that does not close the block, or -1
}

func (s *splitter) findCloser() (closing, state) {
	c := closing{other: -1}
	inside := verdict{line: -1}
	for i := s.open.next; ; {
		n := bytes.Index(s.data[i:], []byte("---"))
		if n < 0 {
			return c, tooShort
		}
		i += n
		c.dashes = diag.Span{Start: i, End: i + 3}
		line := i
		for line > s.open.next && isBlank(s.data[line-1]) {
			line--
		}
		atStart := line == s.open.next || isBreak(s.data[line-1])
		if !atStart {
			line = i
		}
		c.line, c.indent, c.inLine = line, i-line, !atStart
		switch s.judge(&c, &inside) {
		case present:
			return c, present
		case tooShort:
			return c, tooShort
		}
		if c.other < 0 {
			c.other = i
		}
		for i < len(s.data) && s.data[i] == '-' {
			i++
		}
	}
}

// judge decides whether the dashes close the block.
func (s *splitter) judge(c *closing, inside *verdict) state {
	data, end := s.data, skipSpaces(s.data, c.dashes.End)
	c.trailing = diag.Span{Start: c.dashes.End, End: end}
	ends := end == len(data) || isBreak(data[end])
	if s.d.CloserAnywhere {
		if !ends {
			c.line, c.next = c.dashes.Start, c.dashes.End
			c.inLine = true
			return present
		}
		if c.indent > 0 {
			c.line = c.dashes.Start
		}
		return s.finishCloser(c, end)
	}
	switch {
	case c.inLine, c.indent > 0 && !s.d.Indented, s.d.Empty == host.EmptyBlockGoesOn && c.line == s.open.next:
		return absent
	case !ends:
		if !s.d.CloserPrefix {
			return absent
		}
		c.text, c.trailing.End = true, c.trailing.Start
		if n := bytes.IndexAny(data[end:], "\r\n"); n >= 0 {
			end += n
		} else {
			end = len(data)
		}
	case end > c.dashes.End && !s.d.TrailingSpace && !s.d.CloserPrefix:
		return absent
	case end < len(data) && data[end] == '\r' && !s.d.CRLF:
		return absent
	case c.indent > 0 && s.open.indent == 0 && !s.d.AnyIndent && s.inScalar(c.line, c.indent, inside):
		return absent
	}
	return s.finishCloser(c, end)
}

// finishCloser sets where the body begins. end is the end of the closing line.
func (s *splitter) finishCloser(c *closing, end int) state {
	alone := end == c.dashes.End
	switch {
	case s.d.BodyStart == host.BodyNone && !alone:
		c.next = len(s.data)
		return present
	case s.d.BodyStart == host.BodyAtOnce && !alone:
		c.next = c.dashes.End
		return present
	}
	if end == len(s.data) {
		c.next = end
		return s.atEnd()
	}
	if s.data[end] == '\r' && end+1 == len(s.data) && s.prefix {
		return tooShort
	}
	c.next = skipBreak(s.data, end)
	return present
}

// verdict caches the result for the last indented "---" line in a block scalar. It keeps the
// running time linear if there are many such lines.
type verdict struct{ line, indent int }

// inScalar reports whether an indented line belongs to a block scalar, that is,
// whether the nearest less indented line above ends in "|" or ">".
func (s *splitter) inScalar(line, indent int, inside *verdict) bool {
	for end := line; end > s.open.next; {
		start := end - 1
		for start > s.open.next && !isBreak(s.data[start-1]) {
			start--
		}
		text := bytes.TrimRight(s.data[start:end], " \t\r\n")
		first := skipSpaces(text, 0)
		switch {
		case start == inside.line && inside.indent <= indent:
			*inside = verdict{line, indent}
			return true
		case first < len(text) && first < indent:
			if !isBlockHeader(text) {
				return false
			}
			*inside = verdict{line, indent}
			return true
		}
		end = start
	}
	return false
}

// isBlockHeader reports whether a line ends in a block scalar indicator.
func isBlockHeader(line []byte) bool {
	line = bytes.TrimRight(line, "+-0123456789")
	n := len(line)
	return n > 1 && (line[n-1] == '|' || line[n-1] == '>') && isBlank(line[n-2])
}

// openerNotes returns the opening line's irregularities. rejected reports whether the host rejects
// such a line.
func (s *splitter) openerNotes() (notes []Note, rejected bool) {
	o, d := &s.open, s.d
	note := func(code diag.Code, allowed bool, start, end int) {
		notes = append(notes, Note{Code: code, Span: diag.Span{Start: start, End: end}, Rejected: !allowed})
		rejected = rejected || !allowed
	}
	if o.bom > 0 {
		note(diag.FMBOM, d.BOM, 0, o.bom)
	}
	if o.blank || o.comment {
		allowed := (d.LeadingBlank || !o.blank) && (d.LeadingComment || !o.comment)
		note(diag.FMNotAtByte0, allowed, o.bom, o.dashes.Start-o.indent)
	}
	if o.indent > 0 {
		note(diag.FMIndented, d.Indented, o.dashes.Start-o.indent, o.dashes.Start)
	}
	if o.trailing.End > o.trailing.Start {
		note(diag.FMTrailingSpace, d.TrailingSpace, o.trailing.Start, o.trailing.End)
	}
	carriage := o.newline.End > o.newline.Start && s.data[o.newline.Start] == '\r'
	if carriage && (!d.CRLF || d.NeedsLF && o.newline.End == o.newline.Start+1) {
		note(diag.FMTrailingSpace, false, o.newline.Start, o.newline.Start+1)
	}
	return notes, rejected
}

func (s *splitter) closerNotes(notes []Note, c closing) []Note {
	if c.inLine || c.text {
		return append(notes, Note{Code: diag.FMDashesInValue, Span: c.dashes, Rejected: true})
	}
	if c.indent > 0 {
		notes = append(notes, Note{Code: diag.FMIndented, Span: diag.Span{Start: c.dashes.Start - c.indent, End: c.dashes.Start}})
	}
	if c.trailing.End > c.trailing.Start {
		notes = append(notes, Note{Code: diag.FMTrailingSpace, Span: c.trailing})
	}
	if c.other >= 0 {
		notes = append(notes, Note{Code: diag.FMDashesInValue, Span: diag.Span{Start: c.other, End: c.other + 3}})
	}
	return notes
}

const closeBlock = `put "---" on a separate line after the last field`

// noteText returns the message and the fix for a note with the given code. In the message, "%s"
// stands for what the host does. remove reports whether removing the text at the note's position
// fixes the problem.
func noteText(code diag.Code) (message, fix string, remove bool) {
	switch code {
	case diag.FMBOM:
		return "the file starts with a byte order mark, so %s", "save the file without a byte order mark", true
	case diag.FMNotAtByte0:
		return `the opening "---" is not at the start of the file, so %s`, `start the file with "---"`, true
	case diag.FMIndented:
		return `"---" is indented, so %s`, `put "---" at the start of its line`, true
	case diag.FMTrailingSpace:
		return `whitespace follows "---", so %s`, `remove the whitespace after "---"`, true
	case diag.FMUnclosed:
		return `the frontmatter has no closing "---", so the whole file is treated as the body`, closeBlock, false
	case diag.FMEmpty:
		return `there are no fields between the two "---" lines, so %s`,
			`put the fields between the two lines, or remove both`, false
	case diag.FMTooLarge:
		return fmt.Sprintf(`no closing "---" in the first %d KiB, so the whole file is treated as the body`, MaxBlock>>10),
			`close the frontmatter with a "---" line`, false
	case diag.FMDashesInValue:
		return `the first "---" ends the frontmatter, so the text after it is part of the body`,
			`remove "---" from inside the frontmatter`, false
	}
	return "", "", false
}

// Diagnostic converts the note to a diagnostic.
func (n Note) Diagnostic(f *diag.File) diag.Diagnostic {
	message, fix, remove := noteText(n.Code)
	if n.Code == diag.FMTrailingSpace && f.Data[n.Span.Start] == '\r' {
		message, fix = `a carriage return follows "---", so %s`, "save the file with LF line endings"
		remove = n.Span.End < len(f.Data) && f.Data[n.Span.End] == '\n'
	}
	loss := "some hosts do not recognize the frontmatter"
	switch {
	case n.Rejected:
		loss = "the whole file is treated as the body"
	case n.Code == diag.FMUnclosed:
		message = `the frontmatter has no closing "---", so the whole file is treated as frontmatter`
	case n.Code == diag.FMDashesInValue:
		message, fix = `the frontmatter contains "---", and some hosts end it there`, `remove "---" from the value`
	}
	d := diag.At(f, n.Span, n.Code, "%s", strings.Replace(message, "%s", loss, 1)).WithFix("%s", fix)
	if remove && len(bytes.Trim(f.Data[n.Span.Start:n.Span.End], bom+" \t\r\n")) == 0 {
		d = d.WithEdit(n.Span, "")
	}
	if n.Rejected {
		d.Severity, d.Effect = max(d.Severity, diag.Warning), diag.NoFrontmatter
	}
	return d
}
