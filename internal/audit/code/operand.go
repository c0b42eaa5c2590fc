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
		n.marked = n.marked || t.escaped
		next := p.peek()
		if next.kind != text || p.breaks() || next.command || t.command || p.name == "js" && next.text != "" && !next.space || p.name == "lua" || p.name == "vbs" || len(n.texts) > 4096 {
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
	sub := &parser{language: p.language, src: p.src, tokens: p.language.tokens(p.src, from, to), depth: p.depth, bracket: 1, funcs: p.funcs}
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
		n := p.unary()
		n.marked = n.marked || t.text == "new"
		return n
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
		f.params = p.upTo("|")
	}
	return p.closure(start, f)
}

// upTo reads parameters up to an operator.
func (p *parser) upTo(stop string) []*node {
	var list []*node
	for n := 0; n < 32 && !p.take(stop) && p.peek().kind != end; n++ {
		t := p.peek()
		p.at++
		if t.kind == name {
			n := p.node(opName, t.start)
			n.text = t.text
			list = append(list, n)
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
		f.params = p.upTo("|")
	} else {
		for i := 0; i < 16 && f.params == nil; i++ {
			t := p.ahead(i)
			if t.kind == operator && t.text == "->" || t.kind == name && t.text == "in" {
				f.params = p.upTo(t.text)
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
func (p *parser) typed() bool {
	if p.name != "js" || !p.sees(":") {
		return false
	}
	for i := 1; i < 24; i++ {
		switch t := p.ahead(i); {
		case t.kind == end || t.line || t.kind == operator && strings.Contains(";?(", t.text):
			return false
		case t.kind == operator && t.text == "=>":
			p.at += i
			return true
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
	if t.kind == name && t.text == "do" && p.name == "rb" && !p.bare {
		return p.do(n)
	}
	if t.kind != operator {
		switch {
		case t.kind == text && p.name == "js" && !t.space && (n.op == opName || n.op == opAttr), t.kind == text && p.is["call:string"] && (n.op == opName || n.op == opAttr):
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
	switch t.text {
	case ".", "?.", "->", "::", "&.", "?->":
		return p.member(n, t)
	case ":":
		if p.name == "lua" && p.ahead(1).kind == name && (p.ahead(2).text == "(" || p.ahead(2).kind == text) {
			return p.member(n, t)
		}
	case "(":
		if n.op == opNumber || n.op == opNone || n.op == opText && p.name != "php" || t.space && (p.name == "awk" || n.op == opList) {
			return nil
		}
		p.at++
		list := p.arguments(")")
		if n.op == opName && p.name == "js" && (p.arrows() || p.typed()) {
			return p.lambda(n.start, list)
		}
		if n.op == opName && p.is["def"] && p.signature() {
			return p.define(n.start, &function{name: n.text, params: list}, p.block())
		}
		return p.call(n, list)
	case "[":
		if p.bareCall(n, t) || n.op == opNone || n.op == opNumber {
			return nil
		}
		return p.index(n, "]")
	case "{":
		return p.braced(n, t)
	case "!":
		if !t.space && p.ahead(1).kind == operator {
			p.at++
			if p.is["macro"] && n.op == opName {
				n.text += "!"
				if p.sees("[") || p.sees("{") {
					stop := string(closer(p.peek().text[0]))
					p.at++
					return p.call(n, p.arguments(stop))
				}
			}
			return n
		}
	case "<":
		if p.generics() {
			return n
		}
	case "++", "--":
		if !t.space {
			p.at++
			return n
		}
	}
	return nil
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
		return (w == ordinary || w == skipped || w == functions) && p.strength(t) == 0 && !(p.name == "scpt" && n.text != "display_dialog" && !strings.Contains(n.text, "_"))
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
	e := p.node(opEach, n.start, append(p.upTo("|"), n)...)
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
	if p.sees(":") {
		// A slice without a beginning.
		p.open = append(p.open, stop[0])
		start := p.peek().start
		var list []*node
		for i := 0; i < 3 && !p.sees(stop) && p.peek().kind != end; i++ {
			if p.take(":") {
				list = append(list, p.node(opNone, start))
				continue
			}
			list = append(list, p.expr(2))
			p.take(":")
		}
		p.open = p.open[:len(p.open)-1]
		p.take(stop)
		x := p.node(opIndex, n.start, n, p.node(opPair, start, list...))
		return x
	}
	list := p.arguments(stop)
	return p.node(opIndex, n.start, append([]*node{n}, list...)...)
}

// braced reads a brace after an operand: an index, an argument, or the body of a function.
func (p *parser) braced(n *node, t *token) *node {
	switch {
	case p.is["braces"]:
		if t.space || n.op != opName && n.op != opAttr && n.op != opIndex {
			if n.op == opName && (n.text == "eval" || n.text == "map" || n.text == "grep") {
				return p.call(n, []*node{p.brace(true)})
			}
			return nil
		}
		return p.index(n, "}")
	case p.bare || t.line || p.name == "py" || p.name == "awk" || p.name == "r":
		return nil
	case n.op != opName && n.op != opAttr && n.op != opCall && n.op != opIndex:
		return nil
	case p.name == "rb" || p.is["closure"]:
		return p.attach(n, p.brace(true))
	case p.is["def"] && n.op == opCall && n.kids[0].op == opName && !n.marked && !p.isNew(n):
		f := &function{name: n.kids[0].text, params: n.kids[1:]}
		return p.define(n.start, f, p.block())
	case p.name == "js" && n.op != opCall:
		return nil
	}
	return p.attach(n, p.brace(false))
}

// signature skips what is between the parameters and the body of a method: a type, exceptions.
func (p *parser) signature() bool {
	t := p.peek()
	if !(t.text == ":" && p.name == "js") && t.text != "throws" && t.text != "const" && t.text != "noexcept" && t.text != "override" {
		return false
	}
	for i := 1; i < 24; i++ {
		switch t := p.ahead(i); {
		case t.kind == operator && t.text == "{":
			p.at += i
			return true
		case t.kind != name && (t.kind != operator || !strings.Contains(".,<>[]|&", t.text)):
			return false
		}
	}
	return false
}

// isNew reports whether "new" is in front of an expression.
func (p *parser) isNew(n *node) bool {
	return strings.HasSuffix(strings.TrimRight(p.src[max(0, n.start-8):n.start], " \t\n"), "new")
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
		f.params = p.until(":")
		p.take(":")
		f.body = []*node{p.expr(1)}
		return p.define(first.start, f, f.body)
	}
	p.take("*")
	if p.name == "go" && p.sees("(") {
		p.at++
		f.params = p.arguments(")")
	}
	for i := 0; i < 8; i++ {
		t := p.peek()
		if t.line || t.kind != name && !(t.kind == operator && (t.text == "." || t.text == ":" || t.text == "::")) || p.name == "py" && t.text == ":" {
			break
		}
		if p.at++; t.kind == name {
			f.name = t.text
			if p.is["end"] && p.ahead(0).kind == name {
				break
			}
		}
	}
	if p.sees("<") {
		p.generics()
	}
	switch {
	case p.sees("("):
		p.at++
		f.params = p.arguments(")")
	case p.is["end"] && p.peek().kind == name && !p.peek().line:
		f.params = p.list(false)
	}
	p.skipType()
	return p.define(first.start, f, p.body(first))
}

// until reads parameters up to an operator, which it leaves.
func (p *parser) until(stop string) []*node {
	var list []*node
	for n := 0; n < 64 && !p.sees(stop) && p.peek().kind != end; n++ {
		from := p.at
		list = append(list, p.expr(1))
		p.take(",")
		if p.at == from {
			p.at++
		}
	}
	return list
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
		if t.kind == end || t.kind == operator && (strings.Contains("{;=,)", t.text) || t.text == "=>" || t.text == ":" && p.name == "py") || t.line && !p.language.is["semi"] {
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

// imports reads an import: nodes of what each name stands for. It returns nil if it is none.
func (p *parser) imports() *node {
	start := p.at
	n := p.node(opSequence, p.peek().start)
	if p.name == "lua" || p.name == "rb" || p.name == "awk" || p.name == "r" || p.words[p.peek().text] != imports || p.name == "js" && p.peek().text != "import" {
		return nil
	}
	p.at++
	im := importer{p: p, n: n, from: p.tokens[start].text == "from"}
	im.read()
	n.end = p.before()
	return n
}

// importer reads an import.
type importer struct {
	p *parser
	n *node
	// from: "from module import names".
	from bool
	// prefix is the module, up to each open brace.
	prefix []string
	module string
	path   string
	alias  string
}

// read takes the words of an import up to its end. A path goes up to a comma, a brace or "as".
func (im *importer) read() {
	p := im.p
	group := 0
	star := false
	for i := 0; i < 512; i++ {
		t := p.peek()
		if t.kind == end || t.text == ";" && t.kind == operator || i > 0 && t.line && group == 0 || group == 0 && t.kind == operator && (t.text == ")" || t.text == "}") {
			break
		}
		p.at++
		switch {
		case t.kind == text:
			im.quotedModule(t.text)
		case t.kind == name && t.text == "as":
			im.alias = p.peek().text
			p.at++
			star = star || im.path == "*"
		case t.kind == name && (t.text == "import" && im.from):
			im.module, im.path = im.path, ""
		case t.kind == name && (t.text == "from" && p.name == "js"):
			im.add()
		case t.kind == name:
			if im.path != "" && !strings.HasSuffix(im.path, ".") {
				im.alias = t.text // import e "os/exec", or a type
				break
			}
			im.path += t.text
		case t.text == "{" || t.text == "(":
			group++
			im.prefix = append(im.prefix, im.path)
			im.path = ""
		case t.text == "}" || t.text == ")":
			im.add()
			if group--; group >= 0 {
				im.prefix = im.prefix[:group]
			}
		case t.text == ",":
			im.add()
		case t.text == "=":
			im.alias, im.path = im.path, ""
		case t.text == "." || t.text == "::" || t.text == "\\":
			im.path = strings.TrimSuffix(im.path, ".") + "."
		case t.text == "*":
			im.path = "*"
		}
	}
	im.add()
	im.resolve()
}

// add adds the name that was read.
func (im *importer) add() {
	path := strings.Trim(im.path, ".")
	for i := len(im.prefix) - 1; i >= 0; i-- {
		path = strings.Trim(strings.TrimSuffix(im.prefix[i], ".")+"."+path, ".")
	}
	here := im.alias
	if here == "" {
		here = path[strings.LastIndexByte(path, '.')+1:]
		if im.p.name == "py" && !im.from {
			here = "" // import a.b binds a.
		}
	}
	if path != "" && here != "" {
		target := im.p.node(opNone, im.n.start)
		target.text = path
		x := im.p.node(opImport, im.n.start, target)
		x.text = here
		x.weak = len(im.prefix) == 0
		im.n.kids = append(im.n.kids, x)
	}
	im.path, im.alias = "", ""
}

// quotedModule takes a module that is written as a string.
func (im *importer) quotedModule(module string) {
	if im.p.name == "go" {
		im.alias, im.path = im.path, strings.ReplaceAll(module, "/", ".")
		im.add()
		return
	}
	im.module = module
}

// resolve puts the module in front of the names that were read of it. x.weak is set for a name
// that stands for the module itself.
func (im *importer) resolve() {
	for _, x := range im.n.kids {
		target := x.kids[0]
		switch {
		case im.module == "":
		case im.p.name == "js":
			module := moduleName(im.module)
			if x.weak || target.text == "*" || target.text == "default" {
				target.text = module
			} else {
				target.text = module + "." + target.text
			}
		case target.text == "*":
			x.text, target.text = "*", im.module
		default:
			target.text = im.module + "." + target.text
		}
	}
}

// moduleName is the name of a module of Node without its prefix and variants.
func moduleName(s string) string {
	return strings.TrimSuffix(strings.TrimPrefix(s, "node:"), "/promises")
}
