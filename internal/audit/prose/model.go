package prose

import (
	_ "embed"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

// The statistical model is a logistic regression over hashed features of a sentence and its
// successor: its words, pairs of words, and the classes of its words, alone and in pairs.
// Names, numbers, URLs, paths and code are no features. Parts of words were tried and did
// not help across sources. Weights are bytes; bench/audit/train makes the file.
//
//go:embed model.bin
var modelFile []byte

// Buckets is the number of features of the model, Smoothing is added to the number of those
// of a text, so that fragments do not score.
const (
	Buckets   = 1 << 17
	Smoothing = 60
)

// model is the file: four numbers, then a weight for each bucket.
type model struct {
	bias, scale        float64
	likely, veryLikely float64
	weights            []byte
}

// loadModel returns the model; nil if there is none.
func loadModel() *model {
	if len(modelFile) != 16+Buckets {
		return nil
	}
	number := func(i int) float64 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(modelFile[4*i:])))
	}
	return &model{number(0), number(1), number(2), number(3), modelFile[16:]}
}

const (
	// near is how many tokens apart the classes of a pair may be.
	near = 8
	// trained is how many classes the model knows; those after them are for topics only.
	trained = 176
)

// features adds the features of a sentence to a list, each once.
func (x *sentence) features(f *featureList) {
	lex := english()
	// Words such as "the" tell nothing in pairs.
	plain := of(det, be, to, and, it, can, you, comma, breaks, pause, none)
	var pairs []uint32 // The classes of the last tokens, with one zero after each token.
	before := ""
	for i := range x.tokens {
		t := &x.tokens[i]
		from := len(pairs)
		for c := range class(trained) {
			if !t.is.has(c) || plain.has(c) {
				continue
			}
			h := lex.hashes[c]
			if t.denied {
				h = mix(h)
			}
			f.add(h)
			for _, other := range pairs[:from] {
				if other != 0 && other != h {
					// The order of the two does not matter.
					f.add(mix(min(h, other) ^ max(h, other)*40503))
				}
			}
			pairs = append(pairs, h)
		}
		pairs = append(pairs, 0)
		if i >= near {
			pairs = pairs[1+slices.Index(pairs, 0):]
		}
		code := t.is.any(of(codeMark, urlMark, linkMark, pathMark)) || strings.ContainsAny(t.word, "0123456789@/$")
		if t.word == "" || t.name || code {
			before = ""
			continue
		}
		for w := range strings.FieldsSeq(t.word) {
			f.add(hash(1, w))
			if before != "" {
				f.add(hash(hash(2, before), w))
			}
			before = w
		}
	}
}

// featureList is a set of buckets.
type featureList struct {
	list []uint32
	has  [Buckets / 64]uint64
}

func (f *featureList) add(hash uint32) {
	k := mix(hash) & (Buckets - 1)
	if f.has[k/64]&(1<<(k%64)) == 0 {
		f.has[k/64] |= 1 << (k % 64)
		f.list = append(f.list, k)
	}
}

// take returns the features and empties the set.
func (f *featureList) take() []uint32 {
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

// Sample is a sentence, or two that follow one another, as the model sees it.
type Sample struct {
	Text     string
	Features []uint32
}

// scored reports whether the model reads a region: what documents say outside of code and
// headings.
func scored(s *signal.Set, r *signal.Region) bool {
	role := s.Package.Files[r.File].Role
	code := r.Medium == signal.Fence && signal.IsCode(r.Lang)
	return (role == signal.Main || role == signal.Document) && r.Part != "heading" && !code
}

// Samples returns the samples of a package in their order, for training.
func Samples(s *signal.Set) []Sample {
	var list []Sample
	var f featureList
	r := newReader()
	before, file := Sample{}, -1
	for i := range s.Regions {
		region := &s.Regions[i]
		if !scored(s, region) {
			continue
		}
		text, form := textOf(region)
		for _, x := range r.sentences(text, languageFor(text, "en"), form) {
			x.features(&f)
			sample := Sample{text[x.start:x.end], slices.Clone(f.take())}
			list = append(list, sample)
			if file == region.File {
				both := slices.Concat(before.Features, sample.Features)
				list = append(list, Sample{before.Text + " " + sample.Text, both})
			}
			before, file = sample, region.File
		}
	}
	return list
}

// sum adds up the weights of features.
func (m *model) sum(features []uint32) (sum int) {
	for _, k := range features {
		sum += int(int8(m.weights[k]))
	}
	return sum
}

// score is the logit of a text of n features whose weights have a sum.
func (m *model) score(sum, n int) float64 {
	return m.bias + m.scale*float64(sum)/math.Sqrt(float64(n+Smoothing))
}
