package script

// typeName steps over the name of a type.
func (p *parser) typeName() {
	for p.i < p.limit {
		t := p.tok()
		switch {
		case t.Kind == Name || t.Kind == Text:
			p.i++
		case t.Kind == Mark && (t.Text == "[" || t.Text == "{"):
			p.i = min(p.partner()+1, p.limit)
		default:
			return
		}
		if p.is("<") {
			p.generics()
		}
		switch {
		case p.is("."), p.is("|"), p.is("&"):
			p.i++
		case p.is("["):
		default:
			return
		}
	}
}

// generics steps over <…> with types in it.
func (p *parser) generics() {
	depth := 0
	for n := 0; n < 200 && p.i < p.limit; n++ {
		switch {
		case p.is("<"):
			depth++
		case p.is(">"):
			depth--
		case p.is(">>"):
			depth -= 2
		case p.is(";"), p.is("("), p.is(")"):
			return
		}
		p.i++
		if depth <= 0 {
			return
		}
	}
}
