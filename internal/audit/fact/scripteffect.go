package fact

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/script"
)

// effect takes the facts of a call that does something, and says what it gives; false
// where it gives what its arguments are.
func (c *codeReader) effect(k *called, does Effect, how string) (value, bool) {
	a := k.arg(0)
	switch does {
	case Evaluate:
		return c.evaluates(k, how)
	case LoadCode:
		c.fact(k, does)
		for i := range k.args {
			list := k.args[i].all()
			if how == "pickle" {
				// Objects are kept in encodings for good reasons; not in the code itself.
				list = slices.DeleteFunc(slices.Clone(list), func(t taint) bool { return t.does == DecodeData && !t.literal })
			}
			if how == "pickle" || i == len(k.args)-1 || !k.args[i].known {
				c.flows(k, list, LoadCode, shown(k.args[i].text), how)
			}
			c.ran(k, k.args[i])
		}
		return value{}, true
	case RunShell, RunProgram:
		return c.runs(k, does), true
	case Fetch, Send:
		return c.network(k, does, how), true
	case Connect:
		c.fact(k, does)
		where := address(k)
		if k.recv.obj != nil {
			k.recv.obj.where = where
		}
		return value{name: k.name + "()", obj: &object{where: where}, taints: []taint{{does: Connect, start: k.n.Start, end: k.n.End, what: where}}}, true
	case Listen:
		c.fact(k, does)
	case Bind:
		// A number that does not show is that of a loop over the streams.
		if b := k.arg(1); !b.known || b.num && len(b.text) == 1 && b.text <= "2" {
			c.binds(k, a)
		}
		return value{}, true
	case DecodeData:
		if k.name == "codecs.decode" || k.name == "codecs.encode" || k.name == "codecs.getdecoder" {
			switch enc := strings.ReplaceAll(k.arg(1, "encoding").text, "_", ""); enc {
			case "hex", "base64", "rot13", "zlib", "bz2":
				how = enc
			default:
				return value{}, false
			}
		}
		if how == "char codes" {
			return c.charCodes(k), true
		}
		c.fact(k, does)
		in := a
		if !a.known && a.codes == nil {
			in.carry(k.recv.all())
			for i := range k.args {
				in.carry(k.args[i].all())
			}
		}
		return c.decode(k, how, in), true
	case ReadEnv:
		if name := a; name.plain() && len(a.items) == 0 {
			v := c.variable(name.text, k.n)
			v.carry(k.arg(1).all())
			return v, true
		}
		var out value
		for _, t := range a.texts() {
			if !strings.Contains(t, unknown) {
				one := c.variable(t, k.n)
				out.carry(one.taints)
			}
		}
		if len(out.taints) == 0 {
			out.taints = []taint{{does: ReadEnv, start: k.n.Start, end: k.n.End}}
		}
		return out, true
	case ReadAllEnv:
		return value{taints: []taint{{does: ReadAllEnv, start: k.n.Start, end: k.n.End}}}, true
	case ReadSecret:
		c.fact(k, does)
		return value{taints: []taint{{does: ReadSecret, start: k.n.Start, end: k.n.End, what: k.name, class: secretCall(k.name)}}}, true
	case ReadFile:
		return c.reads(k, how)
	case WriteFile:
		return c.writes(k, how), true
	case RemoveTree:
		c.fact(k, does)
		return value{}, true
	}
	return value{}, false
}

// binds notes that the streams of a program are joined to a connection, if that is what
// a value is.
func (c *codeReader) binds(k *called, v value) {
	if list := only(v.all(), Connect); len(list) > 0 {
		c.fact(k, Bind)
		c.flows(k, list, Bind, where(v), "")
	}
}

// secretCall is the class of what a function gives that reads secrets.
func secretCall(name string) PathClass {
	if strings.Contains(name, "cookie") {
		return Browser
	}
	return Credential
}

func (c *codeReader) charCodes(k *called) value {
	var out value
	var b strings.Builder
	plain := len(k.args) > 0
	for i := range k.args {
		out.carry(k.args[i].all())
		switch v := &k.args[i]; {
		case v.codes != nil:
			b.Write(v.codes)
		case v.num:
			one, _ := decodedCode(v.text)
			b.WriteString(one)
		default:
			plain = false
		}
	}
	if plain && c.fold(b.Len()) {
		out.text, out.known = b.String(), true
	}
	out.carry([]taint{{does: DecodeData, start: k.n.Start, end: k.n.End, what: "char codes", literal: plain}})
	return out
}

func decodedCode(s string) (string, bool) {
	v := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' || v > 0x10FFFF {
			return "", false
		}
		v = v*10 + int(s[i]-'0')
	}
	return string(rune(v)), true
}

// evaluates is a call that runs text as code.
func (c *codeReader) evaluates(k *called, how string) (value, bool) {
	if len(k.args) == 0 {
		return value{}, true
	}
	a := k.args[0]
	if k.name == "Function" || strings.HasSuffix(k.name, ".constructor") || k.name == "ctypes.memmove" || strings.HasSuffix(k.name, "RtlMoveMemory") || strings.HasSuffix(k.name, "WriteProcessMemory") {
		a = value{}
		for i := range k.args {
			a.carry(k.args[i].all())
		}
		last := k.args[len(k.args)-1]
		a.text, a.known = last.text, last.known
	}
	if a.fn != nil && (k.name == "setTimeout" || k.name == "setInterval") {
		return value{taints: c.callbacks(k, value{}).taints}, true
	}
	c.fact(k, Evaluate)
	c.flows(k, a.all(), Evaluate, "", how)
	c.ran(k, a)
	if c.last && a.plain() && len(a.text) >= 12 && !a.num {
		c.inner(k, a.text, a.has(DecodeData))
	}
	out := value{taints: a.all()}
	if k.name == "Function" {
		out.name = "<function>"
	}
	return out, true
}

// inner looks at text that is run as code.
func (c *codeReader) inner(k *called, src string, packed bool) {
	if c.level >= maxDepth {
		c.f.miss(c.r.File, MissedPacked, "code in code, too deep")
		return
	}
	r := *c.r
	r.Packed = r.Packed || packed
	at := c.place(k.n.Start, k.n.End)
	r.Text = src
	c.f.code(&r, src, c.lang, &at, c.level+1)
}

// reads is a call that reads a file, or opens it.
func (c *codeReader) reads(k *called, how string) (value, bool) {
	target := k.arg(0, "file", "path", "filename")
	node := c.node(k, 0)
	switch how {
	case "method":
		target = k.recv
		node = k.owner()
	case "open":
		mode := k.arg(1, "mode").text
		if k.name == "pathlib.Path.open" {
			mode, target = k.arg(0, "mode").text, k.recv
		}
		if strings.ContainsAny(mode, "wax") && len(mode) <= 4 {
			c.fact(k, WriteFile)
			return value{name: "open()", obj: &object{where: c.pathKey(target, node), writes: true}}, true
		}
	case "copy":
		v := c.fromFile(k, target, node)
		to := k.arg(1, "dst")
		c.wrote(c.pathKey(to, c.node(k, 1)), v.taints)
		return value{}, true
	}
	if !target.known && len(target.items) == 0 && target.has(Fetch) && how == "open" {
		return value{taints: target.taints}, true
	}
	c.fact(k, ReadFile)
	v := c.fromFile(k, target, node)
	if how == "open" {
		v.name = "open()"
	}
	if back := c.callbacks(k, v); len(back.taints) > 0 {
		v.carry(back.taints)
	}
	return v, true
}

func (c *codeReader) node(k *called, i int) *script.Node {
	if i < len(k.nodes) {
		return k.nodes[i]
	}
	return nil
}

// pathKey is under what a path is kept: its text, or the name that it has here.
func (c *codeReader) pathKey(v value, n *script.Node) string {
	if v.known && strings.Trim(v.text, unknown+"/. ") != "" {
		return v.text
	}
	for n != nil && (n.Op == script.Keyword || n.Op == script.Call && len(n.Kids) == 2) {
		n = n.Kids[len(n.Kids)-1]
	}
	if n != nil && (n.Op == script.Ident || n.Op == script.Attr) {
		return "$" + n.Text
	}
	return ""
}

// fromFile is what stands in a file.
func (c *codeReader) fromFile(k *called, target value, node *script.Node) value {
	t := taint{does: ReadFile, start: k.n.Start, end: k.n.End, what: shown(target.text)}
	for _, p := range target.texts() {
		if class, _ := ClassOf(p); class != "" {
			t.what, t.class = shown(p), class
			if class.Secret() {
				t.does = ReadSecret
				break
			}
		}
	}
	if target.known || t.class != "" {
		c.path1(k.n, t)
	}
	v := value{taints: []taint{t}}
	if key := c.pathKey(target, node); key != "" {
		v.carry(c.files[key])
	}
	v.carry(without(target.taints, Connect))
	return v
}

// path1 adds the path that is read to the facts, where it is of a class.
func (c *codeReader) path1(n *script.Node, t taint) {
	if !c.last || t.class == "" || len(c.f.Paths) >= maxFacts || !c.once(n, ReadFile, NoEffect, t.what, "path") {
		return
	}
	c.f.Paths = append(c.f.Paths, Path{Place: c.place(n.Start, n.End), Standing: c.standing(n.Start), Text: t.what, Access: Reads, Class: t.class})
}

func (c *codeReader) writes(k *called, how string) value {
	c.fact(k, WriteFile)
	switch how {
	case "method":
		c.wrote(c.pathKey(k.recv, k.owner()), k.arg(0).all())
	case "open":
		return value{name: "open()", obj: &object{where: c.pathKey(k.arg(0), c.node(k, 0)), writes: true}}
	default:
		c.wrote(c.pathKey(k.arg(0), c.node(k, 0)), k.arg(1).all())
	}
	return value{}
}

// once reports whether a fact is new.
func (c *codeReader) once(n *script.Node, from, to Effect, what, name string) bool {
	key := seenKey{n.Start, n.End, from, to, what, name}
	if c.seen[key] {
		return false
	}
	c.seen[key] = true
	return true
}

// fact adds a call to the facts.
func (c *codeReader) fact(k *called, does Effect) {
	if !c.last || len(c.f.Calls) >= maxFacts || !c.once(k.n, does, NoEffect, "", k.name) {
		return
	}
	call := Call{Place: c.place(k.n.Start, k.n.End), Standing: c.standing(k.n.Start), Name: strings.ReplaceAll(k.name, "()", ""), Does: does}
	for i := range k.args {
		if i >= 8 {
			break
		}
		t := ""
		if k.args[i].known {
			t = shown(k.args[i].text)
		}
		call.Args = append(call.Args, t)
	}
	c.f.Calls = append(c.f.Calls, call)
}

// flows adds the flows of what a value comes from into an effect.
func (c *codeReader) flows(k *called, list []taint, to Effect, where, part string) {
	if !c.last {
		return
	}
	for _, t := range list {
		if len(c.f.Flows) >= maxFacts {
			return
		}
		if t.does == NoEffect {
			continue
		}
		p := part
		if t.part != "" {
			p = t.part
		}
		if !c.once(k.n, t.does, to, t.what, p+"\x00"+where) {
			continue
		}
		c.f.Flows = append(c.f.Flows, Flow{
			From: t.does, To: to, At: c.place(k.n.Start, k.n.End), Source: c.place(t.start, t.end), Standing: c.standing(k.n.Start), What: t.what, Where: where,
			Class: t.class, Sink: strings.ReplaceAll(k.name, "()", ""), Part: p, Picked: t.picked, Literal: t.literal,
		})
	}
}
