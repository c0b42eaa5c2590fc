package frontmatter

import (
	"fmt"
	"strings"

	"github.com/vadehq/vade/definition"
)

// WriteTOML returns entries as TOML, one key a line, in their order: those that are
// no tables first, as TOML wants it. A null is left out. A text with line feeds
// stands between three quotes.
func WriteTOML(entries []definition.Entry) string {
	var b strings.Builder
	for i := range entries {
		v := &entries[i].Value
		if v.Kind == definition.Null {
			continue
		}
		b.WriteString(tomlKey(entries[i].Key) + " = ")
		if v.Kind == definition.String && strings.Contains(v.Text, "\n") {
			b.WriteString(tomlLines(v.Text))
		} else {
			tomlValue(&b, v)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func tomlKey(key string) string {
	if isPlainWord(key) && !strings.Contains(key, ".") {
		return key
	}
	return tomlText(key)
}

func tomlValue(b *strings.Builder, v *definition.Value) {
	switch v.Kind {
	case definition.List:
		b.WriteByte('[')
		for i := range v.Items {
			if i > 0 {
				b.WriteString(", ")
			}
			tomlValue(b, &v.Items[i])
		}
		b.WriteByte(']')
	case definition.Map:
		b.WriteString("{ ")
		first := true
		for i := range v.Pairs {
			if v.Pairs[i].Value.Kind == definition.Null {
				continue
			}
			if !first {
				b.WriteString(", ")
			}
			first = false
			b.WriteString(tomlKey(v.Pairs[i].Key) + " = ")
			tomlValue(b, &v.Pairs[i].Value)
		}
		b.WriteString(" }")
	case definition.Bool, definition.Number:
		b.WriteString(v.Text)
	default:
		b.WriteString(tomlText(v.Text))
	}
}

func tomlText(s string) string { return `"` + tomlEscaped(s, false) + `"` }

// tomlLines writes a text of several lines: as it is where it can stand so.
func tomlLines(s string) string {
	plain := !strings.Contains(s, "'''") && !strings.HasSuffix(s, "'") &&
		!strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && r != '\t' && isAwkward(r) })
	if plain {
		return "'''\n" + s + "'''"
	}
	return "\"\"\"\n" + tomlEscaped(s, true) + `"""`
}

// tomlEscaped escapes what may not stand between quotes; lines keeps line feeds.
func tomlEscaped(s string, lines bool) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n' && lines, r == '\t' && lines:
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case isAwkward(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
