package shell

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// FieldsQuoted splits an argument line like Claude Code 2.1.88, which used the JavaScript library
// shell-quote (checked against version 1.8.3), left variables unexpanded, and dropped results that
// were not strings:
//
//   - Words end at whitespace, newlines, unmatched quotes and the characters
//     |&;()<>, which are not words themselves (a12, a22).
//   - A word with an unquoted * or ? is dropped (a23), and so is everything after
//     an unquoted #, even inside a word (a23).
//   - Quotes are removed. A backslash escapes the next character, but in
//     double quotes only if that is \, " or $ (a02, a25). A pair of empty quotes
//     is a word (a24).
//   - An unclosed quote is not part of a word, and separates words (a03).
//   - ${X} becomes $X (a26). After a variable with a single special character
//     ($$, $!, $_ and so on), the next character is lost.
//   - If a ${ has no name or is unclosed, the line is split at whitespace without
//     further interpretation. This last rule is inferred.
//
// The numbers refer to recordings of the host. The running time is linear in the line's length.
func FieldsQuoted(args string) []string {
	c := chunks{text: args}
	var words []string
	for {
		chunk, ok := c.next()
		if !ok {
			return words
		}
		q := quoted{chunk: chunk}
		q.read()
		switch {
		case q.broken:
			return strings.FieldsFunc(args, scriptSpace)
		case q.operator, q.glob && !q.comment, q.comment && q.out.Len() == 0:
		default:
			words = append(words, q.out.String())
		}
		if q.comment {
			return words
		}
	}
}

// scriptSpace reports whether r matches \s in JavaScript.
func scriptSpace(r rune) bool {
	switch r {
	case 0xFEFF, 0x2028, 0x2029:
		return true
	case 0x85:
		return false
	}
	return unicode.IsSpace(r)
}

// isMeta reports whether a character ends a word without being part of it.
func isMeta(c byte) bool { return strings.IndexByte("|&;()<>", c) >= 0 }

// chunks splits a line at unquoted whitespace and operators.
type chunks struct {
	text string
	at   int
}

// next returns the next chunk that is not an operator.
func (c *chunks) next() (chunk string, ok bool) {
	for c.at < len(c.text) {
		start := c.at
		for c.at < len(c.text) {
			n := c.part()
			if n == 0 {
				break
			}
			c.at += n
		}
		if c.at > start {
			return c.text[start:c.at], true
		}
		_, n := utf8.DecodeRuneInString(c.text[c.at:])
		c.at += n
	}
	return "", false
}

// part returns the length of the character or quoted text at the current
// position, or 0 at the end of the chunk.
func (c *chunks) part() int {
	switch ch := c.text[c.at]; {
	case ch == '\'' || ch == '"':
		return quoteEnd(c.text[c.at:])
	case isMeta(ch):
		return 0
	case ch == '\\' && c.at+1 < len(c.text):
		next := c.text[c.at+1]
		if isMeta(next) || next == ' ' || next == '\t' || next == '\'' || next == '"' {
			return 2
		}
		return 1
	case ch < utf8.RuneSelf:
		if scriptSpace(rune(ch)) {
			return 0
		}
		return 1
	}
	r, n := utf8.DecodeRuneInString(c.text[c.at:])
	if scriptSpace(r) {
		return 0
	}
	return n
}

// quoteEnd returns the length of the quoted text at the start of s, or 0 if it
// is unclosed. The text ends at the first quote without a preceding backslash
// or, if all quotes have one, at the last quote.
func quoteEnd(s string) int {
	last := 0
	for i := 1; i < len(s); i++ {
		if s[i] != s[0] {
			continue
		}
		if s[i-1] != '\\' {
			return i + 1
		}
		last = i + 1
	}
	return last
}

// quoted parses one chunk.
type quoted struct {
	chunk string
	at    int
	out   strings.Builder
	// glob reports whether the word contains an unquoted * or ?, and operator whether it contains
	// an unquoted operator. comment reports whether a # ended the word. broken reports whether the
	// word contains a ${ that has no name or is unclosed.
	glob, operator, comment, broken bool
}

func (q *quoted) read() {
	var quote byte
	for ; q.at < len(q.chunk) && !q.broken; q.at++ {
		c := q.chunk[q.at]
		q.glob = q.glob || quote == 0 && (c == '*' || c == '?')
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == '\'':
			q.out.WriteByte(c)
		case c == '$':
			q.variable()
		case quote == '"' && c == '\\':
			q.at++
			if next := q.peek(0); next != '"' && next != '\\' && next != '$' || q.at >= len(q.chunk) {
				q.out.WriteByte('\\')
			}
			q.copy()
		case quote == '"':
			q.out.WriteByte(c)
		case c == '\'' || c == '"':
			quote = c
		case isMeta(c):
			q.operator = true
			return
		case c == '#':
			q.comment = true
			return
		case c == '\\':
			q.at++
			// The library treats the word as a pattern even if the * or ? is escaped.
			q.glob = q.glob || q.peek(0) == '*' || q.peek(0) == '?'
			q.copy()
		default:
			q.out.WriteByte(c)
		}
	}
}

// peek returns the byte n bytes after the current position, or 0.
func (q *quoted) peek(n int) byte {
	if q.at+n < len(q.chunk) {
		return q.chunk[q.at+n]
	}
	return 0
}

// copy appends the byte at the current position, if any.
func (q *quoted) copy() {
	if q.at < len(q.chunk) {
		q.out.WriteByte(q.chunk[q.at])
	}
}

// variable writes the variable at the current position without its braces, and
// moves to its last byte.
func (q *quoted) variable() {
	q.out.WriteByte('$')
	next := q.peek(1)
	switch {
	case next == '{':
		name := q.chunk[q.at+2:]
		end := strings.IndexByte(name, '}')
		if end <= 0 {
			q.broken = true
			return
		}
		q.out.WriteString(name[:end])
		q.at += end + 2
	case next != 0 && strings.IndexByte("*@#?$!_-", next) >= 0:
		q.out.WriteByte(next)
		q.at++
		q.skip()
	default:
		for isNameByte(q.peek(1)) {
			q.at++
			q.out.WriteByte(q.chunk[q.at])
		}
	}
}

// skip moves past one UTF-16 code unit, as the library does. If that splits a surrogate pair, skip
// writes U+FFFD for the other half.
func (q *quoted) skip() {
	r, n := utf8.DecodeRuneInString(q.chunk[q.at+1:])
	q.at += n
	if r > 0xFFFF {
		q.out.WriteRune(utf8.RuneError)
	}
}

// isNameByte reports whether c matches \w in JavaScript.
func isNameByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
