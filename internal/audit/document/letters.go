package document

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// The kinds of characters that are not read as they are: whitespace that ASCII does not
// have, control characters, and those that do not show.
const (
	space     = "space"
	control   = "control"
	bidi      = "bidi"
	tag       = "tag"
	selector  = "selector"
	zeroWidth = "zero-width"
)

// kindOf returns the kind of a character; "" is any other.
func kindOf(c rune) string {
	switch {
	case c >= ' ' && c < 0x7f, c == '\n' || c == '\t' || c == '\r', c > 0xad && c < 0x300,
		c >= 0x2e80 && c < 0xfe00 && c != 0x3000 && c != 0x3164:
		return ""
	case unicode.IsSpace(c), c == 0x2800:
		return space
	case unicode.IsControl(c):
		return control
	case unicode.Is(unicode.Bidi_Control, c):
		return bidi
	case unicode.Is(unicode.Variation_Selector, c):
		return selector
	case c >= 0xE0000 && c < 0xE0100:
		return tag
	case unicode.Is(unicode.Other_Default_Ignorable_Code_Point, c),
		unicode.Is(unicode.Cf, c) && !unicode.Is(unicode.Prepended_Concatenation_Mark, c):
		return zeroWidth
	}
	return ""
}

// hides reports whether characters of a kind do not show.
func hides(kind string) bool { return kind != "" && kind != space && kind != control }

// fromRight reports whether a character is of a script that is written from the right.
func fromRight(c rune) bool {
	return c >= 0x590 && c < 0x900 && c != 0x61c || c >= 0xfb1d && c < 0xfdff || c >= 0xfe70 && c < 0xfeff || c >= 0x10800 && c < 0x11000 || c >= 0x1e800 && c < 0x1f000
}

// needsInvisible reports whether a character may have one next to it that does not show:
// emoji, symbols, and letters of scripts other than Latin, Greek and Cyrillic.
func needsInvisible(c rune) bool {
	return c >= utf8.RuneSelf && unicode.IsSymbol(c) || c >= 0x590 && latin(c) == 0 || c >= 0x2000 && c < 0x2c00
}

//go:embed lookalikes.txt
var lookalikeTable string

var lookalikes = sync.OnceValue(func() map[rune]byte {
	all := map[rune]byte{}
	for row := range rowsOf(lookalikeTable) {
		for _, c := range row[2:] {
			all[c] = row[0]
		}
	}
	return all
})

// latin returns the ASCII letter or digit that a character looks like; 0 is none.
func latin(c rune) byte {
	switch {
	case c < 0x250 || c >= 0x2e80 && c < 0xa4d0:
		return 0
	case c > 0xff00 && c < 0xff5f && isWord(c-0xfee0):
		return byte(c - 0xfee0)
	case c >= 0x1d400 && c <= 0x1d6a3:
		return letter(c - 0x1d400)
	case c >= 0x1d7ce && c <= 0x1d7ff:
		return '0' + byte((c-0x1d7ce)%10)
	case c >= 0x24b6 && c <= 0x24e9:
		return letter(c - 0x24b6)
	}
	return lookalikes()[c]
}

// letter is a letter of an alphabet of uppercase and lowercase letters.
func letter(n rune) byte { return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[n%52] }

// isLetter and isWord say what a word is made of.
func isLetter(c rune) bool {
	if c < utf8.RuneSelf {
		return c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	return unicode.IsLetter(c)
}

func isWord(c rune) bool {
	return isLetter(c) || c >= '0' && c <= '9' || c >= utf8.RuneSelf && (latin(c) != 0 || unicode.IsMark(c) && kindOf(c) == "")
}

// shape counts the letters of a word: Latin ones, those of other scripts that look like
// Latin ones and that do not, and Latin ones in another style, such as mathematical.
type shape struct {
	latin, like, unlike, styled int
	// math are Greek letters as names of numbers. phonetic: it has letters of the
	// phonetic alphabet. turns is how often the script changes.
	math, turns       int
	phonetic, foreign bool
}

func shapeOf(word []rune) (s shape) {
	for _, c := range word {
		as, foreign := latin(c), false
		switch {
		case c < 0x250:
			if !isLetter(c) {
				continue
			}
			s.latin++
		case c >= 0xff00 && c < 0xff5f || c >= 0x1d400 && c <= 0x1d7ff || c >= 0x2100 && c < 0x2500:
			if as > '9' {
				s.styled++
			}
			continue
		case as != 0:
			s.like++
			foreign = true
		case c < 0x300:
			s.phonetic = true
		case isLetter(c):
			s.unlike++
			foreign = true
		}
		if strings.ContainsRune("αβγδεζηθκλμξπρστφχψωΓΔΘΛΞΠΣΦΨΩ", c) {
			s.math++
		}
		if foreign != s.foreign && s.latin+s.like+s.unlike > 1 {
			s.turns++
		}
		s.foreign = foreign
	}
	return s
}

// folds reports whether the letters that look like Latin ones are read as such. own is
// how many letters the file has that can only be Cyrillic or Greek.
func (s *shape) folds(own int) bool {
	ascii := s.latin + s.styled
	switch {
	case s.unlike > 0:
		// A word of another script with a slip of the keyboard, or a Latin one with letters
		// put into it.
		return ascii > 2*(s.like+s.unlike)
	case ascii > 0:
		return own == 0 || s.like <= 2*ascii
	}
	// A word of nothing but such letters, in a text that is in no such script.
	return s.like >= 2 && own == 0 && !s.phonetic
}

// mixes reports whether the word is of several scripts or styles in a way in which people
// do not write.
func (s *shape) mixes(own int) bool {
	foreign := s.like + s.unlike
	switch {
	case foreign == 0:
		return s.latin > 1 && s.styled > 0
	case s.like+s.styled == 0, s.latin+s.styled == 0, s.phonetic, s.math == foreign && foreign <= 2 && (s.like == 0 || s.latin <= 3):
		return false
	}
	// A loan word with an ending, or a slip.
	return s.unlike <= s.latin && (own == 0 || s.turns > 1) || s.like > 0 && s.unlike == 0 && own == 0
}
