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

// scope has the variables of a function.
type scope struct {
	vars   map[string]value
	global bool
	// late is what functions inside give the variables.
	late   map[string]value
	parent *scope
	// params are the values of the parameters, gives is what the function gives.
	params []value
	gives  value
	// vars0 is the parameter of a closure that does not name it.
	vars0 value
}

// reader follows the values in the code of one region. It reads the code several times, until
// functions give nothing new, and adds signals in the last turn.
type reader struct {
	*language
	x      *Extractor
	set    *signal.Set
	region int
	src    string
	scopes map[*function]*scope
	funcs  map[string][]*function
	// fields are the attributes of objects of the code's own classes.
	fields map[string]value
	// files are what was written, by path.
	files map[string]value
	stars []string
	// later are the bodies of functions, which are read after what is around them.
	later []func()
	// procs are the processes that are set up.
	procs []*object
	// found are the signals of this turn, seen what is among them.
	found []func()
	seen  map[string]bool
	// changed: something new came to be known in this turn. quiet: no signals are added.
	changed, quiet bool
	// weak counts the conditional statements around.
	weak, depth, steps int
}

// The bounds of what is followed in one region.
const (
	maxSteps = 300_000
	maxTurns = 6
)

func (c *reader) statements(list []*node, s *scope) value {
	var v value
	base := -1
	for _, n := range list {
		if base < 0 {
			base = n.column
		}
		weak := n.weak || n.column > base && (c.is["indent"] || c.is["end"])
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
		c.assign(n, v, s)
	case opMulti:
		c.multi(n, s)
	case opReturn:
		for _, k := range n.kids {
			v = either(v, c.eval(k, s))
		}
		s.give(c, v)
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
			if !slices.Contains(c.stars, n.kids[0].text) {
				c.stars = append(c.stars, n.kids[0].text)
			}
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

// give adds what a function gives.
func (s *scope) give(c *reader, v value) {
	c.grow(&s.gives, v)
}

// grow adds what a value may be, and notes whether that is new.
func (c *reader) grow(to *value, v value) {
	out := either(*to, v)
	c.changed = c.changed || len(out.from) != len(to.from) || len(out.texts) != len(to.texts) || out.name != to.name ||
		out.fn != to.fn || len(out.keys) != len(to.keys) || len(out.items) != len(to.items)
	*to = out
}

// text is a string, with what is known of the expressions in it.
func (c *reader) text(n *node, s *scope) value {
	v := value{texts: n.texts}
	if len(n.kids) > 0 {
		list := make([]value, 0, 2*len(n.texts))
		for i, t := range n.texts {
			list = append(list, literal(t))
			if i < len(n.kids) {
				list = append(list, c.eval(n.kids[i], s))
			}
		}
		v = concat(list...)
	}
	switch {
	case n.token.command:
		return c.shellText(n, v, s)
	case n.token.words && len(n.kids) == 0:
		for w := range strings.FieldsSeq(n.texts[0]) {
			v.push(literal(w))
		}
	case n.escaped && !strings.ContainsFunc(n.texts[0], unicode.IsControl) && utf8.ValidString(n.texts[0]):
		v.built = true
		c.add(signal.Obfuscated, n, shown(c.src[n.start:n.end]), shown(n.texts[0]), "escape")
	}
	return v
}

// ident is what a name stands for.
func (c *reader) ident(n *node, s *scope) value {
	for at := s; at != nil; at = at.parent {
		if v, ok := at.vars[n.text]; ok {
			return v
		}
	}
	if v, ok := c.fields[n.text]; ok {
		return v
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

// selfName stands for the file itself.
const selfName = "this-file"

// named adds to a value what its name says of it.
func (c *reader) named(v value) value {
	r := c.calls.find(v.name)
	if r == nil {
		return v
	}
	switch r.does {
	case "envall":
		v.carry([]source{{what: secret, tags: []signal.Tag{"env-all"}, name: "environment"}})
	case "holds":
		v.carry([]source{{what: secret, tags: r.tags, name: v.name}})
	case "input":
		v.carry([]source{{what: network, tags: []signal.Tag{"computed"}, name: "a request"}})
	case "home":
		v.texts = []string{"~"}
	}
	return v
}

// attr is owner.name.
func (c *reader) attr(owner value, name string, n *node) value {
	if r := c.calls.find(owner.name); r != nil {
		switch {
		case r.does == "root":
			return c.named(value{name: name})
		case r.does == "envall" && c.name == "js" && !method(name):
			return c.variable(name, n)
		}
	}
	if v, ok := owner.get(name); ok {
		return v
	}
	if owner.name == "self" || owner.name == "this" {
		if v, ok := c.fields[name]; ok {
			return v
		}
	}
	v := value{from: owner.from, obj: owner.obj, url: owner.url, name: join(owner.name, name)}
	if owner.hasTag("env-all") && c.name == "js" && !method(name) {
		return c.variable(name, n)
	}
	if name == "default" && owner.name != "" {
		return owner
	}
	return c.named(v)
}

// join is the dotted name of an attribute.
func join(owner, name string) string {
	if owner == "" || len(owner) > 160 {
		owner = "?"
	}
	return owner + "." + name
}

// method reports whether a name is that of a method of every object, not of a variable.
func method(name string) bool { return wordIs(name, "method") }

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
	c.add(signal.Read, n, shown(c.src[n.start:n.end]), name, append([]signal.Tag{"env"}, tags...)...)
	v := value{name: "?"}
	if len(tags) > 0 {
		v.from = []source{{what: secret, tags: tags, name: name}}
	}
	return v
}

// index is owner[key].
func (c *reader) index(n *node, s *scope) value {
	owner := c.eval(n.kids[0], s)
	if len(n.kids) < 2 {
		return value{from: owner.all(), name: owner.name}
	}
	k := n.kids[1]
	if k.op == opPair && !(c.name == "php") {
		return c.slice(owner, k, s)
	}
	if k.op == opName && c.is["braces"] && !c.bound(k.text, s) {
		k = &node{op: opText, texts: []string{k.text}, token: &token{}, start: k.start, end: k.end}
	}
	key := c.eval(k, s)
	text, plain := key.plain()
	switch {
	case plain && key.number:
		return c.element(owner, text)
	case plain && (owner.hasTag("env-all") || c.isEnv(owner.name)):
		var out value
		for _, t := range key.texts {
			v := c.variable(t, n)
			out = either(v, out)
		}
		return out
	case plain:
		v := c.attr(owner, text, n)
		c.hidesName(n, key, v.name)
		return v
	case owner.hasTag("env-all") && !key.hasTag("env-all"):
		return value{name: "?"}
	}
	return value{from: owner.all(), obj: owner.obj}
}

func (c *reader) isEnv(name string) bool {
	r := c.calls.find(name)
	return r != nil && r.does == "envall"
}

func (c *reader) bound(name string, s *scope) bool {
	for ; s != nil; s = s.parent {
		if _, ok := s.vars[name]; ok {
			return true
		}
	}
	return false
}

// hidesName notes a name that is put together and does something.
func (c *reader) hidesName(n *node, key value, name string) {
	if !key.built {
		return
	}
	if r := c.calls.find(name); r != nil && acts(r.does) || c.name == "js" && strings.HasPrefix(name, "process.") {
		c.add(signal.Obfuscated, n, shown(c.src[n.start:n.end]), name, "name")
	}
}

// acts reports whether it matters that something is done.
func acts(does string) bool { return wordIs(does, "effect") || strings.HasPrefix(does, "decode") }

// element is an item of a list or a letter of a text.
func (c *reader) element(owner value, number string) value {
	i, err := strconv.Atoi(number)
	if err == nil && len(owner.items) > 0 {
		if i < 0 {
			i += len(owner.items)
		} else if c.name == "lua" || c.name == "r" {
			i--
		}
		if i >= 0 && i < len(owner.items) {
			v := owner.items[i]
			v.carry(owner.from)
			return v
		}
	}
	if text, ok := owner.plain(); ok && err == nil && len(owner.items) == 0 {
		if i < 0 {
			i += len(text)
		}
		if i >= 0 && i < len(text) {
			return value{texts: []string{text[i : i+1]}, from: owner.from, built: true}
		}
	}
	return value{from: owner.all(), obj: owner.obj, url: owner.url}
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
	back := bounds[2] == -1
	out := value{from: owner.all(), built: true}
	if n := bounds[1] - bounds[0]; !back && (n > 0 && n <= 8 || bounds[0] < 0 && bounds[0] >= -8) {
		out.from = nil // not enough of a secret
	}
	out.push(owner.items...)
	if back {
		slices.Reverse(out.items)
	}
	if text, ok := owner.plain(); ok && back {
		out.texts = []string{reversed(text)}
	} else if ok {
		from := clamp(bounds[0], len(text))
		part := text[from:max(from, clamp(bounds[1], len(text)))]
		out.texts = []string{part}
		if step := bounds[2]; step > 1 {
			out.texts[0] = ""
			for i := 0; i < len(part); i += step {
				out.texts[0] += part[i : i+1]
			}
		}
	}
	return out
}

func clamp(i, n int) int {
	if i < 0 {
		i += n
	}
	return max(0, min(i, n))
}

func (c *reader) list(n *node, s *scope) value {
	var v value
	items := make([]value, 0, len(n.kids))
	for _, k := range n.kids {
		one := c.eval(k, s)
		switch {
		case k.op == opPair:
			for i := range one.keys {
				v.set(one.keys[i].key, one.keys[i].value)
			}
			v.carry(one.from)
			continue
		case k.op == opSpread || k.op == opComp:
			if t, ok := one.plain(); ok && len(one.items) == 0 {
				one.items = letters(t)
			}
			items = append(items, one.items...)
			if len(one.items) == 0 {
				v.carry(one.all())
			}
			continue
		}
		items = append(items, one)
	}
	v.push(items...)
	return v
}

// letters are the characters of a text.
func letters(s string) []value {
	s = s[:min(len(s), maxItems)]
	list := make([]value, len(s))
	for i := range list {
		list[i] = literal(s[i : i+1])
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
		case opPair:
			for i := range one.keys {
				v.put(one.keys[i].key, one.keys[i].value)
			}
			v.carry(one.from)
		case opAssign:
			if k.kids[0].op == opName {
				v.put(k.kids[0].text, one)
			}
		case opName:
			if last = one; c.name == "js" {
				v.put(k.text, one)
			} else {
				v.push(one)
			}
		case opSpread, opComp:
			v.carry(one.all())
			for i := range one.keys {
				v.put(one.keys[i].key, one.keys[i].value)
			}
		case opReturn, opFunc:
		default:
			v.push(one)
			last = one
		}
	}
	c.weak--
	if len(n.kids) == 1 && len(v.keys) == 0 && last.name != "" {
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
	var from []source
	if k.op != opName {
		v := c.eval(k, s)
		key, _ = v.plain()
		from = v.all()
		if k.op == opList && len(v.items) == 1 {
			key, _ = v.items[0].plain()
		}
	}
	v := c.eval(to, s)
	if to.op == opAssign && k.op == opName && to.kids[0].op != opIndex {
		c.bind(k, v, s, "=")
	}
	out := value{from: from}
	out.set(key, v)
	return out
}

// assign gives a target a value.
func (c *reader) assign(n *node, v value, s *scope) {
	target := n.kids[0]
	c.bind(target, v, s, n.text)
}

// multi is a, b = c, d.
func (c *reader) multi(n *node, s *scope) {
	targets, values := n.kids[:n.count], n.kids[n.count:]
	var list []value
	for _, k := range values {
		list = append(list, c.eval(k, s))
	}
	if len(list) == 1 && len(list[0].items) == len(targets) {
		list = list[0].items
	}
	for i, k := range targets {
		if len(list) == len(targets) {
			c.bind(k, list[i], s, "=")
		} else if len(list) > 0 {
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
		c.bind(target.kids[len(target.kids)-1], v, s, op)
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
			switch k.op {
			case opName:
				c.bind(k, c.attr(v, k.text, k), s, op)
			case opAssign:
				c.bind(k.kids[0], c.attr(v, k.kids[0].text, k), s, op)
			default:
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
	if op != "=" && op != ":=" && op != "to" && op != "<-" {
		have := c.eval(&node{op: opName, text: name}, s)
		sum := concat(have, v)
		if len(have.items) > 0 || len(have.keys) > 0 {
			sum = either(have, v)
			sum.items = have.items
			sum.push(v.items...)
		}
		sum.obj = have.obj
		v = sum
	}
	at := s
	for up := s; up != nil; up = up.parent {
		if _, ok := up.vars[name]; ok && (up == s || c.name != "py") {
			at = up
			break
		}
	}
	old, ok := at.vars[name]
	if at == s && c.weak > 0 && s.global {
		c.setOwn(name, v) // it may be a field of a class
	}
	if at != s {
		c.comesLate(at, name, v)
		v = either(old, v)
	} else {
		if ok && c.weak > 0 {
			v = either(old, v)
		}
		if late, ok := at.late[name]; ok {
			v = either(v, late)
		}
	}
	at.vars[name] = v
}

// comesLate notes what a function inside of a scope gives one of its variables.
func (c *reader) comesLate(at *scope, name string, v value) {
	have := at.late[name]
	c.grow(&have, v)
	if at.late == nil {
		at.late = map[string]value{}
	}
	at.late[name] = have
}

func (c *reader) setOwn(name string, v value) {
	have := c.fields[name]
	c.grow(&have, v)
	c.fields[name] = have
}

// setField gives an attribute or an element of something a value.
func (c *reader) setField(target *node, v value, s *scope) {
	key := target.text
	owner := target.kids[0]
	if target.op == opIndex {
		key = ""
		if len(target.kids) > 1 {
			k := c.eval(target.kids[1], s)
			key, _ = k.plain()
			v.carry(k.all())
		}
	}
	have := c.eval(owner, s)
	name := join(have.name, key)
	switch {
	case have.name == "self" || have.name == "this":
		c.setOwn(key, v)
		return
	case v.fn != nil && len(have.from) > 0:
		c.callbacks(&called{args: []value{v}}, value{from: have.all(), url: have.url})
	case have.obj != nil && have.obj.process:
		have.obj.configure(key, v)
		if strings.HasPrefix(strings.ToLower(key), "std") {
			c.joined(target, only(v.all(), peer))
		}
	case key == "NODE_TLS_REJECT_UNAUTHORIZED" || key == "PYTHONHTTPSVERIFY" || name == "ssl._create_default_https_context":
		c.add(signal.Weaken, target, shown(c.src[target.start:target.end]), "", "tls")
	}
	if r := c.calls.find(name); r != nil && (r.does == "send" || r.does == "fetch") {
		c.effect(&called{n: target, name: name, recv: have, args: []value{v}, nodes: []*node{target}, row: r, s: s})
	}
	if headerKey(key) || headerKey(have.lastName()) {
		v.from = headers(v.all())
	}
	c.addTo(owner, key, v, s)
}

func (v *value) lastName() string { return v.name[strings.LastIndexByte(v.name, '.')+1:] }

// addTo adds a value to the variable that an expression begins with.
func (c *reader) addTo(n *node, key string, v value, s *scope) {
	for depth := 0; depth < 16; depth++ {
		switch n.op {
		case opAttr:
			if root := n.kids[0]; root.op == opName && (root.text == "self" || root.text == "this") {
				c.addOwn(n.text, key, v)
				return
			}
			n = n.kids[0]
		case opIndex, opCall, opNot, opSequence:
			if n.op == opCall && len(n.kids) > 1 {
				return
			}
			n = n.kids[0]
		case opName:
			for at := s; at != nil; at = at.parent {
				if have, ok := at.vars[n.text]; ok {
					have.include(key, v)
					if at != s {
						c.comesLate(at, n.text, have)
					}
					at.vars[n.text] = have
					return
				}
			}
			if strings.HasPrefix(n.text, "@") {
				c.addOwn(n.text, key, v)
			} else if len(v.from) > 0 || v.url != "" || v.obj != nil {
				have := value{name: n.text}
				have.include(key, v)
				s.vars[n.text] = have
			}
			return
		default:
			return
		}
	}
}

func (c *reader) addOwn(name, key string, v value) {
	have := c.fields[name]
	have.include(key, v)
	c.grow(&have, value{})
	c.fields[name] = have
}

// include adds a value to a list or object.
func (v *value) include(key string, to value) {
	if v.obj == nil {
		v.obj = to.obj
	}
	if v.url == "" {
		v.url = to.url
	}
	switch {
	case key != "":
		v.set(key, to)
		v.texts = nil
	case len(v.items) < maxTexts && len(v.texts) == 0 && len(to.texts) > 0:
		if !slices.ContainsFunc(v.items, func(x value) bool { return slices.Equal(x.texts, to.texts) }) {
			v.push(to)
		}
	}
	v.carry(to.all())
}

// each gives the variables of a loop what the loop goes through.
func (c *reader) each(n *node, s *scope) value {
	last := len(n.kids) - 1
	list := c.eval(n.kids[last], s)
	one := list.item()
	if n.block {
		one.carry(list.all())
	}
	for i, k := range n.kids[:last] {
		v := one
		if last > 1 && len(one.items) == last {
			v = one.items[i]
		} else if last > 1 && i == 0 && len(list.keys) > 0 {
			v = value{}
			for j := range list.keys {
				v = either(v, literal(list.keys[j].key))
			}
		}
		if last > 1 && i == 0 && c.name == "go" {
			v = value{}
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
	for _, k := range n.kids[1:] {
		if k.op != opEach || len(k.kids) != 2 || len(n.kids) != 2 || k.kids[0].op != opName {
			c.eval(k, inner)
			continue
		}
		list := c.eval(k.kids[1], s)
		if t, ok := list.plain(); ok && len(list.items) == 0 && len(t) <= maxItems {
			list.items = letters(t)
		}
		if len(list.items) > 0 {
			var items []value
			for i := range list.items {
				inner.vars[k.kids[0].text] = list.items[i]
				items = append(items, c.eval(n.kids[0], inner))
			}
			out.push(items...)
			out.carry(list.from)
			return out
		}
		c.eval(k, inner)
	}
	v := c.eval(n.kids[0], inner)
	out.items = nil
	out.carry(v.all())
	for i := range v.keys {
		out.set(v.keys[i].key, v.keys[i].value)
	}
	return out
}

// function reads the body of a function with what is known of its parameters.
func (c *reader) function(f *function, s *scope) value {
	inner := c.scopeOf(f)
	inner.parent, inner.vars = s, map[string]value{}
	c.later = append(c.later, func() { c.body(f, inner) })
	out := value{fn: f}
	if f.name != "" && s != nil && (s.parent == nil || !c.bound(f.name, s)) {
		s.vars[f.name] = out
	}
	return out
}

// body reads the body of a function, and of the functions in it.
func (c *reader) body(f *function, s *scope) {
	for i, p := range f.params {
		if i == 0 && p.op == opName && (p.text == "self" || p.text == "cls") {
			continue
		}
		c.bind(p, s.params[i], s, "=")
		if p.op == opAssign && p.kids[0].op == opName {
			v := s.vars[p.kids[0].text]
			s.vars[p.kids[0].text] = either(v, c.eval(p.kids[1], s.parent))
		}
	}
	if len(s.params) == 0 && (c.is["closure"] || c.name == "pl") {
		for _, name := range [...]string{"it", "0", "_"} {
			s.vars[name] = s.vars0
		}
	}
	weak, later := c.weak, c.later
	c.weak, c.later = 0, nil
	v := c.statements(f.body, s)
	if n := len(f.body); n > 0 && f.body[n-1].op != opAssign {
		s.give(c, v)
	}
	for len(c.later) > 0 {
		do := c.later[0]
		c.later = c.later[1:]
		do()
	}
	c.weak, c.later = weak, later
}
