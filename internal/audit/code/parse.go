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
	opMulti  // targets, values; marks is the number of targets
	opFunc
	opReturn
	opEach // targets, what is gone through; block: the value is that of the last
	opComp // value, then opEach and conditions
	opEither
	opNot
	opSpread
	opImport // text is the name here; kids[0] that of what is imported
	opSequence
)

// node is an expression or a statement, in any language.
type node struct {
	op         op
	start, end int
	// column is the indentation of a statement. weak: it may not run.
	column int
	weak   bool
	// block: an opEach of a block that is passed to a call. escaped: a text whose letters are
	// written as numbers.
	block, escaped bool
	count          int
	text           string
	kids           []*node
	// token is that of a text; texts are what is around the expressions in it.
	token *token
	texts []string
	fn    *function
}

// function is a function of the code.
type function struct {
	name   string
	params []*node
	body   []*node
	// scope is where it is defined, reader what read that. active: its body is being read.
	scope  *scope
	reader *reader
	active bool
	// runs counts how often its body was read, steps what that took. gives is what it gave.
	runs, steps int
	gives       value
}

// parser reads tokens into nodes, as tolerantly as it can: what it does not understand it skips.
type parser struct {
	*language
	src    string
	tokens []token
	at     int
	depth  int
	// bracket counts the parentheses around, in which line ends mean nothing.
	bracket int
	// bare: a brace begins the body of a statement, not an argument.
	bare bool
	// open are the brackets that are open.
	open []byte
	// control is the end of the last header of a statement.
	control int
	slab    []node
	funcs   map[string][]*function
}

const maxDepth = 120

func parse(l *language, src string) (*function, map[string][]*function, bool) {
	p := &parser{language: l, src: src, tokens: l.tokens(src, 0, len(src)), funcs: map[string][]*function{}}
	f := &function{body: p.statements("", -1)}
	return f, p.funcs, len(p.tokens) < maxTokens
}

func (p *parser) node(op op, start int, kids ...*node) *node {
	if len(p.slab) == 0 {
		p.slab = make([]node, 128)
	}
	n := &p.slab[0]
	p.slab = p.slab[1:]
	*n = node{op: op, start: start, end: p.before(), kids: kids}
	return n
}

func (p *parser) peek() *token { return &p.tokens[min(p.at, len(p.tokens)-1)] }

func (p *parser) ahead(n int) *token { return &p.tokens[min(p.at+n, len(p.tokens)-1)] }

// before is the end of the last token.
func (p *parser) before() int {
	if p.at == 0 {
		return p.tokens[0].start
	}
	return p.tokens[min(p.at, len(p.tokens))-1].end
}

func (p *parser) sees(s string) bool {
	t := p.peek()
	return t.kind == operator && t.text == s
}

func (p *parser) seesWord(s string) bool {
	t := p.peek()
	return t.kind == name && t.text == s
}

func (p *parser) take(s string) bool {
	if p.sees(s) {
		p.at++
		return true
	}
	return false
}

// breaks reports whether the next token is on a new line where that ends a statement.
func (p *parser) breaks() bool {
	t := p.peek()
	return t.kind == end || t.line && p.bracket == 0 && !p.language.is["semi"]
}

// deeper reports whether what is nested is still read.
func (p *parser) deeper() bool {
	if p.depth >= maxDepth {
		p.at++
		return false
	}
	p.depth++
	return true
}

// statements reads up to a closing bracket, or as long as lines are indented more than column.
func (p *parser) statements(stop string, column int) []*node {
	var list []*node
	if !p.deeper() {
		return nil
	}
	defer func() { p.depth-- }()
	first := p.at
	for p.peek().kind != end {
		t := p.peek()
		if t.kind == operator && len(t.text) == 1 && strings.IndexByte(")]}", t.text[0]) >= 0 {
			if t.text == stop {
				p.at++
				return list
			}
			if slices.Contains(p.open, t.text[0]) {
				return list
			}
			p.at++
			continue
		}
		if column >= 0 && p.dedents(t, first, column) {
			return list
		}
		if t.kind == operator && (t.text == ";" || t.text == "," || t.text == ":") {
			p.at++
			continue
		}
		from, start := p.at, len(list)
		list = append(list, p.statement()...)
		if p.at == from {
			p.at++
		}
		for _, n := range list[start:] {
			n.column = t.column
			n.weak = n.weak || !t.line && p.control == t.start
		}
	}
	return list
}

// dedents reports whether the body of a function ends, in languages where that shows in lines.
func (p *parser) dedents(t *token, first, column int) bool {
	if p.is["end"] {
		if t.kind == name && t.text == "end" && (!t.line || t.column <= column) {
			p.at++
			return true
		}
		return t.line && t.column < column
	}
	return t.line && p.at > first && t.column <= column || p.at == first && t.line && t.column <= column
}

// class is what the next token means if it is a word of the language.
func (p *parser) class() word {
	t := p.peek()
	if t.kind != name {
		return ordinary
	}
	w := p.words[t.text]
	if w == ordinary {
		return ordinary
	}
	n := p.ahead(1)
	if n.kind == operator && !(n.line && !p.language.is["semi"]) {
		switch n.text {
		case ".", "=", "+=", ",", ")", "]", ":=", "?.", "->", "=>", "==":
			return ordinary
		case ":":
			if p.name != "py" {
				return ordinary
			}
		case "(":
			if w == skipped || w == imports && p.name != "go" {
				return ordinary
			}
		}
	}
	if w == skipped && n.kind == operator && strings.IndexByte("[{*&($@!-<~#^+", n.text[0]) < 0 && n.text != "..." {
		return ordinary
	}
	return w
}

func (p *parser) statement() []*node {
	saved := p.bare
	defer func() { p.bare = saved }()
	list, conditional, header, done := p.opening()
	if done || conditional && p.breaks() || p.peek().kind == operator && strings.Contains(";)]}", p.peek().text) {
		return list
	}
	p.bare = conditional && !header
	nodes := p.list(!p.bare)
	if p.bare {
		p.control = p.peek().start
		if p.sees(":") {
			p.control = p.ahead(1).start
		}
	}
	return append(list, nodes...)
}

// opening reads the words that a statement begins with. It reports whether they make what follows
// conditional, whether a condition in parentheses came before that, and whether nothing follows.
func (p *parser) opening() (list []*node, conditional, header, done bool) {
	for p.peek().kind == name {
		switch p.class() {
		case skipped:
			p.at++
		case control:
			p.at++
			conditional, header = true, false
			if p.sees("(") && !p.peek().line {
				list, header = append(list, p.header()...), true
				p.control = p.peek().start
			}
		case loop:
			p.at++
			return append(list, p.loop()...), conditional, header, true
		case imports:
			if n := p.imports(); n != nil {
				return append(list, n), conditional, header, true
			}
			return list, conditional, header, false
		case returns:
			start := p.peek().start
			p.at++
			n := p.node(opReturn, start)
			if !p.breaks() {
				n.kids = p.list(false)
			}
			return append(list, n), conditional, header, true
		default:
			return list, conditional, header, false
		}
	}
	return list, conditional, header, false
}

// header reads what is in the parentheses of a statement.
func (p *parser) header() []*node {
	p.at++
	return p.inside(")", func() []*node { return p.statements(")", -1) })
}

// inside reads what is in brackets.
func (p *parser) inside(stop string, read func() []*node) []*node {
	bracket, bare := p.bracket, p.bare
	p.bracket, p.bare = p.bracket+1, false
	if stop == "}" && p.name != "py" {
		p.bracket = 0
	}
	p.open = append(p.open, stop[0])
	list := read()
	p.open = p.open[:len(p.open)-1]
	p.bracket, p.bare = bracket, bare
	return list
}

// loop reads the header of a loop.
func (p *parser) loop() []*node {
	start := p.peek().start
	var list []*node
	switch {
	case p.sees("(") && !p.tuple():
		list = p.header()
	case p.name == "pl":
		for p.class() == skipped {
			p.at++
		}
		list = []*node{p.primary()}
		if p.sees("(") {
			list = []*node{p.node(opEach, start, append(list, p.paren())...)}
		}
	default:
		saved := p.bare
		p.bare = true
		list = p.list(false)
		p.bare = saved
	}
	p.control = p.peek().start
	return p.each(start, list)
}

// tuple reports whether "in" comes after the parentheses that are next.
func (p *parser) tuple() bool {
	for i := 1; i < 32; i++ {
		if t := p.ahead(i); t.kind == operator && t.text == ")" {
			return p.name == "py" || p.ahead(i+1).text == "in"
		}
	}
	return p.name == "py"
}

// each turns what a loop goes through into an opEach.
func (p *parser) each(start int, list []*node) []*node {
	for i, n := range list {
		var kids []*node
		switch {
		case n.op == opBinary && (n.text == "in" || n.text == "of"):
			kids = append(append(kids, list[:i]...), n.kids...)
		case n.op == opPair && n.kids[0].op == opBinary && n.kids[0].text == "as":
			kids = []*node{n.kids[0].kids[1], n.kids[1], n.kids[0].kids[0]}
		case n.op == opBinary && n.text == "as":
			kids = []*node{n.kids[1], n.kids[0]}
		case n.op == opPair:
			kids = n.kids
		case n.op == opMulti && n.count == len(n.kids)-1:
			kids = n.kids
		default:
			continue
		}
		return append(slices.Clone(list[i+1:]), p.node(opEach, start, kids...))
	}
	return list
}

// list reads items with commas between them.
func (p *parser) list(pairs bool) []*node {
	var list []*node
	assigned := -1
	for {
		n := p.item(pairs)
		if n.op == opAssign && assigned < 0 {
			assigned = len(list)
		}
		list = append(list, n)
		if !p.sees(",") {
			break
		}
		p.at++
		if p.peek().kind == end || len(list) > 4096 {
			break
		}
	}
	if p.language.is["multi"] && assigned > 0 && p.bracket == 0 {
		a := list[assigned]
		kids := append(slices.Clone(list[:assigned]), a.kids[0], a.kids[1])
		n := p.node(opMulti, list[0].start, append(kids, list[assigned+1:]...)...)
		n.count = assigned + 1
		return []*node{n}
	}
	return list
}

// item reads an expression, or a key and its value.
func (p *parser) item(pairs bool) *node {
	n := p.expr(0)
	if pairs && (p.sees(":") || p.sees("=>")) && !p.breaks() {
		if !p.deeper() {
			return n
		}
		defer func() { p.depth-- }()
		p.at++
		if p.peek().kind == end || p.sees(",") || p.sees(")") || p.sees("}") || p.sees("]") {
			return p.node(opPair, n.start, n, p.node(opNone, n.start))
		}
		return p.node(opPair, n.start, n, p.item(pairs))
	}
	return n
}

// strength is how strongly an operator binds; 0 if it is none.
func (p *parser) strength(t *token) int {
	if t.kind != operator && t.kind != name || t.text == "not" && p.ahead(1).text != "in" {
		return 0
	}
	return p.strengths[t.text]
}

// continues reports whether an operator at the beginning of a line goes on with the line before.
func (p *parser) continues(t *token) bool {
	if t.kind != operator {
		return false
	}
	switch t.text {
	case ".", "?.", "->", "::", "&.", "|>", "||", "&&", "??", "?:", "..":
		return true
	case "+", "?", "=", "|", "*", "&", "==", "===":
		return p.name == "js" && t.text != "*"
	}
	return false
}

// expr reads an expression of operators that bind at least as strongly as least.
func (p *parser) expr(least int) *node {
	if !p.deeper() {
		return p.node(opNone, p.before())
	}
	defer func() { p.depth-- }()
	left := p.unary()
	for {
		t := p.peek()
		if p.breaks() && !p.continues(t) {
			return left
		}
		if t.kind == name && t.text == "for" && p.bracket > 0 && p.name == "py" && least == 0 {
			left = p.comprehension(left)
			continue
		}
		s := p.strength(t)
		attribute := t.text == "." && !strings.Contains(p.concat, ".")
		argument := t.text == "&" && p.is["bare"] && t.space && !p.ahead(1).space && p.concat != "&"
		if s == 0 || s < least || attribute || argument {
			if n := p.juxtaposed(left, t, least); n != nil {
				left = n
				continue
			}
			return left
		}
		p.at++
		left = p.binary(left, t, s)
	}
}

// juxtaposed reads an operand that is joined to the one before without an operator.
func (p *parser) juxtaposed(left *node, t *token, least int) *node {
	if !p.is["juxtapose"] || least > 6 || t.kind != name && t.kind != text || p.class() != ordinary || t.text == "getline" {
		return nil
	}
	n := p.node(opBinary, left.start, left, p.expr(7))
	n.text = "+"
	return n
}

// binary reads what is on the right of an operator.
func (p *parser) binary(left *node, t *token, s int) *node {
	switch {
	case s == 1:
		n := p.node(opAssign, left.start, left, p.expr(1))
		n.text = t.text
		n.end = p.before()
		return n
	case t.text == "?":
		next := p.peek()
		stops := next.kind == end || next.kind == operator && strings.Contains(";,)}].:", next.text)
		if stops || next.line && !p.language.is["semi"] && p.name != "js" {
			return left // the ? of Rust and Swift
		}
		a := p.expr(1)
		if !p.take(":") {
			return p.node(opSequence, left.start, left, a)
		}
		return p.node(opEither, left.start, left, a, p.expr(1))
	case t.kind == name && t.text == "if":
		c := p.expr(3)
		if !p.seesWord("else") {
			return p.node(opEither, left.start, c, left)
		}
		p.at++
		return p.node(opEither, left.start, c, left, p.expr(2))
	case t.kind == name && t.text == "not":
		p.at++
	case t.text == "|>":
		right := p.expr(4)
		if right.op != opCall {
			return p.node(opCall, left.start, right, left)
		}
		right.kids = slices.Insert(right.kids, 1, left)
		return right
	}
	n := p.node(opBinary, left.start, left, p.expr(s+1))
	n.text, n.end = t.text, p.before()
	return n
}

// comprehension reads "for x in list if condition".
func (p *parser) comprehension(value *node) *node {
	n := p.node(opComp, value.start, value)
	for p.seesWord("for") || p.seesWord("if") || p.seesWord("async") {
		start := p.peek().start
		p.at++
		switch p.tokens[p.at-1].text {
		case "if":
			n.kids = append(n.kids, p.expr(3))
		case "for":
			var targets []*node
			for {
				targets = append(targets, p.expr(5))
				if !p.take(",") {
					break
				}
			}
			if p.seesWord("in") {
				p.at++
				n.kids = append(n.kids, p.node(opEach, start, append(targets, p.expr(3))...))
			}
		}
	}
	n.end = p.before()
	return n
}

func (p *parser) unary() *node {
	t := p.peek()
	if t.kind == operator {
		switch t.text {
		case "!":
			p.at++
			return p.node(opNot, t.start, p.unaryDeep())
		case "...", "**", "*":
			p.at++
			return p.node(opSpread, t.start, p.unaryDeep())
		case "-", "+", "~", "&", "&&", "<-", "++", "--", "@", "\\", "^", "!!", "..":
			p.at++
			if t.text == "-" && p.peek().kind == number {
				n := p.unary()
				n.text = "-" + n.text
				return n
			}
			return p.unaryDeep()
		}
	}
	if t.kind == name && (t.text == "not" || t.text == "typeof" || t.text == "defined") && p.words[t.text] == ordinary {
		p.at++
		return p.node(opNot, t.start, p.unaryDeep())
	}
	return p.postfix(p.primary())
}

func (p *parser) unaryDeep() *node {
	if !p.deeper() {
		return p.node(opNone, p.before())
	}
	defer func() { p.depth-- }()
	return p.unary()
}
