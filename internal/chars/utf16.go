package chars

// ShortenUTF16 limits text to a number of UTF-16 code units. If the text is too long, ShortenUTF16
// cuts it and appends the ellipsis, so that the result has exactly the maximum length. If the
// ellipsis does not fit, the result is empty. If the cut falls in the middle of a surrogate pair,
// half replaces the first surrogate, as in the host's output.
func ShortenUTF16(text string, most int, ellipsis, half string) string {
	if len(text) <= most || UTF16Length(text) <= most {
		return text
	}
	room := most - UTF16Length(ellipsis)
	if room < 0 {
		return ""
	}
	for i, r := range text {
		if room == 0 {
			return text[:i] + ellipsis
		}
		n := 1
		if r > 0xffff {
			n = 2
		}
		if n > room {
			return text[:i] + half + ellipsis
		}
		room -= n
	}
	return text
}

// UTF16Length returns a string's length in UTF-16 code units.
func UTF16Length(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}
