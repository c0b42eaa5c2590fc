package shell

import (
	"slices"
	"strings"
)

// wordParser parses a line like the host's parser. Unlike a shell, it skips text that it cannot
// parse, and it looks for the first command anywhere in the line. A method named after a construct
// parses that construct and returns the words of its first command, or nil.
type wordParser struct {
	text string
	at   int
	// depth is the number of substitutions that enclose the current position. tooDeep reports
	// whether the limit was exceeded.
	depth   int
	tooDeep bool
}

// maxDepth is the maximum nesting depth of substitutions. The host runs out of time or space at 8
// to 12 levels.
const maxDepth = 8

// commandKind is the kind of command that precedes a redirection.
type commandKind int

const (
	// simpleCommand is a command without a preceding negation or operator. Redirections are part of
	// the command.
	simpleCommand commandKind = iota
	// joinedCommand is a negated command or a command that follows an operator. A redirection after
	// it hides everything before the redirection and consumes all words that follow.
	joinedCommand
	// compoundCommand is a subshell or similar construct. A redirection after it hides the command
	// and consumes one word.
	compoundCommand
)

// statements parses statements up to closer, or up to a statement that starts with one of words.
func (p *wordParser) statements(closer string, words ...string) (first []string) {
	for {
		p.lines()
		if p.end() || closer != "" && p.is(closer) || slices.Contains(words, p.literal()) {
			return first
		}
		start := p.at
		if found := p.list(); first == nil {
			first = found
		}
		if p.at == start {
			p.skipToken()
		}
	}
}

// list parses commands joined by operators.
func (p *wordParser) list() []string {
	first, kind := p.command()
	for {
		if p.redirections(kind != compoundCommand) && kind != simpleCommand {
			first = nil
		}
		if !p.operator() {
			return first
		}
		p.lines()
		found, next := p.command()
		if first == nil {
			first = found
		}
		kind = max(next, joinedCommand)
	}
}

// operator skips a pipe, "&&" or "||". It returns false if there is none.
func (p *wordParser) operator() bool {
	p.blanks()
	for _, op := range []string{"&&", "||", "|&", "|"} {
		if p.skip(op) {
			return true
		}
	}
	return false
}

// command parses one command of any kind.
func (p *wordParser) command() ([]string, commandKind) {
	p.blanks()
	switch {
	case p.skip("(("):
		return p.arithmetic(), compoundCommand
	case p.skip("("):
		first := p.statements(")")
		p.skip(")")
		return first, compoundCommand
	case p.skip("[["):
		return p.test("]]"), compoundCommand
	case p.skip("["):
		return p.test("]"), compoundCommand
	}
	word := p.literal()
	p.at += len(word)
	switch word {
	case "!":
		if p.blankFollows() {
			first, kind := p.command()
			return first, max(kind, joinedCommand)
		}
	case "{":
		if p.blankFollows() {
			return p.block("}"), compoundCommand
		}
	case "if":
		return p.block("fi", "then", "elif", "else"), compoundCommand
	case "while", "until":
		return p.block("done", "do"), compoundCommand
	case "for", "select":
		return p.loop(), compoundCommand
	case "case":
		return p.cases(), compoundCommand
	case "function":
		p.blanks()
		p.skipToken()
		p.emptyParens()
		return p.functionBody(), simpleCommand
	case "declare", "export", "local", "readonly", "typeset":
		p.arguments(nil)
		return []string{word}, simpleCommand
	case "unset", "unsetenv":
		return p.substitutions(), simpleCommand
	}
	p.at -= len(word)
	if isReserved(word) {
		return nil, simpleCommand
	}
	words, _ := p.simpleWords(true)
	return words, simpleCommand
}

// isReserved reports whether a word is a keyword, such as then or done, that cannot start a command
// and is skipped.
func isReserved(word string) bool {
	switch word {
	case "then", "elif", "else", "fi", "do", "done", "esac", "}":
		return true
	}
	return false
}

func firstOf(a, b []string) []string {
	if a != nil {
		return a
	}
	return b
}

// block parses statements up to the word last. The words in between, such as then and else, start
// new sections of the block.
func (p *wordParser) block(last string, between ...string) (first []string) {
	for {
		first = firstOf(first, p.statements("", append(between, last)...))
		word := p.literal()
		p.at += len(word)
		if word == last || p.end() {
			return first
		}
	}
}

// body parses "do … done" if it follows.
func (p *wordParser) body() []string {
	p.blanks()
	p.skip(";")
	start := p.at
	p.lines()
	if p.literal() != "do" {
		p.at = start
		return nil
	}
	p.skip("do")
	return p.block("done")
}

// loop parses the text after "for" or "select".
func (p *wordParser) loop() (first []string) {
	p.blanks()
	if p.skip("((") {
		first = p.arithmetic()
		return firstOf(first, p.body())
	}
	p.skipToken()
	p.blanks()
	if p.literal() == "in" {
		p.skip("in")
		first = p.substitutions()
	}
	return firstOf(first, p.body())
}

// cases parses the text after "case".
func (p *wordParser) cases() []string {
	p.blanks()
	first := p.word().command
	p.lines()
	if p.literal() == "in" {
		p.skip("in")
	}
	for start := -1; p.at > start; {
		start = p.at
		p.lines()
		if p.literal() == "esac" {
			p.skip("esac")
			return first
		}
		p.skip("(")
		for more := true; more; more = p.skip("|") {
			p.blanks()
			p.word()
			p.blanks()
		}
		p.skip(")")
		first = firstOf(first, p.statements(";;", "esac"))
		p.skip(";;")
	}
	return first
}

// emptyParens skips "()", which makes the preceding word a function name. It returns false if the
// next text is anything else.
func (p *wordParser) emptyParens() bool {
	start := p.at
	p.blanks()
	if p.skip("(") {
		if p.blanks(); p.skip(")") {
			return true
		}
	}
	p.at = start
	return false
}

// functionBody parses the command that forms a function's body, including its redirections.
func (p *wordParser) functionBody() []string {
	p.lines()
	first, kind := p.command()
	p.redirections(kind != compoundCommand)
	return first
}

// test parses the text after "[" or "[[". Inside "[", "<" and ">" are redirections. If there is
// one, "[" begins an ordinary command, and test returns its words (case h72). A missing closing
// bracket is not an error.
func (p *wordParser) test(closer string) []string {
	if p.blanks(); p.skip(closer) {
		return nil
	}
	if start := p.at; closer == "]" {
		words, redirected := p.simpleWords(false)
		if redirected = p.redirections(true) || redirected; redirected && words != nil {
			return words
		}
		p.at = start
	}
	first := p.expression(closer)
	for p.comparison(closer) {
		first = firstOf(first, p.expression(closer))
	}
	if p.blanks(); p.is(closer) {
		p.at += len(closer)
	}
	return first
}

// comparison skips an operator between two expressions. It returns false if there is none.
func (p *wordParser) comparison(closer string) bool {
	p.blanks()
	rest := p.text[p.at:]
	op := rest[:len(rest)-len(strings.TrimLeft(rest, "=!~"))]
	switch {
	case op == "=" || op == "==" || op == "!=" || op == "=~":
	case len(rest) > 3 && rest[0] == '-' && isNameByte(rest[1]):
		op = p.literal()
		if strings.Trim(op[1:], "abcdefghijklmnopqrstuvwxyz") != "" {
			return false
		}
	case closer == "]]" && (p.is("&&") || p.is("||")):
		op = rest[:2]
	case closer == "]]" && (p.is("<") || p.is(">")):
		op = rest[:1]
	default:
		return false
	}
	p.at += len(op)
	return true
}

// expression parses an operand of a test.
func (p *wordParser) expression(closer string) []string {
	p.blanks()
	word := p.literal()
	unary := word == "!" || len(word) == 2 && word[0] == '-' && isNameByte(word[1])
	switch {
	case word == closer:
		return nil
	case p.skip("("):
		first := p.expression(closer)
		p.blanks()
		p.skip(")")
		return first
	case unary && p.at+len(word) < len(p.text) && isBlank(p.text[p.at+len(word)]):
		p.at += len(word)
		return p.expression(closer)
	}
	return p.word().command
}

// substitutions parses words up to the end of the command and returns the first command in the
// words' substitutions.
func (p *wordParser) substitutions() (first []string) {
	for {
		p.blanks()
		start := p.at
		if p.end() || strings.IndexByte("\n;&|)#", p.text[p.at]) >= 0 {
			return first
		}
		first = firstOf(first, p.word().command)
		if p.at == start {
			p.at++
		}
	}
}

// arithmetic skips the text after "((" up to ")", and a second ")" if one follows.
func (p *wordParser) arithmetic() (first []string) {
	for !p.end() && !p.skip(")") {
		start := p.at
		switch {
		case p.text[p.at] == '(':
			p.parens()
		case p.text[p.at] == '$':
			first = firstOf(first, p.word().command)
		}
		if p.at == start {
			p.at++
		}
	}
	p.skip(")")
	return first
}

// simpleWords returns the words of a simple command or, if functions is set, of a function body.
// redirected reports whether a redirection precedes the command name.
func (p *wordParser) simpleWords(functions bool) (words []string, redirected bool) {
	prefix, assigned := false, false
	for more := true; more; prefix = prefix || more {
		p.blanks()
		switch {
		case p.assignment():
			assigned = true
		case p.redirection(false):
			redirected = true
		case p.skip("<<<"):
			p.blanks()
			p.word()
		case prefix && p.is("(") && !p.is("(("):
			p.parens()
		default:
			more = false
		}
	}
	if assigned && redirected {
		// A redirection makes this a command even without a name. Such a command has no words.
		words = []string{}
	}
	if p.end() || strings.IndexByte("#`", p.text[p.at]) >= 0 || prefix && p.endsPrefix() {
		return words, redirected
	}
	name := p.word()
	if name.pieces == 0 {
		return words, redirected
	}
	if functions && !prefix && name.kind == literalPiece && p.emptyParens() {
		start := p.at
		if first := p.functionBody(); first != nil || p.at > start {
			return first, false
		}
	}
	return p.arguments([]string{name.text}), redirected
}

// endsPrefix reports whether the word at the current position, which follows variable assignments,
// starts another statement.
func (p *wordParser) endsPrefix() bool {
	word := p.literal()
	switch word {
	case "if", "while", "until", "for", "select", "case", "function":
		return true
	case "!":
		return p.at+1 < len(p.text) && isBlank(p.text[p.at+1])
	}
	return isReserved(word)
}

// arguments appends a command's arguments to words. It includes strings and plain words, but not
// expansions that form a whole word. A command substitution outside quotes ends the arguments.
func (p *wordParser) arguments(words []string) []string {
	stopped := false
	for {
		p.blanks()
		start := p.at
		switch {
		case p.end(), strings.IndexByte("\n;&|)#", p.text[p.at]) >= 0, p.is("(("):
			return words
		case p.is("("):
			p.parens()
			continue
		case p.skip("<<<"):
			p.blanks()
			p.word()
			continue
		case p.redirectionLength() > 0:
			return words
		}
		w := p.word()
		switch {
		case w.pieces == 0:
			p.at = start + 1
		case w.substitutes:
			stopped = true
		case stopped, p.text[start:p.at] == "=", w.pieces == 1 && w.kind == expansionPiece:
		case p.is("(") && (w.pieces > 1 || w.kind == literalPiece):
		default:
			words = append(words, w.text)
		}
	}
}

// assignment skips name=value, name+=value or name[i]=value. It returns false if there is none.
func (p *wordParser) assignment() bool {
	rest := p.text[p.at:]
	n := 0
	for n < len(rest) && isNameByte(rest[n]) && (n > 0 || rest[n] > '9') {
		n++
	}
	if n > 0 && n < len(rest) && rest[n] == '[' {
		end := strings.IndexByte(rest[n:], ']')
		if end < 0 {
			return false
		}
		n += end + 1
	}
	if n > 0 && n < len(rest) && rest[n] == '+' {
		n++
	}
	if n == 0 || n == len(rest) || rest[n] != '=' || n+1 < len(rest) && rest[n+1] == '=' {
		return false
	}
	p.at += n + 1
	if !p.is("(") {
		p.word()
		return true
	}
	return p.parens()
}

// redirections skips redirections. If all is set, a redirection takes all words that follow it.
// found reports whether there were any.
func (p *wordParser) redirections(all bool) (found bool) {
	for p.blanks(); p.redirection(all); p.blanks() {
		found = true
	}
	return found
}

// redirection skips one redirection and, if all is set, all words that follow it. It returns false
// if there is none.
func (p *wordParser) redirection(all bool) bool {
	n := p.redirectionLength()
	if n == 0 {
		return false
	}
	op := p.text[p.at : p.at+n]
	p.at += n
	p.blanks()
	if strings.HasSuffix(op, "<<") || strings.HasSuffix(op, "<<-") {
		p.hereDocument()
		return true
	}
	for more := true; more; more = all {
		start := p.at
		p.blanks()
		if p.redirectionLength() > 0 || p.end() || p.text[p.at] == '#' || p.word().pieces == 0 {
			p.at = start
			break
		}
	}
	return true
}

// redirectionLength returns the length of the redirection operator at the current position,
// including a file descriptor, or 0. It ignores here-strings and process substitutions.
func (p *wordParser) redirectionLength() int {
	rest := p.text[p.at:]
	if strings.HasPrefix(rest, "<<<") {
		return 0
	}
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	for _, op := range []string{"&>>", "&>", "<<-", "<<", "<>", "<&", "<", ">>", ">&", ">|", ">"} {
		if !strings.HasPrefix(rest[digits:], op) || digits > 0 && op[0] == '&' {
			continue
		}
		if after := rest[digits+len(op):]; len(op) == 1 && strings.HasPrefix(after, "(") {
			return 0
		}
		return digits + len(op)
	}
	return 0
}

// hereDocument skips the rest of the line and the lines after it, up to the delimiter.
func (p *wordParser) hereDocument() {
	delimiter := p.word().text
	line, rest, _ := strings.Cut(p.text[p.at:], "\n")
	p.at += len(line)
	for rest != "" {
		line, rest, _ = strings.Cut(rest, "\n")
		p.at += 1 + len(line)
		if strings.Trim(line, "\t") == delimiter {
			return
		}
	}
	p.at = len(p.text)
}
