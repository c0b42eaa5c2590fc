package fact

import "unicode"

// runeKind is what the reader of a text does with a character.
type runeKind uint8

const (
	plainRune runeKind = iota
	// blankRune is a blank that is none in ASCII.
	blankRune
	// wordRune may be a letter that looks like another one.
	wordRune
	// widePoint is punctuation of full width.
	widePoint
	tagPoint
	bidiPoint
	zeroPoint
	selectorPoint
	controlPoint
	// silentPoint does not show and means nothing here: it is left out without a word.
	silentPoint
)

// kindOf sorts a character.
func kindOf(c rune) runeKind {
	switch {
	case c < ' ':
		if c == '\n' || c == '\r' || c == '\t' {
			return plainRune
		}
		if c == '\f' || c == '\v' {
			return blankRune
		}
		return controlPoint
	case c < 0x7f:
		return plainRune
	case c < 0xA0:
		if c == 0x85 {
			return blankRune
		}
		return controlPoint
	case c == 0xA0:
		return blankRune
	case c == 0xAD:
		return zeroPoint
	case c < 0x250:
		return plainRune
	case c < 0x2000:
		return lowKind(c)
	case c < 0x2100:
		return punctuationKind(c)
	case c < 0xA000:
		switch {
		case c == 0x3000:
			return blankRune
		case c == 0x3164:
			return zeroPoint
		case c == 0x2800:
			return blankRune
		case c < 0x2150, c >= 0x24B6 && c <= 0x24E9:
			if _, ok := latin(c); ok {
				return wordRune
			}
		}
		return plainRune
	}
	return highKind(c)
}

func lowKind(c rune) runeKind {
	switch {
	case c < 0x300:
		if _, ok := latin(c); ok {
			return wordRune
		}
	case c < 0x370:
		if c == 0x34F {
			return zeroPoint
		}
		if c >= 0x334 && c <= 0x338 {
			return silentPoint
		}
	case c < 0x590:
		return wordRune
	case c == 0x61C:
		return bidiPoint
	case c == 0x115F, c == 0x1160, c == 0x17B4, c == 0x17B5, c >= 0x180B && c <= 0x180F:
		return zeroPoint
	case c == 0x1680:
		return blankRune
	case c >= 0x13A0 && c < 0x1400, c >= 0x1D00 && c < 0x1D80, c >= 0x1F00:
		return wordRune
	}
	return plainRune
}

func punctuationKind(c rune) runeKind {
	switch {
	case c <= 0x200A, c == 0x202F, c == 0x205F, c == 0x2028, c == 0x2029:
		return blankRune
	case c <= 0x200D, c >= 0x2060 && c <= 0x2065:
		return zeroPoint
	case c <= 0x200F, c >= 0x202A && c <= 0x202E, c >= 0x2066 && c <= 0x2069:
		return bidiPoint
	case c >= 0x206A && c <= 0x206F:
		return silentPoint
	}
	return plainRune
}

func highKind(c rune) runeKind {
	switch {
	case c < 0xD7FC:
		if c >= 0xA4D0 && c < 0xA500 || c >= 0xAB70 && c < 0xABC0 || c >= 0xA640 && c < 0xA6A0 {
			return wordRune
		}
	case c >= 0xFE00 && c <= 0xFE0F, c >= 0xE0100 && c <= 0xE01EF:
		return selectorPoint
	case c == 0xFEFF, c == 0xFFA0:
		return zeroPoint
	case c >= 0xFFF9 && c <= 0xFFFB, c >= 0x1BCA0 && c <= 0x1BCA3, c >= 0x1D173 && c <= 0x1D17A:
		return silentPoint
	case isWide(c):
		if isWord(c - 0xFEE0) {
			return wordRune
		}
		return widePoint
	case c >= 0x1D400 && c <= 0x1D7FF:
		return wordRune
	case c >= 0xE0000 && c <= 0xE0FFF:
		return tagPoint
	}
	return plainRune
}

// isLetter and isWord say what a word is made of.
func isLetter(c rune) bool {
	if c < 0x80 {
		return c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	return unicode.IsLetter(c)
}

func isWord(c rune) bool {
	if c < 0x80 {
		return isLetter(c) || c >= '0' && c <= '9'
	}
	return unicode.IsLetter(c) || unicode.Is(unicode.M, c) && !unicode.Is(unicode.Variation_Selector, c)
}

// rightToLeft reports whether a character is a letter written from the right.
func rightToLeft(c rune) bool {
	return c >= 0x590 && c <= 0x8FF && c != 0x61C || c >= 0xFB1D && c <= 0xFDFF || c >= 0xFE70 && c <= 0xFEFC || c >= 0x10800 && c <= 0x10FFF || c >= 0x1E800 && c <= 0x1EFFF
}

// joins reports whether a character is of a script in which letters are joined and
// parted by characters without a width.
func joins(c rune) bool {
	return c >= 0x600 && c <= 0x8FF || c >= 0x900 && c <= 0xDFF || c >= 0xE00 && c <= 0x109F || c >= 0x1780 && c <= 0x18AF || c >= 0x1900 && c <= 0x1CFF ||
		c >= 0xA840 && c <= 0xAAFF || c >= 0xFB50 && c <= 0xFDFF || c >= 0xFE70 && c <= 0xFEFC || c >= 0x10A00 && c <= 0x11FFF || c >= 0x1E900 && c <= 0x1E95F
}

// eastAsian reports whether a character is of a script without blanks between words.
func eastAsian(c rune) bool {
	return c >= 0x1100 && c <= 0x11FF || c >= 0x2E80 && c <= 0x9FFF || c >= 0xA960 && c <= 0xA97F || c >= 0xAC00 && c <= 0xD7FF || c >= 0xF900 && c <= 0xFAFF ||
		c >= 0x20000 && c <= 0x323AF || c >= 0xFF00 && c <= 0xFFEF
}

// pictures reports whether a character is an emoji or a symbol that can be shown as one.
func pictures(c rune) bool {
	switch {
	case c == 0xA9, c == 0xAE, c == '#', c == '*', c >= '0' && c <= '9', c == 0x203C, c == 0x2049, c == 0x20E3:
		return true
	}
	return c >= 0x2100 && c <= 0x2BFF || c >= 0x3030 && c <= 0x303D || c == 0x3297 || c == 0x3299 || c >= 0x1F000 && c <= 0x1FAFF
}
