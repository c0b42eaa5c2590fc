package vfs

import (
	"strings"
	"unicode"
)

// IsGit reports whether an element of a path is the directory of a repository of git
// to some system: ".git" in whatever case, with full stops, blanks or a stream behind
// it, with characters inside that HFS+ passes over, or by its short name "git~1"
// (documented: core.protectNTFS and core.protectHFS of git-config). Slash and
// backslash both end an element. It looks at nothing but the text.
func IsGit(name string) bool {
	for element := range strings.FieldsFuncSeq(name, isSlash) {
		element, _, _ = strings.Cut(element, ":")
		element = strings.TrimRight(strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) {
				return -1
			}
			return unicode.ToLower(r)
		}, element), ". ")
		if element == ".git" || element == "git~1" {
			return true
		}
	}
	return false
}
