package coreutils

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"unicode"
	"unicode/utf8"
)

// tally holds the counts for wc in output order: lines, words, characters, bytes.
type tally [4]int64

func wc(p *parsed) (*Prepared, error) {
	var show [4]bool
	shown := 0
	for i, id := range []string{"l", "w", "m", "c"} {
		if show[i] = p.has(id) || len(p.options) == 0 && id != "m"; show[i] {
			shown++
		}
	}
	return &Prepared{Paths: p.files(), Run: func(ctx context.Context, x *IO) int {
		out, status := x.output(), 0
		// GNU wc sets the column width to the number of digits in the total size, but at least 7 if
		// an input is not a regular file. If it prints a single number, the width is 1.
		width, size, minWidth := 1, int64(0), 1
		for _, name := range p.inputs() {
			if info, err := x.statInput(name); info == nil && err == nil || err == nil && !info.Mode().IsRegular() {
				minWidth = 7
			} else if err == nil {
				size += info.Size()
			}
		}
		if shown > 1 || len(p.operands) > 1 {
			width = max(minWidth, len(fmt.Sprint(size)))
		}
		print := func(t tally, name string) {
			gap := ""
			for i, n := range t {
				if show[i] {
					fmt.Fprintf(out, "%s%*d", gap, width, n)
					gap = " "
				}
			}
			if len(p.operands) > 0 {
				out.WriteString(" " + name)
			}
			out.WriteByte('\n')
		}
		var total tally
		for _, name := range p.inputs() {
			var t tally
			in, err := x.open(ctx, name)
			if err == nil {
				t, err = count(in, show[1] || show[2])
				in.close()
			} else if Reason(err) != "Is a directory" {
				// This input is skipped. A directory, by contrast, counts as an empty input.
				x.errorf("wc: %s: %s", name, Reason(err))
				status = 1
				continue
			}
			if ctx.Err() != nil {
				break
			}
			if err != nil {
				x.errorf("wc: %s: %s", name, Reason(err))
				status = 1
			}
			print(t, name)
			for i := range t {
				total[i] += t[i]
			}
		}
		if len(p.operands) > 1 {
			print(total, "total")
		}
		return x.finish(ctx, out, status)
	}}, nil
}

// statInput returns the properties of a file or of stdin, or nil if they are unavailable.
func (x *IO) statInput(name string) (fs.FileInfo, error) {
	if name != "-" {
		return x.FS.Stat(name)
	}
	if s, ok := x.Stdin.(interface{ Stat() (fs.FileInfo, error) }); ok {
		return s.Stat()
	}
	return nil, nil
}

// count counts the contents of an input. It counts words and characters only if text is set.
func count(in io.Reader, text bool) (t tally, err error) {
	buf := make([]byte, 64<<10)
	inWord := false
	for kept := 0; err == nil; {
		var n int
		n, err = in.Read(buf[kept:])
		rest := buf[:kept+n]
		t[0] += int64(bytes.Count(rest[kept:], []byte("\n")))
		t[3] += int64(n)
		for text && len(rest) > 0 && (err != nil || utf8.FullRune(rest)) {
			r, size := utf8.DecodeRune(rest)
			rest = rest[size:]
			if r == utf8.RuneError && size == 1 {
				continue // not a character
			}
			t[2]++
			if unicode.IsSpace(r) {
				inWord = false
			} else if !inWord && unicode.IsPrint(r) {
				inWord = true
				t[1]++
			}
		}
		if kept = 0; text {
			kept = copy(buf, rest)
		}
	}
	return t, notEOF(err)
}
