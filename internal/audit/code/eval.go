package code

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
)

// scope has the variables of a function. gives is what the function returns.
type scope struct {
	vars   map[string]value
	parent *scope
	gives  value
}

// find returns the scope that has a variable; nil if none has it.
func (s *scope) find(name string) *scope {
	for ; s != nil; s = s.parent {
		if _, ok := s.vars[name]; ok {
			return s
		}
	}
	return nil
}

// reader follows the values in the code of one region.
type reader struct {
	*language
	set    *signal.Set
	region int
	src    string
	global *scope
	// funcs are the functions of the code by name, defined those whose definition was read.
	funcs   map[string][]*function
	defined []*function
	// fields are the attributes of objects of the code's own classes, files what was written to
	// paths, stars the modules all of whose names were imported.
	fields, files map[string]value
	stars         []string
	// procs are the processes that are set up.
	procs []*object
	// found are the signals of this turn, seen what is among them.
	found []func()
	seen  map[string]bool
	// changed: a field came to be known in this turn. quiet: no signals are added.
	changed, quiet bool
	// weak counts the conditional statements around.
	weak, depth, steps int
}

// The bounds of what is followed in one region, and in one function of it.
const (
	maxSteps         = 300_000
	maxFunctionSteps = 10_000
	maxTurns         = 3
)

func (c *reader) statements(list []*node, s *scope) value {
	var v value
	for _, n := range list {
		weak := n.weak || n.column > list[0].column && (c.is["indent"] || c.is["end"])
		if weak {
			c.weak++
		}
		v = c.eval(n, s)
		if weak {
			c.weak--
		}
	}
	return v
}

// eval says what is known of an expression, and does what a statement does.
func (c *reader) eval(n *node, s *scope) value {
	if c.steps++; c.steps > maxSteps || c.depth > 2*maxDepth {
		return value{}
	}
	c.depth++
	defer func() { c.depth-- }()
	switch n.op {
	case opText:
		return c.text(n, s)
	case opNumber:
		return value{texts: []string{n.text}, number: true}
	case opName:
		return c.ident(n, s)
	case opAttr:
		if c.name == "rb" {
			return c.call(&node{op: opCall, start: n.start, end: n.end, kids: []*node{n}}, s)
		}
		return c.attr(c.eval(n.kids[0], s), n.text, n)
	case opIndex:
		return c.index(n, s)
	case opCall:
		return c.call(n, s)
	case opList:
		return c.list(n, s)
	case opBrace:
		return c.brace(n, s)
	case opPair:
		return c.pair(n, s)
	case opBinary:
		return c.binary(n, s)
	case opFunc:
		return c.function(n.fn, s)
	}
	return c.statement(n, s)
}

// statement is eval for what is more of a statement than an expression.
func (c *reader) statement(n *node, s *scope) value {
	var v value
	switch n.op {
	case opAssign:
		v = c.eval(n.kids[1], s)
		c.bind(n.kids[0], v, s, n.text)
	case opMulti:
		c.multi(n, s)
	case opReturn:
		for _, k := range n.kids {
			v = either(v, c.eval(k, s))
		}
		s.gives = either(s.gives, v)
	case opEach:
		return c.each(n, s)
	case opComp:
		return c.comprehension(n, s)
	case opEither:
		c.eval(n.kids[0], s)
		for _, k := range n.kids[1:] {
			v = either(v, c.eval(k, s))
		}
	case opNot:
		c.eval(n.kids[0], s)
	case opSpread:
		return c.eval(n.kids[0], s)
	case opImport:
		if n.text == "*" {
			c.stars = append(c.stars, n.kids[0].text)
			break
		}
		s.vars[n.text] = c.named(value{name: n.kids[0].text})
	case opSequence:
		for _, k := range n.kids {
			if k.op != opNone {
				v = c.eval(k, s)
			}
		}
	}
	return v
}

// text is a string, with what is known of the expressions in it.
func (c *reader) text(n *node, s *scope) value {
	v := value{texts: n.texts}
	if len(n.kids) > 0 {
		var list []value
		for i, t := range n.texts {
			list = append(list, literal(t))
			if i < len(n.kids) {
				list = append(list, c.eval(n.kids[i], s))
			}
		}
		v = concat(list...)
	}
	switch {
	case n.quote.has('x'):
		return c.shell(&call{n: n, s: s}, v)
	case n.quote.has('w') && len(n.kids) == 0:
		for w := range strings.FieldsSeq(n.texts[0]) {
			v.push(literal(w))
		}
	case n.escaped && !strings.ContainsFunc(n.texts[0], unicode.IsControl) && utf8.ValidString(n.texts[0]):
		v.built = true
		c.add(signal.Obfuscated, n, c.excerpt(n), shown(n.texts[0]), "escape")
	}
	return v
}

// selfName stands for the file itself.
const selfName = "this-file"

// ident is what a name stands for.
func (c *reader) ident(n *node, s *scope) value {
	if at := s.find(n.text); at != nil {
		return at.vars[n.text]
	}
	if v, ok := c.fields[n.text]; ok {
		return v
	}
	if list := c.funcs[n.text]; len(list) > 0 {
		return value{name: n.text, fn: list[len(list)-1]}
	}
	switch n.text {
	case "__file__", "__FILE__", "__filename":
		return literal("./" + selfName)
	case "__dirname", "__DIR__":
		return literal(".")
	}
	if r := c.calls.find(n.text); r != nil && r.does == "holds" && slices.Contains(r.tags, "asked") {
		c.add(signal.Read, n, c.excerpt(n), "", r.tags...)
	}
	for _, m := range c.stars {
		if c.calls.find(m+"."+n.text) != nil {
			return c.named(value{name: m + "." + n.text})
		}
	}
	return c.named(value{name: n.text})
}

// named adds to a value what its name says of it.
func (c *reader) named(v value) value {
	switch r := c.calls.find(v.name); {
	case r == nil:
	case r.does == "envall":
		v.carry([]source{environment()})
	case r.does == "holds":
		v.carry([]source{{what: secret, tags: r.tags, name: v.name}})
	case r.does == "input":
		v.carry([]source{{what: network, tags: []signal.Tag{"computed"}, name: "a request"}})
	case r.does == "home":
		v.texts = []string{"~"}
	}
	return v
}

// environment is the whole environment.
func environment() source {
	return source{what: secret, tags: []signal.Tag{"env-all"}, name: "environment"}
}

// isOwn reports whether a name stands for the object that a method belongs to.
func isOwn(name string) bool { return name == "self" || name == "this" || name == "cls" }

// attr is owner.name.
func (c *reader) attr(owner value, name string, n *node) value {
	env := owner.hasTag("env-all") || c.does(owner.name) == "envall"
	switch {
	case c.does(owner.name) == "root":
		return c.named(value{name: name})
	case env && c.name == "js" && !wordIs(name, "method"):
		return c.variable(name, n)
	}
	if v, ok := owner.get(name); ok {
		return v
	}
	if v, ok := c.fields[name]; ok && isOwn(owner.name) {
		return v
	}
	if name == "default" && owner.name != "" {
		return owner
	}
	return c.named(value{from: owner.from, obj: owner.obj, name: join(owner.name, name)})
}

// does says what a call of a name does; "" if that is not known.
func (c *reader) does(name string) string {
	if r := c.calls.find(name); r != nil {
		return r.does
	}
	return ""
}

// join is the dotted name of an attribute.
func join(owner, name string) string {
	if owner == "" || len(owner) > 160 {
		owner = "?"
	}
	return owner + "." + name
}

// variable is an environment variable.
func (c *reader) variable(name string, n *node) value {
	switch strings.ToUpper(name) {
	case "HOME", "USERPROFILE", "HOMEPATH":
		return literal("~")
	case "APPDATA", "LOCALAPPDATA":
		return literal("%" + strings.ToUpper(name) + "%")
	case "TMPDIR", "TEMP", "TMP":
		return literal("/tmp")
	}
	tags := known.Env(name)
	c.add(signal.Read, n, c.excerpt(n), name, append([]signal.Tag{"env"}, tags...)...)
	v := value{name: "?"}
	if len(tags) > 0 {
		v.from = []source{{what: secret, tags: tags, name: name}}
	}
	return v
}

// variables are the environment variables with the names that a value may be.
func (c *reader) variables(names value, n *node) value {
	var out value
	for _, t := range names.texts {
		if strings.IndexByte(t, gapOpen) < 0 {
			out = either(c.variable(strings.Trim(t, "%"), n), out)
		}
	}
	return out
}

// index is owner[key].
func (c *reader) index(n *node, s *scope) value {
	owner := c.eval(n.kids[0], s)
	if len(n.kids) < 2 {
		return value{from: owner.from, name: owner.name}
	}
	k := n.kids[1]
	if k.op == opPair && c.name != "php" {
		return c.slice(owner, k, s)
	}
	key := literal(k.text)
	if k.op != opName || !c.is["braces"] || s.find(k.text) != nil {
		key = c.eval(k, s)
	}
	text, plain := key.plain()
	env := owner.hasTag("env-all") || c.does(owner.name) == "envall"
	switch {
	case plain && key.number:
		return c.element(owner, text)
	case plain && env:
		return c.variables(key, n)
	case plain:
		v := c.attr(owner, text, n)
		c.hidesName(n, key, v.name)
		return v
	case env && !key.hasTag("env-all"):
		return value{name: "?"}
	}
	return value{from: owner.from, obj: owner.obj}
}

// hidesName notes a name that is put together and does something.
func (c *reader) hidesName(n *node, key value, name string) {
	if key.built && (acts(c.does(name)) || c.name == "js" && strings.HasPrefix(name, "process.")) {
		c.add(signal.Obfuscated, n, c.excerpt(n), name, "name")
	}
}

// acts reports whether it matters that something is done.
func acts(does string) bool { return wordIs(does, "effect") || strings.HasPrefix(does, "decode") }

// element is an item of a list or a letter of a text.
func (c *reader) element(owner value, number string) value {
	i, err := strconv.Atoi(number)
	text, _ := owner.plain()
	size := max(len(owner.items), 0)
	if size == 0 {
		size = len(text)
	} else if i > 0 && (c.name == "lua" || c.name == "r") {
		i--
	}
	if i < 0 {
		i += size
	}
	switch {
	case err != nil || i < 0 || i >= size:
		return value{from: owner.from, obj: owner.obj}
	case len(owner.items) > 0:
		return owner.items[i]
	}
	return value{texts: []string{text[i : i+1]}, from: owner.from, built: true}
}

// slice is owner[from:to:step].
func (c *reader) slice(owner value, k *node, s *scope) value {
	kids := k.kids
	if len(kids) == 2 && kids[1].op == opPair {
		kids = append(kids[:1:1], kids[1].kids...)
	}
	bounds := [3]int{0, 1 << 30, 1}
	for i, kid := range kids[:min(len(kids), 3)] {
		v := c.eval(kid, s)
		if n, ok := integer(&v); ok {
			bounds[i] = n
		}
	}
	step := bounds[2]
	out := value{built: true, items: slices.Clone(owner.items)}
	if n := bounds[1] - bounds[0]; step < 0 || n > 8 && bounds[0] >= 0 || bounds[0] < -8 {
		out.from = owner.from // a shorter part of a secret is none
	}
	text, ok := owner.plain()
	switch {
	case step < 0:
		slices.Reverse(out.items)
		text = reversed(text)
	case ok:
		from := clamp(bounds[0], len(text))
		part := text[from:max(from, clamp(bounds[1], len(text)))]
		text = ""
		for i := 0; i < len(part); i += max(step, 1) {
			text += part[i : i+1]
		}
	}
	if ok {
		out.texts = []string{text}
	}
	return out
}

func clamp(i, n int) int {
	if i < 0 {
		i += n
	}
	return max(0, min(i, n))
}

// list is a list. Pairs in it make it an object as well.
func (c *reader) list(n *node, s *scope) value {
	var v value
	for _, k := range n.kids {
		one := c.eval(k, s)
		switch {
		case k.op == opPair:
			v.set(one.keys...)
			v.carry(one.from)
		case k.op == opSpread || k.op == opComp:
			v.push(one.members()...)
			v.carry(one.from)
		default:
			v.push(one)
		}
	}
	return v
}

// members are the items of a list or the letters of a text.
func (v *value) members() []value {
	if text, ok := v.plain(); ok && len(v.items) == 0 {
		return letters(text)
	}
	return v.items
}

// letters are the characters of a text.
func letters(s string) []value {
	var list []value
	for i := range min(len(s), maxItems) {
		list = append(list, literal(s[i:i+1]))
	}
	return list
}

// brace is an object, or the value of the last statement of a block.
func (c *reader) brace(n *node, s *scope) value {
	var v, last value
	c.weak++
	for _, k := range n.kids {
		one := c.eval(k, s)
		last = value{}
		switch k.op {
		case opPair, opSpread, opComp:
			v.set(one.keys...)
			v.carry(one.from)
		case opAssign:
			if k.kids[0].op == opName {
				v.set(keyed{k.kids[0].text, one})
			}
		case opReturn, opFunc:
		default:
			last = one
			if k.op == opName && c.name == "js" {
				v.set(keyed{k.text, one})
			} else {
				v.push(one)
			}
		}
	}
	c.weak--
	if len(n.kids) == 1 && len(v.keys) == 0 {
		v.name = last.name
	}
	return v
}

// pair is key: value. An annotated variable is one too.
func (c *reader) pair(n *node, s *scope) value {
	if len(n.kids) < 2 {
		return value{}
	}
	k, to := n.kids[0], n.kids[1]
	key := k.text
	var out value
	if k.op != opName {
		v := c.eval(k, s)
		out.carry(v.from)
		if k.op == opList && len(v.items) == 1 {
			v = v.items[0]
		}
		key, _ = v.plain()
	}
	v := c.eval(to, s)
	if to.op == opAssign && k.op == opName && to.kids[0].op != opIndex {
		c.bind(k, v, s, "=")
	}
	out.set(keyed{key, v})
	return out
}

// multi is a, b = c, d.
func (c *reader) multi(n *node, s *scope) {
	var list []value
	for _, k := range n.kids[n.count:] {
		list = append(list, c.eval(k, s))
	}
	if len(list) == 1 && len(list[0].items) == n.count {
		list = list[0].items
	}
	for i, k := range n.kids[:n.count] {
		switch {
		case len(list) == n.count:
			c.bind(k, list[i], s, "=")
		case len(list) > 0:
			c.bind(k, list[0], s, "=")
		}
	}
}

// bind gives what is in a target a value.
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
		if c.name == "go" || target.kids[0].op == opPair {
			last = target.kids[0] // The type comes after the name.
		}
		c.bind(last, v, s, op)
	case opPair:
		if k := target.kids[0]; k.op == opName && target.kids[1].op != opNone && (c.name == "js" || c.name == "php") {
			c.bind(target.kids[1], c.attr(v, k.text, target), s, op)
		} else {
			c.bind(k, v, s, op)
		}
	case opList:
		for i, k := range target.kids {
			part := v.item()
			if i < len(v.items) {
				part = v.items[i]
			}
			c.bind(k, part, s, op)
		}
	case opBrace:
		for _, k := range target.kids {
			name := k
			if k.op == opAssign {
				name = k.kids[0]
			}
			if name.op == opName {
				c.bind(name, c.attr(v, name.text, name), s, op)
			} else {
				c.bind(k, v, s, op)
			}
		}
	case opCall:
		for _, k := range target.kids[1:] {
			c.bind(k, v, s, op)
		}
	}
}

// setVar gives a variable a value. It keeps what it had where the statement may not run.
func (c *reader) setVar(name string, v value, s *scope, op string) {
	if strings.HasPrefix(name, "@") {
		c.setOwn(name, v)
		return
	}
	at := s.find(name)
	if at == nil || c.name == "py" {
		at = s
	}
	old, ok := at.vars[name]
	switch op {
	case "=", ":=", "to", "<-":
	default:
		have := c.eval(&node{op: opName, text: name}, s)
		sum := concat(have, v)
		if len(have.items)+len(have.keys) > 0 {
			sum = either(have, v)
			sum.items = have.items
			sum.push(v.items...)
		}
		sum.obj = have.obj
		v = sum
	}
	if at == c.global && c.weak > 0 {
		c.setOwn(name, v) // it may be a field of a class
	}
	if ok && (at != s || c.weak > 0) {
		v = either(old, v)
	}
	at.vars[name] = v
}

// setOwn gives an attribute of the code's own objects a value, besides those that it may have.
func (c *reader) setOwn(name string, v value) {
	have := c.fields[name]
	out := either(have, v)
	c.changed = c.changed || len(out.from) != len(have.from) || len(out.texts) != len(have.texts) ||
		len(out.items) != len(have.items) || len(out.keys) != len(have.keys) || out.name != have.name
	c.fields[name] = out
}

// setField gives an attribute or an element of something a value.
func (c *reader) setField(target *node, v value, s *scope) {
	owner, key := c.eval(target.kids[0], s), target.text
	if target.op == opIndex && len(target.kids) > 1 {
		k := c.eval(target.kids[1], s)
		key, _ = k.plain()
		v.carry(k.from)
	}
	name := join(owner.name, key)
	switch {
	case isOwn(owner.name):
		c.setOwn(key, v)
		return
	case v.fn != nil && len(owner.from) > 0:
		c.callback(v.fn, value{from: owner.from, obj: owner.obj})
	case owner.obj != nil && owner.obj.process:
		owner.obj.configure(key, v)
		if strings.HasPrefix(strings.ToLower(key), "std") {
			c.joined(target, v.from)
		}
	case key == "NODE_TLS_REJECT_UNAUTHORIZED" || key == "PYTHONHTTPSVERIFY" || c.does(name) == "tls":
		c.add(signal.Weaken, target, c.excerpt(target), "", "tls")
	}
	if r := c.calls.find(name); r != nil && (r.does == "send" || r.does == "fetch") {
		c.effect(&call{n: target, name: name, recv: owner, args: []value{v}, nodes: []*node{target}, row: r, s: s})
	}
	if headerKey(lastPart(owner.name)) {
		v.from = headers(v.from)
	}
	c.addTo(target.kids[0], key, v, s)
}

// addTo adds a value to the variable that an expression begins with.
func (c *reader) addTo(n *node, key string, v value, s *scope) {
	for range 16 {
		switch {
		case n.op == opAttr && n.kids[0].op == opName && isOwn(n.kids[0].text), n.op == opName && strings.HasPrefix(n.text, "@"):
			have := c.fields[n.text]
			have.include(key, v)
			c.setOwn(n.text, have)
			return
		case n.op == opName:
			at := s.find(n.text)
			have := value{name: n.text}
			if at != nil {
				have = at.vars[n.text]
			} else if at = s; len(v.from) == 0 && v.obj == nil {
				return
			}
			have.include(key, v)
			at.vars[n.text] = have
			return
		case n.op == opCall && len(n.kids) > 1 || len(n.kids) == 0:
			return
		}
		n = n.kids[0]
	}
}

// include adds a value to a list or object.
func (v *value) include(key string, to value) {
	if v.obj == nil {
		v.obj = to.obj
	}
	switch {
	case key != "":
		v.set(keyed{key, to})
		v.texts = nil
	case len(v.items) < maxTexts && len(v.texts) == 0 && len(to.texts) > 0:
		if !slices.ContainsFunc(v.items, func(x value) bool { return slices.Equal(x.texts, to.texts) }) {
			v.push(to)
		}
	}
	v.carry(to.from)
}

// each gives the variables of a loop what the loop goes through.
func (c *reader) each(n *node, s *scope) value {
	last := len(n.kids) - 1
	list := c.eval(n.kids[last], s)
	one := list.item()
	for i, k := range n.kids[:last] {
		v := one
		switch {
		case last > 1 && len(one.items) == last:
			v = one.items[i]
		case last > 1 && i == 0 && c.name == "go":
			v = value{}
		case last > 1 && i == 0 && len(list.keys) > 0:
			v = value{}
			for j := range list.keys {
				v = either(v, literal(list.keys[j].key))
			}
		}
		c.weak++
		c.bind(k, v, s, "=")
		c.weak--
	}
	return list
}

// comprehension is a list that is made item by item: with all items, if they are known.
func (c *reader) comprehension(n *node, s *scope) value {
	inner := &scope{vars: map[string]value{}, parent: s}
	var out value
	if e := n.kids[len(n.kids)-1]; len(n.kids) == 2 && e.op == opEach && len(e.kids) == 2 && e.kids[0].op == opName {
		list := c.eval(e.kids[1], s)
		for _, one := range list.members() {
			inner.vars[e.kids[0].text] = one
			out.push(c.eval(n.kids[0], inner))
		}
		if len(out.items) > 0 {
			out.carry(list.from)
			return out
		}
	}
	for _, k := range n.kids[1:] {
		c.eval(k, inner)
	}
	v := c.eval(n.kids[0], inner)
	return value{from: v.from, keys: v.keys}
}

// function is the definition of a function.
func (c *reader) function(f *function, s *scope) value {
	f.scope, f.reader = s, c
	c.defined = append(c.defined, f)
	out := value{fn: f}
	if f.name != "" && (s.parent == nil || s.find(f.name) == nil) {
		s.vars[f.name] = out
	}
	return out
}

// apply is what a function of the code gives for some arguments. Its body is read for each call,
// as long as that does not take too many steps.
func (c *reader) apply(f *function, args []value, keys []keyed) value {
	if f.reader == nil {
		f.reader, f.scope = c, c.global // It is defined below.
	}
	if f.reader != c || f.active || f.runs > 0 && (f.steps > maxFunctionSteps || c.steps > maxSteps/2) {
		out := f.gives
		for i := range args {
			out.carry(args[i].from)
		}
		return out
	}
	s := &scope{vars: map[string]value{}, parent: f.scope}
	c.parameters(f, args, keys, s)
	before, weak := c.steps, c.weak
	f.active, c.weak = true, 0
	v := c.statements(f.body, s)
	if n := len(f.body); n > 0 && f.body[n-1].op != opAssign {
		s.gives = either(s.gives, v)
	}
	f.active, c.weak = false, weak
	f.runs++
	f.steps += c.steps - before
	f.gives = either(f.gives, s.gives)
	return s.gives
}

// parameters gives the parameters of a function their values.
func (c *reader) parameters(f *function, args []value, keys []keyed, s *scope) {
	params := f.params
	if len(params) == 0 && len(args) > 0 {
		one := args[0]
		if len(args) > 1 {
			one.items = args
		}
		for _, name := range [...]string{"it", "0", "_"} {
			s.vars[name] = one
		}
	}
	if len(params) > 0 && params[0].op == opName && isOwn(params[0].text) {
		params = params[1:]
	}
	for i, p := range params {
		var v value
		switch {
		case p.op == opSpread && i < len(args):
			v.push(args[i:]...)
		case i < len(args):
			v = args[i]
		}
		name := p
		for name.op == opAssign || name.op == opPair {
			name = name.kids[0]
		}
		if given, ok := (&value{keys: keys}).get(name.text); ok && name.op == opName {
			v = given
		}
		if p.op == opAssign && v.empty() && len(v.from) == 0 {
			v = c.eval(p.kids[1], f.scope)
		}
		c.bind(p, v, s, "=")
	}
}

// callback passes a value to a function, and returns what that gives.
func (c *reader) callback(f *function, v value) value {
	return c.apply(f, slices.Repeat([]value{v}, max(1, len(f.params))), nil)
}

// callbacks pass a value to the functions among the arguments, and return what they give.
func (c *reader) callbacks(k *call, v value) value {
	var out value
	for i := range k.args {
		if fn := k.args[i].fn; fn != nil {
			out = either(out, c.callback(fn, v))
		}
	}
	for i := range k.keys {
		if fn := k.keys[i].fn; fn != nil {
			out = either(out, c.callback(fn, v))
		}
	}
	return out
}
