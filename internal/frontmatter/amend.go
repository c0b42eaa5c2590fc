package frontmatter

import (
	"bytes"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// Quote writes s as a YAML scalar on one line that nothing can break: in double
// quotes where they need no escape, else in single quotes, else with escapes.
func Quote(s string) string { return quote(s) }

// Plain writes s, which is one line, as a YAML scalar without quotes where that
// is read as the same text, else as [Quote] does.
func Plain(s string) string {
	block := []byte("k: " + s + "\n")
	d := decode(block)
	if d.fatal() == nil && len(d.problems) == 0 && len(d.entries) == 1 {
		if v := d.entries[0].Value; v.Kind == definition.String && v.Text == s && v.Plain {
			return s
		}
	}
	return quote(s)
}

// ValueSpan returns the range of a value with the blanks and line ends between it
// and its key, but for one blank: what is written there stands on the key's line.
// Where a comment is in between it is empty, and nothing should be written there.
func ValueSpan(data []byte, e *definition.Entry) diag.Span {
	from := e.KeySpan.End
	if from >= len(data) || data[from] != ':' || e.Value.Span.Start <= from || e.Value.Span.End > len(data) {
		return diag.Span{Start: from, End: from}
	}
	from++
	if bytes.IndexByte(data[from:e.Value.Span.End], '#') >= 0 {
		return diag.Span{Start: from, End: from}
	}
	if from < e.Value.Span.Start && data[from] == ' ' {
		from++
	}
	end := e.Value.Span.End
	for end > from && (isBlank(data[end-1]) || isBreak(data[end-1])) {
		end--
	}
	return diag.Span{Start: from, End: end}
}
