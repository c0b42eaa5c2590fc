// Package tokens estimates the number of tokens in text for a language model, without a tokenizer's
// tables. The estimate is deterministic and takes about as long as reading the text once.
//
// Compared against o200k on a large collection of real skill files, the median error per file is
// 3.0%, the 95th percentile is 11.5%, and the error of the total is 0.1%. Estimates for short texts
// are less accurate: rounding alone can add half a token.
package tokens

import "unicode/utf8"

// The average composition of a token. Costs are integers, in twentieths of a token, so that their
// sum does not depend on the order in which they are added. The sum is scaled at the end.
const (
	twentieths     = 20
	lettersInToken = 8  // ASCII letters, rounded up for each run
	digitsInToken  = 3  // digits, likewise
	marksInToken   = 3  // ASCII punctuation, likewise
	cjkCost        = 15 // one Han, Kana or Hangul character: .75
	otherCost      = 12 // one other non-ASCII character: .6
	scaleNum       = 912
	scaleDen       = 1000
)

// Estimate returns the estimated number of tokens in s. It is 0 only if s is empty or consists of
// spaces and tabs.
func Estimate(s string) int { return estimate(s) }

// EstimateBytes is like [Estimate] for a byte slice, without copying it.
func EstimateBytes(b []byte) int { return estimate(b) }

// FromSize estimates the number of tokens in an unread file as 0.93 times a quarter of its size in
// bytes. The median error is about 10% and the 95th percentile is 31%; both are much larger for
// text that is not mostly ASCII.
func FromSize(bytes int64) int {
	if bytes <= 0 {
		return 0
	}
	const perHundred = 4 * 100
	return int(max(1, bytes/perHundred*93+(bytes%perHundred*93+perHundred/2)/perHundred))
}

// class is the class of a byte. The class of all non-ASCII bytes is wide; their cost depends on the
// character to which they belong.
type class byte

const (
	blank   class = '_'
	letter  class = 'a'
	digit   class = '0'
	mark    class = '.'
	newline class = 'n'
	wide    class = 'w'
)

// classes holds the class of every byte, sixteen per line. It is a string because a string does not
// need initialization at startup.
const classes = "" +
	"........._n..n.." +
	"................" +
	"_..............." +
	"0000000000......" +
	".aaaaaaaaaaaaaaa" +
	"aaaaaaaaaaa....." +
	".aaaaaaaaaaaaaaa" +
	"aaaaaaaaaaa....." +
	"wwwwwwwwwwwwwwww" +
	"wwwwwwwwwwwwwwww" +
	"wwwwwwwwwwwwwwww" +
	"wwwwwwwwwwwwwwww" +
	"wwwwwwwwwwwwwwww" +
	"wwwwwwwwwwwwwwww" +
	"wwwwwwwwwwwwwwww" +
	"wwwwwwwwwwwwwwww"

func estimate[T string | []byte](s T) int {
	cost := 0
	for i := 0; i < len(s); {
		c, start := class(classes[s[i]]), i
		if c == wide {
			r, size := decode(s[i:min(len(s), i+utf8.UTFMax)])
			cost += wideCost(r)
			i += size
			continue
		}
		for i++; i < len(s) && class(classes[s[i]]) == c; i++ {
		}
		cost += runCost(c, i-start)
	}
	if cost == 0 {
		return 0
	}
	const unit = twentieths * scaleDen
	return max(1, (cost*scaleNum+unit/2)/unit)
}

func decode[T string | []byte](s T) (rune, int) {
	return utf8.DecodeRuneInString(string(s))
}

// runCost returns the cost of n consecutive bytes in the same class.
func runCost(c class, n int) int {
	switch c {
	case letter:
		return (n + lettersInToken - 1) / lettersInToken * twentieths
	case digit:
		return (n + digitsInToken - 1) / digitsInToken * twentieths
	case mark:
		return (n + marksInToken - 1) / marksInToken * twentieths
	case newline:
		return twentieths
	}
	return 0
}

// wideCost returns the cost of one non-ASCII character. An invalid byte counts as one character.
func wideCost(r rune) int {
	switch {
	case r < 0x1100:
		return otherCost
	case r <= 0x11ff, // Hangul Jamo
		0x2e80 <= r && r <= 0x9fff,   // radicals, CJK punctuation, Kana, Bopomofo, Han
		0xa960 <= r && r <= 0xa97f,   // Hangul Jamo
		0xac00 <= r && r <= 0xd7ff,   // Hangul
		0xf900 <= r && r <= 0xfaff,   // Han, compatibility
		0xfe30 <= r && r <= 0xfe4f,   // CJK compatibility forms
		0xff00 <= r && r <= 0xffef,   // full-width forms
		0x20000 <= r && r <= 0x3ffff: // Han
		return cjkCost
	}
	return otherCost
}
