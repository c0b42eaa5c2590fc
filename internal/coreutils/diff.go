package coreutils

import (
	"bufio"
	"context"
	"strconv"
	"strings"
)

func diffSyntax() syntax {
	lines := func(value string) string {
		if value == "" {
			return ""
		}
		return checkInteger(0)(value)
	}
	return syntax{flags: []flag{
		{names: "q brief"}, {names: "s report-identical-files"},
		{names: "normal"}, {names: "u"},
		{names: "U", value: withValue, check: checkInteger(0)},
		{names: "unified", value: mayValue, check: lines},
		{names: "L label", value: withValue},
		{names: "i ignore-case"}, {names: "w ignore-all-space"}, {names: "b ignore-space-change"}, {names: "B ignore-blank-lines"},
		{names: "a text"}, {names: "r recursive"}, {names: "N new-file"},
		{names: "x exclude", value: withValue},
	}}
}

// diffOptions are what the flags of diff come to.
type diffOptions struct {
	brief, identical      bool
	unified               bool
	context               int
	labels                []string
	fold, blankRuns       bool // -i, -b
	noBlanks, blankLines  bool // -w, -B
	text, recurse, absent bool
	exclude               []string
	// line repeats the flags as written, before the names of files that were
	// found in directories.
	line string
}

func prepareDiff(args []string) (*Prepared, error) {
	p, err := diffSyntax().parse(args)
	if err != nil {
		return nil, err
	}
	if len(p.operands) != 2 {
		return nil, usage(0, "two files are needed")
	}
	o, err := readDiffOptions(p, args)
	if err != nil {
		return nil, err
	}
	a, b := p.operands[0].Name, p.operands[1].Name
	return &Prepared{Paths: p.files(), Run: func(ctx context.Context, x *IO) int {
		d := &differ{x: x, ctx: ctx, out: x.output(), o: o, budget: newEntryBudget()}
		return x.finish(ctx, d.out, d.operands(a, b))
	}}, nil
}

func readDiffOptions(p *parsed, args []string) (*diffOptions, error) {
	o := &diffOptions{
		brief: p.has("q"), identical: p.has("s"), unified: p.last("u", "U", "unified") != "",
		fold: p.has("i"), blankRuns: p.has("b"), noBlanks: p.has("w"), blankLines: p.has("B"),
		text: p.has("a"), recurse: p.has("r"), absent: p.has("N"),
	}
	if o.unified && p.has("normal") {
		return nil, usage(0, "conflicting output style options")
	}
	for _, use := range p.options {
		switch use.id {
		case "u":
			o.context = max(o.context, 3)
		case "U", "unified":
			n, err := strconv.Atoi(use.value)
			if err != nil {
				n = 3
			}
			o.context = max(o.context, n)
		case "L":
			if o.labels = append(o.labels, use.value); len(o.labels) > 2 {
				return nil, usage(use.word, "too many file label options")
			}
		case "x":
			o.exclude = append(o.exclude, use.value)
		}
	}
	o.line = flagWords(p, args)
	return o, nil
}

// flagWords are the words that are no operands, as a shell reads them.
func flagWords(p *parsed, args []string) string {
	operand := make([]bool, len(args)+1)
	for _, o := range p.operands {
		operand[o.Word] = true
	}
	var b strings.Builder
	b.WriteString("diff")
	for i, word := range args {
		if !operand[i+1] {
			b.WriteString(" " + quoteIfNeeded(word))
		}
	}
	return b.String()
}

// differ is a diff at work.
type differ struct {
	x      *IO
	ctx    context.Context
	out    *bufio.Writer
	o      *diffOptions
	budget *entryBudget
	over   bool // the recursion has come to its bounds
}

// ignores reports whether lines can be equal that differ.
func (o *diffOptions) ignores() bool {
	return o.fold || o.blankRuns || o.noBlanks || o.blankLines
}

// key is what of a line is compared.
func (o *diffOptions) key(buf, line []byte) []byte {
	if !o.fold && !o.blankRuns && !o.noBlanks {
		return line
	}
	buf = buf[:0]
	blank := false
	for _, c := range line {
		if (o.noBlanks || o.blankRuns) && isDiffBlank(c) {
			blank = true
			continue
		}
		if blank && !o.noBlanks {
			buf = append(buf, ' ')
		}
		blank = false
		if o.fold {
			c = upperByte(c)
		}
		buf = append(buf, c)
	}
	return buf
}

// empty reports whether -B ignores a line.
func (o *diffOptions) empty(line []byte) bool {
	if !o.noBlanks && !o.blankRuns {
		return len(line) == 0
	}
	for _, c := range line {
		if !isDiffBlank(c) {
			return false
		}
	}
	return true
}

func isDiffBlank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
