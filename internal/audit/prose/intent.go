package prose

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

// document processes a file's regions in order, and tracks what headings and
// introductions say about the text after them.
type document struct {
	set    *signal.Set
	reader *reader
	// regions holds the file's regions, and first is the index of the first one in the set. read
	// holds the sentences in each region.
	first   int
	regions []signal.Region
	read    [][]sentence
	// heads holds the enclosing headings' intents by level. lead is what the last paragraph says
	// about the list items, table rows and code blocks after it.
	heads [7]signal.Intent
	lead  signal.Intent
	// columns holds the intent of each column in the current table.
	columns []signal.Intent
	table   bool
	// withdrawn lists the regions in the current section that are not meant to be followed.
	withdrawn []*signal.Region
}

// intents sets the intent of each region and each clause.
func (d *document) intents() {
	for k := range d.regions {
		r := &d.regions[k]
		sents := d.read[k]
		switch r.Medium {
		case signal.Prose:
			d.prose(r, sents)
			d.takeBack(r, sents)
		case signal.CodeSpan:
			if r.Parent >= 0 {
				d.span(r, &d.set.Regions[r.Parent])
			}
		case signal.Fence:
			d.fence(r, sents)
		case signal.Comment, signal.Frontmatter:
			d.clauses(r, sents)
		}
		if !r.Meant() && (r.Medium == signal.Fence || r.Medium == signal.CodeSpan) {
			d.withdrawn = append(d.withdrawn, r)
		}
	}
}

// worse returns the intent that is further from an instruction.
func worse(a, b signal.Intent) signal.Intent {
	rank := func(i signal.Intent) int {
		switch i {
		case signal.Negated:
			return 3
		case signal.Taught:
			return 2
		case signal.Quoted:
			return 1
		}
		return 0
	}
	if rank(b) > rank(a) {
		return b
	}
	return a
}

func (d *document) above() signal.Intent {
	var m signal.Intent
	for _, h := range d.heads {
		m = worse(m, h)
	}
	return m
}

// assign sets a region's intent unless the region has a more specific one.
func assign(r *signal.Region, m signal.Intent) {
	if r.Intent == signal.Instructed {
		r.Intent = m
	}
}

// prose sets the intent of a heading, paragraph, list item or table row.
func (d *document) prose(r *signal.Region, sents []sentence) {
	switch r.Part {
	case "heading":
		d.heading(r, sents)
		return
	case "row":
		d.row(r, sents)
		return
	}
	d.table = false
	m := d.above()
	if r.Part == "item" {
		m = worse(m, d.lead)
	} else if len(sents) > 0 {
		d.lead = ""
	}
	for k := range sents {
		// An order to the current reader is intended, regardless of the heading.
		if order, strong := sents[k].orders(); order && strong && m != signal.Negated {
			m = ""
		}
	}
	assign(r, m)
	d.clauses(r, sents)
	if text := strings.TrimRight(r.Text, " \t*_\n"); len(sents) > 0 {
		last := &sents[len(sents)-1]
		colon := strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
		label := len(sents) == 1 && len(last.tokens) <= 6 && strings.HasSuffix(strings.TrimSpace(r.Text), "**")
		if (colon || label) && (r.Part != "item" || d.lead == "") {
			d.lead = leads(last)
		}
	}
}

// clauses sets the intents of clauses in a region.
func (d *document) clauses(r *signal.Region, sents []sentence) {
	telling := of(not, skip, without, bad, attack, detect, refuse, report, saidOrders)
	for k := range sents {
		x := &sents[k]
		if !x.all.any(telling) || len(r.Clauses) > 20_000 {
			continue
		}
		from := x.quotesFrom()
		for i := range x.tokens {
			t := &x.tokens[i]
			var m signal.Intent
			switch {
			case t.forbidden, t.is.has(codeMark) && x.blamed(i):
				m = signal.Negated
			case from >= 0 && i >= from:
				m = signal.Quoted
				if x.has(attack) {
					m = signal.Taught
				}
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

// leads returns what a sentence says about the text that follows it.
func leads(x *sentence) signal.Intent {
	last := len(x.tokens) - 1
	// "Would be" and "else" do not indicate what is requested.
	for i := 1; i <= last; i++ {
		switch x.word(i) {
		case "otherwise", "else", "because", "since", "sonst", "weil", "sinon", "porque", "senão",
			"иначе", "否则":
			last = i - 1
		}
	}
	for last > 0 && x.at(last).any(of(breaks, comma)) && !x.at(last).any(of(bad, good)) {
		last--
	}
	order, _ := x.orders()
	switch {
	case last < 0:
		return ""
	case x.tokens[last].forbidden, x.at(last).has(not) && x.directive(last):
		return signal.Negated
	case x.has(bad) && !x.has(good) && len(x.tokens) <= 6:
		return signal.Negated
	case x.quotesFrom() >= 0 && x.all.any(of(attack, bad)), x.has(attack) && len(x.tokens) <= 5 && !order:
		return signal.Taught
	}
	return ""
}

// heading records what a heading says about its section.
func (d *document) heading(r *signal.Region, sents []sentence) {
	level := d.level(r)
	clear(d.heads[level:])
	d.lead, d.withdrawn, d.table = "", nil, false
	if len(sents) == 0 {
		return
	}
	m := titles(&sents[0])
	if sents[0].has(good) && m == "" {
		// A section about the right way to do something overrides the headings above it.
		clear(d.heads[:level])
	}
	d.heads[level] = m
}

// level returns the number of # characters in a heading.
func (d *document) level(r *signal.Region) int {
	text := d.set.Package.Files[r.File].Text
	before := strings.TrimRight(text[:min(r.Span.Start, len(text))], " \t*")
	return min(max(len(before)-len(strings.TrimRight(before, "#")), 1), 6)
}

// titles returns what a heading says about its section.
func titles(x *sentence) signal.Intent {
	if !x.all.any(of(not, skip, bad, attack, detect)) {
		return ""
	}
	for i := range x.tokens {
		c := x.at(i)
		switch {
		case c.has(not) && x.forbids(i):
			return signal.Negated
		case c.has(bad) && c.has(breaks) && (len(x.tokens) == 1 || x.at(i+1).any(of(bad, not, attack))):
			return signal.Negated
		case !x.has(good) && (x.word(i) == "bad" || strings.HasPrefix(x.word(i), "anti")):
			return signal.Negated
		}
	}
	if x.has(attack) && (x.all.any(of(example, detect)) || x.at(len(x.tokens)-1).has(attack)) {
		return signal.Taught
	}
	if strings.HasPrefix(x.word(0), "red flag") || strings.HasPrefix(x.word(0), "warning sign") {
		return signal.Quoted
	}
	return ""
}

// forbids reports whether a negation in a heading forbids what the heading names.
func (x *sentence) forbids(i int) bool {
	return x.directive(i) && (i <= 1 || x.word(i-1) == "what" || x.word(i+1) == "to") && !x.at(i+1).has(skip)
}

// span sets a code span's intent according to its position in the sentence.
func (d *document) span(r, owner *signal.Region) {
	at := owner.Offset(r.Span.Start)
	assign(r, owner.ContextAt(at).Intent)
	if owner.Part == "row" {
		if c := strings.Count(owner.Text[:min(at, len(owner.Text))], "|") - 1; c >= 0 && c < len(d.columns) {
			assign(r, d.columns[c])
		}
	}
}

// row sets a table row's intent according to the column headings.
func (d *document) row(r *signal.Region, sents []sentence) {
	if !d.table {
		d.table, d.columns = true, nil
		var all set
		for k := range sents {
			all = all.with(sents[k].all)
		}
		for cell := range strings.SplitSeq(strings.Trim(r.Text, "| "), "|") {
			var m signal.Intent
			for _, x := range d.reader.sentences(cell, "en", flowing) {
				if m = worse(m, titles(&x)); x.has(bad) && !x.has(good) {
					m = signal.Negated
				}
			}
			low := strings.ToLower(r.Text)
			if all.has(attack) || strings.Contains(low, "severity") || strings.Contains(low, "risk") {
				m = worse(m, signal.Taught)
			}
			d.columns = append(d.columns, m)
		}
	}
	m := worse(d.above(), d.lead)
	for _, c := range d.columns {
		if c != signal.Negated {
			m = worse(m, c)
		}
	}
	assign(r, m)
	d.clauses(r, sents)
}

// fence sets a code block's intent according to its introduction and comments.
func (d *document) fence(r *signal.Region, sents []sentence) {
	m := d.above()
	if intro := d.reader.sentences(tail(r.Intro, 600), languageFor(r.Intro, "en"), flowing); len(intro) > 0 {
		last := &intro[len(intro)-1]
		order, _ := last.orders()
		switch at := leads(last); {
		case at != "":
			m = worse(m, at)
		case order:
			// An order counts even in a section with examples.
			m = ""
		default:
			m = worse(m, d.lead)
		}
	}
	assign(r, m)
	if signal.IsCode(r.Lang) {
		d.verdicts(r)
	} else {
		d.clauses(r, sents)
	}
}

// tail returns at most the last n bytes of s, starting at a whole word.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	return s[strings.IndexAny(s, " \n")+1:]
}

// verdicts finds the parts of a code block that its comments call bad.
func (d *document) verdicts(r *signal.Region) {
	at, open := 0, -1
	end := func(to int) {
		if open >= 0 {
			r.Clauses = append(r.Clauses, signal.Clause{From: open, To: to, Intent: signal.Negated})
		}
		open = -1
	}
	for line := range strings.Lines(r.Text) {
		start := at
		at += len(line)
		body, ok := commentLine(line)
		if !ok || len(body) > 160 || len(r.Clauses) > 1000 {
			continue
		}
		switch d.verdict(body) {
		case bad:
			end(start)
			open = start
		case good:
			end(start)
		}
	}
	end(len(r.Text) + 1)
}

// commentLine returns the text in a comment line.
func commentLine(line string) (string, bool) {
	line = strings.TrimSpace(line)
	for _, mark := range [...]string{"#", "//", "--", "/*", "<!--", "*"} {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			return strings.TrimLeft(rest, "#/-* \t"), true
		}
	}
	return "", false
}

// verdict returns bad if a comment calls the code after it bad, and good if it calls the code good.
func (d *document) verdict(text string) class {
	list := d.reader.sentences(text, "en", lines)
	if len(list) == 0 {
		return none
	}
	x := &list[0]
	for k := range min(len(x.tokens), 2) {
		switch c := x.at(k); {
		case c.any(of(bad, attack)), k == 0 && c.has(not) && x.directive(0):
			if x.at(k + 1).has(skip) {
				return none
			}
			return bad
		case c.has(good):
			return good
		}
	}
	return none
}

// takeBack restores the intent of earlier code if a later sentence tells the
// reader to run it anyway.
func (d *document) takeBack(r *signal.Region, sents []sentence) {
	if len(d.withdrawn) == 0 || strings.HasSuffix(strings.TrimRight(r.Text, " *_"), ":") {
		return
	}
	for k := range sents {
		if !takesBack(&sents[k]) {
			continue
		}
		for _, w := range d.withdrawn {
			if w.Intent != signal.Executed {
				w.Intent, w.Clauses = signal.Instructed, nil
			}
		}
		d.withdrawn = nil
		return
	}
}

// takesBack reports whether a sentence tells the reader to run the code above,
// or says that the warning does not apply.
func takesBack(x *sentence) bool {
	if !x.has(back) {
		return false
	}
	must := x.all.any(of(must))
	for i := range x.tokens {
		c := x.at(i)
		switch {
		case x.tokens[i].denied:
		case c.has(back) && c.has(not):
			return true
		case c.has(run) && !c.has(detect):
			if order, _ := x.orders(); order || must {
				return true
			}
		case x.word(i) == "safe" || x.word(i) == "exception" || x.word(i) == "exempt":
			return true
		}
	}
	return false
}
