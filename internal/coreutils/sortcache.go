package coreutils

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"
)

// sortValue is one key of one line: its text, rewritten if the key asks for
// that, and its number if that alone tells the order. Otherwise number is NaN.
type sortValue struct {
	text   []byte
	number float64
}

// sort orders lines in place. Once the context ends, the order is of no use.
func (s *sorter) sort(ctx context.Context, lines [][]byte) {
	if len(s.keys) == 0 && s.global == (sortOrder{}) {
		slices.SortFunc(lines, bytes.Compare)
		return
	}
	places := make([]int32, len(lines))
	for i := range places {
		places[i] = int32(i)
	}
	values, count := s.readValues(lines), 0
	slices.SortFunc(places, func(i, j int32) int {
		if count++; count&0xfff == 0 && ctx.Err() != nil {
			return 0
		}
		diff := 0
		if values != nil {
			diff = s.compareValues(values, int(i), int(j))
			if diff == 0 {
				diff = s.lastResort(lines[i], lines[j])
			}
		} else {
			diff = s.compare(lines[i], lines[j])
		}
		if diff != 0 {
			return diff
		}
		return cmp.Compare(i, j)
	})
	sorted := make([][]byte, len(lines))
	for to, from := range places {
		sorted[to] = lines[from]
	}
	copy(lines, sorted)
}

// keyCount is how many keys a line has: without any the line is one.
func (s *sorter) keyCount() int { return max(len(s.keys), 1) }

// order is how the key of a number is compared.
func (s *sorter) order(i int) sortOrder {
	if len(s.keys) == 0 {
		return s.global
	}
	return s.keys[i].order
}

// readValues reads all keys of all lines, those of one line side by side. Nil
// means that they take too much room: they are read at each comparison then.
func (s *sorter) readValues(lines [][]byte) []sortValue {
	const perValue = 32
	n := s.keyCount()
	held := len(lines) * n * perValue
	if held > maxHeld {
		return nil
	}
	values := make([]sortValue, 0, len(lines)*n)
	for _, line := range lines {
		for k := range n {
			v := s.value(k, line)
			if s.order(k).filters() {
				if held += len(v.text); held > maxHeld {
					return nil
				}
			}
			values = append(values, v)
		}
	}
	return values
}

func (s *sorter) value(k int, line []byte) sortValue {
	o := s.order(k)
	text := o.trim(line)
	if len(s.keys) > 0 {
		text = s.part(&s.keys[k], line)
	}
	if o.filters() {
		text = o.filter(text)
	}
	return sortValue{text, o.number(text)}
}

// number is what a key is worth where a float64 holds that exactly.
func (o sortOrder) number(text []byte) float64 {
	switch o.kind {
	case 'M':
		return float64(monthOf(text))
	case 'n':
		return readDecimal(text).float()
	case 'g':
		if f, ok := readFloat(text); ok && !math.IsNaN(f) {
			return f
		}
	}
	return math.NaN()
}

// float is the number of a decimal of few digits: up to 15 of them no two
// decimals share a float64.
func (d decimal) float() float64 {
	if len(d.whole)+len(d.fraction) > 15 {
		return math.NaN()
	}
	number, scale := 0.0, 1.0
	for _, c := range d.whole {
		number = number*10 + float64(c-'0')
	}
	for _, c := range d.fraction {
		number, scale = number*10+float64(c-'0'), scale*10
	}
	if d.negative {
		number = -number
	}
	return number / scale
}

// compareValues orders the lines of two numbers by their keys.
func (s *sorter) compareValues(values []sortValue, i, j int) int {
	n := s.keyCount()
	for k := range n {
		o := s.order(k)
		if diff := o.between(&values[i*n+k], &values[j*n+k]); diff != 0 {
			if o.revers {
				return -diff
			}
			return diff
		}
	}
	return 0
}

func (o *sortOrder) between(a, b *sortValue) int {
	switch {
	case a.number < b.number:
		return -1
	case a.number > b.number:
		return 1
	case a.number == b.number:
		return 0
	}
	return o.ranked(a.text, b.text)
}
