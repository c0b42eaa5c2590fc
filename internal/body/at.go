package body

// AtPath returns the end of the path that follows the "@" at i according to opencode's rule (see
// [AtPaths]). ok is false if no path follows.
func AtPath(text string, i int) (end int, ok bool) {
	if i > 0 && (isWord(text[i-1]) || text[i-1] == '`') {
		return i, false
	}
	end = atPath(text, i+1)
	return end, end > i+1
}

// Number returns the length and value of the digits that s starts with.
func Number(s string) (length, value int) { return number(s) }
