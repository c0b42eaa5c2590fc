package signal

import (
	"sort"

	"github.com/vadehq/vade/diag"
)

// OffsetMap maps offsets in a text to offsets in its source, which is the raw text that it was
// derived from. The elements are in ascending order.
type OffsetMap []Omission

// Omission is a place where a text differs from its source. At offset Text, the text omits the
// range of its source from Before to Raw. The range is empty if a character was replaced by one of
// a different length, because only the offsets of the characters after it change.
type Omission struct{ Text, Before, Raw int }

// span converts a range in the text to a range in its source. whole is the source range of the
// entire text. The result includes anything that the text omits inside the range.
func (m OffsetMap) span(s, whole diag.Span) diag.Span {
	if len(m) == 0 {
		start := min(whole.Start+s.Start, whole.End)
		return diag.Span{Start: start, End: max(start, min(whole.Start+s.End, whole.End))}
	}
	first := sort.Search(len(m), func(i int) bool { return m[i].Text > s.Start })
	start := m.raw(first, s.Start, whole)
	last := sort.Search(len(m), func(i int) bool { return m[i].Text >= s.End })
	if last < len(m) && m[last].Text == s.End {
		return diag.Span{Start: start, End: max(start, m[last].Before)}
	}
	return diag.Span{Start: start, End: max(start, m.raw(last, s.End, whole))}
}

// raw converts an offset in the text to an offset in the source. The offset must lie between
// omissions n-1 and n.
func (m OffsetMap) raw(n, at int, whole diag.Span) int {
	if n < len(m) {
		whole.End = m[n].Before
	}
	if n > 0 {
		at, whole.Start = at-m[n-1].Text, m[n-1].Raw
	}
	return min(whole.Start+at, whole.End)
}

// offset converts an offset in the source to an offset in the text. start is the source offset at
// which the text begins, and length is the text's length.
func (m OffsetMap) offset(raw, start, length int) int {
	n := sort.Search(len(m), func(i int) bool { return m[i].Raw > raw })
	if n < len(m) {
		length = m[n].Text
	}
	at := 0
	if n > 0 {
		at, start = m[n-1].Text, m[n-1].Raw
	}
	return min(max(at+raw-start, 0), length)
}
