package chars

import "strings"

// WithArticle returns a word preceded by "a" or "an".
func WithArticle(word string) string {
	if word != "" && strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}
