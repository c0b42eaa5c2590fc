package code

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
)

// scope holds the variables of a function and its return value.
type scope struct {
	vars   map[string]value
	parent *scope
	result value
}

// find returns the innermost scope that defines a variable, or nil.
func (s *scope) find(name string) *scope {
	for ; s != nil; s = s.parent {
		if _, ok := s.vars[name]; ok {
			return s
		}
	}
	return nil
}

// reader evaluates the code in one region.
type reader struct {
	*language
	set    *signal.Set
	region int
	src    string
	global *scope
	// funcs maps names to the functions that the code defines. defined holds the functions whose
	// definitions were already evaluated.
	funcs   map[string][]*function
	defined []*function
	// fields holds the attributes of the code's own objects. files holds the sources of the content
	// of each file that the package's code writes. The keys are paths.
	fields, files map[string]value
	// peers holds connections that are not stored in a variable.
	peers []source
	// seen holds the keys of the signals and regions that were already added. rows caches the rows
	// of calls.txt by function name.
	seen map[string]bool
	rows map[string]*row
	// conditionals is the number of enclosing conditional statements.
	conditionals, depth, steps int
}

// Limits on the number of evaluation steps, for each region and for each function.
const (
	maxSteps         = 300_000
	maxFunctionSteps = 3_000
)

func (c *reader) statements(list []*node, s *scope) value {
	var v value
	weak := c.conditionals
	for _, n := range list {
		if n.column > list[0].column && c.features["indent"] {
			c.conditionals++
		}
		v = c.eval(n, s)
		c.conditionals = weak
	}
	return v
}

// eval evaluates an expression and returns what is known about its value. For a statement, it also
// applies the statement's effects.
func (c *reader) eval(n *node, s *scope) value {
	if c.steps++; c.steps > maxSteps || c.depth > 2*maxDepth {
		return value{}
	}
	c.depth++
	v := c.evaluate(n, s)
	c.depth--
	return v
}

func (c *reader) evaluate(n *node, s *scope) value {
	switch n.op {
	case opName:
		return c.ident(n, s)
	case opText:
		return c.text(n, s)
	case opNumber:
		return value{text: n.text, known: true, number: true}
	case opList, opBrace:
		return c.list(n, s)
	case opPair:
		return c.pair(n, s)
	case opCall:
		return c.call(n, s)
	case opAttr:
		if c.name == "rb" { // a call
			return c.call(&node{op: opCall, start: n.start, end: n.end, kids: []*node{n}}, s)
		}
		return c.attr(c.eval(n.kids[0], s), n.text, n)
	case opIndex:
		return c.index(n, s)
	case opBinary:
		return c.binary(n, s)
	case opAssign:
		v := c.eval(n.kids[1], s)
		c.bind(n.kids[0], v, s, n.text)
		return v
	case opFunc:
		n.fn.scope, n.fn.reader = s, c
		c.defined = append(c.defined, n.fn)
		return value{fn: n.fn}
	case opLoop:
		return c.each(n, s)
	case opComprehension:
		return c.comprehension(n, s)
	case opImport:
		s.vars[n.text] = c.inferFromName(value{name: n.kids[0].text})
	case opReturn, opConditional, opSequence, opSpread:
		return c.severalValues(n, s)
	case opNot:
		c.eval(n.kids[0], s)
	}
	return value{}
}

// severalValues combines the values of multiple expressions. A sequence has the value of its last
// expression. A conditional can have the value of either branch.
func (c *reader) severalValues(n *node, s *scope) value {
	var v value
	for i, k := range n.kids {
		one := c.eval(k, s)
		if n.op == opSequence || n.op == opConditional && i == 1 {
			v = value{}
		}
		v = merge(v, one)
	}
	if n.op == opReturn {
		s.result = merge(s.result, v)
	}
	return v
}

// text evaluates a string literal and the expressions in it.
func (c *reader) text(n *node, s *scope) value {
	v := literal(n.texts[0])
	for i, k := range n.kids {
		v = concat(v, c.eval(k, s), literal(n.texts[i+1]))
		c.steps += v.size()
	}
	if n.quote.has('x') {
		return c.shell(&call{n: n, s: s}, v)
	}
	return v
}

func (c *reader) ident(n *node, s *scope) value {
	if at := s.find(n.text); at != nil {
		return at.vars[n.text]
	}
	if list := c.funcs[n.text]; len(list) > 0 {
		return value{name: n.text, fn: list[len(list)-1]}
	}
	if r := c.row(n.text); r != nil && slices.Contains(r.tags, "asked") {
		c.addSignal(signal.Read, n, c.excerpt(n), "", r.tags...)
	}
	return c.inferFromName(value{name: n.text})
}

// inferFromName adds what a value's name reveals, for example that the value is a secret.
func (c *reader) inferFromName(v value) value {
	switch r := c.row(v.name); {
	case r == nil:
	case r.effect == "envall":
		v.addSources([]source{allVariables()})
	case r.effect == "holds":
		v.addSources([]source{{kind: secret, tags: r.tags, name: v.name}})
	case r.effect == "input":
		v.addSources([]source{{kind: network, tags: []signal.Tag{"computed"}, name: "a request"}})
	}
	return v
}

// allVariables returns a source that stands for all environment variables.
func allVariables() source {
	return source{kind: secret, tags: []signal.Tag{"env-all"}, name: "environment"}
}

// isSelf reports whether a name is one that refers to the current object, such as self.
func isSelf(name string) bool { return oneOf(name, "self this cls") }

// isClass reports whether a name looks like the name of a class that the code defines.
func isClass(name string) bool {
	return name != "" && name[0] >= 'A' && name[0] <= 'Z' && !strings.Contains(name, ".")
}

// attr evaluates owner.name.
func (c *reader) attr(owner value, name string, n *node) value {
	switch {
	case c.effectOf(owner.name) == "root":
		return c.inferFromName(value{name: name})
	case c.environment(owner) && c.name == "js" && !wordIs(name, "method"):
		return c.variable(literal(name), n)
	}
	if v, ok := owner.get(name); ok {
		return v
	}
	if v, ok := c.fields[name]; ok && (isClass(owner.name) || isSelf(owner.name)) {
		return v
	}
	return c.inferFromName(value{sources: owner.sources, obj: owner.obj, name: join(owner.name, name)})
}

// row returns the row in calls.txt for a dotted name, or nil if there is none.
func (c *reader) row(name string) *row {
	r, ok := c.rows[name]
	if !ok {
		r = c.calls.find(name)
		c.rows[name] = r
	}
	return r
}

// effectOf returns the effect of a call to the named function, or "" if the function is unknown.
func (c *reader) effectOf(name string) string {
	if r := c.row(name); r != nil {
		return r.effect
	}
	return ""
}

// join returns the dotted name of an attribute, given the names of its owner and of the attribute.
func join(owner, name string) string {
	if owner == "" || len(owner) > 160 {
		owner = "?"
	}
	return owner + "." + name
}

// variable adds a Read signal for the environment variable with the given name and returns its
// value.
func (c *reader) variable(name value, n *node) value {
	text, ok := name.exactText()
	if text = strings.Trim(text, "%"); !ok {
		return value{}
	} else if wordIs(text, "home") {
		return literal("~")
	}
	tags := known.Env(text)
	c.addSignal(signal.Read, n, c.excerpt(n), text, append([]signal.Tag{"env"}, tags...)...)
	v := value{name: "?"}
	if len(tags) > 0 {
		v.sources = []source{{kind: secret, tags: tags, name: text}}
	}
	return v
}

// index evaluates owner[key].
func (c *reader) index(n *node, s *scope) value {
	owner := c.eval(n.kids[0], s)
	rest := value{sources: owner.sources, obj: owner.obj}
	if len(n.kids) < 2 {
		return rest
	}
	k := n.kids[1]
	if k.op == opPair {
		return c.slice(owner, k, s)
	}
	key := c.eval(k, s)
	text, plain := key.exactText()
	switch {
	case key.number:
		if i, ok := integer(&key); ok {
			items := owner.members()
			if i < 0 {
				i += len(items)
			}
			if i >= 0 && i < len(items) {
				return items[i]
			}
		}
	case c.environment(owner):
		return c.variable(key, n)
	case plain:
		v := c.attr(owner, text, n)
		c.checkBuiltName(n, key, v.name)
		return v
	}
	return rest
}

// environment reports whether a value is the whole environment.
func (c *reader) environment(v value) bool {
	return v.hasTag("env-all") || c.effectOf(v.name) == "envall"
}

// checkBuiltName adds a signal if the code assembles the name of a function at run time in order to
// hide a relevant call.
func (c *reader) checkBuiltName(n *node, key value, name string) {
	if key.built && isRelevantEffect(c.effectOf(name)) {
		c.addSignal(signal.Obfuscated, n, c.excerpt(n), name, "name")
	}
}

// isRelevantEffect reports whether an effect is relevant to the audit.
func isRelevantEffect(effect string) bool {
	return wordIs(effect, "effect") || strings.HasPrefix(effect, "decode")
}

// slice evaluates owner[from:to:step]. It treats any step as one that reverses the value.
func (c *reader) slice(owner value, k *node, s *scope) value {
	var bounds []value
	for ; k.op == opPair; k = k.kids[1] {
		bounds = append(bounds, c.eval(k.kids[0], s))
	}
	bounds = append(bounds, c.eval(k, s))
	does := "slice"
	if len(bounds) > 2 {
		does = "reverse"
	}
	return c.changesText(&call{row: &row{effect: does}, recv: owner, args: bounds[:2], name: "?."})
}

// list evaluates a list or an object. A node with braces may also be a block of statements.
func (c *reader) list(n *node, s *scope) value {
	var v value
	var items []value
	if n.op == opBrace {
		c.conditionals++
		defer func() { c.conditionals-- }()
	}
	for _, k := range n.kids {
		last := c.eval(k, s)
		switch {
		case k.op == opPair || k.op == opSpread || k.op == opComprehension:
			v.addSources(last.sources)
			items = append(items, last.members()...)
		case n.op == opList || k.op != opReturn && k.op != opFunc && k.op != opAssign:
			last.key = ""
			items = append(items, last)
		}
	}
	v.add(items...)
	c.steps += v.size()
	return v
}

// members returns the items of a list or the characters of a string.
func (v *value) members() []value {
	text, ok := v.exactText()
	if !ok || len(v.items) > 0 {
		return v.items
	}
	var list []value
	for i := range min(len(text), maxItems) {
		list = append(list, value{text: text[i : i+1], known: true, sources: v.sources})
	}
	return list
}

// pair evaluates "key: value". In a declaration such as "x: int = 1", it assigns the value to the
// variable x.
func (c *reader) pair(n *node, s *scope) value {
	k, to := n.kids[0], n.kids[1]
	key := literal(k.text)
	if k.op != opName {
		key = c.eval(k, s)
	}
	v := c.eval(to, s)
	if to.op == opAssign && k.op == opName && to.kids[0].op != opIndex {
		c.bind(k, v, s, "=")
	}
	text, _ := key.exactText()
	out := value{sources: key.sources}
	v.key = text
	out.add(v)
	return out
}

// variable returns the name that a target or parameter binds, or "" if the target is more complex.
func (n *node) variable() string {
	for n.op == opAssign || n.op == opPair {
		n = n.kids[0]
	}
	if n.op == opName {
		return n.text
	}
	return ""
}

// bind assigns a value to a target.
func (c *reader) bind(target *node, v value, s *scope, op string) {
	switch target.op {
	case opName:
		c.setVar(target.text, v, s, op)
	case opAttr, opIndex:
		c.setField(target, v, s)
	case opAssign, opSpread, opNot:
		c.bind(target.kids[0], v, s, op)
	case opSequence, opBinary:
		last := target.kids[len(target.kids)-1]
		if c.name == "go" {
			last = target.kids[0] // In Go, the type follows the name.
		}
		c.bind(last, v, s, op)
	case opPair:
		if k := target.kids[0]; c.name == "js" && k.op == opName && target.kids[1].op != opNone {
			c.bind(target.kids[1], c.attr(v, k.text, target), s, op)
		} else {
			c.bind(k, v, s, op)
		}
	case opList, opCall, opBrace:
		for i, k := range target.kids {
			part := v
			if i < len(v.items) && v.items[i].key == "" {
				part = v.items[i]
			}
			if name := k.variable(); target.op == opBrace && name != "" && k.op != opPair {
				part = c.attr(v, name, k)
			}
			c.bind(k, part, s, op)
		}
	}
}

// setVar assigns a value to a variable. If the statement might not run, or if the variable belongs
// to an outer scope, it merges the old and the new value.
func (c *reader) setVar(name string, v value, s *scope, op string) {
	var old value
	at := s.find(name)
	ok := at != nil
	if ok {
		old = at.vars[name]
	}
	if !ok || c.name == "py" {
		at = s
	}
	if op != "=" && op != ":=" && op != "to" && op != "<-" {
		v = plus(old, v)
	}
	if at == c.global && c.conditionals > 0 {
		c.setSelf(name, v) // may be a class field
	}
	if ok && (at != s || c.conditionals > 0) {
		v = merge(old, v)
	}
	at.vars[name] = v
}

// setSelf adds a value to an attribute of one of the code's own objects.
func (c *reader) setSelf(name string, v value) {
	c.fields[name] = merge(c.fields[name], v)
}

// setField assigns a value to an attribute or element.
func (c *reader) setField(target *node, v value, s *scope) {
	owner, key := c.eval(target.kids[0], s), target.text
	if target.op == opIndex && len(target.kids) > 1 {
		k := c.eval(target.kids[1], s)
		key, _ = k.exactText()
		v.addSources(k.sources)
	}
	switch {
	case isSelf(owner.name):
		c.setSelf(key, v)
		return
	case v.fn != nil && len(owner.sources) > 0:
		c.callback(v.fn, value{sources: owner.sources, obj: owner.obj})
	case strings.HasPrefix(strings.ToLower(key), "std"):
		c.checkReverseShell(target, v.sources)
	}
	c.addTo(target.kids[0], key, v, s)
}

// addTo adds a value to the variable at the root of an expression such as a.b[c].
func (c *reader) addTo(n *node, key string, v value, s *scope) {
	for range 16 {
		switch {
		case n.op == opAttr && n.kids[0].op == opName && isSelf(n.kids[0].text):
			have := c.fields[n.text]
			have.setItem(key, v)
			c.setSelf(n.text, have)
			return
		case n.op == opName:
			at := s.find(n.text)
			have := value{name: n.text}
			if at != nil {
				have = at.vars[n.text]
			} else {
				at = s
			}
			have.setItem(key, v)
			at.vars[n.text] = have
			return
		case n.op == opCall && len(n.kids) > 1 || len(n.kids) == 0:
			return
		}
		n = n.kids[0]
	}
}

// setItem adds a value to a list or an object.
func (v *value) setItem(key string, to value) {
	if v.obj == nil {
		v.obj = to.obj
	}
	switch to.key = key; {
	case key != "":
		v.add(to)
		v.text, v.known = "", false
	case len(v.items) < maxAdded && !v.known && to.known:
		v.add(to)
	}
	v.addSources(to.sources)
}

// each evaluates a loop over items. It binds the loop variables to a single value that represents
// all items.
func (c *reader) each(n *node, s *scope) value {
	list := c.eval(n.kids[1], s)
	c.conditionals++
	c.bind(n.kids[0], list.anyItem(), s, "=")
	c.conditionals--
	return list
}

// comprehension evaluates a list comprehension. If it consists of a single loop over known items,
// it is evaluated separately for each item.
func (c *reader) comprehension(n *node, s *scope) value {
	if e := n.kids[len(n.kids)-1]; len(n.kids) == 2 && e.op == opLoop {
		list := c.eval(e.kids[1], s)
		out := value{sources: list.sources}
		for _, one := range list.members() {
			inner := &scope{vars: map[string]value{}, parent: s}
			c.bind(e.kids[0], one, inner, "=")
			one = c.eval(n.kids[0], inner)
			one.key = ""
			out.add(one)
		}
		if len(out.items) > 0 {
			return out
		}
	}
	inner := &scope{vars: map[string]value{}, parent: s}
	for _, k := range n.kids[1:] {
		c.eval(k, inner)
	}
	v := c.eval(n.kids[0], inner)
	return value{sources: v.sources, items: v.items}
}
