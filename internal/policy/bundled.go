package policy

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// Bundled selects which bundled definitions are active. With the zero value, a definition is active
// if its own condition is met.
type Bundled struct {
	// Off disables all bundled definitions. [Policy.From] returns the setting's
	// origin for the key "bundled".
	Off bool
	// Invalid lists the files with an invalid setting. Because such a file may be intended to
	// disable all bundled definitions, they are all disabled, and Off is also set.
	Invalid []string
	// Stated contains the files that set the bundled key. Listed contains those that set it to a
	// map.
	Stated, Listed []string
	// Enable lists names that are active regardless of their condition. Disable lists names that
	// are never active, even if Enable contains them. "*" in a name matches any text.
	Enable, Disable []Value
}

// bundled is one file's setting for bundled definitions.
type bundled struct {
	off stated[bool]
	// invalid reports whether an error in the file disables bundled definitions.
	invalid bool
	// set reports whether the file has the bundled key, and listed reports whether the key's value
	// is a map.
	set, listed     bool
	enable, disable []item
}

// failClosed disables all bundled definitions, because the file has an error at span.
func (b *bundled) failClosed(span diag.Span) {
	b.off, b.invalid = stated[bool]{value: true, ok: true, span: span}, true
}

// bundled parses the bundled key. An invalid value disables all bundled definitions.
func (p *fileParser) bundled(v definition.Value) (b bundled) {
	const fix = "correct the key; until then, all bundled definitions are disabled"
	b.set = true
	switch v.Kind {
	case definition.Null:
		return b
	case definition.Bool:
		on := p.flag("bundled", v)
		b.off = stated[bool]{value: !on.value, ok: true, span: v.Span}
		return b
	case definition.Map:
		b.listed = true
	default:
		p.invalid(v.Span, replaceAdvice("use true or false, or a map with enable and disable", fix), "bundled is %s", quoted(v))
		b.failClosed(v.Span)
		return b
	}
	for _, e := range v.Pairs {
		to := &b.disable
		switch e.Key {
		case "enable":
			to = &b.enable
		case "disable":
		default:
			p.unknown(e, fix, "enable", "disable")
			b.failClosed(e.KeySpan)
			continue
		}
		reject := func(v definition.Value) {
			p.invalid(v.Span, "use definition names; until then, all bundled definitions are disabled", "%s contains %s", e.Key, quoted(v))
			b.failClosed(v.Span)
		}
		values, _ := items(e.Value, reject)
		for _, v := range values {
			if text, ok := scalar(v); ok && strings.TrimSpace(text) != "" {
				*to = append(*to, item{text, v.Span})
				continue
			}
			reject(v)
		}
	}
	return b
}

// bundled combines the files' settings. Any file can disable definitions, but only a file that may
// allow more than the defaults can enable them. A file with an error disables all bundled
// definitions.
func (c *combiner) bundled() {
	for _, invalid := range []bool{false, true} {
		for _, f := range c.files {
			b := &f.bundled
			if !b.off.ok || !b.off.value || b.invalid != invalid {
				continue
			}
			if invalid {
				c.p.Bundled.Invalid = append(c.p.Bundled.Invalid, f.Name)
			}
			if !c.p.Bundled.Off {
				c.p.Bundled.Off = true
				c.p.from["bundled"] = f.origin(b.off.span)
			}
		}
	}
	for _, f := range c.files {
		b := &f.bundled
		if b.set {
			c.p.Bundled.Stated = append(c.p.Bundled.Stated, f.Name)
		}
		if b.listed {
			c.p.Bundled.Listed = append(c.p.Bundled.Listed, f.Name)
		}
		if len(b.enable) > 0 && c.p.mayOnlyRestrict(f.Layer) {
			c.reportWidening(f, b.enable[0].span, "bundled: enable")
		} else {
			c.p.Bundled.Enable = append(c.p.Bundled.Enable, valuesOf(f, b.enable)...)
		}
		c.p.Bundled.Disable = append(c.p.Bundled.Disable, valuesOf(f, b.disable)...)
	}
}

func valuesOf(f *File, list []item) []Value {
	var values []Value
	for _, x := range list {
		values = append(values, Value{Text: x.text, Origin: f.origin(x.span)})
	}
	return values
}
