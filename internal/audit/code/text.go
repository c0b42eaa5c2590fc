package code

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/audit/decode"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// subject is what a function on texts works on: what it is called on or the argument that the row
// names. The rest are the other arguments.
func (k *call) subject() (value, []value) {
	known := len(k.recv.texts)+len(k.recv.items) > 0 || len(k.recv.from) > 0 && len(k.args) == 0
	switch {
	case known || strings.HasPrefix(k.name, "?"):
		return k.recv, k.args
	case k.row != nil && k.row.arg > 0 && k.row.arg < len(k.args):
		return k.args[k.row.arg], k.args[:k.row.arg]
	case len(k.args) > 0:
		return k.args[0], k.args[1:]
	case len(k.keys) > 0:
		return k.keys[0].value, nil
	}
	return k.recv, nil
}

// same gives what it gets.
func (c *reader) same(k *call) value {
	v, _ := k.subject()
	last := lastPart(k.name)
	r, method := k.recv, k.n.op == opCall && k.n.kids[0].op == opAttr
	if len(v.texts)+len(v.items) == 0 && (r.obj != nil || r.name != "") && method {
		v = r
	}
	v.carry(k.in())
	if len(v.texts) == 0 && len(v.items) > 0 && v.items[0].number && c.name != "py" {
		return c.chars(&call{n: k.n, args: []value{v}})
	}
	if a := k.arg(0); strings.HasSuffix(last, "oString") && codec(a.text()) != "" {
		v.texts = nil
		v.carry([]source{{what: encoded, name: a.text()}})
	}
	if last == "text" || last == "read" || last == "json" {
		v.obj = k.recv.obj
	}
	v.number, v.name = false, cmp.Or(v.name, k.name)
	c.callbacks(k, v)
	return v
}

// textual is a call that changes a text.
func (c *reader) textual(k *call) value {
	v, args := k.subject()
	out := value{from: v.from, built: true, obj: v.obj, items: v.items}
	out.carry(k.in())
	if k.row.does == "reverse" {
		out.items = slices.Clone(v.items)
		slices.Reverse(out.items)
	}
	for _, t := range v.texts {
		if s, ok := c.changedText(k.row.does, t, args); ok {
			out.texts = append(out.texts, s)
		}
	}
	return out
}

// changedText is a text after a change.
func (c *reader) changedText(how, s string, args []value) (string, bool) {
	args = append(slices.Clone(args), value{}, value{})
	a, b := args[0], args[1]
	switch how {
	case "upper":
		return strings.ToUpper(s), true
	case "lower":
		return strings.ToLower(s), true
	case "reverse":
		return reversed(s), true
	case "replace":
		from, ok := a.plain()
		to, also := b.plain()
		if !ok || !also || from == "" || len(s)*(1+len(to)/len(from)) > maxText {
			return "", false
		}
		return strings.ReplaceAll(s, from, to), true
	}
	from, _ := integer(&a)
	if c.name == "lua" || c.name == "vbs" || c.name == "awk" {
		from--
	}
	to, ok := integer(&b)
	if !ok {
		to = len(s)
	} else if how == "substr" {
		to += from
	}
	from = clamp(from, len(s))
	return s[from:max(from, clamp(to, len(s)))], true
}

// joins puts the items of a list together, with a separator.
func (c *reader) joins(k *call) value {
	list, separator := k.recv, k.arg(0)
	for i := range k.args {
		if len(k.args[i].items) > 0 {
			list, separator = k.args[i], k.recv
			if len(k.args) == 2 {
				separator = k.args[1-i]
			}
		}
	}
	if len(separator.texts) == 0 {
		separator = literal("")
		if c.name == "js" {
			separator = literal(",")
		}
	}
	out := joined(list.items, separator.texts[0])
	if k.recv.text() == "" && len(list.items) == 0 && len(k.args) == 1 {
		out.texts = k.args[0].texts
	}
	out.carry(k.in())
	out.built = true
	return out
}

// joined are values with a separator between them.
func joined(list []value, separator string) value {
	var parts []value
	for i, v := range list {
		if i > 0 {
			parts = append(parts, literal(separator))
		}
		parts = append(parts, v)
	}
	if len(parts) == 0 {
		return value{}
	}
	return concat(parts...)
}

// concats puts texts or lists together; as a path or in a variable of C.
func (c *reader) concats(k *call) value {
	list := k.args
	if len(k.recv.texts)+len(k.recv.items) > 0 {
		list = slices.Insert(slices.Clone(k.args), 0, k.recv)
	}
	if k.row.does == "path" {
		return c.path(k, list)
	}
	out := value{from: k.in()}
	for i := range list {
		if len(list[0].items) > 0 && len(list[i].items) == 0 {
			out.push(list[i])
		}
		out.push(list[i].items...)
	}
	if len(out.items) > 0 {
		return out
	}
	out = concat(list...)
	if strings.HasSuffix(k.name, "cpy") && len(list) > 1 {
		out = list[1]
	}
	c.fills(k, out)
	return out
}

// path puts a path together.
func (c *reader) path(k *call, list []value) value {
	for i := len(list) - 1; i >= 0; i-- {
		if strings.HasPrefix(list[i].text(), "/") || i == 0 && list[i].text() == "" {
			list = list[i:]
			break
		}
	}
	if len(list) == 1 && len(list[0].texts) == 0 {
		return value{from: k.in(), name: k.name, obj: list[0].obj}
	}
	out := joined(list, "/")
	out.name, out.built = k.name, false
	return out
}

// fills gives the first argument of a function of C its result.
func (c *reader) fills(k *call, v value) {
	if n := k.node(0); c.name == "c" && n != nil && n.op == opName {
		c.setVar(n.text, v, k.s, "=")
	}
}

// lists is a call that makes a list of its arguments.
func (c *reader) lists(k *call) value {
	if len(k.args) == 1 && (len(k.args[0].items) > 0 || len(k.args[0].texts) == 0) {
		return c.same(k)
	}
	var out value
	out.push(k.args...)
	out.set(k.keys...)
	return out
}

// formats puts arguments into a text: {} and {name}, %s and %1$s.
func (c *reader) formats(k *call) value {
	format, args := k.subject()
	if at := k.row.arg; at < len(k.args) && (at > 0 || c.name == "go") {
		format, args = k.args[at], k.args[at+1:]
	}
	text, ok := format.plain()
	if !ok {
		return value{from: k.in()}
	}
	out := interpolate(text, args, k.keys)
	if k.row.arg > 0 {
		c.fills(k, out)
	}
	return out
}

// placeholder is {name}, {0:x}, %s or %1$s in a format.
var placeholder = lazyregexp.New(`\{(\w*)[^{}]*\}|%(?:(\d+)\$)?[-+# 0-9.]*[a-zA-Z@]`)

// interpolate puts values into the places of a format.
func interpolate(format string, args []value, keys []keyed) value {
	var parts []value
	next, from := 0, 0
	for _, m := range placeholder().FindAllStringSubmatchIndex(format, 256) {
		at := next
		v, ok := value{}, false
		switch {
		case m[4] >= 0:
			at, _ = strconv.Atoi(format[m[4]:m[5]])
			at--
		case m[2] >= 0 && m[3] > m[2]:
			v, ok = (&value{keys: keys}).get(format[m[2]:m[3]])
			if n, err := strconv.Atoi(format[m[2]:m[3]]); err == nil {
				at = n
			}
		}
		if !ok && at >= 0 && at < len(args) {
			v = args[at]
		}
		if at == next {
			next++
		}
		parts = append(parts, literal(format[from:m[0]]), v)
		from = m[1]
	}
	return concat(append(parts, literal(format[from:]))...)
}

// writesJSON is a call that gives an object as JSON, or writes it to its second argument.
func (c *reader) writesJSON(k *call) value {
	out := c.json(k.arg(0))
	out.carry(k.in())
	if k.row.arg == 1 {
		return c.puts(&call{n: k.n, recv: k.arg(1, "fp"), args: []value{out}, row: k.row, s: k.s})
	}
	return out
}

// json is a list or an object much as JSON has it.
func (c *reader) json(v value) value {
	c.steps++
	if len(v.items)+len(v.keys) == 0 || c.steps > maxSteps {
		return v
	}
	var parts []value
	for i := range v.keys {
		parts = append(parts, concat(literal(strconv.Quote(v.keys[i].key)+": "), c.json(v.keys[i].value)))
	}
	for i := range v.items {
		parts = append(parts, c.json(v.items[i]))
	}
	out := concat(literal("{"), joined(parts, ", "), literal("}"))
	out.obj = v.obj
	c.steps += out.size()
	return out
}

// readsJSON is a call that gives the object that a text in JSON stands for.
func (c *reader) readsJSON(k *call) value {
	given := k.main()
	text, ok := given.plain()
	if !ok {
		return c.same(k)
	}
	program, funcs, _ := parse(c.language, text)
	inner := &reader{
		language: c.language, set: c.set, region: c.region, src: text, funcs: funcs, quiet: true, steps: c.steps,
		fields: map[string]value{}, files: map[string]value{}, global: &scope{vars: map[string]value{}},
	}
	out := inner.statements(program, inner.global)
	c.steps = inner.steps
	return out
}

func (c *reader) splits(k *call) value {
	v, args := k.subject()
	out := value{from: v.from}
	text, ok := v.plain()
	if !ok {
		return out
	}
	parts := strings.Fields(text)
	if len(args) > 0 {
		separator, _ := args[0].plain()
		parts = strings.SplitN(text, separator, maxItems)
	}
	for _, part := range parts {
		out.items = append(out.items, literal(part))
	}
	return out
}

// integer is the number of a value.
func integer(v *value) (int, bool) {
	t, ok := v.plain()
	if !ok || len(t) > 12 {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(t, "_", ""), 0, 32)
	return int(n), err == nil
}

// chars is the text of the characters with some numbers.
func (c *reader) chars(k *call) value {
	list := k.args
	if len(list) == 1 && len(list[0].items) > 0 {
		list = list[0].items
	} else if len(list) == 0 {
		list = []value{k.recv}
	}
	out := value{from: k.in(), built: true}
	var b []byte
	for i := range list {
		n, ok := integer(&list[i])
		switch {
		case len(list) == 1 && len(list[i].texts) > 0 && !list[i].number:
			return list[i] // bytes("text", "utf-8")
		case !ok || n < 0 || n > utf8.MaxRune:
			return out
		case n < 0x80:
			b = append(b, byte(n))
		default:
			b = utf8.AppendRune(b, rune(n))
		}
	}
	out.texts = []string{string(b)}
	return out
}

// numbers is the number that a text says, or that of a character.
func (c *reader) numbers(k *call) value {
	v, args := k.subject()
	text, ok := v.plain()
	base := 10
	if len(args) > 0 {
		base, _ = integer(&args[0])
	}
	switch {
	case !ok:
	case k.row.does == "ord":
		if at := base % 10; at < len(text) {
			return value{texts: []string{strconv.Itoa(int(text[at]))}, number: true}
		}
	case base == 0 || base >= 2 && base <= 36:
		if n, err := strconv.ParseInt(strings.TrimSpace(text), base, 32); err == nil {
			return value{texts: []string{strconv.FormatInt(n, 10)}, number: true}
		}
	}
	return value{from: k.in()}
}

// maps is a call that applies a function to each item of a list.
func (c *reader) maps(k *call) value {
	list, f := k.recv, k.arg(0)
	if len(k.args) > 1 {
		list = k.args[1]
	}
	out := value{from: k.in()}
	back := c.callbacks(k, list.item())
	out.carry(back.from)
	if len(list.items) == 0 {
		out.set(back.keys...)
	}
	quiet := c.quiet
	c.quiet = true
	var items []value
	for _, item := range list.items {
		g := f
		if f.fn != nil {
			if g = c.apply(f.fn, []value{item}, nil); g.name == "" || len(g.texts) > 0 {
				items = append(items, g)
				continue
			}
		}
		// The function is known by its name.
		one := &call{n: k.n, name: cmp.Or(g.name, strings.Trim(g.text(), gap)), args: []value{item}, s: k.s}
		if len(g.texts) > 0 && c.name == "rb" {
			one.name, one.recv, one.args = "?."+one.name, item, nil
		}
		if one.row = c.calls.find(one.name); one.row != nil {
			items = append(items, c.effect(one))
		}
	}
	c.quiet = quiet
	out.push(items...)
	return out
}

// unpacks is a call that decodes what an argument names: Buffer.from, pack and unpack.
func (c *reader) unpacks(k *call) value {
	list := append([]value{k.recv}, k.args...)
	for i := range list {
		format := list[i].text()
		how := codec(format)
		rest := slices.Delete(slices.Clone(list), i, i+1)
		if strings.HasSuffix(format, "C*") || format == "U*" {
			rest = slices.DeleteFunc(rest, func(v value) bool { return !v.number && len(v.items) == 0 })
			return c.chars(&call{n: k.n, name: k.name, args: rest})
		}
		for _, v := range rest {
			if len(v.items) > 0 && k.row.does == "unpack" {
				v = v.items[0]
			}
			if how != "" && (len(v.texts) > 0 || len(v.from) > 0) {
				out := c.decode(k.n, how, v)
				if k.row.does == "unpack" {
					out.items = []value{out}
				}
				return out
			}
		}
	}
	if k.row.does == "buffer" {
		return c.same(k)
	}
	return c.pass(k)
}

// adds is a method that puts its arguments into what it is called on.
func (c *reader) adds(k *call) value {
	v, key := k.arg(0), ""
	if len(k.args) == 2 {
		key, _ = v.plain()
		v = k.args[1]
	} else if len(k.args) != 1 {
		v = value{}
	}
	v.carry(k.in())
	if k.row.does == "header" || headerKey(key) || headerKey(lastPart(k.recv.name)) {
		v.from = headers(v.from)
	}
	out := k.recv
	out.name = cmp.Or(out.name, k.name)
	out.carry(v.from)
	o, callee := k.recv.obj, k.n.kids[0]
	switch {
	case o != nil && o.archive:
		c.stores(k.n, literal(o.target), c.holds(k.n, k.arg(0)))
	case o != nil && o.process:
		o.words = append(o.words, c.words(k, 0)...)
	case callee.op == opAttr && k.row.does != "assign":
		c.addTo(callee.kids[0], key, v, k.s)
	case len(k.nodes) > 0:
		for _, a := range k.args {
			out = either(out, a)
		}
		c.addTo(k.nodes[0], "", value{from: v.from, texts: v.texts}, k.s)
	}
	return out
}

// decodes is a call that undoes an encoding, which an argument names if it is "named".
func (c *reader) decodes(k *call, how string) value {
	v, encoding := k.main(), k.arg(1, "encoding")
	method := how == "named" && (k.recv.name == "" || len(k.recv.texts)+len(k.recv.from) > 0)
	if len(k.args)+len(k.keys) == 0 || method {
		v, encoding = k.recv, k.arg(0)
	}
	if how == "named" {
		how = codec(encoding.text())
	}
	if how == "" {
		return c.same(k)
	}
	v.carry(k.in())
	return c.decode(k.n, how, v)
}

// decode is what undoing an encoding gives.
func (c *reader) decode(n *node, how string, v value) value {
	out := value{built: true, from: v.from}
	for _, t := range v.texts {
		if s, ok := decode.Text(how, t); ok && strings.IndexByte(t, gapOpen) < 0 {
			out.texts = append(out.texts, s)
		}
	}
	size := len(v.text())
	packed := len(out.texts) == 0
	out.carry([]source{{what: decoded, name: how, packed: packed && size > 64}})
	if packed && size > 1024 {
		c.miss(signal.MissedPacked, "data in the code that is packed or encrypted: "+how)
	}
	return out
}

// encodes is a call that encodes or encrypts.
func (c *reader) encodes(k *call) value {
	s := source{what: encoded, name: k.name}
	if k.row.does == "encrypt" {
		s.what = encrypted
	}
	out := value{from: k.in(), name: k.name}
	out.carry([]source{s})
	return out
}

// binary is an expression of two operands.
func (c *reader) binary(n *node, s *scope) value {
	left, right := c.eval(n.kids[0], s), c.eval(n.kids[1], s)
	c.steps += left.size() + right.size()
	strength := c.strengths[n.text]
	numbers := left.number && right.number
	switch {
	case n.text == "of" && c.name == "scpt":
		return right
	case n.text == "as":
		if n.kids[1].op == opName && c.name == "py" {
			c.bind(n.kids[1], left, s, "=")
		}
		return left
	case strength == 4:
		return value{}
	case n.text == "|" && c.name == "awk":
		if strings.HasPrefix(c.src[n.kids[1].start:], "getline") {
			right = left
		}
		return c.shell(&call{n: n, s: s}, right)
	case strength == 3, n.text == "//", n.text == "|" && !numbers:
		return either(left, right)
	case strength == 6 && n.text != "-" && !numbers:
		return sum(left, right)
	case n.text == "<<":
		c.addTo(n.kids[0], "", right, s)
	}
	if !left.number && len(left.texts)+len(right.texts) > 0 && n.text == "/" {
		return c.path(&call{n: n, name: left.name}, []value{left, right})
	}
	return arithmetic(n.text, left, right)
}

// sum is a text and another, or a list and another.
func sum(left, right value) value {
	switch {
	case len(left.items)+len(right.items) > 0:
		out := value{from: left.from}
		out.push(left.items...)
		out.push(right.items...)
		out.carry(right.from)
		return out
	case len(left.texts)+len(right.texts) == 0:
		left.carry(right.from)
		return left
	}
	return concat(left, right)
}

// arithmetic is an operation on two numbers, or a format and its values; on others it mixes them.
func arithmetic(operator string, left, right value) value {
	out := value{from: left.from}
	out.carry(right.from)
	if t := left.text(); operator == "^" {
		out.carry([]source{{what: decoded, name: "xor"}})
		if !left.number && len(t) == 1 { // a byte of Python
			left.texts = []string{strconv.Itoa(int(t[0]))}
		}
	}
	a, ok := integer(&left)
	b, also := integer(&right)
	switch {
	case ok && also:
		if r, known := calculate(operator, a, b); known {
			out.texts, out.number = []string{strconv.Itoa(r)}, true
		}
	case operator == "*" && also && len(left.texts) > 0 && b > 0 && b*len(left.texts[0]) <= 4096:
		out.texts = []string{strings.Repeat(left.texts[0], b)}
	case operator == "%" && len(left.texts) > 0:
		args := right.items
		if len(args) == 0 {
			args = []value{right}
		}
		return interpolate(left.text(), args, right.keys)
	}
	return out
}

func calculate(operator string, a, b int) (int, bool) {
	switch operator {
	case "+":
		return a + b, true
	case "-":
		return a - b, true
	case "*":
		return a * b, true
	case "^":
		return a ^ b, true
	case "|":
		return a | b, true
	case "&":
		return a & b, true
	case "%":
		if b != 0 {
			return a % b, true
		}
	}
	return 0, false
}
