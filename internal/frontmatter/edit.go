package frontmatter

import (
	"sort"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// edit replaces a range of a text.
type edit struct {
	span diag.Span
	new  string
}

// apply returns text with the edits made. They are in order and do not overlap.
func apply(text []byte, edits []edit) []byte {
	out := make([]byte, 0, len(text)+64)
	at := 0
	for _, e := range edits {
		out = append(out, text[at:e.span.Start]...)
		out = append(out, e.new...)
		at = e.span.End
	}
	return append(out, text[at:]...)
}

// mapping leads from the offsets of an edited text back to the original.
type mapping struct {
	edits  []edit
	starts []int // where each edit's new text begins in the edited text
}

func newMapping(edits []edit) mapping {
	m := mapping{edits: edits, starts: make([]int, len(edits))}
	delta := 0
	for i, e := range edits {
		m.starts[i] = e.span.Start + delta
		delta += len(e.new) - (e.span.End - e.span.Start)
	}
	return m
}

// back returns the range of the original text that became span. What lies in
// replaced text is widened to all that was replaced.
func (m mapping) back(span diag.Span) diag.Span {
	out := diag.Span{Start: m.offset(span.Start, false), End: m.offset(span.End, true)}
	out.End = max(out.Start, out.End)
	return out
}

func (m mapping) offset(at int, end bool) int {
	i := sort.SearchInts(m.starts, at+1) - 1
	if i < 0 {
		return at
	}
	e := m.edits[i]
	into := at - m.starts[i]
	switch {
	case into >= len(e.new) && (into > 0 || !end):
		return e.span.End + into - len(e.new)
	case into == 0 || !end:
		return e.span.Start
	}
	return e.span.End
}

// relocate replaces every span of the entries.
func relocate(entries []definition.Entry, to func(diag.Span) diag.Span) {
	for i := range entries {
		entries[i].KeySpan = to(entries[i].KeySpan)
		relocateValue(&entries[i].Value, to)
	}
}

func relocateValue(v *definition.Value, to func(diag.Span) diag.Span) {
	v.Span = to(v.Span)
	for i := range v.Items {
		relocateValue(&v.Items[i], to)
	}
	relocate(v.Pairs, to)
}

// quote writes s as a YAML scalar that nothing can break: in double quotes
// where they need no escape, else in single quotes where those do not, else in
// double quotes with escapes.
func quote(s string) string {
	if !strings.ContainsAny(s, "\"\\\n\r\t\u0085\u2028\u2029") {
		return `"` + s + `"`
	}
	if !strings.ContainsAny(s, "'\n\r\t\u0085\u2028\u2029") {
		return "'" + s + "'"
	}
	return `"` + strings.NewReplacer(
		`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\u0085", `\N`, "\u2028", `\L`, "\u2029", `\P`,
	).Replace(s) + `"`
}

// quoteLines writes s, which may have several lines, as a literal block scalar
// where that keeps it exactly, else as quote does.
func quoteLines(s string) string {
	if !strings.Contains(s, "\n") || strings.ContainsAny(s, "\r\t\u0085\u2028\u2029") {
		return quote(s)
	}
	lines := strings.Split(s, "\n")
	if lines[0] == "" || lines[0][0] == ' ' || lines[len(lines)-1] == "" {
		return quote(s)
	}
	var b strings.Builder
	b.WriteString("|-")
	for _, line := range lines {
		b.WriteString("\n")
		if line == "" {
			continue
		}
		if strings.TrimSpace(line) == "" {
			return quote(s)
		}
		b.WriteString("  ")
		b.WriteString(line)
	}
	return b.String()
}
