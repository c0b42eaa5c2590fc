package coreutils

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
)

func catSyntax() syntax {
	return syntax{flags: []flag{
		{names: "A show-all"},
		{names: "b number-nonblank"},
		{names: "e"},
		{names: "E show-ends"},
		{names: "n number"},
		{names: "s squeeze-blank"},
		{names: "t"},
		{names: "T show-tabs"},
		{names: "u"},
		{names: "v show-nonprinting"},
	}}
}

func prepareCat(args []string) (*Prepared, error) {
	p, err := catSyntax().parse(args)
	if err != nil {
		return nil, err
	}
	c := &catter{
		ends:     p.last("A", "e", "E") != "",
		tabs:     p.last("A", "t", "T") != "",
		visible:  p.last("A", "e", "t", "v") != "",
		squeeze:  p.has("s"),
		nonblank: p.has("b"),
		number:   p.last("n", "b") != "",
	}
	files := p.inputs()
	return &Prepared{Paths: p.files(), Run: func(ctx context.Context, x *IO) int {
		run := *c
		run.out, run.fresh = x.output(), true
		return run.run(ctx, x, files)
	}}, nil
}

// catter is cat in the middle of its work: lines go on from file to file.
type catter struct {
	ends, tabs, visible, squeeze, nonblank, number bool

	out   *bufio.Writer
	line  int64
	blank int  // empty lines in a row
	fresh bool // at the beginning of a line
	cr    bool // a carriage return waits
}

func (c *catter) run(ctx context.Context, x *IO, files []string) int {
	status := 0
	for _, name := range files {
		in, err := x.open(ctx, name)
		if err == nil {
			err = c.copy(in)
			in.Close()
		}
		if ctx.Err() != nil || c.out.Flush() != nil {
			break
		}
		if err != nil {
			x.errorf("cat: %s: %s", quoteIfNeeded(name), reason(err))
			status = 1
		}
	}
	return x.finish(ctx, c.out, status)
}

func (c *catter) copy(in io.Reader) error {
	plain := !c.ends && !c.tabs && !c.visible && !c.squeeze && !c.number
	buf := make([]byte, 32<<10)
	for {
		n, err := in.Read(buf)
		if plain {
			c.out.Write(buf[:n])
		} else {
			for rest := buf[:n]; len(rest) > 0; {
				run := c.plain(rest)
				c.out.Write(rest[:run])
				if rest = rest[run:]; len(rest) > 0 {
					c.put(rest[0])
					rest = rest[1:]
				}
			}
		}
		if _, werr := c.out.Write(nil); werr != nil {
			return werr
		}
		if err != nil {
			c.held()
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// plain is how many bytes in front go through as they are: those in the middle
// of a line of which nothing else is asked.
func (c *catter) plain(text []byte) int {
	if c.fresh || c.cr || c.visible {
		return 0
	}
	for i, b := range text {
		if b == '\n' || b == '\t' || b == '\r' {
			return i
		}
	}
	return len(text)
}

// held writes a carriage return that waited for the byte behind it.
func (c *catter) held() {
	if c.cr {
		c.out.WriteByte('\r')
		c.cr = false
	}
}

func (c *catter) put(b byte) {
	if b == '\n' {
		c.newline()
		return
	}
	c.held()
	if c.fresh && c.number {
		c.count()
	}
	c.fresh, c.blank = false, 0
	switch {
	case b == '\t' && c.tabs:
		c.out.WriteString("^I")
	case b == '\r' && c.ends && !c.visible:
		c.cr = true
	case c.visible && b != '\t':
		c.out.WriteString(visible(b))
	default:
		c.out.WriteByte(b)
	}
}

func (c *catter) newline() {
	if c.fresh {
		c.blank++
		if c.squeeze && c.blank > 1 {
			return
		}
		if c.number && !c.nonblank {
			c.count()
		}
	}
	if c.cr {
		c.out.WriteString("^M")
		c.cr = false
	}
	if c.ends {
		c.out.WriteByte('$')
	}
	c.out.WriteByte('\n')
	c.fresh = true
}

func (c *catter) count() {
	c.line++
	digits := strconv.FormatInt(c.line, 10)
	for range max(0, 6-len(digits)) {
		c.out.WriteByte(' ')
	}
	c.out.WriteString(digits)
	c.out.WriteByte('\t')
}

// visible writes a byte in ^ and M- notation.
func visible(b byte) string {
	switch {
	case b >= 128:
		if low := b - 128; low == '\t' || low == '\n' {
			return "M-^" + string(rune(low+64))
		}
		return "M-" + visible(b-128)
	case b < 32:
		return "^" + string(rune(b+64))
	case b == 127:
		return "^?"
	}
	return string(rune(b))
}
