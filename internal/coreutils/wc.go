package coreutils

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"
)

func wcSyntax() syntax {
	return syntax{flags: []flag{
		{names: "l lines"},
		{names: "w words"},
		{names: "m chars"},
		{names: "c bytes"},
		{names: "L max-line-length"},
	}}
}

// tally is what wc counts, in the order it prints them: lines, words,
// characters, bytes, columns of the longest line.
type tally [5]int64

func prepareWc(args []string) (*Prepared, error) {
	p, err := wcSyntax().parse(args)
	if err != nil {
		return nil, err
	}
	var c wordCounter
	for i, id := range [...]string{"l", "w", "m", "c", "L"} {
		c.show[i] = p.has(id)
	}
	if c.show == [5]bool{} {
		c.show = [5]bool{true, true, false, true, false}
	}
	files := names(p.operands)
	return &Prepared{Paths: p.files(), Run: func(ctx context.Context, x *IO) int {
		return c.run(ctx, x, files)
	}}, nil
}

type wordCounter struct{ show [5]bool }

func (c wordCounter) run(ctx context.Context, x *IO, files []string) int {
	out, status, width := x.output(), 0, c.width(x, files)
	bare := len(files) == 0
	if bare {
		files = []string{"-"}
	}
	var total tally
	for _, name := range files {
		t, opened, err := c.file(ctx, x, name)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			x.errorf("wc: %s: %s", quoteIfNeeded(name), reason(err))
			status = 1
		}
		if opened {
			c.print(out, width, t, name, !bare)
			total.add(t)
		}
	}
	if len(files) > 1 {
		c.print(out, width, total, "total", true)
	}
	return x.finish(ctx, out, status)
}

// file counts one file. GNU wc opens directories too and counts nothing.
func (c wordCounter) file(ctx context.Context, x *IO, name string) (t tally, opened bool, err error) {
	in, err := x.open(ctx, name)
	if err != nil {
		return t, reason(err) == "Is a directory", err
	}
	defer in.Close()
	t, err = c.count(in)
	return t, true, err
}

// width is how GNU wc aligns: by the number of digits of the sizes together,
// 7 where an input is no regular file, 1 for a single figure.
func (c wordCounter) width(x *IO, files []string) int {
	shown := 0
	for _, s := range c.show {
		if s {
			shown++
		}
	}
	if len(files) <= 1 && shown == 1 {
		return 1
	}
	if len(files) == 0 {
		files = []string{"-"}
	}
	total, least := int64(0), 1
	for _, name := range files {
		info, err := statInput(x, name)
		switch {
		case err != nil:
		case info != nil && info.Mode().IsRegular():
			total += info.Size()
		default:
			least = 7
		}
	}
	return max(least, len(fmt.Sprint(total)))
}

// statInput looks at a file, or at standard input where that tells; info is
// nil where it does not.
func statInput(x *IO, name string) (fs.FileInfo, error) {
	if name != "-" {
		return x.FS.Stat(name)
	}
	if s, ok := x.Stdin.(interface{ Stat() (fs.FileInfo, error) }); ok {
		return s.Stat()
	}
	return nil, nil
}

func (c wordCounter) print(out *bufio.Writer, width int, t tally, name string, named bool) {
	gap := ""
	for i, n := range t {
		if c.show[i] {
			fmt.Fprintf(out, "%s%*d", gap, width, n)
			gap = " "
		}
	}
	if named {
		out.WriteString(" " + shellQuote(name, strings.Contains(name, "\n")))
	}
	out.WriteByte('\n')
}

func (t *tally) add(o tally) {
	for i := range 4 {
		t[i] += o[i]
	}
	t[4] = max(t[4], o[4])
}

func (c wordCounter) count(in io.Reader) (tally, error) {
	s := textScan{widths: c.show[4]}
	simple := !c.show[1] && !c.show[2] && !c.show[4]
	buf := make([]byte, 64<<10)
	kept := 0
	for {
		n, err := in.Read(buf[kept:])
		chunk := buf[:kept+n]
		s.t[3] += int64(n)
		if simple {
			s.t[0] += int64(bytes.Count(chunk, []byte{'\n'}))
		} else {
			kept = copy(buf, s.scan(chunk, err != nil))
		}
		if err != nil {
			s.endLine()
			return s.t, notEOF(err)
		}
	}
}

// textScan counts lines, words, characters and columns.
type textScan struct {
	t      tally
	widths bool
	inWord bool
	column int64
}

// scan reads text and returns an unfinished character at its end, unless there
// is no more to come.
func (s *textScan) scan(text []byte, last bool) (rest []byte) {
	for len(text) > 0 {
		if text[0] < utf8.RuneSelf {
			s.ascii(text[0])
			text = text[1:]
			continue
		}
		if !last && !utf8.FullRune(text) {
			return text
		}
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		if r == utf8.RuneError && n == 1 {
			continue
		}
		s.t[2]++
		s.wide(r)
	}
	return nil
}

func (s *textScan) ascii(b byte) {
	s.t[2]++
	switch {
	case b == '\n', b == '\r', b == '\f':
		if b == '\n' {
			s.t[0]++
		}
		s.endLine()
		s.inWord = false
	case b == '\t':
		s.column += 8 - s.column%8
		s.inWord = false
	case b == ' ':
		s.column++
		s.inWord = false
	case b == '\v':
		s.inWord = false
	case b > ' ' && b < 0x7f:
		s.column++
		s.word()
	}
}

func (s *textScan) wide(r rune) {
	if !isPrint(r, 2) {
		return
	}
	if s.widths {
		s.column += int64(runeWidth(r))
	}
	if unicode.IsSpace(r) || r == 0x2060 {
		s.inWord = false
		return
	}
	s.word()
}

func (s *textScan) word() {
	if !s.inWord {
		s.t[1]++
	}
	s.inWord = true
}

func (s *textScan) endLine() {
	s.t[4] = max(s.t[4], s.column)
	s.column = 0
}

// runeWidth is how many columns of a terminal a printable rune takes.
func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0x303e,
		r >= 0x3041 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f,
		r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1f64f, r >= 0x1f900 && r <= 0x1f9ff,
		r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}
