package code

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

// called is one call.
type called struct {
	n     *node
	name  string
	recv  value
	args  []value
	nodes []*node
	keys  []keyed
	row   *row
	s     *scope
}

// arg returns the argument of a number, or of one of some names. Negative numbers count from
// the end.
func (k *called) arg(i int, keys ...string) value {
	for _, key := range keys {
		for j := range k.keys {
			if strings.EqualFold(k.keys[j].key, key) {
				return k.keys[j].value
			}
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

// node is the expression of an argument; nil if it has none.
func (k *called) node(i int) *node {
	if i >= 0 && i < len(k.nodes) {
		return k.nodes[i]
	}
	return nil
}

// in is what a call without a known effect takes from: what it is called on and its arguments.
func (k *called) in() []source {
	var v value
	v.carry(k.recv.all())
	for i := range k.args {
		v.carry(k.args[i].all())
	}
	for i := range k.keys {
		from := k.keys[i].all()
		if loginKey(k.keys[i].key) {
			from = headers(from)
		}
		v.carry(from)
	}
	return v.from
}

// headerKey reports whether a key is that of a login.
func headerKey(key string) bool { return wordIs(key, "header") }

// loginKey reports whether an argument with a name is a login of a client.
func loginKey(key string) bool { return wordIs(key, "header") || wordIs(key, "login") }

// headers marks what is sent as a login.
func headers(list []source) []source {
	out := slices.Clone(list)
	for i := range out {
		out[i].header = true
	}
	return out
}

func (c *reader) call(n *node, s *scope) value {
	k := &called{n: n, s: s}
	callee := n.kids[0]
	var f value
	switch callee.op {
	case opAttr:
		k.recv = c.eval(callee.kids[0], s)
		f = c.attr(k.recv, callee.text, callee)
		if f.fn == nil && f.name == "" {
			f.name = join(k.recv.name, callee.text)
		}
	case opIndex:
		k.recv = c.eval(callee.kids[0], s)
		f = c.index(callee, s)
	default:
		f = c.eval(callee, s)
	}
	k.name = f.name
	c.arguments(k, n.kids[1:])
	if text, ok := f.plain(); ok && (c.name == "php" || c.name == "pl") && f.name == "" {
		k.name = text
		c.hidesName(n, f, text)
	}
	if callee.op == opCall || callee.op == opIndex && f.name == "" {
		// What a call gives is called: the name is that of the call.
		if f.fn == nil && len(f.texts) == 0 && strings.HasSuffix(f.name, "constructor") {
			return value{}
		}
	}
	return c.resolve(k, f)
}

// arguments evaluates the arguments of a call.
func (c *reader) arguments(k *called, list []*node) {
	for i, a := range list {
		if i > maxItems {
			return
		}
		switch {
		case a.op == opAssign && a.kids[0].op == opName && a.text == "=":
			v := c.eval(a.kids[1], k.s)
			k.keys = append(k.keys, keyed{a.kids[0].text, v})
			continue
		case a.op == opPair:
			v := c.eval(a, k.s)
			if len(v.keys) > 0 {
				k.keys = append(k.keys, v.keys...)
				continue
			}
		}
		v := c.eval(a, k.s)
		switch {
		case a.op == opSpread && len(v.items) > 0:
			k.args = append(k.args, v.items...)
			for range v.items {
				k.nodes = append(k.nodes, a)
			}
			continue
		case a.op == opSpread && len(v.keys) > 0:
			k.keys = append(k.keys, v.keys...)
		}
		k.args, k.nodes = append(k.args, v), append(k.nodes, a)
	}
}

// resolve finds out what is called, through what calls other functions, and calls it.
func (c *reader) resolve(k *called, f value) value {
	if c.name == "swift" && len(k.keys) > 0 && len(k.args) == 0 {
		k.name += "(" + k.keys[0].key + ")"
	}
	for range 3 {
		if k.row = c.calls.find(k.name); k.row == nil {
			break
		}
		again, v := c.redirect(k, &f)
		if v != nil {
			return *v
		}
		if !again {
			break
		}
	}
	if f.fn != nil {
		return c.local(f.fn, k)
	}
	_, last, _ := cutLast(k.name)
	if list := c.funcs[last]; len(list) > 0 && (k.row == nil || k.name[0] == '?' || isOwn(k.recv.name)) && c.own(k) {
		var v value
		for _, fn := range list {
			v = either(v, c.local(fn, k))
		}
		return v
	}
	if r := c.clientCall(k); r != nil {
		k.row = r
	}
	if k.row == nil {
		return c.pass(k)
	}
	return c.effect(k)
}

// isOwn reports whether a name stands for the object that a method belongs to.
func isOwn(name string) bool { return name == "self" || name == "this" || name == "cls" }

// redirect changes a call that calls something else, by its name or with other arguments: getattr,
// send, call_user_func, partial. It reports whether there is another call to look at, or gives the
// value of this one.
func (c *reader) redirect(k *called, f *value) (bool, *value) {
	name := k.arg(0)
	text, plain := name.plain()
	owner := k.recv
	switch k.row.does {
	case "bind":
		v, done := c.bindCall(k)
		if *f = v; done {
			return false, f
		}
		return true, nil
	case "attr":
		owner, name = name, k.arg(1)
		if text, plain = name.plain(); !plain {
			return false, &value{from: k.in()}
		}
		v := c.attr(owner, text, k.n)
		c.hidesName(k.n, name, v.name)
		return false, &v
	case "method":
		if !plain {
			return false, nil
		}
		if r := c.calls.find(owner.name); owner.name != "" && (r == nil || r.does != "root") {
			text = join(owner.name, text)
		}
		c.hidesName(k.n, value{built: true}, text)
	case "callee":
		if !plain {
			return false, nil
		}
	default:
		return false, nil
	}
	k.name = text
	k.args, k.nodes = k.args[1:], k.nodes[1:]
	if len(k.args) == 0 {
		return false, &value{name: text}
	}
	return true, nil
}

// bindCall undoes f.call(this, x), f.apply(this, [x]) and partial(f, x). The value is the
// result if nothing is called.
func (c *reader) bindCall(k *called) (value, bool) {
	before, last, _ := cutLast(k.name)
	var f value
	switch {
	case last == "call" || last == "apply" || last == "bind":
		f, k.name = k.recv, before
		if len(k.args) > 0 {
			k.args, k.nodes = k.args[1:], k.nodes[1:]
		}
		if last == "apply" && len(k.args) == 1 && len(k.args[0].items) > 0 {
			k.args = k.args[0].items
			k.nodes = slices.Repeat([]*node{k.n}, len(k.args))
		}
		if last == "bind" {
			return f, true
		}
	default:
		f = k.arg(0, "target")
		k.name = f.name
		if len(k.args) > 0 {
			k.args, k.nodes = k.args[1:], k.nodes[1:]
		}
		if rest := k.arg(-9, "args"); len(rest.items) > 0 {
			k.args, k.nodes, k.keys = rest.items, slices.Repeat([]*node{k.n}, len(rest.items)), nil
		}
		if len(k.args) == 0 && last != "Thread" && last != "Process" {
			return f, true
		}
	}
	return f, k.name == "" && f.fn == nil
}

func cutLast(name string) (before, last string, ok bool) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return "", name, false
	}
	return name[:i], name[i+1:], true
}

// own reports whether what a method is called on may be of a class of the code.
func (c *reader) own(k *called) bool {
	root, _, _ := strings.Cut(k.name, ".")
	switch {
	case root == "?", root == k.name, isOwn(root), c.funcs[root] != nil:
		return true
	}
	return root != "" && root[0] >= 'A' && root[0] <= 'Z' && len(k.recv.from) == 0
}

// clientCall tells methods of clients of the network: requests.post, session.get.
func (c *reader) clientCall(k *called) *row {
	before, last, ok := cutLast(k.name)
	if !ok {
		return nil
	}
	if r := c.calls.find(before); r == nil || r.does != "client" {
		return nil
	}
	switch strings.ToLower(last) {
	case "get", "head", "options", "stream", "download", "mirror":
		return &row{does: "fetch"}
	case "post", "put", "patch", "delete", "request", "urlopen", "send", "open", "execute", "upload", "post_form", "post_async":
		return &row{does: "send"}
	}
	return nil
}

// local is a call of a function of the code.
func (c *reader) local(fn *function, k *called) value {
	s := c.scopeOf(fn)
	params := fn.params
	shift := 0
	if len(params) > 0 && params[0].op == opName && (params[0].text == "self" || params[0].text == "cls") {
		shift = 1
	}
	for i := range k.args {
		v := k.args[i]
		if i+shift < len(params) && params[i+shift].op == opSpread {
			v = value{}
			v.push(k.args[i:]...)
		}
		s.pass(c, i+shift, v)
	}
	for i := range k.keys {
		for j, p := range params {
			if p.op == opAssign || p.op == opPair {
				p = p.kids[0]
			}
			if p.op == opName && p.text == k.keys[i].key {
				s.pass(c, j, k.keys[i].value)
			}
		}
	}
	return s.gives
}

// scopeOf is the scope of a function.
func (c *reader) scopeOf(f *function) *scope {
	s := c.scopes[f]
	if s == nil {
		s = &scope{params: make([]value, len(f.params))}
		c.scopes[f] = s
	}
	return s
}

// pass adds what an argument may be.
func (s *scope) pass(c *reader, i int, v value) {
	if i < len(s.params) {
		c.grow(&s.params[i], v)
	} else if len(s.params) == 0 {
		c.grow(&s.vars0, v)
	}
}

// callbacks pass a value to the functions among the arguments, and return what they give.
func (c *reader) callbacks(k *called, v value) value {
	var out value
	for i := range k.args {
		fn := k.args[i].fn
		if fn == nil {
			continue
		}
		s := c.scopeOf(fn)
		for j := range max(1, len(fn.params)) {
			s.pass(c, j, v)
		}
		out = either(out, s.gives)
	}
	return out
}

// pass is what a call gives of which nothing is known but what it gets.
func (c *reader) pass(k *called) value {
	in := k.in()
	out := value{obj: k.recv.obj, url: k.recv.url, name: k.name}
	if len(out.name) > 160 {
		out.name = "?"
	}
	c.options(k)
	back := c.callbacks(k, value{from: in, texts: k.recv.texts, items: k.recv.items, deep: k.recv.deep, depth: k.recv.depth})
	for i := range k.args {
		if out.url == "" {
			out.url = k.args[i].url
		}
		if t := k.args[i].texts; out.url == "" && len(t) > 0 && isURL(t[0]) {
			out.url = t[0]
		}
		if out.obj == nil {
			out.obj = k.args[i].obj
		}
		if len(k.args) == 1 && k.node(0) != nil && k.node(0).op == opBrace && len(k.recv.from) == 0 {
			out.push(k.args[i].items...)
			for _, key := range k.args[i].keys {
				out.set(key.key, key.value)
			}
		}
	}
	for i := range k.keys {
		out.set(k.keys[i].key, k.keys[i].value)
	}
	out.carry(in)
	out.carry(back.from)
	if len(back.texts) > 0 {
		out.texts = back.texts
	}
	if _, last, _ := cutLast(k.name); last == "pipe" {
		c.piped(k)
	}
	return out
}

// isURL reports whether a text begins like a URL.
func isURL(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	return ok && len(scheme) < 12 && !strings.ContainsAny(scheme, " /.")
}

// options finds protection that the keys of a call switch off.
func (c *reader) options(k *called) {
	check := func(list []keyed) {
		for i := range list {
			v := &list[i].value
			t, _ := v.plain()
			off := strings.EqualFold(v.name, "false") || t == "0" || strings.HasSuffix(v.name, "_NONE")
			on := strings.EqualFold(v.name, "true")
			switch list[i].key {
			case "verify", "rejectUnauthorized", "verify_ssl", "check_hostname", "strictSSL", "ssl_verify":
				if off {
					c.add(signal.Weaken, k.n, c.excerpt(k.n), "", "tls")
				}
			case "InsecureSkipVerify", "danger_accept_invalid_certs", "insecure":
				if on {
					c.add(signal.Weaken, k.n, c.excerpt(k.n), "", "tls")
				}
			}
		}
	}
	check(k.keys)
	for i := range k.args {
		check(k.args[i].keys)
	}
}

// piped finds connections that are joined to the streams of a program.
func (c *reader) piped(k *called) {
	a := k.arg(0)
	if a.obj != nil && a.obj.file && a.obj.writes {
		c.stores(k.n, literal(a.obj.target), value{from: k.recv.all()})
	}
	if strings.HasSuffix(a.name, ".stdin") && k.recv.has(peer) || strings.HasSuffix(k.recv.name, ".stdout") && a.has(peer) {
		c.joined(k.n, append(k.recv.all(), a.all()...))
	}
}

// joined adds the signal of a shell that is joined to a connection.
func (c *reader) joined(n *node, list []source) {
	for _, s := range list {
		if s.what == peer {
			c.add(signal.Connect, n, c.excerpt(n), s.name, append(slices.Clone(s.tags), "shell")...)
			return
		}
	}
}
