package fact

// zones stands the parts of a block of prose by their clauses.
func (s *stander) zones(r *Region, sents []sentence, under mode) {
	for k := range sents {
		if len(r.zones) > 20_000 {
			return
		}
		x := &sents[k]
		if !under.plain() && orders(x) && strong(x) {
			// An order to who reads it now is meant, whatever stands above it.
			r.Forbidden, r.Quoted = false, false
		}
		if x.all&(cNeg|cAvoid|cBad|cAttack|cGood|cDetect|cRefuse) == 0 {
			continue
		}
		at := 0
		for at < len(x.tokens) {
			m := clauseMode(x, at)
			to := m.next
			if m.forbidden || m.quoted {
				end := x.end
				if to < len(x.tokens) {
					end = x.tokens[to].start
				}
				r.zones = append(r.zones, zone{from: x.tokens[at].start, to: end, forbidden: m.forbidden, quoted: m.quoted})
			}
			at = to
		}
	}
}

// clause is a mode and where the next clause begins.
type clause struct {
	mode
	next int
}

// clauseMode stands the tokens from one on up to where the polarity turns.
func clauseMode(x *sentence, from int) clause {
	quoted := quotedFrom(x)
	now := polarityAt(x, from)
	asQuote := quoted >= 0 && from >= quoted
	for i := from + 1; i < len(x.tokens); i++ {
		p := polarityAt(x, i)
		q := quoted >= 0 && i >= quoted
		if p != now || q != asQuote {
			return clause{mode{now, asQuote}, i}
		}
	}
	return clause{mode{now, asQuote}, len(x.tokens)}
}

// polarityAt reports whether a token is in a clause that forbids. The marks are made
// once for a sentence.
func polarityAt(x *sentence, i int) bool {
	if x.all&(cNeg|cAvoid|cBad|cAttack|cGood) == 0 {
		return false
	}
	if x.forbids == nil {
		x.forbids = polarity(x)
	}
	return x.forbids[i]
}

// polarity says of each token whether it is forbidden.
func polarity(x *sentence) []bool {
	out := make([]bool, len(x.tokens))
	neg, negAt := false, -100
	for i := 0; i < len(x.tokens); i++ {
		t := &x.tokens[i]
		c := t.class
		switch {
		case c&cBreak != 0 && c&cBad != 0:
			neg, negAt = true, i
		case c&cBreak != 0 && c&cGood != 0:
			neg = false
		case c&cBreak != 0:
			// "❌ not found: run this" names what went wrong, and then what helps.
			if w := x.text(t); w == ":" && neg && x.tokens[negAt].class&cBreak != 0 && negAt+1 < i && !blames(x, negAt+1, i) {
				neg = false
			} else if w == ";" || w == "—" || w == "–" || w == "-" || w == "|" || w == "；" || w == "→" {
				neg = false
			}
		case c&cNeg != 0 && directive(x, i), c&cAvoid != 0 && t.word != "stop" && t.word != "prevent" && t.word != "prevents":
			switch {
			case flips(x, i):
				neg = false
			case neg && i-negAt <= 5 && (i > negAt+1 || x.tokens[negAt].class&cAvoid != 0):
				neg = false
			default:
				neg, negAt = true, i
			}
		case c&cNeg != 0 && neg && i-negAt <= 4 && i > negAt+1:
			neg = false
		case (t.word == "instead" || t.word == "rather") && i+1 < len(x.tokens) && (x.tokens[i+1].word == "of" || x.tokens[i+1].word == "than"):
			neg, negAt = true, i
		case t.word == "instead":
			neg = false
		case c&(cExcept|cWithout) != 0 && neg && t.word != "till":
			neg = false
		case c&cComma != 0 && neg && i+1 < len(x.tokens) && turns(&x.tokens[i+1]):
			neg = false
		}
		out[i] = neg
		if c&cCode != 0 && !neg && blamed(x, i) {
			out[i] = true
		}
	}
	refused(x, out)
	if x.tongue == "ja" || x.tongue == "ko" || x.tongue == "de" {
		late(x, out)
	}
	return out
}

// refused stands what a condition names that is answered with a refusal: "If it needs x,
// say no".
func refused(x *sentence, out []bool) {
	if len(out) == 0 {
		return
	}
	switch x.tokens[0].word {
	case "if", "when", "whenever":
	default:
		return
	}
	for k := 2; k < len(x.tokens); k++ {
		word := x.tokens[k].word
		no := word == "refuse" || word == "decline" || word == "say" && k+1 < len(x.tokens) && x.tokens[k+1].word == "no"
		if !no || x.tokens[k-1].class&cComma == 0 {
			continue
		}
		for i := range k {
			out[i] = out[i] || x.tokens[i].class&cCode != 0
		}
		return
	}
}

// late stands sentences of languages in which the word for not may come last.
func late(x *sentence, out []bool) {
	for i := range x.tokens {
		if x.tokens[i].class&cNeg == 0 || x.all&(cFlip|cExcept) != 0 {
			continue
		}
		for k := max(0, i-12); k < i; k++ {
			out[k] = true
		}
	}
}

// blames reports whether there is a word of blame between two tokens.
func blames(x *sentence, from, to int) bool {
	for k := from; k < min(to, len(x.tokens)); k++ {
		t := &x.tokens[k]
		if t.class&(cBad|cAvoid|cAttack) != 0 && t.word != "stop" || t.class&cNeg != 0 && directive(x, k) {
			return true
		}
	}
	return false
}

// directive reports whether a word for not is one of an order, and not of a condition.
func directive(x *sentence, i int) bool {
	t := &x.tokens[i]
	if x.tongue != "en" {
		return true
	}
	switch t.word {
	case "never", "don't", "dont", "mustn't", "shouldn't", "don’t":
		if i > 0 {
			// "if you don't have it", "they don't work"
			switch x.tokens[i-1].word {
			case "you", "they", "we", "i", "users", "tests", "who", "that", "which":
				return false
			}
		}
		return true
	case "not":
		if i == 0 {
			return true
		}
		switch x.tokens[i-1].word {
		case "do", "must", "should", "shall", "may", "please":
			return i < 2 || x.tokens[i-1].word != "do" || !personal(x.tokens[i-2].word)
		}
		return i+1 < len(x.tokens) && (x.tokens[i+1].class&cCode != 0 || x.tokens[i+1].word == "to")
	}
	return false
}

func personal(w string) bool {
	switch w {
	case "you", "they", "we", "i", "users", "who", "that", "which", "commands":
		return true
	}
	return false
}

// flips reports whether what is forbidden is to leave something out.
func flips(x *sentence, i int) bool {
	for k := i + 1; k < min(i+4, len(x.tokens)); k++ {
		t := &x.tokens[k]
		if t.class&cFlip != 0 {
			return true
		}
		if t.class&(cRun|cBreak|cComma|cCode) != 0 {
			return false
		}
	}
	return false
}

// turns reports whether a clause that begins with a word is the one to be followed.
func turns(t *token) bool {
	if t.class&cExcept != 0 {
		return true
	}
	switch t.word {
	case "use", "run", "prefer", "then", "always", "just", "only", "install", "please", "first", "do", "execute", "instead":
		return true
	}
	return false
}

// blamed reports whether it is said behind a piece of code that it is bad.
func blamed(x *sentence, i int) bool {
	verb := false
	for k := i + 1; k < min(i+7, len(x.tokens)); k++ {
		t := &x.tokens[k]
		switch {
		case t.class&(cBreak|cCode) != 0:
			return false
		case t.word == "is" || t.word == "are" || t.class&cMust != 0:
			verb = true
		case verb && t.class&(cAttack|cAvoid) != 0 && t.word != "stop":
			return true
		case verb && (t.word == "never" || t.word == "blocked" || t.word == "rejected"):
			return true
		case verb && t.word == "not" && k+1 < len(x.tokens):
			switch x.tokens[k+1].word {
			case "allowed", "permitted", "acceptable", "safe", "be", "recommended":
				return true
			}
		}
	}
	return false
}

// quotedFrom returns the token from which on a sentence shows what others do; -1 where
// it does not.
func quotedFrom(x *sentence) int {
	if x.quote != 0 {
		return x.quote - 2
	}
	q := findQuoted(x)
	x.quote = q + 2
	return q
}

func findQuoted(x *sentence) int {
	if x.all&(cAttack|cDetect|cRefuse) == 0 {
		return -1
	}
	if orders(x) {
		return -1
	}
	for i := range x.tokens {
		t := &x.tokens[i]
		next := ""
		if i+1 < len(x.tokens) {
			next = x.tokens[i+1].word
		}
		switch t.word {
		case "flag", "flags", "refuse", "refuses", "reject", "rejects", "detect", "detects", "detecting", "blocks":
			if i == 0 || x.tokens[i-1].class&(cComma|cBreak|cMust|cUser) != 0 || x.tokens[i-1].word == "and" || x.tokens[i-1].word == "to" || x.tokens[i-1].word == "or" {
				if next != "" && !negatedAt(x, i) && t.class&cSetting == 0 || next == "any" || next == "skills" || next == "if" || next == "requests" {
					return i
				}
			}
		case "look", "looks", "looking", "watch", "scan", "scans", "search", "searches", "grep", "check", "checks", "red", "signs", "beware", "warn":
			if x.all&cAttack != 0 && (next == "for" || next == "out" || next == "flags" || next == "flag" || next == "of" || next == "if") {
				return i
			}
		}
	}
	if x.all&cAttack != 0 && x.all&(cDetect|cExample) != 0 {
		return 0
	}
	return -1
}

func negatedAt(x *sentence, i int) bool {
	for k := max(0, i-3); k < i; k++ {
		if x.tokens[k].class&cNeg != 0 {
			return true
		}
	}
	return false
}

// orders reports whether a sentence asks its reader to run something.
func orders(x *sentence) bool {
	if x.all&cRun == 0 {
		return false
	}
	for i := range x.tokens {
		t := &x.tokens[i]
		if t.class&cRun == 0 || t.class&cDetect != 0 || t.quoted || polarityAt(x, i) {
			continue
		}
		if i == 0 {
			return true
		}
		switch p := &x.tokens[i-1]; {
		case p.class&cComma != 0:
			return true
		case p.class&cBreak != 0 && p.class&(cBad|cGood) == 0:
			return true
		case p.class&cMust != 0 && p.word != "to", p.class&cNow != 0:
			return true
		}
		switch x.tokens[i-1].word {
		case "then", "please", "and", "now", "just", "simply", "first", "you":
			return i < 2 || x.tokens[i-2].class&cAttack == 0
		}
	}
	return false
}

// strong reports whether an order addresses who reads it now.
func strong(x *sentence) bool {
	for i := range x.tokens {
		t := &x.tokens[i]
		if t.class&cNow != 0 || t.word == "must" || t.word == "please" || t.word == "instead" || t.word == "always" || t.word == "required" {
			return true
		}
	}
	return false
}

// sentenceMode is how a sentence stands what follows it.
func sentenceMode(x *sentence) mode {
	if len(x.tokens) == 0 {
		return mode{}
	}
	q := quotedFrom(x)
	last := len(x.tokens) - 1
	for last > 0 && x.tokens[last].class&cBreak != 0 && x.tokens[last].class&(cBad|cGood) == 0 {
		last--
	}
	// What would be else says nothing of what is asked for.
	for i := 1; i <= last; i++ {
		switch x.tokens[i].word {
		case "otherwise", "else", "because", "since", "sonst", "weil", "sinon", "porque", "senão", "иначе", "否则", "否則":
			last = i - 1
		}
	}
	m := mode{forbidden: polarityAt(x, last), quoted: q >= 0}
	if x.all&cBad != 0 && len(x.tokens) <= 6 && x.all&cGood == 0 {
		m.forbidden = true
	}
	if x.all&cAttack != 0 && len(x.tokens) <= 5 && !orders(x) {
		m.quoted = true
	}
	return m
}

// headingMode is how a heading stands its section.
func headingMode(x *sentence) mode {
	var m mode
	if len(x.tokens) == 0 || x.all&(cNeg|cAvoid|cBad|cAttack|cDetect) == 0 {
		return m
	}
	for i := range x.tokens {
		t := &x.tokens[i]
		switch {
		case t.class&cNeg != 0 && directive(x, i) && !flips(x, i) && (i <= 1 || x.tokens[i-1].word == "what" || i+1 < len(x.tokens) && x.tokens[i+1].word == "to"):
			m.forbidden = true
		case t.class&cAvoid != 0 && t.word != "stop" && i <= 2:
			m.forbidden = true
		case t.class&cBad != 0 && t.class&cBreak != 0:
			m.forbidden = m.forbidden || len(x.tokens) == 1 || blames(x, i+1, i+3)
		case t.word == "bad" || t.word == "anti" && i+1 < len(x.tokens) && x.tokens[i+1].word == "patterns", t.word == "antipatterns":
			m.forbidden = true
		case t.word == "red" && i+1 < len(x.tokens) && (x.tokens[i+1].word == "flags" || x.tokens[i+1].word == "flag"):
			m.quoted = true
		}
	}
	if x.all&cAttack != 0 {
		if x.all&(cExample|cDetect) != 0 || x.tokens[len(x.tokens)-1].class&cAttack != 0 || hasWord(x, "vectors", "vector", "techniques", "types", "surface", "model", "payloads", "prompts", "attempts", "commands", "code") {
			m.quoted = true
		}
	}
	if x.all&cGood != 0 && x.all&cBad != 0 {
		m.forbidden = false
	}
	return m
}

func hasWord(x *sentence, words ...string) bool {
	for i := range x.tokens {
		for _, w := range words {
			if x.tokens[i].word == w {
				return true
			}
		}
	}
	return false
}

// takesBack reports whether a sentence asks to run what stands above it, or says that
// the warning does not hold here.
func takesBack(x *sentence) bool {
	if x.all&(cBack|cCode) == 0 || x.all&(cRun|cGood|cExcept|cFollow) == 0 {
		return false
	}
	back := false
	for i := range x.tokens {
		t := &x.tokens[i]
		next := ""
		if i+1 < len(x.tokens) {
			next = x.tokens[i+1].word
		}
		switch t.word {
		case "above", "previous", "preceding", "anyway", "nevertheless", "nonetheless", "oben", "выше", "上述", "上面", "anterior", "dessus", "上記", "acima", "arriba":
			back = true
		case "this", "that", "the":
			switch next {
			case "command", "commands", "script", "snippet", "block", "line", "code", "one":
				back = back || t.word != "the"
			case "warning", "rule", "restriction":
				if hasWord(x, "not", "doesn't", "ignore") {
					return true
				}
			}
		case "exception", "exempt":
			if hasWord(x, "here", "skill", "this", "case") {
				return true
			}
		}
	}
	if !back {
		return false
	}
	for i := range x.tokens {
		t := &x.tokens[i]
		if polarityAt(x, i) {
			continue
		}
		if t.class&cRun != 0 && t.class&cDetect == 0 && (orders(x) || x.all&cMust != 0) {
			return true
		}
		if t.word == "safe" && hasWord(x, "here", "skill", "case") && !negatedAt(x, i) {
			return true
		}
	}
	return false
}
