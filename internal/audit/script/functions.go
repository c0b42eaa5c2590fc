package script

func (p *parser) declareFunction() {
	start := p.tok().Start
	p.i++
	if p.is("*") {
		p.i++
	}
	name := ""
	if p.tok().Kind == Name {
		name = p.tok().Text
		p.i++
	}
	f := p.function(name)
	f.Start = start
	p.stmt(Stmt{Kind: Define, Start: start, Func: f})
}

// function reads parameters and a body.
func (p *parser) function(name string) *Func {
	f := &Func{Name: name, Parent: p.fn, Class: p.class, Start: p.tok().Start}
	if p.is("<") {
		p.generics()
	}
	if p.is("(") {
		f.Params = p.scriptParams()
	}
	if p.is(":") {
		p.i++
		for began := p.i; p.i < p.limit && (!p.is("{") || p.i == began); {
			if p.is(";") || p.is("}") {
				break
			}
			p.i = min(max(p.partner(), p.i)+1, p.limit)
		}
	}
	p.bracesBody(f)
	return f
}

// bracesBody reads {…} as the body of a function. A function that is only declared, or
// cut off, has none.
func (p *parser) bracesBody(f *Func) {
	if !p.is("{") {
		p.prog.Funcs = append(p.prog.Funcs, f)
		return
	}
	end := p.partner()
	p.i++
	p.body(f, func() { p.scriptBlock(end) })
	p.i = min(end+1, p.limit)
}

func (p *parser) scriptParams() []Param {
	end := p.partner()
	p.i++
	var list []Param
	p.within(end, func() {
		for p.i < p.limit && len(list) < 100 {
			if p.is(",") || p.is("...") || p.is("@") {
				p.i++
				continue
			}
			for p.tok().Kind == Name && p.ahead(1).Kind == Name {
				p.i++
			}
			t := p.tok()
			a := Param{Name: t.Text}
			if t.Kind == Mark {
				a.Name = ""
				n := p.primary()
				for _, k := range n.Kids {
					if k.Op == Ident {
						a.Fields = append(a.Fields, k.Text)
					}
				}
			} else {
				p.i++
			}
			if p.is("?") {
				p.i++
			}
			if p.is(":") {
				p.i++
				p.typeUntil()
			}
			if p.is("=") {
				p.i++
				a.Default = p.expr()
			}
			list = append(list, a)
			for p.i < p.limit && !p.is(",") {
				p.i++
			}
		}
	})
	p.i = min(end+1, p.limit)
	return list
}

// arrowAt returns where => stands if the brackets that end at a token are the
// parameters of a function.
func (p *parser) arrowAt(end int) (int, bool) {
	i := end + 1
	if i >= p.limit || p.toks[i].Kind != Mark {
		return 0, false
	}
	if p.toks[i].Text == "=>" {
		return i, true
	}
	if p.toks[i].Text != ":" {
		return 0, false
	}
	for n := 0; n < 40 && i < p.limit; n++ {
		if t := p.toks[i]; t.Kind == Mark {
			switch t.Text {
			case "=>":
				return i, true
			case "(", "[", "{":
				i = int(p.match[i])
			case ";", ",", ")", "]", "}", "=", "?", "&&", "||":
				return 0, false
			}
		}
		i++
	}
	return 0, false
}

// arrow reads (…) => …, with => at a token.
func (p *parser) arrow(n *Node, at int) *Node {
	params := p.scriptParams()
	p.i = min(at, p.limit)
	p.limitedArrow(n, params)
	return n
}

// limitedArrow reads => and what it stands before.
func (p *parser) limitedArrow(n *Node, params []Param) {
	f := &Func{Params: params, Parent: p.fn, Start: n.Start}
	if p.is("=>") {
		p.i++
	}
	if p.is("{") {
		p.bracesBody(f)
	} else {
		p.body(f, func() {
			v := p.expr()
			p.stmt(Stmt{Kind: Return, Start: v.Start, Value: v})
		})
	}
	n.Op, n.Func, n.End = Lambda, f, p.last(n.Start)
}

// lambda reads that of Python.
func (p *parser) lambda(n *Node) *Node {
	p.i++
	f := &Func{Parent: p.fn, Start: n.Start}
	for began := p.i; !p.stops(began) && !p.is(":"); {
		if t := p.tok(); t.Kind == Name && len(f.Params) < 100 {
			f.Params = append(f.Params, Param{Name: t.Text})
		}
		p.i++
		if p.is("=") {
			p.i++
			d := p.expr()
			if len(f.Params) > 0 {
				f.Params[len(f.Params)-1].Default = d
			}
		}
	}
	if p.is(":") {
		p.i++
	}
	p.body(f, func() {
		v := p.expr()
		p.stmt(Stmt{Kind: Return, Start: v.Start, Value: v})
	})
	n.Op, n.Func, n.End = Lambda, f, p.last(n.Start)
	return n
}
