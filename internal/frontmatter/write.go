package frontmatter

import (
	"fmt"
	"strings"

	"github.com/vadehq/vade/definition"
)

// Write returns entries as YAML, one key a line, in their order. What stands there
// reads back to the same values in every dialect: nothing in brackets but what is
// empty, no tabs, no anchors, and nowhere three hyphens, at which some hosts end a
// block wherever they stand. Text is put in quotes where it could be read as
// anything else.
func Write(entries []definition.Entry) string {
	var b strings.Builder
	writePairs(&b, entries, "")
	return b.String()
}

// WriteBare returns entries for a host whose own parser knows neither quotes nor
// blocks: each value stands on its line as it is, with single blanks for white space,
// and lists have commas between their items (Cursor's rules).
func WriteBare(entries []definition.Entry) string {
	var b strings.Builder
	for i := range entries {
		v := &entries[i].Value
		text := v.Text
		if v.Kind == definition.List {
			var words []string
			for j := range v.Items {
				words = append(words, v.Items[j].Text)
			}
			text = strings.Join(words, ",")
		}
		line := strings.Join(strings.Fields(text), " ")
		if line != "" {
			line = " " + line
		}
		b.WriteString(entries[i].Key + ":" + line + "\n")
	}
	return b.String()
}

func writePairs(b *strings.Builder, entries []definition.Entry, indent string) {
	for i := range entries {
		if i > 0 || indent == "" {
			b.WriteString(indent)
		}
		b.WriteString(writtenKey(entries[i].Key) + ":")
		writeValue(b, &entries[i].Value, indent)
	}
}

func writtenKey(key string) string {
	if isPlainWord(key) {
		return key
	}
	return written(key)
}

// writeValue writes what stands behind a colon, with the end of the line.
func writeValue(b *strings.Builder, v *definition.Value, indent string) {
	const step = "  "
	switch {
	case v.Kind == definition.List && len(v.Items) > 0:
		b.WriteByte('\n')
		for i := range v.Items {
			b.WriteString(indent + step + "-")
			if item := &v.Items[i]; item.Kind == definition.Map && len(item.Pairs) > 0 {
				b.WriteByte(' ')
				writePairs(b, item.Pairs, indent+step+step)
			} else {
				writeValue(b, item, indent+step)
			}
		}
	case v.Kind == definition.Map && len(v.Pairs) > 0:
		b.WriteString("\n" + indent + step)
		writePairs(b, v.Pairs, indent+step)
	case v.Kind == definition.List:
		b.WriteString(" []\n")
	case v.Kind == definition.Map:
		b.WriteString(" {}\n")
	case v.Kind == definition.Null:
		b.WriteByte('\n')
	case v.Kind != definition.String && isPlainWord(strings.TrimLeft(v.Text, "+-.")):
		b.WriteString(" " + v.Text + "\n")
	default:
		b.WriteString(" " + written(v.Text) + "\n")
	}
}

// written is a text as a scalar that can be nothing else.
func written(s string) string {
	if isPlainText(s) {
		return s
	}
	// Some hosts' own parsers take quotes and know no escapes.
	awkward := strings.ContainsFunc(s, func(r rune) bool {
		return isAwkward(r)
	}) || strings.Contains(s, "---")
	switch {
	case !awkward && !strings.ContainsAny(s, `"\`):
		return `"` + s + `"`
	case !awkward && !strings.Contains(s, "'"):
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for i, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == '-' && strings.HasPrefix(s[i:], "---"):
			fmt.Fprintf(&b, `\x%02x`, r)
		case isAwkward(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// isAwkward reports whether a character can not stand in YAML as it is, or not in every
// parser: control characters, and those that end lines, hide or turn a text.
func isAwkward(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r < 0xa0, r == 0x2028, r == 0x2029, r == 0xfeff:
		return true
	}
	return r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// isPlainText reports whether a text can stand without quotes: it begins with a
// letter, and nothing in it means anything to YAML or to what mends YAML.
func isPlainText(s string) bool {
	if s == "" || !isASCIILetter(s[0]) || s[len(s)-1] == ' ' || strings.Contains(s, "---") || isKeyword(s) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isASCIILetter(c) && !isDecimal(c) && strings.IndexByte(" _-./,()+", c) < 0 {
			return false
		}
	}
	return true
}

func isPlainWord(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isASCIILetter(c) && !isDecimal(c) && c != '_' && c != '-' && c != '.' {
			return false
		}
	}
	return s != "" && s[0] != '-' && !strings.Contains(s, "---")
}

func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isKeyword: what YAML 1.1 or 1.2 takes for something else than text.
func isKeyword(s string) bool {
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf":
		return true
	}
	return false
}
