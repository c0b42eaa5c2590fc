package coreutils

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

func columnCommand() Command {
	return simple("column", "arrange text in a table", columnSyntax, prepareColumn)
}

func columnSyntax() syntax {
	return syntax{flags: []flag{
		{names: "t table"},
		{names: "s separator", value: withValue},
		{names: "o output-separator", value: withValue},
	}}
}

// maxColumns bounds the cells of one line of a table.
const maxColumns = 100_000

// table is a column -t at work. It keeps lines, and cuts them into cells once
// for the widths and once more to write them.
type table struct {
	separators string
	merge      bool // separators in a row count as one
	between    string
	lines      [][]byte
	widths     []int
	held       int
}

func prepareColumn(p *parsed) (*Prepared, error) {
	if !p.has("t") {
		return nil, usage(0, "only tables are written: column -t")
	}
	for _, o := range p.operands {
		if o.Name == "-" {
			return nil, usage(o.Word, "column takes - for the name of a file")
		}
	}
	return &Prepared{Paths: p.files(), Run: func(ctx context.Context, x *IO) int {
		t := &table{separators: " \t", merge: true, between: "  "}
		if v, ok := p.value("s"); ok {
			t.separators, t.merge = v, false
		}
		if v, ok := p.value("o"); ok {
			t.between = v
		}
		out := x.output()
		return x.finish(ctx, out, t.run(ctx, x, out, p.inputs()))
	}}, nil
}

func (t *table) run(ctx context.Context, x *IO, out *bufio.Writer, names []string) int {
	failed := 0
	for _, name := range names {
		err := x.withInput(ctx, name, func(_ string, in *input) error { return t.read(in) })
		switch {
		case errors.Is(err, errTooMuch):
			return x.tooMuch("column")
		case err != nil:
			x.errorf("column: %s: %s", name, reason(err))
			failed = 1
		}
	}
	if len(t.lines) == 0 {
		return failed
	}
	for i, line := range t.lines {
		if i&0xff == 0 && ctx.Err() != nil || t.write(ctx, out, line) != nil {
			break
		}
	}
	return 0
}

// read keeps the lines of an input that have text, and the widths of their
// cells.
func (t *table) read(in *input) error {
	large := false
	err := eachLine(in, '\n', func(line []byte, _ bool) error {
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		t.held += len(line) + 24
		if large = t.held > maxHeld; large {
			return errTooMuch
		}
		n := 0
		for rest, cell, ok := line, []byte(nil), true; ok; n++ {
			if cell, rest, ok = t.cell(rest, n); n == len(t.widths) {
				t.widths = append(t.widths, 0)
			}
			t.widths[n] = max(t.widths[n], cellWidth(cell))
			if large = n >= maxColumns; large {
				return errTooMuch
			}
		}
		t.lines = append(t.lines, bytes.Clone(line))
		return nil
	})
	if large {
		return errTooMuch
	}
	return err
}

// cell cuts the cell of a number off the line; more says that another follows.
func (t *table) cell(line []byte, n int) (cell, rest []byte, more bool) {
	if t.merge && n == 0 {
		line = bytes.TrimLeft(line, t.separators)
	}
	at := -1
	if t.separators != "" {
		at = bytes.IndexAny(line, t.separators)
	}
	if at < 0 {
		return line, nil, false
	}
	_, size := utf8.DecodeRune(line[at:])
	cell, rest = line[:at], line[at+size:]
	if t.merge {
		rest = bytes.TrimLeft(rest, t.separators)
		return cell, rest, len(rest) > 0
	}
	return cell, rest, true
}

// write writes one row, the cells that it lacks as blanks.
func (t *table) write(ctx context.Context, out *bufio.Writer, line []byte) error {
	more := true
	for n, width := range t.widths {
		var cell []byte
		if more {
			cell, line, more = t.cell(line, n)
		}
		if n > 0 {
			out.WriteString(t.between)
		}
		writeCell(out, cell)
		if n == len(t.widths)-1 {
			break
		}
		for missing := width - cellWidth(cell); missing > 0; {
			piece := min(missing, 1<<10)
			if _, err := out.WriteString(strings.Repeat(" ", piece)); err != nil {
				return err
			}
			missing -= piece
		}
		if n&0xfff == 0xfff && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return out.WriteByte('\n')
}

// cellWidth is how wide a terminal shows a cell. A byte that is no text counts
// as the four that are written for it.
func cellWidth(cell []byte) int {
	width := 0
	for len(cell) > 0 {
		r, n := utf8.DecodeRune(cell)
		switch {
		case r == utf8.RuneError && n == 1:
			width += 4
		case !unicode.IsControl(r):
			width += runeWidth(r)
		}
		cell = cell[n:]
	}
	return width
}

func writeCell(out *bufio.Writer, cell []byte) {
	if utf8.Valid(cell) {
		out.Write(cell)
		return
	}
	for len(cell) > 0 {
		r, n := utf8.DecodeRune(cell)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(out, `\x%02x`, cell[0])
		} else {
			out.Write(cell[:n])
		}
		cell = cell[n:]
	}
}
