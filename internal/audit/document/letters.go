package document

import (
	_ "embed"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The kinds of unusual characters: non-ASCII whitespace, control characters and
// invisible characters.
const (
	space, control                 = "space", "control"
	bidi, tag, selector, zeroWidth = "bidi", "tag", "selector", "zero-width"
)

// kindOf returns the kind of an unusual character, or "" for an ordinary one.
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

// isInvisible reports whether the characters of the given kind are invisible.
func isInvisible(kind string) bool { return kind != "" && kind != space && kind != control }

// isRightToLeft reports whether a character belongs to a right-to-left script.
func isRightToLeft(c rune) bool {
	return c >= 0x590 && c < 0x900 && c != 0x61c || c >= 0xfb1d && c < 0xfdff || c >= 0xfe70 && c < 0xfeff ||
		c >= 0x10800 && c < 0x11000 || c >= 0x1e800 && c < 0x1f000
}

// needsInvisible reports whether invisible characters are normal next to c. They are if c is an
// emoji, a symbol, or a letter from a script such as Arabic or Devanagari.
func needsInvisible(c rune) bool {
	return c >= utf8.RuneSelf && unicode.IsSymbol(c) || c >= 0x590 && latinLookalike(c) == 0 || c >= 0x2000 && c < 0x2c00
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

// latinLookalike returns the ASCII letter or digit that a character resembles, or 0.
func latinLookalike(c rune) byte {
	if c < 0x250 || c >= 0x2e80 && c < 0xa4d0 {
		return 0
	}
	if as := lookalikes()[c]; as != 0 {
		return as
	}
	// Full-width, mathematical and circled letters are styles of an ASCII letter.
	if plain := norm.NFKC.String(string(c)); len(plain) == 1 && isWord(rune(plain[0])) {
		return plain[0]
	}
	return 0
}

// isLetter reports whether a character is a letter that can be part of a word. isWord also accepts
// digits and combining marks.
func isLetter(c rune) bool {
	if c < utf8.RuneSelf {
		return c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	return unicode.IsLetter(c)
}

func isWord(c rune) bool {
	return isLetter(c) || c >= '0' && c <= '9' || latinLookalike(c) != 0 || unicode.IsMark(c) && kindOf(c) == ""
}

// disguise returns folds, which reports whether the look-alikes in a word should be read as Latin
// letters, and mixed, which reports whether the word mixes scripts or styles in a suspicious way.
// nativeLetters is the number of Greek, Cyrillic and Armenian letters in the file that have no
// Latin look-alike.
func disguise(word []rune, nativeLetters int) (folds, mixed bool) {
	plain, like, styled := 0, 0, 0
	for _, c := range word {
		switch as := latinLookalike(c); {
		case c < 0x300:
			if isLetter(c) {
				plain++
			}
		case c > 0xff00 || c >= 0x2070 && c < 0x2500:
			if as > '9' {
				styled++
			}
		case as != 0:
			like++
		case isLetter(c):
			// The word is in another script. If it contains a Latin letter, that may be a typo.
			return false, false
		}
	}
	switch {
	case plain+styled == 0:
		// The word consists only of look-alikes, and the file has no other text in that script.
		return like >= 2 && nativeLetters == 0, false
	case nativeLetters > 0 && like > plain:
		return like <= 2*plain, false
	}
	// A single look-alike next to another letter may be a variable name in a formula.
	return true, plain > 0 && len(word) > 3 && (like > 0 || styled > 0 && plain > 1)
}
