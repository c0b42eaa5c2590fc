package frontmatter

import (
	"bytes"
	"iter"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

func isBlank(b byte) bool { return b == ' ' || b == '\t' }
func isBreak(b byte) bool { return b == '\n' || b == '\r' }

func skipSpaces(data []byte, i int) int {
	for i < len(data) && isBlank(data[i]) {
		i++
	}
	return i
}

// skipBreak returns the offset after the line break at i, or i if there is none.
func skipBreak(data []byte, i int) int {
	switch {
	case i >= len(data) || !isBreak(data[i]):
		return i
	case data[i] == '\r' && i+1 < len(data) && data[i+1] == '\n':
		return i + 2
	}
	return i + 1
}

// isPartOf reports whether rest is a proper prefix of word.
func isPartOf(rest []byte, word string) bool {
	return len(rest) < len(word) && string(rest) == word[:len(rest)]
}

// breakLen returns the length of the YAML line break at the start of b: CRLF, LF, CR, or one of the
// Unicode line breaks that the library recognizes.
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

// spaceLen returns the length of the space, tab or line break at the start of b.
func spaceLen(b []byte) int {
	if len(b) > 0 && isBlank(b[0]) {
		return 1
	}
	return breakLen(b)
}

// lineEnd returns the offset of the first line break at or after i, or len(text).
func lineEnd(text []byte, i int) int {
	for i < len(text) && breakLen(text[i:]) == 0 {
		i++
	}
	return i
}

// lines yields each line in text[from:end], without its line break, and the
// offset of the next line.
func lines(text []byte, from, end int) iter.Seq2[diag.Span, int] {
	return func(yield func(diag.Span, int) bool) {
		for from < end {
			stop := lineEnd(text[:end], from)
			next := stop + breakLen(text[stop:end])
			if !yield(diag.Span{Start: from, End: stop}, next) {
				return
			}
			from = next
		}
	}
}

// The functions below find the end of a value. They take the start that the YAML library reports
// and assume that the library has validated the value. They never read past the end of the text.

// singleEnd returns the offset after a single-quoted scalar's closing quote, or false if there is
// no closing quote.
func singleEnd(text []byte, i int) (int, bool) {
	for i++; i < len(text); i++ {
		if text[i] != '\'' {
			continue
		}
		if i+1 >= len(text) || text[i+1] != '\'' {
			return i + 1, true
		}
		i++
	}
	return len(text), false
}

// doubleEnd returns the offset after a double-quoted scalar's closing quote, or false if there is
// no closing quote.
func doubleEnd(text []byte, i int) (int, bool) {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1, true
		}
	}
	return len(text), false
}

// matchEnd returns the offset after a plain or block scalar in the source. The parsed value differs
// from the source only in whitespace, so matchEnd compares all other characters.
func matchEnd(text []byte, i int, value string) int {
	end := i
	for j := 0; j < len(value); {
		if n := spaceLen([]byte(value[j:min(j+3, len(value))])); n > 0 {
			j += n
			continue
		}
		for i < len(text) {
			n := spaceLen(text[i:])
			if n == 0 {
				break
			}
			i += n
		}
		if i >= len(text) || text[i] != value[j] {
			return end
		}
		i, j = i+1, j+1
		end = i
	}
	return end
}

// blockEnd returns the offset after a block scalar's last non-whitespace
// character, or after its header if it is empty.
func blockEnd(text []byte, i int, value string) int {
	header := i
	for header < len(text) && spaceLen(text[header:]) == 0 {
		header++
	}
	body := header
	for body < len(text) && breakLen(text[body:]) == 0 {
		body++
	}
	if end := matchEnd(text, body, value); end > body {
		return end
	}
	return header
}

// flowEnd returns the offset after the closing bracket of a flow list or map. i is the end of its
// last item.
func flowEnd(text []byte, i int, closer byte) int {
	for i < len(text) {
		switch {
		case text[i] == closer:
			return i + 1
		case text[i] == '#':
			for i < len(text) && breakLen(text[i:]) == 0 {
				i++
			}
		default:
			i++
		}
	}
	return len(text)
}

// afterColon returns the offset after the colon that follows a key, or i if no colon follows.
func afterColon(text []byte, i int) int {
	at := i
	for at < len(text) {
		n := spaceLen(text[at:])
		switch {
		case n > 0:
			at += n
		case text[at] == '#':
			for at < len(text) && breakLen(text[at:]) == 0 {
				at++
			}
		case text[at] == ':':
			return at + 1
		default:
			return i
		}
	}
	return i
}

// plainKind returns a plain scalar's type in the YAML 1.2 core schema, where
// "yes", "on" and dates are strings.
func plainKind(s string) definition.ValueKind {
	if len(s) == 0 {
		return definition.Null
	}
	switch s[0] {
	case '~', 'n', 'N':
		if s == "~" || s == "null" || s == "Null" || s == "NULL" {
			return definition.Null
		}
	case 't', 'T', 'f', 'F':
		switch s {
		case "true", "True", "TRUE", "false", "False", "FALSE":
			return definition.Bool
		}
	case '-', '+', '.', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if isNumber(s) {
			return definition.Number
		}
	}
	return definition.String
}

// isNumber reports whether s is an integer or float in the core schema.
func isNumber(s string) bool {
	only := func(s, set string) bool { return strings.Trim(s, set) == "" }
	const decimal = "0123456789"
	if rest, ok := strings.CutPrefix(s, "0o"); ok && rest != "" {
		return only(rest, "01234567")
	}
	if rest, ok := strings.CutPrefix(s, "0x"); ok && rest != "" {
		return only(rest, decimal+"abcdefABCDEF")
	}
	unsigned := func(s string) string {
		if s != "" && (s[0] == '-' || s[0] == '+') {
			return s[1:]
		}
		return s
	}
	switch s {
	case ".nan", ".NaN", ".NAN":
		return true
	}
	s = unsigned(s)
	switch s {
	case ".inf", ".Inf", ".INF":
		return true
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		exponent := unsigned(s[i+1:])
		if exponent == "" || !only(exponent, decimal) {
			return false
		}
		s = s[:i]
	}
	whole, fraction, _ := strings.Cut(s, ".")
	return whole+fraction != "" && only(whole, decimal) && only(fraction, decimal)
}

func isDecimal(b byte) bool { return '0' <= b && b <= '9' }

// isWord reports whether b may occur in a typical key. It accepts all non-ASCII bytes.
func isWord(b byte) bool {
	return isDecimal(b) || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b == '_' || b == '-' || b == '.' || b >= 0x80
}

// maxKey is the maximum length of a key in text that might not be YAML.
const maxKey = 100

// keyEnd returns the length of the key that starts line: one word, possibly quoted, before a colon
// that ends the line or is followed by a space. It returns 0 if line does not start with a key.
func keyEnd(line []byte) int {
	i := 0
	quote := byte(0)
	if len(line) > 0 && (line[0] == '"' || line[0] == '\'') {
		quote, i = line[0], 1
	}
	start := i
	for i < len(line) && isWord(line[i]) {
		i++
	}
	if i == start || i > maxKey || quote == 0 && line[0] == '-' {
		return 0
	}
	if quote != 0 {
		if i >= len(line) || line[i] != quote {
			return 0
		}
		i++
	}
	if i >= len(line) || line[i] != ':' {
		return 0
	}
	if i+1 < len(line) && !isBlank(line[i+1]) && !isBreak(line[i+1]) {
		return 0
	}
	return i
}

// ScriptNumber formats a core schema number the way JavaScript does: "1.50" becomes "1.5", "0x10"
// becomes "16", "1e21" becomes "1e+21". It returns other strings unchanged.
func ScriptNumber(s string) string {
	if s == "" || !isNumber(s) {
		return s
	}
	n := numberOf(s)
	size := math.Abs(n)
	switch {
	case math.IsNaN(n):
		return "NaN"
	case math.IsInf(n, 1):
		return "Infinity"
	case math.IsInf(n, -1):
		return "-Infinity"
	case n == 0:
		return "0"
	case 1e-6 <= size && size < 1e21:
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	text := strconv.FormatFloat(n, 'e', -1, 64)
	// JavaScript does not pad exponents with zeros.
	at := strings.IndexByte(text, 'e') + 2
	return text[:at] + strings.TrimLeft(text[at:], "0")
}

// numberOf parses a core schema number. If the number is too large, the result is infinite.
func numberOf(s string) float64 {
	sign := 1
	switch {
	case strings.HasPrefix(s, "0x"), strings.HasPrefix(s, "0o"):
		whole, _ := new(big.Int).SetString(s, 0)
		n, _ := new(big.Float).SetInt(whole).Float64()
		return n
	case s[0] == '-':
		sign, s = -1, s[1:]
	case s[0] == '+':
		s = s[1:]
	}
	switch strings.ToLower(s) {
	case ".nan":
		return math.NaN()
	case ".inf":
		return math.Inf(sign)
	}
	n, _ := strconv.ParseFloat(s, 64)
	return float64(sign) * n
}
