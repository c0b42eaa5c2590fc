package coreutils

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// globMatch is fnmatch(3) without flags: a star crosses slashes and leading
// dots. Time is bounded by the product of both lengths.
func globMatch(pattern, name string, fold bool) bool {
	if fold {
		pattern, name = foldGlob(pattern), strings.ToLower(name)
	}
	star, mark := -1, 0
	p, n := 0, 0
	for n < len(name) {
		if p < len(pattern) && pattern[p] == '*' {
			star, mark = p, n
			p++
			continue
		}
		if p < len(pattern) {
			if used, size, ok := globOne(pattern[p:], name[n:]); ok {
				p += used
				n += size
				continue
			}
		}
		if star < 0 {
			return false
		}
		_, size := utf8.DecodeRuneInString(name[mark:])
		mark += size
		p, n = star+1, mark
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// foldGlob lowers a pattern but for the names of classes, of which upper and
// lower mean both.
func foldGlob(pattern string) string {
	lower := strings.ToLower(pattern)
	return strings.NewReplacer("[:upper:]", "[:alpha:]", "[:lower:]", "[:alpha:]").Replace(lower)
}

// globOne matches one element of a pattern with one character.
func globOne(pattern, name string) (used, size int, ok bool) {
	r, size := utf8.DecodeRuneInString(name)
	switch pattern[0] {
	case '?':
		return 1, size, true
	case '[':
		if in, used, closed := globSet(pattern, r); closed {
			return used, size, in
		}
		return 1, 1, name[0] == '['
	case '\\':
		if len(pattern) < 2 {
			return 0, 0, false
		}
		want, n := utf8.DecodeRuneInString(pattern[1:])
		return 1 + n, size, want == r && pattern[1:1+n] == name[:size]
	}
	_, n := utf8.DecodeRuneInString(pattern)
	return n, size, pattern[:n] == name[:size]
}

// globSet matches a bracket expression; closed is false where the bracket is
// an ordinary character.
func globSet(pattern string, r rune) (in bool, used int, closed bool) {
	i := 1
	negated := i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^')
	if negated {
		i++
	}
	for first := true; i < len(pattern); first = false {
		if pattern[i] == ']' && !first {
			return in != negated, i + 1, true
		}
		if class, rest, ok := globClass(pattern[i:]); ok {
			in = in || classHas(class, r)
			i = len(pattern) - len(rest)
			continue
		}
		low, n := globRune(pattern[i:])
		i += n
		high := low
		if i+1 < len(pattern) && pattern[i] == '-' && pattern[i+1] != ']' {
			high, n = globRune(pattern[i+1:])
			i += 1 + n
		}
		in = in || low <= r && r <= high
	}
	return false, 0, false
}

func globRune(pattern string) (rune, int) {
	skip := 0
	if pattern[0] == '\\' && len(pattern) > 1 {
		skip = 1
	}
	r, n := utf8.DecodeRuneInString(pattern[skip:])
	return r, skip + n
}

func globClass(pattern string) (class, rest string, ok bool) {
	inner, ok := strings.CutPrefix(pattern, "[:")
	if !ok {
		return "", "", false
	}
	class, rest, ok = strings.Cut(inner, ":]")
	return class, rest, ok && class != "" && strings.Trim(class, "abcdefghijklmnopqrstuvwxyz") == ""
}

// classHas is membership in a POSIX character class.
func classHas(class string, r rune) bool {
	switch class {
	case "alpha":
		return unicode.IsLetter(r)
	case "digit":
		return r >= '0' && r <= '9'
	case "alnum":
		return unicode.IsLetter(r) || unicode.IsNumber(r)
	case "upper":
		return unicode.IsUpper(r)
	case "lower":
		return unicode.IsLower(r)
	case "space":
		return unicode.IsSpace(r)
	case "blank":
		return r == ' ' || r == '\t'
	case "punct":
		return unicode.IsPunct(r) || unicode.IsSymbol(r)
	case "print":
		return unicode.IsPrint(r)
	case "graph":
		return unicode.IsPrint(r) && r != ' '
	case "cntrl":
		return unicode.IsControl(r)
	case "xdigit":
		return strings.ContainsRune("0123456789abcdefABCDEF", r) && r < utf8.RuneSelf
	}
	return false
}
