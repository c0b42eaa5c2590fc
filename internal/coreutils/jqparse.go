package coreutils

import (
	"strings"
	"unicode/utf8"
)

// jqNode is one element of a filter. What text and kids mean depends on op:
//
//	"."      the input            "const"  value
//	"index"  kids[0][kids[1]]     "slice"  kids[0][kids[1]:kids[2]]
//	"each"   kids[0][]            "try"    kids[0]?
//	"array"  [kids[0]]            "object" keys and values in turn
//	"text"   a string of parts    "call"   text(kids…)
//	"$"      the variable text    others   an operator of two kids
type jqNode struct {
	op, text string
	value    any
	kids     []*jqNode
}

// jqParser reads the part of the language that is supported.
type jqParser struct {
	text  string
	pos   int
	depth int
	vars  map[string]any
}

func parseJq(text string, vars map[string]any) (*jqNode, error) {
	if len(text) > maxPattern || !utf8.ValidString(text) {
		return nil, regexError("the filter is too long or not UTF-8")
	}
	p := &jqParser{text: text, vars: vars}
	if p.space(); p.pos == len(text) {
		return &jqNode{op: "."}, nil
	}
	n, err := p.pipe()
	if err == nil && p.pos < len(text) {
		err = p.wrong()
	}
	return n, err
}

// wrong is the error of what stands at hand.
func (p *jqParser) wrong() error {
	if p.pos >= len(p.text) {
		return regexError("the filter ends too early")
	}
	rest := p.text[p.pos:]
	return regexError("not supported in a filter: " + rest[:min(len(rest), 20)])
}

func (p *jqParser) space() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

// take takes a mark; a word must end where it ends.
func (p *jqParser) take(mark string) bool {
	rest := p.text[p.pos:]
	if !strings.HasPrefix(rest, mark) {
		return false
	}
	if isLetter(mark[0]) && len(rest) > len(mark) && isNameByte(rest[len(mark)]) {
		return false
	}
	p.pos += len(mark)
	p.space()
	return true
}

func isNameByte(c byte) bool { return c == '_' || isLetter(c) || isDigit(c) }

// binary reads operands of one level between operators.
func (p *jqParser) binary(next func() (*jqNode, error), ops ...string) (*jqNode, error) {
	left, err := next()
	for err == nil {
		op := p.operatorOf(ops)
		if op == "" {
			return left, nil
		}
		var right *jqNode
		if right, err = next(); err == nil {
			left = &jqNode{op: op, kids: []*jqNode{left, right}}
		}
	}
	return nil, err
}

func (p *jqParser) operatorOf(ops []string) string {
	for _, op := range ops {
		rest := p.text[p.pos:]
		// Assignments such as += and //= are not supported.
		if strings.HasPrefix(rest, op) && !strings.HasPrefix(rest[len(op):], "=") && (op != "<" && op != ">" || !strings.HasPrefix(rest, op+"=")) && p.take(op) {
			return op
		}
	}
	return ""
}

func (p *jqParser) pipe() (*jqNode, error) {
	if p.depth++; p.depth > maxRegexDepth {
		return nil, regexError("the filter nests too deeply")
	}
	defer func() { p.depth-- }()
	return p.binary(p.comma, "|")
}

func (p *jqParser) comma() (*jqNode, error) { return p.binary(p.alternative, ",") }

// alternative reads a // b, which binds to the right.
func (p *jqParser) alternative() (*jqNode, error) {
	left, err := p.or()
	if err != nil || p.operatorOf([]string{"//"}) == "" {
		return left, err
	}
	if p.depth++; p.depth > maxRegexDepth {
		return nil, regexError("the filter nests too deeply")
	}
	defer func() { p.depth-- }()
	right, err := p.alternative()
	return &jqNode{op: "//", kids: []*jqNode{left, right}}, err
}

func (p *jqParser) or() (*jqNode, error)  { return p.binary(p.and, "or") }
func (p *jqParser) and() (*jqNode, error) { return p.binary(p.comparison, "and") }

func (p *jqParser) comparison() (*jqNode, error) {
	left, err := p.sum()
	if err != nil {
		return nil, err
	}
	op := p.operatorOf([]string{"==", "!=", "<=", ">=", "<", ">"})
	if op == "" {
		return left, nil
	}
	right, err := p.sum()
	return &jqNode{op: op, kids: []*jqNode{left, right}}, err
}

func (p *jqParser) sum() (*jqNode, error) { return p.binary(p.postfix, "+", "-") }

// postfix reads a term and what is taken of it.
func (p *jqParser) postfix() (*jqNode, error) {
	n, err := p.term()
	for count := 0; err == nil; count++ {
		if count > 1000 {
			return nil, regexError("the filter is too long")
		}
		switch {
		case p.take("?"):
			n = &jqNode{op: "try", kids: []*jqNode{n}}
		case strings.HasPrefix(p.text[p.pos:], "["):
			n, err = p.brackets(n)
		case strings.HasPrefix(p.text[p.pos:], ".") && !strings.HasPrefix(p.text[p.pos:], ".."):
			p.pos++
			n, err = p.field(n)
		default:
			return n, nil
		}
	}
	return nil, err
}

// field reads what follows a dot.
func (p *jqParser) field(of *jqNode) (*jqNode, error) {
	rest := p.text[p.pos:]
	switch {
	case strings.HasPrefix(rest, `"`):
		key, err := p.str()
		return &jqNode{op: "index", kids: []*jqNode{of, key}}, err
	case strings.HasPrefix(rest, "["):
		return p.brackets(of)
	}
	name := p.name()
	if name == "" {
		return nil, p.wrong()
	}
	return &jqNode{op: "index", kids: []*jqNode{of, {op: "const", value: name}}}, nil
}

func (p *jqParser) name() string {
	start := p.pos
	for p.pos < len(p.text) && isNameByte(p.text[p.pos]) && (p.pos > start || !isDigit(p.text[p.pos])) {
		p.pos++
	}
	name := p.text[start:p.pos]
	p.space()
	return name
}

// brackets reads [], [i], [i:j] behind a term.
func (p *jqParser) brackets(of *jqNode) (*jqNode, error) {
	p.take("[")
	if p.take("]") {
		return &jqNode{op: "each", kids: []*jqNode{of}}, nil
	}
	null := &jqNode{op: "const"}
	from, to, sliced := null, null, false
	var err error
	if !strings.HasPrefix(p.text[p.pos:], ":") {
		if from, err = p.pipe(); err != nil {
			return nil, err
		}
	}
	if p.take(":") {
		if sliced = true; !strings.HasPrefix(p.text[p.pos:], "]") {
			if to, err = p.pipe(); err != nil {
				return nil, err
			}
		}
	}
	if !p.take("]") {
		return nil, p.wrong()
	}
	if sliced {
		return &jqNode{op: "slice", kids: []*jqNode{of, from, to}}, nil
	}
	return &jqNode{op: "index", kids: []*jqNode{of, from}}, nil
}

func (p *jqParser) term() (*jqNode, error) {
	rest := p.text[p.pos:]
	if rest == "" {
		return nil, p.wrong()
	}
	switch c := rest[0]; {
	case c == '.' && !strings.HasPrefix(rest, ".."):
		p.pos++
		if next := p.text[p.pos:]; next != "" && (next[0] == '"' || next[0] == '_' || isLetter(next[0])) {
			return p.field(&jqNode{op: "."})
		}
		p.space()
		return &jqNode{op: "."}, nil
	case c == '"':
		return p.str()
	case isDigit(c) || c == '-' && len(rest) > 1 && isDigit(rest[1]):
		return p.number()
	case c == '(':
		p.take("(")
		n, err := p.pipe()
		if err == nil && !p.take(")") {
			err = p.wrong()
		}
		return n, err
	case c == '[':
		return p.array()
	case c == '{':
		return p.object()
	case c == '$':
		p.pos++
		return p.variable()
	case isLetter(c) || c == '_':
		return p.call()
	}
	return nil, p.wrong()
}
