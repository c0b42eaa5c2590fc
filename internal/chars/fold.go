package chars

import "strings"

// IndexFold returns where word begins in s, whatever the case of its letters; -1 where
// it is not there. The word is ASCII. The place is one of s: what is searched in
// strings.ToLower(s) is found at another where a letter, or a byte that is no UTF-8,
// has a small form of another length.
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

// equalFold is strings.EqualFold of ASCII letters alone: to Unicode, K has a third form.
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
