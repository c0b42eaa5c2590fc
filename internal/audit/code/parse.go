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
	opMulti  // targets, values; count is the number of targets
	opFunc
	opReturn
	opEach // targets, what is gone through
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
	// column is the indentation of a statement. weak: it may not run. escaped: a text whose
	// letters are written as numbers.
	column        int
	weak, escaped bool
	count         int
	text          string
	kids          []*node
	// quote is how a text is written; texts are what is around the expressions in it.
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

func (p *parser) seesWord(s string) bool { return p.peek().kind == name && p.peek().text == s }

// seesOneOf reports whether the next token is an operator of one character among some.
func (p *parser) seesOneOf(s string) bool {
	t := p.peek()
	return t.kind == operator && len(t.text) == 1 && strings.Contains(s, t.text)
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
		case p.seesOneOf(")]}") && slices.Contains(p.open, t.text[0]), column >= 0 && p.dedents(t, first, column):
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
	if t.kind != name || w == ordinary || n.kind != operator {
		if t.kind != name {
			w = ordinary
		}
		return w
	}
	if !n.line || p.is["semi"] {
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
	if w == skipped && strings.IndexByte("[{*&($@!-<~#^+", n.text[0]) < 0 && n.text != "..." {
		return ordinary
	}
	return w
}

// statement reads a statement, without the words that it begins with.
func (p *parser) statement() []*node {
	saved := p.bare
	defer func() { p.bare = saved }()
	conditional := false
	for {
		start := p.peek().start
		w := p.class()
		switch w {
		case skipped:
			p.at++
			continue
		case control:
			p.at++
			conditional, p.bare = true, true
			continue
		case loop:
			p.at++
			p.bare = true
			return p.loop(start)
		case imports:
			if n := p.imports(); n != nil {
				return []*node{n}
			}
		case returns:
			p.at++
			n := p.node(opReturn, start)
			if !p.breaks() {
				n.kids = p.list(false)
			}
			return []*node{n}
		}
		if conditional && p.breaks() || p.seesOneOf(";)]}") {
			return nil
		}
		list := p.list(!conditional)
		for _, n := range list {
			n.weak = conditional
		}
		return list
	}
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

// loop reads the header of a loop, with or without parentheses, as an opEach.
func (p *parser) loop(start int) []*node {
	if p.name == "pl" {
		for p.class() == skipped {
			p.at++
		}
		list := []*node{p.primary()}
		if p.sees("(") {
			return []*node{p.node(opEach, start, append(list, p.paren())...)}
		}
		return list
	}
	list := p.list(false)
	if n := list[0]; len(list) == 1 && (n.op == opList || n.op == opSequence) {
		list = n.kids
	}
	for i, n := range list {
		var kids []*node
		switch {
		case n.op == opBinary && (n.text == "in" || n.text == "of"):
			kids = append(slices.Clone(list[:i]), n.kids...)
		case n.op == opPair && n.kids[0].op == opBinary && n.kids[0].text == "as":
			kids = []*node{n.kids[0].kids[1], n.kids[1], n.kids[0].kids[0]}
		case n.op == opBinary && n.text == "as":
			kids = []*node{n.kids[1], n.kids[0]}
		case n.op == opPair, n.op == opMulti && n.count == len(n.kids)-1:
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
		if !p.take(",") || p.peek().kind == end || len(list) > maxItems {
			break
		}
	}
	if p.is["multi"] && assigned > 0 && p.bracket == 0 {
		kids := append(slices.Clone(list[:assigned]), list[assigned].kids...)
		n := p.node(opMulti, list[0].start, append(kids, list[assigned+1:]...)...)
		n.count = assigned + 1
		return []*node{n}
	}
	return list
}

// item reads an expression, or a key and its value.
func (p *parser) item(pairs bool) *node {
	n := p.expr(0)
	if !pairs || !p.sees(":") && !p.sees("=>") || p.breaks() || !p.deeper() {
		return n
	}
	defer p.shallower()
	p.at++
	if p.peek().kind == end || p.seesOneOf(",)}]") {
		return p.node(opPair, n.start, n, p.node(opNone, n.start))
	}
	return p.node(opPair, n.start, n, p.item(pairs))
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
	case "+", "?", "=", "|", "&", "==", "===":
		return p.name == "js"
	}
	return false
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
		attribute := t.text == "." && !strings.Contains(p.concat, ".")
		argument := t.text == "&" && p.is["bare"] && t.space && !p.ahead(1).space && p.concat != "&"
		switch {
		case p.name == "py" && p.seesWord("for") && p.bracket > 0 && least == 0:
			left = p.comprehension(left)
		case s > 0 && s >= least && !attribute && !argument:
			p.at++
			left = p.binary(left, t, s)
		case p.is["juxtapose"] && least <= 6 && (t.kind == name || t.kind == text) && p.class() == ordinary && t.text != "getline":
			left = p.node(opBinary, left.start, left, p.expr(7))
			left.text = "+"
		default:
			return left
		}
	}
}

// binary reads what is on the right of an operator.
func (p *parser) binary(left *node, t *token, s int) *node {
	op := opBinary
	switch {
	case s == 1:
		op, s = opAssign, 0
	case t.text == "?":
		next := p.peek()
		if next.kind == end || p.seesOneOf(";,)}].:") || next.line && !p.is["semi"] && p.name != "js" {
			return left // the ? of Rust and Swift
		}
		a := p.expr(1)
		if !p.take(":") {
			return p.node(opSequence, left.start, left, a)
		}
		return p.node(opEither, left.start, left, a, p.expr(1))
	case t.kind == name && t.text == "if":
		kids := []*node{p.expr(3), left}
		if p.seesWord("else") {
			p.at++
			kids = append(kids, p.expr(2))
		}
		return p.node(opEither, left.start, kids...)
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
	right := p.expr(s + 1)
	n := p.node(op, left.start, left, right)
	n.text = t.text
	return n
}

// comprehension reads "for x in list if condition".
func (p *parser) comprehension(value *node) *node {
	n := p.node(opComp, value.start, value)
	for p.seesWord("for") || p.seesWord("if") || p.seesWord("async") {
		start, word := p.peek().start, p.peek().text
		p.at++
		switch word {
		case "if":
			n.kids = append(n.kids, p.expr(3))
		case "for":
			targets := []*node{p.expr(5)}
			for p.take(",") {
				targets = append(targets, p.expr(5))
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

const prefixOperators = " - + ~ & && <- ++ -- @ \\ ^ !! .. "

func (p *parser) unary() *node {
	t := p.peek()
	op := opNone
	switch {
	case t.is("!") || t.kind == name && (t.text == "not" || t.text == "typeof" || t.text == "defined") && p.words[t.text] == ordinary:
		op = opNot
	case t.is("...") || t.is("**") || t.is("*"):
		op = opSpread
	case t.kind != operator || !strings.Contains(prefixOperators, " "+t.text+" "):
		return p.postfix(p.primary())
	}
	if !p.deeper() {
		return p.node(opNone, p.before())
	}
	defer p.shallower()
	p.at++
	n := p.unary()
	if t.is("-") && n.op == opNumber {
		n.text = "-" + n.text
	}
	if op != opNone {
		return p.node(op, t.start, n)
	}
	return n
}

// primary reads an operand.
func (p *parser) primary() *node {
	t := p.peek()
	switch t.kind {
	case end:
		return p.node(opNone, t.start)
	case text:
		return p.texts()
	case name:
		return p.named()
	case number:
		p.at++
		n := p.node(opNumber, t.start)
		n.text = t.text
		return n
	}
	switch {
	case t.is("("):
		return p.paren()
	case t.is("["):
		p.at++
		kids := p.arguments("]")
		if next := p.peek(); p.name == "go" && len(kids) < 2 && next.kind == name && !next.space {
			return p.unary() // the type of a list
		}
		return p.node(opList, t.start, kids...)
	case t.is("{"):
		kids := p.block()
		return p.node(opBrace, t.start, kids...)
	case p.is["pipes"] && (t.is("|") || t.is("||")):
		return p.pipes()
	case t.is("->") && p.name == "rb":
		p.at++
		f := &function{}
		if p.take("(") {
			f.params = p.arguments(")")
		}
		return p.closure(t.start, f)
	case t.is(".") && p.ahead(1).kind == name, p.seesOneOf(")]},;:"):
		return p.node(opNone, t.start)
	}
	p.at++
	return p.node(opNone, t.start)
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
		n.escaped = n.escaped || t.escaped
		next := p.peek()
		apart := next.kind != text || p.breaks() || next.quote.has('x') || t.quote.has('x')
		if apart || p.name == "js" && !next.space || p.name == "lua" || p.name == "vbs" || len(n.texts) > maxItems {
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
	t := p.peek()
	switch w := p.class(); {
	case w == functions:
		return p.function()
	case w == skipped || w == returns:
		if !p.deeper() {
			return p.node(opNone, t.start)
		}
		defer p.shallower()
		p.at++
		return p.unary()
	case w == control && !p.is["end"] && p.name != "py":
		// A statement where an expression was expected: it is read on its own.
		return p.node(opNone, t.start)
	}
	p.at++
	n := p.node(opName, t.start)
	n.text = t.text
	if p.arrows() {
		return p.lambda(t.start, []*node{n})
	}
	return n
}

func (p *parser) arrows() bool {
	t := p.peek()
	return t.kind == operator && slices.Contains(p.fields["arrow"], t.text) && !p.breaks()
}

// lambda reads the body of a function after its arrow.
func (p *parser) lambda(start int, params []*node) *node {
	p.at++
	return p.closure(start, &function{params: params})
}

// closure reads the body of a function: a block or an expression.
func (p *parser) closure(start int, f *function) *node {
	switch {
	case p.sees("{"):
		f.body = p.block()
	case p.seesWord("do"):
		p.at++
		f.body = p.statements("", p.peek().column)
	default:
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

// pipes reads a closure of Rust.
func (p *parser) pipes() *node {
	start := p.peek().start
	f := &function{}
	if !p.take("||") {
		p.at++
		f.params = p.parameters("|", 6)
	}
	return p.closure(start, f)
}

// parameters reads parameters up to an operator or a word, without their types.
func (p *parser) parameters(stop string, least int) []*node {
	var list []*node
	for n := 0; n < 64 && p.peek().kind != end; n++ {
		if t := p.peek(); t.text == stop && t.kind != text {
			p.at++
			break
		}
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
	f := &function{}
	p.at++
	if p.take("|") {
		f.params = p.parameters("|", 6)
	}
	for i := 0; i < 16 && f.params == nil; i++ {
		t := p.ahead(i)
		if t.is("->") || t.kind == name && t.text == "in" {
			f.params = p.parameters(t.text, 6)
		} else if t.kind != name && !strings.Contains(",:()", t.text) {
			break
		}
	}
	f.body = p.inside("}", func() []*node { return p.statements("}", -1) })
	return p.define(start, f)
}

// arguments reads items up to a closing bracket. What is next to each other without a comma,
// such as the type of a parameter, is a sequence.
func (p *parser) arguments(stop string) []*node {
	return p.inside(stop, func() []*node {
		var list, group []*node
		flush := func() {
			if len(group) == 1 {
				list = append(list, group[0])
			} else if len(group) > 1 {
				list = append(list, p.node(opSequence, group[0].start, group...))
			}
			group = nil
		}
		for p.peek().kind != end && !p.sees(stop) {
			if p.seesOneOf(")]}") && slices.Contains(p.open, p.peek().text[0]) {
				flush()
				return list
			}
			if p.take(",") || p.take(";") {
				flush()
				continue
			}
			from := p.at
			if n := p.item(true); n.op != opNone {
				group = append(group, n)
			}
			p.at = max(p.at, from+1)
		}
		p.take(stop)
		flush()
		return list
	})
}

// paren reads what is in parentheses: an expression, a tuple, or the parameters of a function.
func (p *parser) paren() *node {
	start := p.peek().start
	p.at++
	list := p.arguments(")")
	comma := p.at >= 2 && p.tokens[p.at-2].text == ","
	if p.arrows() || p.typed() {
		return p.lambda(start, list)
	}
	if len(list) != 1 || comma {
		return p.node(opList, start, list...)
	}
	if n := list[0]; n.op != opAssign && n.op != opSpread && n.op != opFunc {
		return n
	}
	return p.node(opSequence, start, list[0])
}

// typed skips the type of what an arrow function returns.
func (p *parser) typed() bool { return p.name == "js" && p.sees(":") && p.skipsTo("=>") }

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
	if t.kind != operator {
		return p.wordSuffix(n, t)
	}
	switch t.text {
	case ".", "?.", "->", "::", "&.", "?->":
		return p.member(n, t)
	case ":":
		if p.name == "lua" && p.ahead(1).kind == name && (p.ahead(2).is("(") || p.ahead(2).kind == text) {
			return p.member(n, t)
		}
	case "(":
		return p.parenthesis(n, t)
	case "[":
		if !p.bareCall(n, t) && n.op != opNone && n.op != opNumber {
			return p.index(n, "]")
		}
	case "{":
		return p.braced(n, t)
	case "!":
		return p.mark(n, t)
	case "<":
		if p.generics() {
			return n
		}
	case "...", "++", "--":
		if !t.space {
			p.at++
			return p.node(opSpread, n.start, n)
		}
	}
	if p.bareCall(n, t) {
		return p.call(n, p.bareList())
	}
	return nil
}

// wordSuffix reads what comes after an operand without an operator: a block, an argument.
func (p *parser) wordSuffix(n *node, t *token) *node {
	callable := n.op == opName || n.op == opAttr
	switch {
	case t.kind == name && t.text == "do" && p.name == "rb" && !p.bare:
		f := &function{}
		if p.ahead(1).is("|") {
			p.at += 2
			f.params = p.parameters("|", 6)
			f.body = p.statements("", p.tokens[p.at-1].column)
		} else {
			p.at++
			f.body = p.statements("", t.column)
		}
		return p.attach(n, p.define(t.start, f))
	case t.kind == text && callable && (p.name == "js" && !t.space || p.is["call:string"]):
		return p.call(n, []*node{p.texts()})
	case p.bareCall(n, t):
		return p.call(n, p.bareList())
	}
	return nil
}

// bareList reads the arguments of a call without parentheses.
func (p *parser) bareList() []*node {
	saved := p.bracket
	p.bracket = 0
	defer func() { p.bracket = saved }()
	return p.list(true)
}

// bareCall reports whether the next token is the first argument of a call without parentheses.
func (p *parser) bareCall(n *node, t *token) bool {
	if !p.is["bare"] || !t.space || n.op != opName && n.op != opAttr || n.op == opName && p.words[n.text] != ordinary {
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
	none := n.op == opNumber || n.op == opNone || n.op == opText && p.name != "php"
	if none || t.space && (p.name == "awk" || n.op == opList) {
		return nil
	}
	p.at++
	list := p.arguments(")")
	switch {
	case n.op != opName:
	case p.name == "js" && (p.arrows() || p.typed()):
		return p.lambda(n.start, list)
	case p.is["def"] && p.signature():
		return p.define(n.start, &function{name: n.text, params: list, body: p.block()})
	}
	return p.call(n, list)
}

// mark reads an exclamation mark: that of a macro, or one that only says that there is a value.
func (p *parser) mark(n *node, t *token) *node {
	if t.space || p.ahead(1).kind != operator {
		return nil
	}
	p.at++
	if p.is["macro"] && n.op == opName {
		if n.text += "!"; p.seesOneOf("[{") {
			stop := string(closer(p.peek().text[0]))
			p.at++
			return p.call(n, p.arguments(stop))
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
func (p *parser) member(n *node, t *token) *node {
	next := p.ahead(1)
	switch {
	case t.text == "." && p.concat == ".", next.kind == text:
		return nil
	case next.kind == name, next.kind == number && p.name == "rs":
		p.at += 2
		a := p.node(opAttr, n.start, n)
		a.text = next.text
		return a
	case next.is("(") || next.is("["):
		p.at++
		return n
	case next.is("<"):
		p.at++
		if p.generics() {
			return n
		}
	case next.is("{"):
		p.at++
		if p.is["braces"] {
			return p.index(n, "}")
		}
	}
	return nil
}

// index reads the key of an element, or the bounds of a slice.
func (p *parser) index(n *node, stop string) *node {
	p.at++
	if !p.sees(":") {
		return p.node(opIndex, n.start, append([]*node{n}, p.arguments(stop)...)...)
	}
	p.at++
	none := p.node(opNone, p.before())
	slice := p.node(opPair, p.before(), none, none)
	if rest := p.arguments(stop); len(rest) > 0 {
		slice.kids[1] = rest[0]
	}
	return p.node(opIndex, n.start, n, slice)
}

// braced reads a brace after an operand: an index, an argument, or the body of a function.
func (p *parser) braced(n *node, t *token) *node {
	switch {
	case n.op != opName && n.op != opAttr && n.op != opIndex && n.op != opCall:
		return nil
	case p.is["braces"] && !t.space && n.op != opCall:
		return p.index(n, "}")
	case p.is["braces"] && (n.text == "eval" || n.text == "map" || n.text == "grep"):
		return p.call(n, append([]*node{p.trailing()}, p.list(false)...))
	case p.bare || t.line || p.is["indent"] || p.is["braces"] || p.name == "awk" || p.name == "r":
		return nil
	case p.is["def"] && n.op == opCall && n.kids[0].op == opName && !p.isNew(n):
		return p.define(n.start, &function{name: n.kids[0].text, params: n.kids[1:], body: p.block()})
	case p.name == "js" && n.op != opCall:
		return nil
	case p.name == "rb" || p.is["closure"]:
		return p.attach(n, p.trailing())
	}
	return p.attach(n, p.primary())
}

// isNew reports whether "new" is in front of an expression.
func (p *parser) isNew(n *node) bool {
	return strings.HasSuffix(strings.TrimRight(p.src[max(0, n.start-8):n.start], " \t\n"), "new")
}

// signature skips what is between the parameters and the body of a method: a type, exceptions.
func (p *parser) signature() bool {
	switch p.peek().text {
	case ":":
		return p.name == "js" && p.skipsTo("{")
	case "throws", "const", "noexcept", "override":
		return p.skipsTo("{")
	}
	return false
}

// generics skips the parameters of a type. It reports whether there are any.
func (p *parser) generics() bool {
	depth := 0
	for i := 0; i < 32 && slices.Contains(p.comments, "//"); i++ {
		t := p.ahead(i)
		switch {
		case t.kind == name || t.kind == text:
		case t.kind != operator:
			return false
		case t.text == "<":
			depth++
		case t.text == ">" || t.text == ">>":
			if depth -= len(t.text); depth > 0 {
				continue
			}
			n := p.ahead(i + 1)
			if n.kind == operator && strings.Contains("( :: { [", n.text) || n.kind == name && !n.line {
				p.at += i + 1
				return true
			}
			return false
		case !strings.Contains(",.::?&[]*|'", t.text):
			return false
		}
	}
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
	p.take("*")
	if p.name == "go" && p.take("(") {
		f.params = p.arguments(")")
	}
	f.name = p.functionName()
	if p.sees("<") {
		p.generics()
	}
	switch {
	case p.take("("):
		f.params = p.arguments(")")
	case p.is["end"] && p.peek().kind == name && !p.peek().line:
		f.params = p.list(false)
	}
	p.skipType()
	f.body = p.body(first)
	return p.define(first.start, f)
}

// functionName is the last part of the name of a function, which may be dotted.
func (p *parser) functionName() string {
	last := ""
	for n := 0; n < 8 && p.peek().kind == name && !p.peek().line; n++ {
		last = p.peek().text
		p.at++
		if !p.sees(".") && !p.sees("::") && !(p.sees(":") && !p.is["indent"]) {
			break
		}
		p.at++
	}
	return last
}

// skipType skips what is between the parameters of a function and its body.
func (p *parser) skipType() {
	for n := 0; n < 48 && !p.breaks() && (!p.is["end"] || p.name == "vbs"); n++ {
		t := p.peek()
		if p.seesOneOf("{;=,)") || t.is("=>") || t.is(":") && p.name == "py" {
			return
		}
		p.at++
		if t.is("(") || t.is("[") {
			p.arguments(string(closer(t.text[0])))
		}
	}
}

// body reads the body of a function.
func (p *parser) body(first *token) []*node {
	saved := p.bracket
	p.bracket = 0
	defer func() { p.bracket = saved }()
	switch {
	case p.sees("{"):
		return p.block()
	case p.take("=>") || p.take("="):
		return []*node{p.expr(1)}
	case p.name == "py" && p.take(":"):
		if !p.peek().line {
			return p.statement()
		}
		return p.statements("", first.column)
	case p.is["end"]:
		return p.statements("", first.column)
	case p.name == "r":
		return p.list(false)
	}
	return nil
}
