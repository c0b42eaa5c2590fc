package body

import (
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
)

// trailing lists the characters that are not part of a path if they are at its end. The host drops
// the characters in the first string, which end a sentence or clause. The characters in the second
// string close the quotation, emphasis or bracket around the reference.
const trailing = ",.;:!?)" + "]}>'\"*`"

// at processes the "@" at i, which begins a file reference if it is at the start of a line or after
// whitespace (Claude Code 2.1.329, case f01).
func (s *scanner) at(i int) int {
	if !afterSpace(s.text, i) {
		return i + 1
	}
	limit := len(s.text)
	if q := s.quoteAt(i); q.kind == codeSpan || q.kind == comment {
		limit = q.End
	}
	if i+1 == limit {
		return i + 1
	}
	var seg Segment
	var ok bool
	if s.text[i+1] == '"' {
		seg, ok = quotedReference(s.text[:limit], i)
	} else {
		seg, ok = bareReference(s.text[:limit], i)
	}
	if !ok {
		return i + 1
	}
	return s.emit(seg)
}

// quotedReference returns the reference @"path" at i, which must end on the
// same line. The line range may follow the quotes or be inside them.
func quotedReference(text string, i int) (Segment, bool) {
	n := strings.IndexAny(text[i+2:], "\"\r\n")
	if n <= 0 || text[i+2+n] != '"' {
		return Segment{}, false
	}
	seg := Segment{Kind: FileRef, Span: diag.Span{Start: i, End: i + 2 + n + 1}}
	seg.setPath(text[i+2 : i+2+n])
	if seg.First == 0 {
		length, first, last := lineRange(text[seg.Span.End:])
		seg.Span.End += length
		seg.First, seg.Last = first, last
	}
	return seg, seg.Name != ""
}

// bareReference returns the reference @path at i, which ends at whitespace.
func bareReference(text string, i int) (Segment, bool) {
	end := i + 1
	for end < len(text) {
		r, n := rune(text[end]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[end:])
		}
		if chars.IsSpace(r) {
			break
		}
		end += n
	}
	word := strings.TrimRight(text[i+1:end], trailing)
	seg := Segment{Kind: FileRef, Span: diag.Span{Start: i, End: i + 1 + len(word)}}
	seg.setPath(word)
	return seg, seg.Name != ""
}

// setPath separates a path from the part after "#", which is a line range or a heading. A reference
// with a heading includes the whole file.
func (seg *Segment) setPath(word string) {
	path, _, found := strings.Cut(word, "#")
	seg.Name = path
	if !found {
		return
	}
	if n, first, last := lineRange(word[len(path):]); n == len(word)-len(path) {
		seg.First, seg.Last = first, last
	}
}

// lineRange parses #L2 or #L2-3 at the start of s. Line 0 is invalid. A
// reversed range selects only its first line.
func lineRange(s string) (length, first, last int) {
	if !strings.HasPrefix(s, "#L") {
		return 0, 0, 0
	}
	n, first := number(s[2:])
	if n == 0 || first == 0 {
		return 0, 0, 0
	}
	length, last = 2+n, first
	if length < len(s) && s[length] == '-' {
		if m, to := number(s[length+1:]); m > 0 {
			length, last = length+1+m, max(first, to)
		}
	}
	return length, first, last
}
