package coreutils

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// regexParser reads a POSIX expression.
type regexParser struct {
	text     string
	pos      int
	extended bool
}

// operator takes an operator that needs a backslash in a basic expression and
// none in an extended one.
func (p *regexParser) operator(c byte) bool {
	if p.atOperator(c) {
		p.pos++
		if !p.extended {
			p.pos++
		}
		return true
	}
	return false
}

func (p *regexParser) atOperator(c byte) bool {
	rest := p.text[p.pos:]
	if p.extended {
		return rest != "" && rest[0] == c
	}
	return len(rest) > 1 && rest[0] == '\\' && rest[1] == c
}

// alternation reads up to the end of the text or of the group.
func (p *regexParser) alternation(depth int) (*regexNode, error) {
	if depth > maxRegexDepth {
		return nil, regexError("the regular expression nests too deeply")
	}
	alt := &regexNode{kind: regexAlt}
	for {
		branch, err := p.branch(depth)
		if err != nil {
			return nil, err
		}
		alt.kids = append(alt.kids, branch)
		if !p.operator('|') {
			break
		}
	}
	if depth == 0 && p.pos < len(p.text) {
		return nil, regexError(`Unmatched ) or \)`)
	}
	if len(alt.kids) == 1 {
		return alt.kids[0], nil
	}
	return alt, nil
}

// branch reads a sequence of repeated atoms.
func (p *regexParser) branch(depth int) (*regexNode, error) {
	cat := &regexNode{kind: regexCat}
	for p.pos < len(p.text) && !p.atOperator('|') && !p.atOperator(')') {
		atom, err := p.atom(depth, len(cat.kids) == 0)
		if err != nil {
			return nil, err
		}
		// A star after an anchor that stands first is a star in a basic
		// expression.
		first := len(cat.kids) == 0 && atom.kind == regexStart
		if p.extended || !first {
			if atom, err = p.repeats(atom); err != nil {
				return nil, err
			}
		} else if strings.HasPrefix(p.text[p.pos:], "*") {
			cat.kids = append(cat.kids, atom)
			p.pos++
			if atom, err = p.repeats(literal('*')); err != nil {
				return nil, err
			}
		}
		cat.kids = append(cat.kids, atom)
	}
	return cat, nil
}

// repeats reads the operators after an atom.
func (p *regexParser) repeats(atom *regexNode) (*regexNode, error) {
	for count := 0; p.pos < len(p.text); count++ {
		if count > 20 {
			return nil, regexError("the regular expression repeats too often")
		}
		lo, hi := 0, -1
		switch {
		case p.text[p.pos] == '*':
			p.pos++
		case p.operator('+'):
			lo = 1
		case p.operator('?'):
			hi = 1
		case p.atOperator('{'):
			var ok bool
			var err error
			if lo, hi, ok, err = p.interval(); err != nil || !ok {
				return atom, err
			}
		default:
			return atom, nil
		}
		atom = &regexNode{kind: regexRepeat, kids: []*regexNode{atom}, min: lo, max: hi}
	}
	return atom, nil
}

// interval reads {n,m}. In an extended expression what is not an interval is
// text: ok is false and nothing is taken.
func (p *regexParser) interval() (lo, hi int, ok bool, err error) {
	start := p.pos
	p.operator('{')
	lo, haveLo := p.number()
	hi = lo
	if p.pos < len(p.text) && p.text[p.pos] == ',' {
		p.pos++
		var haveHi bool
		if hi, haveHi = p.number(); !haveHi {
			hi = -1
		}
	} else if !haveLo {
		lo = -1
	}
	if lo < 0 || !p.operator('}') {
		if p.extended {
			p.pos = start
			return 0, 0, false, nil
		}
		return 0, 0, false, regexError(`Invalid content of \{\}`)
	}
	if hi >= 0 && lo > hi {
		return 0, 0, false, regexError(`Invalid content of \{\}`)
	}
	if lo > 1000 || hi > 1000 {
		return 0, 0, false, regexError("the regular expression is too large")
	}
	return lo, hi, true, nil
}

func (p *regexParser) number() (n int, ok bool) {
	for p.pos < len(p.text) && '0' <= p.text[p.pos] && p.text[p.pos] <= '9' {
		n = min(n*10+int(p.text[p.pos]-'0'), 1<<20)
		p.pos++
		ok = true
	}
	return n, ok
}

// atom reads one element; first says that it begins its branch.
func (p *regexParser) atom(depth int, first bool) (*regexNode, error) {
	if p.operator('(') {
		inner, err := p.alternation(depth + 1)
		if err != nil {
			return nil, err
		}
		if !p.operator(')') {
			return nil, regexError(`Unmatched ( or \(`)
		}
		return &regexNode{kind: regexGroup, kids: []*regexNode{inner}}, nil
	}
	c := p.text[p.pos]
	switch {
	case c == '\\':
		return p.escape()
	case c == '[':
		return p.bracket()
	case c == '.':
		p.pos++
		return &regexNode{kind: regexText, text: "."}, nil
	case c == '^' && (p.extended || first):
		p.pos++
		return &regexNode{kind: regexStart}, nil
	case c == '$' && (p.extended || p.lastInBranch()):
		p.pos++
		return &regexNode{kind: regexEnd}, nil
	case p.extended && strings.IndexByte("*+?", c) >= 0:
		// GNU reads an operator that has nothing to repeat as one on nothing.
		return &regexNode{kind: regexEmpty}, nil
	}
	r, size := utf8.DecodeRuneInString(p.text[p.pos:])
	p.pos += size
	return literal(r), nil
}

// lastInBranch reports whether the character at hand ends its branch.
func (p *regexParser) lastInBranch() bool {
	next := regexParser{text: p.text, pos: p.pos + 1, extended: p.extended}
	return next.pos == len(p.text) || next.atOperator('|') || next.atOperator(')')
}

// escape reads a backslash and what follows.
func (p *regexParser) escape() (*regexNode, error) {
	r, size := utf8.DecodeRuneInString(p.text[p.pos+1:])
	if size == 0 {
		return nil, regexError("Trailing backslash")
	}
	p.pos += 1 + size
	switch r {
	case 'w':
		return &regexNode{kind: regexText, text: `[_` + wordClass + `]`, word: true}, nil
	case 'W':
		return &regexNode{kind: regexText, text: `[^_` + wordClass + `]`}, nil
	case 's':
		return &regexNode{kind: regexText, text: `[` + spaceClass + `]`}, nil
	case 'S':
		return &regexNode{kind: regexText, text: `[^` + spaceClass + `]`}, nil
	case 'b':
		return &regexNode{kind: regexBoundary}, nil
	case 'B':
		return &regexNode{kind: regexInside}, nil
	case '<':
		return &regexNode{kind: regexWordStart}, nil
	case '>':
		return &regexNode{kind: regexWordEnd}, nil
	case '`':
		return &regexNode{kind: regexTextStart}, nil
	case '\'':
		return &regexNode{kind: regexTextEnd}, nil
	}
	if '1' <= r && r <= '9' {
		return nil, regexError(`back-references such as \` + string(r) + ` are not supported`)
	}
	return literal(r), nil
}

// literal is a character that stands for itself.
func literal(r rune) *regexNode {
	word := r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	return &regexNode{kind: regexText, text: regexp.QuoteMeta(string(r)), word: word}
}
