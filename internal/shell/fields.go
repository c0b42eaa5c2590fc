// Package shell parses shell commands and argument lines. Fields splits an argument line as Claude
// Code does, and Join is its inverse.
//
// Claude Code does not split at spaces. It parses the line as a shell command and takes the words
// of the first command as written, without expansion. So "fix this & that" has two words, and
// "it's late" only one.
package shell

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Fields splits an argument line by the rules of Claude Code 2.1.329 (cases a01 to a37):
//
//   - Quotes are removed, and so are backslashes outside quotes; inside double quotes backslashes
//     stay (a25). Expansions, globs and braces stay as text (a23, a26).
//   - The words end at a newline, a comment, an operator or a bracket (a12, a23, a13). A
//     redirection after a pipe hides the commands before it, so that the words are those of the
//     next command (a22).
//   - Leading assignments and the words if, while, until, ! and { are dropped.
//   - An unclosed quote or expansion makes a single word of the rest of the line, from the start
//     of the word that contains it (a03).
//   - A word that begins with "!" gets a leading backslash, so that an argument never becomes a
//     shell segment.
//
// If the line has an excessive number of brackets, only quotes and backslashes are interpreted.
func Fields(args string) []string {
	args = strings.Trim(args, " \t\r\n")
	if args == "" {
		return nil
	}
	if isPlain(args) {
		return strings.Fields(args)
	}
	if tooDeep(args) {
		return escapeBang(plainFields(args))
	}
	l := newLine(args)
	words, stop := l.words()
	if strings.HasPrefix(args[stop:], "|") && !strings.HasPrefix(args[stop:], "||") {
		if other, ok := l.visible(); ok {
			words = other
		}
	}
	return escapeBang(words)
}

// isPlain reports whether the parser would return the words of a line unchanged.
func isPlain(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case strings.IndexByte(" \t_./:,@%+-", c) < 0:
			return false
		}
	}
	first, _, _ := strings.Cut(strings.ReplaceAll(s, "\t", " "), " ")
	return first != "if" && first != "while" && first != "until"
}

// escapeBang adds a backslash before each word that begins with "!".
func escapeBang(words []string) []string {
	for i, w := range words {
		if strings.HasPrefix(w, "!") {
			words[i] = `\` + w
		}
	}
	return words
}

// MaxBrackets limits the depth of the recursive parser.
const MaxBrackets = 500

// tooDeep reports whether s could make the parser recurse too deeply.
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

// Parsable replaces bytes that the parser skips or rejects, one for one, so that offsets stay
// valid.
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

// line is an argument line and its form for the parser.
type line struct {
	source, parsed string
}

func newLine(s string) line { return line{source: s, parsed: Parsable(s)} }

// NewParser returns the Bash parser that this package uses.
func NewParser() *syntax.Parser {
	return syntax.NewParser(syntax.Variant(syntax.LangBash))
}

// words returns the words of the first command, and the offset of their end.
func (l line) words() (words []string, stop int) {
	lead := true
	add := func(w *syntax.Word) (more bool) {
		if lead = lead && l.dropped(w); lead {
			return true
		}
		text, whole := l.text(w)
		if text != "" || whole {
			words = append(words, text)
		}
		return whole
	}
	for w, err := range NewParser().WordsSeq(strings.NewReader(l.parsed)) {
		start := len(l.parsed)
		if err == nil {
			start = offset(w.Pos())
		}
		if l.ends(stop, start) {
			return words, stop
		}
		if err != nil {
			return l.rest(words, stop)
		}
		stop = offset(w.End())
		if !add(w) {
			return words, stop
		}
	}
	return words, stop
}

func offset(p syntax.Pos) int { return int(p.Offset()) }

// ends reports whether there is a newline or a comment between two words, from the end of one to
// the start of the other.
func (l line) ends(from, to int) bool {
	gap := strings.TrimLeft(l.parsed[from:to], " \t")
	for strings.HasPrefix(gap, "\\\n") {
		gap = strings.TrimLeft(gap[2:], " \t")
	}
	return gap != "" && (gap[0] == '\n' || gap[0] == '#' && from+len(gap) != to)
}

// rest handles what the parser does not accept as a word after stop: an operator ends the words,
// and anything else is a single word to the end of the line.
func (l line) rest(words []string, stop int) ([]string, int) {
	for {
		trimmed := strings.TrimLeft(l.parsed[stop:], " \t")
		stop = len(l.parsed) - len(trimmed)
		if !strings.HasPrefix(trimmed, "\\\n") {
			break
		}
		stop += 2
	}
	if stop == len(l.parsed) || strings.IndexByte(";&|<>()", l.parsed[stop]) >= 0 {
		return words, stop
	}
	return append(words, l.source[stop:]), len(l.source)
}

// dropped reports whether a word at the start of a command is not one of its words.
func (l line) dropped(w *syntax.Word) bool {
	text := l.parsed[offset(w.Pos()):offset(w.End())]
	switch text {
	case "if", "while", "until", "!", "{":
		return true
	}
	return IsAssignment(text)
}

// IsAssignment reports whether a word begins with name=, name+= or name[i]=.
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

// text returns the value of a word. whole is false if a process substitution, which begins with an
// operator, interrupts the word.
func (l line) text(w *syntax.Word) (text string, whole bool) {
	if len(w.Parts) == 1 {
		return l.part(w.Parts[0])
	}
	var b strings.Builder
	for _, part := range w.Parts {
		text, whole := l.part(part)
		b.WriteString(text)
		if !whole {
			return b.String(), false
		}
	}
	return b.String(), true
}

func (l line) part(part syntax.WordPart) (text string, whole bool) {
	from, to := offset(part.Pos()), offset(part.End())
	switch p := part.(type) {
	case *syntax.Lit:
		return unescape(l.source[from:to]), true
	case *syntax.SglQuoted:
		if !p.Dollar {
			from, to = from+1, to-1
		}
	case *syntax.DblQuoted:
		if !p.Dollar {
			from, to = from+1, to-1
		}
	case *syntax.ProcSubst:
		return "", false
	}
	return l.source[from:to], true
}

// unescape removes the backslashes from unquoted text, including line continuations.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// plainFields splits at whitespace up to the first newline, interpreting only quotes and
// backslashes.
func plainFields(s string) []string {
	var words []string
	for s = strings.TrimLeft(s, " \t\r"); s != "" && s[0] != '\n'; s = strings.TrimLeft(s, " \t\r") {
		word, n, ok := plainWord(s)
		if !ok {
			return append(words, s)
		}
		words = append(words, word)
		s = s[n:]
	}
	return words
}

// plainWord returns the word at the start of s and its length, and whether its quotes are closed.
func plainWord(s string) (word string, length int, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '\t', '\r', '\n':
			return b.String(), i, true
		case '\'', '"':
			n := ClosingQuote(s[i+1:], c)
			if n < 0 {
				return "", 0, false
			}
			b.WriteString(s[i+1 : i+1+n])
			i += n + 1
		case '\\':
			if i+1 < len(s) {
				i++
			}
			b.WriteByte(s[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), len(s), true
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
