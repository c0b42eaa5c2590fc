package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/shell"
)

// ForShell returns a word in the form in which a user would type it in a shell command. It adds
// single quotes if the word is empty, is a keyword or contains a special character.
func ForShell(word string) string {
	if isSafe(word) && !isKeyword(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Quote formats words as a command line in which each word is literal, regardless of its content.
func Quote(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}

// Join formats words as an argument line that Fields splits into the same words. For each word, it
// uses the first of these forms that works: unchanged, in single quotes, in double quotes, or with
// backslashes. It does not support words with NUL bytes, or words that start with "!", to which
// Fields adds a backslash.
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

// quote formats a word. If first is set, the result must also work at the start of a line.
func quote(word string, first bool) string {
	if isSafe(word) && !(first && isKeyword(word)) {
		return word
	}
	single := "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	if strings.HasPrefix(word, "!") {
		return single
	}
	if !strings.Contains(word, "'") && !survives(word, word, first) {
		return single
	}
	for _, form := range []string{word, `"` + word + `"`, escaped(word)} {
		if survives(form, word, first) {
			return form
		}
	}
	return single
}

// isKeyword reports whether Fields treats a word at the start of a line as a keyword instead of a
// command name.
func isKeyword(word string) bool {
	switch word {
	case "if", "while", "until", "for", "select", "case", "function",
		"declare", "export", "local", "readonly", "typeset", "unset", "unsetenv":
		return true
	}
	return isReserved(word)
}

// isSafe reports whether a word contains no shell special characters.
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

// escaped adds a backslash before each special character.
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

// survives reports whether Fields parses form as word, both between other words and, depending on
// first, at the start or the end of a line. The other words in these lines are quoted. Otherwise,
// Fields might not find a command and split the line at whitespace, which would yield word by
// accident.
func survives(form, word string, first bool) bool {
	const quoted, other = "'_ _'", "_ _"
	if !slices.Equal(Fields(quoted+" "+form+" "+quoted), []string{other, word, other}) {
		return false
	}
	if !first {
		return slices.Equal(Fields(quoted+" "+form), []string{other, word})
	}
	return slices.Equal(Fields(form), []string{word}) && slices.Equal(Fields(form+" "+quoted), []string{word, other})
}

// CommandWords splits a command line as a shell would, handling quotes and expanding variables with
// getenv. A command substitution is an error.
func CommandWords(line string, getenv func(string) string) ([]string, error) {
	return shell.Fields(line, getenv)
}
