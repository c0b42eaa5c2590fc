package prose

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/signal"
)

// statement is a sentence that tells the model something. It becomes a signal.
type statement struct {
	region     int
	start, end int
	intent     signal.Intent
	tags       []signal.Tag
	text       string
}

// placed is a sentence and the region that contains it.
type placed struct {
	*sentence
	region int
	// likely holds the tags assigned by the statistical model.
	likely []signal.Tag
}

// statements determines what the sentences in a file are about.
func (d *document) statements() []statement {
	if d.set.Package.Files[d.set.Regions[d.list[0]].File].Role == signal.Legal {
		return nil
	}
	var all []placed
	for k, i := range d.list {
		for n := range d.read[k] {
			all = append(all, placed{sentence: &d.read[k][n], region: i})
		}
	}
	d.score(all)
	var list []statement
	var heading, intro set
	for n := range all {
		x := &all[n]
		r := &d.set.Regions[x.region]
		p := passage{sentence: x.sentence, flip: r.Intent == signal.Negated, above: heading.with(intro)}
		switch {
		case r.Part == "heading":
			heading, intro = x.all, set{}
		case x.introduces(r):
			intro = x.all
		case r.Part != "item":
			intro = set{}
		}
		p.around = p.above
		for _, near := range [...]int{n - 1, n + 1} {
			if near >= 0 && near < len(all) {
				p.around = p.around.with(all[near].all)
			}
		}
		found := p.matches(d.reader)
		for _, m := range found {
			list = append(list, d.statement(x, &p, m.verb, m.tags()...))
		}
		if len(found) == 0 && len(x.likely) > 0 {
			list = append(list, d.statement(x, &p, len(x.tokens)))
		}
	}
	for _, i := range d.list {
		r := &d.set.Regions[i]
		if start, end, firm := roleMark(r); start >= 0 {
			s := statement{region: i, start: start, end: end, text: r.Text[start:end]}
			s.tags, s.intent = []signal.Tag{"role", "weak"}, r.ContextAt(start).Intent
			if firm {
				s.tags[1] = "firm"
			}
			list = append(list, s)
		}
	}
	return list
}

// introduces reports whether a sentence ends with a colon, and thus introduces the text after it.
func (x *placed) introduces(r *signal.Region) bool {
	last := x.tokens[len(x.tokens)-1]
	return last.is.has(pause) && last.end <= len(r.Text) && r.Text[last.end-1] == ':'
}

// score runs the statistical model on each sentence, both alone and together with the previous one.
func (d *document) score(all []placed) {
	m := loadModel()
	if m == nil {
		return
	}
	var before tally
	var sure []*placed
	for i := range all {
		x := &all[i]
		r := &d.set.Regions[x.region]
		if !scored(d.set, r) {
			before = tally{}
			continue
		}
		x.features(r.Text, &d.reader.features)
		var own tally
		own.count(m, d.reader.features.take())
		score := max(m.score(own, tally{}), m.score(before, own))
		before = own
		if score > m.likely {
			x.likely = []signal.Tag{"likely"}
		}
		if score > m.veryLikely {
			x.likely = append(x.likely, "very-likely")
			if r.Intent == signal.Instructed {
				sure = append(sure, x)
			}
		}
	}
	for _, x := range sure {
		if len(sure) > 2 {
			x.likely = append(x.likely, "repeated")
		}
	}
}

// statement creates a statement from a sentence. verb is the index of the verb.
func (d *document) statement(x *placed, p *passage, verb int, tags ...signal.Tag) statement {
	r := &d.set.Regions[x.region]
	s := statement{region: x.region, tags: append(tags, x.likely...), intent: r.Intent}
	s.start, s.end = min(x.start, len(r.Text)), min(x.end, len(r.Text))
	s.text = strings.TrimSpace(r.Text[s.start:s.end])
	n := 0
	for _, e := range evidence() {
		switch {
		case !x.said.any(e.is):
		case e.name[0] == '-':
			n--
		default:
			n++
			if e.name == "outside" {
				s.tags = append(s.tags, "outside")
			}
		}
	}
	if n >= 3 {
		s.tags = append(s.tags, "several")
	}
	if x.has(each) || p.above.has(each) {
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
	if s.intent == signal.Negated {
		// In a list of forbidden actions, a matching sentence means the opposite.
		s.intent = signal.Instructed
	}
	if q := x.quotesFrom(); q >= 0 && q < verb && s.intent == signal.Instructed {
		s.intent = signal.Quoted
		if x.has(attack) {
			s.intent = signal.Taught
		}
	}
	return s
}

//go:embed evidence.txt
var evidenceFile string

// kind is a kind of thing that sentences mention.
type kind struct {
	name string
	is   set
}

// evidence lists the kinds to count.
var evidence = sync.OnceValue(func() (list []kind) {
	for line := range strings.Lines(evidenceFile) {
		name, classes, ok := strings.Cut(line, ": ")
		if !ok || name[0] == '#' {
			continue
		}
		e := kind{name: name}
		for class := range strings.FieldsSeq(classes) {
			c, ok := className(class)
			if !ok {
				// Unreachable: a test reads the file.
				panic("evidence.txt: unknown class " + class)
			}
			e.is = e.is.with(of(c))
		}
		list = append(list, e)
	}
	return list
})

// add adds the signal for a statement.
func (st *statement) add(s *signal.Set) {
	r := &s.Regions[st.region]
	c := r.Context
	c.Intent = st.intent
	subject := st.text
	if len(subject) > 400 {
		subject = strings.ToValidUTF8(subject[:400], "") + "…"
	}
	s.AddAt(signal.Signal{
		Kind: signal.Instruct, Place: r.At(st.start, st.end), Context: c, Tags: slices.Clip(st.tags),
		Subject: subject, Unit: st.region, How: r.How,
	})
}

// marks holds the markers for other speakers, by position.
var marks = sync.OnceValue(func() map[string][]string {
	data, err := wordFiles.ReadFile("words/marks.txt")
	if err != nil {
		panic(err) // Unreachable: the file is embedded.
	}
	m := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		if where, mark, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && line[0] != '#' {
			m[where] = append(m[where], mark)
		}
	}
	return m
})

// roleMark finds a marker that the text uses to impersonate another speaker. It returns the
// marker's range, or -1. firm reports whether ordinary text never looks like the marker.
func roleMark(r *signal.Region) (start, end int, firm bool) {
	text := r.Medium == signal.Prose || r.Medium == signal.Frontmatter || r.Medium == signal.Comment
	if !text || r.Part == "row" {
		return -1, 0, false
	}
	for _, mark := range marks()["anywhere"] {
		i := strings.Index(r.Text, mark)
		if i < 0 {
			continue
		}
		// A code span only shows the marker.
		if line := r.Text[strings.LastIndexByte(r.Text[:i], '\n')+1 : i]; strings.Count(line, "`")%2 == 0 {
			return i, i + len(mark), true
		}
	}
	lead := len(r.Text) - len(strings.TrimLeft(r.Text, " \t*_>#!~-\n\\"))
	for _, where := range [...]string{"start", "weak"} {
		for _, mark := range marks()[where] {
			if strings.HasPrefix(r.Text[lead:], mark) && (where == "start" || len(r.Text)-lead > len(mark)+20) {
				return lead, lead + len(mark), where == "start"
			}
		}
	}
	return -1, 0, false
}
