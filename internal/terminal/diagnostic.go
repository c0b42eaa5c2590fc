package terminal

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/diag"
)

const (
	// tabStop is the distance between tab stops in a source line.
	tabStop = 4
	// sourceWidth limits the width of a source line if the stream's width is unknown.
	sourceWidth = 160
)

// Problem is a problem in a file, in the form in which it is shown to the user.
type Problem struct {
	// Indent precedes each line.
	Indent string
	// Place is the file's name, followed by the line and the column if they are known. It may be
	// "".
	Place string
	// Label is the severity, and Style is the style in which it is printed.
	Label string
	Style Style
	// Message and Code describe the problem.
	Message, Code string
	// Source is the source line with the problem, or "". From and To are the byte offsets in it
	// where the marked part begins and ends.
	Source   string
	From, To int
	// Numbers makes Print show invisible characters as code points, as [Visible] does.
	Numbers bool
}

// Print prints a problem the way compilers do, followed by the source line with the position
// marked:
//
//	skills/x/SKILL.md:3:7: warning: unknown effort "huge" [FIELD_VALUE]
//	  effort: huge
//	          ^~~~
//
// Print escapes all text that comes from files. If a source line is too long, it prints only the
// part around the position. It wraps all other lines if the stream has a width.
func (p Problem) Print(w *Writer) {
	line, write := EscapeLine, escaper(appendEscape)
	if p.Numbers {
		line, write = NumberLine, appendNumber
	}
	used := len(p.Indent) + Width(p.Label) + 2
	head := p.Indent
	if p.Place != "" {
		place := line(p.Place)
		used += Width(place) + 2
		head += w.Paint(Bold, place) + ": "
	}
	code := "[" + p.Code + "]"
	text := strings.TrimSuffix(Wrap(line(p.Message)+" "+code, w.Width(), used, len(p.Indent)+4), code)
	fmt.Fprintf(w, "%s%s: %s%s\n", head, w.Paint(p.Style, p.Label), text, w.Paint(Dim, code))
	if p.Source == "" {
		return
	}
	limit := w.Width()
	if limit <= 0 {
		limit = sourceWidth
	}
	from := min(max(p.From, 0), len(p.Source))
	to := min(max(p.To, from), len(p.Source))
	shown, at, marks := window(p.Source, from, to, max(limit-len(p.Indent)-2, 20), write)
	indent := p.Indent + "  "
	fmt.Fprintf(w, "%s%s\n%s%s%s\n", indent, shown, indent, strings.Repeat(" ", at), w.Paint(p.Style, "^"+strings.Repeat("~", marks-1)))
}

// PrintDiagnostics prints problems and how to fix them. It returns the first error encountered when
// writing to w.
func PrintDiagnostics(w *Writer, list ...diag.Diagnostic) error {
	for _, d := range list {
		p := Problem{Place: d.File, Label: d.Severity.String(), Style: severityStyle(d.Severity), Message: d.Message,
			Code: string(d.Code)}
		if d.File != "" && d.Line > 0 {
			p.Place = fmt.Sprintf("%s:%d:%d", d.File, d.Line, d.Column)
		}
		if d.Line > 0 {
			p.Source, p.From = d.Source, runeOffset(d.Source, d.Column-1)
			p.To = len(d.Source)
			if d.EndLine == d.Line && d.EndColumn >= d.Column {
				p.To = p.From + runeOffset(d.Source[p.From:], d.EndColumn-d.Column)
			}
		}
		p.Print(w)
		if d.Fix != "" {
			fmt.Fprintf(w, "  %s %s\n", w.Paint(Green, "fix:"), Wrap(EscapeLine(d.Fix), w.Width(), 7, 4))
		}
	}
	return w.Err()
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

// window returns the part of a source line around the bytes from start to end. The part occupies at
// most limit columns. from is the zero-based column at which the mark starts, and marks is the
// width of the mark, which is at least 1.
func window(source string, start, end, limit int, write escaper) (line string, from, marks int) {
	// Escape and measure only text that may be shown, because a line can be as long as the whole
	// file.
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

// runeOffset returns the byte offset of character n, counting from 0, or len(s) if s is shorter.
func runeOffset(s string, n int) int {
	for i := range s {
		if n <= 0 {
			return i
		}
		n--
	}
	return len(s)
}

// runesBack returns the byte offset of the n-th character before offset, or 0 if there are fewer.
func runesBack(s string, offset, n int) int {
	for ; n > 0 && offset > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:offset])
		offset -= size
	}
	return offset
}

// expand escapes s and replaces its tabs with spaces. It also returns the offsets in the result
// that correspond to a and b.
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
