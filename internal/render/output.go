package render

import "strings"

// output is the text written so far. An inserted file is a block that is surrounded by blank lines.
// The blank line after it is not written until more text follows.
type output struct {
	text []byte
	// newline is the body's line ending.
	newline      string
	pendingBlank bool
}

// newlineOf returns the first line's ending.
func newlineOf(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// write appends text. If the last output was a block, write inserts a blank line after it. Text
// that would have continued the block's last line loses its leading spaces.
func (o *output) write(s string) {
	if !o.pendingBlank {
		o.text = append(o.text, s...)
		return
	}
	rest := strings.TrimLeft(s, " \t\r\n")
	blanks := s[:len(s)-len(rest)]
	indent := strings.LastIndexByte(blanks, '\n') + 1
	o.text = append(o.text, blanks[:indent]...)
	if rest == "" {
		return
	}
	if indent > 0 || o.endsLine() {
		rest = s[indent:]
	}
	o.blankLine()
	o.pendingBlank = false
	o.text = append(o.text, rest...)
}

// block appends a heading and content as a separate block.
func (o *output) block(heading, content string) {
	o.trimSpaces()
	if len(o.text) > 0 {
		o.blankLine()
	}
	o.text = append(o.text, heading...)
	if content != "" {
		o.text = append(o.text, o.newline...)
		o.text = append(o.text, o.newline...)
		o.text = append(o.text, content...)
	}
	o.pendingBlank = true
}

// trimSpaces removes trailing spaces from the last line.
func (o *output) trimSpaces() {
	n := len(o.text)
	for n > 0 && (o.text[n-1] == ' ' || o.text[n-1] == '\t') {
		n--
	}
	o.text = o.text[:n]
}

// blankLine makes the text end with a blank line.
func (o *output) blankLine() {
	if !o.endsLine() {
		o.text = append(o.text, o.newline...)
	}
	n := len(o.text) - 1
	for n > 0 && (o.text[n-1] == ' ' || o.text[n-1] == '\t' || o.text[n-1] == '\r') {
		n--
	}
	if n > 0 && o.text[n-1] != '\n' {
		o.text = append(o.text, o.newline...)
	}
}

func (o *output) endsLine() bool {
	return len(o.text) > 0 && o.text[len(o.text)-1] == '\n'
}
