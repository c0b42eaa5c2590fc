package coreutils

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
)

// compareKeys orders two lines by their keys alone.
func (s *sorter) compareKeys(a, b []byte) int {
	if len(s.keys) == 0 {
		return s.global.compare(s.global.trim(a), s.global.trim(b))
	}
	for i := range s.keys {
		k := &s.keys[i]
		if diff := k.order.compare(s.part(k, a), s.part(k, b)); diff != 0 {
			return diff
		}
	}
	return 0
}

// trim takes blanks off the start of a line that is its own key.
func (o sortOrder) trim(line []byte) []byte {
	if o.blankStart {
		return skipBlanks(line)
	}
	return line
}

func isSortBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

func skipBlanks(text []byte) []byte {
	for len(text) > 0 && isSortBlank(text[0]) {
		text = text[1:]
	}
	return text
}

// part is what a key takes of a line.
func (s *sorter) part(k *sortKey, line []byte) []byte {
	from := s.fieldStart(line, k.startField)
	if k.order.blankStart {
		from = len(line) - len(skipBlanks(line[from:]))
	}
	from = min(from+k.startChar, len(line))
	to := len(line)
	if k.endField >= 0 {
		to = s.keyEnd(k, line)
	}
	return line[from:max(from, to)]
}

// fieldStart is where the field of a number begins.
func (s *sorter) fieldStart(line []byte, field int) int {
	at := 0
	for ; field > 0 && at < len(line); field-- {
		at = s.fieldEnd(line, at)
		if s.tab >= 0 && at < len(line) {
			at++
		}
	}
	return at
}

// fieldEnd is where the field that begins at an offset ends. Blanks before a
// field belong to it, where no separator is given.
func (s *sorter) fieldEnd(line []byte, at int) int {
	if s.tab >= 0 {
		if n := bytes.IndexByte(line[at:], byte(s.tab)); n >= 0 {
			return at + n
		}
		return len(line)
	}
	for at < len(line) && isSortBlank(line[at]) {
		at++
	}
	for at < len(line) && !isSortBlank(line[at]) {
		at++
	}
	return at
}

// keyEnd is where a key ends that has an end.
func (s *sorter) keyEnd(k *sortKey, line []byte) int {
	at := s.fieldStart(line, k.endField)
	if k.endChar == 0 {
		return s.fieldEnd(line, at)
	}
	if k.order.blankEnd {
		at = len(line) - len(skipBlanks(line[at:]))
	}
	return min(at+k.endChar, len(line))
}

// compare orders two keys.
func (o sortOrder) compare(a, b []byte) int {
	diff := o.forward(a, b)
	if o.revers {
		return -diff
	}
	return diff
}

func (o sortOrder) forward(a, b []byte) int {
	if o.kind == 0 && !o.dictionary && !o.skip {
		if o.fold {
			return compareFolded(a, b)
		}
		return bytes.Compare(a, b)
	}
	if o.filters() {
		a, b = o.filter(a), o.filter(b)
	}
	return o.ranked(a, b)
}

// filters reports whether keys are rewritten before they are compared.
func (o sortOrder) filters() bool { return o.dictionary || o.skip || o.fold }

// ranked orders two keys as they are after filter, -r aside.
func (o sortOrder) ranked(a, b []byte) int {
	switch o.kind {
	case 'n':
		return compareNumbers(a, b)
	case 'h':
		return compareHuman(a, b)
	case 'g':
		return compareFloats(a, b)
	case 'M':
		return cmp.Compare(monthOf(a), monthOf(b))
	case 'V':
		return compareVersions(a, b)
	}
	return bytes.Compare(a, b)
}

// filter drops what does not count and makes letters capitals.
func (o sortOrder) filter(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for _, c := range text {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if o.dictionary && !letter && !isSortBlank(c) || o.skip && (c < ' ' || c > '~') {
			continue
		}
		if o.fold {
			c = upperByte(c)
		}
		out = append(out, c)
	}
	return out
}

// decimal is a number as text: a sign and digits before and after the point.
type decimal struct {
	negative        bool
	whole, fraction []byte
	unit            byte // what follows
}

func readDecimal(text []byte) decimal {
	var d decimal
	text = skipBlanks(text)
	if len(text) > 0 && text[0] == '-' {
		d.negative, text = true, text[1:]
	}
	d.whole, text = digits(text)
	d.whole = bytes.TrimLeft(d.whole, "0")
	if len(text) > 0 && text[0] == '.' {
		d.fraction, text = digits(text[1:])
		d.fraction = bytes.TrimRight(d.fraction, "0")
	}
	if len(text) > 0 {
		d.unit = text[0]
	}
	if d.zero() {
		d.negative = false
	}
	return d
}

func digits(text []byte) (number, rest []byte) {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return text[:n], text[n:]
}

func (d decimal) zero() bool { return len(d.whole) == 0 && len(d.fraction) == 0 }

func (d decimal) compare(e decimal) int {
	if d.negative != e.negative {
		if d.negative {
			return -1
		}
		return 1
	}
	diff := cmp.Or(cmp.Compare(len(d.whole), len(e.whole)), bytes.Compare(d.whole, e.whole), bytes.Compare(d.fraction, e.fraction))
	if d.negative {
		return -diff
	}
	return diff
}

func compareNumbers(a, b []byte) int { return readDecimal(a).compare(readDecimal(b)) }

// compareHuman orders numbers with a unit: first by sign, then by unit.
func compareHuman(a, b []byte) int {
	d, e := readDecimal(a), readDecimal(b)
	return cmp.Or(cmp.Compare(d.power(), e.power()), d.compare(e))
}

func (d decimal) power() int {
	if d.zero() {
		return 0
	}
	unit := d.unit
	if unit == 'k' {
		unit = 'K'
	}
	n := strings.IndexByte("KMGTPEZY", unit) + 1
	if unit == 0 {
		n = 0
	}
	if d.negative {
		return -n
	}
	return n
}

// compareFloats orders what is no number first, then NaN, then numbers.
func compareFloats(a, b []byte) int {
	x, xOK := readFloat(a)
	y, yOK := readFloat(b)
	if !xOK || !yOK {
		return boolInt(xOK) - boolInt(yOK)
	}
	return cmp.Compare(x, y)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// readFloat reads the longest number that a text begins with.
func readFloat(text []byte) (float64, bool) {
	text = bytes.TrimLeft(text, " \t\n\v\f\r")
	if len(text) > 400 {
		text = text[:400]
	}
	for end := len(text); end > 0; end-- {
		s := string(text[:end])
		if strings.ContainsAny(s, "_") {
			continue
		}
		if strings.ContainsAny(s, "xX") && !strings.ContainsAny(s, "pP") {
			s += "p0"
		}
		if f, err := strconv.ParseFloat(s, 64); err == nil || f != 0 {
			return f, true
		}
	}
	return 0, false
}

// monthOf is 1 to 12 for the short name of a month, and else 0.
func monthOf(text []byte) int {
	text = skipBlanks(text)
	if len(text) < 3 {
		return 0
	}
	at := strings.Index("JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC", strings.ToUpper(string(text[:3])))
	if at < 0 || at%3 != 0 {
		return 0
	}
	return at/3 + 1
}
