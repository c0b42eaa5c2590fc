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
	for x.name == "rs" && x.has("'") && x.at+2 < x.max && letter(x.src[x.at+1]) && x.src[x.at+2] != '\'' {
		// A lifetime.
		x.at += 1 + len(x.word(x.at+1))
		space = x.blank() || space
	}
	if x.at >= x.max {
		return false
	}
	t := token{start: x.at, line: x.line, space: space || x.line, column: x.column}
	x.line = false
	x.escapes = 0
	c := x.src[x.at]
	switch {
	case letter(c):
		_ = x.special(&t) || x.ident(&t)
	case x.special(&t), x.quoted(&t):
	case digit(c):
		t.kind = number
		for x.at < x.max && (letter(x.src[x.at]) || digit(x.src[x.at]) || x.src[x.at] == '.' && x.at+1 < x.max && digit(x.src[x.at+1])) {
			x.at++
		}
		t.text = x.src[t.start:x.at]
	case x.ident(&t):
	default:
		x.operator(&t)
	}
	if n := len(t.text); x.escapes >= 4 && x.escapes*2 >= n {
		t.escaped = true
	}
	t.end = x.at
	x.tokens = append(x.tokens, t)
	return true
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
	for from < x.max && strings.IndexByte(x.sigil, x.src[from]) >= 0 && from < x.at+3 {
		if (x.src[from] == '%' || x.src[from] == '&') && x.operand() {
			return false
		}
		from++
	}
	sigil := from > x.at
	if sigil && from < x.max && x.src[from] == '{' && x.name == "pl" {
		// ${name} and @{$list}: what is in braces is an expression.
		x.at = from
		return false
	}
	to := from
	for to < x.max && (letter(x.src[to]) || digit(x.src[to]) && to > from || x.src[to] == '$' && x.name == "js") {
		to++
	}
	if to == from {
		if !sigil {
			return false
		}
		to = min(from+1, x.max)
	}
	if x.name == "rb" && to < x.max && (x.src[to] == '?' || x.src[to] == '!') && (to+1 >= x.max || x.src[to+1] != '=') {
		to++
	}
	t.kind, t.text = name, x.src[from:to]
	if x.name == "rb" && x.src[x.at] == '@' {
		t.text = "@" + t.text
	}
	x.at = to
	if x.is["nocase"] && !sigil {
		t.text = lowerWord(x.language, t.text)
	}
	for _, phrase := range x.phrase {
		words := strings.ReplaceAll(phrase, "_", " ")
		if n := t.start + len(words); n <= x.max && strings.EqualFold(x.src[t.start:n], words) {
			t.text, x.at = phrase, n
		}
	}
	return true
}

// lowerWord writes a word of the language in lowercase, and leaves other names as they are.
func lowerWord(l *language, s string) string {
	if low := strings.ToLower(s); l.words[low] != ordinary {
		return low
	}
	return s
}

var operators = [...]string{
	"===", "!==", "**=", "...", "<=>", "||=", "&&=", "??=", "<<=", ">>=", "?->", "->", "=>", "::", ":=", "?.", "??", "||", "&&", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", ".=",
	"|=", "&=", "..", "<-", "<<", ">>", "=~", "!~", "|>", "<>", "++", "--", "?:", "&.", "?>",
}

func (x *lexer) operator(t *token) {
	t.kind = operator
	for _, op := range operators {
		if op[0] != x.src[x.at] {
			continue
		}
		if !x.has(op) {
			continue
		}
		if op == "::" && x.name == "py" || op == "?:" && x.name == "js" || op == "?>" && x.name != "php" {
			continue
		}
		if op == "?>" {
			x.at = x.after("<?", x.at)
			t.text = ";"
			return
		}
		t.text, x.at = op, x.at+len(op)
		return
	}
	_, n := utf8.DecodeRuneInString(x.rest())
	t.text, x.at = x.src[x.at:x.at+n], x.at+n
}

// special reads the strings that only some languages have.
func (x *lexer) special(t *token) bool {
	c := x.src[x.at]
	switch {
	case c == '/' && x.is["regex"]:
		return x.regex(t)
	case c == '<' && (x.is["heredoc"] || x.is["heredoc<<"] || x.is["heredoc<<<"]):
		return x.here(t)
	case c == '%' && x.is["percent"]:
		return x.percent(t)
	case c == ':' && x.is["symbol"] && x.at+1 < x.max && letter(x.src[x.at+1]) && (x.at == 0 || x.src[x.at-1] != ':' && !letter(x.src[x.at-1])):
		t.kind, t.text = text, x.word(x.at+1)
		x.at += 1 + len(t.text)
		return true
	case c == '\'' && x.is["char"]:
		return x.char(t)
	case c == '[' && x.is["long"] && (x.has("[[") || x.has("[=")):
		level := len(x.rest()) - len(strings.TrimLeft(x.rest()[1:], "=")) - 1
		if x.at+1+level >= x.max || x.src[x.at+1+level] != '[' {
			return false
		}
		x.body(t, x.at+level+2, "]"+strings.Repeat("=", level)+"]", quote{multi: true, raw: true})
		return true
	case c == '!' && x.name == "py" && t.line && x.at+1 < x.max:
		// A notebook gives such a line to a shell.
		to := x.after("\n", x.at)
		t.kind, t.command, t.text, x.at = text, true, strings.TrimSpace(strings.TrimLeft(x.src[x.at:to], "!")), to
		if x.src[to-1] == '\n' {
			x.at--
		}
		return true
	case letter(c):
		return x.prefixed(t)
	case c == '@' || c == '$' || c == '#':
		return strings.IndexByte(x.prefix, c) >= 0 && x.prefixed(t) || c == '#' && x.is["hash"] && x.hashed(t)
	}
	return false
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
	if x.operand() || len(x.tokens) > 0 && x.tokens[len(x.tokens)-1].text == "<" {
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

// here reads a here-document.
func (x *lexer) here(t *token) bool {
	open := "<<"
	if x.is["heredoc<<<"] {
		open = "<<<"
	}
	if !x.has(open) {
		return false
	}
	at := x.at + len(open)
	if at < x.max && (x.src[at] == '~' || x.src[at] == '-') {
		at++
	}
	q := quote{multi: true, interpolated: true}
	mark := ""
	if at < x.max && (x.src[at] == '"' || x.src[at] == '\'') {
		to := x.after(x.src[at:at+1], at+1)
		q.raw, q.interpolated = x.src[at] == '\'', x.src[at] == '"'
		mark, at = strings.Trim(x.src[at:to], `"'`), to
	} else if mark = x.word(at); mark != "" && (letter(mark[0]) && mark[0] < 'a' || open == "<<<") {
		at += len(mark)
	} else {
		return false
	}
	if mark == "" || strings.ContainsAny(mark, "\n\r ") {
		return false
	}
	from := max(x.after("\n", at), x.heredoc)
	to, stop := x.max, x.max
	for i := from; i < x.max; {
		n := x.after("\n", i)
		if line := strings.TrimRight(strings.TrimSpace(x.src[i:n]), ";),."); line == mark {
			to, stop = i, n
			break
		}
		i = n
	}
	saved := x.max
	x.max = max(to, from)
	x.body(t, min(from, x.max), "", q)
	x.max = saved
	x.at, x.heredoc = at, stop
	return true
}

// closer is the bracket that closes another; 0 for what is none.
func closer(open byte) byte {
	if i := strings.IndexByte("()[]{}<>", open); i >= 0 && i%2 == 0 {
		return "()[]{}<>"[i+1]
	}
	return 0
}

// delimited reads a string between delimiters of its own choice; at is that of the first one.
func (x *lexer) delimited(t *token, at int, q quote) bool {
	if at >= x.max || letter(x.src[at]) || digit(x.src[at]) || x.src[at] <= ' ' || x.src[at] == '=' || x.src[at] == ',' || x.src[at] == ';' {
		return false
	}
	q.open, q.multi = x.src[at:at+1], true
	q.close = q.open
	if c := closer(x.src[at]); c != 0 {
		q.close = string(c)
	}
	x.body(t, at+1, q.close, q)
	return true
}

// percent reads the strings of Ruby that begin with %.
func (x *lexer) percent(t *token) bool {
	at := x.at + 1
	if at >= x.max || x.operand() && (!t.space || x.src[at] == ' ' || x.src[at] == '=') {
		return false
	}
	c := x.src[at]
	switch {
	case strings.IndexByte("xqQwWiI", c) >= 0:
		ok := x.delimited(t, at+1, quote{raw: c == 'q' || c == 'w', interpolated: c == 'x' || c == 'Q' || c == 'W'})
		t.command, t.words = ok && c == 'x', ok && (c|0x20 == 'w' || c|0x20 == 'i')
		return ok
	case c == '(' || c == '{' || c == '[':
		return x.delimited(t, at, quote{interpolated: true})
	}
	return false
}

// prefixed reads strings that begin with a letter: those with a prefix, and the q-operators of Perl.
func (x *lexer) prefixed(t *token) bool {
	if x.is["qops"] {
		w := x.word(x.at)
		switch w {
		case "q", "qq", "qx", "qw", "m", "qr", "s", "tr", "y":
		default:
			return false
		}
		at := x.at + len(w)
		if len(x.tokens) > 0 && strings.HasSuffix(x.tokens[len(x.tokens)-1].text, "->") || strings.HasPrefix(strings.TrimLeft(x.src[at:x.max], " "), "=>") || strings.HasPrefix(x.src[at:x.max], "}") {
			return false
		}
		if !x.delimited(t, at, quote{raw: w == "q", interpolated: w == "qq" || w == "qx"}) {
			return false
		}
		t.command, t.words, t.pattern = w == "qx", w == "qw", w[0] == 'm' || w == "qr" || w == "s" || w == "tr" || w == "y"
		if w == "s" || w == "tr" || w == "y" {
			// The replacement is not followed.
			from := x.at
			if x.src[x.at-1] == x.src[at] {
				from--
			}
			var second token
			x.delimited(&second, from, quote{raw: true})
		}
		return true
	}
	n := 0
	for x.at+n < x.max && n < 3 && x.prefix != "" && strings.IndexByte(x.prefix, lower(x.src[x.at+n])) >= 0 {
		n++
	}
	if x.at+n < x.max && x.is["hash"] && x.src[x.at] == 'r' {
		if saved := x.at; x.src[x.at+1] == '#' || x.name == "r" {
			x.at++
			if x.hashed(t) {
				return true
			}
			x.at = saved
		}
	}
	if n == 0 || x.at+n >= x.max {
		return false
	}
	head := strings.ToLower(x.src[x.at : x.at+n])
	saved := x.at
	x.at += n
	for _, q := range x.quotes {
		if x.has(q.open) {
			raw := strings.ContainsAny(head, "r@")
			q.raw, q.doubled = q.raw || raw, q.doubled || head != "r" && strings.Contains(head, "@")
			q.multi = q.multi || strings.Contains(head, "@")
			q.interpolated = q.interpolated || strings.ContainsAny(head, "f$")
			if x.body(t, x.at+len(q.open), q.close, q) {
				return true
			}
		}
	}
	x.at = saved
	return false
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// hashed reads #"…"# and r"(…)", at the hash or the quote.
func (x *lexer) hashed(t *token) bool {
	n := len(x.rest()) - len(strings.TrimLeft(x.rest(), "#"))
	at := x.at + n
	switch {
	case at >= x.max || x.src[at] != '"':
		return false
	case x.name == "r":
		if at+1 >= x.max || x.src[at+1] != '(' {
			return false
		}
		return x.body(t, at+2, `)"`, quote{multi: true, raw: true})
	case n == 0:
		return false
	}
	return x.body(t, at+1, `"`+strings.Repeat("#", n), quote{multi: true, raw: true})
}

// char reads a character in single quotes; others, such as the lifetimes of Rust, are operators.
func (x *lexer) char(t *token) bool {
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
