package frontmatter

import "bytes"

func isBlank(b byte) bool { return b == ' ' || b == '\t' }
func isBreak(b byte) bool { return b == '\n' || b == '\r' }

func skipBlanks(data []byte, i int) int {
	for i < len(data) && isBlank(data[i]) {
		i++
	}
	return i
}

// skipBreak returns the offset after the line ending at i, if there is one.
func skipBreak(data []byte, i int) int {
	switch {
	case i >= len(data) || !isBreak(data[i]):
		return i
	case data[i] == '\r' && i+1 < len(data) && data[i+1] == '\n':
		return i + 2
	}
	return i + 1
}

// isPartOf says whether rest is a proper, non-empty head of word.
func isPartOf(rest []byte, word string) bool {
	return len(rest) < len(word) && string(rest) == word[:len(rest)]
}

// breakLen returns the length of the YAML line break at the beginning of b: CR
// LF, LF, CR, and the Unicode breaks that the library counts as lines.
func breakLen(b []byte) int {
	switch {
	case len(b) == 0:
		return 0
	case b[0] == '\n':
		return 1
	case b[0] == '\r':
		if len(b) > 1 && b[1] == '\n' {
			return 2
		}
		return 1
	case b[0] == 0xC2 && bytes.HasPrefix(b, []byte("\u0085")):
		return 2
	case b[0] == 0xE2 && (bytes.HasPrefix(b, []byte("\u2028")) || bytes.HasPrefix(b, []byte("\u2029"))):
		return 3
	}
	return 0
}

// spaceLen returns the length of the blank or line break at the beginning of b.
func spaceLen(b []byte) int {
	if len(b) > 0 && isBlank(b[0]) {
		return 1
	}
	return breakLen(b)
}

// lineEnd returns the offset of the line break at or after i.
func lineEnd(text []byte, i int) int {
	for i < len(text) && breakLen(text[i:]) == 0 {
		i++
	}
	return i
}
