package body

// AtPath returns the end offset of the path that follows the "@" at offset i, according to
// opencode's rule (see [AtPaths]). ok reports whether there is such a path.
func AtPath(text string, i int) (end int, ok bool) {
	if i > 0 && (isWord(text[i-1]) || text[i-1] == '`') {
		return i, false
	}
	end = atPath(text, i+1)
	return end, end > i+1
}

// Number parses the decimal digits at the start of s. It returns how many there are and their
// value.
func Number(s string) (length, value int) { return number(s) }
