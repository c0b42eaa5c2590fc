package terminal

import (
	"unicode"
	"unicode/utf8"
)

// Width returns the number of columns that s takes on a terminal: 2 for East
// Asian wide characters and emoji, 0 for combining marks and controls, 1 for
// the rest. A sequence that is one sign to the reader (a flag, a keycap, emoji
// joined together or with a skin tone) counts once, as terminals that know
// Unicode's clusters have it. Ambiguous characters are narrow. Escape first.
func Width(s string) int {
	if plainPrefix(s, true) == len(s) {
		return len(s)
	}
	n := 0
	for s != "" {
		size, w := cluster(s)
		n += w
		s = s[size:]
	}
	return n
}

// Truncate returns s if it takes at most cols columns, else the longest
// beginning that fits with "…" after it. With no columns the result is empty.
func Truncate(s string, cols int) string {
	if cols <= 0 {
		return ""
	}
	if len(s) <= cols && plainPrefix(s, true) == len(s) {
		return s
	}
	used, cut := 0, 0
	for i := 0; i < len(s); {
		size, w := cluster(s[i:])
		if used+w > cols {
			return s[:cut] + "…"
		}
		used += w
		i += size
		if used < cols {
			cut = i
		}
	}
	return s
}

// cluster returns the length and the width of the first sign of s, which is
// not empty: a character and what is drawn with it.
func cluster(s string) (size, width int) {
	if c := s[0]; c < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		if c < ' ' || c == 0x7f {
			return 1, 0
		}
		return 1, 1
	}
	base, size := utf8.DecodeRuneInString(s)
	width = runeWidth(base)
	picture := pictographic(base)
	if regional(base) {
		if next, n := utf8.DecodeRuneInString(s[size:]); regional(next) {
			size, width = size+n, 2
		}
	}
	for size < len(s) {
		r, n := utf8.DecodeRuneInString(s[size:])
		switch {
		case r == zwj && picture:
			if next, m := utf8.DecodeRuneInString(s[size+n:]); pictographic(next) {
				n, width = n+m, 2
			}
		case r == emoji && picture, r == keycap && keyed(base):
			width = 2
		case r >= 0x1f3fb && r <= 0x1f3ff && picture:
			width = 2
		case r < utf8.RuneSelf || r == utf8.RuneError || runeWidth(r) > 0:
			return size, width
		}
		size += n
	}
	return size, width
}

// keyed reports whether r can stand in a keycap.
func keyed(r rune) bool { return r >= '0' && r <= '9' || r == '#' || r == '*' }

func runeWidth(r rune) int {
	switch {
	case r < 0xa0:
		if r < ' ' || r >= 0x7f {
			return 0
		}
		return 1
	case r < 0x300:
		if r == 0xad {
			return 0
		}
		return 1
	case zeroWidth(r):
		return 0
	case isWide(r):
		return 2
	}
	return 1
}

func zeroWidth(r rune) bool {
	switch {
	case r >= 0x1160 && r <= 0x11ff, r >= 0xd7b0 && r <= 0xd7ff: // Hangul vowels and finals are drawn into their syllable
		return true
	case hidden(r), contextual(r):
		return true
	}
	return unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r)
}

func isWide(r rune) bool {
	if r < 0x1100 {
		return false
	}
	lo, hi := 0, len(wide)
	for lo < hi {
		mid := (lo + hi) / 2
		switch {
		case r < wide[mid][0]:
			hi = mid
		case r > wide[mid][1]:
			lo = mid + 1
		default:
			return true
		}
	}
	return false
}

// wide holds the characters of East_Asian_Width W and F (Unicode 14, with the
// blocks that 15 and 16 added), gaps of unassigned ones closed.
var wide = [...][2]rune{
	{0x1100, 0x115f}, {0x231a, 0x231b}, {0x2329, 0x232a}, {0x23e9, 0x23ec}, {0x23f0, 0x23f0}, {0x23f3, 0x23f3},
	{0x25fd, 0x25fe}, {0x2614, 0x2615}, {0x2630, 0x2637}, {0x2648, 0x2653}, {0x267f, 0x267f}, {0x268a, 0x268f},
	{0x2693, 0x2693}, {0x26a1, 0x26a1}, {0x26aa, 0x26ab}, {0x26bd, 0x26be}, {0x26c4, 0x26c5}, {0x26ce, 0x26ce},
	{0x26d4, 0x26d4}, {0x26ea, 0x26ea}, {0x26f2, 0x26f3}, {0x26f5, 0x26f5}, {0x26fa, 0x26fa}, {0x26fd, 0x26fd},
	{0x2705, 0x2705}, {0x270a, 0x270b}, {0x2728, 0x2728}, {0x274c, 0x274c}, {0x274e, 0x274e}, {0x2753, 0x2755},
	{0x2757, 0x2757}, {0x2795, 0x2797}, {0x27b0, 0x27b0}, {0x27bf, 0x27bf}, {0x2b1b, 0x2b1c}, {0x2b50, 0x2b50},
	{0x2b55, 0x2b55}, {0x2e80, 0x303e}, {0x3041, 0x3247}, {0x3250, 0xa4c6}, {0xa960, 0xa97c}, {0xac00, 0xd7a3},
	{0xf900, 0xfad9}, {0xfe10, 0xfe6b}, {0xff01, 0xff60}, {0xffe0, 0xffe6}, {0x16fe0, 0x1b2fb}, {0x1d300, 0x1d376},
	{0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320},
	{0x1f32d, 0x1f335}, {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca}, {0x1f3cf, 0x1f3d3},
	{0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4}, {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440}, {0x1f442, 0x1f4fc},
	{0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f54e}, {0x1f550, 0x1f567}, {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596},
	{0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d2},
	{0x1f6d5, 0x1f6df}, {0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7f0}, {0x1f90c, 0x1f93a},
	{0x1f93c, 0x1f945}, {0x1f947, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
}
