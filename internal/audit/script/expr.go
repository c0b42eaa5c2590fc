package script

import "strings"

// parser reads tokens. It goes forward only and steps over what it does not know.
type parser struct {
	src   string
	lang  Lang
	toks  []Token
	match []int32
	i     int
	// limit is where the brackets end that are read, in tokens.
	limit int
	depth int
	// inner is how deep the code stands in templates.
	inner int
	prog  *Program
	fn    *Func
	class string
	block int
}

// Parse reads code.
func Parse(src string, lang Lang) *Program {
	toks, all := Tokens(src, lang)
	p := parser{src: src, lang: lang, toks: toks, limit: len(toks), prog: &Program{Complete: all, All: len(toks)}}
	p.pair()
	p.prog.Main = &Func{}
	p.prog.Funcs = append(p.prog.Funcs, p.prog.Main)
	p.fn = p.prog.Main
	if lang == Python {
		p.pythonBlock(-1)
	} else {
		p.scriptBlock(len(toks))
	}
	return p.prog
}

// pair finds the partner of each bracket.
func (p *parser) pair() {
	p.match = make([]int32, len(p.toks))
	var open []int32
	for i := range p.toks {
		p.match[i] = int32(len(p.toks))
		if p.toks[i].Kind != Mark {
			continue
		}
		switch p.toks[i].Text {
		case "(", "[", "{":
			open = append(open, int32(i))
		case ")", "]", "}":
			// A closing bracket of another kind closes what is open within its own.
			for k := len(open) - 1; k >= 0 && k > len(open)-8; k-- {
				if pairs(p.toks[open[k]].Text, p.toks[i].Text) {
					for _, o := range open[k:] {
						p.match[o] = int32(i)
					}
					p.match[i] = open[k]
					open = open[:k]
					break
				}
			}
		}
	}
}

func pairs(a, b string) bool {
	return a == "(" && b == ")" || a == "[" && b == "]" || a == "{" && b == "}"
}

var endToken = Token{Kind: End}

func (p *parser) tok() *Token { return p.ahead(0) }

func (p *parser) ahead(n int) *Token {
	if p.i+n < p.limit {
		return &p.toks[p.i+n]
	}
	return &endToken
}

func (p *parser) is(text string) bool {
	t := p.tok()
	return t.Kind == Mark && t.Text == text
}

func (p *parser) word(text string) bool {
	t := p.tok()
	return t.Kind == Name && t.Text == text
}

// stops reports whether the next token begins another statement of Python.
func (p *parser) stops(began int) bool {
	return p.i >= p.limit || p.lang == Python && p.i > began && p.tok().First
}

// within reads with the tokens up to one of them as all that there is.
func (p *parser) within(limit int, read func()) {
	outer := p.limit
	p.limit = min(limit, outer)
	read()
	p.limit = outer
}

// expr reads an expression. It takes at least one token unless nothing is left.
func (p *parser) expr() *Node {
	if p.depth >= maxDepth {
		return p.deep()
	}
	p.depth++
	defer func() { p.depth-- }()
	began := p.i
	start := p.tok().Start
	n := p.binary()
	switch {
	case p.stops(began):
	case p.is(":=") || p.lang == JavaScript && p.is("="):
		p.i++
		n = &Node{Op: Assign, Kids: []*Node{n, p.expr()}}
	case p.lang == JavaScript && assigns(p.tok()):
		p.i++
		n = &Node{Op: Assign, Text: "+", Kids: []*Node{n, p.expr()}}
	case p.lang == JavaScript && p.is("?"):
		p.i++
		a := p.expr()
		if p.is(":") {
			p.i++
			n = &Node{Op: Either, Kids: []*Node{a, p.expr()}}
		} else {
			n = a
		}
	case p.lang == Python && p.word("if"):
		p.i++
		p.binary()
		if p.word("else") && !p.stops(began) {
			p.i++
			n = &Node{Op: Either, Kids: []*Node{n, p.expr()}}
		}
	}
	if p.i == began && p.i < p.limit {
		p.prog.Odd++
		p.i++
	}
	n.Start, n.End = start, p.last(start)
	return n
}

// deep steps over what is nested too deep.
func (p *parser) deep() *Node {
	p.prog.Complete = false
	n := &Node{Start: p.tok().Start}
	if m := p.partner(); m > p.i {
		p.i = m
	}
	p.i = min(p.i+1, p.limit)
	n.End = p.last(n.Start)
	return n
}

// partner is the token that closes the next one.
func (p *parser) partner() int {
	if p.i >= p.limit || p.tok().Kind != Mark {
		return p.i
	}
	switch p.tok().Text {
	case "(", "[", "{":
		return min(int(p.match[p.i]), p.limit)
	}
	return p.i
}

// last is where the token before ends.
func (p *parser) last(start int) int {
	if p.i > 0 && p.i <= len(p.toks) {
		return max(start, p.toks[p.i-1].End)
	}
	return start
}

func assigns(t *Token) bool {
	if t.Kind != Mark || len(t.Text) < 2 || t.Text[len(t.Text)-1] != '=' {
		return false
	}
	switch t.Text {
	case "==", "!=", "<=", ">=", "===", "!==":
		return false
	}
	return true
}

// binary reads operands with operators between them. Precedence does not matter but
// for three kinds: either of two, a comparison, and arithmetic.
func (p *parser) binary() *Node {
	began := p.i
	var either, sum []*Node
	var marks strings.Builder
	compare := false
	end := func() {
		var n *Node
		switch {
		case compare:
			n = &Node{Op: Compare, Kids: sum}
		case len(sum) == 1:
			n = sum[0]
		default:
			n = &Node{Op: Binary, Text: marks.String(), Kids: sum}
		}
		if n.End == 0 {
			n.Start, n.End = sum[0].Start, sum[len(sum)-1].End
		}
		either = append(either, n)
		sum, compare = nil, false
		marks.Reset()
	}
	for {
		sum = append(sum, p.operand())
		if p.stops(began) {
			break
		}
		kind, mark := p.operator()
		if kind == 0 {
			break
		}
		p.i++
		switch kind {
		case 'l':
			end()
			continue
		case 'c':
			compare = true
			if p.word("not") || p.word("in") {
				p.i++
			}
		}
		marks.WriteByte(mark)
	}
	end()
	if len(either) == 1 {
		return either[0]
	}
	return &Node{Op: Either, Kids: either, Start: either[0].Start, End: either[len(either)-1].End}
}

// operator says what the next token is: l for and and or, c for a comparison, a for
// arithmetic; 0 for none.
func (p *parser) operator() (kind, mark byte) {
	t := p.tok()
	switch t.Kind {
	case Name:
		switch t.Text {
		case "and", "or":
			if p.lang == Python {
				return 'l', 0
			}
		case "is", "not":
			if p.lang == Python {
				return 'c', '='
			}
		case "in", "instanceof":
			return 'c', '='
		}
	case Mark:
		switch t.Text {
		case "&&", "||", "??":
			return 'l', 0
		case "==", "!=", "===", "!==", "<", ">", "<=", ">=":
			return 'c', '='
		case "+", "-", "*", "/", "%", "^", "&", "|", "@":
			return 'a', t.Text[0]
		case "**", "//":
			return 'a', '*'
		case "<<", ">>":
			return 'a', '<'
		}
	}
	return 0, 0
}

// operand reads what stands between two operators.
func (p *parser) operand() *Node {
	began := p.i
	start := p.tok().Start
	truth, minus := false, false
	for !p.stops(began) {
		t := p.tok()
		if t.Kind == Mark && (t.Text == "!" || t.Text == "~" || t.Text == "+" || t.Text == "-" || t.Text == "++" || t.Text == "--" || t.Text == "<" && p.lang == JavaScript) {
			truth = truth || t.Text == "!"
			minus = t.Text == "-"
			p.i++
			continue
		}
		if t.Kind == Name && p.ahead(1).Kind != End {
			switch t.Text {
			case "not":
				truth = truth || p.lang == Python
				p.i++
				continue
			case "typeof":
				truth = true
				p.i++
				continue
			case "await", "yield", "new", "void", "delete":
				if next := p.ahead(1); next.Kind != Mark || strings.Contains("([{!-+", next.Text) {
					p.i++
					continue
				}
			}
		}
		break
	}
	if p.word("from") && p.i > began && p.lang == Python {
		// yield from
		p.i++
	}
	n := p.postfix(p.primary())
	switch {
	case minus && n.Op == Num:
		n.Text = "-" + n.Text
	case truth:
		n = &Node{Op: Compare, Kids: []*Node{n}}
	}
	n.Start, n.End = start, p.last(start)
	return n
}

// maxChain bounds how many calls and attributes hang on one value.
const maxChain = 400

func (p *parser) postfix(n *Node) *Node {
	began := p.i
	for range maxChain {
		if p.i >= p.limit || p.lang == Python && p.i >= began && p.tok().First {
			return n
		}
		t := p.tok()
		if t.Kind == Template || t.Kind == Text && p.lang == JavaScript && p.src[t.Start] == '`' {
			if p.lang == JavaScript && n.Op != None && !t.First {
				n = &Node{Op: Call, Start: n.Start, Kids: []*Node{n, p.primary()}}
				n.End = p.last(n.Start)
				continue
			}
			return n
		}
		if t.Kind == Name && p.lang == JavaScript && !t.First && (t.Text == "as" || t.Text == "satisfies") {
			p.i++
			p.typeName()
			continue
		}
		if t.Kind != Mark {
			return n
		}
		switch t.Text {
		case ".", "?.":
			p.i++
			switch next := p.tok(); {
			case next.Kind == Name:
				p.i++
				n = &Node{Op: Attr, Text: next.Text, Kids: []*Node{n}}
			case p.is("(") || p.is("["):
				continue
			default:
				return n
			}
		case "(":
			n = &Node{Op: Call, Kids: append([]*Node{n}, p.items()...)}
		case "[":
			n = &Node{Op: Index, Kids: append([]*Node{n}, p.items()...)}
		case "!":
			if p.lang == Python || t.First {
				return n
			}
			p.i++
			continue
		case "++", "--":
			if t.First {
				return n
			}
			p.i++
			continue
		default:
			return n
		}
		n.Start, n.End = n.Kids[0].Start, p.last(n.Kids[0].Start)
	}
	p.prog.Complete = false
	return &Node{Start: n.Start, End: n.End}
}
