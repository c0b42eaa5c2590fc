package terminal

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/diag"
)

const (
	// tabStop is where a tab in a source line goes: to the next multiple.
	tabStop = 4
	// sourceWidth bounds a source line where the stream has no width.
	sourceWidth = 160
	indent      = "  "
)

// PrintDiagnostic writes d in the form of compilers, and below it the source
// line, if there is one, with the place marked, and what to do about it:
//
//	skills/x/SKILL.md:3:7: warning: unknown effort "huge" [FIELD_VALUE]
//	  effort: huge
//	          ^~~~
//	  fix: use low, medium, high, xhigh or max
//
// All that comes from files is escaped. A source line that is too long is cut
// to a window around the place; other lines are wrapped where the stream has a width.
func PrintDiagnostic(w *Writer, d diag.Diagnostic) error {
	var out strings.Builder
	used := Width(d.Severity.String()) + 2
	if d.File != "" {
		place := EscapeLine(d.File)
		if d.Line > 0 {
			place = fmt.Sprintf("%s:%d:%d", place, d.Line, d.Column)
		}
		used += Width(place) + 2
		out.WriteString(w.Paint(Bold, place) + ": ")
	}
	style, code := severityStyle(d.Severity), "["+string(d.Code)+"]"
	text := strings.TrimSuffix(Wrap(EscapeLine(d.Message)+" "+code, w.Width(), used, 2*len(indent)), code)
	fmt.Fprintf(&out, "%s: %s%s\n", w.Paint(style, d.Severity.String()), text, w.Paint(Dim, code))
	if d.Line > 0 && d.Source != "" {
		line, from, marks := excerpt(d, w.Width())
		fmt.Fprintf(&out, "%s%s\n%s%s%s\n", indent, line, indent,
			strings.Repeat(" ", from), w.Paint(style, "^"+strings.Repeat("~", marks-1)))
	}
	if d.Fix != "" {
		fix := Wrap(EscapeLine(d.Fix), w.Width(), len(indent)+len("fix: "), 2*len(indent))
		fmt.Fprintf(&out, "%s%s %s\n", indent, w.Paint(Green, "fix:"), fix)
	}
	_, err := w.Write([]byte(out.String()))
	return err
}

func severityStyle(s diag.Severity) Style {
	switch s {
	case diag.Error:
		return Red
	case diag.Warning:
		return Yellow
	}
	return Cyan
}

// excerpt returns the part of the source line to show, the column from which
// it is marked, from 0, and the number of columns marked, at least 1. limit is
// the stream's width, or 0.
func excerpt(d diag.Diagnostic, limit int) (line string, from, marks int) {
	if limit <= 0 {
		limit = sourceWidth
	}
	limit = max(limit-len(indent), 20)

	start := runeOffset(d.Source, d.Column-1)
	end := len(d.Source)
	if d.EndLine == d.Line && d.EndColumn >= d.Column {
		end = start + runeOffset(d.Source[start:], d.EndColumn-d.Column)
	}
	return window(d.Source, start, end, limit, appendEscape)
}

// window is [excerpt] of a line by offsets, with the way in which what does not show
// is written.
func window(source string, start, end, limit int, write escaper) (line string, from, marks int) {
	// Only what may be seen is escaped and measured: a line can be as long
	// as its file.
	first, last := runesBack(source, start, limit), start+runeOffset(source[start:], 2*limit)
	cutLeft, cutRight := first > 0, last < len(source)
	shown, offsets := expand(source[first:last], start-first, min(end, last)-first, write)
	before, marked, after := shown[:offsets[0]], shown[offsets[0]:offsets[1]], shown[offsets[1]:]

	room, mark := limit, max(Width(marked), 1)
	if cutLeft || cutRight || Width(before)+mark+Width(after) > limit {
		room -= min(mark, limit/2) + min(Width(after), limit/4)
	}
	before = tail(before, room, cutLeft)
	from = Width(before)
	rest := Truncate(marked+after, limit-from)
	if cutRight && !strings.HasSuffix(rest, "…") {
		rest = Truncate(rest, limit-from-1) + "…"
	}
	marks = min(mark, max(limit-from, 1))
	return strings.TrimRight(before+rest, " "), from, marks
}

// runeOffset returns the offset of the n-th character of s, from 0, or its
// length.
func runeOffset(s string, n int) int {
	for i := range s {
		if n <= 0 {
			return i
		}
		n--
	}
	return len(s)
}

// runesBack returns the offset of the n-th character before offset, or 0.
func runesBack(s string, offset, n int) int {
	for ; n > 0 && offset > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:offset])
		offset -= size
	}
	return offset
}

// escaper writes a character that may not be shown as it is; see [appendEscape].
type escaper func(out []byte, r rune, size int, raw byte) []byte

// expand escapes s and sets its tabs, and returns where two offsets of s are
// in the result.
func expand(s string, a, b int, write escaper) (string, [2]int) {
	var out []byte
	var offsets [2]int
	prev, column := rune(0), 0
	for i := 0; ; {
		if i <= a {
			offsets[0] = len(out)
		}
		if i <= max(a, b) {
			offsets[1] = len(out)
		}
		if i >= len(s) {
			return string(out), offsets
		}
		r, size, ok := judge(s[i:], prev)
		begin := len(out)
		switch {
		case r == '\t':
			out = append(out, strings.Repeat(" ", tabStop-column%tabStop)...)
			prev = ' '
		case ok && r != '\n':
			out, prev = append(out, s[i:i+size]...), r
		default:
			out, prev = write(out, r, size, s[i]), 0
		}
		column += Width(string(out[begin:]))
		i += size
	}
}

// tail returns the end of s that fits into cols columns, with "…" before it if
// something is missing there; cut says that something is missing already.
func tail(s string, cols int, cut bool) string {
	width := Width(s)
	if width <= cols && !cut {
		return s
	}
	for s != "" && width > cols-1 {
		size, w := cluster(s)
		width -= w
		s = s[size:]
	}
	return "…" + s
}
