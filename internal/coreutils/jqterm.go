package coreutils

import (
	"encoding/json"
	"strconv"
	"strings"
)

func (p *jqParser) variable() (*jqNode, error) {
	start := p.pos
	name := p.name()
	if _, ok := p.vars[name]; !ok {
		p.pos = start - 1
		return nil, p.wrong()
	}
	return &jqNode{op: "$", text: name}, nil
}

func (p *jqParser) number() (*jqNode, error) {
	end := p.pos + 1
	for end < len(p.text) && (isDigit(p.text[end]) || p.text[end] == '.') {
		end++
	}
	text := p.text[p.pos:end]
	if !json.Valid([]byte(text)) || len(text) > 100 {
		return nil, p.wrong()
	}
	p.pos = end
	p.space()
	return &jqNode{op: "const", value: json.Number(text)}, nil
}

func (p *jqParser) array() (*jqNode, error) {
	p.take("[")
	n := &jqNode{op: "array"}
	if p.take("]") {
		return n, nil
	}
	inner, err := p.pipe()
	if err == nil && !p.take("]") {
		err = p.wrong()
	}
	n.kids = []*jqNode{inner}
	return n, err
}

func (p *jqParser) object() (*jqNode, error) {
	p.take("{")
	n := &jqNode{op: "object"}
	for !p.take("}") {
		if len(n.kids) > 0 && !p.take(",") {
			return nil, p.wrong()
		}
		key, value, err := p.entry()
		if err != nil {
			return nil, err
		}
		n.kids = append(n.kids, key, value)
	}
	return n, nil
}

// entry reads key: value, or a key alone, which stands for the field of that
// name.
func (p *jqParser) entry() (key, value *jqNode, err error) {
	rest := p.text[p.pos:]
	switch {
	case strings.HasPrefix(rest, "$"):
		p.pos++
		v, err := p.variable()
		if err != nil {
			return nil, nil, err
		}
		return &jqNode{op: "const", value: v.text}, v, nil
	case strings.HasPrefix(rest, `"`):
		key, err = p.str()
	case strings.HasPrefix(rest, "("):
		key, err = p.term()
	default:
		name := p.name()
		if name == "" {
			return nil, nil, p.wrong()
		}
		key = &jqNode{op: "const", value: name}
	}
	if err != nil {
		return nil, nil, err
	}
	if !p.take(":") {
		return key, &jqNode{op: "index", kids: []*jqNode{{op: "."}, key}}, nil
	}
	if p.depth++; p.depth > maxRegexDepth {
		return nil, nil, regexError("the filter nests too deeply")
	}
	value, err = p.alternative()
	p.depth--
	return key, value, err
}

// call reads a constant, a condition or a function.
func (p *jqParser) call() (*jqNode, error) {
	start := p.pos
	name := p.name()
	switch name {
	case "true", "false":
		return &jqNode{op: "const", value: name == "true"}, nil
	case "null":
		return &jqNode{op: "const"}, nil
	case "if":
		return p.condition()
	}
	n := &jqNode{op: "call", text: name}
	if p.take("(") {
		arg, err := p.pipe()
		if err == nil && !p.take(")") {
			err = p.wrong()
		}
		if err != nil {
			return nil, err
		}
		n.kids = []*jqNode{arg}
	}
	if !jqKnows(name, len(n.kids)) {
		p.pos = start
		return nil, p.wrong()
	}
	return n, nil
}

func (p *jqParser) condition() (*jqNode, error) {
	n := &jqNode{op: "if"}
	for _, word := range []string{"then", "else", "end"} {
		kid, err := p.pipe()
		if err != nil {
			return nil, err
		}
		if !p.take(word) {
			return nil, p.wrong()
		}
		n.kids = append(n.kids, kid)
	}
	return n, nil
}

// str reads a string with its escapes and interpolations.
func (p *jqParser) str() (*jqNode, error) {
	p.pos++
	n := &jqNode{op: "text"}
	start := p.pos
	flush := func() error {
		var s string
		if json.Unmarshal([]byte(`"`+p.text[start:p.pos]+`"`), &s) != nil {
			return regexError("invalid string " + strconv.Quote(p.text[start:p.pos]))
		}
		n.kids = append(n.kids, &jqNode{op: "const", value: s})
		return nil
	}
	for p.pos < len(p.text) {
		switch {
		case p.text[p.pos] == '"':
			err := flush()
			p.pos++
			p.space()
			if len(n.kids) == 1 {
				return n.kids[0], err
			}
			return n, err
		case strings.HasPrefix(p.text[p.pos:], `\(`):
			if err := flush(); err != nil {
				return nil, err
			}
			p.pos += 2
			p.space()
			kid, err := p.pipe()
			if err != nil {
				return nil, err
			}
			if p.pos >= len(p.text) || p.text[p.pos] != ')' {
				return nil, p.wrong()
			}
			p.pos++
			n.kids = append(n.kids, kid)
			start = p.pos
		case p.text[p.pos] == '\\':
			p.pos = min(p.pos+2, len(p.text))
		default:
			p.pos++
		}
	}
	return nil, regexError("unfinished string")
}
