// Package shell parses and runs shell commands, and parses argument lines.
//
// Fields splits an argument line the way Claude Code does, and Join is its inverse. Claude Code
// does not simply split at spaces. It parses the line as shell commands and uses the words of the
// first command as written, without expansion. For example, "fix this & that" yields two words, and
// "it's late" yields only one.
package shell

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/vadehq/vade/internal/chars"
)

// maxLine is the maximum length, in UTF-16 code units, of a line that the host parses.
const maxLine = 10_000

// Fields splits an argument line by the rules of Claude Code 2.1.330 (cases a01
// to a37, h72 and h89; testdata/fields.json has recorded lines):
//
//   - Quotes are removed, and so are backslashes outside quotes. Inside double
//     quotes, backslashes stay (a25). Expansions, globs and braces inside a word
//     are left as text (a23, a26).
//   - Words end at a newline, a comment, an operator or a command substitution
//     (a11, a12).
//   - An expansion that forms a whole word is dropped unless it is the first word
//     (h89). Text in parentheses, and the word directly before it, are dropped.
//   - Leading assignments, "[" with a word, and keywords such as if and while are
//     skipped.
//   - An unclosed quote or expansion extends to the end of the line (a03).
//   - A redirection after a pipeline or a compound command hides it, so the words
//     come from the next command (a22).
//   - A line without a command ("#12 fix", "a=b"), a line of more than 10,000
//     UTF-16 code units, and a line with deeply nested substitutions are split at
//     whitespace, without further interpretation.
//   - A word that starts with "!" gets a leading backslash, so an argument never
//     becomes a shell segment.
func Fields(args string) []string {
	if isPlain(args) {
		return strings.Fields(args)
	}
	var words []string
	if chars.UTF16Length(args) <= maxLine {
		p := wordParser{text: args}
		words = p.statements("")
		if p.tooDeep {
			words = nil
		}
	}
	if len(words) == 0 {
		words = strings.FieldsFunc(args, scriptSpace)
	}
	return escapeBang(words)
}

// isPlain reports whether a line contains only simple words, which the parser is certain to return
// unchanged. It may return false for other such lines.
func isPlain(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case strings.IndexByte(" \t_./:,@%+-", c) < 0:
			return false
		}
	}
	first, _, _ := strings.Cut(strings.TrimLeft(strings.ReplaceAll(s, "\t", " "), " "), " ")
	return !isKeyword(first)
}

// escapeBang adds a backslash before each word that starts with "!".
func escapeBang(words []string) []string {
	for i, w := range words {
		if strings.HasPrefix(w, "!") {
			words[i] = `\` + w
		}
	}
	return words
}

// MaxBrackets is the maximum number of opening brackets and backquotes in parsed text. It bounds
// the parser's recursion.
const MaxBrackets = 500

// tooDeep reports whether s could cause the parser to recurse too deeply.
func tooDeep(s string) bool {
	n := 0
	for i := range len(s) {
		switch s[i] {
		case '(', '{', '[', '`':
			n++
		}
	}
	return n > MaxBrackets
}

// Parsable replaces each byte that the parser would skip or reject with a byte that it accepts, so
// that offsets in the text stay valid.
func Parsable(s string) string {
	if utf8.ValidString(s) && !strings.ContainsAny(s, "\x00\r") {
		return s
	}
	b := []byte(s)
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r == 0, r == utf8.RuneError && n == 1:
			b[i] = 'x'
		case r == '\r':
			b[i] = ' '
		}
		i += n
	}
	return string(b)
}

// NewParser returns the Bash parser that this package uses.
func NewParser() *syntax.Parser {
	return syntax.NewParser(syntax.Variant(syntax.LangBash))
}

// IsAssignment reports whether a word starts with name=, name+= or name[i]=.
func IsAssignment(s string) bool {
	name, _, found := strings.Cut(s, "=")
	if !found {
		return false
	}
	name = strings.TrimSuffix(name, "+")
	if open := strings.IndexByte(name, '['); open > 0 && strings.HasSuffix(name, "]") {
		name = name[:open]
	}
	return syntax.ValidName(name)
}

// ClosingQuote returns the index of the closing quote c in s, or -1.
func ClosingQuote(s string, c byte) int {
	for i := 0; i < len(s); i++ {
		if s[i] == c {
			return i
		}
		if s[i] == '\\' && c == '"' {
			i++
		}
	}
	return -1
}

func offset(p syntax.Pos) int { return int(p.Offset()) }
