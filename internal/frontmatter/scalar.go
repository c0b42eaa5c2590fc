package frontmatter

import "github.com/vadehq/vade/definition"

// plainKind returns the type of a plain scalar in the core schema of YAML 1.2:
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

// isNumber matches the integers and floats of the core schema.
func isNumber(s string) bool {
	switch s {
	case ".nan", ".NaN", ".NAN":
		return true
	}
	if len(s) > 2 && s[0] == '0' && s[1] == 'o' {
		return digits(s[2:], isOctal) == len(s)-2
	}
	if len(s) > 2 && s[0] == '0' && s[1] == 'x' {
		return digits(s[2:], isHex) == len(s)-2
	}
	if s[0] == '-' || s[0] == '+' {
		s = s[1:]
	}
	switch s {
	case ".inf", ".Inf", ".INF":
		return true
	}
	whole := digits(s, isDecimal)
	s = s[whole:]
	fraction := 0
	if len(s) > 0 && s[0] == '.' {
		fraction = digits(s[1:], isDecimal)
		s = s[1+fraction:]
	}
	if whole+fraction == 0 {
		return false
	}
	if len(s) > 0 && (s[0] == 'e' || s[0] == 'E') {
		s = s[1:]
		if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
			s = s[1:]
		}
		n := digits(s, isDecimal)
		return n > 0 && n == len(s)
	}
	return len(s) == 0
}

// digits returns the number of leading bytes of s that are digits.
func digits(s string, is func(byte) bool) int {
	for i := range len(s) {
		if !is(s[i]) {
			return i
		}
	}
	return len(s)
}

func isDecimal(b byte) bool { return '0' <= b && b <= '9' }
func isOctal(b byte) bool   { return '0' <= b && b <= '7' }
func isHex(b byte) bool {
	return isDecimal(b) || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F'
}

// isWord says whether b may stand in a key as people write them; bytes of
// letters outside ASCII may.
func isWord(b byte) bool {
	return isDecimal(b) || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b == '_' || b == '-' || b == '.' || b >= 0x80
}

// maxKey bounds what is taken for a key in text that is not known to be YAML.
const maxKey = 100

// keyEnd returns the length of the key that line begins with: one word, perhaps
// quoted, before a colon that ends the line or has a blank behind it. It
// returns 0 where there is none.
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
