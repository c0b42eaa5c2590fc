package frontmatter

import (
	"fmt"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// mend is one repair: edits that make a value what its author meant.
type mend struct {
	edits []edit
	flaw  host.Flaw
	code  diag.Code
	// text says what is wrong, read what is made of it, fix what mends it.
	text, read, fix string
	// guess: the edit reads the value, but may not be what its author meant, so that
	// it is not offered.
	guess bool
}

// whole returns the mend's edits as one.
func (m *mend) whole(text []byte) edit {
	first, last := m.edits[0].span.Start, m.edits[len(m.edits)-1].span.End
	local := make([]edit, len(m.edits))
	for i, e := range m.edits {
		local[i] = edit{span: diag.Span{Start: e.span.Start - first, End: e.span.End - first}, new: e.new}
	}
	return edit{span: diag.Span{Start: first, End: last}, new: string(apply(text[first:last], local))}
}

// loss is a part of the block that is not read.
type loss struct {
	span    diag.Span
	problem problem
	// hint is the repair that this host does not make, if there is one; otherwise fix
	// says what to do.
	hint *mend
	fix  string
}

// plan is a way to read a broken block.
type plan struct {
	mends  []mend
	losses []loss
}

// lost returns the number of bytes that a plan leaves out.
func (p *plan) lost() int {
	n := 0
	for i := range p.losses {
		n += p.losses[i].span.End - p.losses[i].span.Start
	}
	return n
}

// repair reads a block that is not YAML. Of the two stages the first is taken,
// unless the second leaves out less.
func (r *reader) repair(text []byte, d decoded) []definition.Entry {
	first := r.plan(text, chunks(text, false))
	best := first
	if dialogue := isDialogue(text); r.d.Repair >= host.RepairLines && (len(first.losses) > 0 || dialogue) {
		second := r.plan(text, chunks(text, true))
		if a, b := first.lost(), second.lost(); b < a || dialogue && b == a {
			best = second
		}
	}
	if len(best.mends)+len(best.losses) == 0 {
		// Every part reads well alone, but they do not stand together.
		r.problem(d.fatal())
		return r.finish(text, decoded{entries: piecewise(text)})
	}
	return r.carryOut(text, best)
}

// plan decides about each part of the block on its own.
func (r *reader) plan(text []byte, parts []chunk) plan {
	var p plan
	for _, c := range parts {
		part := text[c.start:c.end]
		if readable(part) {
			continue
		}
		mends, ok := mendChunk(text, c)
		if ok && r.permitted(mends) {
			p.mends = append(p.mends, mends...)
			continue
		}
		if junk, ok := withoutJunk(text, c); ok && c.joined {
			for _, span := range junk {
				p.losses = append(p.losses, loss{
					span:    span,
					problem: problem{code: diag.YAMLInvalid, span: span, text: "this line belongs to no field"},
					fix:     `indent it below the field that it belongs to, or write it as "key: value"`,
				})
			}
			continue
		}
		l := loss{span: c.span(), problem: whyNot(part, c.start)}
		switch found, fix, known := stray(text, c); {
		case ok:
			// The place of the value is where it is mended; the library only knows
			// where it gave up.
			l.hint = &mends[0]
			l.problem.span, l.problem.text = l.hint.whole(text).span, l.hint.text
		case hasMarker(part):
			l.fix = `take the line with "---", "..." or "%" out`
		case known:
			l.problem.span, l.problem.text, l.fix = found.span, found.text, fix
		case c.key > 0:
			l.fix = "write the value of " + string(text[c.start:c.start+c.key]) + " on one line, in quotes"
		default:
			l.fix = `write each field as "key: value" on a line of its own`
		}
		p.losses = append(p.losses, l)
	}
	return p
}

func (r *reader) permitted(mends []mend) bool {
	for i := range mends {
		if r.d.Repair == host.RepairNone || r.d.Beyond&mends[i].flaw != 0 {
			return false
		}
	}
	return true
}

// readable says whether a part of a block is valid on its own.
func readable(part []byte) bool {
	if hasMarker(part) {
		return false
	}
	if _, ok := fast(part, 0); ok {
		return true
	}
	d := decode(part)
	return d.fatal() == nil
}

// hasMarker says whether a line of part is a directive or a document marker.
func hasMarker(part []byte) bool {
	for i := 0; i < len(part); {
		end := lineEnd(part, i)
		line := string(part[i:end])
		if len(line) > 0 && line[0] == '%' {
			return true
		}
		if len(line) >= 3 && (line[:3] == "..." || line[:3] == "---") && (len(line) == 3 || isBlank(line[3])) {
			return true
		}
		i = end + breakLen(part[end:])
	}
	return false
}

// whyNot returns the problem of a part that begins at an offset.
func whyNot(part []byte, at int) problem {
	d := decode(part)
	p := d.fatal()
	if p == nil {
		p = &problem{code: diag.YAMLInvalid, text: "a YAML document marker or directive stands inside the frontmatter"}
	}
	out := *p
	out.span = diag.Span{Start: p.span.Start + at, End: p.span.End + at}
	return out
}

// carryOut makes the repairs of a plan, leaves out what cannot be read, and
// reports both.
func (r *reader) carryOut(text []byte, p plan) []definition.Entry {
	edits := make([]edit, 0, len(p.mends)+len(p.losses))
	for i := range p.mends {
		m := &p.mends[i]
		r.advise(r.report(m.whole(text).span, m.code, "%s%s", m.text, m.read), text, m)
		edits = append(edits, m.edits...)
		r.repaired = true
	}
	for i := range p.losses {
		r.lose(text, &p.losses[i])
		edits = append(edits, edit{span: p.losses[i].span})
		r.valid = false
	}
	sortEdits(edits)
	text = r.edited(text, edits)
	d := decode(text)
	if bad := d.fatal(); bad != nil && bad.code != diag.YAMLForbidden {
		r.problem(bad)
		d = decoded{entries: piecewise(text)}
	}
	return r.finish(text, d)
}

func (r *reader) lose(text []byte, l *loss) {
	out := r.report(l.problem.span, l.problem.code, "%s; this part of the frontmatter is not read", l.problem.text)
	out.Fix = l.fix
	if l.hint != nil {
		r.advise(out, text, l.hint)
	}
}

// advise says in a diagnostic what mends a value, and offers the edit that does
// where that surely is what is meant.
func (r *reader) advise(out *diag.Diagnostic, text []byte, m *mend) {
	out.Fix = m.fix
	if !m.guess {
		w := m.whole(text)
		*out = out.WithEdit(r.inFile(w.span), w.new)
	}
}

// piecewise decodes each part of the text alone and puts the entries together.
func piecewise(text []byte) []definition.Entry {
	var entries []definition.Entry
	for _, c := range chunks(text, false) {
		if hasMarker(text[c.start:c.end]) {
			continue
		}
		d := decode(text[c.start:c.end])
		relocate(d.entries, func(s diag.Span) diag.Span {
			return diag.Span{Start: s.Start + c.start, End: s.End + c.start}
		})
		entries = append(entries, d.entries...)
	}
	return lastOfEach(entries)
}

// lastOfEach keeps the last entry of each key.
func lastOfEach(entries []definition.Entry) []definition.Entry {
	at := make(map[string]int, len(entries))
	out := entries[:0]
	for _, e := range entries {
		if i, ok := at[e.Key]; ok {
			out[i] = e
			continue
		}
		at[e.Key] = len(out)
		out = append(out, e)
	}
	return out
}

// flawOf says what makes a value break YAML.
func flawOf(value string) host.Flaw {
	switch value[0] {
	case '[', ']', '{', '}':
		return host.FlawBracket
	case '@', '`', '%', ',':
		return host.FlawReserved
	case '*':
		return host.FlawAlias
	case '!', '&':
		return host.FlawTag
	case '"', '\'':
		return host.FlawQuote
	case '|', '>':
		return host.FlawBlock
	case '-', '?':
		if len(value) == 1 || isBlank(value[1]) {
			return host.FlawDash
		}
	}
	for i := range len(value) {
		if value[i] == ':' && (i+1 == len(value) || isBlank(value[i+1]) || isBreak(value[i+1])) {
			return host.FlawColon
		}
	}
	return host.FlawOther
}

// flawText says in words what is wrong with a value.
func flawText(f host.Flaw, value string) string {
	switch f {
	case host.FlawBracket:
		return fmt.Sprintf("the value begins with %q but is no YAML list or map", value[:1])
	case host.FlawReserved:
		return fmt.Sprintf("a value without quotes must not begin with %q", value[:1])
	case host.FlawAlias:
		return `a value without quotes that begins with "*" is a YAML alias`
	case host.FlawTag:
		return fmt.Sprintf("a value without quotes that begins with %q is a YAML tag or anchor", value[:1])
	case host.FlawQuote:
		return "the quotes do not enclose the whole value"
	case host.FlawBlock:
		return fmt.Sprintf("text follows the block indicator %q on its line", value[:1])
	case host.FlawDash:
		return fmt.Sprintf("a value without quotes must not begin with %q", value[:1]+" ")
	case host.FlawColon:
		return `": " inside a value without quotes`
	}
	return "the value is not valid YAML without quotes"
}
