package coreutils

import (
	"bufio"
	"context"
)

func pasteCommand() Command {
	return simple("paste", "join the lines of files side by side", pasteSyntax, preparePaste)
}

func pasteSyntax() syntax {
	return syntax{flags: []flag{
		{names: "d delimiters", value: withValue, check: func(v string) string {
			if _, ok := pasteDelimiters(v); !ok {
				return "delimiter list ends with an unescaped backslash"
			}
			return ""
		}},
		{names: "s serial"},
		{names: "z zero-terminated"},
	}}
}

// pasteDelimiters reads a list of delimiters; -1 is the empty one.
func pasteDelimiters(list string) ([]int, bool) {
	var out []int
	for i := 0; i < len(list); i++ {
		if list[i] != '\\' {
			out = append(out, int(list[i]))
			continue
		}
		if i++; i == len(list) {
			return nil, false
		}
		switch c := list[i]; c {
		case '0':
			out = append(out, -1)
		case 'b', 'f', 'n', 'r', 't', 'v':
			out = append(out, int(controlEscape(c)))
		default:
			out = append(out, int(c))
		}
	}
	if len(out) == 0 {
		out = []int{-1}
	}
	return out, true
}

// controlEscape gives the character that a letter stands for after a
// backslash, or 0.
func controlEscape(c byte) byte {
	switch c {
	case 'a':
		return '\a'
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'v':
		return '\v'
	}
	return 0
}

// paster joins lines with delimiters in turn.
type paster struct {
	out    *bufio.Writer
	delims []int
	sep    byte
}

func preparePaste(p *parsed) (*Prepared, error) {
	list, ok := p.value("d")
	if !ok {
		list = "\t"
	}
	delims, _ := pasteDelimiters(list)
	sep := byte('\n')
	if p.has("z") {
		sep = 0
	}
	return &Prepared{Paths: p.files(), Run: func(ctx context.Context, x *IO) int {
		out := x.output()
		j := paster{out, delims, sep}
		run := j.parallel
		if p.has("s") {
			run = j.serial
		}
		return x.finish(ctx, out, run(ctx, x, p.inputs()))
	}}, nil
}

func (j paster) delimiter(i int) {
	if d := j.delims[i%len(j.delims)]; d >= 0 {
		j.out.WriteByte(byte(d))
	}
}

// serial writes each input as one line.
func (j paster) serial(ctx context.Context, x *IO, names []string) int {
	return x.eachInput(ctx, "paste", names, func(_ string, in *input) error {
		count := 0
		err := eachLine(in, j.sep, func(line []byte, _ bool) error {
			if count > 0 {
				j.delimiter(count - 1)
			}
			count++
			return writeLine(j.out, line, j.sep, false)
		})
		j.out.WriteByte(j.sep)
		return err
	})
}

// parallel takes a line of each input in turn; "-" given twice takes two.
func (j paster) parallel(ctx context.Context, x *IO, names []string) int {
	readers := make([]*lineReader, len(names))
	var stdin *lineReader
	for i, name := range names {
		if name == "-" && stdin != nil {
			readers[i] = stdin
			continue
		}
		in, err := x.open(ctx, name)
		if err != nil {
			x.errorf("paste: %s: %s", name, reason(err))
			return 1
		}
		defer in.Close()
		readers[i] = newLineReader(in, j.sep)
		if name == "-" {
			stdin = readers[i]
		}
	}
	for j.row(readers) {
	}
	for i, r := range readers {
		if r.err != nil {
			x.errorf("paste: %s: %s", names[i], reason(r.err))
			return 1
		}
	}
	return 0
}

// row writes one line; false if no input had any more, or nobody reads.
func (j paster) row(readers []*lineReader) bool {
	written, some := 0, false
	for i, r := range readers {
		line, _, ok := r.next()
		if !ok {
			continue
		}
		for some = true; written < i; written++ {
			j.delimiter(written)
		}
		j.out.Write(line)
	}
	if !some {
		return false
	}
	for ; written < len(readers)-1; written++ {
		j.delimiter(written)
	}
	return j.out.WriteByte(j.sep) == nil
}
