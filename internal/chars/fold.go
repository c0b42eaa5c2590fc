package chars

import "strings"

// IndexFold returns the index of the first occurrence of an ASCII word in s, ignoring case, or -1
// if there is none. Searching strings.ToLower(s) would return a wrong index, because lowercasing
// can change the length of letters and of invalid UTF-8.
func IndexFold(s, word string) int {
	if word == "" {
		return 0
	}
	heads := strings.ToLower(word[:1]) + strings.ToUpper(word[:1])
	for at := 0; at+len(word) <= len(s); at++ {
		n := strings.IndexAny(s[at:], heads)
		if n < 0 || at+n+len(word) > len(s) {
			return -1
		}
		at += n
		if equalFold(s[at:at+len(word)], word) {
			return at
		}
	}
	return -1
}

// equalFold is strings.EqualFold restricted to ASCII. Unicode folding would
// also treat the Kelvin sign as k.
func equalFold(a, b string) bool {
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
