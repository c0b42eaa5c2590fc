package coreutils

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
)

func trCommand() Command {
	return simple("tr", "translate, squeeze or delete characters", trSyntax, prepareTr)
}

func trSyntax() syntax {
	return syntax{inOrder: true, flags: []flag{
		{names: "c C complement"}, {names: "d delete"}, {names: "s squeeze-repeats"}, {names: "t truncate-set1"},
	}}
}

// translator is what tr does to each byte.
type translator struct {
	to       [256]byte
	drop     [256]bool
	squeezed [256]bool
}

func prepareTr(p *parsed) (*Prepared, error) {
	remove, squeeze := p.has("d"), p.has("s")
	least, most := 2, 2
	switch {
	case remove && !squeeze:
		least, most = 1, 1
	case squeeze && !remove:
		least = 1
	}
	if n := len(p.operands); n < least || n > most {
		return nil, usage(0, "%d sets of characters are needed", least)
	}
	first, err := trSet(p.operands[0], 0, p.has("c"))
	if err != nil {
		return nil, err
	}
	t := &translator{}
	for i := range t.to {
		t.to[i] = byte(i)
	}
	last := first
	if len(p.operands) == 2 {
		if last, err = trSet(p.operands[1], len(first.chars), false); err != nil {
			return nil, err
		}
		if !remove {
			if err := t.translate(first, last, p.has("t"), p.operands[1].Word); err != nil {
				return nil, err
			}
		}
	}
	if remove {
		mark(&t.drop, first.chars)
	}
	if squeeze {
		mark(&t.squeezed, last.chars)
	}
	return &Prepared{Run: func(ctx context.Context, x *IO) int { return t.run(ctx, x) }}, nil
}

func mark(set *[256]bool, chars []byte) {
	for _, c := range chars {
		set[c] = true
	}
}

// translate maps one set to the other.
func (t *translator) translate(from, to charSet, truncate bool, word int) error {
	switch {
	case to.classes:
		return usage(word, "only [:upper:] and [:lower:] can be translated to")
	case len(to.chars) == 0 && !truncate:
		return usage(word, "the second set is empty")
	}
	for _, at := range to.cases {
		if !slices.Contains(from.cases, at) {
			return usage(word, "misaligned [:upper:] or [:lower:]")
		}
	}
	if n := len(to.cases); n > 0 && !truncate && len(to.chars) < len(from.chars) && to.cases[n-1]+26 == len(to.chars) {
		return usage(word, "the second set must not end in a class when it is shorter")
	}
	for i, c := range from.chars {
		switch {
		case i < len(to.chars):
			t.to[c] = to.chars[i]
		case !truncate:
			t.to[c] = to.chars[len(to.chars)-1]
		}
	}
	return nil
}

func (t *translator) run(ctx context.Context, x *IO) int {
	in, _ := x.open(ctx, "-")
	out := x.output()
	buf := make([]byte, 32<<10)
	last := -1
	for {
		n, err := in.Read(buf)
		for _, c := range buf[:n] {
			if t.drop[c] {
				continue
			}
			c = t.to[c]
			if t.squeezed[c] && last == int(c) {
				continue
			}
			last = int(c)
			out.WriteByte(c)
		}
		if err == nil && n > 0 {
			_, err = out.Write(nil)
		}
		if err != nil {
			return x.finish(ctx, out, trStatus(ctx, x, out, err))
		}
	}
}

func trStatus(ctx context.Context, x *IO, out *bufio.Writer, err error) int {
	if _, broken := out.Write(nil); broken != nil || errors.Is(err, io.EOF) || ctx.Err() != nil {
		return 0
	}
	x.errorf("tr: read error: %s", reason(err))
	return 1
}

// charSet is a set in the order in which it was written.
type charSet struct {
	chars   []byte
	cases   []int // where [:upper:] and [:lower:] begin
	classes bool  // has another class
}

// trSet reads a set. fill is how long [c*] may make it, 0 if it may not stand.
func trSet(p Path, fill int, inverted bool) (charSet, error) {
	r := setReader{text: p.Name}
	for r.pos < len(r.text) {
		if wrong := r.element(); wrong != "" {
			return charSet{}, usage(p.Word, "%s", wrong)
		}
	}
	s := r.set
	switch {
	case r.repeat && fill == 0:
		return charSet{}, usage(p.Word, "[c*] may stand in the second set only")
	case r.filled && len(s.chars) < fill:
		s.chars = slices.Insert(s.chars, r.fillAt, repeatByte(r.fill, fill-len(s.chars))...)
	}
	if inverted {
		var in [256]bool
		mark(&in, s.chars)
		s = charSet{}
		for c := range 256 {
			if !in[c] {
				s.chars = append(s.chars, byte(c))
			}
		}
	}
	return s, nil
}

func repeatByte(c byte, n int) []byte {
	return bytes.Repeat([]byte{c}, n)
}

// setReader takes the text of a set apart.
type setReader struct {
	text           string
	pos            int
	set            charSet
	repeat, filled bool
	fill           byte
	fillAt         int
}

func (r *setReader) element() (wrong string) {
	rest := r.text[r.pos:]
	if strings.HasPrefix(rest, "[:") {
		if end := strings.Index(rest[2:], ":]"); end >= 0 {
			r.pos += end + 4
			return r.class(rest[2 : 2+end])
		}
	}
	if strings.HasPrefix(rest, "[=") && len(rest) > 4 && rest[3:5] == "=]" {
		r.pos += 5
		r.set.chars = append(r.set.chars, rest[2])
		return ""
	}
	if rest[0] == '[' && r.repetition() {
		return ""
	}
	lo := r.char()
	if rest := r.text[r.pos:]; len(rest) > 1 && rest[0] == '-' {
		r.pos++
		hi := r.char()
		if lo > hi {
			return "a range runs backwards"
		}
		for c := int(lo); c <= int(hi); c++ {
			r.set.chars = append(r.set.chars, byte(c))
		}
		return ""
	}
	r.set.chars = append(r.set.chars, lo)
	return ""
}

// char takes one character, with its escapes.
func (r *setReader) char() byte {
	c := r.text[r.pos]
	r.pos++
	if c != '\\' || r.pos == len(r.text) {
		return c
	}
	c = r.text[r.pos]
	r.pos++
	if e := controlEscape(c); e != 0 {
		return e
	}
	if c < '0' || c > '7' {
		return c
	}
	n := int(c - '0')
	for i := 0; i < 2 && r.pos < len(r.text); i++ {
		d := r.text[r.pos]
		if d < '0' || d > '7' || n*8+int(d-'0') > 255 {
			break
		}
		n = n*8 + int(d-'0')
		r.pos++
	}
	return byte(n)
}

// repetition takes [c*n] or [c*] and answers false where neither stands.
func (r *setReader) repetition() bool {
	start := r.pos
	r.pos++
	if r.pos == len(r.text) {
		r.pos = start
		return false
	}
	c := r.char()
	count, rest, ok := strings.Cut(r.text[r.pos:], "]")
	if !ok || !strings.HasPrefix(count, "*") || !isDigits(count[1:]) && count != "*" || len(count) > 5 {
		r.pos = start
		return false
	}
	r.pos = len(r.text) - len(rest)
	r.repeat = true
	base := 10
	if strings.HasPrefix(count, "*0") {
		base = 8
	}
	n := 0
	for _, d := range []byte(count[1:]) {
		n = n*base + int(d-'0')
	}
	if n == 0 {
		r.filled, r.fill, r.fillAt = true, c, len(r.set.chars)
	}
	r.set.chars = append(r.set.chars, repeatByte(c, n)...)
	return true
}

func (r *setReader) class(name string) (wrong string) {
	in := byteClass(name)
	if in == nil {
		return "unknown class [:" + name + ":]"
	}
	if name == "upper" || name == "lower" {
		r.set.cases = append(r.set.cases, len(r.set.chars))
	} else {
		r.set.classes = true
	}
	for c := range 256 {
		if in(byte(c)) {
			r.set.chars = append(r.set.chars, byte(c))
		}
	}
	return ""
}

// byteClass gives the members of a class among single bytes.
func byteClass(name string) func(c byte) bool {
	upper := func(c byte) bool { return 'A' <= c && c <= 'Z' }
	lower := func(c byte) bool { return 'a' <= c && c <= 'z' }
	graph := func(c byte) bool { return '!' <= c && c <= '~' }
	switch name {
	case "alpha":
		return func(c byte) bool { return upper(c) || lower(c) }
	case "alnum":
		return func(c byte) bool { return upper(c) || lower(c) || isDigit(c) }
	case "digit":
		return isDigit
	case "upper":
		return upper
	case "lower":
		return lower
	case "space":
		return func(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
	case "blank":
		return func(c byte) bool { return c == ' ' || c == '\t' }
	case "punct":
		return func(c byte) bool { return graph(c) && !upper(c) && !lower(c) && !isDigit(c) }
	case "cntrl":
		return func(c byte) bool { return c < ' ' || c == 0x7f }
	case "print":
		return func(c byte) bool { return c == ' ' || graph(c) }
	case "graph":
		return graph
	case "xdigit":
		return func(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }
	}
	return nil
}
