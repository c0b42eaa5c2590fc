package coreutils

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
)

// errHeld ends a command that would have to keep more than maxHeld.
var errHeld = errors.New("too much to hold in memory (16 MiB)")

func headSyntax() syntax {
	return syntax{digits: "n", flags: []flag{
		{names: "n lines", value: withValue, check: checkCount},
		{names: "c bytes", value: withValue, check: checkCount},
		{names: "q quiet silent"},
		{names: "v verbose"},
		{names: "z zero-terminated"},
	}}
}

// portion is which part of each input head or tail writes.
type portion struct {
	name  string // of the command
	count int64
	lines bool
	// far: head leaves count out at the end; tail starts at the count.
	far   bool
	delim byte
	// headers: -1 never, 1 always, 0 with more than one input.
	headers int
	copy    func(portion, *bufio.Writer, io.Reader) error
}

func portionOf(name string, p *parsed, far byte) portion {
	c := portion{name: name, count: 10, lines: true, delim: '\n'}
	if id := p.last("n", "c"); id != "" {
		value, _ := p.value(id)
		c.lines = id == "n"
		c.far = value != "" && value[0] == far
		c.count, _ = parseCount(strings.TrimLeft(value, "+-"))
	}
	if p.has("z") {
		c.delim = 0
	}
	switch p.last("q", "v") {
	case "q":
		c.headers = -1
	case "v":
		c.headers = 1
	}
	return c
}

func prepareHead(args []string) (*Prepared, error) {
	p, err := headSyntax().parse(args)
	if err != nil {
		return nil, err
	}
	c := portionOf("head", p, '-')
	c.copy = headCopy
	return c.prepared(p), nil
}

func (c portion) prepared(p *parsed) *Prepared {
	files := p.inputs()
	return &Prepared{Paths: p.files(), Run: func(ctx context.Context, x *IO) int {
		return c.run(ctx, x, files)
	}}
}

func (c portion) run(ctx context.Context, x *IO, files []string) int {
	out, status, first := x.output(), 0, true
	for _, name := range files {
		if err := c.one(ctx, x, out, name, len(files) > 1, &first); err != nil {
			if ctx.Err() != nil || out.Flush() != nil {
				break
			}
			c.report(x, name, err)
			status = max(status, 1)
			if errors.Is(err, errHeld) {
				status = 2
			}
		}
	}
	return x.finish(ctx, out, status)
}

func (c portion) report(x *IO, name string, err error) {
	switch {
	case errors.Is(err, errHeld):
		x.errorf("%s: %s: %s", c.name, quoteIfNeeded(name), reason(err))
	case reason(err) == "Is a directory":
		x.errorf("%s: error reading %s: %s", c.name, quoteAlways(name), reason(err))
	default:
		x.errorf("%s: cannot open %s for reading: %s", c.name, quoteAlways(name), reason(err))
	}
}

func (c portion) one(ctx context.Context, x *IO, out *bufio.Writer, name string, many bool, first *bool) error {
	in, err := x.open(ctx, name)
	isDir := err != nil && reason(err) == "Is a directory"
	if err != nil && !isDir {
		return err
	}
	if c.headers > 0 || c.headers == 0 && many {
		if !*first {
			out.WriteByte('\n')
		}
		title := name
		if name == "-" {
			title = "standard input"
		}
		out.WriteString("==> " + title + " <==\n")
		*first = false
	}
	if isDir {
		return err
	}
	defer in.Close()
	return c.copy(c, out, in)
}

func headCopy(c portion, out *bufio.Writer, in io.Reader) error {
	switch {
	case c.far && c.lines:
		return headBefore(out, in, c.count, c.delim)
	case c.far:
		return headBeforeBytes(out, in, c.count)
	case !c.lines:
		_, err := io.Copy(out, io.LimitReader(in, c.count))
		return err
	}
	return headLines(out, in, c.count, c.delim)
}

func headLines(out *bufio.Writer, in io.Reader, count int64, delim byte) error {
	buf := make([]byte, 8<<10)
	for count > 0 {
		n, err := in.Read(buf)
		rest := buf[:n]
		for count > 0 && len(rest) > 0 {
			end := bytes.IndexByte(rest, delim)
			if end < 0 {
				end = len(rest) - 1
			} else {
				count--
			}
			if _, err := out.Write(rest[:end+1]); err != nil {
				return err
			}
			rest = rest[end+1:]
		}
		if err != nil {
			return notEOF(err)
		}
	}
	return nil
}

// headBefore writes all lines but the last count.
func headBefore(out *bufio.Writer, in io.Reader, count int64, delim byte) error {
	held := &window{delim: delim, lines: count, spill: out}
	return held.fill(in)
}

func headBeforeBytes(out *bufio.Writer, in io.Reader, count int64) error {
	held := &window{bytes: count, spill: out}
	return held.fill(in)
}

func notEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
