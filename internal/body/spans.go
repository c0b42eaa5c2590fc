package body

import "strings"

// spans finds the closing backticks of inline code spans. The runs of one
// paragraph are linked to the next of equal length when the first of them is
// asked for, so that no text is searched twice.
type spans struct {
	runs []run
	// at is the index of the first run that has not been asked for or passed.
	at int
	// end is where the paragraph of the runs ends.
	end int
	// last holds, for each length, the index of the next such run, or 0.
	last []int
}

type run struct {
	pos, length int
	// next is the index of the next run of the same length, or 0.
	next int
}

// closer returns where the run stands that closes the code span which the run
// of n backticks at i opens, or -1. A code span ends within its paragraph.
func (s *spans) closer(text string, i, n int) int {
	if i >= s.end {
		s.collect(text, i)
	}
	for s.at < len(s.runs) && s.runs[s.at].pos < i {
		s.at++
	}
	if s.at == len(s.runs) || s.runs[s.at].pos != i || s.runs[s.at].length != n {
		return -1
	}
	next := s.runs[s.at].next
	if next == 0 {
		return -1
	}
	return s.runs[next].pos
}

// collect reads the runs from i to the end of its paragraph.
func (s *spans) collect(text string, i int) {
	s.runs, s.at, s.last = s.runs[:0], 0, s.last[:0]
	for {
		end := len(text)
		if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
			end = i + n + 1
		}
		s.collectLine(text, i, end)
		i = end
		if i == len(text) || beginsBlock(lineAt(text, i)) {
			break
		}
	}
	s.end = i
	s.link()
}

func (s *spans) collectLine(text string, i, end int) {
	for i < end {
		n := strings.IndexByte(text[i:end], '`')
		if n < 0 {
			return
		}
		r := run{pos: i + n, length: runLength(text, i+n)}
		s.runs = append(s.runs, r)
		i = r.pos + r.length
	}
}

func (s *spans) link() {
	for i := len(s.runs) - 1; i >= 0; i-- {
		r := &s.runs[i]
		for len(s.last) <= r.length {
			s.last = append(s.last, 0)
		}
		r.next, s.last[r.length] = s.last[r.length], i
	}
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
