package prose

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

// document processes a file's regions in order. It keeps track of headings and introductory text,
// because they determine the intent of what follows.
type document struct {
	set    *signal.Set
	reader *reader
	// regions holds the file's regions, first is the index of regions[0] in the set, and sentences
	// holds the sentences in each region.
	first     int
	regions   []signal.Region
	sentences [][]sentence
	// headingIntents holds the intent of each enclosing heading, indexed by the heading's level.
	// introIntent is the intent that the last paragraph gives to the list items, table rows and
	// code blocks after it. intro holds the sentences of the most recent prose region.
	headingIntents [7]signal.Intent
	introIntent    signal.Intent
	intro          []sentence
	// table reports whether the most recent prose region is a table row. attacks reports whether
	// the first row of the current table mentions attacks, risk or severity.
	table, attacks bool
}

// intents sets the intent of each region and each clause.
func (d *document) intents() {
	for k := range d.regions {
		r := &d.regions[k]
		sents := d.sentences[k]
		switch r.Medium {
		case signal.Prose:
			d.prose(r, sents)
			d.intro = sents
		case signal.CodeSpan:
			if r.Parent >= 0 {
				owner := &d.set.Regions[r.Parent]
				assign(r, owner.ContextAt(owner.Offset(r.Span.Start)).Intent)
			}
		case signal.Fence:
			d.fence(r, sents)
		case signal.Comment:
			d.clauses(r, sents)
			d.intro = sents
		case signal.Frontmatter:
			d.clauses(r, sents)
		}
	}
}

// worse returns whichever of two intents is less like an instruction to be followed.
func worse(a, b signal.Intent) signal.Intent {
	order := []signal.Intent{signal.Instructed, signal.Quoted, signal.Taught, signal.Negated}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// enclosingIntent returns the intent that the enclosing headings set.
func (d *document) enclosingIntent() signal.Intent {
	var m signal.Intent
	for _, h := range d.headingIntents {
		m = worse(m, h)
	}
	return m
}

// assign sets the intent of a region, unless the region already has an intent other than the
// default.
func assign(r *signal.Region, m signal.Intent) {
	if r.Intent == signal.Instructed {
		r.Intent = m
	}
}

// prose sets the intent of a heading, paragraph, list item or table row.
func (d *document) prose(r *signal.Region, sents []sentence) {
	row := r.Part == "row"
	if row && !d.table {
		low := strings.ToLower(r.Text)
		d.attacks = strings.Contains(low, "severity") || strings.Contains(low, "risk") ||
			slices.ContainsFunc(sents, func(x sentence) bool { return x.has(attack) })
	}
	d.table = row
	if r.Part == "heading" {
		d.heading(r, sents)
		return
	}
	m := d.enclosingIntent()
	if row && d.attacks {
		m = worse(m, signal.Taught)
	}
	if r.Part == "item" || row {
		m = worse(m, d.introIntent)
	} else if len(sents) > 0 {
		d.introIntent = ""
	}
	for k := range sents {
		// An explicit order is meant to be followed even if the section contains examples, unless
		// the heading or the introductory text forbids it.
		if m != signal.Negated && sents[k].all.any(setOf(now, must)) && sents[k].orders() {
			m = ""
		}
	}
	assign(r, m)
	d.clauses(r, sents)
	if text := strings.TrimRight(r.Text, " \t*_\n"); len(sents) > 0 {
		last := &sents[len(sents)-1]
		colon := strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
		label := len(sents) == 1 && len(last.tokens) <= 6 && strings.HasSuffix(strings.TrimSpace(r.Text), "**")
		if (colon || label) && (r.Part == "" || d.introIntent == "") {
			d.introIntent = introIntent(last)
		}
	}
}

// clauses sets the intent of each clause in a region.
func (d *document) clauses(r *signal.Region, sents []sentence) {
	telling := setOf(not, skip, without, bad, attack, detect, report, saidOrders)
	for k := range sents {
		x := &sents[k]
		if !x.all.any(telling) || len(r.Clauses) > 20_000 {
			continue
		}
		from := x.reportStart()
		for i := range x.tokens {
			t := &x.tokens[i]
			var m signal.Intent
			switch {
			case t.forbidden:
				m = signal.Negated
			case from >= 0 && i >= from:
				m = x.reportIntent()
			}
			if m == "" {
				continue
			}
			n := len(r.Clauses)
			if n > 0 && i > 0 && r.Clauses[n-1].Intent == m && r.Clauses[n-1].To == x.tokens[i-1].end {
				r.Clauses[n-1].To = t.end
			} else {
				r.Clauses = append(r.Clauses, signal.Clause{From: t.start, To: t.end, Intent: m})
			}
		}
	}
}

// introIntent returns the intent that a sentence gives to the text after it, or "" if it gives
// none.
func introIntent(x *sentence) signal.Intent {
	last := len(x.tokens) - 1
	// Starting with a word such as "else" or "because", the words do not describe the text that
	// follows.
	for i := 1; i <= last; i++ {
		switch x.word(i) {
		case "otherwise", "else", "because", "since", "sonst", "weil", "sinon", "porque", "senão",
			"иначе", "否则":
			last = i - 1
		}
	}
	for last > 0 && x.at(last).any(setOf(breaks, comma)) && !x.at(last).any(setOf(bad, good)) {
		last--
	}
	switch {
	case last < 0:
		return ""
	case (x.tokens[last].forbidden || x.at(last).has(not) && x.directive(last)) && x.pointsAhead(last):
		return signal.Negated
	case x.has(bad) && !x.has(good) && len(x.tokens) <= 6:
		return signal.Negated
	case x.reportStart() >= 0 && x.all.any(setOf(attack, bad)), x.has(attack) && len(x.tokens) <= 5 && !x.orders():
		return signal.Taught
	}
	return ""
}

// pointsAhead reports whether a sentence refers to the text that follows it: it ends with a colon,
// it is a label such as "Never", or its last word is similar to "this" or "below". "Do not use
// sudo." and "Never run this twice." do not point ahead.
func (x *sentence) pointsAhead(last int) bool {
	word := x.word(last)
	return x.at(last).has(it) || word == "following" || word == "below" || len(x.tokens) <= 2 || x.at(len(x.tokens)-1).has(pause)
}

// heading records the intent that a heading gives to its section.
func (d *document) heading(r *signal.Region, sents []sentence) {
	level := d.level(r)
	clear(d.headingIntents[level:])
	d.introIntent = ""
	if len(sents) > 0 {
		d.headingIntents[level] = headingIntent(&sents[0])
	}
}

// level returns a heading's level, which is the number of # characters before it. A heading without
// any is treated as level 1.
func (d *document) level(r *signal.Region) int {
	text := d.set.Package.Files[r.File].Text
	before := strings.TrimRight(text[:min(r.Span.Start, len(text))], " \t*")
	return min(max(len(before)-len(strings.TrimRight(before, "#")), 1), 6)
}

// headingIntent returns the intent that a heading gives to its section, or "" if it gives none.
func headingIntent(x *sentence) signal.Intent {
	if !x.all.any(setOf(not, skip, bad, attack, detect)) {
		return ""
	}
	for i := range x.tokens {
		c := x.at(i)
		switch {
		case c.has(not) && x.forbids(i):
			return signal.Negated
		case !x.has(good) && (x.word(i) == "bad" || strings.HasPrefix(x.word(i), "anti")):
			return signal.Negated
		}
	}
	if x.has(attack) && (x.all.any(setOf(example, detect)) || x.at(len(x.tokens)-1).has(attack)) {
		return signal.Taught
	}
	return ""
}

// forbids reports whether a negation in a heading forbids the thing that the heading names.
func (x *sentence) forbids(i int) bool {
	return x.directive(i) && (i <= 1 || x.word(i-1) == "what" || x.word(i+1) == "to") && !x.at(i+1).has(skip)
}

// fence sets the intent of a code block, based on the headings, the introductory text, and the
// comments in the block.
func (d *document) fence(r *signal.Region, sents []sentence) {
	m := d.enclosingIntent()
	if n := len(d.intro); n > 0 {
		last := &d.intro[n-1]
		switch at := introIntent(last); {
		case at != "":
			m = worse(m, at)
		case last.orders():
			// An order is meant to be followed even if the section contains examples.
			m = ""
		default:
			m = worse(m, d.introIntent)
		}
	}
	assign(r, m)
	if signal.IsCode(r.Lang) {
		d.markBadExamples(r)
	} else {
		d.clauses(r, sents)
	}
}

// markBadExamples finds the parts of a code block that comments label as bad examples. Such a part
// ends at the next comment that labels something as good or bad.
func (d *document) markBadExamples(r *signal.Region) {
	at := 0
	for line := range strings.Lines(r.Text) {
		start := at
		at += len(line)
		body, ok := commentLine(line)
		if !ok || len(body) > 160 || len(r.Clauses) > 1000 {
			continue
		}
		list := d.reader.sentences(body, "en", true)
		if len(list) == 0 {
			continue
		}
		x := &list[0]
		right := x.has(good)
		wrong := headingIntent(x) != "" || x.at(0).with(x.at(1)).any(setOf(bad, attack))
		if n := len(r.Clauses); n > 0 && (right || wrong) {
			r.Clauses[n-1].To = min(r.Clauses[n-1].To, start)
		}
		if wrong && !right {
			r.Clauses = append(r.Clauses, signal.Clause{From: start, To: len(r.Text) + 1, Intent: signal.Negated})
		}
	}
}

// commentLine returns the text of a comment line without the comment markers, and reports whether
// line is a comment.
func commentLine(line string) (string, bool) {
	line = strings.TrimSpace(line)
	for _, mark := range [...]string{"#", "//", "--", "/*", "<!--", "*"} {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			return strings.TrimLeft(rest, "#/-* \t"), true
		}
	}
	return "", false
}
