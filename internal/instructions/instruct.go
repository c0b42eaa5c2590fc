// Package instructions reads the Markdown of instruction files as hosts do: which
// other files it imports, and what of it is comment. It also puts together the
// text that a model gets where no host's form is asked for. It opens nothing.
package instructions

import (
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/chars"
)

// Import is one place where an instruction file names another.
type Import struct {
	// Path is the path as it is written, without "@" and fragment.
	Path string
	// Offset is where the "@" stands in the text, in bytes.
	Offset int
}

// Imports returns the imports of a Markdown text in their order, each path once.
//
// An import is an "@" at the start of a piece of text or after white space, with
// a path behind it that goes on to the next white space; a fragment ("#L2") is
// no part of it. A piece of text ends where Markdown begins something else, so
// "**@a.md**" is one and "(@a.md)" none. There is none in fenced and indented
// code, code spans, comments, HTML, and the targets of links (Claude Code
// 2.1.329 and 2.1.88, cases f06 and f11; indented code, HTML tags and the escaped
// blank, "a\ b.md", are inferred).
//
// It returns the first limit of them. The time is linear in the text, and the
// memory some eight times its length at most. A text of more than 2 GiB has none.
func Imports(text string, limit int) []Import {
	if !strings.Contains(text, "@") || len(text) > maxText || limit <= 0 {
		return nil
	}
	c := collector{text: text, limit: limit}
	w := walker{text: text, visit: &c}
	w.blocks(lines(text), 0)
	return c.found
}

// WithoutComments returns a Markdown text without the comments that are blocks of
// their own, and without the empty lines behind each. What else stands on the
// line where a comment ends stays. Comments inside a paragraph, a list, a
// quotation or code stay too (Claude Code 2.1.329 and 2.1.88, case f11; all but
// the comment of one line is inferred). A text of more than 2 GiB stays as it is.
func WithoutComments(text string) string {
	if !strings.Contains(text, "<!--") || len(text) > maxText {
		return text
	}
	s := stripper{text: text}
	s.out.Grow(len(text))
	w := walker{text: text, visit: &s}
	w.blocks(lines(text), 0)
	s.out.WriteString(text[s.from:])
	return s.out.String()
}

// Trim removes what JavaScript takes for white space from both ends.
func Trim(text string) string { return strings.TrimFunc(text, chars.IsSpace) }

// collector collects the imports of the text that a walk comes by.
type collector struct {
	text   string
	limit  int
	found  []Import
	seen   map[string]bool
	inline inline
}

func (c *collector) paragraph(list []line) {
	if len(c.found) == c.limit || !strings.Contains(c.text[list[0].start:list[len(list)-1].end], "@") {
		return
	}
	p := newParagraph(c.text, list)
	c.inline.pieces(p.text, func(piece span) { c.piece(p.text, piece, p.inSource) })
}

func (c *collector) comment(start, end int, _ bool) {
	block := c.text[start:end]
	outsideComments(block, func(piece span) {
		c.piece(block, piece, func(i int) int { return start + i })
	})
}

// piece looks for imports in one piece of text.
func (c *collector) piece(text string, at span, place func(int) int) {
	for i := at.start; i < at.end && len(c.found) < c.limit; {
		n := strings.IndexByte(text[i:at.end], '@')
		if n < 0 {
			return
		}
		i += n
		before, _ := utf8.DecodeLastRuneInString(text[at.start:i])
		if i > at.start && !chars.IsSpace(before) {
			i++
			continue
		}
		word, length := word(text[i+1 : at.end])
		if path, _, _ := strings.Cut(word, "#"); isPath(path) && !c.seen[path] {
			if c.seen == nil {
				c.seen = map[string]bool{}
			}
			c.seen[path] = true
			c.found = append(c.found, Import{Path: path, Offset: place(i)})
		}
		i += 1 + length
	}
}

// word returns the text up to the next white space, and how long it is as it is
// written: a blank with a backslash before it belongs to the word, any other
// backslash ends it.
func word(text string) (word string, length int) {
	escaped := false
	for length < len(text) {
		r, n := utf8.DecodeRuneInString(text[length:])
		if r == '\\' && strings.HasPrefix(text[length:], `\ `) {
			escaped, n = true, 2
		} else if r == '\\' || chars.IsSpace(r) {
			break
		}
		length += n
	}
	word = text[:length]
	if escaped {
		word = strings.ReplaceAll(word, `\ `, " ")
	}
	return word, length
}

// isPath reports whether a word behind an "@" can be a path: it begins with a
// letter, a digit, ".", "_" or "-", or with "/" or "~/" (f11 has "@@", quotes and
// angle brackets as none; the rest is inferred).
func isPath(word string) bool {
	if word == "" {
		return false
	}
	switch c := word[0]; {
	case c == '/':
		return len(word) > 1
	case c == '~':
		return strings.HasPrefix(word, "~/")
	default:
		return c == '.' || c == '_' || c == '-' || isAlnum(c)
	}
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// stripper collects the text between comments.
type stripper struct {
	text string
	out  strings.Builder
	// from is where the text begins that is not in out yet.
	from int
}

func (s *stripper) paragraph([]line) {}

func (s *stripper) comment(start, end int, top bool) {
	if !top {
		return
	}
	block := s.text[start:end]
	s.out.WriteString(s.text[s.from:start])
	s.from = end
	blank := true
	outsideComments(block, func(piece span) {
		blank = blank && Trim(block[piece.start:piece.end]) == ""
	})
	if !blank {
		outsideComments(block, func(piece span) { s.out.WriteString(block[piece.start:piece.end]) })
	}
}

// outsideComments hands out the pieces of an HTML block that are in no comment.
func outsideComments(block string, yield func(span)) {
	for i := 0; ; {
		open := strings.Index(block[i:], "<!--")
		end := -1
		if open >= 0 {
			// Here "<!-->" is the beginning of a comment, not all of it.
			end = strings.Index(block[i+open+4:], "-->")
		}
		if end < 0 {
			yield(span{i, len(block)})
			return
		}
		yield(span{i, i + open})
		i += open + 4 + end + 3
	}
}
