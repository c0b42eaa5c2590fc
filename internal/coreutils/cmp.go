package coreutils

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

func cmpSyntax() syntax {
	return syntax{flags: []flag{{names: "s quiet silent"}}}
}

func prepareCmp(args []string) (*Prepared, error) {
	p, err := cmpSyntax().parse(args)
	if err != nil {
		return nil, err
	}
	switch len(p.operands) {
	case 0:
		return nil, usage(0, "a file is needed")
	case 1:
		p.operands = append(p.operands, Path{0, "-"})
	case 2:
	default:
		return nil, usage(p.operands[2].Word, "extra operand %q", p.operands[2].Name)
	}
	return &Prepared{Paths: p.files(), Run: func(ctx context.Context, x *IO) int {
		out := x.output()
		return x.finish(ctx, out, runCmp(ctx, x, out, p))
	}}, nil
}

func runCmp(ctx context.Context, x *IO, out *bufio.Writer, p *parsed) int {
	quiet := p.has("s")
	a, b := p.operands[0].Name, p.operands[1].Name
	if a == "-" && b == "-" {
		return 0
	}
	var sides [2]*bufio.Reader
	for i, name := range []string{a, b} {
		in, err := x.open(ctx, name)
		if err != nil {
			if !quiet {
				x.errorf("cmp: %s: %s", name, reason(err))
			}
			return 2
		}
		defer in.Close()
		sides[i] = bufio.NewReaderSize(in, 64<<10)
	}
	d := firstDifference(sides[0], sides[1])
	if d.err != nil {
		x.errorf("cmp: %s: %s", names(p.operands)[d.side], reason(d.err))
		return 2
	}
	switch {
	case !d.differ:
		return 0
	case quiet:
	case d.ended:
		x.errorf("cmp: EOF on %s %s", names(p.operands)[d.side], d.end())
	default:
		fmt.Fprintf(out, "%s %s differ: byte %d, line %d\n", a, b, d.bytes+1, d.lines+1)
	}
	return 1
}

// difference is where two inputs part: the bytes and line ends that they
// share, and which side ended or failed.
type difference struct {
	bytes, lines  int64
	differ, ended bool
	partial       bool // the shared bytes end within a line
	side          int
	err           error
}

// end words where an input ended.
func (d difference) end() string {
	switch {
	case d.bytes == 0:
		return "which is empty"
	case d.partial:
		return fmt.Sprintf("after byte %d, in line %d", d.bytes, d.lines+1)
	}
	return fmt.Sprintf("after byte %d, line %d", d.bytes, d.lines)
}

func firstDifference(a, b *bufio.Reader) (d difference) {
	for {
		left, errLeft := peekSome(a)
		right, errRight := peekSome(b)
		switch {
		case errLeft != nil && !errors.Is(errLeft, io.EOF):
			d.err = errLeft
			return d
		case errRight != nil && !errors.Is(errRight, io.EOF):
			d.side, d.err = 1, errRight
			return d
		case len(left) == 0 || len(right) == 0:
			d.ended = len(left) != len(right)
			d.differ = d.ended
			d.side = boolInt(len(right) == 0)
			return d
		}
		n := min(len(left), len(right))
		if !bytes.Equal(left[:n], right[:n]) {
			for n = 0; left[n] == right[n]; n++ {
			}
			d.differ = true
		}
		d.bytes += int64(n)
		d.lines += int64(bytes.Count(left[:n], []byte{'\n'}))
		if d.differ {
			return d
		}
		d.partial = left[n-1] != '\n'
		a.Discard(n)
		b.Discard(n)
	}
}

// peekSome returns what is buffered, or what one read brings.
func peekSome(r *bufio.Reader) ([]byte, error) {
	if r.Buffered() == 0 {
		if _, err := r.Peek(1); err != nil {
			return nil, err
		}
	}
	return r.Peek(r.Buffered())
}
