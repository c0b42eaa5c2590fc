package code

import (
	"strings"
	"unicode/utf8"
)

type kind uint8

const (
	end kind = iota
	name
	text
	number
	operator
)

// token is one word of code.
type token struct {
	kind kind
	// line: it is the first on its line. space: whitespace is in front of it.
	line, space bool
	// command: a string that a shell runs. words: a list of words. pattern: a regular expression.
	// escaped: most of its letters are written as numbers.
	command, words, pattern, escaped bool
	start, end                       int
	// column is the indentation of the line it is on.
	column int
	// text is a name, an operator, a number or the first part of a string.
	text string
	// parts is what follows in a string with expressions.
	parts []part
}

// part is an expression in a string, by its place, and the text after it.
type part struct {
	from, to int
	text     string
}

// lexer cuts code into tokens.
type lexer struct {
	*language
	src     string
	at, max int
	column  int
	line    bool
	tokens  []token
	// heredoc is the end of the last here-document, which begins in the next line.
	heredoc int
	// escapes counts the letters that the string being read writes as numbers.
	escapes int
}

// maxTokens bounds what is read of one region.
const maxTokens = 200_000

// tokens cuts a range of code into tokens. The last one is of kind end.
func (l *language) tokens(src string, from, to int) []token {
	x := &lexer{language: l, src: src, at: from, max: to, line: true}
	if l.name == "php" {
		if i := strings.Index(src[from:to], "<?"); i >= 0 {
			x.at = from + i + 2
		}
	}
	x.indent()
	for len(x.tokens) < maxTokens && x.next() {
	}
	return append(x.tokens, token{kind: end, line: true, start: x.max, end: x.max})
}

func (x *lexer) rest() string { return x.src[x.at:x.max] }

func (x *lexer) has(prefix string) bool { return strings.HasPrefix(x.rest(), prefix) }

// indent measures the whitespace at the beginning of a line.
func (x *lexer) indent() {
	x.column, x.line = 0, true
	for i := x.at; i < x.max; i++ {
		switch x.src[i] {
		case ' ':
			x.column++
		case '\t':
			x.column += 8
		default:
			return
		}
	}
}

// blank skips whitespace and comments. It reports whether there was any.
func (x *lexer) blank() bool {
	from := x.at
	for x.at < x.max {
		c := x.src[x.at]
		switch {
		case c == '\n':
			x.at++
			if x.heredoc > x.at {
				x.at = min(x.heredoc, x.max)
			}
			x.indent()
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			x.at++
		case c == '\\' && strings.HasPrefix(strings.TrimLeft(x.src[x.at+1:x.max], "\r"), "\n"):
			x.at += 1 + strings.IndexByte(x.src[x.at+1:], '\n') + 1
		case c == '_' && x.name == "vbs" && x.at+1 < x.max && (x.src[x.at+1] == '\n' || x.src[x.at+1] == '\r'):
			x.at += 1 + strings.IndexByte(x.src[x.at:], '\n')
		case x.block[0] != "" && x.has(x.block[0]):
			x.at = x.after(x.block[1], x.at+len(x.block[0]))
		case x.comment():
			x.at = x.after("\n", x.at)
			if x.src[x.at-1] == '\n' {
				x.at--
			}
		default:
			return x.at > from
		}
	}
	return x.at > from
}

func (x *lexer) comment() bool {
	for _, c := range x.language.line {
		if !x.has(c) || c == "#" && x.name == "php" && x.has("#[") {
			continue
		}
		// A shebang, and the length of a list, are no calls anyway. $# is a variable.
		return c != "#" || x.at == 0 || x.src[x.at-1] != '$'
	}
	return false
}

// after is the place after the next occurrence of a text, or the end.
func (x *lexer) after(text string, from int) int {
	if from >= x.max {
		return x.max
	}
	if i := strings.Index(x.src[from:x.max], text); i >= 0 {
		return from + i + len(text)
	}
	return x.max
}

// next reads one token.
func (x *lexer) next() bool {
	space := x.blank()
	if x.at >= x.max {
		return false
	}
	t := token{start: x.at, line: x.line, space: space || x.line, column: x.column}
	x.line, x.escapes = false, 0
	c := x.src[x.at]
	switch {
	case letter(c):
		_ = x.special(&t) || x.ident(&t)
	case digit(c):
		x.number(&t)
	default:
		_ = x.special(&t) || x.quoted(&t) || x.ident(&t) || x.operator(&t)
	}
	t.escaped = x.escapes >= 4 && x.escapes*2 >= len(t.text)
	t.end = x.at
	x.tokens = append(x.tokens, t)
	return true
}

func (x *lexer) number(t *token) {
	t.kind = number
	for x.at < x.max && (letter(x.src[x.at]) || digit(x.src[x.at]) || x.src[x.at] == '.' && x.at+1 < x.max && digit(x.src[x.at+1])) {
		x.at++
	}
	t.text = x.src[t.start:x.at]
}

// last is the text of the last token.
func (x *lexer) last() string {
	if len(x.tokens) == 0 {
		return ""
	}
	return x.tokens[len(x.tokens)-1].text
}

// operand reports whether the last token ends an operand, so that what follows is an operator.
func (x *lexer) operand() bool {
	if len(x.tokens) == 0 {
		return false
	}
	switch t := &x.tokens[len(x.tokens)-1]; t.kind {
	case name:
		return x.words[t.text] == ordinary || len(x.tokens) > 1 && x.tokens[len(x.tokens)-2].text == "."
	case operator:
		return t.text == ")" || t.text == "]" || t.text == "}"
	}
	return true
}

// ident reads a name.
func (x *lexer) ident(t *token) bool {
	from := x.at
	for from < x.max && from < x.at+3 && strings.IndexByte(x.sigil, x.src[from]) >= 0 {
		if strings.IndexByte("%&", x.src[from]) >= 0 && x.operand() {
			return false
		}
		from++
	}
	to := from
	for to < x.max && (letter(x.src[to]) || digit(x.src[to]) && to > from || x.src[to] == '$' && x.name == "js") {
		to++
	}
	switch {
	case to > from:
	case from == x.at || from == x.max:
		return false
	case x.src[from] == '{' && x.name == "pl":
		// ${name} and @{$list}: what is in braces is an expression.
		x.at = from
		return false
	default:
		to++
	}
	x.named(t, from, to)
	return true
}

// named makes a token of a name. Words of languages in which case does not matter are lowercase.
func (x *lexer) named(t *token, from, to int) {
	if x.name == "rb" && to+1 < x.max && strings.IndexByte("?!", x.src[to]) >= 0 && x.src[to+1] != '=' {
		to++
	}
	t.kind, t.text = name, x.src[from:to]
	if x.name == "rb" && x.src[x.at] == '@' {
		t.text = "@" + t.text
	}
	if low := strings.ToLower(t.text); x.is["nocase"] && x.words[low] != ordinary && from == x.at {
		t.text = low
	}
	x.at = to
	for _, phrase := range x.phrase {
		words := strings.ReplaceAll(phrase, "_", " ")
		if n := t.start + len(words); n <= x.max && strings.EqualFold(x.src[t.start:n], words) {
			t.text, x.at = phrase, n
		}
	}
}

var operators = [...]string{
	"===", "!==", "**=", "...", "<=>", "||=", "&&=", "??=", "<<=", ">>=", "?->", "->", "=>", "::", ":=", "?.",
	"??", "||", "&&", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", ".=", "|=", "&=", "..", "<-", "<<", ">>", "=~", "!~", "|>", "<>", "++", "--", "?:", "&.", "?>",
}

func (x *lexer) operator(t *token) bool {
	t.kind = operator
	for _, op := range operators {
		other := op == "::" && x.name == "py" || op == "?:" && x.name == "js" || op == "?>" && x.name != "php"
		if op[0] != x.src[x.at] || !x.has(op) || other {
			continue
		}
		t.text, x.at = op, x.at+len(op)
		if op == "?>" {
			t.text, x.at = ";", x.after("<?", x.at)
		}
		return true
	}
	_, n := utf8.DecodeRuneInString(x.rest())
	t.text, x.at = x.src[x.at:x.at+n], x.at+n
	return true
}

// special reads the strings that only some languages have.
func (x *lexer) special(t *token) bool {
	switch x.src[x.at] {
	case '/':
		return x.regex(t)
	case '<':
		return x.here(t)
	case ':':
		return x.symbol(t)
	case '\'':
		return x.char(t)
	case '[':
		return x.long(t)
	case '!':
		return x.cellCommand(t)
	}
	return x.is["hash"] && x.hashed(t) || x.opened(t)
}

// symbol reads a symbol of Ruby.
func (x *lexer) symbol(t *token) bool {
	w := x.word(x.at + 1)
	if !x.is["symbol"] || w == "" || digit(w[0]) || x.at > 0 && (x.src[x.at-1] == ':' || letter(x.src[x.at-1])) {
		return false
	}
	t.kind, t.text = text, w
	x.at += 1 + len(w)
	return true
}

// long reads [[…]] and [=[…]=] of Lua.
func (x *lexer) long(t *token) bool {
	rest := strings.TrimLeft(x.rest()[1:], "=")
	if !x.is["long"] || !strings.HasPrefix(rest, "[") {
		return false
	}
	level := len(x.rest()) - 1 - len(rest)
	return x.body(t, x.at+level+2, "]"+strings.Repeat("=", level)+"]", quote{multi: true, raw: true})
}

// cellCommand reads a line of a notebook that a shell runs.
func (x *lexer) cellCommand(t *token) bool {
	if x.name != "py" || !t.line {
		return false
	}
	line, _, _ := strings.Cut(x.rest(), "\n")
	t.kind, t.command, t.text = text, true, strings.TrimSpace(strings.TrimLeft(line, "!"))
	x.at += len(line)
	return true
}

func (x *lexer) word(at int) string {
	to := at
	for to < x.max && (letter(x.src[to]) || digit(x.src[to])) {
		to++
	}
	return x.src[at:to]
}

// regex reads a regular expression, if there can be one.
func (x *lexer) regex(t *token) bool {
	if !x.is["regex"] || x.operand() || x.last() == "<" {
		return false
	}
	class := false
	for i := x.at + 1; i < x.max && x.src[i] != '\n'; i++ {
		switch c := x.src[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			t.kind, t.pattern, t.text = text, true, x.src[x.at+1:i]
			x.at = i + 1
			x.at += len(x.word(x.at))
			return true
		}
	}
	return false
}

// here reads a here-document: <<MARK, <<~"MARK", <<<MARK.
func (x *lexer) here(t *token) bool {
	if x.heredocs == "" || !x.has(x.heredocs) {
		return false
	}
	at := x.at + len(x.heredocs)
	if at < x.max && (x.src[at] == '~' || x.src[at] == '-') {
		at++
	}
	q := quote{multi: true, interpolated: true}
	mark := x.word(at)
	quoted := at < x.max && (x.src[at] == '"' || x.src[at] == '\'')
	if quoted {
		mark = x.word(at + 1)
		q.raw, q.interpolated = x.src[at] == '\'', x.src[at] == '"'
		at += 2
	}
	if mark == "" || mark[0] >= 'a' && !quoted && x.heredocs == "<<" {
		return false
	}
	from := min(max(x.after("\n", at), x.heredoc), x.max)
	to, next := x.max, x.max
	for i := from; i < x.max; i = x.after("\n", i) {
		if line := x.src[i:x.after("\n", i)]; strings.TrimRight(strings.TrimSpace(line), ";),.") == mark {
			to, next = i, i+len(line)
			break
		}
	}
	whole := x.max
	x.max = to
	x.body(t, from, "", q)
	x.at, x.max, x.heredoc = min(at+len(mark), whole), whole, next
	return true
}

// closer is the bracket that closes another; 0 for what is none.
func closer(open byte) byte {
	if i := strings.IndexByte("()[]{}<>", open); i >= 0 && i%2 == 0 {
		return "()[]{}<>"[i+1]
	}
	return 0
}

// opened reads a string with a prefix, such as f"…" and qx{…}.
func (x *lexer) opened(t *token) bool {
	for i := range x.openings {
		o := &x.openings[i]
		at := x.at + len(o.open)
		if at >= x.max || !strings.EqualFold(x.src[x.at:at], o.open) {
			continue
		}
		if o.any {
			if x.delimited(t, at, *o) {
				return true
			}
			continue
		}
		for _, q := range x.quotes {
			if strings.HasPrefix(x.src[at:x.max], q.open) {
				q.raw, q.multi, q.doubled, q.interpolated = q.raw || o.raw, q.multi || o.multi, o.doubled, q.interpolated || o.interpolated
				return x.body(t, at+len(q.open), q.close, q)
			}
		}
	}
	return false
}

// delimited reads a string between delimiters of its own choice; at is that of the first one.
func (x *lexer) delimited(t *token, at int, q quote) bool {
	if at >= x.max {
		return false
	}
	c, rest := x.src[at], strings.TrimLeft(x.src[at:x.max], " ")
	switch {
	case letter(c), digit(c), c <= ' ', strings.IndexByte("=,;)}", c) >= 0:
		return false
	case strings.HasPrefix(rest, "=>"), strings.HasSuffix(x.last(), "->"):
		return false
	case q.open[0] == '%' && x.operand() && (!t.space || q.open == "%"):
		return false
	}
	q.open, q.multi = x.src[at:at+1], true
	q.close = q.open
	if c := closer(c); c != 0 {
		q.close = string(c)
	}
	x.body(t, at+1, q.close, q)
	if q.twice {
		// The replacement of a substitution is not followed.
		if q.twice = false; q.open == q.close {
			x.at--
		}
		var second token
		x.delimited(&second, x.at, q)
	}
	return true
}

// hashed reads #"…"#, r#"…"# and r"(…)".
func (x *lexer) hashed(t *token) bool {
	rest := x.rest()
	if x.name == "r" {
		return strings.HasPrefix(rest, `r"(`) && x.body(t, x.at+3, `)"`, quote{multi: true, raw: true})
	}
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "b"), "r")
	quoted := strings.TrimLeft(rest, "#")
	n := len(rest) - len(quoted)
	if n == 0 || !strings.HasPrefix(quoted, `"`) {
		return false
	}
	return x.body(t, x.max-len(quoted)+1, `"`+strings.Repeat("#", n), quote{multi: true, raw: true})
}

// char reads a character in single quotes. Lifetimes of Rust are skipped.
func (x *lexer) char(t *token) bool {
	if !x.is["char"] {
		return false
	}
	if w := x.word(x.at + 1); x.name == "rs" && w != "" && x.at+1+len(w) < x.max && x.src[x.at+1+len(w)] != '\'' {
		x.at += 1 + len(w)
		t.kind, t.text = operator, "&"
		return true
	}
	end := strings.IndexByte(x.src[x.at+1:min(x.max, x.at+13)], '\'')
	if end < 1 || end > 4 && x.src[x.at+1] != '\\' {
		return false
	}
	return x.body(t, x.at+1, "'", quote{})
}

// quoted reads a string in ordinary quotes.
func (x *lexer) quoted(t *token) bool {
	for _, q := range x.quotes {
		if x.has(q.open) {
			return x.body(t, x.at+len(q.open), q.close, q)
		}
	}
	return false
}

func letter(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
