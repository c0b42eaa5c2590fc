package prose

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

// statement is a sentence that tells the model something: a signal to be.
type statement struct {
	region     int
	start, end int
	intent     signal.Intent
	topic      signal.Tag
	tags       []signal.Tag
	line       int
	text       string
}

// statements finds what the sentences of a file are about.
func (d *document) statements() []statement {
	var list []statement
	type at struct{ k, i int }
	if d.set.Package.Files[d.set.Regions[d.list[0]].File].Role == signal.Legal {
		return nil
	}
	var order []at
	for k := range d.list {
		if d.set.Regions[d.list[k]].Medium == signal.CodeSpan {
			continue
		}
		for i := range d.read[k] {
			order = append(order, at{k, i})
		}
	}
	for n, a := range order {
		r := &d.set.Regions[d.list[a.k]]
		x := &d.read[a.k][a.i]
		p := passage{sentence: x, flip: r.Intent == signal.Negated}
		for _, near := range [...]int{n - 1, n + 1} {
			if near >= 0 && near < len(order) {
				p.around = p.around.with(d.read[order[near].k][order[near].i].all)
			}
		}
		for _, m := range p.matches() {
			list = append(list, d.statement(r, d.list[a.k], &p, m))
		}
		if mark, firm := roleMark(r, x); mark != "" {
			list = append(list, d.statement(r, d.list[a.k], &p, match{topic: "role", firm: firm}))
		}
	}
	return list
}

func (d *document) statement(r *signal.Region, region int, p *passage, m match) statement {
	x := p.sentence
	s := statement{region: region, start: min(x.start, len(r.Text)), end: min(x.end, len(r.Text)), topic: m.topic, line: m.line}
	s.text = strings.TrimSpace(r.Text[s.start:s.end])
	s.tags = []signal.Tag{m.topic, "weak"}
	if m.firm && !(r.Medium == signal.Fence && signal.IsCode(r.Lang)) {
		s.tags[1] = "firm"
	}
	if x.has(each) {
		s.tags = append(s.tags, "always")
	}
	if x.has(secret) {
		s.tags = append(s.tags, "secret")
	}
	if x.has(urlMark) || p.around.has(urlMark) {
		s.tags = append(s.tags, "url")
	}
	if r.Medium == signal.Frontmatter && r.Part == "description" {
		s.tags = append(s.tags, "tool-field")
	}
	s.intent = r.Intent
	if s.intent == signal.Negated {
		s.intent = signal.Instructed
	}
	if q := x.quotesFrom(); q >= 0 && q <= m.verb && s.intent == signal.Instructed {
		s.intent = signal.Quoted
		if x.has(attack) {
			s.intent = signal.Taught
		}
	}
	return s
}

// add adds the signal of a statement.
func (st *statement) add(s *signal.Set) {
	r := &s.Regions[st.region]
	c := r.Context
	c.Intent = st.intent
	subject := st.text
	if len(subject) > 400 {
		subject = strings.ToValidUTF8(subject[:400], "") + "…"
	}
	s.AddAt(signal.Signal{Kind: signal.Instruct, Place: r.At(st.start, st.end), Context: c, Tags: slices.Clip(st.tags), Subject: subject, Unit: st.region, How: r.How})
}

// roleMark finds a mark by which a text pretends to be of another speaker at the beginning
// of a sentence, or a mark of a chat template anywhere in it.
func roleMark(r *signal.Region, x *sentence) (mark string, firm bool) {
	if r.Medium != signal.Prose && r.Medium != signal.Frontmatter && r.Medium != signal.Comment || r.Part == "row" {
		return "", false
	}
	return "", false
}
