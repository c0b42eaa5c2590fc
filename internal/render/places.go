package render

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/host"
)

// edit is the replacement of a span of text with a value.
type edit struct {
	span  diag.Span
	value string
}

// apply applies edits, which must be sorted and must not overlap. argument reports whether the
// inserted values are arguments.
func (m marked) apply(edits []edit, argument bool) marked {
	if len(edits) == 0 {
		return m
	}
	var to markedBuilder
	at := 0
	for _, e := range edits {
		to.copy(m, at, e.span.Start)
		to.value(e.value, argument)
		if at = e.span.End; to.tooLong {
			break
		}
	}
	to.copy(m, at, len(m.text))
	return to.done()
}

// fill replaces the argument placeholders in m with the arguments.
func (r *templateRenderer) fill(m marked, p *host.Placeholders) marked {
	return m.apply(r.edits(m.text, p), true)
}

// edits returns the replacements for the placeholders in text, in order.
func (r *templateRenderer) edits(text string, p *host.Placeholders) []edit {
	var edits []edit
	if p.Positions {
		edits = append(edits, r.positions(text, p)...)
	}
	if p.FromZero {
		edits = append(edits, r.fromZero(text)...)
	}
	if p.Slices {
		edits = append(edits, r.slices(text)...)
	}
	if p.Defaults {
		edits = append(edits, r.defaults(text)...)
	}
	if p.Inputs {
		edits = append(edits, r.inputs(text)...)
	}
	for _, all := range p.All {
		edits = append(edits, r.all(text, all, p)...)
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.span.Start, b.span.Start) })
	end := 0
	return slices.DeleteFunc(edits, func(e edit) bool {
		// A placeholder inside another placeholder's default is treated as plain text.
		inside := e.span.Start < end
		end = max(end, e.span.End)
		return inside
	})
}

// positions returns the edits for single-word placeholders. In some hosts, the placeholder with the
// highest position stands for all remaining words, which are inserted at each of its occurrences.
func (r *templateRenderer) positions(text string, p *host.Placeholders) []edit {
	list := body.Positions(text)
	highest := 0
	for _, at := range list {
		highest = max(highest, at.From)
	}
	rest := ""
	if p.Rest && highest > 0 && highest <= len(r.words) {
		rest = strings.Join(r.words[highest-1:], " ")
	}
	edits := make([]edit, 0, len(list))
	for _, at := range list {
		var value string
		last := p.Rest && at.From == highest
		switch {
		case at.From == 0:
			value = p.Zero(r.words, last)
		case at.From > len(r.words):
		case last:
			value = rest
		default:
			value = r.words[at.From-1]
		}
		edits = append(edits, edit{at.Span, value})
	}
	return edits
}

// fromZero returns the edits for placeholders whose numbers count the words from zero.
func (r *templateRenderer) fromZero(text string) []edit {
	var edits []edit
	add := func(start, end, n int) {
		e := edit{span: diag.Span{Start: start, End: end}}
		switch {
		case start > 0 && text[start-1] == '\\':
			e.span.Start--
			e.value = text[start:end]
		case n < len(r.words):
			e.value = r.words[n]
		}
		edits = append(edits, e)
	}
	for _, at := range body.Positions(text) {
		add(at.Span.Start, at.Span.End, at.From)
	}
	const open = "$ARGUMENTS["
	for from := 0; ; {
		i := strings.Index(text[from:], open)
		if i < 0 {
			return edits
		}
		start := from + i
		from = start + len(open)
		if n, value := body.Number(text[from:]); n > 0 && strings.HasPrefix(text[from+n:], "]") {
			add(start, from+n+1, value)
		}
	}
}

// slices returns the edits for placeholders that stand for a range of words. In pi, a range that
// starts at 0 also starts at the first word.
func (r *templateRenderer) slices(text string) []edit {
	var edits []edit
	length := 0
	for _, at := range body.Slices(text) {
		if length > MaxRendered {
			// Stop here, because the text is already too long.
			break
		}
		from := min(max(at.From-1, 0), len(r.words))
		to := len(r.words)
		if at.Count >= 0 {
			to = min(from+at.Count, to)
		}
		value := strings.Join(r.words[from:to], " ")
		length += len(value)
		edits = append(edits, edit{at.Span, value})
	}
	return edits
}

// defaults returns the edits for placeholders that have a default. The default is inserted if the
// value is empty.
func (r *templateRenderer) defaults(text string) []edit {
	var edits []edit
	for _, at := range body.Defaults(text) {
		value := ""
		switch {
		case at.Name == "@" || at.Name == "ARGUMENTS":
			value = strings.Join(r.words, " ")
		case at.Index > 0 && at.Index <= len(r.words):
			value = r.words[at.Index-1]
		}
		edits = append(edits, edit{at.Span, cmp.Or(value, at.Text)})
	}
	return edits
}

// inputs returns the edits for named placeholders whose values the arguments set, as in NAME=VALUE.
func (r *templateRenderer) inputs(text string) []edit {
	var edits []edit
	for _, at := range body.Names(text) {
		if value, ok := r.input(at.Name); ok && at.Input {
			edits = append(edits, edit{at.Span, value})
		}
	}
	return edits
}

func (r *templateRenderer) input(name string) (string, bool) {
	for _, word := range r.words {
		if value, ok := strings.CutPrefix(word, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// all returns the edits for placeholders that stand for all arguments.
func (r *templateRenderer) all(text, all string, p *host.Placeholders) []edit {
	value := r.in.Called.Arguments
	if p.Joined {
		value = strings.Join(r.words, " ")
	}
	var edits []edit
	length := 0
	for i := 0; ; {
		n := strings.Index(text[i:], all)
		if n < 0 || length > MaxRendered {
			return edits
		}
		e := edit{span: diag.Span{Start: i + n, End: i + n + len(all)}, value: value}
		if p.Patterns {
			e.value = replacement(value, text, e.span.Start, e.span.End)
		}
		length += len(e.value)
		edits = append(edits, e)
		i = e.span.End
	}
}

// fillVariables expands the variables in a body.
func fillVariables(m marked, values map[string]string) marked {
	if len(values) == 0 {
		return m
	}
	var edits []edit
	for _, at := range body.Names(m.text) {
		if value, ok := values[at.Name]; ok && !at.Input {
			edits = append(edits, edit{at.Span, value})
		}
	}
	return m.apply(edits, false)
}
