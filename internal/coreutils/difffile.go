package coreutils

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"
	"time"
)

// diffSide is one of two files to compare.
type diffSide struct {
	name   string
	label  string      // shown in place of the name
	info   fs.FileInfo // nil for standard input and for a file that is absent
	absent bool        // -N: counts as empty

	lines [][]byte
	open  bool // the last line has no end
}

func (s *diffSide) shown() string {
	if s.label != "" {
		return s.label
	}
	return s.name
}

// file compares two files; nested says that they were found in directories.
func (d *differ) file(a, b *diffSide, nested bool) int {
	for i, s := range []*diffSide{a, b} {
		if s.label = ""; i < len(d.o.labels) {
			s.label = d.o.labels[i]
		}
	}
	var inputs [2]*bufio.Reader
	for i, s := range []*diffSide{a, b} {
		in, err := d.open(s)
		if err != nil {
			d.complain(s.name, err, nested)
			return 2
		}
		defer in.Close()
		inputs[i] = bufio.NewReaderSize(in, 32<<10)
	}
	if d.o.brief && !d.o.ignores() {
		return d.bytesDiffer(a, b, inputs, "Files")
	}
	return d.text(a, b, inputs, nested)
}

func (d *differ) open(s *diffSide) (*input, error) {
	if s.absent {
		return &input{ctx: d.ctx, Reader: strings.NewReader("")}, nil
	}
	return d.x.open(d.ctx, s.name)
}

// complain reports a file that can not be read. What a recursion comes upon is
// passed over, but a comparison without it is no success.
func (d *differ) complain(name string, err error, nested bool) {
	why := reason(err)
	if nested && protected(err) {
		why += ", not read"
	}
	d.x.errorf("diff: %s: %s", name, why)
}

// bytesDiffer compares inputs byte by byte and says no more than that.
func (d *differ) bytesDiffer(a, b *diffSide, inputs [2]*bufio.Reader, what string) int {
	diff := firstDifference(inputs[0], inputs[1])
	if diff.err != nil {
		d.x.errorf("diff: %s: %s", []*diffSide{a, b}[diff.side].name, reason(diff.err))
		return 2
	}
	if !diff.differ {
		return d.same(a, b)
	}
	return d.differs(a, b, what)
}

func (d *differ) same(a, b *diffSide) int {
	if d.o.identical {
		d.out.WriteString("Files " + a.shown() + " and " + b.shown() + " are identical\n")
	}
	return 0
}

func (d *differ) differs(a, b *diffSide, what string) int {
	d.out.WriteString(what + " " + a.shown() + " and " + b.shown() + " differ\n")
	return 1
}

// text compares line by line, unless there is a binary among the two or they
// can not be held.
func (d *differ) text(a, b *diffSide, inputs [2]*bufio.Reader, nested bool) int {
	var texts [2][]byte
	binary := false
	for i, s := range []*diffSide{a, b} {
		head, err := inputs[i].Peek(4096)
		if err != nil && !errors.Is(err, io.EOF) {
			d.x.errorf("diff: %s: %s", s.name, reason(err))
			return 2
		}
		binary = binary || !d.o.text && bytes.IndexByte(head, 0) >= 0
	}
	if binary {
		what := "Binary files"
		if d.o.brief {
			what = "Files"
		}
		return d.bytesDiffer(a, b, inputs, what)
	}
	for i, s := range []*diffSide{a, b} {
		text, err := io.ReadAll(io.LimitReader(inputs[i], maxHeld/2+1))
		if err != nil {
			d.x.errorf("diff: %s: %s", s.name, reason(err))
			return 2
		}
		texts[i] = text
	}
	if held(texts[0])+held(texts[1]) > maxHeld {
		for i := range inputs {
			inputs[i] = bufio.NewReader(io.MultiReader(bytes.NewReader(texts[i]), inputs[i]))
		}
		return d.tooLarge(a, b, inputs)
	}
	a.split(texts[0])
	b.split(texts[1])
	return d.lines(a, b, nested)
}

// held is what a text takes in memory once it is cut into lines.
func held(text []byte) int {
	if len(text) > maxHeld/2 {
		return maxHeld + 1
	}
	return len(text) + 24*bytes.Count(text, []byte{'\n'})
}

// tooLarge says of files that can not be held no more than that they differ.
func (d *differ) tooLarge(a, b *diffSide, inputs [2]*bufio.Reader) int {
	if d.o.ignores() {
		return d.x.tooMuch("diff")
	}
	return d.bytesDiffer(a, b, inputs, "Large files")
}

func (s *diffSide) split(text []byte) {
	s.lines = bytes.Split(text, []byte{'\n'})
	if last := len(s.lines) - 1; len(s.lines[last]) == 0 {
		s.lines = s.lines[:last]
	} else {
		s.open = true
	}
}

// endsOpen reports whether a line is the last one and has no end.
func (s *diffSide) endsOpen(i int) bool { return s.open && i == len(s.lines)-1 }

// lines compares files that are cut into lines.
func (d *differ) lines(a, b *diffSide, nested bool) int {
	script := d.script(a, b)
	if !needed(script) {
		return d.same(a, b)
	}
	switch {
	case d.ctx.Err() != nil:
	case d.o.brief:
		return d.differs(a, b, "Files")
	default:
		w := &diffWriter{d: d, a: a, b: b, nested: nested}
		w.all(script)
	}
	return 1
}

// needed reports whether there is a change that is not ignored.
func needed(script []change) bool {
	for _, c := range script {
		if !c.ignored {
			return true
		}
	}
	return false
}

// script finds the changes between two files. What they share at their ends is
// left aside, but for as many lines as are shown around a change.
func (d *differ) script(a, b *diffSide) []change {
	least := min(len(a.lines), len(b.lines))
	same := func(i, j int) bool {
		return a.endsOpen(i) == b.endsOpen(j) && bytes.Equal(a.lines[i], b.lines[j])
	}
	front := 0
	for front < least && same(front, front) {
		front++
	}
	front = max(0, front-d.o.context)
	back := 0
	for back < least-front && same(len(a.lines)-1-back, len(b.lines)-1-back) {
		back++
	}
	back = max(0, back-d.o.context)
	n := &lineNumbers{o: d.o, known: map[string]int{}, open: map[string]int{}}
	script := edits(d.ctx, n.side(a, front, back), n.side(b, front, back))
	for i := range script {
		c := &script[i]
		c.from0, c.from1 = c.from0+front, c.from1+front
		c.ignored = d.o.blankLines && d.blank(a.lines[c.from0:c.from0+c.deleted]) && d.blank(b.lines[c.from1:c.from1+c.inserted])
	}
	return script
}

func (d *differ) blank(lines [][]byte) bool {
	for _, l := range lines {
		if !d.o.empty(l) {
			return false
		}
	}
	return true
}

// lineNumbers gives equal lines equal numbers. A line without an end equals
// only one of its kind, unless white space does not count.
type lineNumbers struct {
	o           *diffOptions
	known, open map[string]int
	buf         []byte
}

func (n *lineNumbers) side(s *diffSide, front, back int) []int {
	out := make([]int, 0, len(s.lines)-front-back)
	for i := front; i < len(s.lines)-back; i++ {
		known := n.known
		if s.endsOpen(i) && !n.o.blankRuns && !n.o.noBlanks {
			known = n.open
		}
		n.buf = n.o.key(n.buf, s.lines[i])
		number, ok := known[string(n.buf)]
		if !ok {
			number = len(n.known) + len(n.open)
			known[string(n.buf)] = number
		}
		out = append(out, number)
	}
	return out
}

// modified is the time in a header: that of a file that is absent is the epoch.
func (d *differ) modified(s *diffSide) time.Time {
	switch {
	case s.absent:
		return time.Unix(0, 0).In(d.x.location())
	case s.info == nil:
		return d.x.now()
	}
	return s.info.ModTime().In(d.x.location())
}
