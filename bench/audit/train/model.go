package main

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/prose"
)

// The fractions of harmless packages that may have a sentence above the respective threshold.
const (
	likely     = 0.03
	veryLikely = 0.01
	certain    = 0.001
)

// margin is added to the "certain" threshold, because only one or two packages determine it.
const margin = 0.75

// settled is the error below which a window is no longer used for training.
const settled = 2e-3

// model is a logistic regression model.
type model struct {
	weights []float32
	bias    float32
}

// score returns the logit of a window. For each feature group, it multiplies the sum of the weights
// by the group's factor from norms.
func (m *model) score(w *window) float32 {
	n := norms(w)
	sum := m.bias
	for _, list := range w.parts {
		for _, k := range list {
			sum += m.weights[k] * n[k/prose.WordBuckets]
		}
	}
	return sum
}

// norms returns the factor for each feature group that compensates for the number of features in
// the window.
func norms(w *window) (n [2]float32) {
	var count [2]int
	for _, list := range w.parts {
		for _, k := range list {
			count[k/prose.WordBuckets]++
		}
	}
	for p := range n {
		n[p] = float32(1 / math.Sqrt(float64(count[p]+prose.Smoothing)))
	}
	return n
}

// weight returns a unit's weight in training.
func (u *unit) weight() float32 {
	switch {
	case u.written && strings.HasPrefix(u.source, "attacks.txt"):
		return attackWeight * drawnWeight
	case u.malicious:
		return attackWeight
	case u.written && strings.HasPrefix(u.source, "benign.txt"):
		return drawnWeight
	case u.written:
		return twinWeight
	}
	return 1
}

// train fits a model with AdaGrad.
func (t *trainer) train() *model {
	m := &model{weights: make([]float32, prose.Buckets), bias: -3}
	squares := make([]float32, prose.Buckets)
	for k := range squares {
		squares[k] = 1e-3
	}
	var order []int
	for k := range t.windows {
		if t.units[t.windows[k].unit].use == learn {
			order = append(order, k)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	var biases float32
	for range epochs {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		left := order[:0]
		for _, k := range order {
			w := &t.windows[k]
			u := &t.units[w.unit]
			g := (float32(1/(1+math.Exp(-float64(m.score(w))))) - float32(btoi(u.malicious))) * u.weight()
			if g > -settled && g < settled {
				continue
			}
			left = append(left, k)
			n := norms(w)
			for _, list := range w.parts {
				for _, k := range list {
					step := g*n[k/prose.WordBuckets] + decay*m.weights[k]
					squares[k] += step * step
					m.weights[k] -= rate * step / (float32(math.Sqrt(float64(squares[k]))) + 1e-3)
				}
			}
			biases += g * g
			m.bias -= 0.1 * g / (float32(math.Sqrt(float64(biases))) + 1e-3)
		}
		order = left
	}
	return m
}

// maxima returns, for each unit that is not used for training, the highest score of any window in
// its definition. The score of any other unit is -Inf.
func (t *trainer) maxima(m *model) []float32 {
	scores := make([]float32, len(t.units))
	for i := range scores {
		scores[i] = float32(math.Inf(-1))
	}
	for k := range t.windows {
		if w := &t.windows[k]; w.main && t.units[w.unit].use != learn {
			scores[w.unit] = max(scores[w.unit], m.score(w))
		}
	}
	return scores
}

// thresholds returns the scores above which text is considered likely, very likely and certain to
// be malicious. They are chosen so that given fractions of the calibration packages exceed them.
func (t *trainer) thresholds(scores []float32) (list [3]float32) {
	var sorted []float32
	for i := range t.units {
		if t.units[i].use == calibrate && !math.IsInf(float64(scores[i]), -1) {
			sorted = append(sorted, scores[i])
		}
	}
	slices.Sort(sorted)
	at := func(share float64) float32 { return sorted[len(sorted)-1-int(share*float64(len(sorted)))] }
	fmt.Printf("%d packages set the thresholds; 0.1%%: %.2f, 0.3%%: %.2f, 1%%: %.2f, 3%%: %.2f, 10%%: %.2f\n",
		len(sorted), at(0.001), at(0.003), at(0.01), at(0.03), at(0.1))
	return [3]float32{at(likely), at(veryLikely), at(certain) + margin}
}

// report prints, for the packages that are not used for training, how many have a sentence above
// each threshold.
func (t *trainer) report(scores []float32, thresholds [3]float32) {
	type count struct {
		n    int
		over [3]int
	}
	sources := map[string]count{}
	for i := range t.units {
		if u := &t.units[i]; u.use != learn {
			c := sources[u.source]
			c.n++
			for k, x := range thresholds {
				c.over[k] += btoi(scores[i] > x)
			}
			sources[u.source] = c
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		c := sources[name]
		fmt.Printf("%-32s %4d packages, %4d likely, %4d very likely, %4d certain\n", name, c.n, c.over[0], c.over[1], c.over[2])
	}
}

// file encodes the model with one byte per weight, in the format that prose/model.go reads.
func (m *model) file(thresholds [3]float32) []byte {
	var most float32
	for _, w := range m.weights {
		most = max(most, w, -w)
	}
	var data []byte
	for _, x := range []float32{m.bias, most / 127, thresholds[0], thresholds[1], thresholds[2]} {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	for _, w := range m.weights {
		data = append(data, byte(int8(math.Round(float64(w/most*127)))))
	}
	return data
}
