package frontmatter

import (
	"bytes"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// brokenValue is a value that is no YAML: the key that it belongs to, the first of its
// lines, and all of them.
type brokenValue struct {
	key, first, whole string
}

// lines reports whether the value goes on below its first line.
func (b *brokenValue) lines() bool { return len(b.whole) > len(b.first) }

// quotable reports whether quotes around the value say what its author meant. They
// do not where a list, a map or a quoted text is begun and not ended, nor where
// lines may be fields of their own.
func (b *brokenValue) quotable() bool {
	return opened(b.whole) == 0 && !b.lines() && !(b.first[0] == '[' && isToolList(b.key))
}

// flaw says in words what is wrong with the value.
func (b *brokenValue) flaw() string {
	switch opened(b.whole) {
	case ']':
		return "the list is not closed"
	case '}':
		return "the map is not closed"
	case '"', '\'':
		return "the quotes are not closed"
	}
	f := flawOf(b.first)
	switch {
	case f == host.FlawBlock && b.header():
		return "the lines of the block are not indented alike"
	case f == host.FlawOther && b.lines():
		return "the value goes on in lines that are no plain text to YAML"
	}
	return flawText(f, b.first)
}

// header reports whether the first line is that of a block and nothing else.
func (b *brokenValue) header() bool {
	text, block := dropIndicator(b.first)
	return block && text == ""
}

// fix says what mends the value.
func (b *brokenValue) fix() string {
	switch end := opened(b.whole); {
	case end == ']':
		return "close the list of " + b.key + " with ]"
	case end == '}':
		return "close the map of " + b.key + " with }"
	case end != 0:
		return "close the quotes of " + b.key
	case b.first[0] == '[' && isToolList(b.key):
		return "write " + b.key + " as one list: [a, b]"
	case flawOf(b.first) == host.FlawBlock && b.header():
		return "indent the lines of " + b.key + " alike"
	case flawOf(b.first) == host.FlawBlock && b.lines():
		return "begin the text of " + b.key + ` on the line below "` + b.first[:1] + `"`
	case b.lines():
		return `write the value of ` + b.key + ` as a block: ">-" behind the key, and every line of it indented below`
	}
	return "put the value of " + b.key + " in quotes"
}

// isToolList reports whether a field is a list of tools: quotes around one would
// allow a tool that there is not.
func isToolList(key string) bool {
	switch definition.LookupField(strings.Trim(key, `"'`)) {
	case definition.FieldAllowedTools, definition.FieldDisallowedTools, definition.FieldTools:
		return true
	}
	return false
}

// opened returns the character that is missing at the end of a value that begins a
// list, a map or a quoted text and does not end it, or 0.
func opened(value string) byte {
	switch value[0] {
	case '"':
		for i := 1; i < len(value); i++ {
			switch value[i] {
			case '\\':
				i++
			case '"':
				return 0
			}
		}
		return '"'
	case '\'':
		for i := 1; i < len(value); i++ {
			if value[i] != '\'' {
				continue
			}
			if i+1 == len(value) || value[i+1] != '\'' {
				return 0
			}
			i++
		}
		return '\''
	case '[', '{':
		return openedBracket(value)
	}
	return 0
}

// openedBracket is [opened] of a value that begins with a bracket.
func openedBracket(value string) byte {
	end := byte(']')
	if value[0] == '{' {
		end = '}'
	}
	depth, quotes := 0, 0
	for i := range len(value) {
		switch value[i] {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '"':
			quotes++
		}
		if depth == 0 {
			if quotes%2 == 1 {
				return '"'
			}
			return 0
		}
	}
	return end
}

// stray says what is wrong with a part of a block that no repair can place, at the
// line that is to blame, and what mends it. ok is false where that is not known.
func stray(text []byte, c chunk) (p problem, fix string, ok bool) {
	for i := c.start; i < c.end; {
		end := lineEnd(text[:c.end], i)
		line := text[i:end]
		at := diag.Span{Start: i, End: i + len(bytes.TrimRight(line, " \t"))}
		i = end + max(1, breakLen(text[end:c.end]))
		if len(bytes.TrimSpace(line)) == 0 || line[0] == '#' || at.Start == c.start && c.key > 0 {
			continue
		}
		switch {
		case isBlank(line[0]), line[0] == '-' && len(line) > 1 && isBlank(line[1]):
			if c.key == 0 {
				return p, "", false
			}
			continue
		case bytes.IndexByte(line, ':') >= 0:
			continue
		}
		p = problem{span: at, text: "the line is no field: it has no colon"}
		if c.key > 0 {
			key := string(text[c.start : c.start+c.key])
			return p, "indent the line if it belongs to the value of " + key + `, else write it as "key: value"`, true
		}
		return p, `write the line as "key: value", or remove it`, true
	}
	return p, "", false
}
