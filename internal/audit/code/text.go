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

// subject returns the value that a string function operates on, along with the remaining arguments.
// This value is the receiver or the argument that the row specifies.
func (k *call) subject() (value, []value) {
	known := k.recv.known || len(k.recv.items) > 0 || len(k.recv.sources) > 0 && len(k.args) == 0
	switch {
	case known || strings.HasPrefix(k.name, "?"):
		return k.recv, k.args
	case len(k.args) > 0:
		at := k.row.arg % len(k.args)
		return k.args[at], slices.Concat(k.args[:at], k.args[at+1:])
	case len(k.keys) > 0:
		return k.keys[0], nil
	}
	return k.recv, nil
}

// identity handles calls that return their argument unchanged.
func (c *reader) identity(k *call) value {
	v, _ := k.subject()
	v.addSources(k.allSources())
	if !v.known && len(v.items) > 0 && v.items[0].number && c.name != "py" {
		return c.chars(&call{n: k.n, args: []value{v}})
	}
	v.number, v.name = false, cmp.Or(v.name, k.name)
	return v
}

// changesText handles calls that change a string.
func (c *reader) changesText(k *call) value {
	v, args := k.subject()
	args = append(slices.Clip(args), value{}, value{})
	out := value{sources: v.sources, built: true, obj: v.obj, items: v.items}
	out.addSources(k.allSources())
	if k.row.effect == "reverse" {
		out.items = slices.Clone(v.items)
		slices.Reverse(out.items)
	}
	if v.known {
		out.text, out.known = changedText(k.row.effect, v.text, args[0], args[1])
	}
	return out
}

func changedText(how, s string, a, b value) (string, bool) {
	switch how {
	case "upper":
		return strings.ToUpper(s), true
	case "lower":
		return strings.ToLower(s), true
	case "reverse":
		r := []rune(s)
		slices.Reverse(r)
		return string(r), true
	case "replace":
		from, ok := a.exactText()
		to, also := b.exactText()
		if !ok || !also || from == "" || len(s)*(1+len(to)/len(from)) > maxText {
			return "", false
		}
		return strings.ReplaceAll(s, from, to), true
	}
	from, _ := integer(&a)
	to, ok := integer(&b)
	if !ok {
		to = len(s)
	} else if how == "substr" {
		to += from
	}
	from = max(0, min(from, len(s)))
	return s[from:max(from, min(to, len(s)))], true
}

// joins handles calls that join a list with a separator.
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
	out := joined(list.items, strings.Trim(separator.text, gap))
	if k.recv.known && k.recv.text == "" && len(list.items) == 0 && len(k.args) == 1 {
		out.text, out.known = k.args[0].text, k.args[0].known
	}
	out.addSources(k.allSources())
	out.built = true
	return out
}

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

// concats handles calls that join strings, lists or, if the row says so, path elements.
func (c *reader) concats(k *call) value {
	list := k.args
	if k.recv.known || len(k.recv.items) > 0 {
		list = slices.Insert(slices.Clone(k.args), 0, k.recv)
	}
	if k.row.effect == "path" {
		return pathOf(k.name, list...)
	}
	var out value
	for i, v := range list {
		if out = plus(out, v); i == 0 {
			out = v
		}
	}
	out.addSources(k.allSources())
	return out
}

// pathOf joins path elements.
func pathOf(name string, list ...value) value {
	out := joined(list, "/")
	out.name, out.built = name, false
	return out
}

// lists handles calls that return a list of their arguments.
func (c *reader) lists(k *call) value {
	if len(k.args) == 1 && !k.args[0].known {
		return c.identity(k)
	}
	var out value
	out.add(k.args...)
	return out
}

// formats handles format strings with {}, {name} and %s.
func (c *reader) formats(k *call) value {
	format, args := k.subject()
	if text, ok := format.exactText(); ok {
		return interpolate(text, args, k.keys)
	}
	return value{sources: k.allSources()}
}

// placeholder matches {name}, {0:x} or %s in a format string.
var placeholder = lazyregexp.New(`\{(\w*)[^{}]*\}|%[-+# 0-9.]*[a-zA-Z@]`)

// interpolate inserts values into a format string.
func interpolate(format string, args, keys []value) value {
	var parts []value
	next, from := 0, 0
	for _, m := range placeholder().FindAllStringSubmatchIndex(format, 256) {
		at := next
		v, ok := value{}, false
		if m[2] >= 0 && m[3] > m[2] {
			v, ok = (&value{items: keys}).get(format[m[2]:m[3]])
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

// writesJSON handles calls that return an object as JSON or write it to the stream in their second
// argument.
func (c *reader) writesJSON(k *call) value {
	c.checkKeyCollection(k, k.arg(0).sources)
	out := c.json(k.arg(0))
	out.addSources(k.allSources())
	if k.row.arg == 1 {
		return c.puts(&call{n: k.n, recv: k.arg(1, "fp"), args: []value{out}, row: k.row, s: k.s})
	}
	return out
}

// checkKeyCollection adds a signal if one string contains API keys for multiple services.
func (c *reader) checkKeyCollection(k *call, from []source) {
	owners := map[string]bool{}
	var keys []string
	for _, s := range from {
		if slices.Contains(s.tags, "env-secret") {
			owner, _, _ := strings.Cut(s.name, "_")
			owners[owner] = true
			keys = append(keys, s.name)
		}
	}
	if len(owners) > 1 {
		c.addSignal(signal.Read, k.n, c.excerpt(k.n), strings.Join(keys, ", "), "env-secret", "gathered")
	}
}

// json formats a list or object approximately as JSON.
func (c *reader) json(v value) value {
	c.steps++
	if len(v.items) == 0 || c.steps > maxSteps {
		return v
	}
	var parts []value
	for _, item := range v.items {
		part := c.json(item)
		if item.key != "" {
			part = concat(literal(strconv.Quote(item.key)+": "), part)
		}
		parts = append(parts, part)
	}
	out := concat(literal("{"), joined(parts, ", "), literal("}"))
	out.obj = v.obj
	c.steps += out.size()
	return out
}

func (c *reader) splits(k *call) value {
	v, args := k.subject()
	out := value{sources: v.sources}
	text, ok := v.exactText()
	if !ok {
		return out
	}
	parts := strings.Fields(text)
	if len(args) > 0 {
		separator, _ := args[0].exactText()
		parts = strings.SplitN(text, separator, maxItems)
	}
	for _, part := range parts {
		out.items = append(out.items, literal(part))
	}
	return out
}

// integer parses the text of v as an integer and reports whether it is one.
func integer(v *value) (int, bool) {
	t, ok := v.exactText()
	if !ok || len(t) > 12 {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(t, "_", ""), 0, 32)
	return int(n), err == nil
}

func numeral(n int) value { return value{text: strconv.Itoa(n), known: true, number: true} }

// chars handles calls that build a string from character codes.
func (c *reader) chars(k *call) value {
	list := k.args
	if len(list) == 1 && len(list[0].items) > 0 {
		list = list[0].items
	}
	out := value{sources: k.allSources(), built: true}
	var b []byte
	for i := range list {
		n, ok := integer(&list[i])
		switch {
		case len(list) == 1 && list[i].known && !list[i].number:
			return list[i] // bytes("text", "utf-8")
		case !ok || n < 0 || n > utf8.MaxRune:
			return out
		}
		b = utf8.AppendRune(b, rune(n))
	}
	out.text, out.known = string(b), true
	return out
}

// numbers handles calls that parse a string as a number or return the code of its first character.
func (c *reader) numbers(k *call) value {
	v, _ := k.subject()
	n, ok := integer(&v)
	if text, _ := v.exactText(); k.row.effect == "ord" && text != "" {
		n, ok = int(text[0]), true
	}
	if !ok {
		return value{sources: k.allSources()}
	}
	return numeral(n)
}

// maps handles calls that apply a function to each item in a list.
func (c *reader) maps(k *call) value {
	list, f := k.recv, k.arg(0)
	if len(k.args) > 1 {
		list = k.args[1]
	}
	out := value{sources: k.allSources()}
	if len(list.items) == 0 {
		out.addSources(c.callbacks(k, list.anyItem()).sources)
	}
	name := cmp.Or(f.name, strings.Trim(f.text, gap))
	for _, item := range list.items {
		item.key = ""
		out.add(c.resolve(&call{n: k.n, name: name, args: []value{item}, s: k.s}, f))
	}
	return out
}

// unpacks handles calls in which an argument names the encoding to decode, such as codecs.decode,
// Buffer.from and unpack.
func (c *reader) unpacks(k *call) value {
	list := slices.Concat([]value{k.recv}, k.args, k.keys)
	for i := range list {
		format := list[i].text
		how := codec(format)
		rest := slices.Delete(slices.Clone(list), i, i+1)
		for _, v := range rest {
			if len(v.items) > 0 {
				v = v.items[0]
			}
			if how != "" && (v.known || len(v.sources) > 0) {
				return c.decode(k.n, how, v)
			}
		}
	}
	return c.identity(k)
}

// codec converts the name of a Python or Node.js codec, or a pack format, to the name of an
// encoding.
func codec(name string) string {
	for _, how := range [...]string{"base64", "hex", "rot13", "zlib", "bzip2"} {
		if wordIs(name, how) {
			return how
		}
	}
	return ""
}

// adds handles methods that append their arguments to the receiver.
func (c *reader) adds(k *call) value {
	v, key := k.arg(0), ""
	if len(k.args) == 2 {
		key, _ = v.exactText()
		v = k.args[1]
	}
	v.addSources(k.allSources())
	if k.row.effect == "header" || wordIs(key, "header") || wordIs(lastPart(k.recv.name), "header") {
		v.sources = markHeaders(v.sources)
	}
	out := k.recv
	out.name = cmp.Or(out.name, k.name)
	out.addSources(v.sources)
	o, n := k.recv.obj, k.owner()
	switch {
	case o != nil && o.archive:
		c.storeFile(k.n, literal(o.target), c.fileSources(k.n, k.arg(0)))
	case n != nil:
		c.addTo(n, key, v, k.s)
	}
	return out
}

// decodes handles calls that decode their argument. If how is "named", another argument names the
// encoding.
func (c *reader) decodes(k *call, how string) value {
	if how == "named" {
		return c.unpacks(k)
	}
	v := k.mainArg()
	if len(k.args)+len(k.keys) == 0 {
		v = k.recv
	}
	v.addSources(k.allSources())
	return c.decode(k.n, how, v)
}

func (c *reader) decode(n *node, how string, v value) value {
	out := value{built: true, sources: v.sources}
	if t, ok := v.exactText(); ok {
		out.text, out.known = decode.Text(how, t)
	}
	out.addSources([]source{{kind: decoded, name: how}})
	if !out.known && len(v.text) > 1024 {
		c.set.Miss(c.set.Regions[c.region].File, signal.MissedPacked, "packed or encrypted data in the code: "+how)
	}
	return out
}

// encodes handles calls that encode or encrypt.
func (c *reader) encodes(k *call) value {
	s := source{kind: encoded, name: k.name}
	if k.row.effect == "encrypt" {
		s.kind = encrypted
	}
	out := value{sources: k.allSources(), name: k.name}
	out.addSources([]source{s})
	return out
}

func (c *reader) binary(n *node, s *scope) value {
	left, right := c.eval(n.kids[0], s), c.eval(n.kids[1], s)
	c.steps += left.size() + right.size()
	strength := c.precedences[n.text]
	switch {
	case n.text == "as":
		if n.kids[1].op == opName && c.name == "py" {
			c.bind(n.kids[1], left, s, "=")
		}
		return left
	case strength == 4:
		return value{}
	case strength == 3, oneOf(n.text, "// |"):
		return merge(left, right)
	case strength == 6 && n.text != "-" && !(left.number && right.number):
		return plus(left, right)
	case n.text == "<<":
		c.addTo(n.kids[0], "", right, s)
	case n.text == "/" && !left.number && (left.known || right.known):
		return pathOf(left.name, left, right)
	}
	return arithmetic(n.text, left, right)
}

// plus concatenates two strings or two lists.
func plus(left, right value) value {
	if len(left.items)+len(right.items) == 0 {
		return concat(left, right)
	}
	out := value{sources: left.sources}
	out.add(left.items...)
	out.add(right.items...)
	out.addSources(right.sources)
	return out
}

// arithmetic evaluates an operation on two numbers, or applies a format string to its values. For
// any other operation, the result has only the operands' sources.
func arithmetic(operator string, left, right value) value {
	out := value{sources: left.sources}
	out.addSources(right.sources)
	if operator == "^" {
		out.addSources([]source{{kind: decoded, name: "xor"}})
		if !left.number && len(left.text) == 1 {
			left = numeral(int(left.text[0])) // a Python byte
		}
	}
	if operator == "%" && left.known && !left.number {
		args := right.items
		if len(args) == 0 {
			args = []value{right}
		}
		return interpolate(left.text, args, right.items)
	}
	a, known := integer(&left)
	b, also := integer(&right)
	switch operator {
	case "+":
		a += b
	case "-":
		a -= b
	case "*":
		a *= b
	case "^":
		a ^= b
	default:
		known = false
	}
	if known && also {
		out.text, out.known, out.number = strconv.Itoa(a), true, true
	}
	return out
}
