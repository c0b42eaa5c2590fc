package script

// pythonBlock reads the statements that are indented deeper than a column.
func (p *parser) pythonBlock(column int) {
	for p.i < p.limit {
		t := p.tok()
		if t.First && t.Column <= column {
			return
		}
		if t.First {
			p.block = t.Column
		}
		began := p.i
		p.pythonStatement()
		if p.i == began {
			p.prog.Odd++
			p.i++
		}
		// What the statement left of its line is read as another one.
		for p.i < p.limit && !p.tok().First && (p.is(";") || p.is(":") || p.is(",")) {
			p.i++
		}
	}
}

func (p *parser) stmt(s Stmt) {
	s.Depth = p.block
	p.fn.Body = append(p.fn.Body, s)
}

func (p *parser) do(n *Node) { p.stmt(Stmt{Kind: Do, Start: n.Start, Value: n}) }

func (p *parser) pythonStatement() {
	t := p.tok()
	if t.Kind == Name {
		switch t.Text {
		case "import":
			p.pythonImport()
			return
		case "from":
			p.pythonFrom()
			return
		case "def":
			p.pythonDef()
			return
		case "async", "else", "try", "finally", "break", "continue", "pass":
			p.i++
			return
		case "class":
			p.pythonClass()
			return
		case "return":
			p.i++
			s := Stmt{Kind: Return, Start: t.Start}
			if !p.stops(-1) {
				s.Value = p.list()
			}
			p.stmt(s)
			return
		case "global", "nonlocal":
			p.i++
			for !p.stops(-1) {
				p.fn.Globals = append(p.fn.Globals, p.tok().Text)
				p.i++
			}
			return
		case "for":
			p.i++
			targets := p.targets()
			if p.word("in") {
				p.i++
			}
			p.stmt(Stmt{Kind: Each, Start: t.Start, Targets: targets, Value: p.list()})
			return
		case "with":
			p.i++
			p.withItems()
			return
		case "if", "elif", "while", "assert", "raise", "del", "except":
			p.i++
			if !p.stops(-1) && !p.is(":") {
				p.do(p.list())
			}
			if p.word("as") || p.word("from") {
				p.i += 2
			}
			return
		}
	}
	if p.is("@") {
		p.i++
	}
	p.pythonAssign()
}

// list reads expressions with commas between them.
func (p *parser) list() *Node {
	began := p.i
	n := p.expr()
	if p.stops(began) || !p.is(",") {
		return n
	}
	l := &Node{Op: List, Start: n.Start, Kids: []*Node{n}}
	for !p.stops(began) && p.is(",") {
		p.i++
		if p.stops(began) || p.is("=") || p.is(":") {
			break
		}
		l.Kids = append(l.Kids, p.expr())
	}
	l.End = p.last(l.Start)
	return l
}

func (p *parser) pythonAssign() {
	began := p.i
	first := p.list()
	if p.stops(began) {
		p.do(first)
		return
	}
	if p.is(":") {
		// A type.
		p.i++
		if p.stops(began) {
			p.do(first)
			return
		}
		kind := p.expr()
		if p.stops(began) || !p.is("=") {
			p.do(first)
			p.do(kind)
			return
		}
	}
	if assigns(p.tok()) && !p.is(":=") {
		p.i++
		p.stmt(Stmt{Kind: Add, Start: first.Start, Targets: []*Node{first}, Value: p.list()})
		return
	}
	targets := []*Node{first}
	for p.i < p.limit && p.is("=") && !p.tok().First {
		p.i++
		targets = append(targets, p.list())
	}
	value := targets[len(targets)-1]
	if len(targets) == 1 {
		p.do(value)
		return
	}
	for _, t := range targets[:len(targets)-1] {
		p.let(t, value)
	}
}

// let gives a target a value: item by item where both are lists of one length.
func (p *parser) let(t, value *Node) {
	switch {
	case t.Op == List && value.Op == List && len(t.Kids) == len(value.Kids):
		for i := range t.Kids {
			p.stmt(Stmt{Kind: Let, Start: t.Start, Targets: t.Kids[i : i+1], Value: value.Kids[i]})
		}
	case t.Op == List:
		p.stmt(Stmt{Kind: Let, Start: t.Start, Targets: t.Kids, Value: value})
	default:
		p.stmt(Stmt{Kind: Let, Start: t.Start, Targets: []*Node{t}, Value: value})
	}
}

func (p *parser) withItems() {
	if p.is("(") {
		if end := p.partner(); end+1 < p.limit && p.toks[end+1].Kind == Mark && p.toks[end+1].Text == ":" {
			p.i++
		}
	}
	began := p.i
	for !p.stops(began) && !p.is(":") {
		v := p.expr()
		if p.word("as") {
			p.i++
			t := p.postfix(p.primary())
			p.let(t, v)
		} else {
			p.do(v)
		}
		if !p.is(",") {
			break
		}
		p.i++
	}
	if p.is(")") {
		p.i++
	}
}

// dotted reads a name with dots.
func (p *parser) dotted() string {
	name := ""
	for began := p.i; !p.stops(began); p.i++ {
		t := p.tok()
		if t.Kind == Name && (t.Text == "import" || t.Text == "as" || name != "" && name[len(name)-1] != '.') || t.Kind != Name && t.Text != "." && t.Text != "..." {
			break
		}
		name += t.Text
	}
	return name
}

func (p *parser) pythonImport() {
	began := p.i
	start := p.tok().Start
	p.i++
	for !p.stops(began) {
		name := p.dotted()
		if name == "" {
			return
		}
		s := Stmt{Kind: Use, Start: start, Module: name, Names: []Import{{"", name}}}
		if p.word("as") && !p.stops(began) {
			p.i++
			s.Names[0].As = p.tok().Text
			p.i++
		}
		p.stmt(s)
		if !p.is(",") {
			return
		}
		p.i++
	}
}

func (p *parser) pythonFrom() {
	began := p.i
	s := Stmt{Kind: Use, Start: p.tok().Start}
	p.i++
	s.Module = p.dotted()
	if !p.word("import") {
		return
	}
	p.i++
	if p.is("(") {
		p.i++
	}
	for !p.stops(began) && len(s.Names) < 200 {
		t := p.tok()
		if t.Kind != Name && t.Text != "*" {
			break
		}
		p.i++
		name := Import{t.Text, t.Text}
		if p.word("as") && !p.stops(began) {
			p.i++
			name.As = p.tok().Text
			p.i++
		}
		s.Names = append(s.Names, name)
		if !p.is(",") {
			break
		}
		p.i++
	}
	if p.is(")") {
		p.i++
	}
	p.stmt(s)
}

func (p *parser) pythonDef() {
	start, column := p.tok().Start, p.block
	p.i++
	f := &Func{Parent: p.fn, Class: p.class, Start: start}
	if p.tok().Kind == Name {
		f.Name = p.tok().Text
		p.i++
	}
	if p.is("(") {
		end := p.partner()
		p.i++
		p.within(end, func() { f.Params = p.pythonParams() })
		p.i = min(end+1, p.limit)
	}
	if p.is("->") {
		p.i++
		p.expr()
	}
	if p.is(":") {
		p.i++
	}
	p.stmt(Stmt{Kind: Define, Start: start, Func: f})
	p.body(f, func() { p.pythonBlock(column) })
}

// body reads the body of a function.
func (p *parser) body(f *Func, read func()) {
	p.prog.Funcs = append(p.prog.Funcs, f)
	if p.depth >= maxDepth {
		// Its statements are read as those of the function around it.
		p.prog.Complete = false
		return
	}
	outer, class, block := p.fn, p.class, p.block
	p.fn, p.class = f, ""
	p.depth++
	read()
	p.depth--
	p.fn, p.class, p.block = outer, class, block
}

func (p *parser) pythonParams() []Param {
	var list []Param
	for p.i < p.limit && len(list) < 100 {
		t := p.tok()
		p.i++
		if t.Kind != Name {
			continue
		}
		a := Param{Name: t.Text}
		if p.is(":") {
			p.i++
			p.expr()
		}
		if p.is("=") {
			p.i++
			a.Default = p.expr()
		}
		list = append(list, a)
	}
	return list
}

func (p *parser) pythonClass() {
	column := p.block
	p.i++
	name := ""
	if p.tok().Kind == Name {
		name = p.tok().Text
		p.i++
	}
	if p.is("(") {
		p.items()
	}
	if p.is(":") {
		p.i++
	}
	if p.depth >= maxDepth {
		p.prog.Complete = false
		return
	}
	outer := p.class
	p.class = name
	p.depth++
	p.pythonBlock(column)
	p.depth--
	p.class = outer
}
