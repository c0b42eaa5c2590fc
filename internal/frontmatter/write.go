package frontmatter

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// Write returns entries as YAML, one key per line, in order. The output parses to the same values
// in every dialect. It uses brackets only for empty values and contains no tabs or anchors. It also
// avoids three consecutive hyphens, because in some hosts they end a block wherever they occur.
// Strings that could be parsed as another type are quoted.
func Write(entries []definition.Entry) string {
	var b strings.Builder
	writePairs(&b, entries, "")
	return b.String()
}

// WriteBare formats entries for a host whose parser supports neither quoted strings nor block
// scalars, such as the parser for Cursor's rules. Each value is written as is on its key's line,
// except that whitespace is collapsed and lists are comma-separated.
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

// writeValue writes the text after a colon, including the line ending.
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

// written formats a string as a scalar that cannot be parsed as another type. It avoids escapes
// where possible, because some hosts' parsers support quotes but not escapes.
func written(s string) string {
	switch {
	case isPlainText(s):
		return s
	case strings.Contains(s, "---"):
		return `"` + escaped(s, false, "") + `"`
	}
	return quote(s)
}

// quote formats s as a safe YAML scalar. It prefers double quotes, but uses single quotes if that
// avoids escaping.
func quote(s string) string {
	switch awkward := strings.ContainsFunc(s, isAwkward); {
	case !awkward && !strings.ContainsAny(s, `"\`):
		return `"` + s + `"`
	case !awkward && !strings.Contains(s, "'"):
		return "'" + s + "'"
	}
	return `"` + escaped(s, false, "") + `"`
}

// escaped escapes a string for double quotes in YAML or TOML. Characters in kept stay unescaped.
// For YAML, it breaks up three hyphens, because they end a block in some hosts.
func escaped(s string, toml bool, kept string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case strings.ContainsRune(kept, r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case toml && isAwkward(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		case !toml && (r < ' ' || r >= 0x7f && r < 0xa0 || r == '-' && strings.HasPrefix(s[i:], "---")):
			fmt.Fprintf(&b, `\x%02x`, r)
		case isAwkward(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isAwkward reports whether a character is not allowed in YAML or is not safe in every parser.
// Unsafe characters are control characters and characters that end lines, are invisible, or change
// the text direction.
func isAwkward(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r < 0xa0, r == 0x2028, r == 0x2029, r == 0xfeff:
		return true
	}
	return r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// isPlainText reports whether a string is safe without quotes: it starts with a letter and does not
// contain anything special in YAML or in the hosts' YAML repairs.
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

// isKeyword reports whether YAML 1.1 or 1.2 reads a word as something other than a string.
func isKeyword(s string) bool {
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf":
		return true
	}
	return false
}

// WriteTOML returns entries as TOML, one key per line, in order. Maps become inline tables. Nulls
// are omitted. Strings with line feeds are triple-quoted.
func WriteTOML(entries []definition.Entry) string {
	var b strings.Builder
	for i := range entries {
		v := &entries[i].Value
		if v.Kind == definition.Null {
			continue
		}
		b.WriteString(TOMLKey(entries[i].Key) + " = ")
		if v.Kind == definition.String && strings.Contains(v.Text, "\n") {
			b.WriteString(tomlLines(v.Text))
		} else {
			b.WriteString(TOMLValue(*v))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TOMLKey formats a key for TOML and quotes it if necessary.
func TOMLKey(key string) string {
	if isPlainWord(key) && !strings.Contains(key, ".") {
		return key
	}
	return tomlText(key)
}

// TOMLValue formats a value for TOML, on one line. Nulls in maps are omitted.
func TOMLValue(v definition.Value) string {
	var parts []string
	switch v.Kind {
	case definition.List:
		for _, item := range v.Items {
			parts = append(parts, TOMLValue(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case definition.Map:
		for _, p := range v.Pairs {
			if p.Value.Kind != definition.Null {
				parts = append(parts, TOMLKey(p.Key)+" = "+TOMLValue(p.Value))
			}
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case definition.Bool:
		return strings.ToLower(v.Text)
	case definition.Number:
		return v.Text
	}
	return tomlText(v.Text)
}

func tomlText(s string) string { return `"` + escaped(s, true, "") + `"` }

// tomlLines formats a multi-line string, as a literal string if possible.
func tomlLines(s string) string {
	plain := !strings.Contains(s, "'''") && !strings.HasSuffix(s, "'") &&
		!strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && r != '\t' && isAwkward(r) })
	if plain {
		return "'''\n" + s + "'''"
	}
	return "\"\"\"\n" + escaped(s, true, "\n\t") + `"""`
}

// Quote formats s as a safe single-line YAML scalar. It prefers double quotes, but uses single
// quotes if that avoids escaping.
func Quote(s string) string { return quote(s) }

// Plain formats a one-line string as an unquoted YAML scalar if that parses to
// the same string, and otherwise like [Quote].
func Plain(s string) string {
	block := []byte("k: " + s + "\n")
	d := decode(block, 0)
	if d.fatal() == nil && len(d.problems) == 0 && len(d.entries) == 1 {
		if v := d.entries[0].Value; v.Kind == definition.String && v.Text == s && v.Plain {
			return s
		}
	}
	return quote(s)
}

// ValueSpan returns the range to replace when changing a value. It includes the whitespace after
// the key except for one space, so the new value stays on the key's line. The range is empty if the
// value must not be replaced, for example because a "#" after the key may begin a comment.
func ValueSpan(data []byte, e *definition.Entry) diag.Span {
	from := e.KeySpan.End
	if from >= len(data) || data[from] != ':' || e.Value.Span.Start <= from || e.Value.Span.End > len(data) {
		return diag.Span{Start: from, End: from}
	}
	from++
	if bytes.IndexByte(data[from:e.Value.Span.End], '#') >= 0 {
		return diag.Span{Start: from, End: from}
	}
	if from < e.Value.Span.Start && data[from] == ' ' {
		from++
	}
	end := e.Value.Span.End
	for end > from && (isBlank(data[end-1]) || isBreak(data[end-1])) {
		end--
	}
	return diag.Span{Start: from, End: end}
}

// quoteLines formats a multi-line string as a literal block scalar if that preserves it exactly. It
// formats all other strings like quote.
func quoteLines(s string) string {
	if !strings.Contains(s, "\n") || strings.ContainsAny(s, "\r\t\u0085\u2028\u2029") {
		return quote(s)
	}
	lines := strings.Split(s, "\n")
	if lines[0] == "" || lines[0][0] == ' ' || lines[len(lines)-1] == "" {
		return quote(s)
	}
	var b strings.Builder
	b.WriteString("|-")
	for _, line := range lines {
		b.WriteString("\n")
		if line == "" {
			continue
		}
		if strings.TrimSpace(line) == "" {
			return quote(s)
		}
		b.WriteString("  ")
		b.WriteString(line)
	}
	return b.String()
}
