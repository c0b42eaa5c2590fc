package shell

import (
	"slices"
	"strings"
)

// ForShell writes a word for a shell to which a person gives a command: in single
// quotes, in which nothing means anything, unless no character of it does.
func ForShell(word string) string {
	if isSafe(word) && !isKeyword(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Join writes an argument line as a person would, so that Fields splits it into
// the words: each as it is, in single quotes, in double quotes, or with
// backslashes, the first of these that does it. It works for every word without
// a NUL byte, save one kind: a word that begins with "!" has no spelling, since
// Fields puts a backslash before it.
func Join(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(quote(w, i == 0))
	}
	return b.String()
}

// quote writes a word that stands first in its line or need not work there.
func quote(word string, first bool) string {
	if isSafe(word) && !(first && isKeyword(word)) {
		return word
	}
	single := "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	if strings.HasPrefix(word, "!") {
		return single
	}
	if !strings.Contains(word, "'") && !readsBack(word, word, first) {
		return single
	}
	for _, form := range []string{word, `"` + word + `"`, escaped(word)} {
		if readsBack(form, word, first) {
			return form
		}
	}
	return single
}

// isKeyword reports whether Fields drops a safe word from the front of a line.
func isKeyword(word string) bool {
	switch word {
	case "if", "while", "until":
		return true
	}
	return false
}

// isSafe reports whether no character of a word means anything to a shell.
func isSafe(word string) bool {
	for i := range len(word) {
		switch c := word[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case strings.IndexByte("_-./:,@%+", c) >= 0:
		default:
			return false
		}
	}
	return word != ""
}

// escaped puts a backslash before each character that ends or changes a word.
func escaped(word string) string {
	var b strings.Builder
	for i := range len(word) {
		if strings.IndexByte(" \t\r\n;&|<>()'\"`$\\", word[i]) >= 0 || word[i] == '#' && i == 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(word[i])
	}
	return b.String()
}

// readsBack reports whether form is read as word alone, between others and,
// where it has to be, at the front.
func readsBack(form, word string, first bool) bool {
	if !slices.Equal(Fields("_ "+form+" _"), []string{"_", word, "_"}) {
		return false
	}
	if !first {
		return slices.Equal(Fields("_ "+form), []string{"_", word})
	}
	return slices.Equal(Fields(form), []string{word}) && slices.Equal(Fields(form+" _"), []string{word, "_"})
}
