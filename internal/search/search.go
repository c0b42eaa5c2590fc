// Package search ranks definitions by how well their names, descriptions and
// bodies match the words in a query.
package search

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
)

// Weights holds the weight of a word for each place where it can occur. Text with a weight of 0 is
// not read.
type Weights struct{ Name, Title, Description, Heading, Body float64 }

// DefaultWeights returns the weights that rank best in bench/search.
func DefaultWeights() Weights {
	return Weights{Name: 3, Title: 2, Description: 2, Heading: 1.5, Body: 1}
}

const (
	// saturation is BM25's parameter k1, which controls how much repeated
	// occurrences of a word add to the score.
	saturation = 1.2
	// maxQuery is the maximum number of query words read, and maxTerms is the maximum number of
	// those used. maxJoins is the maximum number of word pairs that are also searched for as one
	// word.
	maxTerms = 32
	maxQuery = 64
	maxJoins = 16
	// background is added to the number of definitions, so a word is not considered common just
	// because two of three definitions contain it.
	background = 50
	// floor is the fraction of the highest possible score that a result must reach. coverage is the
	// fraction of the query's words that a result must contain; rare words count more than common
	// ones.
	floor    = 0.20
	coverage = 0.35
	// named is a fraction of the query, with rare words counting more. If a definition's name
	// contains a query word that accounts for at least this fraction, floor and coverage do not
	// apply to it.
	named = 0.25
	// bundledShare is the factor applied to the scores of bundled definitions, so they rank below
	// the project's definitions unless they match much better.
	bundledShare = 0.7
)

// Index searches a list of definitions. It is safe for concurrent use.
type Index struct {
	list    []catalog.Definition
	weights Weights
	dir     string

	mu     sync.Mutex
	shards [][]entry
	// kept contains the vectors that are in memory, indexed by definition. It always includes
	// vectors that are not stored in files. memory is the number of bytes that may still be used
	// for vectors that are stored in files.
	kept   []vector
	memory int
}

// New returns an index for definitions. It does not read them until the first search.
func New(list []catalog.Definition, w Weights) *Index {
	x := &Index{list: list, weights: w}
	if len(list) > maxInMemory && w == DefaultWeights() {
		x.dir = list[0].Catalog().CacheDir("search")
	}
	return x
}

// Memory is the memory limit for a server's index, in bytes. Searches read whatever exceeds it from
// files.
const Memory = 128 << 20

// KeepInMemory keeps up to the given number of bytes in memory, so later searches need not read
// files. Call it before the first search.
func (x *Index) KeepInMemory(bytes int) { x.memory = bytes }

// Options selects the results of a search.
type Options struct {
	// Limit is the maximum number of results. If 0, it defaults to 10.
	Limit int
	// Accept reports whether a definition may be returned. If it is nil, all definitions may be.
	Accept func(catalog.Definition) bool
	// If Copies is set, near-duplicates are returned as separate results.
	Copies bool
}

// Result is a definition that matches the query.
type Result struct {
	catalog.Definition
	// Score is between 0 and 1. Scores can only be compared within one search.
	Score float64
	// Alike lists near-duplicates of the definition that match no better than it does.
	Alike []catalog.Definition
}

// Found holds the results of a search.
type Found struct {
	Results []Result
	// More is the number of matches that are neither results nor near-duplicates of results.
	More int
}

// match is a definition that contains words from the query.
type match struct {
	d      catalog.Definition
	weight [maxQuery]uint8
	sketch sketch
	score  float64
}

// Search returns the definitions that match the query, ranked by BM25F, best first. Definitions
// that contain only a few of the query's words do not match.
func (x *Index) Search(ctx context.Context, query string, o Options) (*Found, error) {
	q := parse(query)
	matches, err := x.matches(ctx, q)
	if err != nil {
		return nil, err
	}
	rank(matches, q.terms, rarity(matches, len(q.terms), len(x.list)))
	matches = slices.DeleteFunc(matches, func(m *match) bool { return m.score == 0 || o.Accept != nil && !o.Accept(m.d) })
	slices.SortFunc(matches, func(a, b *match) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(bundledLast(a.d), bundledLast(b.d)),
			cmp.Compare(a.d.Kind(), b.d.Kind()), strings.Compare(a.d.Name(), b.d.Name()), strings.Compare(a.d.Path(), b.d.Path()))
	})
	return grouped(matches, cmp.Or(max(o.Limit, 0), 10), o.Copies), nil
}

func bundledLast(d catalog.Definition) int { return d.Catalog().BundledLast(d.Record()) }

// rarity returns the inverse document frequency of each query term. It is
// nonzero only for the maxTerms rarest terms.
func rarity(matches []*match, terms, total int) []float64 {
	frequency := make([]float64, terms)
	for _, m := range matches {
		for t := range terms {
			if m.weight[t] > 0 {
				frequency[t]++
			}
		}
	}
	idf := make([]float64, terms)
	for t, n := range frequency {
		idf[t] = math.Log(1 + (float64(total+background)-n+0.5)/(n+0.5))
	}
	if terms > maxTerms {
		sorted := slices.Sorted(slices.Values(idf))
		for t := range idf {
			if idf[t] < sorted[terms-maxTerms] {
				idf[t] = 0
			}
		}
	}
	return idf
}

// rank sets the matches' scores. Matches that are not good enough get a score of 0.
func rank(matches []*match, terms []term, idf []float64) {
	possible := 0.0
	stems := stemmer{}
	for _, v := range idf {
		possible += v
	}
	for _, m := range matches {
		covered := 0.0
		for t, v := range idf {
			if w := float64(m.weight[t]) / weightUnit; w > 0 {
				covered += v
				m.score += v * w / (w + saturation)
			}
		}
		if m.score /= possible; m.score < floor || covered < coverage*possible {
			rare := func(word []byte) bool {
				t, ok := slices.BinarySearch(terms, stems.term(word).term)
				return ok && idf[t] >= named*possible
			}
			if covered < named*possible || !hasWord(m.d.Name(), rare) {
				m.score = 0
			}
		}
		if m.d.ComesWithVade() {
			m.score *= bundledShare
		}
	}
}

func hasWord(text string, is func(word []byte) bool) (found bool) {
	words(text, func(word []byte) { found = found || is(word) })
	return found
}

// grouped returns the first matches, each with its near-duplicates.
func grouped(matches []*match, limit int, copies bool) *Found {
	found := &Found{Results: []Result{}}
	var leaders []*match
next:
	for _, m := range matches {
		for i, leader := range leaders {
			if !copies && m.d.Kind() == leader.d.Kind() && m.sketch.like(&leader.sketch) {
				found.Results[i].Alike = append(found.Results[i].Alike, m.d)
				continue next
			}
		}
		if len(leaders) == limit {
			found.More++
			continue
		}
		leaders = append(leaders, m)
		found.Results = append(found.Results, Result{Definition: m.d, Score: m.score})
	}
	return found
}

// matches returns the definitions that contain any of the query's terms, in no particular order.
func (x *Index) matches(ctx context.Context, q query) ([]*match, error) {
	if len(q.terms) == 0 {
		return nil, nil
	}
	shards, err := x.prepare(ctx)
	if err != nil {
		return nil, err
	}
	found := make([][]*match, len(shards))
	err = catalog.Parallel(len(shards), func(i int) error {
		vectors, err := x.read(ctx, i, shards[i])
		for k, v := range vectors {
			if m := v.match(q); m != nil {
				m.d = x.list[shards[i][k].at]
				found[i] = append(found[i], m)
			}
		}
		return err
	})
	return slices.Concat(found...), err
}

// text holds the parts of a definition that are searched.
type text struct {
	name, title, description string
	// body reads the text after the frontmatter.
	body func(context.Context) (string, error)
}

func textOf(d catalog.Definition) text {
	t := text{d.Name(), strings.Join(d.Keywords(), " "), d.Description() + "\n" + d.WhenToUse(), d.Body}
	if d.Title() != d.Name() {
		t.title += " " + d.Title()
	}
	if d.Layer() == definition.MCP {
		// Reading the body would send a request to the server.
		t.body = noBody
	}
	return t
}

func noBody(context.Context) (string, error) { return "", nil }
