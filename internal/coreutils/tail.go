package coreutils

import (
	"bufio"
	"bytes"
	"io"
	"strings"
)

func tailSyntax() syntax {
	return syntax{digits: "n", flags: []flag{
		{names: "n lines", value: withValue, check: checkCount},
		{names: "c bytes", value: withValue, check: checkCount},
		{names: "q quiet silent"},
		{names: "v verbose"},
		{names: "z zero-terminated"},
	}}
}

func prepareTail(args []string) (*Prepared, error) {
	old := ""
	words := args
	// The old form +NUM is read only in front and with one file at most.
	if len(args) > 0 && len(args) <= 2 && strings.HasPrefix(args[0], "+") && isDigits(args[0][1:]) {
		old, words = args[0], append([]string{"-n" + args[0]}, args[1:]...)
	}
	p, err := tailSyntax().parse(words)
	if err != nil {
		return nil, err
	}
	if old != "" && len(p.operands) > 1 {
		return nil, usage(1, "%s is read only with one file", old)
	}
	c := portionOf("tail", p, '+')
	c.copy = tailCopy
	return c.prepared(p), nil
}

func tailCopy(c portion, out *bufio.Writer, in io.Reader) error {
	switch {
	case c.far && c.lines:
		return tailFrom(out, in, c.count-1, c.delim)
	case c.far:
		if _, err := io.CopyN(io.Discard, in, max(c.count-1, 0)); err != nil {
			return notEOF(err)
		}
		_, err := io.Copy(out, in)
		return err
	}
	held := &window{delim: c.delim, lines: c.count}
	if !c.lines {
		held = &window{bytes: c.count}
	}
	if err := held.fill(in); err != nil {
		return err
	}
	_, err := out.Write(held.buf[held.start:])
	return err
}

// tailFrom leaves out a number of lines and writes the rest.
func tailFrom(out *bufio.Writer, in io.Reader, skip int64, delim byte) error {
	buf := make([]byte, 32<<10)
	for skip > 0 {
		n, err := in.Read(buf)
		rest := buf[:n]
		for skip > 0 && len(rest) > 0 {
			end := bytes.IndexByte(rest, delim)
			if end < 0 {
				rest = nil
				break
			}
			rest = rest[end+1:]
			skip--
		}
		if _, werr := out.Write(rest); werr != nil {
			return werr
		}
		if err != nil {
			return notEOF(err)
		}
	}
	_, err := io.Copy(out, in)
	return err
}

// window holds the end of an input: so many lines, or so many bytes where
// lines is zero. What falls out of it goes to spill, if there is one.
type window struct {
	lines, bytes int64
	delim        byte
	spill        *bufio.Writer

	buf   []byte
	start int   // of what is held in buf
	whole int64 // delimiters in what is held
}

func (w *window) fill(in io.Reader) error {
	chunk := make([]byte, 32<<10)
	for {
		n, err := in.Read(chunk)
		w.buf = append(w.buf, chunk[:n]...)
		w.whole += int64(bytes.Count(chunk[:n], []byte{w.delim}))
		if werr := w.trim(); werr != nil {
			return werr
		}
		if err != nil {
			return notEOF(err)
		}
	}
}

func (w *window) trim() error {
	from := w.start
	if w.bytes > 0 || w.lines == 0 {
		w.start = max(w.start, len(w.buf)-int(min(w.bytes, int64(len(w.buf)))))
	} else {
		w.trimLines()
	}
	if w.spill != nil {
		if _, err := w.spill.Write(w.buf[from:w.start]); err != nil {
			return err
		}
	}
	if len(w.buf)-w.start > maxHeld {
		return errHeld
	}
	if w.start > len(w.buf)/2 {
		n := copy(w.buf, w.buf[w.start:])
		w.buf, w.start = w.buf[:n], 0
	}
	return nil
}

// trimLines drops lines in front until as many are left as are wanted; an end
// without a delimiter is a line too.
func (w *window) trimLines() {
	for {
		have := w.whole
		if len(w.buf) > w.start && w.buf[len(w.buf)-1] != w.delim {
			have++
		}
		if have <= w.lines {
			return
		}
		end := bytes.IndexByte(w.buf[w.start:], w.delim)
		if end < 0 {
			return
		}
		w.start += end + 1
		w.whole--
	}
}
