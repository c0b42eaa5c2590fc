package command

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

// value is what is known about the content of a word, stream or file without running anything.
type value struct {
	// text is the content. A part that is known only at run time, such as $HOME, stays as written.
	text string
	// known reports whether text is complete. like reports whether text is a
	// pattern for the content, such as a glob.
	known, like bool
	// items holds the elements of an array.
	items []value
	// others holds alternative texts, such as the other items that a loop iterates over.
	others []string
	// holds is the value's cargo.
	holds []cargo
}

// what is the kind of a piece of cargo. It is also used as a tag for a command that runs the cargo.
type what signal.Tag

const (
	secret what = "secret"
	// named marks a value that is the path of a secret file.
	named   what = "named"
	network what = "network"
	decoded what = "decoded"
	asset   what = "asset"
	model   what = "model"
	// shellOutput is the output of a shell that reads commands. connection is
	// data read from a connection.
	shellOutput what = "output"
	connection  what = "shell"
)

// cargo is something relevant that a value contains. Downloaded data has the tags of its URL, and a
// secret has the tags of its path.
type cargo struct {
	what what
	tags []signal.Tag
	// name is the path, variable, URL or program that the cargo comes from.
	name string
	// unit is the region that the cargo comes from, and read is the index of
	// its Read signal plus one.
	unit, read int
	// stored reports whether the cargo was written to a file and read back.
	stored bool
}

// Limits for a value.
const (
	maxText   = 64 << 10
	maxOthers = 16
	maxHolds  = 24
)

func literal(text string) value { return value{text: text, known: true} }

func (v *value) empty() bool { return v.text == "" && len(v.holds) == 0 }

// each calls do for each possible text.
func (v *value) each(do func(text string)) {
	do(v.text)
	for _, text := range v.others {
		do(text)
	}
}

// also adds another possible text.
func (v *value) also(text string) {
	switch {
	case text == "":
	case v.text == "":
		v.text, v.known, v.like = text, false, true
	case len(v.others) < maxOthers:
		v.others, v.known, v.like = append(slices.Clip(v.others), text), false, true
	}
}

func (v *value) has(kinds ...what) bool {
	return slices.ContainsFunc(v.holds, func(c cargo) bool { return slices.Contains(kinds, c.what) })
}

// encoding returns the last encoding that was decoded to obtain the value, or "".
func (v *value) encoding() string {
	for i := len(v.holds) - 1; i >= 0; i-- {
		if v.holds[i].what == decoded {
			return v.holds[i].name
		}
	}
	return ""
}

// carry adds cargo from other values.
func (v *value) carry(list ...cargo) {
	for _, c := range list {
		same := func(x cargo) bool { return x.what == c.what && x.name == c.name && len(x.tags) == len(c.tags) }
		if len(v.holds) < maxHolds && !slices.ContainsFunc(v.holds, same) {
			v.holds = append(slices.Clip(v.holds), c)
		}
	}
}

// stored returns a copy of the cargo that is marked as stored in a file.
func stored(list []cargo) []cargo {
	list = slices.Clone(list)
	for i := range list {
		list[i].stored = true
	}
	return list
}

// tagged adds a tag to all secrets in list.
func tagged(list []cargo, tag signal.Tag) []cargo {
	list = slices.Clone(list)
	for i, c := range list {
		if c.what == secret && !slices.Contains(c.tags, tag) {
			list[i].tags = append(slices.Clip(c.tags), tag)
		}
	}
	return list
}

// both concatenates the output of two commands.
func both(a, b value) value {
	if a.empty() {
		return b
	} else if b.empty() {
		return a
	}
	out := value{holds: a.holds}
	out.carry(b.holds...)
	if len(a.text)+len(b.text) > maxText {
		return out
	}
	if a.known && b.known {
		out.text, out.known = a.text+b.text, true
		return out
	}
	out.text, out.like, out.others = a.text, true, a.others
	out.also(b.text)
	return out
}

// lines converts multi-line text to a value that may be any one of its lines, like the shell
// builtin read.
func (v value) lines() value {
	text := strings.Trim(v.text, "\n")
	if !strings.Contains(text, "\n") {
		v.text = text
		return v
	}
	out := value{holds: v.holds, like: true}
	for line := range strings.SplitSeq(text, "\n") {
		out.also(strings.TrimSpace(line))
	}
	return out
}

// part returns a value with the given part of v's text and all of v's cargo.
func (v value) part(text string) value {
	return value{text: text, known: v.known, like: v.like, holds: v.holds}
}

// then appends the next part of a word to v.
func (v *value) then(part value) {
	v.carry(part.holds...)
	v.like = v.like || part.like
	v.known = v.known && part.known && len(part.others) == 0
	if len(v.text)+len(part.text) > maxText {
		v.known = false
		return
	}
	if len(part.others) == 0 && len(v.others) == 0 {
		v.text += part.text
		return
	}
	var all []string
	v.each(func(head string) {
		part.each(func(tail string) {
			if len(all) < maxOthers && len(head)+len(tail) < 4096 {
				all = append(all, head+tail)
			}
		})
	})
	if len(all) > 0 {
		v.text, v.others = all[0], all[1:]
	}
}

// concat joins the parts of a word. It splits the list in half recursively to avoid copying the
// text for each part.
func concat(list ...value) value {
	switch n := len(list); n {
	case 0:
		return literal("")
	case 1:
		list[0].items = nil
		return list[0]
	default:
		out := concat(list[:n/2]...)
		out.then(concat(list[n/2:]...))
		return out
	}
}

// joined joins words with spaces, as eval does.
func joined(words []value) value {
	var list []value
	for i, w := range words {
		if i > 0 {
			list = append(list, literal(" "))
		}
		list = append(list, w)
	}
	return concat(list...)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func isName(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' || c == '_' }
