package render

import (
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/diag"
)

// cursor converts increasing offsets to positions, so many positions on one long line take linear
// time. It recognizes the same line endings as [diag.File].
type cursor struct {
	text   string
	offset int
	pos    diag.Pos
	// start and end delimit the line at offset; end is -1 until needed.
	start, end int
}

func newCursor(text string, at diag.Pos) cursor {
	if at.Line == 0 {
		at = diag.Pos{Line: 1, Column: 1}
	}
	return cursor{text: text, pos: at, end: -1}
}

// to moves to offset and returns its position.
func (c *cursor) to(offset int) diag.Pos {
	for c.offset < offset {
		piece := c.text[c.offset:offset]
		n := strings.IndexAny(piece, "\r\n")
		if n < 0 {
			c.pos.Column += utf8.RuneCountInString(piece)
			c.offset = offset
			break
		}
		c.offset += n + 1
		if piece[n] == '\r' && c.offset < len(c.text) && c.text[c.offset] == '\n' {
			// Do not move past offset: a position between CR and LF is on the previous line.
			if c.offset == offset {
				c.pos.Column += utf8.RuneCountInString(piece)
				break
			}
			c.offset++
		}
		c.pos = diag.Pos{Line: c.pos.Line + 1, Column: 1}
		c.start, c.end = c.offset, -1
	}
	return c.pos
}

// line returns the part of the cursor's line that is in the body.
func (c *cursor) line() string {
	if c.end < 0 {
		c.end = len(c.text)
		if n := strings.IndexAny(c.text[c.start:], "\r\n"); n >= 0 {
			c.end = c.start + n
		}
	}
	return c.text[c.start:c.end]
}
