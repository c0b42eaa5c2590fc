package mirror

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold is what file systems make of a path that take names for the same which differ in
// their capitals or in the way their accents are written (documented for APFS and HFS+).
func fold(p string) string {
	if strings.IndexFunc(p, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return strings.ToLower(p)
	}
	return norm.NFD.String(strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return unicode.ToLower(least)
	}, norm.NFD.String(p)))
}
