package coreutils

import "context"

const (
	// maxDiffCost is how many steps the search for one middle takes before it
	// is content with a good one instead of the best.
	maxDiffCost = 4096
	// maxDiffSteps bounds all searches of one comparison. What is left then
	// counts as changed altogether.
	maxDiffSteps = 200_000_000
)

// change is one difference: lines from0 on are deleted, lines from1 on
// inserted.
type change struct {
	from0, deleted  int
	from1, inserted int
	ignored         bool
}

// editor finds the lines that two sequences do not share. Lines are numbers,
// equal where the lines are.
type editor struct {
	ctx     context.Context
	steps   int
	ends    bool // the steps or the context came to an end
	a, b    []int
	marks   [2][]bool // which lines are changed
	at      [2][]int  // the places of a and b in marks
	forward []int
	back    []int
	zero    int // the index of diagonal 0 in forward and back
}

// edits compares two sequences line by line. Each change is as far down as it
// can go, unless it stands beside a change of the other side.
func edits(ctx context.Context, a, b []int) []change {
	e := &editor{ctx: ctx, marks: [2][]bool{make([]bool, len(a)), make([]bool, len(b))}}
	e.a, e.at[0] = e.common(0, a, b)
	e.b, e.at[1] = e.common(1, b, a)
	e.zero = len(e.b) + 1
	e.forward = make([]int, len(e.a)+len(e.b)+3)
	e.back = make([]int, len(e.a)+len(e.b)+3)
	e.compare(0, len(e.a), 0, len(e.b))
	slide(a, e.marks[0], e.marks[1])
	slide(b, e.marks[1], e.marks[0])
	return changesOf(e.marks)
}

// common keeps the lines that the other side has too and marks the others.
func (e *editor) common(side int, lines, others []int) (kept, at []int) {
	seen := make(map[int]struct{}, len(others))
	for _, l := range others {
		seen[l] = struct{}{}
	}
	for i, l := range lines {
		if _, ok := seen[l]; !ok {
			e.marks[side][i] = true
			continue
		}
		kept, at = append(kept, l), append(at, i)
	}
	return kept, at
}

// compare marks what differs between two stretches: it cuts off what they share
// at their ends, finds a point that a short edit goes through, and does the
// same on both sides of it.
func (e *editor) compare(a0, a1, b0, b1 int) {
	for {
		for a0 < a1 && b0 < b1 && e.a[a0] == e.b[b0] {
			a0, b0 = a0+1, b0+1
		}
		for a0 < a1 && b0 < b1 && e.a[a1-1] == e.b[b1-1] {
			a1, b1 = a1-1, b1-1
		}
		if a0 == a1 || b0 == b1 || e.ends {
			e.mark(a0, a1, b0, b1)
			return
		}
		x, y := e.middle(a0, a1, b0, b1)
		if e.ends {
			continue
		}
		// The shorter half is the one that recurses, for the sake of the stack.
		if x-a0+y-b0 < a1-x+b1-y {
			e.compare(a0, x, b0, y)
			a0, b0 = x, y
		} else {
			e.compare(x, a1, y, b1)
			a1, b1 = x, y
		}
	}
}

func (e *editor) mark(a0, a1, b0, b1 int) {
	for ; a0 < a1; a0++ {
		e.marks[0][e.at[0][a0]] = true
	}
	for ; b0 < b1; b0++ {
		e.marks[1][e.at[1][b0]] = true
	}
}

// box is a stretch of both sides with the diagonals x-y that searches from its
// two corners have reached.
type box struct {
	a0, a1, b0, b1     int
	low, high          int // of the search from the start
	lowBack, highBack  int // of the search from the end
	leastDiag, topDiag int
}

// middle is Myers's search for the middle of a shortest edit ("An O(ND)
// Difference Algorithm and Its Variations", 1986, section 4b), from both
// corners at once until the two meet.
func (e *editor) middle(a0, a1, b0, b1 int) (x, y int) {
	start, end := a0-b0, a1-b1
	s := box{a0, a1, b0, b1, start, start, end, end, a0 - b1, a1 - b0}
	odd := (start-end)&1 != 0
	e.forward[e.zero+start], e.back[e.zero+end] = a0, a1
	for cost := 1; ; cost++ {
		if x, y, met := e.fromStart(&s, odd); met {
			return x, y
		}
		if x, y, met := e.fromEnd(&s, odd); met {
			return x, y
		}
		if e.steps > maxDiffSteps || cost&0x3f == 0 && e.ctx.Err() != nil {
			e.ends = true
			return a0, b0
		}
		if cost >= maxDiffCost {
			return e.furthest(&s)
		}
	}
}

// fromStart goes one edit further from the start on every diagonal.
func (e *editor) fromStart(s *box, odd bool) (x, y int, met bool) {
	v, z := e.forward, e.zero
	widen(&s.low, &s.high, s.leastDiag, s.topDiag, func(d int) { v[z+d] = s.a0 - 1 })
	for d := s.high; d >= s.low; d -= 2 {
		x := v[z+d+1]
		if below := v[z+d-1]; below >= x {
			x = below + 1
		}
		from := x
		for x < s.a1 && x-d < s.b1 && e.a[x] == e.b[x-d] {
			x++
		}
		v[z+d] = x
		e.steps += x - from + 1
		if odd && s.lowBack <= d && d <= s.highBack && e.back[z+d] <= x {
			return x, x - d, true
		}
	}
	return 0, 0, false
}

// fromEnd goes one edit further from the end on every diagonal.
func (e *editor) fromEnd(s *box, odd bool) (x, y int, met bool) {
	v, z := e.back, e.zero
	widen(&s.lowBack, &s.highBack, s.leastDiag, s.topDiag, func(d int) { v[z+d] = s.a1 + 1 })
	for d := s.highBack; d >= s.lowBack; d -= 2 {
		x := v[z+d-1]
		if above := v[z+d+1]; above <= x {
			x = above - 1
		}
		from := x
		for x > s.a0 && x-d > s.b0 && e.a[x-1] == e.b[x-1-d] {
			x--
		}
		v[z+d] = x
		e.steps += from - x + 1
		if !odd && s.low <= d && d <= s.high && x <= e.forward[z+d] {
			return x, x - d, true
		}
	}
	return 0, 0, false
}

// widen lets a search onto one more diagonal at each end, or off one that has
// left the stretch. What lies beyond the ends gets a value that never wins.
func widen(low, high *int, least, top int, bar func(d int)) {
	if *low > least {
		*low--
		bar(*low - 1)
	} else {
		*low++
	}
	if *high < top {
		*high++
		bar(*high + 1)
	} else {
		*high--
	}
}

// furthest is the point that one of the searches has got furthest to.
func (e *editor) furthest(s *box) (x, y int) {
	best := -1
	for d := s.low; d <= s.high; d += 2 {
		fx := min(e.forward[e.zero+d], s.a1, s.b1+d)
		if done := fx - s.a0 + fx - d - s.b0; done > best {
			best, x, y = done, fx, fx-d
		}
	}
	for d := s.lowBack; d <= s.highBack; d += 2 {
		bx := max(e.back[e.zero+d], s.a0, s.b0+d)
		if done := s.a1 - bx + s.b1 - (bx - d); done > best {
			best, x, y = done, bx, bx-d
		}
	}
	return x, y
}

// slide moves runs of changed lines of one side where that changes nothing:
// up to join a run before them, then as far down as they go, then back to the
// last place where they stand beside a run of the other side.
func slide(lines []int, marks, others []bool) {
	r := run{lines: lines, marks: marks, others: others}
	for r.next() {
		for {
			length := r.end - r.start
			for r.up() {
			}
			beside := -1
			if r.beside() {
				beside = r.end
			}
			for r.down() {
				if r.beside() {
					beside = r.end
				}
			}
			if r.end-r.start != length {
				continue
			}
			for beside >= 0 && r.end > beside && r.up() {
			}
			break
		}
	}
}

// run is a run of changed lines. The lines of the other side that stand beside
// it are those up to other, which come after as many unchanged lines.
type run struct {
	lines         []int
	marks, others []bool
	start, end    int
	other         int
}

// next goes to the next run.
func (r *run) next() bool {
	for r.start = r.end; r.start < len(r.marks) && !r.marks[r.start]; r.start++ {
		r.skip()
		r.other++
	}
	r.skip()
	for r.end = r.start; r.end < len(r.marks) && r.marks[r.end]; r.end++ {
	}
	return r.start < len(r.marks)
}

func (r *run) skip() {
	for r.other < len(r.others) && r.others[r.other] {
		r.other++
	}
}

// beside reports whether a run of the other side ends where this one does.
func (r *run) beside() bool { return r.other > 0 && r.others[r.other-1] }

// up moves the run one line up, if what it changes stays the same.
func (r *run) up() bool {
	if r.start == 0 || r.lines[r.start-1] != r.lines[r.end-1] {
		return false
	}
	r.start, r.end = r.start-1, r.end-1
	r.marks[r.start], r.marks[r.end] = true, false
	for r.start > 0 && r.marks[r.start-1] {
		r.start--
	}
	for r.other > 0 && r.others[r.other-1] {
		r.other--
	}
	r.other--
	return true
}

// down moves the run one line down, if what it changes stays the same.
func (r *run) down() bool {
	if r.end == len(r.lines) || r.lines[r.start] != r.lines[r.end] {
		return false
	}
	r.marks[r.start], r.marks[r.end] = false, true
	r.start, r.end = r.start+1, r.end+1
	for r.end < len(r.marks) && r.marks[r.end] {
		r.end++
	}
	r.other++
	r.skip()
	return true
}

// changesOf reads changes off the marks.
func changesOf(marks [2][]bool) []change {
	var out []change
	i, j := 0, 0
	for i < len(marks[0]) || j < len(marks[1]) {
		c := change{from0: i, from1: j}
		for i < len(marks[0]) && marks[0][i] {
			i++
		}
		for j < len(marks[1]) && marks[1][j] {
			j++
		}
		if c.deleted, c.inserted = i-c.from0, j-c.from1; c.deleted+c.inserted > 0 {
			out = append(out, c)
		}
		if i < len(marks[0]) && j < len(marks[1]) {
			i, j = i+1, j+1
		} else if !(i < len(marks[0]) && marks[0][i]) && !(j < len(marks[1]) && marks[1][j]) {
			break
		}
	}
	return out
}
