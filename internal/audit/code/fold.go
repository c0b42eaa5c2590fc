package code

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/audit/signal"
)

// subject is what a function on texts works on: what it is called on or its first argument.
// The rest are the other arguments.
func (k *called) subject() (value, []value) {
	v := k.recv
	if len(v.texts) > 0 || len(v.items) > 0 || len(v.from) > 0 && len(k.args) == 0 || strings.HasPrefix(k.name, "?") {
		return v, k.args
	}
	if k.row != nil && k.row.arg > 0 && k.row.arg < len(k.args) {
		return k.args[k.row.arg], k.args[:k.row.arg]
	}
	if len(k.args) == 0 {
		if len(k.keys) > 0 {
			v = k.keys[0].value
		}
		return v, nil
	}
	return k.args[0], k.args[1:]
}

// derive is a value made of another by changing its texts.
func (k *called) derive(v value, change func(string) string) value {
	out := value{from: v.all(), built: true, obj: v.obj, url: v.url}
	out.carry(k.in())
	for _, t := range v.texts {
		out.texts = append(out.texts, change(t))
	}
	return out
}

// same gives what it gets.
func (c *reader) same(k *called) value {
	v, _ := k.subject()
	if r := k.recv; len(v.texts) == 0 && len(v.items) == 0 && (r.obj != nil || r.url != "" || r.name != "") && k.n.op == opCall && k.n.kids[0].op == opAttr {
		v = r
	}
	v.carry(k.in())
	if len(v.texts) == 0 && len(v.items) > 0 && v.items[0].number && c.name != "py" {
		return c.chars(&called{n: k.n, args: []value{v}})
	}
	if encoding, ok := k.mainText(); ok && strings.HasSuffix(k.name, "oString") && codec(encoding) != "" {
		v.texts = nil
		v.carry([]source{{what: encoded, name: encoding}})
	}
	if _, last, _ := cutLast(k.name); last == "text" || last == "read" || last == "json" {
		v.obj = k.recv.obj
	}
	if v.number = false; v.name == "" {
		v.name = k.name
	}
	c.callbacks(k, v)
	return v
}

func (k *called) mainText() (string, bool) {
	v := k.arg(0)
	return v.plain()
}

// joins puts the items of a list together.
func (c *reader) joins(k *called) value {
	list, separator := k.recv, k.arg(0)
	for i := range k.args {
		if len(k.args[i].items) > 0 {
			list, separator = k.args[i], k.recv
			if len(k.args) == 2 {
				separator = k.args[1-i]
			}
		}
	}
	if len(list.items) == 0 {
		if t, ok := k.recv.plain(); ok && t == "" && len(k.args) == 1 && len(k.args[0].texts) > 0 {
			return k.args[0]
		}
		return value{from: k.in()}
	}
	if len(separator.texts) == 0 {
		separator = literal("")
		if c.name == "js" {
			separator = literal(",")
		}
	}
	parts := make([]value, 0, 2*len(list.items))
	for i := range list.items {
		if i > 0 && separator.texts[0] != "" {
			parts = append(parts, separator)
		}
		parts = append(parts, list.items[i])
	}
	out := concat(parts...)
	out.carry(k.in())
	out.built = true
	return out
}

func (c *reader) concats(k *called) value {
	list := k.args
	if len(k.recv.texts) > 0 || len(k.recv.items) > 0 {
		list = slices.Insert(slices.Clone(list), 0, k.recv)
	}
	if len(list) > 0 && len(list[0].items) > 0 {
		out := value{from: k.in()}
		for i := range list {
			out.push(list[i].items...)
		}
		return out
	}
	out := concat(list...)
	if c.name == "c" && k.node(0) != nil && len(list) > 1 {
		if strings.HasSuffix(k.name, "cpy") {
			out = list[1]
		}
		c.bind(k.node(0), out, k.s, "=")
	}
	return out
}

// formats puts arguments into a text: {} and {name}, %s and %1$s.
func (c *reader) formats(k *called) value {
	format, args := k.subject()
	if c.name == "go" && len(k.args) > 0 {
		format, args = k.args[0], k.args[1:]
	}
	if _, last, _ := cutLast(k.name); c.name == "c" && len(k.args) > 1 {
		at := 1
		if last == "snprintf" {
			at = 2
		}
		format, args = k.arg(at), k.args[min(at+1, len(k.args)):]
	}
	text, ok := format.plain()
	if !ok {
		return value{from: k.in()}
	}
	out := c.interpolate(text, args, k.keys)
	if c.name == "c" && k.node(0) != nil && k.node(0).op == opName {
		c.setVar(k.node(0).text, out, k.s, "=")
	}
	return out
}

// lists is a call that makes a list of its arguments.
func (c *reader) lists(k *called) value {
	if len(k.args) == 1 && (len(k.args[0].items) > 0 || len(k.args[0].texts) == 0) {
		return c.same(k)
	}
	out := value{}
	out.push(k.args...)
	for i := range k.keys {
		out.set(k.keys[i].key, k.keys[i].value)
	}
	return out
}

// interpolate puts values into the places of a format.
func (c *reader) interpolate(format string, args []value, keys []keyed) value {
	var parts []value
	next := 0
	take := func(name string) value {
		for i := range keys {
			if keys[i].key == name {
				return keys[i].value
			}
		}
		at, err := strconv.Atoi(name)
		if err != nil {
			at = next
			next++
		}
		if at >= 0 && at < len(args) {
			return args[at]
		}
		return value{}
	}
	for n := 0; n < 256; n++ {
		i := strings.IndexAny(format, "{%")
		if i < 0 || i+1 >= len(format) {
			break
		}
		name, rest := "", ""
		switch j := strings.IndexByte(format[i:], '}'); {
		case format[i] == '{' && j > 0:
			name, rest = format[i+1:i+j], format[i+j+1:]
			if cut := strings.IndexAny(name, "!:.["); cut >= 0 {
				name = name[:cut]
			}
		case format[i+1] == '%' || format[i] == '{':
			parts = append(parts, literal(format[:i+1]))
			format = strings.TrimPrefix(format[i+1:], "%")
			continue
		default:
			end := i + 1
			for end < len(format) && strings.IndexByte("0123456789.-+# $", format[end]) >= 0 {
				end++
			}
			if position, _, ok := strings.Cut(format[i+1:end], "$"); ok {
				at, _ := strconv.Atoi(position)
				name = strconv.Itoa(at - 1)
			}
			rest = format[min(end+1, len(format)):]
		}
		parts = append(parts, literal(format[:i]), take(name))
		format = rest
	}
	return concat(append(parts, literal(format))...)
}

func (c *reader) reverses(k *called) value {
	v, _ := k.subject()
	out := k.derive(v, reversed)
	out.push(v.items...)
	slices.Reverse(out.items)
	return out
}

func (c *reader) cases(k *called) value {
	v, _ := k.subject()
	if k.row.does == "upper" {
		return k.derive(v, strings.ToUpper)
	}
	return k.derive(v, strings.ToLower)
}

func (c *reader) replaces(k *called) value {
	v, args := k.subject()
	if len(args) < 2 {
		return k.derive(v, func(string) string { return gap })
	}
	from, ok := args[0].plain()
	to, also := args[1].plain()
	if !ok || !also || from == "" || len(to) > 64 {
		out := k.derive(v, func(string) string { return gap })
		out.texts = nil
		return out
	}
	return k.derive(v, func(s string) string {
		if len(s)*(1+len(to)/len(from)) > maxText {
			return gap
		}
		return strings.ReplaceAll(s, from, to)
	})
}

func (c *reader) splits(k *called) value {
	v, args := k.subject()
	out := value{from: v.all()}
	text, ok := v.plain()
	separator := ""
	if len(args) > 0 {
		separator, _ = args[0].plain()
	}
	switch {
	case !ok:
		return out
	case len(args) == 0:
		for _, w := range strings.Fields(text) {
			out.push(literal(w))
		}
		return out
	}
	for _, part := range strings.SplitN(text, separator, maxItems) {
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
func (c *reader) chars(k *called) value {
	list := k.args
	if len(list) == 1 && len(list[0].items) > 0 {
		list = list[0].items
	}
	if len(list) == 0 && k.recv.number {
		list = []value{k.recv}
	}
	out := value{from: k.in(), built: true}
	var b strings.Builder
	for i := range list {
		n, ok := integer(&list[i])
		if !ok || n < 0 || n > utf8.MaxRune {
			if len(list) == 1 && len(list[i].texts) > 0 && !list[i].number {
				return list[i] // bytes("text", "utf-8")
			}
			return out
		}
		if n < 0x80 {
			b.WriteByte(byte(n))
		} else {
			b.WriteRune(rune(n))
		}
	}
	if len(list) > 0 {
		out.texts = []string{b.String()}
	}
	return out
}

// numbers is the number that a text says, or that of a character.
func (c *reader) numbers(k *called) value {
	v, args := k.subject()
	text, ok := v.plain()
	_, last, _ := cutLast(k.name)
	switch {
	case !ok:
		return value{from: k.in()}
	case (last == "ord" || last == "charCodeAt" || last == "codePointAt") && text != "":
		at := 0
		if len(args) > 0 {
			at, _ = integer(&args[0])
		}
		if at < 0 || at >= len(text) {
			return value{}
		}
		return value{texts: []string{strconv.Itoa(int(text[at]))}, number: true}
	}
	base := 10
	if len(args) > 0 {
		base, _ = integer(&args[0])
	}
	if last == "hex" || last == "hexdec" {
		base = 16
	}
	if base < 2 || base > 36 {
		return value{}
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(text), "0x"), base, 32)
	if err != nil {
		return value{from: k.in()}
	}
	return value{texts: []string{strconv.FormatInt(n, 10)}, number: true}
}

// maps is a call that applies a function to each item of a list.
func (c *reader) maps(k *called) value {
	list, f := k.recv, k.arg(0)
	if len(k.args) > 1 {
		list = k.args[1]
		if len(k.args[0].items) > 0 && k.args[1].fn != nil {
			list, f = k.args[0], k.args[1]
		}
	}
	one := list.item()
	back := c.callbacks(k, one)
	out := value{from: k.in()}
	out.carry(back.all())
	if len(list.items) == 0 {
		for i := range back.keys {
			out.set(back.keys[i].key, back.keys[i].value)
		}
		return out
	}
	quiet := c.quiet
	c.quiet = true
	var items []value
	for i := range list.items {
		one, g := list.items[i], f
		if f.fn != nil {
			if g = c.apply(f.fn, one, k.s); g.name == "" || len(g.texts) > 0 {
				items = append(items, g)
				continue
			}
		}
		call := &called{n: k.n, name: g.name, args: []value{one}, s: k.s}
		if name, ok := g.plain(); ok {
			call.name = name
			if c.name == "rb" {
				call.name, call.recv, call.args = "?."+name, one, nil
			}
		}
		if call.row = c.calls.find(call.name); call.row != nil {
			items = append(items, c.effect(call))
		}
	}
	out.push(items...)
	c.quiet = quiet
	return out
}

// apply is what a function gives for one argument.
func (c *reader) apply(fn *function, arg value, s *scope) value {
	inner := &scope{vars: map[string]value{}, parent: s}
	if len(fn.params) > 0 {
		c.bind(fn.params[0], arg, inner, "=")
	} else {
		inner.vars["_"], inner.vars["it"], inner.vars["0"] = arg, arg, arg
	}
	v := c.statements(fn.body, inner)
	return either(inner.gives, v)
}

// substr is a part of a text.
func (c *reader) substr(k *called) value {
	v, args := k.subject()
	from, to := 0, 1<<30
	if len(args) > 0 {
		from, _ = integer(&args[0])
	}
	if len(args) > 1 {
		to, _ = integer(&args[1])
	}
	_, last, _ := cutLast(k.name)
	switch {
	case last == "sub" && c.name == "lua" || last == "Mid" || c.name == "awk":
		from--
	}
	if last == "substr" || last == "Mid" || last == "mb_substr" || last == "Substring" {
		to += from
	}
	return k.derive(v, func(s string) string {
		a := clamp(from, len(s))
		return s[a:max(a, clamp(to, len(s)))]
	})
}

// buffer is Buffer.from: bytes of a text, of an encoding or of a list of numbers.
func (c *reader) buffer(k *called) value {
	how := k.arg(1)
	if name, ok := how.plain(); ok && codec(name) != "" {
		return c.decodes(k, codec(name))
	}
	if v := k.arg(0); len(v.items) > 0 {
		return c.chars(k)
	}
	return c.same(k)
}

// unpacks is a call of pack or unpack, which decode base64 and hex.
func (c *reader) unpacks(k *called) value {
	list := append([]value{k.recv}, k.args...)
	for i := range list {
		format, ok := list[i].plain()
		if how := codec(format); ok && how != "" {
			_, last, _ := cutLast(k.name)
			if strings.HasPrefix(last, "pack") && how == "base64" {
				return c.encodes(k)
			}
			for j := range list {
				v := list[j]
				if len(v.items) > 0 {
					v = v.items[0]
				}
				if j != i && (len(v.texts) > 0 || len(v.from) > 0) {
					out := c.decode(k.n, how, v)
					return value{texts: out.texts, from: out.from, built: true, items: []value{out}}
				}
			}
		}
		if ok && (format == "C*" || format == "c*" || format == "U*") {
			numbers := slices.DeleteFunc(slices.Clone(list), func(v value) bool { return !v.number && len(v.items) == 0 })
			return c.chars(&called{n: k.n, name: k.name, args: numbers})
		}
	}
	return c.pass(k)
}

// paths puts a path together.
func (c *reader) paths(k *called) value {
	var parts []value
	list := k.args
	if len(k.recv.texts) > 0 {
		list = slices.Insert(slices.Clone(list), 0, k.recv)
	}
	for i := range list {
		if t, ok := list[i].plain(); ok && (strings.HasPrefix(t, "/") || t == "") {
			if parts = nil; t == "" {
				continue
			}
		}
		if len(parts) > 0 {
			parts = append(parts, literal("/"))
		}
		v := list[i]
		if len(v.items) > 0 {
			v = v.item()
		}
		parts = append(parts, v)
	}
	if len(parts) == 1 && len(parts[0].texts) == 0 {
		return value{from: k.in(), name: k.name, url: parts[0].url, obj: parts[0].obj}
	}
	out := concat(parts...)
	out.name = k.name
	out.built = false
	return out
}

func (c *reader) home(k *called) value {
	return value{texts: []string{"~"}, name: k.name}
}

// adds is a method that puts its arguments into what it is called on.
func (c *reader) adds(k *called) value {
	v, key := k.arg(0), ""
	if len(k.args) != 1 {
		v = value{}
	}
	v.carry(k.in())
	if len(k.args) == 2 {
		key, _ = k.args[0].plain()
		v.texts = k.args[1].texts
	}
	if k.row.does == "header" || headerKey(key) || headerKey(k.recv.lastName()) {
		v.from = headers(v.from)
	}
	out := k.recv
	if out.name == "" {
		out.name = k.name
	}
	out.carry(v.from)
	o := k.recv.obj
	callee := k.n.kids[0]
	switch {
	case o != nil && o.archive:
		c.stores(k.n, literal(o.target), c.holds(k.n, k.arg(0)))
	case o != nil && o.process:
		o.words = append(o.words, c.words(&called{row: &row{}, args: k.args, nodes: k.nodes}, value{})...)
	case k.row.does == "assign":
		for i := range k.args {
			out = either(out, k.args[i])
		}
	case callee.op == opAttr:
		c.addTo(callee.kids[0], key, v, k.s)
	case c.name == "go":
		return concatLists(k.args)
	}
	if n := k.node(0); n != nil && (callee.op != opAttr && len(k.args) > 1 || k.row.does == "assign") {
		rest := k.arg(1)
		c.addTo(n, "", value{from: v.from, texts: rest.texts}, k.s)
	}
	return out
}

// concatLists is append of Go.
func concatLists(list []value) value {
	var out value
	for i := range list {
		if len(list[i].items) > 0 {
			out.push(list[i].items...)
		} else if i > 0 {
			out.push(list[i])
		}
		out.carry(list[i].from)
	}
	return out
}

// decodes is a call that undoes an encoding.
func (c *reader) decodes(k *called, how string) value {
	v := k.main()
	if len(k.args)+len(k.keys) == 0 || how == "named" && (k.recv.name == "" || len(k.recv.texts)+len(k.recv.from) > 0) {
		v = k.recv
		if how == "named" {
			name, _ := k.mainText()
			if how = codec(name); how == "" {
				return c.same(k)
			}
		}
	}
	if how == "named" {
		name := k.arg(1, "encoding")
		text, _ := name.plain()
		if how = codec(text); how == "" {
			return c.same(k)
		}
		if k.name == "codecs.encode" && how != "rot13" {
			return c.encodes(k)
		}
	}
	for i := range k.args {
		v.carry(k.args[i].all())
	}
	return c.decode(k.n, how, v)
}

// decode is what undoing an encoding gives.
func (c *reader) decode(n *node, how string, v value) value {
	out := value{built: true}
	out.carry(v.all())
	undone := false
	for _, t := range v.texts {
		if s, ok := decode(how, t); ok && strings.IndexByte(t, gapOpen) < 0 {
			out.texts = append(out.texts, s)
			undone = true
		}
	}
	out.carry([]source{{what: decoded, name: how, packed: !undone && len(v.texts) > 0 && len(v.texts[0]) > 64}})
	if !undone && len(v.texts) > 0 && len(v.texts[0]) > 1024 {
		c.set.Miss(c.set.Regions[c.region].File, signal.MissedPacked, "data in the code that is packed or encrypted: "+how)
	}
	return out
}

// binary is an expression of two operands.
func (c *reader) binary(n *node, s *scope) value {
	left, right := c.eval(n.kids[0], s), c.eval(n.kids[1], s)
	switch c.strengths[n.text] {
	case 3:
		return either(left, right)
	case 4:
		switch {
		case n.text == "of" && c.name == "scpt":
			return right
		case n.text == "as":
			if n.kids[1].op == opName && c.name == "py" {
				c.bind(n.kids[1], left, s, "=")
			}
			return left
		}
		return value{}
	case 6:
		if n.text != "-" && n.text != "~" || c.concat == "~" {
			return c.sum(n, left, right)
		}
	}
	switch {
	case n.text == "//":
		return either(left, right)
	case n.text == "|":
		return c.bar(n, left, right)
	case !left.number && len(left.texts)+len(right.texts) > 0 && strings.Contains("/%", n.text):
		return c.divide(n, left, right)
	case n.text == "<<" && (c.name == "rb" || c.name == "c"):
		c.addTo(n.kids[0], "", right, s)
		return either(left, right)
	}
	return c.arithmetic(n, left, right)
}

// divide is a path and a name, or a format and its values.
func (c *reader) divide(n *node, left, right value) value {
	if n.text == "/" {
		return c.paths(&called{n: n, args: []value{left, right}, name: left.name})
	}
	args := right.items
	if len(args) == 0 {
		args = []value{right}
	}
	return c.interpolate(text1(left), args, right.keys)
}

// sum is a text and another, a list and another, or two numbers.
func (c *reader) sum(n *node, left, right value) value {
	switch {
	case left.number && right.number && n.text == "+":
		return c.arithmetic(n, left, right)
	case len(left.items) > 0 || len(right.items) > 0:
		out := value{}
		out.push(left.items...)
		out.push(right.items...)
		out.carry(left.from)
		out.carry(right.from)
		return out
	case len(left.texts) == 0 && len(right.texts) == 0:
		left.carry(right.from)
		return left
	}
	return concat(left, right)
}

// bar is a pipe of awk, which goes to or from a command; in other languages either of two.
func (c *reader) bar(n *node, left, right value) value {
	if c.name == "awk" {
		to := right
		if strings.HasPrefix(c.src[n.kids[1].start:], "getline") {
			to = left
		}
		return c.shell(n, to, &called{n: n})
	}
	if left.number && right.number {
		return c.arithmetic(n, left, right)
	}
	return either(left, right)
}

// arithmetic is an operation on two numbers; on others it mixes them.
func (c *reader) arithmetic(n *node, left, right value) value {
	a, ok := integer(&left)
	b, also := integer(&right)
	if ok && also {
		r := 0
		switch n.text {
		case "+":
			r = a + b
		case "-":
			r = a - b
		case "*":
			r = a * b
		case "^":
			r = a ^ b
		case "|":
			r = a | b
		case "&":
			r = a & b
		case "%":
			if b != 0 {
				r = a % b
			}
		case "/":
			if b != 0 {
				r = a / b
			}
		default:
			return value{}
		}
		return value{texts: []string{strconv.Itoa(r)}, number: true}
	}
	out := value{}
	out.carry(left.all())
	out.carry(right.all())
	if n.text == "*" && also && len(left.texts) > 0 && b > 0 && b*len(left.texts[0]) <= 4096 {
		out.texts = []string{strings.Repeat(left.texts[0], b)}
	}
	if n.text == "^" {
		out.carry([]source{{what: decoded, name: "xor"}})
	}
	return out
}
