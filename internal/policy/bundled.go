package policy

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// Bundled says which of the definitions that come with Vade are in force. The zero
// value leaves all to their conditions.
type Bundled struct {
	// Off: none is. Where that is stated says [Policy.From] of "bundled".
	Off bool
	// Unclear are the files in which this can not be understood, each of which may
	// switch all off and so does. Off is set with it.
	Unclear []string
	// Stated are the files that have the key, Listed those of them that have names
	// below it.
	Stated, Listed []string
	// Enable are names of those whose condition does not count, Disable of those that
	// are not in force, whatever Enable says. A "*" in a name stands for any text.
	Enable, Disable []Value
}

// bundled is what one file says of it.
type bundled struct {
	off stated[bool]
	// unclear: it is off because the file can not be understood.
	unclear bool
	// said: the file has the key; listed: with a map below it.
	said, listed    bool
	enable, disable []item
}

// doubt switches all off until the file is fixed.
func (b *bundled) doubt(span diag.Span) {
	b.off, b.unclear = stated[bool]{value: true, ok: true, span: span}, true
}

// bundledKeys lists the keys below bundled.
func bundledKeys() []string { return []string{"enable", "disable"} }

// bundled reads the key bundled. What can not be read switches all off.
func (p *fileParser) bundled(v definition.Value) (b bundled) {
	const fix = "correct the key; until then no definition that comes with Vade is in force"
	b.said = true
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
		p.invalid(v.Span, "write true or false, or enable and disable with names below it", "bundled is %s", quoted(v))
		b.doubt(v.Span)
		return b
	}
	for _, e := range v.Pairs {
		to := &b.disable
		switch e.Key {
		case "enable":
			to = &b.enable
		case "disable":
		default:
			p.unknown(e, fix, bundledKeys()...)
			b.doubt(e.KeySpan)
			continue
		}
		bad := func(v definition.Value) {
			p.invalid(v.Span, "write names of definitions; until then none of those that come with Vade is in force", "%s holds %s", e.Key, quoted(v))
			b.doubt(v.Span)
		}
		values, _ := items(e.Value, bad)
		for _, v := range values {
			if text, ok := scalar(v); ok && strings.TrimSpace(text) != "" {
				*to = append(*to, item{text, v.Span})
				continue
			}
			bad(v)
		}
	}
	return b
}

// bundled combines what the files say: what one switches off is off, and only a file
// that may allow more switches on. One that can not be understood may switch off.
func (c *combiner) bundled() {
	for _, unclear := range []bool{false, true} {
		for _, f := range c.files {
			b := &f.bundled
			if !b.off.ok || !b.off.value || b.unclear != unclear {
				continue
			}
			if unclear {
				c.p.Bundled.Unclear = append(c.p.Bundled.Unclear, f.Name)
			}
			if !c.p.Bundled.Off {
				c.p.Bundled.Off = true
				c.p.from["bundled"] = f.origin(b.off.span)
			}
		}
	}
	for _, f := range c.files {
		b := &f.bundled
		if b.said {
			c.p.Bundled.Stated = append(c.p.Bundled.Stated, f.Name)
		}
		if b.listed {
			c.p.Bundled.Listed = append(c.p.Bundled.Listed, f.Name)
		}
		if len(b.enable) > 0 && c.p.tightens(f.Layer) {
			c.widens(f, b.enable[0].span, "bundled: enable")
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
