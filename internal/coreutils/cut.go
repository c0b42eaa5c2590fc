package coreutils

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
)

func cutCommand() Command {
	return simple("cut", "print parts of each line", cutSyntax, prepareCut)
}

func cutSyntax() syntax {
	list := func(v string) string {
		_, wrong := cutRanges(v)
		return wrong
	}
	return syntax{flags: []flag{
		{names: "b bytes", value: withValue, check: list},
		{names: "c characters", value: withValue, check: list},
		{names: "f fields", value: withValue, check: list},
		{names: "d delimiter", value: withValue, check: func(v string) string {
			if len(v) > 1 || v == "\n" {
				return "the delimiter must be a single character"
			}
			return ""
		}},
		{names: "s only-delimited"},
		{names: "n"},
		{names: "z zero-terminated"},
		{names: "complement"},
		{names: "output-delimiter", value: withValue},
	}}
}

// span is a range of columns or fields, from 1, both ends included.
type span struct{ lo, hi int }

// cutRanges reads a list such as 1,3-5,7- and says what is wrong with it. The
// ranges are in order and do not overlap.
func cutRanges(list string) (out []span, wrong string) {
	for _, part := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		lo, hi, ranged := strings.Cut(part, "-")
		s := span{1, math.MaxInt}
		var err1, err2 error
		if lo != "" {
			s.lo, err1 = strconv.Atoi(lo)
		}
		if hi != "" {
			s.hi, err2 = strconv.Atoi(hi)
		}
		if !ranged {
			s.hi = s.lo
		}
		if lo == "" && hi == "" || err1 != nil || err2 != nil || s.lo < 1 || strings.ContainsAny(part, "+") {
			return nil, "invalid list " + strconv.Quote(list)
		}
		if s.hi < s.lo {
			return nil, "invalid decreasing range"
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return nil, "missing list of positions"
	}
	return mergeSpans(out), ""
}

func mergeSpans(in []span) []span {
	slices.SortStableFunc(in, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	out := in[:1]
	for _, s := range in[1:] {
		if last := &out[len(out)-1]; s.lo <= last.hi {
			last.hi = max(last.hi, s.hi)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// complement gives what the ranges leave out.
func complement(in []span) []span {
	var out []span
	next := 1
	for _, s := range in {
		if s.lo > next {
			out = append(out, span{next, s.lo - 1})
		}
		if s.hi == math.MaxInt {
			return out
		}
		next = s.hi + 1
	}
	return append(out, span{next, math.MaxInt})
}

// cutter is what cut does to each line.
type cutter struct {
	spans    []span
	delim    byte
	only     bool
	between  []byte // what joins the parts
	bySpan   bool   // bytes: between goes only between ranges
	sep      byte
	byFields bool
}

func prepareCut(p *parsed) (*Prepared, error) {
	lists := slices.Concat(p.all("b"), p.all("c"), p.all("f"))
	if len(lists) != 1 {
		return nil, usage(0, "one list of bytes, characters or fields is needed")
	}
	c := cutter{delim: '\t', only: p.has("s"), byFields: p.has("f"), sep: '\n'}
	c.spans, _ = cutRanges(lists[0].value)
	if p.has("complement") {
		c.spans = complement(c.spans)
	}
	if v, ok := p.value("d"); ok {
		c.delim = 0
		if v != "" {
			c.delim = v[0]
		}
	}
	if !c.byFields && (p.has("d") || c.only) {
		return nil, usage(0, "a delimiter goes with fields only")
	}
	if p.has("z") {
		c.sep = 0
	}
	c.between, c.bySpan = []byte{c.delim}, p.has("output-delimiter")
	if v, ok := p.value("output-delimiter"); ok {
		c.between = []byte(v)
	}
	return &Prepared{Paths: p.files(), Run: func(ctx context.Context, x *IO) int {
		out := x.output()
		status := x.eachInput(ctx, "cut", p.inputs(), func(_ string, in *input) error {
			return eachLine(in, c.sep, func(line []byte, _ bool) error { return c.line(out, line) })
		})
		return x.finish(ctx, out, status)
	}}, nil
}

func (c cutter) line(out *bufio.Writer, line []byte) error {
	if c.byFields {
		if !c.fields(out, line) {
			return nil
		}
		return out.WriteByte(c.sep)
	}
	first := true
	for _, s := range c.spans {
		if s.lo > len(line) {
			break
		}
		if !first && c.bySpan {
			out.Write(c.between)
		}
		out.Write(line[s.lo-1 : min(s.hi, len(line))])
		first = false
	}
	return out.WriteByte(c.sep)
}

// fields writes the chosen fields; false if the line is to be left out.
func (c cutter) fields(out *bufio.Writer, line []byte) bool {
	if bytes.IndexByte(line, c.delim) < 0 {
		if !c.only {
			out.Write(line)
		}
		return !c.only
	}
	first, rest, more := true, line, true
	spans := c.spans
	for n := 1; more && len(spans) > 0; n++ {
		var field []byte
		field, rest, more = bytes.Cut(rest, []byte{c.delim})
		if n > spans[0].hi {
			spans = spans[1:]
		}
		if len(spans) == 0 || n < spans[0].lo {
			continue
		}
		if !first {
			out.Write(c.between)
		}
		out.Write(field)
		first = false
	}
	return true
}
