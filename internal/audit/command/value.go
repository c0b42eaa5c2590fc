package command

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

// value is what a word, a stream or a file holds, as far as it shows without running anything.
type value struct {
	// text is what it says. Parts that only show at run time stay as they are written ($HOME).
	text string
	// known: text is all of it. like: text is a pattern for it, such as a glob.
	known, like bool
	// script is text with a variable for each part that is not known; "" if it is the same.
	script string
	// others are more texts that it may have, such as the items of a loop.
	others []string
	// holds is what it carries, names what the files have whose names it is.
	holds, names []cargo
}

// what says what a value carries.
type what uint8

const (
	secret what = iota + 1
	network
	decoded
	asset
	model
	// shellOutput is the output of a shell that reads commands, connection what comes from the
	// other end of a connection.
	shellOutput
	connection
)

// cargo is one thing that a value carries, with its tags: those of a URL for what comes from the
// network, those of a path for a secret.
type cargo struct {
	what what
	tags []signal.Tag
	// name is the path, variable, URL or program that it comes from.
	name string
	// unit is the region that got it, read the number of the Read signal plus one.
	unit, read int
	// stored: it went through a file; gained are the tags that it got on the way.
	stored bool
}

// The bounds of values.
const (
	maxText   = 64 << 10
	maxOthers = 16
	maxHolds  = 24
)

func literal(text string) value { return value{text: text, known: true} }

// each calls do with each text that a value may have.
func (v *value) each(do func(text string)) {
	do(v.text)
	for _, text := range v.others {
		do(text)
	}
}

// source is the text for a shell that takes the value as commands.
func (v *value) source() string {
	if v.script != "" {
		return v.script
	}
	return v.text
}

// shows reports whether the text is known, but for parts that have variables in the script.
func (v *value) shows() bool { return v.text != "" && (v.known || v.script != "") }

func (v *value) has(kinds ...what) bool {
	return slices.ContainsFunc(v.holds, func(c cargo) bool { return slices.Contains(kinds, c.what) })
}

// encoding names the encoding that the value came out of last; "" for none.
func (v *value) encoding() string {
	for i := len(v.holds) - 1; i >= 0; i-- {
		if v.holds[i].what == decoded {
			return v.holds[i].name
		}
	}
	return ""
}

// carry adds what others carry.
func (v *value) carry(list ...cargo) {
	for i := range list {
		c := &list[i]
		same := func(x cargo) bool { return x.what == c.what && x.name == c.name && len(x.tags) == len(c.tags) }
		if len(v.holds) < maxHolds && !slices.ContainsFunc(v.holds, same) {
			v.holds = append(slices.Clip(v.holds), *c)
		}
	}
}

// tagged is a list of cargo in which what is a secret has one more tag.
func tagged(list []cargo, tag signal.Tag) []cargo {
	if len(list) == 0 {
		return nil
	}
	list = slices.Clone(list)
	for i := range list {
		if c := &list[i]; c.what == secret && !slices.Contains(c.tags, tag) {
			c.tags = append(slices.Clip(c.tags), tag)
		}
	}
	return list
}

// both is what two commands write, one after the other.
func both(a, b value) value {
	switch {
	case a.text == "" && len(a.holds) == 0 && len(a.others) == 0:
		return b
	case b.text == "" && len(b.holds) == 0 && len(b.others) == 0:
		return a
	}
	out := value{holds: a.holds, names: append(slices.Clip(a.names), b.names...)}
	out.carry(b.holds...)
	if len(a.text)+len(b.text) > maxText {
		return out
	}
	if a.known && b.known {
		out.text, out.known = a.text+b.text, true
		return out
	}
	out.text, out.like = a.text, true
	out.others = a.others
	if b.text != "" && len(out.others) < maxOthers {
		out.others = append(slices.Clip(out.others), b.text)
	}
	return out
}

// lines turns a text of several lines into a value that may be each of them, as "read" gives.
func (v value) lines() value {
	text := strings.Trim(v.text, "\n")
	if !strings.Contains(text, "\n") {
		v.text = text
		return v
	}
	out := value{holds: v.holds, names: v.names, like: true}
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if out.text == "" {
			out.text = line
		} else if len(out.others) < maxOthers {
			out.others = append(out.others, line)
		}
	}
	return out
}

// trimmed is the output of a command as $(…) gives it.
func (v value) trimmed() value {
	v.text = strings.TrimRight(v.text, "\n")
	return v
}

// part is a value whose text is a part of v's.
func (v value) part(text string) value {
	return value{text: text, known: v.known, like: v.like, holds: v.holds, names: v.names}
}

// builder puts a word together from its parts.
type builder struct {
	value
	started bool
}

// add adds a part; source is its text for a shell.
func (b *builder) add(v value, source string) {
	if !b.started {
		b.started, b.known = true, true
	}
	b.carry(v.holds...)
	b.names = append(slices.Clip(b.names), v.names...)
	if b.script != "" || source != v.text {
		b.script = b.source() + source
	}
	b.like = b.like || v.like
	b.known = b.known && v.known && len(v.others) == 0
	if len(b.text)+len(v.text) > maxText {
		b.known = false
		return
	}
	if len(v.others) == 0 && len(b.others) == 0 {
		b.text += v.text
		return
	}
	heads := append([]string{b.text}, b.others...)
	tails := append([]string{v.text}, v.others...)
	var all []string
	for _, head := range heads {
		for _, tail := range tails {
			if len(all) < maxOthers && len(head)+len(tail) < 4096 {
				all = append(all, head+tail)
			}
		}
	}
	if len(all) > 0 {
		b.text, b.others = all[0], all[1:]
	}
}

// done is the word; without parts it is empty.
func (b *builder) done() value {
	if !b.started {
		return literal("")
	}
	return b.value
}
