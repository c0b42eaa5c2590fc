// Package instructions reads the Markdown of instruction files as hosts do: which
// other files it imports, and what of it is comment. It also puts together the
// text that a model gets where no host's form is asked for. It opens nothing.
package instructions

import (
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/body"
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
// It returns the first limit of them. The time is linear in the text.
func Imports(text string, limit int) []Import {
	if !strings.Contains(text, "@") {
		return nil
	}
	var found []Import
	seen := map[string]bool{}
	collect := func(at diag.Span) {
		for i := at.Start; i < at.End && len(found) < limit; {
			n := strings.IndexByte(text[i:at.End], '@')
			if n < 0 {
				return
			}
			i += n
			before, _ := utf8.DecodeLastRuneInString(text[at.Start:i])
			if i > at.Start && !chars.IsSpace(before) {
				i++
				continue
			}
			word, length := word(text[i+1 : at.End])
			if path, _, _ := strings.Cut(word, "#"); isPath(path) && !seen[path] {
				seen[path] = true
				found = append(found, Import{Path: path, Offset: i})
			}
			i += 1 + length
		}
	}
	for piece := range body.Pieces(text) {
		if len(found) >= limit {
			break
		}
		if piece.Comment {
			outsideComments(text, piece.Span, collect)
		} else {
			collect(piece.Span)
		}
	}
	return found
}

// WithoutComments returns a Markdown text without the comments that are blocks of
// their own, and without the empty lines behind each. What else stands on the
// line where a comment ends stays. Comments inside a paragraph, a list, a
// quotation or code stay too (Claude Code 2.1.329 and 2.1.88, case f11; all but
// the comment of one line is inferred).
func WithoutComments(text string) string {
	if !strings.Contains(text, "<!--") {
		return text
	}
	var out strings.Builder
	from := 0
	for piece := range body.Pieces(text) {
		if !piece.Comment || !piece.Top {
			continue
		}
		out.WriteString(text[from:piece.Start])
		from = piece.End
		var rest strings.Builder
		outsideComments(text, piece.Span, func(at diag.Span) { rest.WriteString(text[at.Start:at.End]) })
		if Trim(rest.String()) != "" {
			out.WriteString(rest.String())
		}
	}
	return out.String() + text[from:]
}

// Trim removes what JavaScript takes for white space from both ends.
func Trim(text string) string { return strings.TrimFunc(text, chars.IsSpace) }

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

// outsideComments hands out the pieces of an HTML block that are in no comment.
func outsideComments(text string, block diag.Span, yield func(diag.Span)) {
	for i := block.Start; ; {
		open := strings.Index(text[i:block.End], "<!--")
		end := -1
		if open >= 0 {
			// Here "<!-->" is the beginning of a comment, not all of it.
			end = strings.Index(text[i+open+4:block.End], "-->")
		}
		if end < 0 {
			yield(diag.Span{Start: i, End: block.End})
			return
		}
		yield(diag.Span{Start: i, End: i + open})
		i += open + 4 + end + 3
	}
}
