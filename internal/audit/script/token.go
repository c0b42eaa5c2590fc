// Package script reads code of Python and of JavaScript and TypeScript as far as an
// audit needs it: tokens, expressions, statements and functions. It never fails: what
// it does not understand it steps over. It runs nothing and is bounded in everything.
package script

// Lang is a language that the package reads.
type Lang uint8

// The languages. JavaScript is TypeScript too: types are stepped over.
const (
	Python Lang = iota
	JavaScript
)

// Kind is the kind of a token.
type Kind uint8

// The kinds. Text is a string whose value is known, Template one with code in it.
const (
	End Kind = iota
	Name
	Number
	Text
	Template
	Regex
	Mark
)

// Token is one token.
type Token struct {
	Kind Kind
	// First: it is the first of its line, outside of brackets in Python.
	First bool
	// Start and End are offsets in the code.
	Start, End int
	// Column is how far it is indented, for the first of a line.
	Column int
	// Text is the name, the mark or the value of a string.
	Text string
	// Parts are those of a template.
	Parts []Part
}

// Part is a part of a template: text, or the range of the code in it.
type Part struct {
	Text       string
	Start, End int
}

// The limits for one piece of code.
const (
	MaxTokens = 300_000
	maxDepth  = 120
	maxParts  = 400
)

// lexer turns code into tokens.
type lexer struct {
	src    string
	lang   Lang
	at     int
	end    int
	out    []Token
	first  bool
	column int
	depth  int
}

// Tokens returns the tokens of code, and whether they are all.
func Tokens(src string, lang Lang) ([]Token, bool) { return tokens(src, 0, len(src), lang) }

func tokens(src string, from, to int, lang Lang) ([]Token, bool) {
	l := lexer{src: src[:to], lang: lang, at: from, end: to, first: true}
	l.out = make([]Token, 0, min((to-from)/5+4, MaxTokens))
	for l.at < l.end {
		if len(l.out) >= MaxTokens {
			return l.out, false
		}
		if lang == Python {
			l.python()
		} else {
			l.javascript()
		}
	}
	return l.out, true
}

func (l *lexer) add(kind Kind, start int, text string) *Token {
	l.out = append(l.out, Token{Kind: kind, First: l.first, Start: start, End: l.at, Column: l.column, Text: text})
	l.first = false
	return &l.out[len(l.out)-1]
}

func (l *lexer) peek(n int) byte {
	if l.at+n < l.end {
		return l.src[l.at+n]
	}
	return 0
}

// skipLine goes to the end of the line.
func (l *lexer) skipLine() {
	for l.at < l.end && l.src[l.at] != '\n' {
		l.at++
	}
}

func isLetter(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// name takes a name.
func (l *lexer) name() {
	start := l.at
	for l.at < l.end && (isLetter(l.src[l.at]) || isDigit(l.src[l.at])) {
		l.at++
	}
	l.add(Name, start, l.src[start:l.at])
}

// number takes a number. Its exact form does not matter but for whole numbers.
func (l *lexer) number() {
	start := l.at
	for l.at < l.end {
		c := l.src[l.at]
		if !isDigit(c) && !isLetter(c) && (c != '.' || l.peek(1) == '.') {
			break
		}
		l.at++
	}
	l.add(Number, start, l.src[start:l.at])
}

// mark takes a mark: the longest of those of the languages that have meaning here.
func (l *lexer) mark() {
	start := l.at
	rest := l.src[l.at:l.end]
	n := 1
	for _, m := range [...]string{"...", "===", "!==", "**=", "//=", ">>=", "<<=", "&&=", "||=", "??=", "=>", "->", ":=", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "^=", "|=", "&=", "**", "//", "&&", "||", "??", "?.", "++", "--", "<<", ">>"} {
		if len(rest) >= len(m) && rest[:len(m)] == m {
			n = len(m)
			break
		}
	}
	if l.lang == JavaScript && (rest[:n] == "//" || rest[:n] == "?." && isDigit(l.peek(2))) {
		n = 1
	}
	l.at += n
	switch rest[0] {
	case '(', '[', '{':
		l.depth++
	case ')', ']', '}':
		l.depth = max(0, l.depth-1)
	}
	l.add(Mark, start, rest[:n])
}
