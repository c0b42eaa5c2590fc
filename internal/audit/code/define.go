package code

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/lazyregexp"
)

// arrows skips a function's arrow and reports whether it found one.
func (p *parser) arrows() bool {
	t := p.peek()
	found := t.kind == operator && slices.Contains(p.arrow, t.text) && !p.startsLine()
	if found {
		p.at++
	}
	return found
}

// closure reads the body of an anonymous function: a block or an expression.
func (p *parser) closure(start int, params []*node) *node {
	f := &function{params: params}
	if p.nextIs("{") {
		f.body = p.block()
	} else {
		f.body = []*node{p.expr(1)}
	}
	return p.define(start, f)
}

// define creates the node for a function definition.
func (p *parser) define(start int, f *function) *node {
	if f.name != "" && len(p.funcs[f.name]) < 16 {
		p.funcs[f.name] = append(p.funcs[f.name], f)
	}
	n := p.node(opFunc, start)
	n.fn = f
	return n
}

// parameters reads parameters up to and including stop, which is an operator or a word.
func (p *parser) parameters(stop string, minPrecedence int) []*node {
	var list []*node
	for p.peek().kind != end && len(list) < 64 && !p.accept(stop) {
		from := p.at
		list = append(list, p.expr(minPrecedence))
		p.accept(",")
		p.at = max(p.at, from+1)
	}
	return list
}

// block reads the statements in a pair of braces. The opening brace may already have been consumed.
func (p *parser) block() []*node {
	p.accept("{")
	return p.bracketed("}", func() []*node { return p.statements("}", -1) })
}

// generics skips a list of type parameters if a call or a body follows it, and reports whether it
// skipped one.
func (p *parser) generics() bool {
	if !p.nextIs("<") {
		return false
	}
	for i := 1; i < 24; i++ {
		switch t, next := p.ahead(i), p.ahead(i+1); {
		case t.is(">") && (next.is("(") || next.is("{")):
			p.at += i + 1
			return true
		case t.is(">"), t.kind != name && (t.kind != operator || !strings.Contains(".,<[]|&", t.text)):
			return false
		}
	}
	return false
}

// function reads a function, starting at its keyword.
func (p *parser) function() *node {
	first := p.peek()
	p.at++
	f := &function{}
	if first.text == "lambda" {
		f.params = p.parameters(":", 1)
		f.body = []*node{p.expr(1)}
		return p.define(first.start, f)
	}
	if p.name == "go" && p.accept("(") {
		p.arguments(")") // method receiver
	}
	for t := p.peek(); (t.kind == name || p.nextIsOneOf(".:*")) && !t.line; t = p.peek() {
		if t.kind == name {
			f.name = t.text
		}
		if p.at++; t.kind == name && !p.nextIsOneOf(".:") {
			break
		}
	}
	p.generics()
	if p.accept("(") {
		f.params = p.arguments(")")
	}
	f.body = p.body(first.column)
	return p.define(first.start, f)
}

// body reads a function body, which a result type may precede. column is the indentation of the
// function.
func (p *parser) body(column int) []*node {
	saved := p.bracket
	p.bracket = 0
	defer func() { p.bracket = saved }()
	for range 48 {
		switch {
		case p.nextIs("{"):
			return p.block()
		case p.features["indent"] && (p.name != "py" || p.accept(":")):
			return p.statements("", column)
		case p.startsLine() || p.nextIsOneOf(";,)"):
			return nil
		case p.accept("=>") || p.accept("="):
			return []*node{p.expr(1)}
		}
		p.primary()
	}
	return nil
}

// Patterns for imports. Python has "from module import names", JavaScript has "import names from
// module", and both support aliases. In Go the alias comes before the path.
var (
	fromImport   = lazyregexp.New(`(?s)^from\s+([\w.]+)\s+import\s(.*)`)
	importFrom   = lazyregexp.New(`(?s)^import\b\s*(?:(.*?)\s*\bfrom\s*)?["']([^"']+)`)
	importedName = lazyregexp.New(`[{}]|([\w$.*:\\]+)(?:\s+as\s+([\w$]+)|\s*=\s*([\w.:]+)|\s+"([^"]+)")?`)
)

// imports reads an import and returns a node with a child for each imported name, or nil.
func (p *parser) imports() *node {
	first := p.peek()
	if p.name == "js" && first.text != "import" {
		return nil
	}
	p.at++
	for depth := 0; !p.nextIs(";") && p.peek().kind != end && (depth > 0 || !p.peek().line); p.at++ {
		if p.nextIsOneOf("({") {
			depth++
		} else if p.nextIsOneOf(")}") {
			depth--
		}
	}
	n := p.node(opSequence, first.start)
	module, names := "", p.src[first.end:n.end]
	if m := fromImport().FindStringSubmatch(p.src[first.start:n.end]); m != nil {
		module, names = m[1], m[2]
	} else if m := importFrom().FindStringSubmatch(p.src[first.start:n.end]); m != nil && p.name == "js" {
		module, names = moduleName(m[2]), m[1]
		n.kids = []*node{p.call(
			&node{op: opName, start: n.start, text: "import"},
			[]*node{{op: opText, start: n.start, end: n.end, quote: &quote{}, texts: []string{m[2]}}},
		)}
	}
	p.importNames(n, module, names)
	return n
}

// importNames adds the imported names to an import node.
func (p *parser) importNames(n *node, module, names string) {
	open := false
	for _, m := range importedName().FindAllStringSubmatch(names, 256) {
		path, here := m[1], m[2]
		if m[3]+m[4] != "" {
			path, here = m[3]+m[4], m[1]
		}
		path = strings.NewReplacer("::", ".", "\\", ".", "/", ".").Replace(path)
		open = open && m[0] != "}" || m[0] == "{"
		if path == "" || module == "" && (p.name == "js" || p.name == "py" && here == "") {
			continue // "import a.b" binds a in Python.
		}
		x := p.node(opImport, n.start, &node{text: strings.Trim(module+"."+path, ".")})
		if x.text = cmp.Or(here, lastPart(path)); path == "*" || path == "default" || p.name == "js" && !open {
			x.kids[0].text = module
		}
		n.kids = append(n.kids, x)
	}
}

// moduleName returns a module name without the optional prefix "node:" and suffix "/promises".
func moduleName(s string) string {
	return strings.TrimSuffix(strings.TrimPrefix(s, "node:"), "/promises")
}
