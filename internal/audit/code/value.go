package code

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// Limits on a value.
const (
	maxText    = 256 << 10
	maxAdded   = 16
	maxItems   = 4096
	maxKeys    = 32
	maxSources = 16
)

// gapOpen and gapClose mark the bounds of an unknown part of a string. If a shell expression
// produces the part, the expression is between them.
const (
	gapOpen  = '\x01'
	gapClose = '\x02'
	gap      = "\x01\x02"
)

// value describes what is known about the value of an expression.
type value struct {
	// text is the value as a string, with a gap for each unknown part. known reports whether text
	// is set.
	text  string
	known bool
	// name is the dotted name of a module or function. If a function call returned the value, it is
	// the function's name.
	name string
	// sources holds the sources of the value and of everything that it contains.
	sources []source
	// items holds the elements of a list or the members of an object. key is the value's key in an
	// object, or its name as an argument.
	items []value
	key   string
	fn    *function
	obj   *object
	// built reports whether the text was assembled from parts, and number reports whether the value
	// is a number.
	built, number bool
}

type sourceKind uint8

const (
	secret sourceKind = iota + 1
	network
	// peer is the other end of a connection.
	peer
	decoded
	model
	// keystrokes is user input, and encrypted is encrypted data.
	keystrokes
	encrypted
	encoded
)

// source describes where a value comes from. tags holds the tags of a secret or a host.
type source struct {
	kind sourceKind
	tags []signal.Tag
	// name is the variable, path, URL or encoding that the value comes from.
	name string
	// header reports whether the value is sent as a credential.
	header bool
}

// object is an open file or a connection.
type object struct {
	// target is a file's path, or a connection's URL or host.
	target string
	// file reports whether the object is a file, and writes reports whether the file is open for
	// writing.
	file, writes, archive bool
}

// remote returns a connection to a URL or host.
func remote(target string) *object { return &object{target: target} }

// target returns the URL or host that a value is connected to, or "".
func (v *value) target() string {
	if v.obj == nil || v.obj.file {
		return ""
	}
	return v.obj.target
}

func literal(s string) value { return value{text: s, known: true} }

// exactText returns a value's text if all of it is known.
func (v *value) exactText() (string, bool) {
	if !v.known || strings.IndexByte(v.text, gapOpen) >= 0 {
		return "", false
	}
	return v.text, true
}

// textOrGap returns a value's text, or a gap if the text is unknown.
func (v *value) textOrGap() string {
	if v.known {
		return v.text
	}
	return gap
}

// size returns the number of evaluation steps that are counted for processing a value.
func (v *value) size() int { return len(v.items) + len(v.text)/64 }

func (v *value) has(w sourceKind) bool {
	return slices.ContainsFunc(v.sources, func(s source) bool { return s.kind == w })
}

func (v *value) hasTag(t signal.Tag) bool {
	return slices.ContainsFunc(v.sources, func(s source) bool {
		return s.kind == secret && slices.Contains(s.tags, t)
	})
}

// addSources adds sources to a value.
func (v *value) addSources(list []source) {
	for i := range list {
		s := &list[i]
		at := slices.IndexFunc(v.sources, func(x source) bool { return x.kind == s.kind && x.name == s.name })
		if at < 0 && len(v.sources) < maxSources {
			v.sources = append(slices.Clip(v.sources), *s)
		}
	}
}

// filterSources returns the sources of the given kinds.
func filterSources(list []source, kinds ...sourceKind) []source {
	var out []source
	for _, s := range list {
		if slices.Contains(kinds, s.kind) {
			out = append(out, s)
		}
	}
	return out
}

// empty reports whether nothing is known about a value.
func (v *value) empty() bool {
	return v.name == "" && v.fn == nil && v.obj == nil && !v.known && len(v.items) == 0
}

// merge combines a and b into one value, for an expression that can have either value.
func merge(a, b value) value {
	if a.empty() {
		b.addSources(a.sources)
		return b
	}
	a.addSources(b.sources)
	if !a.known {
		a.text, a.known = b.text, b.known
	}
	a.name, a.fn, a.obj = cmp.Or(a.name, b.name), cmp.Or(a.fn, b.fn), cmp.Or(a.obj, b.obj)
	return a
}

// isObject reports whether a value is an object with members.
func (v *value) isObject() bool { return len(v.items) > 0 && v.items[0].key != "" }

// add adds elements to a list or members to an object.
func (v *value) add(list ...value) {
	v.items = slices.Clip(v.items) // Other values may share the underlying array.
	for _, x := range list {
		if wordIs(x.key, "header") {
			x.sources = markHeaders(x.sources)
		}
		v.addSources(x.sources)
		at, limit := -1, maxItems
		if x.key != "" {
			at = slices.IndexFunc(v.items, func(y value) bool { return x.key == y.key })
			limit = maxKeys
		}
		if at >= 0 {
			x.addSources(v.items[at].sources)
			v.items = slices.Clone(v.items)
			v.items[at] = x
		} else if len(v.items) < limit {
			v.items = append(v.items, x)
		}
	}
}

// get returns the value for the first of the given keys that exists.
func (v *value) get(keys ...string) (value, bool) {
	for _, key := range keys {
		for i := range v.items {
			if key != "" && strings.EqualFold(v.items[i].key, key) {
				return v.items[i], true
			}
		}
	}
	return value{}, false
}

// anyItem returns a single value that represents any of the items.
func (v *value) anyItem() value {
	out := value{sources: v.sources}
	if len(v.items) == 0 {
		out.obj = v.obj
		if strings.HasSuffix(v.name, "*") {
			out.text, out.known = v.text, v.known
		}
	}
	for i := range v.items[:min(len(v.items), 64)] {
		out = merge(out, v.items[i])
	}
	return out
}

// concat concatenates values.
func concat(list ...value) value {
	out := value{built: len(list) > 1}
	var b strings.Builder
	for i := range list {
		v := &list[i]
		out.addSources(v.sources)
		part := v.text
		if !v.known {
			part = shellGap(v)
		}
		if b.Len()+len(part) <= maxText {
			b.WriteString(part)
		}
	}
	out.text = b.String()
	out.known = out.text == "" || strings.Trim(out.text, gap) != ""
	return out
}

// shellGap returns a gap that represents an unknown value. If a shell expression produces the
// value, the gap contains the expression.
func shellGap(v *value) string {
	for i := range v.sources {
		s := &v.sources[i]
		if s.kind != secret {
			continue
		}
		switch {
		case slices.Contains(s.tags, "env-all"):
			return "\x01$(env)\x02"
		case slices.Contains(s.tags, "env-secret"):
			return "\x01$" + s.name + "\x02"
		case slices.Contains(s.tags, "clipboard"):
			return "\x01$(pbpaste)\x02"
		case slices.Contains(s.tags, "host-info"):
			return "\x01$(hostname)\x02"
		case s.name != "" && s.name != unknownFile && !strings.ContainsAny(s.name, "*$`\"'"):
			return "\x01$(cat " + s.name + ")\x02"
		}
	}
	return gap
}

var gaps = lazyregexp.New("\x01[^\x02]*\x02?")

// fillGaps replaces each gap in s with the given text. If with is "", it replaces each gap with the
// shell expression in it or, if there is none, with "${value}".
func fillGaps(s, with string) string {
	return gaps().ReplaceAllStringFunc(s, func(hint string) string {
		return cmp.Or(with, strings.Trim(hint, gap), "${value}")
	})
}

// allUnknown reports whether s consists only of unknown parts, whitespace and quotation marks.
func allUnknown(s string) bool {
	return strings.IndexByte(s, gapOpen) >= 0 && strings.Trim(fillGaps(s, " "), " \n\t'\"") == ""
}

// shorten fills the gaps in s, collapses whitespace, and limits the length for display.
func shorten(s string) string {
	return chars.Clip(strings.Join(strings.Fields(strings.ToValidUTF8(fillGaps(s, "…"), "?")), " "), 120)
}
