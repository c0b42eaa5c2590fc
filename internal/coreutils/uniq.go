package coreutils

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
)

func uniqCommand() Command {
	return simple("uniq", "drop or count repeated lines", uniqSyntax, prepareUniq)
}

func uniqSyntax() syntax {
	number := checkInteger(0)
	return syntax{flags: []flag{
		{names: "c count"},
		{names: "d repeated"},
		{names: "u unique"},
		{names: "i ignore-case"},
		{names: "f skip-fields", value: withValue, check: number},
		{names: "s skip-chars", value: withValue, check: number},
		{names: "w check-chars", value: withValue, check: number},
		{names: "z zero-terminated"},
	}}
}

// repeats is uniq at work: the line at hand and how often it came.
type repeats struct {
	count, onlyRepeated, onlyUnique, fold bool
	fields, chars, width                  int
	sep                                   byte
	line                                  []byte
	seen                                  int
}

func prepareUniq(p *parsed) (*Prepared, error) {
	if len(p.operands) > 1 {
		return nil, usage(p.operands[1].Word, "a second file would be written")
	}
	u := repeats{count: p.has("c"), onlyRepeated: p.has("d"), onlyUnique: p.has("u"), fold: p.has("i"),
		fields: p.number("f", 0), chars: p.number("s", 0), width: p.number("w", -1), sep: '\n'}
	if p.has("z") {
		u.sep = 0
	}
	return &Prepared{Paths: p.files(), Run: func(ctx context.Context, x *IO) int {
		out, state := x.output(), u
		status := x.eachInput(ctx, "uniq", p.inputs(), func(_ string, in *input) error {
			err := eachLine(in, state.sep, func(line []byte, _ bool) error { return state.add(out, line) })
			state.flush(out)
			return err
		})
		return x.finish(ctx, out, status)
	}}, nil
}

func (u *repeats) add(out *bufio.Writer, line []byte) error {
	if u.seen > 0 && u.same(u.key(u.line), u.key(line)) {
		u.seen++
		return nil
	}
	err := u.flush(out)
	u.line, u.seen = append(u.line[:0], line...), 1
	return err
}

func (u *repeats) same(a, b []byte) bool {
	if u.fold {
		return compareFolded(a, b) == 0
	}
	return bytes.Equal(a, b)
}

// key is the part of a line that is compared.
func (u *repeats) key(line []byte) []byte {
	for range u.fields {
		if len(line) == 0 {
			break
		}
		line = bytes.TrimLeft(line, " \t")
		if end := bytes.IndexAny(line, " \t"); end >= 0 {
			line = line[end:]
		} else {
			line = nil
		}
	}
	line = line[min(u.chars, len(line)):]
	if u.width >= 0 {
		line = line[:min(u.width, len(line))]
	}
	return line
}

func (u *repeats) flush(out *bufio.Writer) error {
	if u.seen == 0 || u.onlyRepeated && u.seen == 1 || u.onlyUnique && u.seen > 1 {
		return nil
	}
	if u.count {
		fmt.Fprintf(out, "%7d ", u.seen)
	}
	return writeLine(out, u.line, u.sep, true)
}

// compareFolded compares bytes with the small letters of ASCII as capitals.
func compareFolded(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if x, y := upperByte(a[i]), upperByte(b[i]); x != y {
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}

func upperByte(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}
