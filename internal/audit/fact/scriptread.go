package fact

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/script"
)

// passes is how often code is gone over: values come through as many functions.
const passes = 4

// codeReader follows values through one piece of code. It goes over the code in the
// order in which it stands, branches one after the other, the bodies of functions
// behind what is around them, and does so several times: what functions get and give
// is known from the time before.
type codeReader struct {
	f    *Facts
	r    *Region
	lang script.Lang
	prog *script.Program
	// base is where the code begins in the region's text. coarse is the place of code
	// that stands in an argument or was decoded: all facts have it as theirs.
	coarse *Place
	level  int

	scopes map[*script.Func]*scope
	// fields are attributes of objects of the file's own classes, methods its functions
	// by name, files what was written to a path.
	fields  map[string]value
	methods map[string]*script.Func
	files   map[string][]taint
	stars   []string
	// folded is how much text was put together; last: facts are taken.
	folded int
	last   bool
	// effects is how many calls that do something were seen.
	effects int
	seen    map[seenKey]bool
}

type seenKey struct {
	a, b       int
	from, to   Effect
	what, name string
}

// scope has the variables of a function.
type scope struct {
	fn     *script.Func
	parent *scope
	vars   map[string]variable
	// args are what the function was called with, gives what it returns.
	args  []value
	gives value
	// before is what it returned in the pass before.
	before value
	size   int
}

type variable struct {
	value
	depth int
}

// code reads a piece of code of a region and takes its facts.
func (f *Facts) code(r *Region, src string, lang script.Lang, coarse *Place, level int) {
	c := codeReader{f: f, r: r, lang: lang, coarse: coarse, level: level, seen: map[seenKey]bool{}}
	c.prog = script.Parse(src, lang)
	if !c.prog.Complete {
		f.miss(r.File, MissedTooLarge, "not all of the code was followed")
	}
	if level == 0 && r.Medium == Code && c.prog.All > 40 && c.prog.Odd*4 > c.prog.All {
		f.miss(r.File, MissedUnparsed, "it does not read as what it says it is")
	}
	c.scopes = make(map[*script.Func]*scope, len(c.prog.Funcs))
	c.fields, c.methods, c.files = map[string]value{}, map[string]*script.Func{}, map[string][]taint{}
	for _, fn := range c.prog.Funcs {
		s := &scope{fn: fn, args: make([]value, len(fn.Params))}
		if fn.Parent != nil {
			s.parent = c.scopes[fn.Parent]
		}
		c.scopes[fn] = s
		// A declaration without a body does not make a name ambiguous.
		if fn.Name != "" && len(fn.Body) > 0 {
			if _, there := c.methods[fn.Name]; there {
				c.methods[fn.Name] = nil
			} else {
				c.methods[fn.Name] = fn
			}
		}
	}
	n := passes
	if len(c.prog.Funcs) == 1 {
		n = 2
	}
	for k := range n {
		c.last = k == n-1
		c.folded = 0
		for _, fn := range c.prog.Funcs {
			c.function(c.scopes[fn])
		}
		if c.effects == 0 {
			// Nothing is called that does anything: there is nothing to follow.
			return
		}
	}
}

// function goes over the statements of a function.
func (c *codeReader) function(s *scope) {
	s.vars = make(map[string]variable, 8)
	s.before, s.gives = s.gives, value{}
	for i, p := range s.fn.Params {
		v := s.args[i]
		if p.Default != nil {
			v = either(v, c.eval(p.Default, s))
		}
		if p.Name != "" {
			if v.name == "" && i == 0 && (p.Name == "self" || p.Name == "cls") {
				v.name = "self"
			}
			s.vars[p.Name] = variable{v, 0}
		}
		for _, name := range p.Fields {
			field, ok := v.get(name)
			if !ok {
				field = value{taints: v.taints}
			}
			s.vars[name] = variable{field, 0}
		}
	}
	for i := range s.fn.Body {
		c.statement(&s.fn.Body[i], s)
	}
}

func (c *codeReader) statement(st *script.Stmt, s *scope) {
	switch st.Kind {
	case script.Use:
		c.use(st, s)
	case script.Define:
		if st.Func.Class == "" {
			s.vars[st.Func.Name] = variable{value{fn: st.Func}, st.Depth}
		}
	case script.Return:
		if st.Value != nil {
			s.gives = either(s.gives, c.eval(st.Value, s))
		}
	case script.Do:
		if st.Value != nil {
			c.eval(st.Value, s)
		}
	case script.Let, script.Add, script.Each:
		var v value
		if st.Value != nil {
			v = c.eval(st.Value, s)
		}
		if st.Kind == script.Each {
			v = item(v)
		}
		for _, t := range st.Targets {
			if len(st.Targets) > 1 && st.Kind != script.Each {
				c.assign(t, value{taints: v.all()}, s, st)
				continue
			}
			c.assign(t, v, s, st)
		}
	}
}

// item is one of the items of a value.
func item(v value) value {
	out := value{taints: v.all(), obj: v.obj}
	if len(v.items) > 0 {
		out.items = v.items
		for i := range v.items {
			if v.items[i].known {
				out.text, out.known = v.items[i].text, true
				break
			}
		}
		if len(v.items) == 1 {
			out = v.items[0]
			out.carry(v.taints)
		}
	} else if v.known && !v.num {
		// A pattern that was asked for, or a text's letters.
		out.text, out.known = v.text, true
	}
	return out
}

func (c *codeReader) use(st *script.Stmt, s *scope) {
	module := strings.TrimPrefix(st.Module, "node:")
	if c.lang == script.JavaScript {
		module = strings.TrimSuffix(module, "/promises")
	}
	for _, n := range st.Names {
		switch {
		case n.From == "*":
			if len(c.stars) < 20 {
				c.stars = append(c.stars, module)
			}
		case n.From == "" && c.lang == script.Python && n.As == st.Module:
			root, _, _ := strings.Cut(module, ".")
			s.vars[root] = variable{value{name: root}, st.Depth}
		case n.From == "" || n.From == "default":
			s.vars[n.As] = variable{value{name: module}, st.Depth}
		default:
			s.vars[n.As] = variable{value{name: module + "." + n.From}, st.Depth}
		}
	}
}

// assign gives a target a value.
func (c *codeReader) assign(t *script.Node, v value, s *scope, st *script.Stmt) {
	switch t.Op {
	case script.Ident:
		c.bind(t.Text, v, s, st)
	case script.List, script.Spread:
		for _, k := range t.Kids {
			c.assign(k, value{taints: v.all()}, s, st)
		}
	case script.Dict:
		// An object that is taken apart.
		for i := 0; i+1 < len(t.Kids); i += 2 {
			key := t.Kids[i].Text
			c.assign(t.Kids[i+1], c.attribute(v, key, t.Kids[i+1]), s, st)
		}
	case script.Attr:
		owner := c.eval(t.Kids[0], s)
		if owner.name == "self" || owner.name == "this" {
			old := c.fields[t.Text]
			if len(c.fields) < 4096 {
				c.fields[t.Text] = either(old, v)
			}
			return
		}
		c.addTo(t.Kids[0], t.Text, v, s)
	case script.Index:
		key := ""
		if len(t.Kids) > 1 {
			k := c.eval(t.Kids[1], s)
			key = k.text
		}
		c.addTo(t.Kids[0], key, v, s)
	case script.Assign:
		c.assign(t.Kids[0], v, s, st)
	}
}

// bind gives a name a value: in the scope that has it.
func (c *codeReader) bind(name string, v value, s *scope, st *script.Stmt) {
	depth, add, declares := 0, false, false
	if st != nil {
		depth, add, declares = st.Depth, st.Kind == script.Add, st.Declares
	}
	owner := s
	if !declares {
		if c.lang == script.JavaScript {
			for o := s; o != nil; o = o.parent {
				if _, ok := o.vars[name]; ok {
					owner = o
					break
				}
			}
		} else {
			for _, g := range s.fn.Globals {
				if g == name {
					for owner.parent != nil {
						owner = owner.parent
						if _, ok := owner.vars[name]; ok {
							break
						}
					}
				}
			}
		}
	}
	if owner.vars == nil || len(owner.vars) > 20_000 {
		return
	}
	old, had := owner.vars[name]
	switch {
	case add && had:
		sum := c.join(old.value, v)
		sum.name, sum.obj, sum.codes = old.name, old.obj, nil
		sum.items = append(old.items[:len(old.items):len(old.items)], v.items...)
		if len(sum.items) > maxItems {
			sum.items = sum.items[:maxItems]
		}
		v = sum
	case had && (owner != s || depth > old.depth):
		v = either(old.value, v)
		depth = old.depth
	}
	owner.vars[name] = variable{v, depth}
}

// addTo puts a value into what a name stands for.
func (c *codeReader) addTo(t *script.Node, key string, v value, s *scope) {
	part := ""
	for n := 0; n < 20; n++ {
		switch t.Op {
		case script.Attr:
			if t.Text == "headers" || t.Text == "cookies" {
				part = "header"
			}
			if name := t.Kids[0]; name.Op == script.Ident && (name.Text == "self" || name.Text == "this") {
				old := c.fields[t.Text]
				old.carry(parted(v.all(), part))
				if key != "" {
					old.set(key, v)
				}
				if len(c.fields) < 4096 {
					c.fields[t.Text] = old
				}
				return
			}
			t = t.Kids[0]
		case script.Index, script.Call:
			t = t.Kids[0]
		case script.Ident:
			for o := s; o != nil; o = o.parent {
				if old, ok := o.vars[t.Text]; ok {
					nv := old.value
					nv.carry(parted(v.all(), part))
					if key != "" && part == "" {
						nv.set(key, v)
					}
					if len(nv.items) > 0 && len(nv.items) < maxItems && key == "" {
						nv.items = append(nv.items[:len(nv.items):len(nv.items)], v)
					}
					o.vars[t.Text] = variable{nv, old.depth}
					return
				}
			}
			return
		default:
			return
		}
	}
}

func parted(list []taint, part string) []taint {
	if part == "" || len(list) == 0 {
		return list
	}
	out := make([]taint, len(list))
	for i, t := range list {
		t.part = part
		out[i] = t
	}
	return out
}

// lookup returns what a name stands for.
func (c *codeReader) lookup(name string, s *scope) (value, bool) {
	for o := s; o != nil; o = o.parent {
		if v, ok := o.vars[name]; ok {
			return v.value, true
		}
	}
	return value{}, false
}
