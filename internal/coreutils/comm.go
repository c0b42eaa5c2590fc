package coreutils

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"strings"
)

func commCommand() Command {
	return simple("comm", "compare two sorted files line by line", commSyntax, prepareComm)
}

func commSyntax() syntax {
	return syntax{flags: []flag{
		{names: "1"}, {names: "2"}, {names: "3"},
		{names: "check-order"},
		{names: "nocheck-order"},
		{names: "output-delimiter", value: withValue},
		{names: "total"},
		{names: "z zero-terminated"},
	}}
}

// commSide is one of the two inputs: its line at hand and the one before.
type commSide struct {
	lines      *lineReader
	line, last []byte
	ok, warned bool
}

// commRun is a comparison at work.
type commRun struct {
	x             *IO
	out           *bufio.Writer
	sides         [2]commSide
	prefix        [3]string
	hidden        [3]bool
	totals        [3]int
	check         string // "", "check-order" or "nocheck-order"
	unpaired, end bool
	sep           byte
}

func prepareComm(p *parsed) (*Prepared, error) {
	if len(p.operands) != 2 {
		return nil, usage(0, "two files are needed")
	}
	if p.operands[0].Name == "-" && p.operands[1].Name == "-" {
		return nil, usage(p.operands[1].Word, "both files are the standard input")
	}
	return &Prepared{Paths: p.files(), Run: func(ctx context.Context, x *IO) int {
		out := x.output()
		return x.finish(ctx, out, runComm(ctx, x, out, p))
	}}, nil
}

func runComm(ctx context.Context, x *IO, out *bufio.Writer, p *parsed) int {
	c := &commRun{x: x, out: out, check: p.last("check-order", "nocheck-order"), sep: '\n',
		hidden: [3]bool{p.has("1"), p.has("2"), p.has("3")}}
	if p.has("z") {
		c.sep = 0
	}
	delim := "\t"
	if v, ok := p.value("output-delimiter"); ok {
		if delim = v; v == "" {
			delim = "\x00"
		}
	}
	before := 0
	for i, id := range []string{"1", "2", "3"} {
		c.prefix[i] = strings.Repeat(delim, before)
		if !p.has(id) {
			before++
		}
	}
	for i, o := range p.operands {
		in, err := x.open(ctx, o.Name)
		if err != nil {
			x.errorf("comm: %s: %s", o.Name, reason(err))
			return 1
		}
		defer in.Close()
		c.sides[i].lines = newLineReader(in, c.sep)
	}
	c.compare()
	if p.has("total") {
		fmt.Fprintf(out, "%d%s%d%s%d%stotal%c", c.totals[0], delim, c.totals[1], delim, c.totals[2], delim, c.sep)
	}
	return c.status(p)
}

func (c *commRun) status(p *parsed) int {
	for i := range c.sides {
		if err := c.sides[i].lines.err; err != nil {
			c.x.errorf("comm: %s: %s", p.operands[i].Name, reason(err))
			return 1
		}
	}
	if c.sides[0].warned || c.sides[1].warned {
		if !c.end {
			c.x.errorf("comm: input is not in sorted order")
		}
		return 1
	}
	return 0
}

func (c *commRun) compare() {
	c.read(0)
	c.read(1)
	for !c.end && (c.sides[0].ok || c.sides[1].ok) {
		order := -1
		switch {
		case !c.sides[0].ok:
			order = 1
		case c.sides[1].ok:
			order = bytes.Compare(c.sides[0].line, c.sides[1].line)
		}
		column, side := 2, 0
		if order != 0 {
			c.unpaired = true
			column = max(order, 0)
			side = column
		}
		if c.write(column, c.sides[side].line) != nil {
			return
		}
		if order <= 0 {
			c.read(0)
		}
		if order >= 0 && !c.end {
			c.read(1)
		}
	}
}

func (c *commRun) write(column int, line []byte) error {
	c.totals[column]++
	if c.hidden[column] {
		return nil
	}
	c.out.WriteString(c.prefix[column])
	return writeLine(c.out, line, c.sep, true)
}

// read takes the next line of a side and looks at its order.
func (c *commRun) read(i int) {
	s := &c.sides[i]
	s.line, s.last = s.last, s.line
	first := !s.ok
	line, _, ok := s.lines.next()
	s.line, s.ok = append(s.line[:0], line...), ok
	if first || !ok || s.warned || c.check == "nocheck-order" || c.check == "" && !c.unpaired {
		return
	}
	if bytes.Compare(s.last, s.line) > 0 {
		s.warned = true
		c.x.errorf("comm: file %d is not in sorted order", i+1)
		c.end = c.check == "check-order"
	}
}
