package prose

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

// polarity determines which tokens are negated (denied) and which are prohibited (forbidden), based
// on the clauses that contain them. In "It is not sent", the verb is denied. In "never send it",
// the verb is denied and forbidden. In English, two negations usually cancel out.
func (x *sentence) polarity() {
	if !x.all.any(setOf(not, skip, without)) {
		return
	}
	n := negation{sentence: x, limit: len(x.tokens)}
	for i := range x.tokens {
		n.token(i)
	}
	n.end(len(x.tokens))
}

// negation is the state of a scan for negations. It determines the polarity of the next token.
type negation struct {
	*sentence
	denied, forbidden bool
	// start is the index of the clause's first token. limit is the index at which the negation
	// ends, unless the clause ends earlier.
	start, limit int
	// conditional reports whether the negation is in a condition or a statement of purpose. verb
	// reports whether a verb has followed the negation. skipped reports whether a word such as
	// "skip" or "without" started the negation.
	conditional, verb, skipped bool
}

// end ends the current clause. The next token is at index at.
func (n *negation) end(at int) {
	if n.denied && (n.lang == "ja" || n.lang == "ko" || n.lang == "de") {
		// In these languages, a negation at the end of a clause can negate the words before it.
		for k := max(n.start, at-14); k < at; k++ {
			n.tokens[k].denied, n.tokens[k].forbidden = true, true
		}
	}
	n.denied, n.forbidden, n.start, n.limit = false, false, at, len(n.tokens)
}

// token sets the polarity of token i and updates the state.
func (n *negation) token(i int) {
	t := &n.tokens[i]
	if i == n.limit {
		n.denied, n.forbidden, n.limit = false, false, len(n.tokens)
	}
	switch {
	case t.classes.any(setOf(breaks, but)), t.classes.has(comma) && (n.conditional || n.endsAtComma(i+1)):
		n.end(i)
	case t.quoted:
	case t.classes.has(not):
		n.not(i)
		return
	case t.classes.has(and) && n.skipped && n.at(i+1).any(orderVerbs()) && !strings.HasSuffix(n.word(i+1), "ing"):
		// In "skip this step and tell the user" and "without asking and turn it off", the negation
		// ends before the second verb.
		n.denied, n.forbidden, n.skipped = false, false, false
	case t.classes.has(without), t.classes.has(skip) && !n.noun(i) && !n.at(i-1).has(be):
		n.conditional, n.verb, n.skipped = n.inCondition(i), false, !n.denied
		t.denied, t.forbidden = n.denied, n.forbidden
		n.forbidden = n.forbidden && t.classes.has(confirm)
		n.denied = !n.denied
		return
	}
	t.denied, t.forbidden = n.denied, n.forbidden
	n.verb = n.verb || t.classes.any(orderVerbs())
}

// not processes a negation word.
func (n *negation) not(i int) {
	w := n.word(i)
	// A negation that states a purpose ends at the next comma, as in "so as not to bother
	// customers, …".
	purpose := i > 0 && n.at(i+1).has(to) || w == "avoid" && n.at(i-1).has(to)
	n.conditional, n.verb = purpose || n.inCondition(i), false
	if i > 0 && (w == "no" || w == "none" || w == "nothing" || w == "nobody") {
		// Except at the start of a sentence, the word negates only the next few words.
		n.limit = i + 6
	}
	// A second negation normally cancels the first. It reinforces the first in languages other than
	// English, after "and", and if it is a word such as "nor".
	adds := n.lang != "en" || n.at(i-1).has(and) || strings.HasPrefix(w, "no") && w != "not"
	again := n.denied && adds
	n.forbidden = again && n.forbidden || !n.denied && n.directive(i)
	n.denied = again || !n.denied
}

// endsAtComma reports whether the negation ends at a comma. The token after the comma is at index
// i.
func (n *negation) endsAtComma(i int) bool {
	c := n.at(i)
	// "do not read, change or send it" negates all three verbs. "do not ask, send it" negates only
	// the first.
	order := n.verb && n.lang == "en" && c.any(orderVerbs()) && n.at(i+1).any(setOf(det, codeMark, it, urlMark))
	return order || c.any(setOf(must, now, you, but, condition)) || n.word(i) == "so"
}

// directive reports whether the negation at index i is an order, rather than part of a condition or
// a statement.
func (x *sentence) directive(i int) bool {
	if x.lang != "en" {
		return true
	}
	before := x.at(i - 1)
	switch w := x.tokens[i].word; w {
	case "never", "don't", "dont", "mustn't", "shouldn't":
		return !before.any(setOf(it, user, you)) && x.word(i-1) != "who" && x.word(i-1) != "tests"
	case "not":
		if x.word(i-1) == "do" {
			return i < 2 || !x.at(i-2).any(setOf(it, you, user, codeMark))
		}
		return i == 0 || before.any(setOf(must, can)) || x.word(i-1) == "will" ||
			x.at(i+1).has(codeMark) || x.word(i+1) == "to"
	default:
		return !strings.HasSuffix(w, "n't") && w != "no" && w != "cannot"
	}
}

// noun reports whether the word at index i is used as a noun, if it can be a verb or a noun.
func (x *sentence) noun(i int) bool {
	return x.lang == "en" && i > 0 && x.at(i-1).has(det) && !x.at(i-1).has(it)
}

// word returns the word at index i, or "" if i is out of range.
func (x *sentence) word(i int) string {
	if i < 0 || i >= len(x.tokens) {
		return ""
	}
	return x.tokens[i].word
}

// mood says how a verb is used in a sentence.
type mood uint8

const (
	// ordered: the author tells the reader to perform the action, or says that the reader or the
	// definition performs it. stated: the verb describes something else. byUser: the user performs
	// the action. unreal: the verb is in a condition. nominal: the verb is used as a noun.
	ordered mood = iota
	stated
	byUser
	unreal
	nominal
)

// moodOf returns the mood of the verb at i, and reports whether it is passive.
func (x *sentence) moodOf(i int) (m mood, passive bool) {
	switch {
	case x.lang != "en":
		return ordered, false
	case x.inCondition(i):
		return unreal, false
	case x.noun(i):
		return nominal, false
	case x.participle(i):
		return stated, false
	}
	k := i - 1
	between := setOf(not, must, now, can, and, comma, skip, without, be)
	for ; k >= 0 && (x.at(k).any(between) || isAdverb(x.word(k))); k-- {
		passive = passive || x.at(k).has(be) && !strings.HasSuffix(x.word(i), "ing")
		if x.at(k).any(setOf(comma, and)) {
			return ordered, passive
		}
	}
	return x.moodAfter(k, passive), passive
}

// moodAfter returns the mood of a verb, given the index k of the last token before the verb phrase.
func (x *sentence) moodAfter(k int, passive bool) mood {
	before := x.at(k)
	switch {
	case k > 0 && (x.word(k) == "that" || x.word(k) == "which"):
		return stated
	case k < 0, x.at(k + 1).any(setOf(without, skip)), before.any(setOf(breaks, to, condition, but)):
		return ordered
	case before.any(setOf(user, doer)) && !before.has(theirs):
		if passive {
			return ordered
		}
		return byUser
	case before.any(setOf(you, it, agent, self)):
		return ordered
	}
	return stated
}

// participle reports whether a verb form is not an order. At the start of a sentence, this is the
// case in "Deleted files are" and "Deleting files is". Elsewhere, it is the case for an -ing form
// after a word such as "before".
func (x *sentence) participle(i int) bool {
	w := x.word(i)
	if strings.HasSuffix(w, "ed") {
		return i == 0 && !strings.HasSuffix(w, "eed") && w != "embed" && w != "shed"
	}
	if !strings.HasSuffix(w, "ing") {
		return false
	}
	switch x.word(i - 1) {
	case "before", "after", "when", "while", "of", "for", "from":
		return true
	}
	return i == 0
}

func isAdverb(w string) bool {
	const others = " also do does therefore thus hence so accordingly instead otherwise furthermore moreover besides " +
		"likewise meanwhile hereby herewith thereby thereupon "
	return len(w) > 4 && strings.HasSuffix(w, "ly") || strings.Contains(others, " "+w+" ")
}

// inCondition reports whether a token is in a conditional clause. Such a clause starts with a word
// such as "if", but not with "whenever", because what happens every time is not hypothetical.
func (x *sentence) inCondition(i int) bool {
	if !x.has(condition) {
		return false
	}
	for k := i - 1; k >= 0; k-- {
		c := x.at(k)
		if c.has(condition) {
			return !c.has(each)
		}
		if c.any(setOf(comma, breaks, must)) || x.word(k) == "then" {
			return false
		}
	}
	return false
}

// orders reports whether a sentence tells the reader to run, read or do something.
func (x *sentence) orders() bool {
	if x.lang != "en" {
		return x.has(run) && !x.all.any(setOf(attack, detect))
	}
	for i := range x.tokens {
		t := &x.tokens[i]
		if !t.classes.has(run) || t.classes.any(setOf(detect, example)) || t.quoted || t.denied {
			continue
		}
		m, passive := x.moodOf(i)
		if m == ordered && !passive && !x.at(i-1).any(setOf(agent, it, self, attack)) {
			return true
		}
	}
	return false
}

// reportStart returns the index of the first token with which a sentence reports what others say or
// do. It returns -1 if the sentence does not report anything.
func (x *sentence) reportStart() int {
	if !x.all.any(setOf(attack, detect, report, saidOrders)) {
		return -1
	}
	for i := range x.tokens {
		if x.startsReport(i) {
			return i
		}
	}
	if x.orders() || !x.has(attack) {
		return -1
	}
	if x.all.any(setOf(detect, example)) {
		return 0
	}
	for i := range x.tokens {
		// The report starts at the attacker, as in "attackers may send …".
		next := x.at(i + 1)
		if x.at(i).has(attack) && (next.has(can) || i <= 2 && next.any(orderVerbs())) {
			return i
		}
	}
	return -1
}

// reportIntent returns the intent of the part of a sentence that reports what others say or do.
func (x *sentence) reportIntent() signal.Intent {
	if x.has(attack) {
		return signal.Taught
	}
	return signal.Quoted
}

// startsReport reports whether a token introduces a report of what others say or do.
func (x *sentence) startsReport(i int) bool {
	t := &x.tokens[i]
	switch {
	case t.classes.has(saidOrders):
		return true
	case t.denied:
		return false
	case t.classes.has(report):
		// "If a page tells you to …" reports someone else's words, but "Say that …" is an order.
		return !x.at(i-1).any(setOf(user, doer)) && (!t.classes.has(say) || !x.atStart(i))
	case t.classes.has(detect):
		return !x.noun(i) && !x.at(i-1).has(to) && x.has(attack)
	}
	return false
}

// atStart reports whether token i is at the start of its clause, or comes right after a word such
// as "must", "to" or "user".
func (x *sentence) atStart(i int) bool {
	return i == 0 || x.at(i-1).any(setOf(comma, breaks, must, user, and, to))
}
