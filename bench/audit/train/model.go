package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/prose"
)

// model is a logistic regression.
type model struct {
	weights []float32
	bias    float32
}

func (m *model) score(f []uint32) float32 {
	var sum float32
	for _, k := range f {
		sum += m.weights[k]
	}
	return m.bias + sum*norm(f)
}

func norm(f []uint32) float32 { return float32(1 / math.Sqrt(float64(len(f)+prose.Smoothing))) }

// model trains without a source (-1 for none) and without a technique ("" for none).
func (t *trainer) model(source int, technique string) *model {
	var drawn, real []int
	for _, k := range t.drawn {
		if technique == "" || t.sources[t.windows[k].source] != "attacks.txt "+technique {
			drawn = append(drawn, k)
		}
	}
	for s := range t.sources {
		if s != source {
			real = append(real, t.malicious[s]...)
		}
	}
	weights := map[int]float32{}
	for _, k := range drawn {
		weights[k] = positive
	}
	mask := t.mask(append(slices.Clip(real), drawn...))
	m := t.train(weights, mask)
	for range 2 {
		t.worst(m, real, weights)
		m = t.train(weights, mask)
	}
	return m
}

// mask says which features may have a weight.
func (t *trainer) mask(malicious []int) []bool {
	const nobody, several = -1, -2
	source := make([]int, prose.Buckets)
	for k := range source {
		source[k] = nobody
	}
	for _, k := range malicious {
		w := &t.windows[k]
		for _, f := range w.features {
			if source[f] == nobody {
				source[f] = w.source
			} else if source[f] != w.source {
				source[f] = several
			}
		}
	}
	count := make([]int, prose.Buckets)
	for _, k := range t.benign {
		for _, f := range t.windows[k].features {
			count[f]++
		}
	}
	mask := make([]bool, prose.Buckets)
	for f := range mask {
		mask[f] = source[f] == several || source[f] == nobody && count[f] >= 5
	}
	return mask
}

// worst gives weights to the sentences of malicious packages that a model finds worst.
func (t *trainer) worst(m *model, real []int, weights map[int]float32) {
	by := map[int][]int{}
	units := map[int]map[int]bool{}
	for _, k := range real {
		w := &t.windows[k]
		by[w.unit] = append(by[w.unit], k)
		if units[w.source] == nil {
			units[w.source] = map[int]bool{}
		}
		units[w.source][w.unit] = true
		delete(weights, k)
	}
	for _, list := range by {
		slices.SortFunc(list, func(a, b int) int {
			x, y := m.score(t.windows[a].features), m.score(t.windows[b].features)
			if x > y || x == y && a < b {
				return -1
			}
			return 1
		})
		share := min(1, packages/float64(len(units[t.windows[list[0]].source])))
		for _, k := range list[:min(len(list), best)] {
			if m.score(t.windows[k].features) > least {
				weights[k] = positive * float32(share)
			}
		}
	}
}

// train trains by AdaGrad.
func (t *trainer) train(weights map[int]float32, mask []bool) *model {
	m := &model{weights: make([]float32, prose.Buckets)}
	squares := make([]float32, prose.Buckets)
	for k := range squares {
		squares[k] = 1e-3
	}
	order := slices.Clone(t.benign)
	for k := range weights {
		order = append(order, k)
	}
	slices.Sort(order)
	random := rand.New(rand.NewPCG(1, 2))
	var biases float32
	for range epochs {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, k := range order {
			f := t.windows[k].features
			if len(f) == 0 {
				continue
			}
			weight, malicious := weights[k]
			var y float32
			if malicious {
				y = 1
			} else {
				weight = 1
			}
			g := (float32(1/(1+math.Exp(-float64(m.score(f))))) - y) * weight
			if g > -1e-3 && g < 1e-3 {
				continue
			}
			n := norm(f)
			for _, k := range f {
				if mask[k] {
					step := g*n + decay*m.weights[k]
					squares[k] += step * step
					m.weights[k] -= rate * step / (float32(math.Sqrt(float64(squares[k]))) + 1e-3)
				}
			}
			biases += g * g
			m.bias -= 0.1 * g / (float32(math.Sqrt(float64(biases))) + 1e-3)
		}
	}
	return m
}

// maxima are the highest scores of packages.
func (t *trainer) maxima(m *model, windows []int) map[int]float32 {
	top := map[int]float32{}
	for _, k := range windows {
		w := &t.windows[k]
		s := m.score(w.features)
		if old, ok := top[w.unit]; !ok || s > old {
			top[w.unit] = s
		}
	}
	return top
}

// thresholds are the scores that the shares of benign packages which were not learned from
// reach.
func (t *trainer) thresholds(m *model) (low, high float32) {
	var list []float32
	for _, s := range t.maxima(m, t.test) {
		list = append(list, s)
	}
	slices.Sort(list)
	at := func(share float64) float32 { return list[len(list)-1-int(share*float64(len(list)))] }
	return at(likely), at(certain)
}

// report prints how many packages of a source, or of all, have a sentence above the
// thresholds.
func (t *trainer) report(name string, m *model, source int) {
	low, high := t.thresholds(m)
	for s := range t.sources {
		if len(t.malicious[s]) == 0 || source >= 0 && s != source {
			continue
		}
		all, found, sure := map[int]bool{}, 0, 0
		for i := range t.units {
			if t.units[i].malicious && t.units[i].source == t.sources[s] {
				all[i] = true
			}
		}
		for _, top := range t.maxima(m, t.malicious[s]) {
			found += btoi(top > low)
			sure += btoi(top > high)
		}
		fmt.Printf("%-40s %-28s %3d packages, %3d likely (%.2f), %3d very likely (%.2f)\n", name, t.sources[s], len(all), found, low, sure, high)
	}
}

// techniques prints how many sentences of each technique a model finds that has not seen
// it.
func (t *trainer) techniques() {
	for s, name := range t.sources {
		technique, ok := strings.CutPrefix(name, "attacks.txt ")
		if !ok || technique == "benign" {
			continue
		}
		m := t.model(-1, technique)
		low, high := t.thresholds(m)
		n, found, sure := 0, 0, 0
		for _, k := range t.drawn {
			if t.windows[k].source == s {
				x := m.score(t.windows[k].features)
				n++
				found += btoi(x > low)
				sure += btoi(x > high)
			}
		}
		fmt.Printf("without technique %-12s %5.1f%% likely, %5.1f%% very likely\n", technique, 100*float64(found)/float64(n), 100*float64(sure)/float64(n))
	}
}

// file is the model with weights of one byte each; prose/model.go reads it.
func (m *model) file(low, high float32) []byte {
	var most float32
	for _, w := range m.weights {
		most = max(most, w, -w)
	}
	data := make([]byte, 0, 16+prose.Buckets)
	for _, x := range []float32{m.bias, most / 127, low, high} {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	for _, w := range m.weights {
		data = append(data, byte(int8(math.Round(float64(w/most*127)))))
	}
	return data
}
