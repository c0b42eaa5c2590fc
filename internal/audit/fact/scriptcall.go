package fact

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/script"
)

// called is a call with what is known of it.
type called struct {
	n *script.Node
	s *scope
	// name is that of the function, recv what stands before its last dot.
	name string
	recv value
	args []value
	// nodes are the expressions of the arguments.
	nodes []*script.Node
	keys  []keyed
}

// arg is an argument by its number or name.
func (k *called) arg(i int, names ...string) value {
	for _, name := range names {
		for j := range k.keys {
			if k.keys[j].key == name {
				return k.keys[j].value
			}
		}
	}
	if i >= 0 && i < len(k.args) {
		return k.args[i]
	}
	return value{}
}

// owner is the expression that a method is called on; nil where there is none.
func (k *called) owner() *script.Node {
	if f := k.n.Kids[0]; f.Op == script.Attr {
		return f.Kids[0]
	}
	return nil
}

// maxArgs bounds the arguments of one call.
const maxArgs = 400

func (c *codeReader) call(n *script.Node, s *scope) value {
	k := called{n: n, s: s}
	callee := n.Kids[0]
	var f value
	if callee.Op == script.Attr {
		k.recv = c.eval(callee.Kids[0], s)
		f = c.attribute(k.recv, callee.Text, callee)
	} else {
		f = c.eval(callee, s)
	}
	k.name = f.name
	for i, a := range n.Kids[1:] {
		if i >= maxArgs {
			break
		}
		v := c.eval(a, s)
		switch {
		case a.Op == script.Keyword:
			k.keys = append(k.keys, keyed{a.Text, v})
			continue
		case a.Op == script.Spread && v.codes == nil && len(v.items) > 0:
			k.args = append(k.args, v.items...)
			for range v.items {
				k.nodes = append(k.nodes, a)
			}
			continue
		case a.Op == script.Spread && len(v.keys) > 0:
			k.keys = append(k.keys, v.keys...)
		}
		k.args = append(k.args, v)
		k.nodes = append(k.nodes, a)
	}
	if callee.Op == script.Attr {
		switch callee.Text {
		case "call", "apply", "bind":
			if does, _ := effectOf(c.lang, k.recv.name); does != NoEffect && c.lang == script.JavaScript {
				k.name = k.recv.name
				if len(k.args) > 0 {
					k.args, k.nodes = k.args[1:], k.nodes[1:]
				}
				if callee.Text == "apply" && len(k.args) == 1 && len(k.args[0].items) > 0 {
					k.args = k.args[0].items
					k.nodes = make([]*script.Node, len(k.args))
					for i := range k.nodes {
						k.nodes[i] = n
					}
				}
				if callee.Text == "bind" {
					return k.recv
				}
			}
		}
	}
	if v, ok := c.reflected(&k); ok {
		return v
	}
	does, how := effectOf(c.lang, k.name)
	if does != NoEffect {
		c.effects++
	}
	if f.fn != nil {
		return c.local(f.fn, &k, 0)
	}
	if does == NoEffect {
		if _, last := cutLast(k.name); callee.Op == script.Attr && c.methods[last] != nil && c.own(&k) {
			fn := c.methods[last]
			off := 0
			if len(fn.Params) > 0 && (fn.Params[0].Name == "self" || fn.Params[0].Name == "cls") {
				off = 1
			}
			return c.local(fn, &k, off)
		}
		does, how = c.byShape(&k)
	}
	if does != NoEffect {
		if v, ok := c.effect(&k, does, how); ok {
			return v
		}
	}
	return c.passThrough(&k)
}

// own reports whether what a method is called on may be of a class of the file.
func (c *codeReader) own(k *called) bool {
	root, _, dotted := strings.Cut(k.recv.name, ".")
	return k.recv.name == "" || root == "self" || root == "this" || root == "?" || !dotted
}

// reflected are calls that give a module, an attribute or all names.
func (c *codeReader) reflected(k *called) (value, bool) {
	a := k.arg(0)
	switch k.name {
	case "getattr", "Reflect.get", "hasattr":
		if b := k.arg(1); b.plain() {
			return c.attribute(a, b.text, k.n), true
		}
	case "globals", "locals", "vars":
		if len(k.args) == 0 {
			return value{name: rootName}, true
		}
		return a, true
	case "__import__", "importlib.import_module", "importlib.__import__":
		if a.plain() && a.text != "" {
			return value{name: a.text}, true
		}
	case "require", "import":
		if c.lang == script.JavaScript && a.plain() && a.text != "" {
			name := strings.TrimSuffix(strings.TrimPrefix(a.text, "node:"), "/promises")
			if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/") {
				c.ran(k, a)
			}
			return value{name: name}, true
		}
	case "util.promisify", "functools.partial", "asyncio.to_thread", "promisify":
		if a.name != "" && len(k.args) == 1 {
			return a, true
		}
	case "Function", "Reflect.construct":
		if a.plain() && a.text == "return this" {
			return value{name: "<this>"}, true
		}
	case "<this>":
		return value{name: rootName}, true
	case "operator.attrgetter":
		return value{}, false
	}
	return value{}, false
}

// local is a call of a function of the same file.
func (c *codeReader) local(fn *script.Func, k *called, off int) value {
	s := c.scopes[fn]
	for i, a := range k.args {
		if i+off < len(s.args) {
			c.give(s, i+off, a)
		}
	}
	for _, a := range k.keys {
		for i := range fn.Params {
			if fn.Params[i].Name == a.key {
				c.give(s, i, a.value)
			}
		}
	}
	v := s.before
	if !v.known && v.name == "" && v.fn == nil && len(v.taints) == 0 {
		v = s.gives
	}
	return v
}

// give adds what an argument may be.
func (c *codeReader) give(s *scope, i int, v value) {
	if s.size > 4096 {
		return
	}
	s.size++
	old := s.args[i]
	if old.known && v.known && old.text == v.text {
		old.carry(v.taints)
		s.args[i] = old
		return
	}
	s.args[i] = either(old, v)
}

// callbacks give the functions among the arguments a value, and return what they give.
func (c *codeReader) callbacks(k *called, v value) value {
	var out value
	for i := range k.args {
		fn := k.args[i].fn
		if fn == nil {
			continue
		}
		s := c.scopes[fn]
		for j := range s.args {
			c.give(s, j, v)
		}
		out = either(out, s.gives)
		out = either(out, s.before)
	}
	return out
}

// byShape tells calls of clients that came from elsewhere: x.post("https://…", …).
func (c *codeReader) byShape(k *called) (Effect, string) {
	a := k.arg(0, "url")
	if !strings.HasPrefix(a.text, "http") {
		return NoEffect, ""
	}
	c.effects++
	switch _, last := cutLast(k.name); last {
	case "get", "fetch", "urlopen", "download":
		return Fetch, "net"
	case "post", "put", "patch", "request", "upload", "send", "post_json", "sendBeacon":
		return Send, "net"
	}
	return NoEffect, ""
}

// passThrough is what a call gives of which nothing is known but what it gets.
func (c *codeReader) passThrough(k *called) value {
	if v, ok := c.transform(k); ok {
		return v
	}
	var in, out value
	in.carry(k.recv.all())
	for i := range k.args {
		in.carry(k.args[i].all())
	}
	switch _, last := cutLast(k.name); last {
	case "get", "pop":
		if a := k.arg(0); a.plain() && len(a.text) > 0 {
			in.taints = pick(c.one(in.taints, a.text+" "))
		}
	case "substitute", "safe_substitute", "format_map", "expandvars", "render":
		// Variables that a text names, not all of them.
		in.taints = c.one(in.taints, " ")
	}
	for i := range k.keys {
		part := ""
		if headerKey(k.keys[i].key) {
			part = "header"
		}
		in.carry(parted(k.keys[i].all(), part))
	}
	c.changes(k)
	c.piped(k)
	fns := false
	for i := range k.args {
		fns = fns || k.args[i].fn != nil
	}
	if fns {
		back := c.callbacks(k, value{taints: in.taints, text: k.recv.text, known: k.recv.known})
		in.carry(back.all())
	}
	if tellsNothing(k.name) {
		return value{}
	}
	out.taints = in.taints
	if encodes(k) {
		out.carry([]taint{{does: NoEffect, start: k.n.Start, end: k.n.End, what: "encoded"}})
	}
	out.obj = k.recv.obj
	if k.name != "" && len(k.name) < 200 && !strings.HasPrefix(k.name, "?.") {
		out.name = k.name + "()"
	}
	switch {
	case out.name == "socket.socket()" || out.name == "net.Socket()":
		out.obj = &object{}
		out.carry([]taint{{does: Connect, start: k.n.Start, end: k.n.End}})
	case strings.HasPrefix(k.name, "http.client.") || strings.HasPrefix(k.name, "smtplib.") || strings.HasPrefix(k.name, "ftplib.") || strings.HasPrefix(k.name, "httplib."):
		if a := k.arg(0, "host"); a.known && out.obj == nil {
			out.obj = &object{where: a.text}
		}
	case strings.HasSuffix(k.name, ".Request") || k.name == "Request" || k.name == "URL":
		a := k.arg(0, "url")
		out.text, out.known = a.text, a.known
	}
	return out
}

// encodes reports whether a call encodes what it gets: what is decoded of that later
// on stands here in the clear.
func encodes(k *called) bool {
	switch _, last := cutLast(k.name); last {
	case "b64encode", "standard_b64encode", "urlsafe_b64encode", "btoa", "hexlify", "encodebytes", "b2a_base64":
		return true
	case "toString":
		a := k.arg(0).text
		return a == "base64" || a == "hex" || a == "base64url"
	}
	return false
}

func headerKey(key string) bool {
	switch strings.ToLower(key) {
	case "headers", "auth", "cookies", "authorization", "x-api-key", "api_key", "apikey", "api-key", "token", "access_token", "cert", "bearer":
		return true
	}
	return false
}

// changes puts the arguments into what a method changes.
func (c *codeReader) changes(k *called) {
	callee := k.n.Kids[0]
	_, last := cutLast(k.name)
	switch last {
	case "append", "extend", "update", "add", "push", "insert", "set", "unshift", "setdefault", "setHeader", "add_header", "putheader", "write", "writestr", "attach", "appendleft", "end", "set_content", "setRequestHeader", "writelines":
	case "assign":
		if len(k.nodes) > 1 {
			var v value
			for i := range k.args[1:] {
				v.carry(k.args[i+1].all())
			}
			c.addTo(k.nodes[0], "", v, k.s)
		}
		return
	default:
		return
	}
	if callee.Op != script.Attr {
		return
	}
	var v value
	for i := range k.args {
		v.carry(k.args[i].all())
	}
	if len(k.args) == 1 {
		v.text, v.known = k.args[0].text, k.args[0].known
	}
	if k.recv.obj != nil && k.recv.obj.writes {
		c.wrote(k.recv.obj.where, v.taints)
		return
	}
	if last == "setHeader" || last == "add_header" || last == "putheader" || last == "setRequestHeader" {
		v.taints = parted(v.taints, "header")
	}
	if len(v.taints) > 0 || v.known {
		c.addTo(callee.Kids[0], "", v, k.s)
	}
}

// piped finds connections that are joined to the streams of a program.
func (c *codeReader) piped(k *called) {
	if _, last := cutLast(k.name); last != "pipe" {
		return
	}
	a := k.arg(0)
	switch {
	case strings.HasSuffix(a.name, ".stdin"):
		c.binds(k, k.recv)
	case strings.HasSuffix(k.recv.name, ".stdout"):
		c.binds(k, a)
	}
}

// wrote notes what was written to a path.
func (c *codeReader) wrote(where string, list []taint) {
	if len(where) < 2 || where == unknown || len(c.files) >= 64 || len(list) == 0 {
		return
	}
	var v value
	v.carry(c.files[where])
	v.carry(list)
	c.files[where] = v.taints
}
