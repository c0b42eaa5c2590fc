package coreutils

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
)

// lineReader cuts an input at a separator. A line longer than maxLine comes in
// pieces.
type lineReader struct {
	r   *bufio.Reader
	sep byte
	buf []byte
	// err is what ended the input early.
	err error
}

func newLineReader(r io.Reader, sep byte) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), sep: sep}
}

// next returns a line without its separator, valid until the next call; ended
// says that the separator was there.
func (l *lineReader) next() (line []byte, ended, ok bool) {
	l.buf = l.buf[:0]
	for {
		part, err := l.r.ReadSlice(l.sep)
		if err == nil {
			part = part[:len(part)-1]
			if len(l.buf) == 0 {
				return part, true, true
			}
			l.buf = append(l.buf, part...)
			return l.buf, true, true
		}
		l.buf = append(l.buf, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			if len(l.buf) >= maxLine {
				return l.buf, false, true
			}
			continue
		}
		if !errors.Is(err, io.EOF) {
			l.err = err
		}
		return l.buf, false, len(l.buf) > 0
	}
}

// eachInput opens the inputs of a tool one after the other and reports in the
// tool's name what can not be read. The status is 1 then, and else 0.
func (x *IO) eachInput(ctx context.Context, tool string, names []string, use func(name string, in *input) error) int {
	status := 0
	for _, name := range names {
		if ctx.Err() != nil {
			return exitStopped
		}
		if err := x.withInput(ctx, name, use); err != nil {
			x.errorf("%s: %s: %s", tool, name, reason(err))
			status = 1
		}
	}
	return status
}

func (x *IO) withInput(ctx context.Context, name string, use func(name string, in *input) error) error {
	in, err := x.open(ctx, name)
	if err != nil {
		return err
	}
	defer in.Close()
	return use(name, in)
}

// filter prepares a command that reads its inputs line by line.
func filter(tool string, p *parsed, line func(out *bufio.Writer, line []byte, ended bool) error) *Prepared {
	return &Prepared{Paths: p.files(), Run: func(ctx context.Context, x *IO) int {
		out := x.output()
		status := x.eachInput(ctx, tool, p.inputs(), func(_ string, in *input) error {
			return eachLine(in, '\n', func(text []byte, ended bool) error { return line(out, text, ended) })
		})
		return x.finish(ctx, out, status)
	}}
}

// eachLine calls use for the lines of an input until it answers an error. A
// reader that has gone away is no error of the input.
func eachLine(in io.Reader, sep byte, use func(line []byte, ended bool) error) error {
	lines := newLineReader(in, sep)
	for {
		line, ended, ok := lines.next()
		if !ok {
			return lines.err
		}
		if use(line, ended) != nil {
			return nil
		}
	}
}

// writeLine writes a line and its end, where it has one.
func writeLine(out *bufio.Writer, line []byte, sep byte, ended bool) error {
	_, err := out.Write(line)
	if ended {
		err = out.WriteByte(sep)
	}
	return err
}

// checkInteger is the check of a flag whose value is a decimal number of at
// least low and at most a billion.
func checkInteger(low int) func(string) string {
	return func(value string) string {
		n, err := strconv.Atoi(value)
		if err != nil || n < low || n > 1e9 || value[0] == '+' {
			return "invalid number " + strconv.Quote(value)
		}
		return ""
	}
}

// number returns the value of a flag with checkInteger, or the default.
func (p *parsed) number(id string, otherwise int) int {
	v, ok := p.value(id)
	if !ok {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		return otherwise
	}
	return n
}

// checkOneOf is the check of a flag that knows few values.
func checkOneOf(values ...string) func(string) string {
	return func(value string) string {
		for _, v := range values {
			if v == value {
				return ""
			}
		}
		return "unsupported value " + strconv.Quote(value)
	}
}

// tooMuch reports an input that a tool would have to hold and can not.
func (x *IO) tooMuch(tool string) int {
	x.errorf("%s: input too large", tool)
	return 2
}

// errTooMuch ends a loop over an input that can not be held.
var errTooMuch = errors.New("input too large")

// simple declares a command of flags whose preparation gets them parsed.
func simple(name, summary string, s func() syntax, prepare func(p *parsed) (*Prepared, error)) Command {
	return Command{Name: name, Summary: summary, syntax: s, prepare: func(args []string) (*Prepared, error) {
		p, err := s().parse(args)
		if err != nil {
			return nil, err
		}
		return prepare(p)
	}}
}

// noSyntax is that of a command without flags.
func noSyntax() syntax { return syntax{} }

// writes prepares a command that reads nothing.
func writes(run func(ctx context.Context, x *IO, out *bufio.Writer) int) *Prepared {
	return &Prepared{Run: func(ctx context.Context, x *IO) int {
		out := x.output()
		return x.finish(ctx, out, run(ctx, x, out))
	}}
}
