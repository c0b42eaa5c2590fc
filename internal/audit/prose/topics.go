package prose

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/signal"
)

// The patterns in topics.txt describe what a sentence is about. Each line consists of a topic, a
// strength, the class of a verb, and other classes that must occur with the verb. As a rule, a
// match for a sure line is enough to block, a match for a firm line needs further evidence, and a
// match for a weak line is only a hint. For example:
//
//	conceal firm: !tell user -code-talk
//
// The verb comes first, with an optional prefix:
//
//	!verb    the verb's clause denies or forbids it
//	#verb    the verb may also be a noun or a statement
//	@verb    the user performs the action
//	%verb    the verb is passive
//
// The other classes must be in the same clause unless a prefix says otherwise:
//
//	>class   after the verb
//	<class   before the verb
//	!class   denied
//	~class   anywhere in the sentence
//	^class   anywhere in the sentence, a neighboring sentence or the heading
//	-class   not in the sentence
//	=class   not in the sentence, unless denied
//
// a|b matches either class, and class/3 matches at most three tokens away from the verb. In a sure
// line, > also matches before a passive verb. In languages other than English, > and < match on
// either side of the verb.

// strength says how conclusive the match of a pattern is.
type strength uint8

const (
	weak strength = iota
	firm
	sure
)

var strengthNames = [...]string{"weak", "firm", "sure"}

// pattern is a line in topics.txt.
type pattern struct {
	topic               signal.Tag
	strength            strength
	verb                term
	noun, user, passive bool
	terms               []term
}

// term is a condition of a pattern: a token with one of the classes must occur at the given
// position relative to the verb.
type term struct {
	classes set
	// position is the prefix that says where the token must occur: one of > < ~ ^ - = or 0 for
	// none.
	position byte
	denied   bool
	// window is the maximum distance from the verb, in tokens, or 0 for the default distance.
	window int
}

// topicTable holds the patterns in topics.txt and the classes of their verbs.
type topicTable struct {
	patterns []pattern
	verbs    set
}

var topics = sync.OnceValue(func() *topicTable {
	t := &topicTable{}
	for head, terms := range rows("topics.txt") {
		p := parsePattern(head, terms)
		t.patterns = append(t.patterns, p)
		t.verbs = t.verbs.with(p.verb.classes)
	}
	return t
})

// orderVerbs returns the classes of verbs that can express an order.
func orderVerbs() set { return topics().verbs.with(setOf(run, send, collect, destroy, fetch)) }

// parsePattern parses a line of topics.txt, given the text before and after the colon.
func parsePattern(head, terms string) (p pattern) {
	topic, name, _ := strings.Cut(head, " ")
	at := slices.Index(strengthNames[:], name)
	if at < 0 {
		panic("topics.txt: unknown strength in " + head) // Unreachable: a test reads the file.
	}
	p.topic, p.strength = signal.Tag(topic), strength(at)
	for k, word := range strings.Fields(terms) {
		var t term
		for len(word) > 0 && strings.IndexByte("!#@%><~^-=", word[0]) >= 0 {
			switch word[0] {
			case '!':
				t.denied = true
			case '#':
				p.noun = true
			case '@':
				p.user = true
			case '%':
				p.passive = true
			default:
				t.position = word[0]
			}
			word = word[1:]
		}
		word, window, _ := strings.Cut(word, "/")
		t.window, _ = strconv.Atoi(window)
		t.classes = classSet(strings.Split(word, "|"))
		if k == 0 {
			p.verb = t
		} else {
			p.terms = append(p.terms, t)
		}
	}
	return p
}

// The maximum number of tokens before and after a verb that are searched for the other words in its
// clause.
const (
	maxBefore = 7
	maxAfter  = 9
)

// match is a topic that a sentence matches.
type match struct {
	topic    signal.Tag
	strength strength
	// verb is the index of the token that matched the pattern's verb.
	verb int
}

// tags returns the tags for the signal that a match creates.
func (m *match) tags() []signal.Tag {
	if m.strength == sure {
		return []signal.Tag{m.topic, "firm", "sure"}
	}
	return []signal.Tag{m.topic, signal.Tag(strengthNames[m.strength])}
}

// patternsOf returns the patterns whose verb has one of the given classes.
func (r *reader) patternsOf(is set) []*pattern {
	list, ok := r.patterns[is]
	if !ok {
		table := topics()
		for k := range table.patterns {
			if x := &table.patterns[k]; is.any(x.verb.classes) {
				list = append(list, x)
			}
		}
		r.patterns[is] = list
	}
	return list
}

// topics returns the topics that a sentence matches, without duplicates.
func (p *passage) topics(r *reader) []match {
	table := topics()
	if !p.all.any(table.verbs) {
		return nil
	}
	var found []match
	for i := range p.tokens {
		t := &p.tokens[i]
		if !t.classes.any(table.verbs) || t.quoted && p.all.any(setOf(say, example, attack)) {
			continue
		}
		v := verb{at: i, denied: t.denied != (p.inverted && i <= 1 && !t.forbidden)}
		v.mood, v.passive = p.moodOf(i)
		if v.mood == unreal {
			continue
		}
		plain := !t.quoted && (!p.inverted || i <= 1)
		for _, x := range r.patternsOf(t.classes) {
			if !x.appliesTo(&v) || !p.termsMatch(x, &v) {
				continue
			}
			m := match{x.topic, x.strength, i}
			if !plain || v.mood == stated && !v.passive && !x.noun {
				if x.strength == sure {
					continue
				}
				m.strength = weak
			}
			found = mergeMatch(found, m)
		}
	}
	return found
}

// mergeMatch adds a match to a list that contains each topic only once.
func mergeMatch(list []match, m match) []match {
	at := slices.IndexFunc(list, func(f match) bool { return f.topic == m.topic })
	if at < 0 {
		return append(list, m)
	}
	if m.strength > list[at].strength {
		list[at] = m
	}
	return list
}

// verb is a verb token with its mood.
type verb struct {
	at              int
	mood            mood
	denied, passive bool
	// objectFirst reports whether the verb's object may precede the verb.
	objectFirst bool
}

// appliesTo reports whether the pattern applies to v, whose class matches.
func (x *pattern) appliesTo(v *verb) bool {
	return v.denied == x.verb.denied && (v.mood != nominal || x.noun) &&
		(v.mood == byUser) == x.user && (v.passive || !x.passive)
}

// termsMatch reports whether a pattern's terms match the words around a verb.
func (p *passage) termsMatch(x *pattern, v *verb) bool {
	v.objectFirst = v.passive && x.strength == sure
	for k := range x.terms {
		t := &x.terms[k]
		switch t.position {
		case '-':
			if p.all.any(t.classes) {
				return false
			}
		case '=':
			if p.notDenied.any(t.classes) {
				return false
			}
		case '^':
			if !p.all.any(t.classes) && !p.nearbyClasses.any(t.classes) {
				return false
			}
		case '~':
			if !p.all.any(t.classes) || t.denied && !p.matchesInClause(t, v, len(p.tokens), len(p.tokens)) {
				return false
			}
		default:
			if !p.all.any(t.classes) || !p.matchesInClause(t, v, maxBefore, maxAfter) {
				return false
			}
		}
	}
	return true
}

// matchesInClause reports whether a term matches a token in the verb's clause. The token must be
// within the given number of tokens before or after the verb.
func (p *passage) matchesInClause(t *term, v *verb, before, after int) bool {
	if v.objectFirst {
		before += maxAfter
	}
	if t.window > 0 {
		before, after = min(before, t.window), min(after, t.window)
	}
	if p.lang == "en" && t.position == '>' && !v.objectFirst {
		before = 0
	} else if p.lang == "en" && t.position == '<' {
		after = 0
	}
	for k := v.at + 1; k < min(len(p.tokens), v.at+1+after) && !p.clauseEnds(t, k, pause); k++ {
		if p.matchesTerm(t, k) {
			return true
		}
	}
	for k := v.at - 1; k >= max(0, v.at-before) && !p.clauseEnds(t, k, none); k-- {
		if p.matchesTerm(t, k) {
			return true
		}
	}
	return false
}

// clauseEnds reports whether the search for a term stops at token k because the clause ends there.
// A token with the class except does not end the clause.
func (p *passage) clauseEnds(t *term, k int, except class) bool {
	return t.position != '~' && p.at(k).has(breaks) && !p.at(k).has(except)
}

// matchesTerm reports whether a token has one of the term's classes and, if the term requires it,
// is denied.
func (p *passage) matchesTerm(t *term, k int) bool {
	return p.at(k).any(t.classes) && (!t.denied || p.tokens[k].denied)
}
