package code

import (
	"slices"
	"strings"
)

type op uint8

const (
	opNone op = iota
	opName
	opText
	opNumber
	opList
	opBrace  // statements or pairs in braces
	opPair   // key: value
	opCall   // callee, arguments
	opAttr   // owner; text is the name
	opIndex  // owner, keys
	opBinary // left, right
	opAssign // target, value
	opFunc
	opReturn
	opLoop          // loop target, iterated value
	opComprehension // value, then opLoop and conditions
	opConditional
	opNot
	opSpread
	opImport // text is the local name, and kids[0] is the imported name.
	opSequence
)

// node is an expression or statement in any language.
type node struct {
	op         op
	start, end int
	// column is the indentation of the line on which a statement starts.
	column int
	text   string
	kids   []*node
	// quote is the syntax of a string literal. texts holds the literal parts of the string, before,
	// between and after its expressions.
	quote *quote
	texts []string
	fn    *function
}

// function is a function defined in the code.
type function struct {
	name   string
	params []*node
	body   []*node
	// scope is the enclosing scope, reader evaluated the definition, and active reports whether the
	// body is being evaluated.
	scope  *scope
	reader *reader
	active bool
	// evals is the number of times that the body was evaluated, and steps is the total number of
	// steps in these evaluations. result is the combined result.
	evals, steps int
	result       value
}

// parser parses tokens into nodes. It tolerates syntax errors and skips anything that it does not
// understand.
type parser struct {
	*language
	src       string
	tokens    []token
	at, depth int
	// bracket counts the enclosing brackets in which line breaks are ignored.
	bracket int
	// bodyBraces reports whether an opening brace starts the body of a statement rather than an
	// argument.
	bodyBraces bool
	// open holds the closing brackets that match the brackets that are currently open.
	open  []byte
	funcs map[string][]*function
}

const maxDepth = 120

func parse(l *language, src string) ([]*node, map[string][]*function, bool) {
	p := &parser{language: l, src: src, tokens: l.tokens(src, 0, len(src)), funcs: map[string][]*function{}}
	return p.statements("", -1), p.funcs, len(p.tokens) < maxTokens
}

func (p *parser) node(op op, start int, kids ...*node) *node {
	return &node{op: op, start: start, end: p.prevEnd(), kids: kids}
}

func (p *parser) peek() *token { return p.ahead(0) }

func (p *parser) ahead(n int) *token { return &p.tokens[min(p.at+n, len(p.tokens)-1)] }

// prevEnd returns the end offset of the previous token.
func (p *parser) prevEnd() int {
	if p.at == 0 {
		return p.tokens[0].start
	}
	return p.tokens[min(p.at, len(p.tokens))-1].end
}

func (t *token) is(s string) bool { return t.kind == operator && t.text == s }

func (p *parser) nextIs(s string) bool { return p.peek().is(s) }

// nextIsOneOf reports whether the next token is one of the given one-character operators.
func (p *parser) nextIsOneOf(s string) bool {
	t := p.peek()
	return t.kind == operator && len(t.text) == 1 && strings.Contains(s, t.text)
}

// accept skips the next token if it is the given operator or word.
func (p *parser) accept(s string) bool {
	if t := p.peek(); t.text == s && (t.kind == operator || t.kind == name) {
		p.at++
		return true
	}
	return false
}

// startsLine reports whether the next token starts a new line, which ends the statement.
func (p *parser) startsLine() bool {
	t := p.peek()
	return t.kind == end || t.line && p.bracket == 0
}

// statements reads statements up to and including the closing bracket stop, unless stop is "". If
// column is not negative, it stops at the first line that is indented by at most column.
func (p *parser) statements(stop string, column int) []*node {
	var list []*node
	if p.depth >= maxDepth {
		p.at++
		return nil
	}
	p.depth++
	defer func() { p.depth-- }()
	for p.peek().kind != end {
		t := p.peek()
		switch {
		case stop != "" && t.is(stop):
			p.at++
			return list
		case p.nextCloses() || column >= 0 && t.line && t.column <= column:
			return list
		case p.nextIsOneOf(")]};,:"):
			p.at++
			continue
		}
		from := p.at
		for _, n := range p.statement() {
			n.column = t.column
			list = append(list, n)
		}
		p.at = max(p.at, from+1)
	}
	return list
}

// nextCloses reports whether the next token closes an open bracket.
func (p *parser) nextCloses() bool {
	return p.nextIsOneOf(")]}") && slices.Contains(p.open, p.peek().text[0])
}

// peekClass returns the meaning of the next token if it is a keyword.
func (p *parser) peekClass() wordClass {
	t, n := p.peek(), p.ahead(1)
	w := t.class
	if w == ordinary {
		return w
	}
	next := ""
	if n.kind == operator && !n.line {
		next = n.text
	}
	switch {
	case oneOf(next, ". = += , ) ] := ?. -> => =="):
		return ordinary
	case next == ":" && p.name != "py", next == "(" && (w == skipped || w == imports && p.name != "go"):
		return ordinary
	case w == skipped && n.kind == operator && strings.IndexByte("[{*&($@!-<~#^+.", n.text[0]) < 0:
		return ordinary
	}
	return w
}

// statement reads a statement. It skips the keywords that start it.
func (p *parser) statement() []*node {
	saved, start := p.bodyBraces, p.peek().start
	defer func() { p.bodyBraces = saved }()
	conditional := false
	w := p.peekClass()
	for ; w == skipped || w == control; w = p.peekClass() {
		conditional = conditional || w == control
		p.bodyBraces = conditional
		p.at++
	}
	if w == imports {
		if n := p.imports(); n != nil {
			return []*node{n}
		}
	} else if w == loop || w == returns {
		p.bodyBraces = p.bodyBraces || w == loop
		p.at++
	}
	var list []*node
	if !(conditional || w == returns) || !p.startsLine() && !p.nextIsOneOf(";)]}") {
		list = p.list(!conditional && w != loop && w != returns)
	}
	switch w {
	case loop:
		return p.loop(start, list)
	case returns:
		return []*node{p.node(opReturn, start, list...)}
	}
	return list
}

// bracketed calls read, which parses the content of brackets up to and including the closing
// bracket stop.
func (p *parser) bracketed(stop string, read func() []*node) []*node {
	bracket, bare := p.bracket, p.bodyBraces
	p.bracket, p.bodyBraces = p.bracket+1, false
	if stop == "}" && p.name != "py" {
		p.bracket = 0
	}
	p.open = append(p.open, stop[0])
	list := read()
	p.open = p.open[:len(p.open)-1]
	p.bracket, p.bodyBraces = bracket, bare
	return list
}

// loop converts a loop header, possibly in parentheses, into an opLoop node.
func (p *parser) loop(start int, list []*node) []*node {
	if len(list) == 1 && (list[0].op == opList || list[0].op == opSequence) {
		list = list[0].kids
	}
	for i, n := range list {
		var target, goes *node
		switch {
		case n.op == opBinary && oneOf(n.text, "in of"), n.op == opPair, n.op == opAssign && n.kids[0].op == opList:
			target, goes = n.kids[0], n.kids[1]
		case n.op == opBinary && n.text == "as":
			target, goes = n.kids[1], n.kids[0]
		default:
			continue
		}
		target = p.tuple(start, append(slices.Clone(list[:i]), target))
		return append(slices.Clone(list[i+1:]), p.node(opLoop, start, target, goes))
	}
	return list
}

// tuple combines nodes into a list, or returns the node if there is only one.
func (p *parser) tuple(start int, list []*node) *node {
	if len(list) == 1 {
		return list[0]
	}
	return p.node(opList, start, list...)
}

// list reads comma-separated items.
func (p *parser) list(pairs bool) []*node {
	var list []*node
	assigned := -1
	for len(list) == 0 || p.accept(",") && p.peek().kind != end && len(list) < maxItems {
		n := p.item(pairs)
		if n.op == opAssign && assigned < 0 {
			assigned = len(list)
		}
		list = append(list, n)
	}
	if p.features["multi"] && assigned > 0 && p.bracket == 0 {
		a, start := list[assigned], list[0].start
		a.kids[0] = p.tuple(start, append(slices.Clone(list[:assigned]), a.kids[0]))
		a.kids[1] = p.tuple(start, append([]*node{a.kids[1]}, list[assigned+1:]...))
		return []*node{a}
	}
	return list
}

// item reads an expression or, if pairs is set, one or more keys and their value.
func (p *parser) item(pairs bool) *node {
	list := []*node{p.expr(0)}
	for pairs && (p.nextIs(":") || p.nextIs("=>")) && !p.startsLine() && len(list) < 8 {
		p.at++
		list = append(list, p.expr(0))
	}
	n := list[len(list)-1]
	for i := len(list) - 2; i >= 0; i-- {
		n = p.node(opPair, list[i].start, list[i], n)
	}
	return n
}

// precedence returns an operator's precedence, or 0 if the token is not a binary operator.
func (p *parser) precedence(t *token) int {
	block := t.text == "&" && p.bareCalls && t.space && !p.ahead(1).space && p.concat != "&"
	if t.kind != operator && t.kind != name || t.text == "." && p.concat != "." || block {
		return 0
	}
	return t.precedence
}

// continuesLine reports whether t, the first token on a line, is an operator that continues the
// previous line.
func (p *parser) continuesLine(t *token) bool {
	return t.kind == operator && oneOf(t.text, ". ?. -> :: &. || && ?? ?: .. + ?")
}

// expr reads an expression whose operators have at least the precedence minPrecedence.
func (p *parser) expr(minPrecedence int) *node {
	if p.depth >= maxDepth {
		p.at++
		return p.node(opNone, p.prevEnd())
	}
	p.depth++
	defer func() { p.depth-- }()
	left := p.unary()
	for {
		t := p.peek()
		if p.startsLine() && !p.continuesLine(t) {
			return left
		}
		s := p.precedence(t)
		switch {
		case p.name == "py" && t.kind == name && t.text == "for" && p.bracket > 0 && minPrecedence == 0:
			left = p.comprehension(left)
		case s > 0 && s >= minPrecedence:
			p.at++
			left = p.binary(left, t, s)
		default:
			return left
		}
	}
}

// binary reads the right-hand side of an operator.
func (p *parser) binary(left *node, t *token, s int) *node {
	op := opBinary
	switch {
	case s == 1:
		op, s = opAssign, 0
	case t.text == "?":
		if p.peek().kind == end || p.nextIsOneOf(";,)}].:") {
			return left // the ? operator in Rust and Swift
		}
		a := p.expr(1)
		p.accept(":")
		return p.node(opConditional, left.start, left, a, p.expr(1))
	case t.kind == name && t.text == "if":
		n := p.node(opConditional, left.start, p.expr(3), left)
		if p.accept("else") {
			n.kids = append(n.kids, p.expr(2))
		}
		return n
	}
	right := p.expr(s + 1)
	n := p.node(op, left.start, left, right)
	n.text = t.text
	return n
}

// comprehension reads "for x in list if condition".
func (p *parser) comprehension(value *node) *node {
	n := p.node(opComprehension, value.start, value)
	for start := p.peek().start; ; {
		if p.accept("if") {
			n.kids = append(n.kids, p.expr(3))
		} else if p.accept("for") {
			target := p.tuple(start, p.parameters("in", 5))
			n.kids = append(n.kids, p.node(opLoop, start, target, p.expr(3)))
		} else if !p.accept("async") {
			return n
		}
		n.end = p.prevEnd()
	}
}

const prefixOperators = "- + ~ & && <- ++ -- @ \\ ^ !! .."

// unary reads an operand and its prefix operators.
func (p *parser) unary() *node {
	start, op, minus := p.peek().start, opNone, ""
	for p.peek().kind != end {
		t, w := p.peek(), p.peekClass()
		switch {
		case t.is("!") || t.kind == name && w == ordinary && oneOf(t.text, "not typeof defined"):
			op = opNot
		case t.is("...") || t.is("**") || t.is("*"):
			op = opSpread
		case t.is("-") && p.ahead(1).kind == number:
			minus = "-"
		case w != skipped && w != returns && (t.kind != operator || !oneOf(t.text, prefixOperators)):
			n := p.postfix(p.primary())
			if n.text = minus + n.text; op != opNone {
				return p.node(op, start, n)
			}
			return n
		}
		p.at++
	}
	return p.node(opNone, start)
}
