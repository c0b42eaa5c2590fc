package coreutils

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
)

func foldCommand() Command {
	return simple("fold", "wrap lines to a width in bytes", foldSyntax, prepareFold)
}

func foldSyntax() syntax {
	return syntax{digits: "w", flags: []flag{
		{names: "b bytes"},
		{names: "s spaces"},
		{names: "w width", value: withValue, check: func(v string) string {
			if wrong := checkInteger(1)(v); wrong != "" || len(v) > 6 {
				return "invalid number of columns"
			}
			return ""
		}},
	}}
}

// folder holds the line that is being filled.
type folder struct {
	out           *bufio.Writer
	width, column int
	bytes, spaces bool
	line          []byte
}

func prepareFold(p *parsed) (*Prepared, error) {
	return &Prepared{Paths: p.files(), Run: func(ctx context.Context, x *IO) int {
		out := x.output()
		f := &folder{out: out, width: p.number("w", 80), bytes: p.has("b"), spaces: p.has("s")}
		status := x.eachInput(ctx, "fold", p.inputs(), func(_ string, in *input) error { return f.file(in) })
		return x.finish(ctx, out, status)
	}}, nil
}

func (f *folder) file(in io.Reader) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		c, err := r.ReadByte()
		if err != nil {
			f.flush(false)
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
		if f.add(c) != nil {
			return nil
		}
	}
}

// flush writes the line at hand and begins a new one.
func (f *folder) flush(newline bool) error {
	err := writeLine(f.out, f.line, '\n', newline)
	f.line, f.column = f.line[:0], 0
	return err
}

func (f *folder) add(c byte) error {
	if c == '\n' {
		return f.flush(true)
	}
	for f.advance(f.column, c) > f.width {
		if cut := bytes.LastIndexAny(f.line, " \t") + 1; f.spaces && cut > 0 {
			f.breakAt(cut)
			continue
		}
		if len(f.line) == 0 {
			break
		}
		if err := f.flush(true); err != nil {
			return err
		}
	}
	f.column = f.advance(f.column, c)
	f.line = append(f.line, c)
	if len(f.line) >= maxLine {
		_, err := f.out.Write(f.line)
		f.line = f.line[:0]
		return err
	}
	return nil
}

// breakAt ends the line after a blank and carries the rest over.
func (f *folder) breakAt(cut int) {
	writeLine(f.out, f.line[:cut], '\n', true)
	f.line = append(f.line[:0], f.line[cut:]...)
	f.column = 0
	for _, c := range f.line {
		f.column = f.advance(f.column, c)
	}
}

// advance answers the column after a byte.
func (f *folder) advance(column int, c byte) int {
	switch {
	case f.bytes:
		return column + 1
	case c == '\b':
		return max(0, column-1)
	case c == '\r':
		return 0
	case c == '\t':
		return column + 8 - column%8
	}
	return column + 1
}
