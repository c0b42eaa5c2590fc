package code

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/lazyregexp"
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
	opEach // target, what is gone through
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
	text   string
	kids   []*node
	// quote is how a text is written, with the flag q if the expressions in it are words of a
	// command; texts are what is around them.
	quote *quote
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
	src       string
	tokens    []token
	at, depth int
	// bracket counts the parentheses around, in which line ends mean nothing.
	bracket int
	// bare: a brace begins the body of a statement, not an argument.
	bare bool
	// open are the brackets that are open.
	open  []byte
	funcs map[string][]*function
}

const maxDepth = 120

func parse(l *language, src string) ([]*node, map[string][]*function, bool) {
	p := &parser{language: l, src: src, tokens: l.tokens(src, 0, len(src)), funcs: map[string][]*function{}}
	return p.statements("", -1), p.funcs, len(p.tokens) < maxTokens
}

func (p *parser) node(op op, start int, kids ...*node) *node {
	return &node{op: op, start: start, end: p.before(), kids: kids}
}

func (p *parser) peek() *token { return p.ahead(0) }

func (p *parser) ahead(n int) *token { return &p.tokens[min(p.at+n, len(p.tokens)-1)] }

// before is the end of the last token.
func (p *parser) before() int {
	if p.at == 0 {
		return p.tokens[0].start
	}
	return p.tokens[min(p.at, len(p.tokens))-1].end
}

func (t *token) is(s string) bool { return t.kind == operator && t.text == s }

func (p *parser) sees(s string) bool { return p.peek().is(s) }

// seesOneOf reports whether the next token is an operator of one character among some.
func (p *parser) seesOneOf(s string) bool {
	t := p.peek()
	return t.kind == operator && len(t.text) == 1 && strings.Contains(s, t.text)
}

// take skips the next token if it is an operator or a word.
func (p *parser) take(s string) bool {
	if t := p.peek(); t.text == s && (t.kind == operator || t.kind == name) {
		p.at++
		return true
	}
	return false
}

// breaks reports whether the next token is on a new line where that ends a statement.
func (p *parser) breaks() bool {
	t := p.peek()
	return t.kind == end || t.line && p.bracket == 0 && !p.is["semi"]
}

// deeper reports whether what is nested is still read; then shallower must be called after it.
func (p *parser) deeper() bool {
	if p.depth >= maxDepth {
		p.at++
		return false
	}
	p.depth++
	return true
}

func (p *parser) shallower() { p.depth-- }

// statements reads up to a closing bracket, or as long as lines are indented more than column.
func (p *parser) statements(stop string, column int) []*node {
	var list []*node
	if !p.deeper() {
		return nil
	}
	defer p.shallower()
	for first := p.at; p.peek().kind != end; {
		t := p.peek()
		switch {
		case stop != "" && t.is(stop):
			p.at++
			return list
		case p.closes() || column >= 0 && p.dedents(t, first, column):
			return list
		case p.seesOneOf(")]};,:"):
			p.at++
			continue
		}
		from := p.at
		weak := from > 0 && !t.line && (p.tokens[from-1].is(":") || p.tokens[from-1].is(")"))
		for _, n := range p.statement() {
			n.column, n.weak = t.column, n.weak || weak
			list = append(list, n)
		}
		p.at = max(p.at, from+1)
	}
	return list
}

// closes reports whether the next token closes a bracket that is open.
func (p *parser) closes() bool {
	return p.seesOneOf(")]}") && slices.Contains(p.open, p.peek().text[0])
}

// dedents reports whether the body of a function ends, in languages where that shows in lines.
func (p *parser) dedents(t *token, first, column int) bool {
	if !p.is["end"] {
		return t.line && t.column <= column
	}
	if t.kind == name && t.text == "end" && (!t.line || t.column <= column) {
		p.at++
		return true
	}
	return t.line && t.column < column
}

// class is what the next token means if it is a word of the language.
func (p *parser) class() word {
	t, n := p.peek(), p.ahead(1)
	w := p.words[t.text]
	next := ""
	if n.kind == operator && (!n.line || p.is["semi"]) {
		next = n.text
	}
	switch {
	case t.kind != name, oneOf(next, ". = += , ) ] := ?. -> => =="):
		return ordinary
	case next == ":" && p.name != "py", next == "(" && (w == skipped || w == imports && p.name != "go"):
		return ordinary
	case w == skipped && n.kind == operator && strings.IndexByte("[{*&($@!-<~#^+.", n.text[0]) < 0:
		return ordinary
	}
	return w
}

// statement reads a statement, without the words that it begins with.
func (p *parser) statement() []*node {
	saved, start := p.bare, p.peek().start
	defer func() { p.bare = saved }()
	conditional := false
	w := p.class()
	for ; w == skipped || w == control; w = p.class() {
		conditional = conditional || w == control
		p.bare = conditional
		p.at++
	}
	if w == imports {
		if n := p.imports(); n != nil {
			return []*node{n}
		}
	} else if w == loop || w == returns {
		p.bare = p.bare || w == loop
		p.at++
	}
	var list []*node
	if !(conditional || w == returns) || !p.breaks() && !p.seesOneOf(";)]}") {
		list = p.list(!conditional && w != loop && w != returns)
	}
	switch w {
	case loop:
		return p.loop(start, list)
	case returns:
		return []*node{p.node(opReturn, start, list...)}
	}
	for _, n := range list {
		n.weak = conditional
	}
	return list
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

// loop turns the header of a loop, with or without parentheses, into an opEach.
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
		return append(slices.Clone(list[i+1:]), p.node(opEach, start, target, goes))
	}
	return list
}

// tuple is one node for several: a list, or the only one.
func (p *parser) tuple(start int, list []*node) *node {
	if len(list) == 1 {
		return list[0]
	}
	return p.node(opList, start, list...)
}

// list reads items with commas between them.
func (p *parser) list(pairs bool) []*node {
	var list []*node
	assigned := -1
	for len(list) == 0 || p.take(",") && p.peek().kind != end && len(list) < maxItems {
		n := p.item(pairs)
		if n.op == opAssign && assigned < 0 {
			assigned = len(list)
		}
		list = append(list, n)
	}
	if p.is["multi"] && assigned > 0 && p.bracket == 0 {
		a, start := list[assigned], list[0].start
		a.kids[0] = p.tuple(start, append(slices.Clone(list[:assigned]), a.kids[0]))
		a.kids[1] = p.tuple(start, append([]*node{a.kids[1]}, list[assigned+1:]...))
		return []*node{a}
	}
	return list
}

// item reads an expression, or keys and a value.
func (p *parser) item(pairs bool) *node {
	list := []*node{p.expr(0)}
	for pairs && (p.sees(":") || p.sees("=>")) && !p.breaks() && len(list) < 8 {
		p.at++
		list = append(list, p.expr(0))
	}
	n := list[len(list)-1]
	for i := len(list) - 2; i >= 0; i-- {
		n = p.node(opPair, list[i].start, list[i], n)
	}
	return n
}

// strength is how strongly an operator binds; 0 if it is none.
func (p *parser) strength(t *token) int {
	block := t.text == "&" && p.is["bare"] && t.space && !p.ahead(1).space && p.concat != "&"
	if t.kind != operator && t.kind != name || t.text == "." && p.concat != "." || block {
		return 0
	}
	return p.strengths[t.text]
}

// continues reports whether an operator at the beginning of a line goes on with the line before.
func (p *parser) continues(t *token) bool {
	script := p.name == "js" && oneOf(t.text, "+ ? = | & == ===")
	return t.kind == operator && (script || oneOf(t.text, ". ?. -> :: &. || && ?? ?: .."))
}

// expr reads an expression of operators that bind at least as strongly as least.
func (p *parser) expr(least int) *node {
	if !p.deeper() {
		return p.node(opNone, p.before())
	}
	defer p.shallower()
	left := p.unary()
	for {
		t := p.peek()
		if p.breaks() && !p.continues(t) {
			return left
		}
		s := p.strength(t)
		switch {
		case p.name == "py" && t.kind == name && t.text == "for" && p.bracket > 0 && least == 0:
			left = p.comprehension(left)
		case s > 0 && s >= least:
			p.at++
			left = p.binary(left, t, s)
		case p.is["juxtapose"] && least <= 6 && p.juxtaposed(t):
			left = p.node(opBinary, left.start, left, p.expr(7))
			left.text = "+"
		default:
			return left
		}
	}
}

// juxtaposed reports whether a token is an operand that is joined to the one before.
func (p *parser) juxtaposed(t *token) bool {
	return (t.kind == name || t.kind == text) && p.class() == ordinary && t.text != "getline"
}

// binary reads what is on the right of an operator.
func (p *parser) binary(left *node, t *token, s int) *node {
	op := opBinary
	switch {
	case s == 1:
		op, s = opAssign, 0
	case t.text == "?":
		if p.peek().kind == end || p.seesOneOf(";,)}].:") {
			return left // the ? of Rust and Swift
		}
		a := p.expr(1)
		p.take(":")
		return p.node(opEither, left.start, left, a, p.expr(1))
	case t.kind == name && t.text == "if":
		n := p.node(opEither, left.start, p.expr(3), left)
		if p.take("else") {
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
	n := p.node(opComp, value.start, value)
	for start := p.peek().start; ; {
		if p.take("if") {
			n.kids = append(n.kids, p.expr(3))
		} else if p.take("for") {
			target := p.tuple(start, p.parameters("in", 5))
			n.kids = append(n.kids, p.node(opEach, start, target, p.expr(3)))
		} else if !p.take("async") {
			return n
		}
		n.end = p.before()
	}
}

const prefixOperators = "- + ~ & && <- ++ -- @ \\ ^ !! .."

// unary reads an operand with what is in front of it.
func (p *parser) unary() *node {
	start, op, minus := p.peek().start, opNone, ""
	for p.peek().kind != end {
		t, w := p.peek(), p.class()
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

// primary reads an operand.
func (p *parser) primary() *node {
	t := p.peek()
	switch {
	case t.kind == end || p.seesOneOf(")]},;:") || t.is(".") && p.ahead(1).kind == name:
		return p.node(opNone, t.start)
	case t.kind == text:
		return p.texts()
	case t.kind == name:
		return p.named()
	case t.is("("):
		return p.paren()
	case t.is("{"):
		return p.node(opBrace, t.start, p.block()...)
	case p.is["pipes"] && (t.is("|") || t.is("||")):
		return p.closure(t.start, p.pipes())
	}
	p.at++
	n := p.node(opNone, t.start)
	if t.kind == number {
		n.op, n.text = opNumber, t.text
	} else if t.is("[") {
		kids := p.arguments("]")
		if next := p.peek(); p.name == "go" && len(kids) < 2 && next.kind == name && !next.space {
			return p.unary() // the type of a list
		}
		return p.node(opList, t.start, kids...)
	}
	return n
}

// texts reads strings; several in a row are one.
func (p *parser) texts() *node {
	t := p.peek()
	n := &node{op: opText, start: t.start, quote: t.quote, texts: []string{""}}
	for {
		p.at++
		n.texts[len(n.texts)-1] += t.text
		for _, part := range t.parts {
			n.kids = append(n.kids, p.embedded(part))
			n.texts = append(n.texts, part.text)
		}
		next := p.peek()
		if next.kind != text || p.breaks() || len(n.texts) > maxItems {
			break
		}
		t = next
	}
	n.end = p.before()
	return n
}

// embedded reads the expression in a string.
func (p *parser) embedded(part part) *node {
	if p.depth >= maxDepth {
		return p.node(opNone, part.from)
	}
	sub := &parser{
		language: p.language, src: p.src, tokens: p.language.tokens(p.src, part.from, part.to),
		depth: p.depth + 1, bracket: 1, funcs: p.funcs,
	}
	return sub.expr(0)
}

// named reads what begins with a name.
func (p *parser) named() *node {
	t, w := p.peek(), p.class()
	switch {
	case w == functions:
		return p.function()
	case w == control && !p.is["end"] && p.name != "py":
		// A statement where an expression was expected: it is read on its own.
		return p.node(opNone, t.start)
	}
	p.at++
	n := p.node(opName, t.start)
	n.text = t.text
	if p.arrows() {
		p.at++
		return p.closure(t.start, []*node{n})
	}
	return n
}

// arrows reports whether the arrow of a function is next. It skips the type in front of it.
func (p *parser) arrows() bool {
	if p.name == "js" && p.sees(":") && p.skipsTo("=>") {
		return true
	}
	t := p.peek()
	return t.kind == operator && slices.Contains(p.fields["arrow"], t.text) && !p.breaks()
}

// closure reads the body of a function without a name: a block or an expression.
func (p *parser) closure(start int, params []*node) *node {
	f := &function{params: params}
	if p.sees("{") {
		f.body = p.block()
	} else {
		f.body = []*node{p.expr(1)}
	}
	return p.define(start, f)
}

// define makes the node of a function.
func (p *parser) define(start int, f *function) *node {
	if f.name != "" && len(p.funcs[f.name]) < 16 {
		p.funcs[f.name] = append(p.funcs[f.name], f)
	}
	n := p.node(opFunc, start)
	n.fn = f
	return n
}

// pipes reads parameters between | and |, if there are any.
func (p *parser) pipes() []*node {
	if p.take("||") || !p.take("|") {
		return nil
	}
	return p.parameters("|", 6)
}

// parameters reads parameters up to an operator or a word, without their types.
func (p *parser) parameters(stop string, least int) []*node {
	var list []*node
	for p.peek().kind != end && len(list) < 64 && !p.take(stop) {
		from := p.at
		list = append(list, p.expr(least))
		if stop != ":" && p.take(":") {
			p.expr(least)
		}
		p.take(",")
		p.at = max(p.at, from+1)
	}
	return list
}

func (p *parser) block() []*node {
	p.at++
	return p.inside("}", func() []*node { return p.statements("}", -1) })
}

// trailing reads a block in braces that is a function passed to a call.
func (p *parser) trailing() *node {
	start := p.peek().start
	p.at++
	f := &function{params: p.pipes()}
	p.at--
	f.body = p.block()
	return p.define(start, f)
}

// arguments reads items up to a closing bracket. What is next to each other without a comma,
// such as the type of a parameter, is a sequence.
func (p *parser) arguments(stop string) []*node {
	return p.inside(stop, func() (list []*node) {
		fresh := true
		for p.peek().kind != end && !p.take(stop) && !p.closes() {
			from := p.at
			if p.take(",") || p.take(";") {
				fresh = true
			} else if n := p.item(true); n.op == opNone {
				p.at = max(p.at, from+1)
			} else if last := len(list) - 1; fresh {
				list, fresh = append(list, n), false
			} else {
				list[last] = p.node(opSequence, list[last].start, list[last], n)
			}
		}
		return list
	})
}

// paren reads what is in parentheses: an expression, a tuple, or the parameters of a function.
func (p *parser) paren() *node {
	start := p.peek().start
	p.at++
	list := p.arguments(")")
	comma := p.at >= 2 && p.tokens[p.at-2].text == ","
	if p.arrows() {
		p.at++
		return p.closure(start, list)
	}
	if len(list) != 1 || comma {
		return p.node(opList, start, list...)
	}
	return list[0]
}

// skipsTo skips a type up to an operator, if that is there.
func (p *parser) skipsTo(stop string) bool {
	for i := 1; i < 24; i++ {
		switch t := p.ahead(i); {
		case t.is(stop):
			p.at += i
			return true
		case t.kind != name && (t.kind != operator || !strings.Contains(".,<>[]|&", t.text)):
			return false
		}
	}
	return false
}

// postfix reads attributes, calls and indexes.
func (p *parser) postfix(n *node) *node {
	for range 5000 {
		t := p.peek()
		if p.breaks() && !p.continues(t) {
			return n
		}
		next := p.suffix(n, t)
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

// suffix reads one suffix; nil if there is none.
func (p *parser) suffix(n *node, t *token) *node {
	if t.kind != operator || p.bareCall(n, t) {
		return p.argument(n, t)
	}
	next := p.ahead(1)
	switch t.text {
	case ".", "?.", "->", "::", "&.", "?->":
		if t.text != p.concat {
			return p.member(n, next)
		}
	case ":":
		if p.luaMethod() {
			return p.member(n, next)
		}
	case "(":
		return p.parenthesis(n, t)
	case "[":
		if n.op != opNone && n.op != opNumber {
			return p.index(n, "]")
		}
	case "{":
		return p.braced(n, t)
	case "!":
		if !t.space && next.kind == operator {
			return p.mark(n)
		}
	case "<":
		if !t.space && p.generics() {
			return n
		}
	case "++", "--", "...":
		p.at++
		return n
	}
	return nil
}

func (p *parser) luaMethod() bool {
	return p.name == "lua" && p.ahead(1).kind == name && (p.ahead(2).is("(") || p.ahead(2).kind == text)
}

// argument reads the arguments of a call without parentheses; nil if it is none.
func (p *parser) argument(n *node, t *token) *node {
	callable := n.op == opName || n.op == opAttr
	switch {
	case t.kind == name && t.text == "do" && p.name == "rb" && !p.bare:
		p.at++
		f := &function{params: p.pipes()}
		f.body = p.statements("", t.column)
		return p.attach(n, p.define(t.start, f))
	case p.bareCall(n, t):
		saved := p.bracket
		p.bracket = 0
		list := p.list(true)
		p.bracket = saved
		return p.call(n, list)
	case t.kind == text && callable && (p.name == "js" && !t.space || p.is["call:string"]):
		template := p.texts()
		if n.text == "$" {
			template.quote = &quote{flags: "q"}
		}
		return p.call(n, []*node{template})
	}
	return nil
}

// bareCall reports whether the next token is the first argument of a call without parentheses.
func (p *parser) bareCall(n *node, t *token) bool {
	callable := n.op == opName && p.words[n.text] == ordinary || n.op == opAttr
	if !p.is["bare"] || !t.space || !callable {
		return false
	}
	switch t.kind {
	case name:
		w := p.words[t.text]
		command := p.name != "scpt" || strings.Contains(n.text, "_")
		return command && (w == ordinary || w == skipped || w == functions) && p.strength(t) == 0
	case number:
		return true
	case text:
		return !t.quote.has('p')
	}
	return t.text == "[" && p.name == "rb"
}

// parenthesis reads the arguments of a call, or the parameters of what is then defined.
func (p *parser) parenthesis(n *node, t *token) *node {
	if n.op == opNumber || n.op == opNone || n.op == opText && p.name != "php" || t.space && p.name == "awk" {
		return nil
	}
	p.at++
	list := p.arguments(")")
	switch {
	case n.op != opName:
	case p.arrows():
		p.at++
		return p.closure(n.start, list)
	case p.is["def"] && (p.peek().kind == name || p.name == "js" && p.sees(":")) && p.skipsTo("{"):
		return p.define(n.start, &function{name: n.text, params: list, body: p.block()})
	}
	return p.call(n, list)
}

// mark reads an exclamation mark: that of a macro, or one that only says that there is a value.
func (p *parser) mark(n *node) *node {
	p.at++
	if n.op == opName && p.is["macro"] {
		if n.text += "!"; p.take("[") {
			return p.call(n, p.arguments("]"))
		}
	}
	return n
}

// call makes a call of what was read.
func (p *parser) call(n *node, list []*node) *node {
	return p.node(opCall, n.start, append([]*node{n}, list...)...)
}

// attach adds a last argument to a call.
func (p *parser) attach(n, last *node) *node {
	if n.op != opCall {
		return p.call(n, []*node{last})
	}
	n.kids = append(n.kids, last)
	n.end = p.before()
	return n
}

// member reads a name after a dot; also .( and .[ of some languages.
func (p *parser) member(n *node, next *token) *node {
	p.at++
	switch {
	case next.kind == name:
		p.at++
		a := p.node(opAttr, n.start, n)
		a.text = next.text
		return a
	case next.is("{") && p.is["braces"]:
		return p.index(n, "}")
	}
	p.generics()
	return n
}

// index reads the key of an element, or the bounds of a slice.
func (p *parser) index(n *node, stop string) *node {
	p.at++
	return p.node(opIndex, n.start, append([]*node{n}, p.arguments(stop)...)...)
}

// braced reads a brace after an operand: an index, an argument, or the body of a function.
func (p *parser) braced(n *node, t *token) *node {
	switch {
	case n.op != opName && n.op != opAttr && n.op != opIndex && n.op != opCall:
	case p.is["braces"] && !t.space && n.op != opCall:
		return p.index(n, "}")
	case p.is["braces"] && oneOf(n.text, "eval map grep"):
		return p.call(n, append([]*node{p.trailing()}, p.list(false)...))
	case p.bare || t.line:
	case p.is["def"] && n.op == opCall && n.kids[0].op == opName && !strings.HasSuffix(p.src[:n.start], "new "):
		return p.define(n.start, &function{name: n.kids[0].text, params: n.kids[1:], body: p.block()})
	case p.is["closure"]:
		return p.attach(n, p.trailing())
	case p.is["literal"]:
		return p.attach(n, p.primary())
	}
	return nil
}

// generics skips the parameters of a type, if a call or a body comes after them.
func (p *parser) generics() bool {
	from := p.at
	if p.sees("<") && p.skipsTo(">") {
		p.at++
		if p.seesOneOf("({") {
			return true
		}
	}
	p.at = from
	return false
}

// function reads a function from its first word on.
func (p *parser) function() *node {
	first := p.peek()
	p.at++
	f := &function{}
	if first.text == "lambda" {
		f.params = p.parameters(":", 1)
		f.body = []*node{p.expr(1)}
		return p.define(first.start, f)
	}
	if p.name == "go" && p.take("(") {
		p.arguments(")") // the receiver of a method
	}
	for t := p.peek(); (t.kind == name || p.seesOneOf(".:*")) && !t.line; t = p.peek() {
		if t.kind == name {
			f.name = t.text
		}
		if p.at++; t.kind == name && !p.seesOneOf(".:") {
			break
		}
	}
	p.generics()
	if p.take("(") {
		f.params = p.arguments(")")
	} else if p.is["end"] && p.peek().kind == name && !p.peek().line {
		f.params = p.list(false)
	}
	f.body = p.body(first.column)
	return p.define(first.start, f)
}

// body reads the body of a function, after the type of what it gives.
func (p *parser) body(column int) []*node {
	saved := p.bracket
	p.bracket = 0
	defer func() { p.bracket = saved }()
	for range 48 {
		switch {
		case p.sees("{"):
			return p.block()
		case p.is["end"], p.name == "py" && p.take(":"):
			return p.statements("", column)
		case p.breaks() || p.seesOneOf(";,)"):
			return nil
		case p.take("=>") || p.take("="):
			return []*node{p.expr(1)}
		}
		p.primary()
	}
	return nil
}

// These take imports apart: "from module import names" of Python, "import names from module" of
// JavaScript, and the names with their aliases; a path of Go comes after its alias.
var (
	fromImport   = lazyregexp.New(`(?s)^from\s+([\w.]+)\s+import\s(.*)`)
	importFrom   = lazyregexp.New(`(?s)^import\s+(?:(.*?)\s*\bfrom\s*)?["']([^"']+)`)
	importedName = lazyregexp.New(`[{}]|([\w$.*:\\]+)(?:\s+as\s+([\w$]+)|\s*=\s*([\w.:]+)|\s+"([^"]+)")?`)
)

// imports reads an import: a node for each name that stands for something of another module. It
// returns nil if it is none.
func (p *parser) imports() *node {
	first := p.peek()
	if p.name == "js" && first.text != "import" {
		return nil
	}
	p.at++
	for depth := 0; !p.sees(";") && p.peek().kind != end && (depth > 0 || !p.peek().line); p.at++ {
		if p.seesOneOf("({") {
			depth++
		} else if p.seesOneOf(")}") {
			depth--
		}
	}
	n := p.node(opSequence, first.start)
	module, names := "", p.src[first.end:n.end]
	if m := fromImport().FindStringSubmatch(p.src[first.start:n.end]); m != nil {
		module, names = m[1], m[2]
	} else if m := importFrom().FindStringSubmatch(p.src[first.start:n.end]); m != nil && p.name == "js" {
		module, names = moduleName(m[2]), m[1]
		n.kids = []*node{p.call(
			&node{op: opName, start: n.start, text: "import"},
			[]*node{{op: opText, start: n.start, end: n.end, quote: &quote{}, texts: []string{m[2]}}},
		)}
	}
	p.importNames(n, module, names)
	return n
}

// importNames adds the names of an import to its node.
func (p *parser) importNames(n *node, module, names string) {
	open := false
	for _, m := range importedName().FindAllStringSubmatch(names, 256) {
		path, here := m[1], m[2]
		if m[3]+m[4] != "" {
			path, here = m[3]+m[4], m[1]
		}
		path = strings.NewReplacer("::", ".", "\\", ".", "/", ".").Replace(path)
		open = open && m[0] != "}" || m[0] == "{"
		if path == "" || module == "" && (p.name == "js" || p.name == "py" && here == "") {
			continue // import a.b of Python binds a.
		}
		x := p.node(opImport, n.start, &node{text: strings.Trim(module+"."+path, ".")})
		if x.text = cmp.Or(here, lastPart(path)); path == "*" || path == "default" || p.name == "js" && !open {
			x.kids[0].text = module
		}
		n.kids = append(n.kids, x)
	}
}

// moduleName is the name of a module without what Node allows around it.
func moduleName(s string) string {
	return strings.TrimSuffix(strings.TrimPrefix(s, "node:"), "/promises")
}
