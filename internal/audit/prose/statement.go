package prose

import (
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/signal"
)

// passage is a sentence along with its context.
type passage struct {
	*sentence
	// region is an index into document.regions.
	region int
	// likely holds the tags assigned by the statistical model.
	likely []signal.Tag
	// headingClasses holds the classes in the heading. nearbyClasses holds the classes in the
	// heading and in the neighboring sentences.
	headingClasses, nearbyClasses set
	// inverted reports whether the heading or the introductory text prohibits what the sentence
	// says to do.
	inverted bool
}

// statements returns a signal for each sentence that tells the model to do something.
func (d *document) statements() []signal.Signal {
	var all []passage
	for k := range d.sentences {
		for n := range d.sentences[k] {
			all = append(all, passage{sentence: &d.sentences[k][n], region: k})
		}
	}
	d.score(all)
	var list []signal.Signal
	var heading set
	for n := range all {
		p := &all[n]
		r := &d.regions[p.region]
		p.inverted, p.headingClasses = r.Intent == signal.Negated, heading
		if r.Part == "heading" {
			heading = p.all
		}
		p.nearbyClasses = p.headingClasses
		for _, near := range [...]int{n - 1, n + 1} {
			if near >= 0 && near < len(all) {
				p.nearbyClasses = p.nearbyClasses.with(all[near].all)
			}
		}
		found := p.topics(d.reader)
		for _, m := range found {
			list = append(list, d.statement(p, m.verb, m.tags()...))
		}
		if len(found) == 0 && len(p.likely) > 0 {
			list = append(list, d.statement(p, len(p.tokens)))
		}
	}
	for k := range d.regions {
		r := &d.regions[k]
		if start, end, firm := roleMarker(r); start >= 0 {
			x := d.instruct(k, start, end, "role", "weak")
			if firm {
				x.Tags[1] = "firm"
			}
			x.Intent = r.ContextAt(start).Intent
			list = append(list, x)
		}
	}
	return list
}

// instruct returns a signal for a part of the text in a region.
func (d *document) instruct(region, start, end int, tags ...signal.Tag) signal.Signal {
	r := &d.regions[region]
	subject := strings.TrimSpace(r.Text[start:end])
	if len(subject) > 400 {
		subject = strings.ToValidUTF8(subject[:400], "") + "…"
	}
	return signal.Signal{
		Kind: signal.Instruct, Place: r.At(start, end), Context: r.Context, Tags: tags,
		Subject: subject, Unit: d.first + region, Encodings: r.Encodings,
	}
}

// score applies the statistical model to each sentence by itself and together with the previous
// sentence.
func (d *document) score(all []passage) {
	m := loadModel()
	if m == nil {
		return
	}
	var before tally
	for i := range all {
		x := &all[i]
		r := &d.regions[x.region]
		skip := !scored(r)
		if skip || r.Part == "heading" {
			before = tally{}
		}
		if skip {
			continue
		}
		x.features(r.Text, &d.reader.features)
		var own tally
		own.count(m, d.reader.features.flush())
		score := max(m.score(own, tally{}), m.score(before, own))
		before = own
		// Comments in code are terse, so many of them resemble instructions. Use only the tag
		// very-likely for them.
		code := signal.IsCode(r.Lang)
		if score > m.likely && !code {
			x.likely = []signal.Tag{"likely"}
		}
		if score > m.veryLikely {
			x.likely = append(x.likely, "very-likely")
		}
		if score > m.certain && !code {
			x.likely = append(x.likely, "certain")
		}
	}
}

// statement returns the signal for a sentence. verb is the index of the verb that matched a topic,
// or the number of tokens if none did.
func (d *document) statement(p *passage, verb int, tags ...signal.Tag) signal.Signal {
	r := &d.regions[p.region]
	x := d.instruct(p.region, min(p.start, len(r.Text)), min(p.end, len(r.Text)), append(tags, p.likely...)...)
	tag := func(t signal.Tag, is bool) {
		if is {
			x.Tags = append(x.Tags, t)
		}
	}
	n := 0
	for _, e := range evidence() {
		switch {
		case !p.notDenied.any(e.classes):
		case e.name[0] == '-':
			n--
		default:
			n++
			tag("outside", e.name == "outside")
		}
	}
	tag("topical", n >= 1)
	tag("several", n >= 3)
	tag("always", p.has(each) || p.headingClasses.has(each))
	tag("secret", p.has(secret))
	tag("url", p.has(urlMark) || p.nearbyClasses.has(urlMark))
	if x.Intent == signal.Negated {
		// When the sentence was matched with a topic, the prohibition was already taken into
		// account: under "Never do this", "ask the user" matches as an instruction not to ask the
		// user.
		x.Intent = signal.Instructed
	}
	if q := p.reportStart(); q >= 0 && q < verb && x.Intent == signal.Instructed {
		x.Intent = p.reportIntent()
	}
	x.Tags = slices.Clip(x.Tags)
	return x
}

// topicKind is a kind of thing that a sentence can mention, such as secrets or concealment.
type topicKind struct {
	name    string
	classes set
}

// evidence lists the kinds of topics in evidence.txt, which statement looks for in each sentence.
var evidence = sync.OnceValue(func() (list []topicKind) {
	for name, classes := range rows("evidence.txt") {
		list = append(list, topicKind{name, classSet(strings.Fields(classes))})
	}
	return list
})

// roleMarkers holds markers that pretend that another speaker begins. It is keyed by where a marker
// is recognized: "anywhere" in a text or at its "start". The key "weak" is for markers that also
// occur in ordinary transcripts. They are recognized only at the start of a longer text.
var roleMarkers = sync.OnceValue(func() map[string][]string {
	m := map[string][]string{}
	for where, mark := range rows("words/marks.txt") {
		m[where] = append(m[where], mark)
	}
	return m
})

// roleMarker looks for a marker that makes text look as if it came from another speaker, and
// returns the marker's bounds. If there is none, start is -1. firm reports whether the marker is
// unlikely to occur in ordinary text.
func roleMarker(r *signal.Region) (start, end int, firm bool) {
	if !r.Medium.IsText() || r.Part == "row" {
		return -1, 0, false
	}
	for _, mark := range roleMarkers()["anywhere"] {
		i := strings.Index(r.Text, mark)
		if i < 0 {
			continue
		}
		// In a code span, the marker is only being quoted.
		if line := r.Text[strings.LastIndexByte(r.Text[:i], '\n')+1 : i]; strings.Count(line, "`")%2 == 0 {
			return i, i + len(mark), true
		}
	}
	lead := len(r.Text) - len(strings.TrimLeft(r.Text, " \t*_>#!~-\n\\"))
	for _, where := range [...]string{"start", "weak"} {
		for _, mark := range roleMarkers()[where] {
			if strings.HasPrefix(r.Text[lead:], mark) && (where == "start" || len(r.Text)-lead > len(mark)+20) {
				return lead, len(r.Text) - len(strings.TrimPrefix(r.Text[lead+len(mark):], "]")), where == "start"
			}
		}
	}
	return -1, 0, false
}
