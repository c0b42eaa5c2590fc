package fact

import (
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/audit/script"
)

// The bounds of what is known of a value: how much text, how many items, and from how
// many places it comes.
const (
	maxText   = 256 << 10
	maxItems  = 64
	maxTaints = 12
	maxKeys   = 64
	// maxFolded is how much text is put together for one piece of code.
	maxFolded = 8 << 20
)

// unknown stands in a text for a part that is not known.
const unknown = "\x00"

// value is what is known of the value of an expression.
type value struct {
	// text is what it is, with [unknown] for parts; known: there is such a text.
	text  string
	known bool
	num   bool
	// name is that of a module or a function, or of what a function of it gave: with ().
	name string
	// taints are where it comes from.
	taints []taint
	items  []value
	// codes are the numbers of a list that has nothing else.
	codes []byte
	keys  []keyed
	fn    *script.Func
	obj   *object
}

type keyed struct {
	key string
	value
}

// object is something that is opened: a file or a connection.
type object struct {
	// where is its path or address.
	where  string
	writes bool
}

// taint says that a value comes from something.
type taint struct {
	does       Effect
	start, end int
	what       string
	class      PathClass
	// part is how it was put into a thing that is sent: "header" or "".
	part string
	// picked: only a part of it was taken, by name. literal: it stands in the code.
	picked, literal bool
}

func text(s string) value { return value{text: s, known: true} }

// plain reports whether all of the text is known.
func (v value) plain() bool { return v.known && !strings.Contains(v.text, unknown) }

func (v value) has(e Effect) bool {
	for _, t := range v.taints {
		if t.does == e {
			return true
		}
	}
	return false
}

// carry adds where another value comes from.
func (v *value) carry(list []taint) {
	if len(list) == 0 {
		return
	}
	// A list may be shared with other values: it is never changed in place.
	v.taints = v.taints[:len(v.taints):len(v.taints)]
next:
	for _, t := range list {
		for i, have := range v.taints {
			if have.does == t.does && have.start == t.start && have.what == t.what {
				if have.picked && !t.picked || have.part != "" && t.part == "" {
					v.taints = append([]taint(nil), v.taints...)
					v.taints[i].picked = have.picked && t.picked
					if t.part == "" {
						v.taints[i].part = ""
					}
				}
				continue next
			}
		}
		if len(v.taints) >= maxTaints {
			return
		}
		v.taints = append(v.taints, t)
	}
}

// all is where a value and what is in it come from.
func (v value) all() []taint {
	if len(v.items) == 0 && len(v.keys) == 0 {
		return v.taints
	}
	var u value
	u.carry(v.taints)
	for i := range v.items {
		u.carry(v.items[i].taints)
	}
	for i := range v.keys {
		u.carry(v.keys[i].taints)
	}
	return u.taints
}

// without returns the taints that are not of an effect.
func without(list []taint, e Effect) []taint {
	var out []taint
	for _, t := range list {
		if t.does != e {
			out = append(out, t)
		}
	}
	return out
}

// pick says of taints that only a part was taken by name.
func pick(list []taint) []taint {
	out := make([]taint, len(list))
	for i, t := range list {
		t.picked = true
		out[i] = t
	}
	return out
}

// either returns what may be one of two values.
func either(a, b value) value {
	out := a
	if !a.known && a.name == "" && a.fn == nil && len(a.items) == 0 && a.codes == nil && len(a.keys) == 0 {
		out = b
		out.taints = a.taints
		out.carry(b.taints)
		return out
	}
	out.carry(b.taints)
	if a.known && b.known && a.text != b.text {
		// Both are kept: what is asked of one is asked of each.
		out.items = alternatives(a, b)
	}
	if out.fn == nil {
		out.fn = b.fn
	}
	if out.obj == nil {
		out.obj = b.obj
	}
	for _, k := range b.keys {
		out.set(k.key, k.value)
	}
	return out
}

func alternatives(a, b value) []value {
	list := a.items
	if len(list) == 0 {
		a.items = nil
		list = []value{a}
	}
	if len(list) < maxItems {
		b.items = nil
		list = append(list[:len(list):len(list)], b)
	}
	return list
}

// set gives a key a value beside the one that it may have.
func (v *value) set(key string, to value) {
	to.items, to.keys = nil, nil
	for i := range v.keys {
		if v.keys[i].key == key {
			keys := append([]keyed(nil), v.keys...)
			keys[i].carry(to.taints)
			v.keys = keys
			return
		}
	}
	if len(v.keys) < maxKeys {
		v.keys = append(v.keys[:len(v.keys):len(v.keys)], keyed{key, to})
	}
}

// get returns the value of a key.
func (v value) get(key string) (value, bool) {
	for i := range v.keys {
		if v.keys[i].key == key {
			return v.keys[i].value, true
		}
	}
	return value{}, false
}

// texts are the texts that a value may be.
func (v value) texts() []string {
	if len(v.items) == 0 {
		if v.known {
			return []string{v.text}
		}
		return nil
	}
	var list []string
	for i := range v.items {
		if v.items[i].known {
			list = append(list, v.items[i].text)
		}
	}
	return list
}

// shown is the beginning of a text, for people to read.
func shown(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "?"), unknown, "…")
	if len(s) > 120 {
		s = s[:120]
		for !utf8.ValidString(s) {
			s = s[:len(s)-1]
		}
		s += "…"
	}
	return s
}
