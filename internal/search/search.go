// Package search ranks definitions by the words of a query.
package search

import (
	"cmp"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/catalog"
)

// The BM25 weights of words in a name, in a title or keyword, and in a description, and the
// usual BM25 parameters for short texts.
const (
	nameWeight  = 4
	titleWeight = 2
	textWeight  = 1
	saturation  = 1.2
	lengthPart  = 0.5
	maxTerms    = 64
)

// Definitions returns the definitions that match the query and for which accept returns true, best
// first. Ranking is BM25 over names, titles, keywords and descriptions. There is no index:
// scanning 100,000 descriptions takes a fraction of a second, and an index would take as much
// memory as the descriptions.
func Definitions(listed []catalog.Definition, query string, accept func(catalog.Definition) bool) []catalog.Definition {
	terms := map[string]int{}
	for word := range tokens(query) {
		if _, known := terms[string(word)]; !known && len(terms) < maxTerms {
			terms[string(word)] = len(terms)
		}
	}
	type match struct {
		catalog.Definition
		length, score float64
		weights       []float64
	}
	var matches []match
	frequency, total := make([]float64, len(terms)), 0.0
	for _, d := range listed {
		m := match{Definition: d}
		add := func(text string, weight float64) {
			for word := range tokens(text) {
				m.length++
				if term, ok := terms[string(word)]; ok {
					if m.weights == nil {
						m.weights = make([]float64, len(terms))
					}
					m.weights[term] += weight
				}
			}
		}
		add(d.Name(), nameWeight)
		for _, k := range d.Keywords() {
			add(k, titleWeight)
		}
		if d.Title() != d.Name() {
			add(d.Title(), titleWeight)
		}
		add(d.Description(), textWeight)
		add(d.WhenToUse(), textWeight)
		total += m.length
		if m.weights == nil {
			continue
		}
		matches = append(matches, m)
		for term, weight := range m.weights {
			if weight > 0 {
				frequency[term]++
			}
		}
	}
	count := float64(len(listed))
	for i := range matches {
		m := &matches[i]
		lengthNorm := 1 - lengthPart + lengthPart*m.length/max(total/count, 1)
		for term, weight := range m.weights {
			idf := math.Log(1 + (count-frequency[term]+0.5)/(frequency[term]+0.5))
			m.score += idf * weight * (saturation + 1) / (weight + saturation*lengthNorm)
		}
	}
	matches = slices.DeleteFunc(matches, func(m match) bool { return !accept(m.Definition) })
	slices.SortFunc(matches, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.Kind(), b.Kind()), cmp.Compare(a.Name(), b.Name()))
	})
	found := make([]catalog.Definition, len(matches))
	for i := range matches {
		found[i] = matches[i].Definition
	}
	return found
}

// tokens yields the lowercase words in text: runs of letters and digits, also split where
// an uppercase letter follows a lowercase one. A plural "s" is dropped. The yielded slice is
// only valid until the next iteration.
func tokens(text string) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		var word []byte
		end := func() bool {
			n := len(word)
			if n > 3 && word[n-1] == 's' && word[n-2] != 's' {
				n--
			}
			goOn := n == 0 || yield(word[:n])
			word = word[:0]
			return goOn
		}
		before := rune(0)
		for _, r := range text {
			letter := unicode.IsLetter(r) || unicode.IsDigit(r)
			if (!letter || unicode.IsUpper(r) && unicode.IsLower(before)) && !end() {
				return
			}
			if letter {
				word = utf8.AppendRune(word, unicode.ToLower(r))
			}
			before = r
		}
		end()
	}
}
