package render

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/body"
)

// marked is text in which the parts that the author did not write are recorded.
type marked struct {
	text string
	// foreign holds the parts that the author did not write, sorted and disjoint.
	foreign []foreign
	// tooLong is set if the text was truncated.
	tooLong bool
}

// foreign is a part of a text that its author did not write. If argument is set, the part comes
// from an argument. Otherwise, it comes from a variable, a file, a command's output or the
// definition's location.
type foreign struct {
	start, end int
	argument   bool
}

// MaxRendered is the maximum length of the rendered text in bytes.
const MaxRendered = 8 << 20

type markedBuilder struct {
	b       strings.Builder
	foreign []foreign
	// tooLong is set if the text exceeded MaxRendered and was truncated.
	tooLong bool
}

// fits reports whether n more bytes fit within the limit.
func (m *markedBuilder) fits(n int) bool {
	m.tooLong = m.tooLong || m.b.Len()+n > MaxRendered
	return !m.tooLong
}

func (m *markedBuilder) author(s string) {
	if m.fits(len(s)) {
		m.b.WriteString(s)
	}
}

// value appends text that the author did not write. It also records empty values: if an empty value
// makes the characters around it form a delimiter, the author did not write that delimiter.
func (m *markedBuilder) value(s string, argument bool) {
	if !m.fits(len(s)) {
		return
	}
	m.foreign = append(m.foreign, foreign{m.b.Len(), m.b.Len() + len(s), argument})
	m.b.WriteString(s)
}

// copy appends the part of another marked text between two offsets.
func (m *markedBuilder) copy(from marked, start, end int) {
	if m.tooLong = m.tooLong || from.tooLong; !m.fits(end - start) {
		return
	}
	at := m.b.Len()
	m.b.WriteString(from.text[start:end])
	for _, f := range from.within(start, end) {
		m.foreign = append(m.foreign, foreign{f.start - start + at, f.end - start + at, f.argument})
	}
}

func (m *markedBuilder) done() marked { return marked{m.b.String(), m.foreign, m.tooLong} }

// within returns the parts that the author did not write between two offsets. Parts that extend
// beyond the offsets are clipped.
func (m marked) within(start, end int) []foreign {
	i, _ := slices.BinarySearchFunc(m.foreign, start, func(f foreign, at int) int { return cmp.Compare(f.end, at+1) })
	n := i
	for n < len(m.foreign) && m.foreign[n].start < end {
		n++
	}
	if i == n {
		return nil
	}
	list := slices.Clone(m.foreign[i:n])
	list[0].start = max(list[0].start, start)
	list[n-i-1].end = min(list[n-i-1].end, end)
	return list
}

// endsEarly reports whether an argument contains the command's closing delimiter and cuts off text
// that the author wrote as part of the command. close is the delimiter, and end is the offset after
// it.
func (m marked) endsEarly(end int, close string) bool {
	if len(m.within(end-len(close), end)) == 0 {
		return false
	}
	rest, at := m.foreign, end
	for at < len(m.text) {
		for len(rest) > 0 && rest[0].end <= at {
			rest = rest[1:]
		}
		switch {
		case len(rest) > 0 && rest[0].start <= at:
			at = rest[0].end
			continue
		case strings.HasPrefix(m.text[at:], close):
			return false
		case strings.IndexByte(" \t\r\n", m.text[at]) < 0:
			return true
		}
		at++
	}
	return false
}

// replace replaces each segment for which value returns true. If a segment is inside an argument,
// its replacement is also recorded as part of the argument.
func (m marked) replace(segments iter.Seq[body.Segment], value func(body.Segment) (string, bool)) marked {
	var to markedBuilder
	at := 0
	for seg := range segments {
		if to.tooLong {
			break
		}
		v, ok := value(seg)
		if !ok {
			continue
		}
		if at == 0 {
			to.b.Grow(len(m.text) + len(m.text)/8)
			to.foreign = make([]foreign, 0, len(m.foreign)+8)
		}
		to.copy(m, at, seg.Span.Start)
		argument := seg.Kind == body.Placeholder
		for _, f := range m.within(seg.Span.Start, seg.Span.End) {
			argument = argument || f.argument
		}
		to.value(v, argument)
		at = seg.Span.End
	}
	if at == 0 {
		return m
	}
	to.copy(m, at, len(m.text))
	return to.done()
}

// variables expands variables, including those in arguments.
func (m marked) variables(values map[string]string) marked {
	if len(values) == 0 || !strings.Contains(m.text, "${") {
		return m
	}
	return m.replace(body.Variables(m.text), func(seg body.Segment) (string, bool) {
		v, ok := values[seg.Name]
		return v, ok
	})
}
