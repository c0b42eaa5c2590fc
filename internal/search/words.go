package search

import (
	"hash/fnv"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// maxWord is the maximum length of a word in bytes. Longer words are considered data and are
// ignored.
const maxWord = 48

// words calls yield for each word in text, in lowercase. A word is a run of letters and digits. For
// identifiers such as getUserName, yield gets the parts and the whole. Chinese, Japanese and Korean
// text is split into pairs of characters, because spaces do not reliably separate its words. The
// slice is valid only during the call.
func words(text string, yield func(word []byte)) {
	var word []byte
	var cuts []int
	end := func() {
		if n := len(word); n > 0 && n <= maxWord {
			yield(word)
			from := 0
			for _, cut := range append(cuts, n) {
				if len(cuts) > 0 && cut-from > 1 {
					yield(word[from:cut])
				}
				from = cut
			}
		}
		word, cuts = word[:0], cuts[:0]
	}
	var before, ideograph rune
	for i, r := range text {
		switch {
		case r < utf8.RuneSelf && (r >= 'a' && r <= 'z' || r >= '0' && r <= '9'):
			// In HTTPServer, the last uppercase letter begins a word.
			if r >= 'a' && len(word) > 1 && before >= 'A' && before <= 'Z' && text[i-2] >= 'A' && text[i-2] <= 'Z' {
				cuts = append(cuts, len(word)-1)
			}
			word = append(word, byte(r))
		case r >= utf8.RuneSelf && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			end()
			if ideograph != 0 {
				yield(utf8.AppendRune(utf8.AppendRune(nil, ideograph), r))
			}
			ideograph, before = r, r
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if len(word) > 0 && unicode.IsUpper(r) && !unicode.IsUpper(before) {
				cuts = append(cuts, len(word))
			}
			word = utf8.AppendRune(word, unicode.ToLower(r))
		default:
			end()
		}
		before, ideograph = r, 0
	}
	end()
}

// term represents a word in the index. It is the hash of the word's stem.
type term = uint32

// stemmed is a term and whether its word is a common one, such as "the".
type stemmed struct {
	term
	stop bool
}

// stemmer caches the terms of words, because most words in a collection occur many times.
type stemmer map[string]stemmed

const maxStems = 1 << 17

func (s stemmer) term(word []byte) stemmed {
	if t, ok := s[string(word)]; ok {
		return t
	}
	w := string(word)
	t := stemmed{hash(english.Stem(w, true)), english.IsStopWord(w)}
	if len(s) >= maxStems {
		clear(s)
	}
	s[w] = t
	return t
}

func hash(text string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(text))
	return h.Sum32()
}

// query is a parsed search query.
type query struct {
	// terms are distinct and sorted.
	terms []term
	// joins contains pairs of neighboring words that may also be written as one word, such as "roll
	// back".
	joins []join
}

// join is a pair of query words written as one. A definition that contains the joined word counts
// as containing both words; the of field holds their indexes.
type join struct {
	term
	of []int
}

// parse parses a query. Words such as "the" are used only if there are no others.
func parse(text string) query {
	var all []stemmed
	var joined []term
	s, before := stemmer{}, ""
	words(text, func(word []byte) {
		all = append(all, s.term(word))
		joined = append(joined, s.term([]byte(before+string(word))).term)
		before = english.Stem(string(word), false)
	})
	var q query
	var stops []term
	for _, t := range all {
		if t.stop {
			stops = append(stops, t.term)
		} else {
			q.terms = append(q.terms, t.term)
		}
	}
	if len(q.terms) == 0 {
		q.terms = stops
	}
	q.terms = q.terms[:min(len(q.terms), maxQuery)]
	slices.Sort(q.terms)
	q.terms = slices.Compact(q.terms)
	for i := 1; i < min(len(all), maxJoins+1); i++ {
		j := join{term: joined[i]}
		for _, t := range all[i-1 : i+1] {
			if at, ok := slices.BinarySearch(q.terms, t.term); ok {
				j.of = append(j.of, at)
			}
		}
		q.joins = append(q.joins, j)
	}
	return q
}
