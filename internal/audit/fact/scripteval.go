package fact

import (
	"strconv"
	"strings"

	"github.com/vadehq/vade/internal/audit/script"
)

// eval says what is known of an expression.
func (c *codeReader) eval(n *script.Node, s *scope) value {
	switch n.Op {
	case script.Const:
		return text(n.Text)
	case script.Num:
		return value{text: n.Text, known: true, num: true}
	case script.Ident:
		return c.ident(n, s)
	case script.Attr:
		return c.attribute(c.eval(n.Kids[0], s), n.Text, n)
	case script.Index:
		return c.index(n, s)
	case script.Call:
		return c.call(n, s)
	case script.Keyword, script.Spread:
		return c.eval(n.Kids[0], s)
	case script.Binary:
		return c.binary(n, s)
	case script.Compare, script.Sieve:
		for _, k := range n.Kids {
			c.eval(k, s)
		}
	case script.Either:
		out := c.eval(n.Kids[0], s)
		for _, k := range n.Kids[1:] {
			out = either(out, c.eval(k, s))
		}
		return out
	case script.List:
		return c.list(n, s)
	case script.Dict:
		return c.dict(n, s)
	case script.Joined:
		parts := make([]value, len(n.Kids))
		for i, k := range n.Kids {
			parts[i] = c.eval(k, s)
		}
		return c.join(parts...)
	case script.Assign:
		v := c.eval(n.Kids[1], s)
		if n.Text == "+" && n.Kids[0].Op == script.Ident {
			c.bind(n.Kids[0].Text, v, s, &script.Stmt{Kind: script.Add})
		} else {
			c.assign(n.Kids[0], v, s, nil)
		}
		return v
	case script.Comp:
		for i := 1; i < len(n.Kids); i++ {
			if n.Kids[i].Op == script.Sieve {
				c.eval(n.Kids[i], s)
				continue
			}
			if i+1 < len(n.Kids) {
				v := item(c.eval(n.Kids[i+1], s))
				for _, t := range n.Kids[i].Kids {
					tv := v
					if len(n.Kids[i].Kids) > 1 {
						tv = value{taints: v.all()}
					}
					c.bind(t.Text, tv, s, nil)
				}
				i++
			}
		}
		v := c.eval(n.Kids[0], s)
		return value{taints: v.all()}
	case script.Lambda:
		return value{fn: n.Func}
	}
	return value{}
}

// ident is what a name stands for: a variable, a module, or what is there by itself.
func (c *codeReader) ident(n *script.Node, s *scope) value {
	if v, ok := c.lookup(n.Text, s); ok {
		return c.source(v, n)
	}
	name := n.Text
	if c.lang == script.JavaScript {
		switch name {
		case "globalThis", "window", "self", "global":
			return value{name: rootName}
		case "__dirname":
			return text(".")
		case "undefined", "null", "true", "false":
			return value{}
		}
	} else {
		switch name {
		case "__builtins__", "builtins":
			return value{name: rootName}
		case "__file__":
			return text("./__file__")
		case "None", "False":
			return value{}
		case "True":
			return value{text: "True", known: true, num: true}
		}
		for _, m := range c.stars {
			if does, _ := effectOf(c.lang, m+"."+name); does != NoEffect {
				return c.source(value{name: m + "." + name}, n)
			}
		}
	}
	return c.source(value{name: name}, n)
}

// rootName is the name of what has all other names.
const rootName = "<root>"

// source adds to a value with a name where it comes from, if the name says so.
func (c *codeReader) source(v value, n *script.Node) value {
	switch v.name {
	case "os.environ", "process.env", "os.environb", "Deno.env", "Bun.env", "import.meta.env":
		v.carry([]taint{{does: ReadAllEnv, start: n.Start, end: n.End}})
	}
	return v
}

// attribute is owner.name.
func (c *codeReader) attribute(owner value, name string, n *script.Node) value {
	if got, ok := owner.get(name); ok {
		got.carry(nil)
		return got
	}
	switch {
	case owner.name == rootName:
		return c.source(value{name: name}, n)
	case owner.name == "self" || owner.name == "this":
		if v, ok := c.fields[name]; ok {
			return v
		}
		return value{name: owner.name + "." + name, taints: owner.taints}
	case isEnv(owner.name) && !isEnvMethod(name):
		return c.variable(name, n)
	case name == "__dict__" || name == "default" && owner.name != "":
		return owner
	case name == "constructor" && strings.HasSuffix(owner.name, ".constructor"):
		return value{name: "Function"}
	}
	v := value{taints: c.one(owner.taints, name), obj: owner.obj}
	switch {
	case owner.name == "":
		v.name = "?." + name
	case len(owner.name) < 200:
		v.name = owner.name + "." + name
	default:
		v.name = "?." + name
	}
	if len(owner.keys) > 0 {
		v.taints = c.one(owner.all(), name)
	}
	switch name {
	case "parent", "resolve", "absolute", "stdout", "stderr", "text", "content", "body", "data", "value", "code", "source":
		// What it knows of its text is still true enough, or it is a part of it.
		if name == "resolve" || name == "absolute" {
			v.text, v.known = owner.text, owner.known
		}
	}
	return c.source(v, n)
}

func isEnv(name string) bool {
	switch name {
	case "os.environ", "process.env", "os.environb", "Bun.env", "Deno.env", "import.meta.env":
		return true
	}
	return false
}

func isEnvMethod(name string) bool {
	switch name {
	case "get", "copy", "items", "keys", "values", "setdefault", "update", "pop", "toObject", "set", "clear", "has", "hasOwnProperty", "__getitem__":
		return true
	}
	return false
}

// one is where a part comes from that is taken by its name: of all variables one.
func (c *codeReader) one(list []taint, name string) []taint {
	for i, t := range list {
		if t.does != ReadAllEnv || isEnvMethod(name) || name == "toString" || name == "entries" || name == "length" {
			continue
		}
		out := append([]taint(nil), list...)
		for k := i; k < len(out); k++ {
			if out[k].does == ReadAllEnv {
				out[k].does, out[k].what, out[k].picked = ReadEnv, name, true
			}
		}
		return out
	}
	return list
}

// variable is a variable of the environment.
func (c *codeReader) variable(name string, n *script.Node) value {
	return value{taints: []taint{{does: ReadEnv, start: n.Start, end: n.End, what: name}}}
}

// index is owner[key].
func (c *codeReader) index(n *script.Node, s *scope) value {
	owner := c.eval(n.Kids[0], s)
	if len(n.Kids) < 2 {
		return value{taints: owner.all()}
	}
	k := n.Kids[1]
	if k.Op == script.List && k.Text == ":" {
		return c.slice(owner, k, s)
	}
	key := c.eval(k, s)
	if key.num && !owner.num {
		if i, err := strconv.Atoi(key.text); err == nil && len(owner.items) > 0 {
			if i < 0 {
				i += len(owner.items)
			}
			if i >= 0 && i < len(owner.items) {
				v := owner.items[i]
				v.carry(owner.taints)
				return v
			}
		}
	}
	if key.plain() && !key.num && (len(key.items) == 0 || !isEnv(owner.name)) {
		if isEnv(owner.name) {
			return c.variable(key.text, n)
		}
		if owner.name != "" && len(key.text) < 80 || len(owner.keys) > 0 || key.text == "constructor" {
			v := c.attribute(owner, key.text, n)
			v.taints = pick(c.one(v.taints, key.text))
			if owner.known {
				v.known = false
			}
			return v
		}
		return value{taints: pick(c.one(owner.all(), key.text)), obj: owner.obj}
	}
	if isEnv(owner.name) {
		// A variable whose name is not known: one of a list, or all of them in turn.
		if names := key.texts(); len(names) > 0 && len(names) <= maxItems {
			var out value
			for _, name := range names {
				if !strings.Contains(name, unknown) {
					one := c.variable(name, n)
					out.carry(one.taints)
				}
			}
			return out
		}
		return value{taints: []taint{{does: ReadEnv, start: n.Start, end: n.End}}}
	}
	return value{taints: owner.all(), obj: owner.obj}
}

func (c *codeReader) dict(n *script.Node, s *scope) value {
	var v value
	for i := 0; i+1 < len(n.Kids); i += 2 {
		one := c.eval(n.Kids[i+1], s)
		key := n.Kids[i]
		if key.Op == script.None || key.Op == script.Spread {
			v.carry(one.all())
			for _, k := range one.keys {
				v.set(k.key, k.value)
			}
			continue
		}
		name := key.Text
		if key.Op != script.Const && key.Op != script.Num {
			kv := c.eval(key, s)
			name = kv.text
			v.carry(kv.all())
		}
		fn := one.fn
		one.taints = one.all()
		v.set(name, one)
		if fn != nil && len(v.keys) > 0 {
			v.keys[len(v.keys)-1].fn = fn
		}
	}
	return v
}

// standing is that of the code at an offset.
func (c *codeReader) standing(start int) Standing {
	if c.coarse != nil {
		return c.r.Standing
	}
	return c.r.StandingAt(start)
}

// place is where a range of the code is in its file.
func (c *codeReader) place(start, end int) Place {
	if c.coarse != nil {
		return *c.coarse
	}
	if end <= start {
		end = min(start+1, len(c.r.Text))
	}
	return c.r.At(start, end)
}
