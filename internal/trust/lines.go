package trust

import "slices"

// What a comparison may cost. Beyond it everything between the first and the
// last difference is shown as replaced, which is true as well.
const (
	maxEdits = 1000
	maxSteps = 20_000_000
)

// diffLines returns the edits from a to b, neighbours being of different kinds.
func diffLines(a, b []string) []edit {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	x, y := numbered(a[head:len(a)-tail], b[head:len(b)-tail])
	edits := join(nil, ' ', head)
	if middle, ok := shortest(x, y); ok {
		for _, e := range middle {
			edits = join(edits, e.op, e.n)
		}
	} else {
		edits = join(join(edits, '-', len(x)), '+', len(y))
	}
	return join(edits, ' ', tail)
}

// join adds an edit, to the last one where it is of the same kind.
func join(edits []edit, op byte, n int) []edit {
	switch last := len(edits) - 1; {
	case n == 0:
	case last >= 0 && edits[last].op == op:
		edits[last].n += n
	default:
		edits = append(edits, edit{op, n})
	}
	return edits
}

// numbered gives the same number to the same lines, so that comparing two of
// them takes one step.
func numbered(a, b []string) (x, y []int32) {
	seen := map[string]int32{}
	number := func(lines []string) []int32 {
		out := make([]int32, len(lines))
		for i, s := range lines {
			n, ok := seen[s]
			if !ok {
				n = int32(len(seen))
				seen[s] = n
			}
			out[i] = n
		}
		return out
	}
	return number(a), number(b)
}

// shortest returns the least edits from x to y by Myers's greedy algorithm
// ("An O(ND) Difference Algorithm and Its Variations", 1986), and false where
// they cost more than a comparison may.
func shortest(x, y []int32) ([]edit, bool) {
	if len(x) == 0 || len(y) == 0 {
		return join(join(nil, '-', len(x)), '+', len(y)), true
	}
	limit := min(len(x)+len(y), maxEdits, maxSteps/(len(x)+len(y)))
	r := reach{make([]int32, 2*limit+3), limit + 1}
	var rounds []reach
	for d := 0; d <= limit; d++ {
		for k := -d; k <= d; k += 2 {
			i := r.start(k, d)
			for i < len(x) && i-k < len(y) && x[i] == y[i-k] {
				i++
			}
			r.far[k+r.zero] = int32(i)
			if i >= len(x) && i-k >= len(y) {
				return trace(rounds, len(x), len(y)), true
			}
		}
		rounds = append(rounds, reach{slices.Clone(r.far[r.zero-d : r.zero+d+1]), d})
	}
	return nil, false
}

// reach is how far into x one comes on each diagonal: far[k+zero] on the
// diagonal k, which is where i-j = k.
type reach struct {
	far  []int32
	zero int
}

// down reports whether the edit with the number d comes to the diagonal k from
// above it, by a line of y.
func (r reach) down(k, d int) bool {
	return k == -d || k != d && r.far[k-1+r.zero] < r.far[k+1+r.zero]
}

func (r reach) start(k, d int) int {
	switch {
	case d == 0:
		return 0
	case r.down(k, d):
		return int(r.far[k+1+r.zero])
	}
	return int(r.far[k-1+r.zero]) + 1
}

// trace goes back from the end through the rounds and returns the way.
func trace(rounds []reach, i, j int) []edit {
	var back []edit
	for d := len(rounds); d > 0; d-- {
		k, before := i-j, rounds[d-1]
		from, op := before.start(k, d), byte('-')
		if before.down(k, d) {
			op = '+'
		}
		back = join(join(back, ' ', i-from), op, 1)
		if i, j = from, from-k; op == '+' {
			j--
		} else {
			i--
		}
	}
	back = join(back, ' ', i)
	slices.Reverse(back)
	return back
}
