package audit

import (
	"strings"

	"github.com/vadehq/vade/internal/resolve"
)

// fold is a word without the marks in which spellings differ.
func fold(word string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(word))
}

// near reports whether two different words are at most so many letters apart.
func near(a, b string, most int) bool {
	return a != b && len(a) <= 64 && resolve.Distance(a, b, most) <= most
}
