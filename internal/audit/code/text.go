package code

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/audit/signal"
)

// subject is what a function on texts works on: what it is called on or the argument that the row
// names. The rest are the other arguments.
func (k *call) subject() (value, []value) {
	v := k.recv
	known := len(v.texts)+len(v.items) > 0 || len(v.from) > 0 && len(k.args) == 0
	switch {
	case known || strings.HasPrefix(k.name, "?"):
		return v, k.args
	case k.row != nil && k.row.arg > 0 && k.row.arg < len(k.args):
		return k.args[k.row.arg], k.args[:k.row.arg]
	case len(k.args) > 0:
		return k.args[0], k.args[1:]
	case len(k.keys) > 0:
		return k.keys[0].value, nil
	}
	return v, nil
}

// parts are what a call is called on, if that is known, and its arguments.
func (k *call) parts() []value {
	if len(k.recv.texts)+len(k.recv.items) > 0 {
		return slices.Insert(slices.Clone(k.args), 0, k.recv)
	}
	return k.args
}

// number is an argument that is a number.
func numberOf(args []value, i, otherwise int) int {
	if i < len(args) {
		if n, ok := integer(&args[i]); ok {
			return n
		}
	}
	return otherwise
}

// derive is a value made of another by changing its texts.
func (k *call) derive(v value, change func(string) string) value {
	out := value{from: v.from, built: true, obj: v.obj}
	out.carry(k.in())
	for _, t := range v.texts {
		out.texts = append(out.texts, change(t))
	}
	return out
}

// same gives what it gets.
func (c *reader) same(k *call) value {
	v, _ := k.subject()
	last := lastPart(k.name)
	if r := k.recv; len(v.texts)+len(v.items) == 0 && (r.obj != nil || r.name != "") && k.n.op == opCall && k.n.kids[0].op == opAttr {
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
	if v.number = false; v.name == "" {
		v.name = k.name
	}
	c.callbacks(k, v)
	return v
}

// joins puts the items of a list together.
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
	if len(list.items) == 0 {
		if len(k.recv.texts) > 0 && k.recv.texts[0] == "" && len(k.args) == 1 && len(k.args[0].texts) > 0 {
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
	var parts []value
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

// concats puts texts or lists together.
func (c *reader) concats(k *call) value {
	list := k.parts()
	if len(list) > 0 && len(list[0].items) > 0 {
		out := value{from: k.in()}
		for i := range list {
			out.push(list[i].items...)
		}
		return out
	}
	out := concat(list...)
	if strings.HasSuffix(k.name, "cpy") && len(list) > 1 {
		out = list[1]
	}
	c.fills(k, out)
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
	if at := k.row.arg; at > 0 && at < len(k.args) {
		format, args = k.args[at], k.args[at+1:]
	} else if c.name == "go" && len(k.args) > 0 {
		format, args = k.args[0], k.args[1:]
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

// interpolate puts values into the places of a format.
func interpolate(format string, args []value, keys []keyed) value {
	var parts []value
	next := 0
	for range 256 {
		i := strings.IndexAny(format, "{%")
		if i < 0 || i+1 >= len(format) {
			break
		}
		name, size := place(format[i:])
		if size == 0 {
			parts = append(parts, literal(format[:i+1]))
			format = strings.TrimPrefix(format[i+1:], "%")
			continue
		}
		v, ok := (&value{keys: keys}).get(name)
		at, err := strconv.Atoi(name)
		if err != nil {
			at = next
		}
		if !ok && at >= 0 && at < len(args) {
			v = args[at]
		}
		if !ok && err != nil {
			next++
		}
		parts = append(parts, literal(format[:i]), v)
		format = format[i+size:]
	}
	return concat(append(parts, literal(format))...)
}

// place is the name or number of the value that belongs where a format has { or %, and how long
// that is; 0 if there is none.
func place(format string) (string, int) {
	if format[0] == '{' {
		end := strings.IndexByte(format, '}')
		if end < 0 {
			return "", 0
		}
		name := format[1:end]
		if cut := strings.IndexAny(name, "!:.["); cut >= 0 {
			name = name[:cut]
		}
		return name, end + 1
	}
	if format[1] == '%' {
		return "", 0
	}
	end := 1
	for end < len(format) && strings.IndexByte("0123456789.-+# $", format[end]) >= 0 {
		end++
	}
	name := ""
	if position, _, ok := strings.Cut(format[1:end], "$"); ok {
		at, _ := strconv.Atoi(position)
		name = strconv.Itoa(at - 1)
	}
	return name, min(end+1, len(format))
}

// changes the letters of a text.
func (c *reader) changesText(k *call) value {
	v, _ := k.subject()
	switch k.row.does {
	case "upper":
		return k.derive(v, strings.ToUpper)
	case "lower":
		return k.derive(v, strings.ToLower)
	}
	out := k.derive(v, reversed)
	out.items = slices.Clone(v.items)
	slices.Reverse(out.items)
	return out
}

func (c *reader) replaces(k *call) value {
	v, args := k.subject()
	if len(args) < 2 {
		return k.derive(v, func(string) string { return gap })
	}
	from, ok := args[0].plain()
	to, also := args[1].plain()
	if !ok || !also || from == "" || len(to) > 64 {
		v.texts = nil
	}
	return k.derive(v, func(s string) string {
		if len(s)*(1+len(to)/len(from)) > maxText {
			return gap
		}
		return strings.ReplaceAll(s, from, to)
	})
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
	}
	if len(list) == 0 && k.recv.number {
		list = []value{k.recv}
	}
	out := value{from: k.in(), built: true}
	var b []byte
	for i := range list {
		n, ok := integer(&list[i])
		if !ok || n < 0 || n > utf8.MaxRune {
			if len(list) == 1 && len(list[i].texts) > 0 && !list[i].number {
				return list[i] // bytes("text", "utf-8")
			}
			return out
		}
		if n < 0x80 {
			b = append(b, byte(n))
		} else {
			b = utf8.AppendRune(b, rune(n))
		}
	}
	if len(list) > 0 {
		out.texts = []string{string(b)}
	}
	return out
}

// numbers is the number that a text says, or that of a character.
func (c *reader) numbers(k *call) value {
	v, args := k.subject()
	text, ok := v.plain()
	n, err := 0, strconv.ErrSyntax
	switch last := lastPart(k.name); {
	case !ok:
	case last == "ord" || strings.HasSuffix(last, "CodeAt") || strings.HasSuffix(last, "PointAt"):
		if at := numberOf(args, 0, 0); at >= 0 && at < len(text) {
			n, err = int(text[at]), nil
		}
	default:
		base := numberOf(args, 0, 10)
		if strings.HasPrefix(last, "hex") {
			base = 16
		}
		if base >= 2 && base <= 36 {
			var wide int64
			wide, err = strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(text), "0x"), base, 32)
			n = int(wide)
		}
	}
	if err != nil {
		return value{from: k.in()}
	}
	return value{texts: []string{strconv.Itoa(n)}, number: true}
}

// maps is a call that applies a function to each item of a list.
func (c *reader) maps(k *call) value {
	list, f := k.recv, k.arg(0)
	if len(k.args) > 1 {
		list = k.args[1]
		if f.fn == nil && list.fn != nil {
			list, f = f, list
		}
	}
	out := value{from: k.in()}
	back := c.callbacks(k, list.item())
	out.carry(back.from)
	if len(list.items) == 0 {
		out.set(back.keys...)
		return out
	}
	quiet := c.quiet
	c.quiet = true
	for _, one := range list.items {
		if f.fn != nil {
			g := c.apply(f.fn, []value{one}, nil)
			if g.name == "" || len(g.texts) > 0 {
				out.push(g)
				continue
			}
			f.name = g.name
		}
		k := &call{n: k.n, name: f.name, args: []value{one}, s: k.s}
		if name, ok := f.plain(); ok {
			k.name = name
			if c.name == "rb" {
				k.name, k.recv, k.args = "?."+name, one, nil
			}
		}
		if k.row = c.calls.find(k.name); k.row != nil {
			out.push(c.effect(k))
		}
	}
	c.quiet = quiet
	return out
}

// substr is a part of a text.
func (c *reader) substr(k *call) value {
	v, args := k.subject()
	from, to := numberOf(args, 0, 0), numberOf(args, 1, 1<<30)
	last := lastPart(k.name)
	if last == "sub" && c.name == "lua" || last == "Mid" || c.name == "awk" {
		from--
	}
	if last != "slice" && last != "substring" && last != "sub" {
		to += from
	}
	return k.derive(v, func(s string) string {
		a := clamp(from, len(s))
		return s[a:max(a, clamp(to, len(s)))]
	})
}

// buffer is Buffer.from: bytes of a text, of an encoding or of a list of numbers.
func (c *reader) buffer(k *call) value {
	how := k.arg(1)
	if name := codec(how.text()); name != "" {
		return c.decodes(k, name)
	}
	if v := k.arg(0); len(v.items) > 0 {
		return c.chars(k)
	}
	return c.same(k)
}

// unpacks is a call of pack or unpack, which decode base64 and hex.
func (c *reader) unpacks(k *call) value {
	list := append([]value{k.recv}, k.args...)
	at := slices.IndexFunc(list, func(v value) bool { return packFormat(v.text()) != "" })
	if at < 0 {
		return c.pass(k)
	}
	how := packFormat(list[at].text())
	rest := slices.Delete(list, at, at+1)
	switch {
	case how == "chars":
		rest = slices.DeleteFunc(rest, func(v value) bool { return !v.number && len(v.items) == 0 })
		return c.chars(&call{n: k.n, name: k.name, args: rest})
	case strings.HasPrefix(lastPart(k.name), "pack") && how == "base64":
		return c.encodes(k)
	}
	for _, v := range rest {
		if len(v.items) > 0 {
			v = v.items[0]
		}
		if len(v.texts) > 0 || len(v.from) > 0 {
			out := c.decode(k.n, how, v)
			out.items = []value{out}
			return out
		}
	}
	return c.pass(k)
}

// packFormat is what a format of pack and unpack stands for.
func packFormat(format string) string {
	switch format {
	case "C*", "c*", "U*":
		return "chars"
	case gap:
		return ""
	}
	return codec(format)
}

// paths puts a path together.
func (c *reader) paths(k *call) value {
	var parts []value
	for _, v := range k.parts() {
		if t, ok := v.plain(); ok && (strings.HasPrefix(t, "/") || t == "") {
			if parts = nil; t == "" {
				continue
			}
		}
		if len(parts) > 0 {
			parts = append(parts, literal("/"))
		}
		if len(v.items) > 0 {
			v = v.item()
		}
		parts = append(parts, v)
	}
	if len(parts) == 1 && len(parts[0].texts) == 0 {
		return value{from: k.in(), name: k.name, obj: parts[0].obj}
	}
	out := concat(parts...)
	out.name, out.built = k.name, false
	return out
}

// adds is a method that puts its arguments into what it is called on.
func (c *reader) adds(k *call) value {
	var v value
	key := ""
	switch rest := k.arg(1); len(k.args) {
	case 1:
		v = k.args[0]
	case 2:
		key, _ = k.args[0].plain()
		v.texts = rest.texts
	}
	v.carry(k.in())
	if k.row.does == "header" || headerKey(key) || headerKey(lastPart(k.recv.name)) {
		v.from = headers(v.from)
	}
	out := k.recv
	if out.name == "" {
		out.name = k.name
	}
	out.carry(v.from)
	o, callee := k.recv.obj, k.n.kids[0]
	switch {
	case o != nil && o.archive:
		c.stores(k.n, literal(o.target), c.holds(k.n, k.arg(0)))
	case o != nil && o.process:
		o.words = append(o.words, c.words(k, 0)...)
	case callee.op == opAttr && k.row.does != "assign":
		c.addTo(callee.kids[0], key, v, k.s)
	case c.name == "go":
		return appended(k.args)
	}
	if n := k.node(0); n != nil && (callee.op != opAttr && len(k.args) > 1 || k.row.does == "assign") {
		rest := k.arg(1)
		c.addTo(n, "", value{from: v.from, texts: rest.texts}, k.s)
		for i := range k.args {
			out = either(out, k.args[i])
		}
	}
	return out
}

// appended is append of Go.
func appended(list []value) value {
	var out value
	for i := range list {
		if i == 0 || len(list[i].items) > 0 {
			out.push(list[i].items...)
			out.carry(list[i].from)
		} else {
			out.push(list[i])
		}
	}
	return out
}

// decodes is a call that undoes an encoding, which an argument names if it is "named".
func (c *reader) decodes(k *call, how string) value {
	v := k.main()
	encoding := k.arg(1, "encoding")
	method := how == "named" && (k.recv.name == "" || len(k.recv.texts)+len(k.recv.from) > 0)
	if len(k.args)+len(k.keys) == 0 || method {
		v, encoding = k.recv, k.arg(0)
	}
	if how == "named" {
		how = codec(encoding.text())
		switch {
		case how == "":
			return c.same(k)
		case k.name == "codecs.encode" && how != "rot13":
			return c.encodes(k)
		}
	}
	for i := range k.args {
		v.carry(k.args[i].from)
	}
	return c.decode(k.n, how, v)
}

// decode is what undoing an encoding gives.
func (c *reader) decode(n *node, how string, v value) value {
	out := value{built: true, from: v.from}
	for _, t := range v.texts {
		if s, ok := decode(how, t); ok && strings.IndexByte(t, gapOpen) < 0 {
			out.texts = append(out.texts, s)
		}
	}
	size := len(v.text())
	packed := len(out.texts) == 0
	out.carry([]source{{what: decoded, name: how, packed: packed && size > 64}})
	if packed && size > 1024 {
		c.set.Miss(c.set.Regions[c.region].File, signal.MissedPacked, "data in the code that is packed or encrypted: "+how)
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
	strength := c.strengths[n.text]
	texts := !left.number && len(left.texts)+len(right.texts) > 0
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
	case strength == 3, n.text == "//", n.text == "|" && !(left.number && right.number):
		return either(left, right)
	case strength == 6 && n.text != "-" && (n.text != "~" || c.concat == "~"):
		return c.sum(n, left, right)
	case n.text == "/" && texts:
		return c.paths(&call{n: n, args: []value{left, right}, name: left.name})
	case n.text == "%" && texts:
		args := right.items
		if len(args) == 0 {
			args = []value{right}
		}
		return interpolate(left.text(), args, right.keys)
	case n.text == "<<" && (c.name == "rb" || c.name == "c"):
		c.addTo(n.kids[0], "", right, s)
		return either(left, right)
	}
	return c.arithmetic(n, left, right)
}

// sum is a text and another, a list and another, or two numbers.
func (c *reader) sum(n *node, left, right value) value {
	switch {
	case left.number && right.number && n.text == "+":
		return c.arithmetic(n, left, right)
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

// arithmetic is an operation on two numbers; on others it mixes them.
func (c *reader) arithmetic(n *node, left, right value) value {
	a, ok := integer(&left)
	b, also := integer(&right)
	out := value{from: left.from}
	out.carry(right.from)
	switch {
	case ok && also:
		r, known := calculate(n.text, a, b)
		if !known {
			return value{}
		}
		return value{texts: []string{strconv.Itoa(r)}, number: true}
	case n.text == "*" && also && len(left.texts) > 0 && b > 0 && b*len(left.texts[0]) <= 4096:
		out.texts = []string{strings.Repeat(left.texts[0], b)}
	case n.text == "^":
		out.carry([]source{{what: decoded, name: "xor"}})
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
	case "%", "/":
		if b == 0 {
			return 0, false
		}
		if operator == "/" {
			return a / b, true
		}
		return a % b, true
	}
	return 0, false
}
