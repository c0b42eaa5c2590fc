package fact

import (
	"strconv"
	"strings"

	"github.com/vadehq/vade/internal/audit/script"
)

// transform are calls that make a text of texts: their text is known where those are.
func (c *codeReader) transform(k *called) (value, bool) {
	var in value
	in.carry(k.recv.all())
	for i := range k.args {
		in.carry(k.args[i].all())
	}
	out := value{taints: in.taints}
	a := k.arg(0)
	keep := func(v value) (value, bool) {
		out.text, out.known, out.items, out.codes = v.text, v.known, v.items, v.codes
		return out, true
	}
	switch k.name {
	case "str", "bytes", "bytearray", "String", "os.path.expanduser", "os.path.expandvars", "os.path.abspath", "os.path.realpath", "os.path.normpath", "os.fspath", "path.normalize", "pathlib.Path", "pathlib.PurePath", "Path", "path.resolve", "shlex.quote", "glob.glob", "glob.iglob",
		"list", "tuple", "set", "sorted", "iter", "Array.from", "compile", "memoryview", "json.dumps", "JSON.stringify", "io.BytesIO", "io.StringIO", "types.CodeType", "enumerate", "os.walk", "os.listdir", "os.scandir":
		if len(k.args) > 1 && (k.name == "path.resolve") {
			return c.path(k.args, out)
		}
		if a.codes != nil && (k.name == "bytes" || k.name == "bytearray") {
			out.text, out.known = string(a.codes), true
			out.carry([]taint{{does: DecodeData, start: k.n.Start, end: k.n.End, what: "char codes", literal: true}})
			return out, true
		}
		if a.num && k.name != "str" && k.name != "String" {
			return out, true
		}
		v, _ := keep(a)
		v.name = ""
		if strings.HasSuffix(k.name, "Path") {
			v.name = "pathlib.Path()"
		}
		if k.name == "dict" || k.name == "list" || k.name == "sorted" {
			v.keys = a.keys
		}
		return v, true
	case "dict", "OrderedDict", "Object.entries", "Object.fromEntries", "Object.keys", "Object.values", "structuredClone":
		out.keys = a.keys
		for i := range k.keys {
			out.set(k.keys[i].key, k.keys[i].value)
			out.carry(k.keys[i].all())
		}
		return out, true
	case "os.path.join", "path.join", "path.posix.join", "pathlib.Path.joinpath", "pathlib.PurePosixPath":
		return c.path(k.args, out)
	case "pathlib.Path.home", "Path.home", "os.homedir", "homedir", "os.userInfo().homedir":
		out.text, out.known = "~", true
		out.name = "pathlib.Path()"
		return out, true
	case "pathlib.Path.cwd", "os.getcwd", "process.cwd", "os.tmpdir", "tempfile.gettempdir", "os.curdir":
		out.text, out.known = ".", true
		return out, true
	case "chr":
		if n, err := strconv.Atoi(a.text); err == nil && a.num && n >= 0 && n < 0x110000 {
			out.text, out.known = string(rune(n)), true
		}
		out.carry([]taint{{does: DecodeData, start: k.n.Start, end: k.n.End, what: "char codes", literal: a.known}})
		return out, true
	case "map":
		if b := k.arg(1); a.name == "chr" {
			out.taints = b.all()
			out.text, out.known = string(b.codes), b.codes != nil
			out.carry([]taint{{does: DecodeData, start: k.n.Start, end: k.n.End, what: "char codes", literal: b.codes != nil}})
			return out, true
		}
	case "reversed":
		if a.plain() && c.fold(len(a.text)) {
			out.text, out.known = turned(a.text), true
		}
		c.turns(&out, a, k.n)
		return out, true
	case "Buffer.from":
		enc := k.arg(1).text
		switch enc {
		case "base64", "base64url", "hex":
			return c.decode(k, strings.TrimSuffix(enc, "url"), a), true
		}
		if a.codes != nil {
			out.text, out.known = string(a.codes), true
			out.carry([]taint{{does: DecodeData, start: k.n.Start, end: k.n.End, what: "char codes", literal: true}})
			return out, true
		}
		return keep(a)
	}
	if k.n.Kids[0].Op != script.Attr {
		return out, false
	}
	return c.method(k, out)
}

// path joins parts of a path.
func (c *codeReader) path(parts []value, out value) (value, bool) {
	var list []value
	for i, p := range parts {
		if i > 0 {
			list = append(list, text("/"))
		}
		list = append(list, p)
	}
	v := c.join(list...)
	out.text, out.known = v.text, v.known
	// One of several where a part is one of several.
	for i, p := range parts {
		if len(p.items) == 0 {
			continue
		}
		for j := range p.items {
			if len(out.items) >= maxItems {
				break
			}
			alt := append([]value(nil), list...)
			alt[2*i] = p.items[j]
			out.items = append(out.items, c.join(alt...))
		}
		break
	}
	return out, true
}

// method are methods of texts and lists.
func (c *codeReader) method(k *called, out value) (value, bool) {
	_, last := cutLast(k.name)
	r, a := k.recv, k.arg(0)
	same := func() (value, bool) {
		out.text, out.known, out.items = r.text, r.known, r.items
		return out, true
	}
	switch last {
	case "decode", "encode":
		if how := a.text; a.known && last == "decode" {
			switch how {
			case "hex", "base64", "zlib", "rot13", "bz2":
				return c.decode(k, how, r), true
			}
		}
		return same()
	case "strip", "rstrip", "lstrip", "trim", "toString", "expanduser", "as_posix", "copy", "absolute", "resolve", "iterdir", "flat", "valueOf", "trimEnd", "trimStart":
		if encodes(k) {
			return out, false
		}
		if r.known || len(r.items) > 0 {
			return same()
		}
	case "joinpath", "glob", "rglob":
		if r.known {
			return c.path(append([]value{r}, k.args...), out)
		}
	case "join":
		if c.lang == script.JavaScript {
			// The separator is the argument.
			r, a = a, r
			if !r.known {
				r = text(",")
			}
		}
		if len(a.items) > 0 {
			var list []value
			for i := range a.items {
				if i > 0 && r.text != "" {
					list = append(list, r)
				}
				list = append(list, a.items[i])
			}
			v := c.join(list...)
			out.text, out.known = v.text, v.known
			if len(a.taints) > 0 && len(a.items) == maxItems {
				out.known = false
			}
			return out, true
		}
		if a.known && r.text == "" {
			out.text, out.known = a.text, true
			return out, true
		}
		return out, true
	case "replace", "replaceAll":
		b := k.arg(1)
		if r.plain() && a.plain() && b.plain() && a.text != "" && len(b.text) <= 64 && c.fold(len(r.text)*(1+len(b.text)/len(a.text))) {
			out.text, out.known = strings.ReplaceAll(r.text, a.text, b.text), true
			return out, true
		}
	case "lower", "toLowerCase":
		if r.known {
			out.text, out.known = strings.ToLower(r.text), true
			return out, true
		}
	case "format":
		if r.known {
			v := c.fill(k)
			out.text, out.known = v.text, v.known
			for i := range k.keys {
				out.carry(k.keys[i].all())
			}
			return out, true
		}
	case "concat":
		v := c.join(append([]value{r}, k.args...)...)
		if r.known {
			out.text, out.known = v.text, v.known
		}
		return out, true
	case "split":
		if r.plain() && a.plain() && len(k.args) == 1 && r.text != "" && len(r.text) < maxText {
			if a.text == "" {
				// Its letters, mostly to be turned round.
				out.text, out.known = r.text, true
				return out, true
			}
			parts := strings.Split(r.text, a.text)
			if len(parts) <= maxItems {
				for _, p := range parts {
					out.items = append(out.items, text(p))
				}
				return out, true
			}
		}
	case "reverse":
		if r.plain() && r.text != "" && c.lang == script.JavaScript {
			out.text, out.known = turned(r.text), true
			out.carry([]taint{{does: DecodeData, start: k.n.Start, end: k.n.End, what: "reversed", literal: true}})
			return out, true
		}
	}
	return out, false
}

// fill puts values into the braces of a text: "{}".format(x).
func (c *codeReader) fill(k *called) value {
	rest := k.recv.text
	if !c.fold(len(rest)) {
		return value{}
	}
	var list []value
	next := 0
	for n := 0; n < 200; n++ {
		i := strings.IndexByte(rest, '{')
		if i < 0 {
			break
		}
		j := strings.IndexByte(rest[i:], '}')
		if j < 0 {
			break
		}
		name := rest[i+1 : i+j]
		if cut := strings.IndexAny(name, "!:.["); cut >= 0 {
			name = name[:cut]
		}
		v := value{}
		if at, err := strconv.Atoi(name); err == nil {
			v = k.arg(at)
		} else if name == "" {
			v = k.arg(next)
			next++
		} else {
			v = k.arg(-1, name)
		}
		list = append(list, text(rest[:i]), v)
		rest = rest[i+j+1:]
	}
	return c.join(append(list, text(rest))...)
}

// decode is what undoing an encoding gives.
func (c *codeReader) decode(k *called, how string, in value) value {
	var out value
	out.carry(in.all())
	out.carry([]taint{{does: DecodeData, start: k.n.Start, end: k.n.End, what: how, literal: in.known || in.codes != nil}})
	if in.codes != nil && !in.known {
		in.text, in.known = string(in.codes), true
	}
	if how == "bz2" {
		how = "bzip2"
	}
	if !in.plain() || in.num || in.text == "" {
		return out
	}
	if c.fold(len(in.text)) {
		if s, ok := decoded(how, in.text); ok && len(s) <= maxText {
			out.text, out.known = s, true
			return out
		}
	}
	if c.last && opaque(in.text) {
		c.f.miss(c.r.File, MissedPacked, "data in the code that is packed or encrypted: "+how)
	}
	return out
}
