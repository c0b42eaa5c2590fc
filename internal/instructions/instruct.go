// Package instructions reads instruction files the way hosts do. It finds imports in Markdown and
// removes comments from it, builds what each host sends to its model, and formats the neutral view.
package instructions

import (
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/chars"
)

// Import is a reference from an instruction file to another file.
type Import struct {
	// Path is the path as written, without the "@" and the fragment.
	Path string
	// Offset is the byte offset of the "@".
	Offset int
}

// Imports returns the imports in a Markdown text in order, each path once.
//
// An import is an "@" at the start of a text run or after whitespace, followed by a path. The path
// extends to the next whitespace; a fragment ("#L2") is not part of it. Text runs end at other
// Markdown elements, so "**@a.md**" is an import but "(@a.md)" is not. Fenced and indented code,
// code spans, comments, HTML and link targets contain no imports (Claude Code 2.1.329 and 2.1.88,
// cases f06 and f11; the rules for indented code, HTML tags and the escaped space in "a\ b.md" are
// inferred).
//
// Imports returns at most limit imports and takes linear time.
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

// WithoutComments removes comments that form separate blocks, along with the blank lines after
// them. It keeps comments in paragraphs, lists, block quotes and code, as well as other text on a
// removed comment's last line (Claude Code 2.1.329 and 2.1.88, case f11; the rules for comments of
// more than one line are inferred).
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

// Trim removes JavaScript whitespace from both ends.
func Trim(text string) string { return strings.TrimFunc(text, chars.IsSpace) }

// word returns the text up to the next whitespace, and its length as written. A space escaped with
// a backslash is part of the word. Any other backslash ends the word.
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

// isPath reports whether the word after an "@" can be a path: it starts with a letter, a digit,
// ".", "_", "-", "/" or "~/" (f11 excludes "@@", quotes and angle brackets; the rest is inferred).
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

// outsideComments yields the parts of an HTML block that are outside comments.
func outsideComments(text string, block diag.Span, yield func(diag.Span)) {
	for i := block.Start; ; {
		open := strings.Index(text[i:block.End], "<!--")
		end := -1
		if open >= 0 {
			// Here "<!-->" starts a comment instead of being a complete one.
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
