package host

import (
	"cmp"
	"strings"
	"sync"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// Collate compares names in English collation order (cases h07, m08 and m47): punctuation, symbols,
// digits, then letters, script by script. Case and accents matter only if the names are otherwise
// equal.
func Collate(a, b string) int {
	c := collators.Get().(*collate.Collator)
	defer collators.Put(c)
	return cmp.Or(c.CompareString(knownSymbols(a), knownSymbols(b)), c.CompareString(a, b))
}

// collators is a pool, because a collator is not safe for concurrent use.
var collators = sync.Pool{New: func() any { return collate.New(language.English) }}

// knownSymbols replaces every pictograph with one that the collation tables contain. The tables
// cover only Unicode 6.2, so newer pictographs would otherwise be sorted after all letters.
func knownSymbols(s string) string {
	const first, last, known = 0x1f300, 0x1faff, '🚀'
	isPictograph := func(r rune) bool { return first <= r && r <= last }
	if !strings.ContainsFunc(s, isPictograph) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if isPictograph(r) {
			return known
		}
		return r
	}, s)
}
