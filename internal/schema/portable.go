package schema

import "strings"

// beyondASCII is a regular expression that matches any non-ASCII character. Every JSON Schema
// validator supports its syntax.
const beyondASCII = `[^\x00-\x7F]`

// asciiOf returns the ASCII characters in a Unicode class. It supports only the classes that occur
// in the field tables.
func asciiOf(class string) string {
	switch class {
	case "L":
		return "A-Za-z"
	case "Ll":
		return "a-z"
	case "Lu":
		return "A-Z"
	case "N":
		return "0-9"
	}
	return ""
}

// portable replaces the Unicode classes in a pattern, because many validators do not support them.
// For ASCII strings, the result matches the same strings as the pattern. If a character set
// contains a Unicode class, the result accepts any non-ASCII character in its place, and exact is
// false.
func portable(pattern string) (text string, exact bool) {
	var b strings.Builder
	exact = true
	for pattern != "" {
		from := strings.IndexByte(pattern, '[')
		to := strings.IndexByte(pattern[max(from, 0):], ']') + max(from, 0)
		if from < 0 || to < from {
			break
		}
		set := pattern[from+1 : to]
		b.WriteString(pattern[:from])
		pattern = pattern[to+1:]
		if !strings.Contains(set, `\p{`) {
			b.WriteString("[" + set + "]")
			continue
		}
		exact = false
		b.WriteString("(?:[" + ascii(set) + "]|" + beyondASCII + ")")
	}
	b.WriteString(pattern)
	return b.String(), exact
}

// ascii replaces the Unicode classes in a character set with their ASCII characters.
func ascii(set string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(set, `\p{`)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		class, after, _ := strings.Cut(rest, "}")
		b.WriteString(asciiOf(class))
		set = after
	}
}
