package script

// scriptBlock reads the statements of JavaScript up to a token.
func (p *parser) scriptBlock(end int) {
	p.within(end, func() {
		for p.i < p.limit {
			began := p.i
			p.scriptStatement()
			if p.i == began {
				p.prog.Odd++
				p.i++
			}
		}
	})
}

func (p *parser) scriptStatement() {
	t := p.tok()
	if t.Kind == Mark {
		switch t.Text {
		case "{":
			p.block++
			p.i++
			return
		case "}":
			p.block--
			p.i++
			return
		case ";", ",", ")", "]", ":", "@":
			p.i++
			return
		}
	}
	next := p.ahead(1)
	if t.Kind == Name && !(next.Kind == Mark && (next.Text == "." || next.Text == "=")) {
		switch t.Text {
		case "const", "let", "var":
			p.i++
			p.declare()
			return
		case "async":
			if next.Kind == Name && next.Text == "function" {
				p.i++
				return
			}
		case "function":
			p.declareFunction()
			return
		case "class":
			p.classBody()
			return
		case "return", "throw", "export", "default", "else", "try", "finally", "do", "case", "break", "continue", "declare", "abstract":
			p.i++
			if t.Text == "return" {
				s := Stmt{Kind: Return, Start: t.Start}
				if p.i < p.limit && !p.is(";") && !p.is("}") && !p.tok().First {
					s.Value = p.expr()
				}
				p.stmt(s)
			}
			return
		case "if", "while", "switch", "with", "catch":
			p.i++
			p.header(nil)
			return
		case "for":
			p.i++
			if p.word("await") {
				p.i++
			}
			p.header(p.loopVariables)
			return
		case "import":
			if next.Kind != Mark || next.Text == "{" || next.Text == "*" {
				p.scriptImport()
				return
			}
		case "interface", "enum", "namespace", "module":
			if next.Kind == Name && !next.First {
				p.i++
				for p.i < p.limit && !p.is("{") && !p.is(";") {
					p.i++
				}
				if p.is("{") && t.Text != "namespace" && t.Text != "module" {
					p.i = min(p.partner()+1, p.limit)
				}
				return
			}
		case "type":
			if next.Kind == Name && !next.First {
				p.i += 2
				p.typeUntil()
				if p.is("=") {
					p.i++
					p.typeUntil()
				}
				return
			}
		}
	}
	p.do(p.expr())
}

// typeUntil steps over a type up to what ends it.
func (p *parser) typeUntil() {
	for began := p.i; p.i < p.limit; {
		switch t := p.tok(); {
		case p.is("="), p.is(";"), p.is(","), p.is(")"), p.is("}"), p.is("]"):
			return
		case p.i > began && t.First && t.Kind == Name:
			return
		case p.is("<"):
			p.generics()
		case p.is("("), p.is("["), p.is("{"):
			p.i = min(p.partner()+1, p.limit)
		default:
			p.i++
		}
	}
}

// header reads (…) of a statement; first, where there is one, what the brackets may
// begin with.
func (p *parser) header(first func()) {
	if !p.is("(") {
		return
	}
	end := p.partner()
	p.i++
	p.within(end, func() {
		if first != nil {
			first()
		}
		for p.i < p.limit {
			if p.is(";") || p.is(",") {
				p.i++
				continue
			}
			p.do(p.expr())
		}
	})
	p.i = min(end+1, p.limit)
}

// loopVariables reads what a for statement declares.
func (p *parser) loopVariables() {
	if !p.word("const") && !p.word("let") && !p.word("var") {
		return
	}
	start, save := p.tok().Start, p.i
	p.i++
	if targets := p.targets(); p.word("of") || p.word("in") {
		p.i++
		p.stmt(Stmt{Kind: Each, Start: start, Targets: targets, Value: p.expr(), Declares: true})
		return
	}
	p.i = save + 1
	p.declare()
}

// declare reads what stands behind const, let and var.
func (p *parser) declare() {
	for p.i < p.limit {
		t := p.primary()
		if p.is("!") {
			p.i++
		}
		if p.is(":") {
			p.i++
			p.typeUntil()
		}
		s := Stmt{Kind: Let, Start: t.Start, Targets: []*Node{t}, Declares: true}
		if t.Op == List {
			s.Targets = t.Kids
		}
		if p.is("=") {
			p.i++
			s.Value = p.expr()
		}
		p.stmt(s)
		if !p.is(",") {
			return
		}
		p.i++
	}
}

func (p *parser) classBody() {
	p.i++
	name := ""
	if p.tok().Kind == Name && p.tok().Text != "extends" {
		name = p.tok().Text
	}
	for p.i < p.limit && !p.is("{") && !p.is(";") {
		p.i++
	}
	if !p.is("{") {
		return
	}
	end := p.partner()
	p.i++
	if p.depth >= maxDepth {
		p.prog.Complete = false
		p.i = min(end+1, p.limit)
		return
	}
	outer := p.class
	p.class = name
	p.depth++
	p.within(end, func() {
		for p.i < p.limit {
			p.member()
		}
	})
	p.depth--
	p.class = outer
	p.i = min(end+1, p.limit)
}

// member reads one member of a class.
func (p *parser) member() {
	for p.tok().Kind == Name && (p.ahead(1).Kind == Name || p.ahead(1).Kind == Mark && p.ahead(1).Text == "*") && !p.ahead(1).First {
		p.i++
	}
	t, next := p.tok(), p.ahead(1)
	switch {
	case (t.Kind == Name || t.Kind == Text) && next.Kind == Mark && (next.Text == "(" || next.Text == "<"):
		p.i++
		f := p.function(t.Text)
		p.stmt(Stmt{Kind: Define, Start: t.Start, Func: f})
	case t.Kind == Name && next.Kind == Mark && (next.Text == "=" || next.Text == ":" || next.Text == "?" || next.Text == "!"):
		p.i++
		for p.is("?") || p.is("!") || p.is(":") {
			p.i++
			p.typeUntil()
		}
		if p.is("=") {
			p.i++
			this := &Node{Op: Attr, Text: t.Text, Start: t.Start, End: t.End, Kids: []*Node{{Op: Ident, Text: "this", Start: t.Start, End: t.End}}}
			p.stmt(Stmt{Kind: Let, Start: t.Start, Targets: []*Node{this}, Value: p.expr()})
		}
	case p.is("{"):
		end := p.partner()
		p.i++
		p.scriptBlock(end)
		p.i = min(end+1, p.limit)
	default:
		p.i++
	}
}

// scriptImport reads import … from "…".
func (p *parser) scriptImport() {
	s := Stmt{Kind: Use, Start: p.tok().Start}
	p.i++
	for p.i < p.limit {
		t := p.tok()
		switch {
		case t.Kind == Text:
			s.Module = t.Text
			p.i++
			p.stmt(s)
			return
		case p.is("*"):
			p.i++
			if p.word("as") {
				p.i++
				s.Names = append(s.Names, Import{"", p.tok().Text})
				p.i++
			}
		case p.is("{"):
			p.i++
			for p.i < p.limit && !p.is("}") && len(s.Names) < 200 {
				name := p.tok()
				p.i++
				if name.Kind != Name {
					continue
				}
				as := name.Text
				if p.word("as") {
					p.i++
					as = p.tok().Text
					p.i++
				}
				s.Names = append(s.Names, Import{name.Text, as})
			}
			p.i++
		case t.Kind == Name && t.Text != "from" && t.Text != "type":
			s.Names = append(s.Names, Import{"", t.Text})
			p.i++
		case t.Kind == Name || p.is(","):
			p.i++
		default:
			return
		}
	}
}
