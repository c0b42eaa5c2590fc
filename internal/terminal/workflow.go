package terminal

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// Commands finds the commands that GitHub Actions obeys in the output of a step, and
// makes them visible text: "::" at the beginning of a line, after blanks, becomes
// `\x3a:`, and "##[" anywhere `##\x5b`. The zero value is at the beginning of a
// line; what a call was given last is kept in mind for the next.
//
// It may be used from several goroutines.
type Commands struct {
	mu sync.Mutex
	// inside: something that is no blank stands on the line already.
	inside bool
	// marks is how many number signs came last.
	marks int
}

// Disarm returns text without commands, which is p itself where it has none.
func (c *Commands) Disarm(p []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []byte
	from := 0
	escape := func(i int, as string) {
		out = append(append(out, p[from:i]...), as...)
		from = i + 1
	}
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRune(p[i:])
		switch {
		case r == '\n' || r == '\r':
			c.inside = false
		case r == ':' && !c.inside && (i+1 == len(p) || p[i+1] == ':'):
			escape(i, `\x3a`)
			c.inside = true
		case r == '[' && c.marks >= 2:
			escape(i, `\x5b`)
		case !blank(r):
			c.inside = true
		}
		if c.marks++; r != '#' {
			c.marks = 0
		}
		i += n
	}
	if from == 0 {
		return p
	}
	return append(out, p[from:]...)
}

// blank reports whether the reader of commands may pass over a character at the
// beginning of a line: white space, and to be on the safe side what is not seen.
func blank(r rune) bool {
	return unicode.IsSpace(r) || r < ' ' || r == 0x7f || r >= 0x80 && hidden(r) || contextual(r) || r == utf8.RuneError
}
