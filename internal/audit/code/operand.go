package code

import (
	"slices"
	"strings"
)

// primary reads an operand.
func (p *parser) primary() *node {
	t := p.peek()
	switch t.kind {
	case end:
		return p.node(opNone, t.start)
	case text:
		return p.texts()
	case number:
		p.at++
		n := p.node(opNumber, t.start)
		n.text = t.text
		return n
	case name:
		return p.named()
	}
	switch t.text {
	case "(":
		return p.paren()
	case "[":
		p.at++
		n := p.node(opList, t.start)
		n.kids = p.arguments("]")
		if next := p.peek(); p.name == "go" && len(n.kids) < 2 && next.kind == name && !next.space {
			return p.unary() // the type of a list
		}
		return n
	case "{":
		return p.brace(false)
	case "|", "||":
		if p.is["pipes"] {
			return p.pipes()
		}
	case "->":
		// A lambda of Ruby.
		if p.name == "rb" {
			p.at++
			f := &function{}
			if p.sees("(") {
				f.params = p.paren().kids
			}
			return p.closure(t.start, f)
		}
	case ".":
		if p.ahead(1).kind == name {
			return p.node(opNone, t.start)
		}
	case ")", "]", "}", ",", ";", ":":
		return p.node(opNone, t.start)
	}
	p.at++
	return p.node(opNone, t.start)
}

// texts reads strings; several in a row are one.
func (p *parser) texts() *node {
	start := p.peek().start
	n := p.node(opText, start)
	n.token = p.peek()
	n.texts = append(n.texts, "")
	for {
		t := p.peek()
		p.at++
		n.texts[len(n.texts)-1] += t.text
		for _, part := range t.parts {
			n.kids = append(n.kids, p.embedded(part.from, part.to))
			n.texts = append(n.texts, part.text)
		}
		n.escaped = n.escaped || t.escaped
		next := p.peek()
		apart := p.name == "js" && next.text != "" && !next.space || p.name == "lua" || p.name == "vbs"
		if next.kind != text || p.breaks() || next.command || t.command || apart || len(n.texts) > 4096 {
			break
		}
	}
	n.end = p.before()
	return n
}

// embedded reads the expression in a string.
func (p *parser) embedded(from, to int) *node {
	if !p.deeper() {
		p.at--
		return p.node(opNone, from)
	}
	defer func() { p.depth-- }()
	tokens := p.language.tokens(p.src, from, to)
	sub := &parser{language: p.language, src: p.src, tokens: tokens, depth: p.depth, bracket: 1, funcs: p.funcs}
	return sub.expr(0)
}

// named reads what begins with a name.
func (p *parser) named() *node {
	t := p.peek()
	switch p.class() {
	case functions:
		return p.function()
	case skipped, returns:
		p.at++
		if !p.deeper() {
			return p.node(opNone, t.start)
		}
		defer func() { p.depth-- }()
		return p.unary()
	case control:
		if p.is["end"] || p.name == "py" {
			break
		}
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
	return t.kind == operator && slices.Contains(p.arrow, t.text) && !p.breaks()
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
		if p.take(","); p.at == from {
			p.at++
		}
	}
	return list
}

func (p *parser) block() []*node {
	p.at++
	return p.inside("}", func() []*node { return p.statements("}", -1) })
}

// brace reads statements or pairs in braces. closure: it is a function that is passed to a call.
func (p *parser) brace(closure bool) *node {
	start := p.peek().start
	if !closure {
		n := p.node(opBrace, start)
		n.kids = p.block()
		n.end = p.before()
		return n
	}
	f := &function{}
	p.at++
	if p.take("|") {
		f.params = p.parameters("|", 6)
	} else {
		for i := 0; i < 16 && f.params == nil; i++ {
			t := p.ahead(i)
			if t.kind == operator && t.text == "->" || t.kind == name && t.text == "in" {
				f.params = p.parameters(t.text, 6)
			} else if t.kind != name && !strings.Contains(",:()", t.text) {
				break
			}
		}
	}
	p.at--
	f.body = p.block()
	n := p.node(opFunc, start)
	n.fn = f
	return n
}

// arguments reads items up to a closing bracket. What is next to each other without a comma,
// such as the type of a parameter, is a sequence.
func (p *parser) arguments(stop string) []*node {
	return p.inside(stop, func() []*node {
		var list, group []*node
		flush := func() {
			switch len(group) {
			case 0:
			case 1:
				list = append(list, group[0])
			default:
				list = append(list, p.node(opSequence, group[0].start, group...))
			}
			group = nil
		}
		for p.peek().kind != end {
			t := p.peek()
			if t.kind == operator {
				if t.text == stop {
					p.at++
					break
				}
				if len(t.text) == 1 && strings.IndexByte(")]}", t.text[0]) >= 0 && slices.Contains(p.open, t.text[0]) {
					break
				}
				if t.text == "," || t.text == ";" {
					p.at++
					flush()
					continue
				}
			}
			from := p.at
			if n := p.item(true); n.op != opNone {
				group = append(group, n)
			}
			if p.at == from {
				p.at++
			}
		}
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
	if len(list) == 1 && !comma {
		n := list[0]
		if n.op == opAssign || n.op == opSpread || n.op == opFunc {
			return p.node(opSequence, start, n)
		}
		return n
	}
	n := p.node(opList, start)
	n.kids = list
	return n
}

// typed skips the type of what an arrow function returns.
func (p *parser) typed() bool { return p.name == "js" && p.sees(":") && p.skipsTo("=>") }

// skipsTo skips a type up to an operator, if that is there.
func (p *parser) skipsTo(stop string) bool {
	for i := 1; i < 24; i++ {
		switch t := p.ahead(i); {
		case t.kind == operator && t.text == stop:
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
	for steps := 0; steps < 5000; steps++ {
		t := p.peek()
		if p.breaks() && !p.continues(t) || t.kind == end {
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
		if p.name == "lua" && p.ahead(1).kind == name && (p.ahead(2).text == "(" || p.ahead(2).kind == text) {
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
	return nil
}

// wordSuffix reads what comes after an operand without an operator: a block, an argument.
func (p *parser) wordSuffix(n *node, t *token) *node {
	callable := n.op == opName || n.op == opAttr
	switch {
	case t.kind == name && t.text == "do" && p.name == "rb" && !p.bare:
		return p.do(n)
	case t.kind == text && callable && (p.name == "js" && !t.space || p.is["call:string"]):
		return p.call(n, []*node{p.texts()})
	case p.bareCall(n, t):
		saved := p.bracket
		p.bracket = 0
		list := p.list(true)
		p.bracket = saved
		return p.call(n, list)
	}
	return nil
}

// parenthesis reads the arguments of a call, or the parameters of what is then defined.
func (p *parser) parenthesis(n *node, t *token) *node {
	if n.op == opNumber || n.op == opNone || n.op == opText && p.name != "php" || t.space && (p.name == "awk" || n.op == opList) {
		return nil
	}
	p.at++
	list := p.arguments(")")
	switch {
	case n.op != opName:
	case p.name == "js" && (p.arrows() || p.typed()):
		return p.lambda(n.start, list)
	case p.is["def"] && p.signature():
		return p.define(n.start, &function{name: n.text, params: list}, p.block())
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
		if n.text += "!"; p.sees("[") || p.sees("{") {
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
	case text, number:
		return !t.pattern
	}
	return t.text == "[" && p.name == "rb"
}

// do reads the parameters of a block of Ruby. What is in the block is read as if it were not one.
func (p *parser) do(n *node) *node {
	p.at++
	if !p.take("|") {
		return n
	}
	e := p.node(opEach, n.start, append(p.parameters("|", 6), n)...)
	e.block = true
	return e
}

// member reads a name after a dot; also .( and .[ of some languages.
func (p *parser) member(n *node, t *token) *node {
	next := p.ahead(1)
	switch {
	case t.text == "." && strings.Contains(p.concat, ".") && p.concat != "..":
		return nil
	case next.kind == name, next.kind == number && p.name == "rs":
		p.at += 2
		a := p.node(opAttr, n.start, n)
		a.text = next.text
		return a
	case next.kind == text && t.text != "::":
		return nil
	case next.text == "(" || next.text == "[" || next.text == "<":
		p.at++
		if next.text == "<" && !p.generics() {
			return nil
		}
		return n
	case next.text == "{":
		p.at++
		if p.is["braces"] {
			return p.index(n, "}")
		}
		return nil
	}
	return nil
}

func (p *parser) index(n *node, stop string) *node {
	p.at++
	list := []*node{n}
	if p.sees(":") {
		// A slice without a beginning.
		p.at++
		list = append(list, p.node(opPair, p.before(), p.node(opNone, p.before()), p.node(opNone, p.before())))
		if rest := p.arguments(stop); len(rest) > 0 {
			list[1].kids[1] = rest[0]
		} else if p.tokens[p.at-2].kind == number {
			list[1].kids[1] = p.node(opNone, p.before())
		}
		return p.node(opIndex, n.start, list...)
	}
	return p.node(opIndex, n.start, append(list, p.arguments(stop)...)...)
}

// braced reads a brace after an operand: an index, an argument, or the body of a function.
func (p *parser) braced(n *node, t *token) *node {
	if n.op != opName && n.op != opAttr && n.op != opIndex && n.op != opCall {
		return nil
	}
	switch {
	case p.is["braces"] && !t.space && n.op != opCall:
		return p.index(n, "}")
	case p.is["braces"] && (n.text == "eval" || n.text == "map" || n.text == "grep"):
		return p.call(n, append([]*node{p.brace(true)}, p.list(false)...))
	case p.bare || t.line || p.is["indent"] || p.is["braces"] || p.name == "awk" || p.name == "r":
		return nil
	case p.defines(n):
		return p.define(n.start, &function{name: n.kids[0].text, params: n.kids[1:]}, p.block())
	case p.name == "js" && n.op != opCall:
		return nil
	}
	return p.attach(n, p.brace(p.name == "rb" || p.is["closure"]))
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

// defines reports whether a call in front of a brace is the head of a method.
func (p *parser) defines(n *node) bool {
	before := strings.TrimRight(p.src[max(0, n.start-8):n.start], " \t\n")
	return p.is["def"] && n.op == opCall && n.kids[0].op == opName && !strings.HasSuffix(before, "new")
}

func (p *parser) attach(n, block *node) *node {
	if n.op == opCall {
		n.kids = append(n.kids, block)
		n.end = p.before()
		return n
	}
	return p.call(n, []*node{block})
}

func (p *parser) define(start int, f *function, body []*node) *node {
	f.body = body
	if f.name != "" && len(p.funcs[f.name]) < 16 {
		p.funcs[f.name] = append(p.funcs[f.name], f)
	}
	n := p.node(opFunc, start)
	n.fn = f
	return n
}

// generics skips the parameters of a type. It reports whether there are any.
func (p *parser) generics() bool {
	if len(p.language.line) == 0 || p.language.line[0] != "//" {
		return false
	}
	depth := 0
	for i := 0; i < 32; i++ {
		t := p.ahead(i)
		switch {
		case t.kind == name || t.kind == text:
		case t.kind != operator:
			return false
		case t.text == "<":
			depth++
		case t.text == ">" || t.text == ">>":
			if depth -= len(t.text); depth <= 0 {
				n := p.ahead(i + 1)
				if n.text == "(" || n.text == "::" || n.text == "{" || n.text == "[" || n.kind == name && !n.line {
					p.at += i + 1
					return true
				}
				return false
			}
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
		return p.define(first.start, f, f.body)
	}
	p.take("*")
	if p.name == "go" && p.sees("(") {
		p.at++
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
	return p.define(first.start, f, p.body(first))
}

// functionName is the last part of the name of a function, which may be dotted.
func (p *parser) functionName() string {
	last := ""
	for i := 0; i < 8; i++ {
		t := p.peek()
		dot := t.kind == operator && (t.text == "." || t.text == ":" && !p.is["indent"] || t.text == "::")
		if t.line || t.kind != name && !dot || t.kind == name && last != "" && p.tokens[p.at-1].kind == name {
			break
		}
		if p.at++; t.kind == name {
			last = t.text
		}
	}
	return last
}

// skipType skips what is between the parameters of a function and its body.
func (p *parser) skipType() {
	if p.is["end"] {
		for p.name == "vbs" && !p.breaks() {
			p.at++
		}
		return
	}
	for i := 0; i < 48; i++ {
		t := p.peek()
		stop := strings.Contains("{;=,)", t.text) || t.text == "=>" || t.text == ":" && p.name == "py"
		if t.kind == end || t.kind == operator && stop || t.line && !p.language.is["semi"] {
			return
		}
		if p.at++; t.text == "(" || t.text == "[" {
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
	case p.sees("=>") || p.sees("="):
		p.at++
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

// imports reads an import: a node for each name that stands for something of another module. It
// returns nil if it is none.
func (p *parser) imports() *node {
	first := p.peek()
	if p.words[first.text] != imports || p.name == "js" && first.text != "import" {
		return nil
	}
	p.at++
	im := importer{p: p, n: p.node(opSequence, first.start)}
	if p.name == "js" {
		im.module = p.moduleAhead()
	}
	for i := 0; i < 512; i++ {
		t := p.peek()
		outside := len(im.groups) == 0 && (i > 0 && t.line || t.kind == operator && strings.Contains(")}", t.text))
		if t.kind == end || t.text == ";" && t.kind == operator || outside {
			break
		}
		p.at++
		im.take(t, first.text == "from")
	}
	im.add()
	im.n.end = p.before()
	return im.n
}

// moduleAhead is the string in the import that is next, without what Node allows around it.
func (p *parser) moduleAhead() string {
	for i := 0; i < 64; i++ {
		if t := p.ahead(i); t.kind == text {
			return moduleName(t.text)
		} else if t.kind == end || t.text == ";" {
			break
		}
	}
	return ""
}

func moduleName(s string) string {
	return strings.TrimSuffix(strings.TrimPrefix(s, "node:"), "/promises")
}

// importer puts together the names of an import. module is that of "from module import", groups
// are the paths in front of open brackets, path and alias what was read of the next name.
type importer struct {
	p                   *parser
	n                   *node
	groups              []string
	module, path, alias string
}

func (im *importer) take(t *token, from bool) {
	switch {
	case t.kind == text && im.p.name == "go":
		im.alias, im.path = im.path, strings.ReplaceAll(t.text, "/", ".")
		im.add()
	case t.kind == text || t.text == "from" && im.p.name == "js":
	case t.kind == name && t.text == "as":
		im.alias = im.p.peek().text
		im.p.at++
	case t.kind == name && t.text == "import" && from:
		im.module, im.path = im.path, ""
	case t.kind == name && (im.path == "" || strings.HasSuffix(im.path, ".")):
		im.path += t.text
	case strings.Contains("{(", t.text):
		im.groups, im.path = append(im.groups, strings.TrimSuffix(im.path, ".")), ""
	case strings.Contains("})", t.text):
		im.add()
		im.groups = im.groups[:max(0, len(im.groups)-1)]
	case t.text == ",":
		im.add()
	case t.text == "=":
		im.alias, im.path = im.path, ""
	case strings.Contains(".::\\", t.text):
		im.path = strings.TrimSuffix(im.path, ".") + "."
	case t.text == "*":
		im.path = "*"
	}
}

// add adds the name that was read.
func (im *importer) add() {
	path, here := strings.Trim(im.path, "."), im.alias
	im.path, im.alias = "", ""
	if path == "" || im.p.name == "py" && im.module == "" && here == "" {
		return // import a.b of Python binds a.
	}
	if here == "" {
		here = path[strings.LastIndexByte(path, '.')+1:]
	}
	if im.p.name == "js" && (len(im.groups) == 0 || path == "default") {
		path = ""
	}
	if path == "*" {
		path = ""
	}
	target := im.p.node(opNone, im.n.start)
	target.text = im.module
	for _, part := range append(im.groups, path) {
		if part != "" {
			target.text = strings.TrimPrefix(target.text+"."+part, ".")
		}
	}
	x := im.p.node(opImport, im.n.start, target)
	x.text = here
	im.n.kids = append(im.n.kids, x)
}
