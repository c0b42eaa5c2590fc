package host

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Collate compares names as English collation does, first ignoring case (m08, m47) and then by
// case. The rest approximates Unicode collation as far as names need it, with punctuation before
// digits before letters, which is inferred.
func Collate(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		r, n := utf8.DecodeRuneInString(x)
		q, m := utf8.DecodeRuneInString(y)
		if d := collateWeight(r) - collateWeight(q); d != 0 {
			return d
		}
		x, y = x[n:], y[m:]
	}
	if d := len(x) - len(y); d != 0 {
		return d
	}
	// If two names differ only in case or accents, the lowercase or unaccented letter
	// comes first.
	for x, y = a, b; x != "" && y != ""; {
		r, n := utf8.DecodeRuneInString(x)
		q, m := utf8.DecodeRuneInString(y)
		if r != q {
			return collateFine(r) - collateFine(q)
		}
		x, y = x[n:], y[m:]
	}
	return len(a) - len(b)
}

const (
	// collated has the printable ASCII characters other than letters. latin has the base letters
	// of U+00C0 to U+00FF.
	collated = "\t\n\v\f\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789"
	latin    = "AAAAAAACEEEEIIIIDNOOOOO*OUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuyty"
)

func collateWeight(r rune) int {
	if 0xC0 <= r && r <= 0xFF {
		r = rune(latin[r-0xC0])
	}
	if at := strings.IndexRune(collated, r); r < utf8.RuneSelf && at >= 0 {
		return at << 21
	}
	if unicode.IsSymbol(r) {
		// opencode h04: emojis come before digits.
		return strings.IndexByte(collated, '~')<<21 + int(r)
	}
	return len(collated)<<21 + int(unicode.ToLower(r))
}

// collateFine breaks ties between characters of the same weight.
func collateFine(r rune) int {
	if unicode.IsUpper(r) {
		return int(r) + unicode.MaxRune
	}
	return int(r)
}
