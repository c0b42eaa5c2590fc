package audit

import "strings"

// fold is a word without the marks in which spellings differ.
func fold(word string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(word))
}

// near reports whether two different words are at most so many letters apart: left
// out, added, replaced or swapped with the next.
func near(a, b string, most int) bool {
	return a != b && distance(a, b) <= most
}

// distance counts the letters in which two words of at most 64 bytes differ.
func distance(a, b string) int {
	const limit = 64
	if len(a) > limit || len(b) > limit {
		return limit
	}
	var rows [3][limit + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
