package code

import "strings"

// imports reads an import: a node for each name that stands for something of another module. It
// returns nil if it is none.
func (p *parser) imports() *node {
	first := p.peek()
	if p.name == "js" && first.text != "import" {
		return nil
	}
	p.at++
	im := importer{p: p, n: p.node(opSequence, first.start)}
	if p.name == "js" {
		im.module = p.moduleAhead()
	}
	for i := 0; i < 512; i++ {
		t := p.peek()
		outside := len(im.groups) == 0 && (i > 0 && t.line || p.seesOneOf(")}"))
		if t.kind == end || t.is(";") || outside {
			break
		}
		p.at++
		im.take(t, first.text == "from")
	}
	im.add()
	im.n.end = p.before()
	return im.n
}

// moduleAhead is the string in the import that is next, without what Node allows around it.
func (p *parser) moduleAhead() string {
	for i := 0; i < 64; i++ {
		if t := p.ahead(i); t.kind == text {
			return moduleName(t.text)
		} else if t.kind == end || t.text == ";" {
			break
		}
	}
	return ""
}

func moduleName(s string) string {
	return strings.TrimSuffix(strings.TrimPrefix(s, "node:"), "/promises")
}

// importer puts together the names of an import. module is that of "from module import", groups
// are the paths in front of open brackets, path and alias what was read of the next name.
type importer struct {
	p                   *parser
	n                   *node
	groups              []string
	module, path, alias string
}

func (im *importer) take(t *token, from bool) {
	switch {
	case t.kind == text && im.p.name == "go":
		im.alias, im.path = im.path, strings.ReplaceAll(t.text, "/", ".")
		im.add()
	case t.kind == text || t.text == "from" && im.p.name == "js":
	case t.kind == name && t.text == "as":
		im.alias = im.p.peek().text
		im.p.at++
	case t.kind == name && t.text == "import" && from:
		im.module, im.path = im.path, ""
	case t.kind == name && (im.path == "" || strings.HasSuffix(im.path, ".")):
		im.path += t.text
	case strings.Contains("{(", t.text):
		im.groups, im.path = append(im.groups, strings.TrimSuffix(im.path, ".")), ""
	case strings.Contains("})", t.text):
		im.add()
		im.groups = im.groups[:max(0, len(im.groups)-1)]
	case t.text == ",":
		im.add()
	case t.text == "=":
		im.alias, im.path = im.path, ""
	case strings.Contains(".::\\", t.text):
		im.path = strings.TrimSuffix(im.path, ".") + "."
	case t.text == "*":
		im.path = "*"
	}
}

// add adds the name that was read.
func (im *importer) add() {
	path, here := strings.Trim(im.path, "."), im.alias
	im.path, im.alias = "", ""
	if path == "" || im.p.name == "py" && im.module == "" && here == "" {
		return // import a.b of Python binds a.
	}
	if here == "" {
		here = lastPart(path)
	}
	if path == "*" || im.p.name == "js" && (len(im.groups) == 0 || path == "default") {
		path = ""
	}
	target := im.p.node(opNone, im.n.start)
	target.text = im.module
	for _, part := range append(im.groups, path) {
		if part != "" {
			target.text = strings.TrimPrefix(target.text+"."+part, ".")
		}
	}
	x := im.p.node(opImport, im.n.start, target)
	x.text = here
	im.n.kids = append(im.n.kids, x)
}
