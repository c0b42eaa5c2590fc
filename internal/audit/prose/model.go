package prose

import (
	_ "embed"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/audit/signal"
)

// The statistical model is a logistic regression over hashed features of one sentence or two
// consecutive sentences. The first group of features consists of words, pairs of words, word
// classes, and pairs of classes. The words exclude names, numbers, URLs, paths and code. The second
// group consists of character n-grams, which also work in languages without a lexicon. Each weight
// is one byte. bench/audit/train creates the model file.
//
//go:embed model.bin
var modelFile string

// Features are hashed into buckets. The first WordBuckets buckets are for words and classes, and
// the others are for n-grams. Smoothing is added to the number of features in each group so that
// fragments do not get high scores.
const (
	WordBuckets = 1 << 17
	Buckets     = WordBuckets + 1<<17
	Smoothing   = 60
)

// model is the parsed model file, which contains five numbers and then one weight for each bucket.
// The last three numbers are the scores above which a sentence is likely, very likely or certain to
// be an attack.
type model struct {
	bias, scale                 float64
	likely, veryLikely, certain float64
	weights                     string
}

// header is the size in bytes of the numbers before the weights.
const header = 5 * 4

// loadModel returns the model, or nil if none is embedded.
func loadModel() *model {
	if len(modelFile) != header+Buckets {
		return nil
	}
	number := func(i int) float64 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32([]byte(modelFile[4*i : 4*i+4]))))
	}
	return &model{number(0), number(1), number(2), number(3), number(4), modelFile[header:]}
}

// near is the maximum distance, in tokens, between two classes that form a pair.
const near = 8

// features adds a sentence's features to f, without duplicates.
func (x *sentence) features(text string, f *featureList) {
	lex := english()
	// The classes of words such as "the" carry no information.
	plain := setOf(det, be, to, and, it, can, you, comma, breaks, pause, none)
	var pairs []uint32 // the classes of the preceding tokens, with a zero after each token
	before := ""
	for i := range x.tokens {
		t := &x.tokens[i]
		from := len(pairs)
		for c := range t.classes.without(plain).without(lex.unscored).classes() {
			h := lex.hashes[c]
			if t.denied {
				h = mix(h)
			}
			f.word(h)
			for _, other := range pairs[:from] {
				if other != 0 && other != h {
					// The order of the two classes does not matter.
					f.word(mix(min(h, other) ^ max(h, other)*40503))
				}
			}
			pairs = append(pairs, h)
		}
		pairs = append(pairs, 0)
		if i >= near {
			pairs = pairs[1+slices.Index(pairs, 0):]
		}
		code := t.classes.any(setOf(codeMark, urlMark, linkMark, pathMark)) || strings.ContainsAny(t.word, "0123456789@/$")
		if t.word == "" || t.name || code {
			before = ""
			continue
		}
		for w := range strings.FieldsSeq(t.word) {
			f.word(hash(1, w))
			if before != "" {
				f.word(hash(hash(2, before), w))
			}
			before = w
		}
	}
	x.letters(text, f)
}

// letters adds the n-grams of the words in a sentence to f. It skips URLs and email addresses.
func (x *sentence) letters(text string, f *featureList) {
	at := x.start
	for i := range x.tokens {
		if t := &x.tokens[i]; t.classes.any(setOf(urlMark, linkMark, mailbox)) && !t.classes.has(codeMark) && t.start >= at {
			f.letters(text[at:t.start])
			at = t.end
		}
	}
	if end := min(x.end, len(text)); at < end {
		f.letters(text[at:end])
	}
}

// featureList is a set of the hash buckets of features, in the order in which they were added.
type featureList struct {
	list []uint32
	has  [Buckets / 64]uint64
	// runes holds the letters of the current word, with a space before and after them.
	runes []rune
}

func (f *featureList) word(hash uint32) { f.add(mix(hash) & (WordBuckets - 1)) }

func (f *featureList) add(k uint32) {
	if f.has[k/64]&(1<<(k%64)) == 0 {
		f.has[k/64] |= 1 << (k % 64)
		f.list = append(f.list, k)
	}
}

// letters adds the n-grams of three to five letters in each word. The spaces around the word count
// as letters. For ideographs, it also adds n-grams of two letters.
func (f *featureList) letters(text string) {
	f.runes = append(f.runes[:0], ' ')
	for _, c := range text {
		switch {
		case c >= 'a' && c <= 'z':
			f.runes = append(f.runes, c)
		case c >= 'A' && c <= 'Z':
			f.runes = append(f.runes, c|0x20)
		case c >= utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsMark(c)):
			f.runes = append(f.runes, unicode.ToLower(c))
		case len(f.runes) > 1:
			f.addNGrams()
		}
	}
	if len(f.runes) > 1 {
		f.addNGrams()
	}
}

// addNGrams adds the current word's n-grams and starts the next word.
func (f *featureList) addNGrams() {
	f.runes = append(f.runes, ' ')
	for i := range f.runes {
		h := uint32(2166136261)
		for n, c := range f.runes[i:min(i+5, len(f.runes))] {
			h = (h ^ uint32(c)) * 16777619
			if n >= 2 || n == 1 && ideographic(c) {
				f.add(WordBuckets + mix(h)&(Buckets-WordBuckets-1))
			}
		}
	}
	f.runes = append(f.runes[:0], ' ')
}

// flush returns the collected features and clears the set. The result is valid until the next
// feature is added.
func (f *featureList) flush() []uint32 {
	for _, k := range f.list {
		f.has[k/64] = 0
	}
	list := f.list
	f.list = f.list[:0]
	return list
}

func hash(h uint32, s string) uint32 {
	if h < 16 {
		h += 2166136261
	}
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return (h ^ 0xff) * 16777619
}

func mix(h uint32) uint32 {
	h ^= h >> 15
	h *= 2246822519
	return h ^ h>>13
}

// Sample is a sentence in the form in which the statistical model sees it.
type Sample struct {
	Text     string
	Features []uint32
	// Main reports whether the sentence is in the definition itself rather than in a companion
	// document.
	Main bool
}

// scored reports whether the model scores a region. It scores all text that is written for readers,
// except for short headings.
func scored(r *signal.Region) bool {
	code := r.Medium == signal.Code || r.Medium == signal.Fence && signal.IsCode(r.Lang)
	return r.Medium != signal.Value && !code && (r.Part != "heading" || len(r.Text) >= 40)
}

// Samples returns a package's sentences for training, in order. The sentences in each inner slice
// are consecutive.
func Samples(s *signal.Set) [][]Sample {
	var all [][]Sample
	var f featureList
	r := newReader()
	file := -1
	for i := range s.Regions {
		region := &s.Regions[i]
		if !scored(region) {
			file = -1
			continue
		}
		if file != region.File {
			all = append(all, nil)
			file = region.File
		}
		last := &all[len(all)-1]
		main := s.Package.Files[region.File].Role == signal.Main
		text, lines := readerText(region)
		for _, x := range r.sentences(text, languageFor(text, "en"), lines) {
			x.features(text, &f)
			*last = append(*last, Sample{text[x.start:x.end], slices.Clone(f.flush()), main})
		}
	}
	return all
}

// tally counts the features in each group and sums their weights.
type tally struct{ sum, n [2]int }

// count adds the features of a sentence to the tally.
func (t *tally) count(m *model, features []uint32) {
	for _, k := range features {
		part := k / WordBuckets
		t.n[part]++
		t.sum[part] += int(int8(m.weights[k]))
	}
}

// score returns the logit for one sentence or two consecutive sentences.
func (m *model) score(a, b tally) float64 {
	sum := m.bias
	for p := range a.n {
		sum += m.scale * float64(a.sum[p]+b.sum[p]) / math.Sqrt(float64(a.n[p]+b.n[p]+Smoothing))
	}
	return sum
}
