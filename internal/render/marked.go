package render

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/body"
)

// marked is a text together with the parts of it that its author did not write.
type marked struct {
	text string
	// foreign are those parts, in order and apart from each other.
	foreign []foreign
	// full: the text was cut off.
	tooLong bool
}

// foreign is a part of a text that came from elsewhere: from the arguments, or
// else from the place of the definition.
type foreign struct {
	start, end int
	argument   bool
}

// MaxRendered is the length in bytes that a text may grow to by what is put into
// it.
const MaxRendered = 8 << 20

// marker builds a marked text.
type markedBuilder struct {
	b       strings.Builder
	foreign []foreign
	// full: the text would be longer than MaxRendered. It is cut off.
	tooLong bool
}

// fits reports whether n more bytes are within the limit.
func (m *markedBuilder) fits(n int) bool {
	m.tooLong = m.tooLong || m.b.Len()+n > MaxRendered
	return !m.tooLong
}

func (m *markedBuilder) author(s string) {
	if m.fits(len(s)) {
		m.b.WriteString(s)
	}
}

// value appends what the author did not write. An empty value is noted too: a mark
// that only comes about because there is nothing in between is not the author's.
func (m *markedBuilder) value(s string, argument bool) {
	if !m.fits(len(s)) {
		return
	}
	m.foreign = append(m.foreign, foreign{m.b.Len(), m.b.Len() + len(s), argument})
	m.b.WriteString(s)
}

// copy appends a part of another marked text.
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

// within returns the foreign parts between two places, cut off at them.
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

// drops reports whether a command ends in an argument, so that a part of it which
// its author has written does not belong to it. close is the mark that ends a
// command, and stands right before end.
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

// replace puts a value in the place of each segment that has one. A value that
// stands in an argument is part of the argument.
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

// variables puts in the values of variables, also of those in arguments.
func (m marked) variables(values map[string]string) marked {
	if len(values) == 0 || !strings.Contains(m.text, "${") {
		return m
	}
	return m.replace(body.Variables(m.text), func(seg body.Segment) (string, bool) {
		v, ok := values[seg.Name]
		return v, ok
	})
}
