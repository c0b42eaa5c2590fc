package fact

import "strings"

// zone is a stretch of a region that is meant otherwise than the region as a whole.
type zone struct {
	from, to          int
	forbidden, quoted bool
}

// StandingAt is how what stands at an offset of the region's text is meant: a
// paragraph may forbid one thing and ask for another.
func (r *Region) StandingAt(at int) Standing {
	s := r.Standing
	lo, hi := 0, len(r.zones)
	for lo < hi {
		if mid := (lo + hi) / 2; r.zones[mid].to <= at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(r.zones) && r.zones[lo].from <= at {
		z := r.zones[lo]
		s.Forbidden = s.Forbidden || z.forbidden
		s.Quoted = s.Quoted || z.quoted
	}
	return s
}

// mode is how a stretch is meant.
type mode struct{ forbidden, quoted bool }

func (m mode) plain() bool { return m == mode{} }

// stander goes over the regions of a file in their order and keeps what headings and
// introductions say of what follows them.
type stander struct {
	facts *Facts
	list  []Region
	base  int
	text  string
	// heads are the modes of the headings above by level.
	heads [7]mode
	// lead is what the last paragraph says of the items, rows and blocks behind it.
	lead    mode
	columns []mode
	inTable bool
	// wrapped are the blocks and spans of code of the section that are not meant.
	wrapped []int
	reading reading
}

// stand says of the regions of a file whether they are meant, and takes the sayings
// from them on the way.
func (f *Facts) stand(list []Region) {
	if len(list) == 0 {
		return
	}
	s := stander{facts: f, list: list, base: len(f.Regions) - len(list), text: f.Package.Files[list[0].File].Text, reading: reading{words: make([]token, 0, 512)}}
	var owner *Region
	for i := range list {
		r := &list[i]
		switch r.Medium {
		case Prose:
			owner = r
			s.prose(i)
		case CodeSpan:
			if owner != nil {
				s.span(r, owner)
				if !r.Meant() {
					s.wrapped = append(s.wrapped, i)
				}
			}
		case Fence:
			s.fence(i)
		case Comment, Frontmatter:
			sents := s.reading.sentences(r.Text, r.Medium == Comment)
			s.zones(r, sents, mode{})
			s.say(i, sents, mode{})
		case Value:
			s.value(i)
		}
	}
	f.tongues(list[0].File)
}

func (s *stander) heading() mode {
	var m mode
	for _, h := range s.heads {
		m.forbidden = m.forbidden || h.forbidden
		m.quoted = m.quoted || h.quoted
	}
	return m
}

// prose stands a paragraph, an item, a row or a heading.
func (s *stander) prose(i int) {
	r := &s.list[i]
	sents := s.reading.sentences(r.Text, false)
	switch r.Key {
	case "heading":
		s.head(r, sents)
		s.say(i, sents, mode{})
		return
	case "row":
		s.row(r, sents)
		s.say(i, sents, mode{r.Forbidden, r.Quoted})
		s.contradict(sents, r)
		return
	}
	s.inTable = false
	under := s.heading()
	if r.Key == "item" || s.lead.quoted && s.inQuotation(r) {
		under.forbidden = under.forbidden || s.lead.forbidden
		under.quoted = under.quoted || s.lead.quoted
	} else if len(sents) > 0 {
		s.lead = mode{}
	}
	r.Forbidden, r.Quoted = r.Forbidden || under.forbidden, r.Quoted || under.quoted
	s.zones(r, sents, under)
	if r.Key != "item" || strings.HasSuffix(strings.TrimSpace(r.Text), ":") {
		s.leads(r, sents)
	}
	s.contradict(sents, r)
	s.say(i, sents, under)
}

// inQuotation reports whether a paragraph has the mark of a quotation before it.
func (s *stander) inQuotation(r *Region) bool {
	for at := r.Span.Start - 1; at >= 0 && at < len(s.text) && (s.text[at] == ' ' || s.text[at] == '>'); at-- {
		if s.text[at] == '>' {
			return true
		}
	}
	return false
}

// leads notes what a paragraph that ends in a colon says of what follows.
func (s *stander) leads(r *Region, sents []sentence) {
	if len(sents) == 0 {
		return
	}
	text := strings.TrimRight(r.Text, " \t*_\n")
	last := &sents[len(sents)-1]
	colon := strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
	short := len(sents) == 1 && len(last.tokens) <= 6 && strings.HasSuffix(strings.TrimSpace(r.Text), "**")
	if !colon && !short {
		return
	}
	m := sentenceMode(last)
	if r.Key == "item" && s.lead != (mode{}) {
		return
	}
	s.lead = m
}

// head notes what a heading says of its section.
func (s *stander) head(r *Region, sents []sentence) {
	level := s.level(r)
	for k := level; k < len(s.heads); k++ {
		s.heads[k] = mode{}
	}
	s.lead, s.wrapped, s.inTable = mode{}, nil, false
	if len(sents) == 0 {
		return
	}
	m := headingMode(&sents[0])
	if all := sents[0].all; all&cGood != 0 && m.plain() {
		// A section on the good way ends what those above said.
		for k := range level {
			s.heads[k] = mode{}
		}
	}
	s.heads[level] = m
}

func (s *stander) level(r *Region) int {
	n := 0
	for at := r.Span.Start - 1; at >= 0 && at < len(s.text); at-- {
		switch s.text[at] {
		case '#':
			n++
		case ' ', '\t', '*':
		default:
			return min(max(n, 1), 6)
		}
	}
	return min(max(n, 1), 6)
}

// span stands a span of code by where it stands in its paragraph.
func (s *stander) span(r, owner *Region) {
	at := owner.StandingAt(offsetIn(owner, r.Span.Start))
	r.Forbidden, r.Quoted = at.Forbidden, at.Quoted
	if owner.Key == "row" {
		if c := column(owner.Text, offsetIn(owner, r.Span.Start)); c < len(s.columns) {
			r.Forbidden = r.Forbidden || s.columns[c].forbidden
			r.Quoted = r.Quoted || s.columns[c].quoted
		}
	}
}

// offsetIn turns a place in the file into an offset in the text of a region.
func offsetIn(r *Region, at int) int {
	if len(r.lines) == 0 {
		return at - r.Span.Start
	}
	lo, hi := 0, len(r.lines)
	for lo < hi {
		if mid := (lo + hi) / 2; r.lines[mid].raw <= at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return 0
	}
	return r.lines[lo-1].text + at - r.lines[lo-1].raw
}

// column is the number of the cell of a row that an offset is in.
func column(row string, at int) int {
	n := -1
	for i := 0; i < min(at, len(row)); i++ {
		if row[i] == '|' && (i == 0 || row[i-1] != '\\') {
			n++
		}
	}
	return max(n, 0)
}

// row stands a row of a table by the headings of its columns.
func (s *stander) row(r *Region, sents []sentence) {
	under := s.heading()
	under.forbidden = under.forbidden || s.lead.forbidden
	under.quoted = under.quoted || s.lead.quoted
	if !s.inTable {
		s.inTable, s.columns = true, nil
		cells := strings.Split(strings.Trim(r.Text, "|"), "|")
		patterns := false
		for k, cell := range cells {
			if k == 16 {
				break
			}
			var m mode
			for _, x := range sentences(cell, false) {
				h := headingMode(&x)
				m.forbidden = m.forbidden || h.forbidden || x.all&cBad != 0
				m.quoted = m.quoted || h.quoted
				patterns = patterns || x.all&cAttack != 0 || hasWord(&x, "severity", "risk")
			}
			s.columns = append(s.columns, m)
		}
		if patterns {
			for k := range s.columns {
				s.columns[k].quoted = true
			}
		}
	}
	r.Forbidden, r.Quoted = under.forbidden, under.quoted
	for _, c := range s.columns {
		if c.quoted {
			r.Quoted = true
		}
	}
	s.zones(r, sents, mode{r.Forbidden, r.Quoted})
}

// fence stands a block of code by its introduction and by the comments in it.
func (s *stander) fence(i int) {
	r := &s.list[i]
	m := s.heading()
	intro := sentences(tail(r.Intro, 600), false)
	if len(intro) > 0 {
		last := &intro[len(intro)-1]
		at := sentenceMode(last)
		switch {
		case !at.plain():
			m.forbidden, m.quoted = m.forbidden || at.forbidden, m.quoted || at.quoted
		case orders(last):
			// An order in a section of examples is an order.
			m = mode{}
		case !s.lead.plain():
			m.forbidden, m.quoted = m.forbidden || s.lead.forbidden, m.quoted || s.lead.quoted
		}
	}
	r.Forbidden, r.Quoted = r.Forbidden || m.forbidden, r.Quoted || m.quoted
	if !r.Meant() {
		s.wrapped = append(s.wrapped, i)
	}
	s.comments(r)
	if r.Lang == "" || r.Lang == "txt" || r.Lang == "md" {
		s.long(r)
		s.say(i, s.reading.sentences(headOf(r.Text, maxSaid), true), m)
	} else if strings.ContainsAny(r.Text, "#/") {
		s.say(i, s.reading.sentences(commentsOf(headOf(r.Text, maxSaid)), false), m)
	}
}

// maxSaid bounds how much of a block or of a file of data is read for sayings.
const maxSaid = 256 << 10

// long notes that only the head of a text is read for sayings.
func (s *stander) long(r *Region) {
	if len(r.Text) > maxSaid {
		s.facts.miss(r.File, MissedTooLarge, "only the beginning was read for what it says")
	}
}

func headOf(s string, n int) string { return s[:min(n, len(s))] }

func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	at := len(s) - n
	for at < len(s) && s[at] != ' ' && s[at] != '\n' {
		at++
	}
	return s[at:]
}

// comments finds the parts of a block that its own comments call bad.
func (s *stander) comments(r *Region) {
	var open *zone
	at := 0
	for line := range strings.Lines(r.Text) {
		start := at
		at += len(line)
		body, ok := commentLine(line)
		if !ok || len(body) > 160 {
			continue
		}
		verdict := commentMode(body)
		if verdict == 0 {
			continue
		}
		if open != nil {
			open.to = start
			r.zones = append(r.zones, *open)
			open = nil
		}
		if verdict < 0 && len(r.zones) < 1000 {
			open = &zone{from: start, forbidden: true}
		}
	}
	if open != nil {
		open.to = len(r.Text) + 1
		r.zones = append(r.zones, *open)
	}
}

// commentLine returns the text of a line that is a comment.
func commentLine(line string) (string, bool) {
	t := strings.TrimSpace(line)
	for _, mark := range [...]string{"#", "//", "--", "/*", "<!--", "*"} {
		if rest, ok := strings.CutPrefix(t, mark); ok {
			return strings.TrimLeft(rest, "#/-* \t"), true
		}
	}
	return "", false
}

// commentMode is -1 for a comment that calls what follows bad, 1 for good.
func commentMode(text string) int {
	list := sentences(text, true)
	if len(list) == 0 {
		return 0
	}
	tokens := list[0].tokens
	for k := range min(len(tokens), 2) {
		t := &tokens[k]
		switch {
		case t.class&(cBad|cAttack) != 0, k == 0 && (t.word == "never" || t.word == "don't" || t.word == "avoid"):
			if k+1 < len(tokens) && tokens[k+1].class&cFlip != 0 {
				return 0
			}
			return -1
		case t.class&cGood != 0:
			return 1
		}
	}
	return 0
}

// commentsOf returns a text in which only its lines of comments are left, all others
// being blank, so that offsets stay.
func commentsOf(text string) string {
	b := []byte(text)
	at := 0
	for line := range strings.Lines(text) {
		t := strings.TrimLeft(line, " \t")
		keep := strings.HasPrefix(t, "#") || strings.HasPrefix(t, "//")
		for k := range len(line) {
			c := b[at+k]
			if !keep && c != '\n' || keep && (c == '#' || c == '/' && k < len(line)-len(t)+2) {
				b[at+k] = ' '
			}
		}
		at += len(line)
	}
	return string(b)
}

// contradict takes back what was said of code above, where a later sentence asks to
// run it all the same.
func (s *stander) contradict(sents []sentence, r *Region) {
	if len(s.wrapped) == 0 || strings.HasSuffix(strings.TrimRight(r.Text, " *_"), ":") {
		return
	}
	for k := range sents {
		if !takesBack(&sents[k]) {
			continue
		}
		for _, i := range s.wrapped {
			s.list[i].Forbidden, s.list[i].Quoted = false, false
			s.list[i].zones = nil
		}
		s.wrapped = nil
		return
	}
}
