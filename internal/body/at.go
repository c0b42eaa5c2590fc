package body

// AtPath returns the end of the path after the "@" at i by opencode's rule (see [AtPaths]). ok is
// false if there is no path.
func AtPath(text string, i int) (end int, ok bool) {
	if i > 0 && (isWord(text[i-1]) || text[i-1] == '`') {
		return i, false
	}
	end = atPath(text, i+1)
	return end, end > i+1
}

// Number returns the length and the value of the digits at the start of a string.
func Number(s string) (length, value int) { return number(s) }
