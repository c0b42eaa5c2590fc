package frontmatter

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// plainly reports whether the entries of a simple block are all that the dialect
// wants to know of it.
func plainly(d host.Dialect, data []byte, entries []definition.Entry) bool {
	if d.Second == host.SecondPair && !isPair(entries) || d.Rejects&host.RejectFlow != 0 && firstFlow(data, entries) != nil {
		return false
	}
	if d.Strings {
		onlyText(entries)
	}
	return true
}

// onlyText makes each plain value a text.
func onlyText(entries []definition.Entry) {
	for i := range entries {
		textOnly(&entries[i].Value)
	}
}

func textOnly(v *definition.Value) {
	switch v.Kind {
	case definition.List:
		for i := range v.Items {
			textOnly(&v.Items[i])
		}
	case definition.Map:
		onlyText(v.Pairs)
	default:
		v.Kind = definition.String
	}
}

// firstFlow returns the first list or map in brackets, or nil. Spans are offsets in
// data.
func firstFlow(data []byte, entries []definition.Entry) *definition.Value {
	for i := range entries {
		if v := flowIn(data, &entries[i].Value); v != nil {
			return v
		}
	}
	return nil
}

func flowIn(data []byte, v *definition.Value) *definition.Value {
	if v.Kind != definition.List && v.Kind != definition.Map {
		return nil
	}
	if at := v.Span.Start; at < len(data) && (data[at] == '[' || data[at] == '{') {
		return v
	}
	for i := range v.Items {
		if in := flowIn(data, &v.Items[i]); in != nil {
			return in
		}
	}
	return firstFlow(data, v.Pairs)
}

// flow makes a block invalid that has a list or map in brackets.
func (r *reader) flow(text []byte, entries []definition.Entry) {
	v := firstFlow(text, entries)
	if v == nil {
		return
	}
	r.valid = false
	out := r.report(v.Span, diag.YAMLForbidden, "this host takes no %s in brackets", v.Kind)
	out.Fix = `write each item on a line of its own, or the value in quotes if it is text`
}

// refused reports whether the host's YAML library does not take the block.
func (r *reader) refused(d *decoded) bool {
	if d.fatal() != nil || r.d.Second == host.SecondPair && !isPair(d.entries) {
		return true
	}
	return slices.ContainsFunc(d.problems, func(p problem) bool {
		return p.code == diag.YAMLDuplicateKey && !r.repeatable(p.key)
	})
}

// repeatable reports whether a key may be given twice.
func (r *reader) repeatable(key string) bool {
	return r.d.DuplicateKeys && !slices.Contains(r.d.Unique, key)
}

// isPair reports whether name and description are both there and text.
func isPair(entries []definition.Entry) bool {
	n := 0
	for i := range entries {
		if e := &entries[i]; (e.Key == "name" || e.Key == "description") && e.Value.Kind == definition.String {
			n++
		}
	}
	return n == 2
}

// second makes the host's second try at a block; false where that fails too.
func (r *reader) second(text []byte, first decoded) ([]definition.Entry, bool) {
	var entries []definition.Entry
	switch r.d.Second {
	case host.SecondPair:
		if entries = pairLines(text); len(entries) < 2 {
			return nil, false
		}
	case host.SecondLines:
		entries = flatLines(text)
	default:
		return r.rewritten(text)
	}
	r.valid, r.repaired = true, true
	if !r.hints(text) {
		r.odd(first)
	}
	relocate(entries, r.inFile)
	return entries, true
}

// hints reports each value that YAML does not take, with what mends it.
func (r *reader) hints(text []byte) bool {
	any := false
	for _, c := range chunks(text, false) {
		if readable(text[c.start:c.end]) {
			continue
		}
		if mends, ok := mendChunk(text, c); ok {
			any = true
			for i := range mends {
				m := &mends[i]
				r.advise(r.report(m.whole(text).span, m.code, "%s%s", m.text, m.read), text, m)
			}
		}
	}
	return any
}

// odd reports why the first try failed where no value is to blame that could be mended.
func (r *reader) odd(first decoded) {
	span, why, fix := diag.Span{}, "a field is no text", "write name and description as text"
	for _, p := range first.problems {
		if p.fatal || p.code == diag.YAMLDuplicateKey {
			if span, why, fix = p.span, p.text, `write each field as "key: value", with values that are YAML`; p.code == diag.YAMLDuplicateKey {
				fix = "remove one of the two"
			}
			break
		}
	}
	out := r.report(span, diag.YAMLRepairedValue, "%s: the fields are taken from their lines as they are written", why)
	out.Fix = fix
}

// rewritten makes the edits of the dialect's second try; YAML has to take the result.
func (r *reader) rewritten(text []byte) ([]definition.Entry, bool) {
	changes := quotedLines(text)
	if r.d.Second == host.SecondBlocks {
		changes = blockedLines(text)
	}
	if len(changes) == 0 {
		return nil, false
	}
	edits := make([]edit, len(changes))
	for i := range changes {
		edits[i] = changes[i].edit
	}
	d := decode(apply(text, edits))
	if r.refused(&d) {
		return nil, false
	}
	for i := range changes {
		c := &changes[i]
		raw := string(text[c.value.Start:c.value.End])
		b := brokenValue{key: keyBefore(text, c.value.Start), first: raw, whole: raw}
		out := r.report(c.value, diag.YAMLRepairedValue, "%s: read as text", b.flaw())
		if out.Fix = b.fix(); b.quotable() && !goesOn(text, c.value.End) {
			*out = out.WithEdit(r.inFile(c.value), quote(raw))
		}
	}
	r.repaired = true
	return r.finish(r.edited(text, edits), d), true
}

// keyBefore returns the key on the line of a value.
func keyBefore(text []byte, at int) string {
	start := at
	for start > 0 && !isBreak(text[start-1]) {
		start--
	}
	key, _, _ := strings.Cut(string(text[start:at]), ":")
	return strings.TrimSpace(key)
}

// goesOn reports whether the line behind that of an offset is indented: it may
// belong to the value.
func goesOn(text []byte, at int) bool {
	next := skipBreak(text, lineEnd(text, at))
	return next < len(text) && isBlank(text[next])
}
