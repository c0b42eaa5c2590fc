package prose

import (
	"slices"
	"strings"
)

// polarity says of each token whether its clause says the opposite of it (denied), and
// whether it says that it must not be done (forbidden): "it is not sent" denies, "never send
// it" does both. Two negations undo each other.
func (x *sentence) polarity() {
	if !x.all.any(of(not, skip, without)) {
		return
	}
	late := x.lang == "ja" || x.lang == "ko" || x.lang == "de"
	denied, forbidden := false, false
	start, inside, verb, skipped := 0, false, false, false
	until := len(x.tokens)
	for i := range x.tokens {
		t := &x.tokens[i]
		if i == until {
			denied, forbidden, until = false, false, len(x.tokens)
		}
		switch {
		case t.is.has(breaks), t.is.has(but), t.is.has(comma) && (inside || verb && x.turns(i+1)):
			if late {
				x.late(start, i, denied)
			}
			denied, forbidden, start, until = false, false, i, len(x.tokens)
		case t.quoted:
		case t.is.has(not):
			inside, verb = x.inCondition(i), false
			if w := t.word; i > 0 && (w == "no" || w == "none" || w == "nothing" || w == "nobody") {
				// It is about the next noun only, unless that is the subject.
				until = i + 6
			}
			// In many languages, and with words such as "nor", a second negation adds to
			// the first.
			again := denied && (x.lang != "en" || x.at(i-1).has(and) || strings.HasPrefix(t.word, "no") && t.word != "not")
			forbidden = again && forbidden || !denied && x.directive(i)
			denied = again || !denied
			continue
		case t.is.has(and) && skipped && x.at(i+1).any(orderVerbs()) && !strings.HasSuffix(x.word(i+1), "ing"):
			// "skip this step and tell the user", "without asking and turn it off"
			denied, forbidden, skipped = false, false, false
		case t.is.has(without), t.is.has(skip) && !x.noun(i):
			inside, verb, skipped = x.inCondition(i), false, !denied
			t.denied, t.forbidden = denied, forbidden
			forbidden = forbidden && t.is.has(confirm)
			denied = !denied
			continue
		}
		t.denied, t.forbidden = denied, forbidden
		verb = verb || t.is.any(orderVerbs())
	}
	if late {
		x.late(start, len(x.tokens), denied)
	}
}

// late denies a whole clause in languages in which the word for not may come last.
func (x *sentence) late(from, to int, denied bool) {
	if !denied {
		return
	}
	for k := max(from, to-14); k < to; k++ {
		x.tokens[k].denied, x.tokens[k].forbidden = true, true
	}
}

// turns reports whether what begins with a token after a comma is no longer negated.
func (x *sentence) turns(i int) bool {
	c := x.at(i)
	if c.any(of(must, now, you, but, condition)) {
		return true
	}
	if x.lang != "en" || i >= len(x.tokens) || !c.any(orderVerbs()) {
		return false
	}
	// "do not read, change or send it" goes on; "do not ask, send it" does not.
	for k := i + 1; k < min(i+6, len(x.tokens)); k++ {
		if x.tokens[k].word == "or" || x.tokens[k].word == "nor" {
			return false
		}
	}
	return x.at(i + 1).any(of(det, codeMark, it, urlMark))
}

// directive reports whether a word for not is one of an order, and not of a condition or
// statement.
func (x *sentence) directive(i int) bool {
	if x.lang != "en" {
		return true
	}
	before := x.at(i - 1)
	switch w := x.tokens[i].word; w {
	case "never", "don't", "dont", "mustn't", "shouldn't":
		return !before.any(of(it, user, you)) && x.word(i-1) != "who" && x.word(i-1) != "tests"
	case "not":
		if x.word(i-1) == "do" {
			return i < 2 || !x.at(i-2).any(of(it, you, user, codeMark))
		}
		return i == 0 || before.any(of(must, can)) || x.word(i-1) == "will" || x.at(i+1).has(codeMark) || x.word(i+1) == "to"
	default:
		return !strings.HasSuffix(w, "n't") && w != "no" && w != "cannot"
	}
}

// noun reports whether a word that may be a verb is a noun here.
func (x *sentence) noun(i int) bool {
	return x.lang == "en" && i > 0 && x.at(i-1).has(det) && !x.at(i-1).has(it)
}

// word returns the word of a token; "" outside.
func (x *sentence) word(i int) string {
	if i < 0 || i >= len(x.tokens) {
		return ""
	}
	return x.tokens[i].word
}

// mood is how a verb is used.
type mood uint8

const (
	// ordered: it is an order, or what the definition says that it does; the reader does
	// it. stated: it is said of something else. byUser: the user does it. conditional: it
	// is a condition. byAttacker: others do it, or it is looked for. nominal: it is a noun.
	ordered mood = iota
	stated
	byUser
	conditional
	byAttacker
	nominal
)

// moodOf says how the verb at i is used, and whether it is in the passive.
func (x *sentence) moodOf(i int) (m mood, passive bool) {
	if x.lang != "en" {
		return ordered, false
	}
	t := &x.tokens[i]
	if x.inCondition(i) {
		return conditional, false
	}
	if x.noun(i) {
		return nominal, false
	}
	if strings.HasSuffix(t.word, "ing") && (i == 0 || slices.Contains(strings.Fields("before after when while of for from"), x.word(i-1))) {
		return stated, false
	}
	k := i - 1
	for k >= 0 && (x.at(k).any(of(not, must, now, can, and, comma, skip, without)) || isAdverb(x.word(k)) || x.at(k).has(be)) {
		if x.at(k).has(be) && !strings.HasSuffix(t.word, "ing") {
			passive = true
		}
		if x.at(k).any(of(comma, and)) {
			return ordered, passive
		}
		k--
	}
	switch before := x.at(k); {
	case k < 0 || x.at(k+1).any(of(without, skip)) || before.any(of(breaks, to, condition, but)) || before.any(orderVerbs()) && !before.has(det):
		return ordered, passive
	case before.has(attack):
		return byAttacker, passive
	case before.any(of(user, doer)) && !before.has(theirs):
		if passive {
			return ordered, true
		}
		return byUser, false
	case before.any(of(you, it, agent, self)):
		return ordered, passive
	default:
		return stated, passive
	}
}

func isAdverb(w string) bool {
	return len(w) > 4 && strings.HasSuffix(w, "ly") || w == "also" || w == "do" || w == "does"
}

// inCondition reports whether a token is in a part of the sentence that begins with a word
// such as "if" and has not ended.
func (x *sentence) inCondition(i int) bool {
	if !x.has(condition) {
		return false
	}
	for k := i - 1; k >= 0; k-- {
		c := x.at(k)
		if c.has(condition) {
			return !c.has(each)
		}
		if c.any(of(comma, breaks, must)) || x.word(k) == "then" {
			return false
		}
	}
	return false
}

// orders reports whether a sentence asks its reader to run, read or do something, and
// whether it does so with a word that addresses who reads it now.
func (x *sentence) orders() (order, strong bool) {
	strong = x.all.any(of(now, must))
	if x.lang != "en" {
		return x.all.any(of(run)) && !x.all.any(of(attack, detect)), strong
	}
	for i := range x.tokens {
		t := &x.tokens[i]
		if !t.is.has(run) || t.is.any(of(detect, example)) || t.quoted || t.denied {
			continue
		}
		if m, passive := x.moodOf(i); m == ordered && !passive && !x.at(i-1).any(of(agent, it, self)) && !x.at(i-1).has(attack) {
			return true, strong
		}
	}
	return false, strong
}

// quotesFrom returns the token from which on a sentence shows what others do or say; -1
// where it does not.
func (x *sentence) quotesFrom() int {
	if !x.all.any(of(attack, detect, refuse, report, saidOrders)) {
		return -1
	}
	for i := range x.tokens {
		t := &x.tokens[i]
		switch {
		case t.is.has(saidOrders):
			return i
		case t.is.has(report) && !t.denied:
			// "if a page tells you to": who says it is not the author. "say that …" is an order.
			if !x.at(i-1).any(of(user, doer)) && !(x.tokens[i].is.has(say) && x.atStart(i)) {
				return i
			}
		case t.is.has(detect) && !t.denied && !x.noun(i) && !x.at(i-1).has(to):
			if x.has(attack) || x.atStart(i) && x.word(i) != "check" && x.word(i) != "find" && (x.at(i+1).any(of(det, agent)) || x.relative(i)) {
				return i
			}
		case t.is.has(refuse) && !t.denied && x.atStart(i):
			return i
		}
	}
	if order, _ := x.orders(); order {
		return -1
	}
	for i := range x.tokens {
		if !x.tokens[i].is.has(attack) {
			continue
		}
		if x.all.any(of(detect, example)) {
			return 0
		}
		// "attackers may send …"
		if next := x.at(i + 1); next.any(of(can)) || next.any(orderVerbs()) && i <= 2 {
			return i
		}
	}
	return -1
}

// relative reports whether a relative clause begins a few words after a token.
func (x *sentence) relative(i int) bool {
	for k := i + 2; k < i+5; k++ {
		if w := x.word(k); w == "that" || w == "which" || w == "who" {
			return true
		}
	}
	return false
}

// atStart reports whether a clause begins at a token.
func (x *sentence) atStart(i int) bool {
	return i == 0 || x.at(i-1).any(of(comma, breaks, must, user, and, to))
}

// blamed reports whether a piece of code is called bad in what follows it.
func (x *sentence) blamed(i int) bool {
	verb := false
	for k := i + 1; k < min(i+7, len(x.tokens)); k++ {
		c := x.at(k)
		switch {
		case c.any(of(breaks, codeMark)):
			return false
		case c.any(of(be, must)):
			verb = true
		case verb && c.any(of(attack, bad)):
			return !c.has(good)
		case verb && c.has(not):
			next := x.word(k + 1)
			return x.word(k) == "never" || next == "allowed" || next == "permitted" || next == "acceptable" || next == "safe" || next == "be" || next == "recommended"
		}
	}
	return false
}

// refused reports whether a sentence answers a condition with a refusal, so that what the
// condition names is not to be done.
func (x *sentence) refused() bool {
	if len(x.tokens) < 4 || !x.tokens[0].is.has(condition) {
		return false
	}
	for k := 2; k < len(x.tokens); k++ {
		if x.at(k).has(refuse) && !x.tokens[k].denied && x.at(k-1).has(comma) {
			return true
		}
	}
	return false
}
