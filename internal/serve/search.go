package serve

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/vadehq/vade/internal/catalog"
)

// finder finds definitions by words with BM25 over what is known of each without
// reading its body. It is made once for a state.
type finder struct {
	listed   []catalog.Definition
	postings map[string][]posting
	// lengths are the numbers of words of the definitions, average their mean.
	lengths []uint16
	average float64
}

// posting says how much of a word one definition has: the number of the definition,
// and in the lowest byte the weight. There may be millions of them.
type posting uint32

func (p posting) at() uint32      { return uint32(p) >> 8 }
func (p posting) weight() float64 { return float64(p & 0xff) }

// maxFound is how many definitions a finder knows at most.
const maxFound = 1 << 24

// The weights of the words of a name, of a title or keyword, and of a description.
const (
	nameWeight  = 4
	titleWeight = 2
	textWeight  = 1
)

// maxIndexed is how many words of one definition are looked at, and maxWord how long
// a word is.
const (
	maxIndexed = 512
	maxWord    = 40
)

func newFinder(listed []catalog.Definition) *finder {
	f := &finder{listed: listed, postings: map[string][]posting{}, lengths: make([]uint16, len(listed))}
	total := 0
	for i, d := range listed[:min(len(listed), maxFound)] {
		count := 0
		add := func(text string, weight posting) {
			for word := range words(text) {
				if count == maxIndexed {
					return
				}
				count++
				list := f.postings[word]
				if last := len(list) - 1; last >= 0 && list[last].at() == uint32(i) {
					list[last] = list[last]&^0xff | min(list[last]&0xff+weight, 0xff)
				} else {
					f.postings[word] = append(list, posting(i)<<8|weight)
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
		f.lengths[i] = uint16(count)
		total += count
	}
	if len(listed) > 0 {
		f.average = max(float64(total)/float64(len(listed)), 1)
	}
	return f
}

// words are the words of a text in lower case: runs of letters and digits, divided
// where a lower case letter stands before an upper case one. Plurals count as the
// singular.
func words(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		var word []rune
		before := rune(0)
		flush := func() bool {
			if len(word) == 0 {
				return true
			}
			w := string(word[:min(len(word), maxWord)])
			word = word[:0]
			if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
				w = w[:len(w)-1]
			}
			return yield(w)
		}
		for _, r := range text {
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				if !flush() {
					return
				}
			} else {
				if unicode.IsUpper(r) && unicode.IsLower(before) && !flush() {
					return
				}
				word = append(word, unicode.ToLower(r))
			}
			before = r
		}
		flush()
	}
}

// The parameters of BM25 that are usual for short texts.
const (
	saturation = 1.2
	lengthPart = 0.5
)

// hit is one definition that was found.
type hit struct {
	catalog.Definition
	score float64
}

// find returns the definitions that have words of a query and that keep wants, the
// best first and at most limit, and how many there are.
func (f *finder) find(query string, limit int, keep func(catalog.Definition) bool) (hits []hit, total int) {
	scores := map[uint32]float64{}
	asked := map[string]bool{}
	for word := range words(query) {
		if asked[word] || len(asked) == 64 {
			continue
		}
		asked[word] = true
		list := f.postings[word]
		rare := math.Log(1 + (float64(len(f.listed))-float64(len(list))+0.5)/(float64(len(list))+0.5))
		for _, p := range list {
			weight := p.weight()
			long := 1 - lengthPart + lengthPart*float64(f.lengths[p.at()])/f.average
			scores[p.at()] += rare * weight * (saturation + 1) / (weight + saturation*long)
		}
	}
	for at, score := range scores {
		if d := f.listed[at]; keep(d) {
			hits = append(hits, hit{d, score})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return strings.Compare(a.Kind().String()+a.Name(), b.Kind().String()+b.Name())
	})
	return hits[:min(limit, len(hits))], len(hits)
}
