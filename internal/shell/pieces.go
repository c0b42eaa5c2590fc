package shell

import "strings"

// pieceKind is a kind of word part.
type pieceKind int

const (
	literalPiece pieceKind = iota
	stringPiece
	// expansionPiece is a part that a shell would expand, such as a variable or a substitution.
	expansionPiece
)

// parsedWord is a word in an argument line.
type parsedWord struct {
	// text is the word without quotes, and without backslashes outside quotes. Expansions stay as
	// written.
	text string
	// pieces is the number of parts that the word consists of, and kind is the kind of the last
	// part.
	pieces int
	kind   pieceKind
	// substitutes reports whether the word has a command or process substitution outside quotes.
	// command holds the words of the first command in the word's substitutions.
	substitutes bool
	command     []string
}

// word parses a word. If no word starts at the current position, the result has no pieces.
func (p *wordParser) word() (w parsedWord) {
	var b strings.Builder
	for !p.end() {
		start := p.at
		text, kind := p.piece(&w)
		if p.at == start {
			break
		}
		b.WriteString(text)
		w.kind = kind
		w.pieces++
	}
	w.text = b.String()
	if w.pieces == 1 && isSequence(w.text) {
		w.kind = expansionPiece
	}
	return w
}

// isSequence reports whether a word is a brace range, such as {1..3} or {a..c}.
func isSequence(s string) bool {
	inner, ok := strings.CutPrefix(s, "{")
	inner, closed := strings.CutSuffix(inner, "}")
	from, to, ranges := strings.Cut(inner, "..")
	if !ok || !closed || !ranges {
		return false
	}
	if strings.Trim(from+to, "0123456789") == "" {
		return from != "" && to != ""
	}
	return len(from) == 1 && len(to) == 1 && isLetter(from[0]) && isLetter(to[0])
}

// isLetter reports whether c is an ASCII letter.
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// piece parses one part of a word. It returns the part's value and kind.
func (p *wordParser) piece(w *parsedWord) (string, pieceKind) {
	start := p.at
	raw := func() string { return p.text[start:p.at] }
	switch c := p.text[p.at]; {
	case c == '"':
		p.double(w)
		return unquoted(raw(), '"'), stringPiece
	case c == '\'':
		p.single()
		return unquoted(raw(), '\''), stringPiece
	case c == '$':
		p.dollar(w)
		return raw(), expansionPiece
	case c == '`':
		w.substitutes = true
		p.backquoted(w)
		return raw(), expansionPiece
	case p.is("<("), p.is(">("):
		w.substitutes = true
		p.at += 2
		p.substituted(w)
		return raw(), expansionPiece
	}
	n := p.literalLength()
	p.at += n
	return unescape(p.text[start:p.at]), literalPiece
}

// unquoted removes a string's quotes. An unclosed string stays as written.
func unquoted(s string, quote byte) string {
	if len(s) < 2 || s[len(s)-1] != quote || quote == '"' && ClosingQuote(s[1:], quote) < 0 {
		return s
	}
	return s[1 : len(s)-1]
}

// single skips a single-quoted string, or the rest of the line if the quote is unclosed.
func (p *wordParser) single() {
	p.at++
	p.past("'")
}

// past moves past the next occurrence of s, or to the end.
func (p *wordParser) past(s string) {
	if n := strings.Index(p.text[p.at:], s); n >= 0 {
		p.at += n + len(s)
		return
	}
	p.at = len(p.text)
}

// double skips a double-quoted string, including its substitutions.
func (p *wordParser) double(w *parsedWord) {
	for p.at++; !p.end(); {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return
		case c == '\\':
			p.at = min(p.at+2, len(p.text))
		case c == '`':
			p.backquoted(w)
		case c == '$' && (p.is("$(") || p.is("${")):
			inner := *w
			p.dollar(&inner)
			w.command = inner.command
		default:
			p.at++
		}
	}
}

// dollar skips an expansion, or only the "$" if no expansion follows.
func (p *wordParser) dollar(w *parsedWord) {
	switch {
	case p.skip("$(("):
		w.command = firstOf(w.command, p.arithmetic())
	case p.skip("$("):
		w.substitutes = true
		p.substituted(w)
	case p.skip("$["):
		p.past("]")
	case p.skip("${"):
		p.braces(w)
	case p.is("$'"):
		for p.at += 2; !p.end() && !p.skip("'"); p.at++ {
			if p.text[p.at] == '\\' && p.at+1 < len(p.text) {
				p.at++
			}
		}
	default:
		p.at++
		p.variable()
	}
}

// variable skips a variable name, if one follows the "$".
func (p *wordParser) variable() {
	if p.end() {
		return
	}
	if c := p.text[p.at]; !isLetter(c) && c != '_' {
		if strings.IndexByte("0123456789?$#@*!-", c) >= 0 {
			p.at++
		}
		return
	}
	for !p.end() && isNameByte(p.text[p.at]) {
		p.at++
	}
}

// braces skips the text after "${" up to the closing brace.
func (p *wordParser) braces(w *parsedWord) {
	for !p.end() && !p.skip("}") {
		switch c := p.text[p.at]; {
		case c == '"':
			p.double(w)
		case c == '\'':
			p.single()
		case c == '\\':
			p.at = min(p.at+2, len(p.text))
		case p.is("${"), p.is("$("):
			p.dollar(w)
		default:
			p.at++
		}
	}
}

// substituted parses the commands in a substitution up to its closing parenthesis.
func (p *wordParser) substituted(w *parsedWord) {
	if p.depth++; p.depth > maxDepth {
		p.tooDeep, p.at = true, len(p.text)
		return
	}
	defer func() { p.depth-- }()
	w.command = firstOf(w.command, p.statements(")"))
	p.skip(")")
}

// backquoted parses a backquoted substitution.
func (p *wordParser) backquoted(w *parsedWord) {
	start := p.at + 1
	for p.at++; !p.end() && p.text[p.at] != '`'; p.at++ {
		if p.text[p.at] == '\\' && p.at+1 < len(p.text) {
			p.at++
		}
	}
	inner := wordParser{text: p.text[start:p.at], depth: p.depth}
	w.command = firstOf(w.command, inner.statements(""))
	p.tooDeep = p.tooDeep || inner.tooDeep
	p.skip("`")
}

// parens skips text in parentheses, or the rest of the line if the parenthesis is unclosed. It
// returns false if no parenthesis is at the current position.
func (p *wordParser) parens() bool {
	if !p.skip("(") {
		return false
	}
	for !p.end() && !p.skip(")") {
		switch c := p.text[p.at]; {
		case c == '(':
			p.parens()
		case c == '#' && isBlank(p.text[p.at-1]):
			p.past("\n")
		case isBlank(c) || strings.IndexByte("\n;&|<>", c) >= 0:
			p.at++
		default:
			if p.word().pieces == 0 {
				p.at++
			}
		}
	}
	return true
}

// literalLength returns the length of the text up to the next quote, expansion,
// operator or whitespace. Inside braces, quotes and expansions are plain text:
// {"a": "b"} consists of the words {"a": and b}.
func (p *wordParser) literalLength() int {
	const ends = " \t\r\n;&|<>()"
	rest := p.text[p.at:]
	braces := false
	for n := 0; n < len(rest); n++ {
		switch c := rest[n]; {
		case strings.IndexByte(ends, c) >= 0, !braces && strings.IndexByte("'\"$`", c) >= 0:
			return n
		case c == '\\' && (n+1 == len(rest) || rest[n+1] == '\n'):
			return n
		case c == '\\':
			n++
		case c == '{':
			braces = true
		case c == '}':
			braces = false
		}
	}
	return len(rest)
}

// literal returns the text up to the next special character.
func (p *wordParser) literal() string { return p.text[p.at : p.at+p.literalLength()] }

// unescape removes backslashes from unquoted text.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func (p *wordParser) end() bool { return p.at >= len(p.text) }

// is reports whether s is at the current position. skip does the same and, if so, moves past s.
func (p *wordParser) is(s string) bool { return strings.HasPrefix(p.text[p.at:], s) }

func (p *wordParser) skip(s string) bool {
	if !p.is(s) {
		return false
	}
	p.at += len(s)
	return true
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// blankFollows reports whether whitespace is at the current position.
func (p *wordParser) blankFollows() bool { return !p.end() && isBlank(p.text[p.at]) }

// blanks skips whitespace within a line, line continuations, and a trailing backslash.
func (p *wordParser) blanks() {
	for !p.end() {
		switch c := p.text[p.at]; {
		case c == ' ', c == '\t', c == '\r':
			p.at++
		case p.is("\\\n"):
			p.at += 2
		case c == '\\' && p.at+1 == len(p.text):
			p.at++
		default:
			return
		}
	}
}

// lines skips whitespace, newlines and comments.
func (p *wordParser) lines() {
	for {
		p.blanks()
		switch {
		case p.skip("\n"):
		case p.is("#"):
			p.past("\n")
		default:
			return
		}
	}
}

// skipToken skips input that cannot be part of a command: a word, a
// single-quoted string, or a single character.
func (p *wordParser) skipToken() {
	switch n := p.literalLength(); {
	case n > 0:
		p.at += n
	case p.end():
	case p.text[p.at] == '\'':
		p.single()
	default:
		p.at++
	}
}
