package code

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

type call struct {
	n    *node
	name string
	recv value
	args []value
	// keys holds the named arguments.
	keys []value
	row  *row
	s    *scope
}

// arg returns the argument with one of the given names or, if none is present, positional argument
// i. A negative i counts from the end.
func (k *call) arg(i int, keys ...string) value {
	for _, key := range keys {
		if v, ok := (&value{items: k.keys}).get(key); ok {
			return v
		}
	}
	if i < 0 {
		i += len(k.args)
	}
	if i >= 0 && i < len(k.args) {
		return k.args[i]
	}
	return value{}
}

// namedArg returns the argument with one of the given names.
func (k *call) namedArg(keys ...string) value { return k.arg(maxItems+1, keys...) }

// mainArg returns the argument that the call's row in calls.txt designates as relevant.
func (k *call) mainArg() value {
	return k.arg(k.row.arg, "cmd", "command", "args", "url", "path", "file", "base64Encoded", "contentsOf")
}

// owner returns the expression that a method is called on, or nil.
func (k *call) owner() *node {
	if k.n.op == opCall && k.n.kids[0].op == opAttr {
		return k.n.kids[0].kids[0]
	}
	return nil
}

// allSources returns the sources of the receiver and all arguments.
func (k *call) allSources() []source {
	v := value{sources: k.recv.sources}
	for _, arg := range slices.Concat(k.args, k.keys) {
		v.addSources(arg.credentialSources())
	}
	return v.sources
}

// credentialSources returns a value's sources. If the value is an argument whose name suggests
// credentials, its sources are marked as sent in a header.
func (v *value) credentialSources() []source {
	if wordIs(v.key, "header") || wordIs(v.key, "login") {
		return markHeaders(v.sources)
	}
	return v.sources
}

// markHeaders returns a copy of list in which each source is marked as sent in a header.
func markHeaders(list []source) []source {
	list = slices.Clone(list)
	for i := range list {
		list[i].header = true
	}
	return list
}

func (c *reader) call(n *node, s *scope) value {
	k := &call{n: n, s: s}
	var f value
	switch callee := n.kids[0]; callee.op {
	case opAttr:
		k.recv = c.eval(callee.kids[0], s)
		f = c.attr(k.recv, callee.text, callee)
	case opIndex:
		k.recv = c.eval(callee.kids[0], s)
		f = c.index(callee, s)
	default:
		f = c.eval(callee, s)
	}
	k.name = f.name
	c.arguments(k, n.kids[1:])
	return c.resolve(k, f)
}

// arguments evaluates a call's arguments and stores them in k.
func (c *reader) arguments(k *call, list []*node) {
	for _, a := range list[:min(len(list), maxItems)] {
		if a.op == opAssign && a.kids[0].op == opName && a.text == "=" {
			v := c.eval(a.kids[1], k.s)
			v.key = a.kids[0].text
			k.keys = append(k.keys, v)
		} else if v := c.eval(a, k.s); (a.op == opPair || a.op == opSpread) && v.isObject() {
			k.keys = append(k.keys, v.items...)
		} else {
			v.key = ""
			k.args = append(k.args, v)
		}
	}
}

// resolve determines which function is called and evaluates the call. It also handles functions
// that call another function, such as apply in JavaScript.
func (c *reader) resolve(k *call, f value) value {
	k.row = c.row(k.name)
	switch effect := c.effectOf(k.name); {
	case effect == "attr":
		// getattr(owner, name)
		name := k.arg(1)
		text, _ := name.exactText()
		v := c.attr(k.arg(0), text, k.n)
		c.checkBuiltName(k.n, name, v.name)
		return v
	case effect == "bind" && wordIs(lastPart(k.name), "method"):
		// f.call(this, x)
		return c.indirectCall(k, k.recv, 1)
	case effect == "bind":
		// partial(f, x)
		return c.indirectCall(k, k.arg(0, "target"), 1)
	case f.fn != nil:
		return c.apply(f.fn, k.args, k.keys)
	}
	if c.isLocalCall(k) {
		var v value
		for _, fn := range c.funcs[lastPart(k.name)] {
			v = merge(v, c.apply(fn, k.args, k.keys))
		}
		return v
	}
	return c.effect(k)
}

// indirectCall evaluates a call to f. Its arguments are those of k starting at index from or, if
// present, the list in the keyword argument "args". Without arguments, indirectCall returns f.
func (c *reader) indirectCall(k *call, f value, from int) value {
	from = min(from, len(k.args))
	args, list := k.args[from:], k.namedArg("args")
	if len(list.items) > 0 {
		args = list.items
	}
	if len(args) == 0 {
		return f
	}
	keys := slices.DeleteFunc(slices.Clone(k.keys), func(v value) bool { return oneOf(v.key, "target args") })
	return c.resolve(&call{n: k.n, name: f.name, args: args, keys: keys, s: k.s}, f)
}

func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// apply returns the result of calling a function that the code defines. It
// evaluates the body for each call, up to a step limit.
func (c *reader) apply(f *function, args, keys []value) value {
	if f.reader == nil {
		// The definition comes later in the code and was not evaluated yet.
		f.reader, f.scope = c, c.global
	}
	if f.reader != c || f.active || f.evals > 0 && (f.steps > maxFunctionSteps || c.steps > maxSteps/2) {
		out := f.result
		for i := range args {
			out.addSources(args[i].sources)
		}
		return out
	}
	s := &scope{vars: map[string]value{}, parent: f.scope}
	c.parameters(f, args, keys, s)
	before, weak := c.steps, c.conditionals
	f.active, c.conditionals = true, 0
	v := c.statements(f.body, s)
	s.result = merge(s.result, v)
	f.active, c.conditionals = false, weak
	f.evals++
	f.steps += c.steps - before
	f.result = merge(f.result, s.result)
	return s.result
}

// parameters binds the arguments to a function's parameters.
func (c *reader) parameters(f *function, args, keys []value, s *scope) {
	params := f.params
	if len(params) > 0 && isSelf(params[0].text) {
		params = params[1:]
	}
	for i, p := range params {
		var v value
		if i < len(args) {
			v = args[i]
		}
		if given, ok := (&value{items: keys}).get(p.variable()); ok {
			v = given
		}
		c.bind(p, v, s, "=")
	}
}

// callback evaluates a call to f with v as every argument and returns the result.
func (c *reader) callback(f *function, v value) value {
	return c.apply(f, slices.Repeat([]value{v}, max(1, len(f.params))), nil)
}

// callbacks calls each function among the arguments with v and returns the combined results.
func (c *reader) callbacks(k *call, v value) value {
	var out value
	for _, a := range slices.Concat(k.args, k.keys) {
		if a.fn != nil {
			out = merge(out, c.callback(a.fn, v))
		}
	}
	return out
}

// isLocalCall reports whether k may be a call to a function that the code defines.
func (c *reader) isLocalCall(k *call) bool {
	if c.funcs[lastPart(k.name)] == nil || k.row != nil && k.name[0] != '?' && !isSelf(k.recv.name) {
		return false
	}
	root, _, _ := strings.Cut(k.name, ".")
	class := isClass(root) && len(k.recv.sources) == 0
	return root == "?" || root == k.name || isSelf(root) || c.funcs[root] != nil || class
}

// unknownCall returns the result of calling an unknown function. The result may come from the
// receiver or any argument, so it has the sources of all of them.
func (c *reader) unknownCall(k *call) value {
	out := value{obj: k.recv.obj, name: k.name, sources: k.allSources()}
	back := c.callbacks(k, k.recv.anyItem())
	for i := range k.args {
		out.obj = cmp.Or(out.obj, k.args[i].obj)
	}
	if kids := k.n.kids; k.n.op == opCall && len(kids) == 2 && kids[1].op == opBrace && len(k.args) == 1 {
		out.items = k.args[0].items
	}
	out.addSources(back.sources)
	if a := k.arg(0); lastPart(k.name) == "pipe" && a.obj != nil && a.obj.writes {
		c.storeFile(k.n, literal(a.obj.target), value{sources: k.recv.sources})
	} else if strings.HasSuffix(a.name, ".stdin") || strings.HasSuffix(k.name, ".stdout.pipe") {
		c.checkReverseShell(k.n, k.allSources())
	}
	return out
}

// isURL reports whether a string looks like a URL, judging by its beginning.
func isURL(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	return ok && len(scheme) < 12 && !strings.ContainsAny(scheme, " /.")
}

// checkTLSOptions adds a signal for each argument that disables certificate checks.
func (c *reader) checkTLSOptions(k *call) {
	for _, a := range k.keys {
		off := strings.EqualFold(a.name, "false")
		on := strings.EqualFold(a.name, "true")
		if off && wordIs(a.key, "check") || on && wordIs(a.key, "no-check") {
			c.addSignal(signal.Weaken, k.n, c.excerpt(k.n), "", "tls")
		}
	}
}

// checkReverseShell adds a signal if the sources include a network connection: a shell that is
// attached to a connection gives the other end control of the machine.
func (c *reader) checkReverseShell(n *node, list []source) {
	for _, s := range list {
		if s.kind == peer {
			c.addSignal(signal.Connect, n, c.excerpt(n), s.name, append(slices.Clone(s.tags), "shell")...)
			return
		}
	}
}
