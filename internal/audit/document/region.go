package document

import (
	"iter"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/signal"
)

// fileText returns a region with a file's text, starting at offset from.
func (d *reader) fileText(file, from int) *signal.Region {
	x := d.set.Package.Files[file]
	r := &signal.Region{Text: x.Text[from:], Parent: -1}
	r.Place = signal.Place{File: file, Span: diag.Span{Start: from, End: len(x.Text)}}
	// Files from a zip or tar archive are treated like files next to the definition. A file that
	// was packed in any other way is treated as hidden.
	r.Packed = x.From != nil && x.From.Format != "zip" && x.From.Format != "tar"
	return r
}

// builder collects pieces of a region's text that together form a new region.
type builder struct {
	source *signal.Region
	pieces []piece
	// end is the offset in the source at which the last piece ends.
	end int
}

// piece is text at an offset in the source.
type piece struct {
	text string
	at   int
}

func (b *builder) add(text string, at, end int) {
	b.pieces, b.end = append(b.pieces, piece{text, at}), end
}

// region returns a region whose lines are the collected pieces and whose context is that of the
// source. region also resets the builder.
func (b *builder) region() signal.Region {
	r := *b.source
	r.Offsets = nil
	r.Span = b.source.At(b.pieces[0].at, b.end).Span
	r.Text = b.pieces[0].text
	if len(b.pieces) > 1 {
		var text strings.Builder
		text.WriteString(r.Text)
		next := b.pieces[0].at + len(r.Text) + 1
		for _, p := range b.pieces[1:] {
			text.WriteByte('\n')
			if p.at != next {
				before, from := b.source.At(0, next).Span.End, b.source.At(p.at, p.at).Span.Start
				r.Offsets = append(r.Offsets, signal.Omission{Text: text.Len(), Before: before, Raw: from})
			}
			next = p.at + len(p.text) + 1
			text.WriteString(p.text)
		}
		r.Text = text.String()
	}
	b.pieces = b.pieces[:0]
	return r
}

// part returns a new region that consists of a part of r and has medium m.
func part(r *signal.Region, start, end int, m signal.Medium) signal.Region {
	s := *r
	s.Place, s.Text, s.Medium = r.At(start, end), r.Text[start:end], m
	s.Offsets, s.Clauses = nil, nil
	for _, x := range r.Offsets {
		if x.Text > start && x.Text < end {
			x.Text -= start
			s.Offsets = append(s.Offsets, x)
		}
	}
	return s
}

// value returns a region for the text that a range represents. For example, the range can be a
// quoted string with escapes. If the range contains the text literally, positions in the region are
// exact.
func value(from *signal.Region, start, end int, text string) signal.Region {
	if n := strings.Index(from.Text[start:end], text); n >= 0 {
		return part(from, start+n, start+n+len(text), from.Medium)
	}
	r := part(from, start, end, from.Medium)
	r.Text, r.Offsets, r.Fixed = text, nil, true
	return r
}

// lineEnd returns the end of the line that contains offset at.
func lineEnd(text string, at int) int {
	if at >= len(text) {
		return len(text)
	}
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(text)
}

// rowsOf yields the rows in a table file, skipping comments and empty lines.
func rowsOf(table string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(table) {
			if line = strings.TrimRight(line, "\n"); line != "" && !strings.HasPrefix(line, "# ") && !yield(line) {
				return
			}
		}
	}
}
