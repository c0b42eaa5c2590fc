package coreutils

import (
	"bufio"
	"bytes"
	"strconv"
	"unicode/utf8"
)

// sniffed is how much of a file is looked at before its first line is taken
// for text.
const sniffed = 96 << 10

// grepScan is the search of one input.
type grepScan struct {
	o       *grepOptions
	x       *IO
	out     *bufio.Writer
	group   *bool // something was printed before, so that a group needs a separator
	name    string
	lines   *lineReader
	number  int
	offset  int64
	count   int
	pending int // lines of context still to print
	printed int // the number of the last line printed
	held    []grepLine
	heldLen int
	binary  bool // NUL bytes were seen: lines are no longer printed
	hidden  bool // a line was not printed because it is no text
}

// grepLine is a line with its place.
type grepLine struct {
	text   []byte
	number int
	offset int64
}

// run searches the input.
func (s *grepScan) run() error {
	head, _ := s.lines.r.Peek(sniffed)
	if !s.o.asText && bytes.IndexByte(head, 0) >= 0 {
		s.binary = true
	}
	if s.binary && s.o.withoutBinaries || s.o.max == 0 {
		return nil
	}
	for {
		line, ended, ok := s.lines.next()
		if !ok {
			break
		}
		if !s.o.asText && !s.binary && bytes.IndexByte(line, 0) >= 0 {
			s.binary = true
			if s.o.withoutBinaries {
				break
			}
		}
		if done, err := s.lineOrParts(line); done || err != nil {
			return err
		}
		s.offset += int64(len(line))
		if ended {
			s.offset++
		}
	}
	return s.lines.err
}

// lineOrParts takes a line; in a binary file a NUL ends a line too.
func (s *grepScan) lineOrParts(line []byte) (done bool, err error) {
	if !s.binary {
		return s.line(line)
	}
	for part := range bytes.SplitSeq(line, []byte{0}) {
		if done, err = s.line(part); done || err != nil {
			return done, err
		}
	}
	return false, nil
}

// line searches one line; done says that nothing further counts.
func (s *grepScan) line(text []byte) (done bool, err error) {
	if s.number++; len(text) > s.o.match.longest {
		return true, errLongText
	}
	exhausted := s.o.max >= 0 && s.count >= s.o.max
	switch {
	case !exhausted && s.o.match.matches(text) != s.o.invert:
		s.count++
		if s.o.quiet || s.o.list != "" || s.binary && !s.o.count {
			return true, nil
		}
		if s.o.count {
			return s.o.max >= 0 && s.count >= s.o.max, nil
		}
		s.selected(text)
		if s.o.max >= 0 && s.count >= s.o.max && s.pending == 0 {
			return true, nil
		}
	case s.o.count || s.o.quiet || s.o.list != "" || s.binary:
	case s.pending > 0:
		s.pending--
		s.print(grepLine{text, s.number, s.offset}, '-')
		return exhausted && s.pending == 0, nil
	case s.o.before > 0:
		err = s.hold(text)
	}
	return false, err
}

// hold keeps a line that may be context of a later one.
func (s *grepScan) hold(text []byte) error {
	line := grepLine{number: s.number, offset: s.offset}
	if len(s.held) == s.o.before {
		line.text = s.held[0].text[:0]
		s.heldLen -= len(s.held[0].text)
		s.held = append(s.held[:0], s.held[1:]...)
	}
	line.text = append(line.text, text...)
	s.held = append(s.held, line)
	if s.heldLen += len(text); s.heldLen > maxHeld {
		return errTooMuch
	}
	return nil
}

// selected prints a selected line with what goes before it.
func (s *grepScan) selected(text []byte) {
	first := s.number - len(s.held)
	if s.o.grouped && s.o.separate && *s.group && (s.printed == 0 || first > s.printed+1) {
		s.out.WriteString(s.o.separator)
		s.out.WriteByte('\n')
	}
	for _, l := range s.held {
		s.print(l, '-')
	}
	s.held, s.heldLen = s.held[:0], 0
	s.print(grepLine{text, s.number, s.offset}, ':')
	s.pending = s.o.after
}

// print writes a line, or its matches with -o.
func (s *grepScan) print(l grepLine, mark byte) {
	*s.group = true
	s.printed = l.number
	if !s.o.only {
		s.write(l.text, l.number, l.offset, mark)
		return
	}
	if mark != ':' || s.o.invert {
		return
	}
	s.o.match.each(l.text, func(from, to int) {
		s.write(l.text[from:to], l.number, l.offset+int64(from), mark)
	})
}

// write writes text that stands at a place.
func (s *grepScan) write(text []byte, number int, offset int64, mark byte) {
	if !s.o.asText && !utf8.Valid(text) {
		s.hidden = true
		return
	}
	var prefix [64]byte
	b := prefix[:0]
	if s.o.names {
		b = append(b, s.name...)
		if s.o.null {
			b = append(b, 0)
		} else {
			b = append(b, mark)
		}
	}
	if s.o.number {
		b = append(strconv.AppendInt(b, int64(number), 10), mark)
	}
	if s.o.offset {
		b = append(strconv.AppendInt(b, offset, 10), mark)
	}
	s.out.Write(b)
	s.out.Write(text)
	s.out.WriteByte('\n')
}

// matches reports whether a line has a match.
func (m *matcher) matches(line []byte) bool {
	switch {
	case m.literal != nil:
		return bytes.Contains(line, m.literal)
	case m.word:
		_, _, ok := m.wordFrom(line, 0)
		return ok
	}
	return m.re.Match(line)
}

// each calls use for every match of a line that is not empty.
func (m *matcher) each(line []byte, use func(from, to int)) {
	if !m.word {
		for _, at := range m.re.FindAllIndex(line, -1) {
			if at[0] < at[1] {
				use(at[0], at[1])
			}
		}
		return
	}
	for from := 0; from <= len(line); {
		lo, hi, ok := m.wordFrom(line, from)
		if !ok {
			return
		}
		if lo < hi {
			use(lo, hi)
			from = hi
		} else {
			_, size := utf8.DecodeRune(line[lo:])
			from = max(lo+size, from+1)
		}
	}
}

// wordFrom finds the first match at or after an offset that is a whole word.
func (m *matcher) wordFrom(line []byte, from int) (lo, hi int, ok bool) {
	if from == 0 {
		if at := m.atStart.FindSubmatchIndex(line); at != nil {
			return at[2], at[3], true
		}
	}
	if from > 0 {
		_, size := utf8.DecodeLastRune(line[:from])
		from -= size
	}
	at := m.re.FindSubmatchIndex(line[from:])
	if at == nil {
		return 0, 0, false
	}
	return from + at[2], from + at[3], true
}
