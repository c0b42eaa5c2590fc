package search

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"sort"
	"strings"
)

// vector holds one definition's terms in the format in which they are stored:
//
//	sketch, number of terms (4 bytes), terms (4 bytes each, ascending), weights (1 byte each)
//
// As in BM25F, the weight of a term is the sum of w·tf^repetition/(1-b+b·length/usual) over the
// definition's texts, where w is the text's weight, tf is the number of times that the term occurs
// in the text, and usual is the usual length of such a text. The usual lengths are constants, so a
// vector does not depend on other definitions.
type vector []byte

const (
	// weightUnit is the stored representation of a weight of 1.
	weightUnit = 8
	// maxVector is the maximum number of terms in a vector, and maxText is the maximum number of
	// bytes read from a body.
	maxVector = 4096
	maxText   = 256 << 10
	// repetition is the exponent applied to the number of times that a word occurs. It keeps a body
	// that repeats a word many times from outranking a name.
	repetition = 0.8
	sketchSize = 64
	// vectorHead is the length of a vector without terms.
	vectorHead = sketchSize + 4
)

type vectorizer struct {
	Weights
	stemmer
	all, part map[term]float64
}

func newVectorizer(w Weights) *vectorizer {
	return &vectorizer{w, stemmer{}, map[term]float64{}, map[term]float64{}}
}

// vector reads a definition and returns its vector. If the body cannot be read, the vector contains
// only the terms in the name, title and description.
func (z *vectorizer) vector(ctx context.Context, t text) vector {
	clear(z.all)
	z.add(t.name, z.Name, 3, 0.3, true)
	z.add(t.title, z.Title, 5, 0.5, true)
	z.add(t.description, z.Description, 25, 0.5, false)
	if z.Body > 0 {
		body, _ := t.body(ctx)
		body = body[:min(len(body), maxText)]
		var headings strings.Builder
		for line := range strings.Lines(body) {
			if line[0] == '#' {
				headings.WriteString(line)
			}
		}
		z.add(headings.String(), z.Heading, 30, 0.75, false)
		z.add(body, z.Body, 500, 0.75, false)
	}
	terms := make([]term, 0, len(z.all))
	for t := range z.all {
		terms = append(terms, t)
	}
	if len(terms) > maxVector {
		slices.SortFunc(terms, func(a, b term) int { return cmp.Or(cmp.Compare(z.all[b], z.all[a]), cmp.Compare(a, b)) })
		terms = terms[:maxVector]
	}
	slices.Sort(terms)
	v := make(vector, sketchSize, vectorHead+5*len(terms))
	v = binary.LittleEndian.AppendUint32(v, uint32(len(terms)))
	for _, t := range terms {
		v = binary.LittleEndian.AppendUint32(v, t)
		v.sketch().add(t)
	}
	for _, t := range terms {
		v = append(v, byte(min(max(z.all[t]*weightUnit+0.5, 1), 255)))
	}
	return v
}

// add adds the terms in one text of a definition. usual is the usual length of such a text in
// words, and b is the BM25 parameter that controls how much the length matters. If names is set,
// common words such as "the" are added too.
func (z *vectorizer) add(text string, weight, usual, b float64, names bool) {
	if weight == 0 {
		return
	}
	clear(z.part)
	length := 0.0
	words(text, func(word []byte) {
		length++
		if t := z.term(word); !t.stop || names {
			z.part[t.term]++
		}
	})
	for t, n := range z.part {
		z.all[t] += math.Pow(n, repetition) * weight / (1 - b + b*length/usual)
	}
}

// size returns the number of terms in a vector.
func (v vector) size() int { return int(binary.LittleEndian.Uint32(v[sketchSize:])) }

func (v vector) sketch() *sketch { return (*sketch)(v) }

// match returns a match with the weights of the query's terms, or nil if the vector contains none
// of these terms.
func (v vector) match(q query) *match {
	var m *match
	n := v.size()
	list, weights := v[vectorHead:vectorHead+4*n], v[vectorHead+4*n:]
	look := func(t term, of ...int) {
		at := sort.Search(n, func(k int) bool { return binary.LittleEndian.Uint32(list[4*k:]) >= t })
		if at == n || binary.LittleEndian.Uint32(list[4*at:]) != t {
			return
		}
		if m == nil {
			m = &match{sketch: *v.sketch()}
		}
		for _, i := range of {
			m.weight[i] = max(m.weight[i], weights[at])
		}
	}
	for i, t := range q.terms {
		look(t, i)
	}
	for _, j := range q.joins {
		look(j.term, j.of...)
	}
	return m
}

// sketch is used to estimate how many terms two vectors share (one-permutation MinHash). Each term
// is assigned to one byte. A byte holds the smallest hash of its terms, or 0 if it has none.
type sketch [sketchSize]byte

func (s *sketch) add(t term) {
	// FNV-1a alone does not mix its bits well enough.
	t = (t ^ t>>15) * 0x2c1b3c6d
	t ^= t >> 13
	at, value := t%sketchSize, byte(t>>24)|1
	if s[at] == 0 || value < s[at] {
		s[at] = value
	}
}

// like reports whether two definitions share an estimated three quarters or more of their terms.
func (s *sketch) like(o *sketch) bool {
	same, all := 0, 0
	for i := range s {
		if s[i]|o[i] != 0 {
			all++
			if s[i] == o[i] {
				same++
			}
		}
	}
	return all > 0 && same*4 >= all*3
}
