package code

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/lazyregexp"
)

type kind uint8

const (
	end kind = iota
	name
	text
	number
	operator
)

type token struct {
	kind kind
	// line reports whether the token is the first on its line. space reports whether whitespace
	// precedes it.
	line, space bool
	start, end  int
	// column is the indentation of the line that contains the token.
	column int
	// class is the meaning of a name that is a keyword, and precedence is the precedence of an
	// operator.
	class      wordClass
	precedence int
	// text is a name, an operator, a number, or the first part of a string. quote is the string's
	// syntax. parts holds the expressions in the string, each with the text that follows it.
	text  string
	quote *quote
	parts []part
}

// part is an expression inside a string, identified by its offsets, along with the text that
// follows it.
type part struct {
	from, to int
	text     string
}

// lexer splits code into tokens.
type lexer struct {
	*language
	src             string
	at, max, column int
	line            bool
	tokens          []token
}

const (
	// maxTokens is the maximum number of tokens in a region.
	maxTokens = 200_000
	// bytesPerToken is the typical number of bytes per token, used to estimate the number of
	// tokens.
	bytesPerToken = 5
)

// tokens splits src[from:to] into tokens. The last token is of kind end.
func (l *language) tokens(src string, from, to int) []token {
	x := &lexer{language: l, src: src, at: from, max: to, tokens: make([]token, 0, (to-from)/bytesPerToken+2)}
	if i := strings.Index(src[from:to], "<?"); i >= 0 && l.name == "php" {
		x.at = from + i + 2
	}
	x.indent()
	for x.next() && len(x.tokens) < maxTokens {
	}
	return append(x.tokens, token{kind: end, line: true, start: x.max, end: x.max})
}

func (x *lexer) rest() string { return x.src[x.at:x.max] }

func (x *lexer) has(prefix string) bool { return strings.HasPrefix(x.rest(), prefix) }

// byteAt returns the byte at an offset, or 0 if the offset is out of range.
func (x *lexer) byteAt(at int) byte {
	if at < 0 || at >= x.max {
		return 0
	}
	return x.src[at]
}

// indent measures the indentation of the current line.
func (x *lexer) indent() {
	rest := x.rest()
	space := rest[:len(rest)-len(strings.TrimLeft(rest, " \t"))]
	x.line, x.column = true, len(space)+7*strings.Count(space, "\t")
}

// skipSpace skips whitespace and comments and reports whether it skipped any.
func (x *lexer) skipSpace() bool {
	from := x.at
	for x.at < x.max {
		c := x.src[x.at]
		switch {
		case c == '\n':
			x.at++
			x.indent()
		case strings.IndexByte(" \t\r\f\v", c) >= 0:
			x.at++
		case c == '\\' && strings.HasPrefix(strings.TrimLeft(x.src[x.at+1:x.max], "\r"), "\n"):
			x.at = x.endOf("\n", x.at)
		case !x.comment():
			return x.at > from
		}
	}
	return x.at > from
}

// comment skips a comment if one starts at the current offset, and reports whether it did.
func (x *lexer) comment() bool {
	for _, block := range x.blocks {
		if open, stop, _ := strings.Cut(block, ".."); x.has(open) {
			x.at = x.endOf(stop, x.at+len(open))
			return true
		}
	}
	if slices.ContainsFunc(x.comments, x.has) {
		line, _, _ := strings.Cut(x.rest(), "\n")
		x.at += len(line)
		return true
	}
	return false
}

// endOf returns the offset after the next occurrence of text, or the end of the code if there is
// none.
func (x *lexer) endOf(text string, from int) int {
	if from >= x.max {
		return x.max
	}
	if i := strings.Index(x.src[from:x.max], text); i >= 0 {
		return from + i + len(text)
	}
	return x.max
}

func (x *lexer) next() bool {
	space := x.skipSpace()
	if x.at >= x.max {
		return false
	}
	t := token{start: x.at, line: x.line, space: space || x.line, column: x.column}
	x.line = false
	if !x.special(&t) && !x.quoted(&t) && !x.ident(&t) {
		x.operator(&t)
	}
	if t.end = x.at; t.kind == name || t.kind == operator {
		t.class, t.precedence = x.wordClasses[t.text], x.precedences[t.text]
	}
	x.tokens = append(x.tokens, t)
	return true
}

// last returns the last token. If there are no tokens yet, it returns an operator.
func (x *lexer) last() *token {
	if n := len(x.tokens); n > 0 {
		return &x.tokens[n-1]
	}
	return &token{kind: operator}
}

// operand reports whether the last token can end an operand. If so, the next token is an operator.
func (x *lexer) operand() bool {
	t := x.last()
	if t.kind == name {
		return t.class == ordinary
	}
	return t.kind != operator || oneOf(t.text, ") ] }")
}

// ident reads a name, including its sigils.
func (x *lexer) ident(t *token) bool {
	from := x.at
	for from < x.max && from < x.at+3 && strings.IndexByte(x.sigil, x.src[from]) >= 0 {
		if strings.IndexByte("%&", x.src[from]) >= 0 && x.operand() {
			return false
		}
		from++
	}
	to := from
	for to < x.max && (letter(x.src[to]) || digit(x.src[to]) || x.src[to] == '$' && x.name == "js") {
		to++
	}
	if from == to && (from == x.at || from >= x.max || x.src[from] == '{') {
		return false
	}
	to = max(to, from+1) // a variable such as $!
	t.kind, t.text, x.at = name, x.src[from:to], to
	for _, phrase := range x.phrases {
		words := strings.ReplaceAll(phrase, "_", " ")
		if n := t.start + len(words); n <= x.max && strings.EqualFold(x.src[t.start:n], words) {
			t.text, x.at = phrase, n
		}
	}
	return true
}

// operators maps each character to the multi-character operators that start with it, longest first.
var operators = sync.OnceValue(func() map[byte][]string {
	table := map[byte][]string{}
	for op := range strings.FieldsSeq(operatorPrecedences) {
		if len(op) > 1 && !letter(op[0]) {
			table[op[0]] = append(table[op[0]], op)
		}
	}
	for _, list := range table {
		slices.SortStableFunc(list, func(a, b string) int { return len(b) - len(a) })
	}
	return table
})

func (x *lexer) operator(t *token) {
	t.kind = operator
	_, n := utf8.DecodeRuneInString(x.rest())
	for _, op := range operators()[x.src[x.at]] {
		other := op == "::" && x.name == "py" || op == "?:" && x.name == "js"
		if !other && x.has(op) {
			n = len(op)
			break
		}
	}
	t.text, x.at = x.src[x.at:x.at+n], x.at+n
}

// The following patterns match a number or a regular expression literal at the start of the input.
var (
	numberPattern = lazyregexp.New(`^\d\w*(?:\.\d\w*)*`)
	regexPattern  = lazyregexp.New(`^/(?:\\[^\n]|\[(?:\\[^\n]|[^\]\\\n])*\]|[^/\\\[\n])+/\w*`)
)

// special reads a number or a regular expression literal.
func (x *lexer) special(t *token) bool {
	switch c := x.src[x.at]; {
	case digit(c):
		t.kind, t.text = number, numberPattern().FindString(x.rest())
	case c == '/' && x.features["regex"] && !x.operand() && x.last().text != "<":
		t.kind, t.text, t.quote = text, regexPattern().FindString(x.rest()), &quote{flags: "p"}
	}
	x.at += len(t.text)
	return t.text != ""
}

func (x *lexer) quoted(t *token) bool {
	if !x.starts[x.src[x.at]] {
		return false
	}
	for _, q := range x.quotes {
		at := x.at + len(q.open)
		if at > x.max || !strings.EqualFold(x.src[x.at:at], q.open) {
			continue
		}
		_, size := utf8.DecodeRuneInString(x.src[at:x.max])
		if !q.has('c') || x.byteAt(at) == '\\' || x.byteAt(at+size) == '\'' {
			return x.body(t, at, q)
		}
	}
	return false
}

// body reads a string starting at its first character. It returns false if a single-line string is
// not terminated, because in that case the quote does not start a string.
func (x *lexer) body(t *token, at int, q quote) bool {
	var b []byte
	for at < x.max && !strings.HasPrefix(x.src[at:x.max], q.close) {
		c := x.src[at]
		switch {
		case c == '\n' && !q.has('m'):
			return false
		case c == '\\' && !q.has('r') && at+1 < x.max:
			b, at = x.escape(b, at+1)
			continue
		case q.has('i'):
			from, to, next := x.expression(at)
			if from < to {
				t.fill(b)
				t.parts = append(t.parts, part{from: from, to: to})
				b, at = nil, next
				continue
			}
			at = max(at, next)
		}
		b = append(b, c)
		at++
	}
	t.fill(b)
	t.kind, t.quote, x.at = text, &q, min(at+len(q.close), x.max)
	return true
}

// fill sets the text of a string's last part.
func (t *token) fill(b []byte) {
	if n := len(t.parts); n > 0 {
		t.parts[n-1].text = string(b)
	} else {
		t.text = string(b)
	}
}

// escape decodes the escape sequence whose backslash is just before offset at. It appends the
// result to b, and returns b and the offset after the sequence.
func (x *lexer) escape(b []byte, at int) ([]byte, int) {
	src, c := x.src[:x.max], x.src[at]
	limit := min(x.max, at+12)
	r, wide, rest, err := strconv.UnquoteChar(src[at-1:limit], 0)
	to := limit - len(rest)
	if hex, _, ok := strings.Cut(src[at:limit], "}"); ok && len(hex) > 2 && hex[1] == '{' && (c == 'x' || c == 'u') {
		// \x{41} and \u{41}
		var n uint64
		n, err = strconv.ParseUint(hex[2:], 16, 21)
		r, wide, to = rune(n), n >= 0x80, at+len(hex)+1
	}
	switch {
	case err == nil && wide:
		return utf8.AppendRune(b, r), to
	case err == nil:
		return append(b, byte(r)), to
	case c == '\n' || c == '\r':
		return b, at + 1
	case strings.IndexByte("'\"`$#@{}/ &*()xuU", c) >= 0:
		return append(b, c), at + 1
	}
	return append(b, '\\', c), at + 1
}

// expression returns the bounds of an expression in a string and the offset after the expression.
// For "{{", which stands for a literal brace, it returns only the offset of the second brace.
func (x *lexer) expression(at int) (from, to, next int) {
	src := x.src[:x.max]
	for _, open := range x.interp {
		from := at + len(open)
		if !strings.HasPrefix(src[at:], open) {
			continue
		} else if open == "{" && x.byteAt(from) == '{' {
			return 0, 0, from
		}
		to := matching(src, from, '{', '}')
		if strings.HasSuffix(open, "(") {
			to = matching(src, from, '(', ')')
		}
		if to >= 0 && open == "{$" {
			return from - 1, to, to + 1
		} else if to >= 0 {
			return from, to, to + 1
		}
	}
	return 0, 0, 0
}

// matching returns the offset of the bracket that closes an expression, which may be on a later
// line. It returns -1 if there is none.
func matching(src string, at int, open, stop byte) int {
	depth := 0
	for i := at; i < len(src) && i < at+4096; i++ {
		switch c := src[i]; {
		case c == stop && depth == 0:
			return i
		case c == stop:
			depth--
		case c == open:
			depth++
		}
	}
	return -1
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80 }

func digit(c byte) bool { return c >= '0' && c <= '9' }
