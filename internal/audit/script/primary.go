package script

// primary reads one value without what hangs on it.
func (p *parser) primary() *Node {
	t := p.tok()
	if p.depth >= maxDepth {
		return p.deep()
	}
	n := &Node{Start: t.Start, End: t.End}
	switch t.Kind {
	case Name:
		return p.named(n)
	case Number:
		p.i++
		n.Op, n.Text = Num, t.Text
	case Regex:
		p.i++
	case Text, Template:
		return p.texts(n)
	case Mark:
		switch t.Text {
		case "(":
			if p.lang == JavaScript {
				if at, ok := p.arrowAt(int(p.match[p.i])); ok {
					return p.arrow(n, at)
				}
			}
			kids := p.items()
			if len(kids) == 1 && (kids[0].Op != Spread) && p.toks[p.i-1].Text == ")" && !p.commaBefore() {
				return kids[0]
			}
			n.Op, n.Kids = List, kids
		case "[":
			n.Op, n.Kids = List, p.items()
			if len(n.Kids) == 1 && n.Kids[0].Op == Comp {
				n = n.Kids[0]
			}
		case "{":
			n = p.braces(n)
		case "*", "**", "...":
			p.i++
			n.Op, n.Kids = Spread, []*Node{p.expr()}
		case "/":
			p.i++
		}
	}
	n.End = p.last(n.Start)
	return n
}

// commaBefore reports whether the bracket that was read ends with a comma: (a,).
func (p *parser) commaBefore() bool {
	return p.i >= 2 && p.toks[p.i-2].Kind == Mark && p.toks[p.i-2].Text == ","
}

// named reads a name, or a function that begins with a word.
func (p *parser) named(n *Node) *Node {
	t := p.tok()
	if p.lang == Python {
		switch t.Text {
		case "lambda":
			return p.lambda(n)
		case "if", "else", "for", "in", "elif", "while", "def", "class", "return", "import", "from":
			// A word of the language is no value.
			return n
		}
		p.i++
		n.Op, n.Text = Ident, t.Text
		return n
	}
	if next := p.ahead(1); next.Kind == Mark && next.Text == "=>" {
		p.i++
		p.limitedArrow(n, []Param{{Name: t.Text}})
		return n
	}
	switch t.Text {
	case "async":
		if next := p.ahead(1); next.Kind == Name && !next.First || next.Kind == Mark && next.Text == "(" {
			save := p.i
			p.i++
			if next.Kind == Name {
				return p.named(n)
			}
			if at, ok := p.arrowAt(int(p.match[p.i])); ok {
				return p.arrow(n, at)
			}
			p.i = save
		}
	case "function":
		p.i++
		if p.is("*") {
			p.i++
		}
		name := ""
		if p.tok().Kind == Name {
			name = p.tok().Text
			p.i++
		}
		n.Op, n.Func = Lambda, p.function(name)
		n.End = p.last(n.Start)
		return n
	case "class":
		p.classBody()
		n.End = p.last(n.Start)
		return n
	}
	p.i++
	n.Op, n.Text = Ident, t.Text
	return n
}

// texts reads strings, of which Python joins those that follow one another.
func (p *parser) texts(n *Node) *Node {
	var parts []*Node
	for first := true; ; first = false {
		t := p.tok()
		if t.Kind != Text && t.Kind != Template || !first && (p.lang != Python || t.First) {
			break
		}
		p.i++
		if t.Kind == Text {
			parts = append(parts, &Node{Op: Const, Start: t.Start, End: t.End, Text: t.Text})
			continue
		}
		for k := range t.Parts {
			part := &t.Parts[k]
			if part.End > part.Start {
				parts = append(parts, p.sub(part.Start, part.End))
			} else if part.Text != "" {
				parts = append(parts, &Node{Op: Const, Start: t.Start, End: t.End, Text: part.Text})
			}
		}
	}
	if len(parts) == 1 && parts[0].Op == Const {
		return parts[0]
	}
	n.Op, n.Kids, n.End = Joined, parts, p.last(n.Start)
	return n
}

// maxInner bounds how deep templates are read in one another.
const maxInner = 6

// sub reads the code in a template.
func (p *parser) sub(start, end int) *Node {
	if p.inner >= maxInner {
		p.prog.Complete = false
		return &Node{Start: start, End: end}
	}
	toks, all := tokens(p.src, start, end, p.lang)
	q := parser{src: p.src, lang: p.lang, toks: toks, limit: len(toks), depth: p.depth, inner: p.inner + 1, prog: p.prog, fn: p.fn, class: p.class, block: p.block}
	p.prog.Complete = p.prog.Complete && all
	for i := range toks {
		toks[i].First = false
	}
	q.pair()
	if len(toks) == 0 {
		return &Node{Start: start, End: end}
	}
	return q.expr()
}

// items reads what stands in brackets, arguments included, and goes behind them.
func (p *parser) items() []*Node {
	end := p.partner()
	p.i++
	var list []*Node
	p.within(end, func() {
		for p.i < p.limit {
			if p.is(",") {
				p.i++
				continue
			}
			list = append(list, p.item())
			if p.i < p.limit && !p.is(",") {
				p.i++
			}
		}
	})
	p.i = min(end+1, p.limit)
	return list
}

func (p *parser) item() *Node {
	t := p.tok()
	if next := p.ahead(1); p.lang == Python && t.Kind == Name && next.Kind == Mark && next.Text == "=" {
		p.i += 2
		return &Node{Op: Keyword, Start: t.Start, Text: t.Text, Kids: []*Node{p.expr()}, End: p.last(t.Start)}
	}
	if p.is(":") && p.lang == Python {
		return p.slice(&Node{Start: t.Start, End: t.Start})
	}
	n := p.expr()
	if p.lang == Python {
		if p.is(":") {
			return p.slice(n)
		}
		if p.word("for") || p.word("async") {
			return p.comprehension(n)
		}
	}
	return n
}

// slice reads what stands behind the first part of one.
func (p *parser) slice(n *Node) *Node {
	s := &Node{Op: List, Text: ":", Start: n.Start, Kids: []*Node{n}}
	for p.is(":") {
		p.i++
		if p.i < p.limit && !p.is(":") && !p.is(",") {
			s.Kids = append(s.Kids, p.expr())
		} else {
			s.Kids = append(s.Kids, &Node{})
		}
	}
	s.End = p.last(s.Start)
	return s
}

// comprehension reads what stands behind the value of one.
func (p *parser) comprehension(values ...*Node) *Node {
	n := &Node{Op: Comp, Start: values[0].Start, Kids: []*Node{values[0]}}
	if len(values) > 1 {
		n.Kids[0] = &Node{Op: Dict, Start: values[0].Start, End: values[1].End, Kids: values}
	}
	for p.i < p.limit {
		switch {
		case p.word("async"):
			p.i++
		case p.word("for"):
			p.i++
			targets := p.targets()
			if p.word("in") {
				p.i++
			}
			n.Kids = append(n.Kids, &Node{Op: List, Kids: targets}, p.binary())
		case p.word("if"):
			p.i++
			n.Kids = append(n.Kids, &Node{Op: Sieve, Kids: []*Node{p.binary()}})
		default:
			n.End = p.last(n.Start)
			return n
		}
	}
	n.End = p.last(n.Start)
	return n
}

// targets reads the names before "in".
func (p *parser) targets() []*Node {
	var list []*Node
	for p.i < p.limit && !p.word("in") && !p.word("of") {
		if p.is("(") || p.is("[") || p.is(",") || p.is(")") || p.is("]") || p.is("*") {
			p.i++
			continue
		}
		if p.tok().Kind != Name || len(list) > 20 {
			break
		}
		t := p.tok()
		p.i++
		n := &Node{Op: Ident, Text: t.Text, Start: t.Start, End: t.End}
		list = append(list, p.postfix(n))
	}
	return list
}

// braces reads a dictionary, a set, or an object.
func (p *parser) braces(n *Node) *Node {
	end := p.partner()
	p.i++
	n.Op = Dict
	p.within(end, func() {
		for p.i < p.limit {
			if p.is(",") {
				p.i++
				continue
			}
			if p.lang == Python {
				p.pythonPair(n)
			} else {
				p.scriptPair(n)
			}
			if p.i < p.limit && !p.is(",") {
				p.i++
			}
		}
	})
	p.i = min(end+1, p.limit)
	n.End = p.last(n.Start)
	if len(n.Kids) == 2 && n.Kids[1].Op == Comp && n.Kids[0].Op == None {
		return n.Kids[1]
	}
	return n
}

func (p *parser) pythonPair(n *Node) {
	if p.is("**") {
		p.i++
		n.Kids = append(n.Kids, &Node{}, p.expr())
		return
	}
	key := p.expr()
	switch {
	case p.is(":"):
		p.i++
		value := p.expr()
		if p.word("for") || p.word("async") {
			n.Kids = append(n.Kids, &Node{}, p.comprehension(key, value))
			return
		}
		n.Kids = append(n.Kids, key, value)
	case p.word("for") || p.word("async"):
		n.Kids = append(n.Kids, &Node{}, p.comprehension(key))
	default:
		n.Op = Dict
		n.Kids = append(n.Kids, &Node{}, key)
	}
}

// scriptPair reads one entry of an object.
func (p *parser) scriptPair(n *Node) {
	if p.is("...") {
		p.i++
		n.Kids = append(n.Kids, &Node{}, p.expr())
		return
	}
	for (p.word("async") || p.word("get") || p.word("set") || p.word("static")) && (p.ahead(1).Kind == Name || p.ahead(1).Kind == Text) || p.is("*") {
		p.i++
	}
	t := p.tok()
	key := &Node{Op: Const, Start: t.Start, End: t.End, Text: t.Text}
	if p.is("[") {
		if kids := p.items(); len(kids) > 0 {
			key = kids[0]
		}
	} else {
		p.i++
	}
	switch {
	case p.is(":"):
		p.i++
		n.Kids = append(n.Kids, key, p.expr())
	case p.is("("):
		f := &Node{Op: Lambda, Start: t.Start, Func: p.function(key.Text)}
		f.End = p.last(t.Start)
		n.Kids = append(n.Kids, key, f)
	case p.is("="):
		// A default, where an object is taken apart.
		p.i++
		p.expr()
		n.Kids = append(n.Kids, key, &Node{Op: Ident, Text: t.Text, Start: t.Start, End: t.End})
	default:
		value := &Node{Op: Ident, Text: t.Text, Start: t.Start, End: t.End}
		if t.Kind != Name {
			value.Op = None
		}
		n.Kids = append(n.Kids, key, value)
	}
}
