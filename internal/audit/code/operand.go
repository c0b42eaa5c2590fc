package code

import "strings"

// primary reads an operand.
func (p *parser) primary() *node {
	t := p.peek()
	switch {
	case t.kind == end || p.nextIsOneOf(")]},;:") || t.is(".") && p.ahead(1).kind == name:
		return p.node(opNone, t.start)
	case t.kind == text:
		return p.texts()
	case t.kind == name:
		return p.named()
	case t.is("("):
		return p.paren()
	case t.is("{"):
		return p.node(opBrace, t.start, p.block()...)
	}
	p.at++
	n := p.node(opNone, t.start)
	if t.kind == number {
		n.op, n.text = opNumber, t.text
	} else if t.is("[") {
		kids := p.arguments("]")
		if next := p.peek(); p.name == "go" && len(kids) < 2 && next.kind == name && !next.space {
			return p.unary() // list type
		}
		return p.node(opList, t.start, kids...)
	}
	return n
}

// texts reads one or more adjacent string literals and joins them.
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
		if next.kind != text || p.startsLine() || len(n.texts) > maxItems {
			break
		}
		t = next
	}
	n.end = p.prevEnd()
	return n
}

// embedded reads an expression inside a string.
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

// named reads an operand that starts with a name.
func (p *parser) named() *node {
	t, w := p.peek(), p.peekClass()
	switch {
	case w == functions:
		return p.function()
	case w == control && !p.features["indent"]:
		// This token starts a statement, but an expression was expected. Leave the statement to be
		// parsed separately.
		return p.node(opNone, t.start)
	}
	p.at++
	n := p.node(opName, t.start)
	n.text = t.text
	if p.arrows() {
		return p.closure(t.start, []*node{n})
	}
	return n
}

// arguments reads items up to a closing bracket. Adjacent items that are not separated by a comma,
// such as a type and a parameter name, form a sequence.
func (p *parser) arguments(stop string) []*node {
	return p.bracketed(stop, func() (list []*node) {
		fresh := true
		for p.peek().kind != end && !p.accept(stop) && !p.nextCloses() {
			from := p.at
			if p.accept(",") || p.accept(";") {
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

// paren reads parentheses and their content: an expression, a tuple, or function parameters.
func (p *parser) paren() *node {
	start := p.peek().start
	p.at++
	list := p.arguments(")")
	comma := p.at >= 2 && p.tokens[p.at-2].text == ","
	if p.arrows() {
		return p.closure(start, list)
	}
	if len(list) != 1 || comma {
		return p.node(opList, start, list...)
	}
	return list[0]
}

// postfix reads attribute accesses, calls and indexes that follow an operand.
func (p *parser) postfix(n *node) *node {
	for range 5000 {
		t := p.peek()
		if p.startsLine() && !p.continuesLine(t) {
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

// suffix reads a single attribute access, call or index. It returns nil if there is none.
func (p *parser) suffix(n *node, t *token) *node {
	if p.bareCall(n, t) {
		saved := p.bracket
		p.bracket = 0
		list := p.list(true)
		p.bracket = saved
		return p.call(n, list)
	} else if t.kind != operator {
		return nil
	}
	next := p.ahead(1)
	switch t.text {
	case ".", "?.", "->", "::", "&.", "?->":
		if t.text != p.concat {
			return p.member(n, next)
		}
	case ":":
		if p.name == "lua" && next.kind == name && p.ahead(2).is("(") {
			return p.member(n, next)
		}
	case "(":
		return p.parenthesis(n)
	case "[":
		if n.op != opNone && n.op != opNumber {
			return p.index(n)
		}
	case "{":
		return p.braced(n, t)
	case "!":
		if !t.space && next.kind == operator { // a macro call or a non-null assertion
			p.at++
			return n
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

// bareCall reports whether the next token is the first argument of a call without parentheses.
func (p *parser) bareCall(n *node, t *token) bool {
	if !p.bareCalls || !t.space || n.op != opAttr && (n.op != opName || p.wordClasses[n.text] != ordinary) {
		return false
	}
	switch t.kind {
	case name:
		w := t.class
		command := p.name != "scpt" || strings.Contains(n.text, "_")
		return command && (w == ordinary || w == skipped || w == functions) && p.precedence(t) == 0
	case number:
		return true
	case text:
		return !t.quote.has('p')
	}
	return t.text == "[" && p.name == "rb"
}

// parenthesis reads the parenthesized arguments of a call or the parameters of a definition.
func (p *parser) parenthesis(n *node) *node {
	if n.op == opNumber || n.op == opNone || n.op == opText && p.name != "php" {
		return nil
	}
	p.at++
	list := p.arguments(")")
	if n.op == opName && p.arrows() {
		return p.closure(n.start, list)
	}
	return p.call(n, list)
}

func (p *parser) call(n *node, list []*node) *node {
	return p.node(opCall, n.start, append([]*node{n}, list...)...)
}

// member reads a name after a dot. In some languages, .( and .[ are also valid.
func (p *parser) member(n *node, next *token) *node {
	p.at++
	if next.kind == name {
		p.at++
		a := p.node(opAttr, n.start, n)
		a.text = next.text
		return a
	}
	p.generics()
	return n
}

// index reads an element's key or a slice's bounds.
func (p *parser) index(n *node) *node {
	p.at++
	return p.node(opIndex, n.start, append([]*node{n}, p.arguments("]")...)...)
}

// braced reads the braces that follow an operand. They contain a literal, an argument, or a
// function body.
func (p *parser) braced(n *node, t *token) *node {
	switch {
	case n.op != opName && n.op != opAttr && n.op != opIndex && n.op != opCall:
	case p.bodyBraces || t.line:
	case p.features["def"] && n.op == opCall && n.kids[0].op == opName && !strings.HasSuffix(p.src[:n.start], "new "):
		return p.define(n.start, &function{name: n.kids[0].text, params: n.kids[1:], body: p.block()})
	case p.features["literal"] && n.op == opCall:
		n.kids = append(n.kids, p.primary())
		n.end = p.prevEnd()
		return n
	case p.features["literal"]:
		return p.call(n, []*node{p.primary()})
	}
	return nil
}
