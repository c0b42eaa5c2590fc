package script

import (
	"strings"
	"testing"
)

func FuzzParse(f *testing.F) {
	f.Add("import os as o\ndef f(a, b=1):\n    return o.environ[a] if b else f\"{a!r:>{b}}\"\nx = [i ^ 3 for i in y if i]\n", false)
	f.Add("const {a, b: c} = require('x');\nclass A extends B { #p = 1; async f(x: T<U>): Promise<V> { return `${x.y}` } }\nfetch(u).then(r => r.text())", true)
	f.Add("((((((((((", false)
	f.Add("`${`${`${", true)
	f.Add("f'{", false)
	f.Fuzz(func(t *testing.T, src string, js bool) {
		lang := Python
		if js {
			lang = JavaScript
		}
		p := Parse(src, lang)
		check(t, src, p)
	})
}

// check looks whether every node lies in the code.
func check(t *testing.T, src string, p *Program) {
	t.Helper()
	var walk func(n *Node)
	walk = func(n *Node) {
		if n == nil {
			return
		}
		if n.Start < 0 || n.End > len(src) || n.Start > n.End && n.End != 0 {
			t.Fatalf("%q: a node from %d to %d", src, n.Start, n.End)
		}
		for _, k := range n.Kids {
			walk(k)
		}
	}
	for _, f := range p.Funcs {
		for _, s := range f.Body {
			walk(s.Value)
			for _, n := range s.Targets {
				walk(n)
			}
		}
	}
}

func dump(n *Node) string {
	if n == nil {
		return "nil"
	}
	var kids []string
	for _, k := range n.Kids {
		kids = append(kids, dump(k))
	}
	all := strings.Join(kids, " ")
	switch n.Op {
	case None:
		return "?"
	case Const:
		return "'" + n.Text + "'"
	case Num, Ident:
		return n.Text
	case Attr:
		return all + "." + n.Text
	case Lambda:
		s := "(fn"
		for _, b := range n.Func.Body {
			s += " " + dump(b.Value)
		}
		return s + ")"
	case Keyword:
		return n.Text + "=" + all
	}
	return "(" + [...]string{Index: "index", Call: "call", Spread: "spread", Binary: "bin" + n.Text, Compare: "cmp", Either: "or", List: "list", Dict: "dict", Joined: "join", Assign: "set", Comp: "comp", Sieve: "sieve"}[n.Op] + " " + all + ")"
}

func TestExpressions(t *testing.T) {
	for _, c := range []struct {
		src, want string
		js        bool
	}{
		{"a.b(c, d=1)[2]", "(index (call a.b c d=1) 2)", false},
		{"'a' 'b' + \"c\\x41\"", "(bin+ (join 'a' 'b') 'cA')", false},
		{"f'x{y.z!r:>3}w'", "(join 'x' y.z 'w')", false},
		{"{**os.environ, 'a': 1}", "(dict ? os.environ 'a' 1)", false},
		{"{k: v for k, v in e.items() if 'K' in k}", "(comp (dict k v) (list k v) (call e.items) (sieve (cmp 'K' k)))", false},
		{"a if b else c", "(or a c)", false},
		{"a and b == c or d", "(or a (cmp b c) d)", false},
		{"lambda x: x ^ 1", "(fn (bin^ x 1))", false},
		{"s[::-1]", "(index s (list ? ? -1))", false},
		{"x => x.y", "(fn x.y)", true},
		{"async (a: string, b?: T): Promise<void> => { return a }", "(fn a)", true},
		{"`a${b}c${`d${e}`}`", "(join 'a' b 'c' (join 'd' e))", true},
		{"a?.b!.c as T", "a.b.c", true},
		{"new Function(a)()", "(call (call Function a))", true},
		{"{a, b: 1, ...c, d(e) { return e }}.x", "", true},
		{"[{a, b: 1, ...c, d(e) { return e }}]", "(list (dict 'a' a 'b' 1 ? c 'd' (fn e)))", true},
		{"a ? b : c", "(or b c)", true},
		{"/a\\/[/]b/g.test(c)", "(call ?.test c)", true},
	} {
		lang := Python
		if c.js {
			lang = JavaScript
		}
		p := Parse(c.src, lang)
		check(t, c.src, p)
		if c.want == "" {
			continue
		}
		if len(p.Main.Body) != 1 {
			t.Errorf("%s: %d statements", c.src, len(p.Main.Body))
			continue
		}
		if got := dump(p.Main.Body[0].Value); got != c.want {
			t.Errorf("%s: %s, want %s", c.src, got, c.want)
		}
	}
}
