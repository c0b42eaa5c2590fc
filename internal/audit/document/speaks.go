package document

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed address.txt
var addressTable string

type addressWords struct {
	name, talk map[string]bool
	phrases    []string
}

var addresses = sync.OnceValue(func() *addressWords {
	a := &addressWords{name: map[string]bool{}, talk: map[string]bool{}}
	for row := range rowsOf(addressTable) {
		kind, text, _ := strings.Cut(row, ": ")
		if kind == "phrase" {
			a.phrases = append(a.phrases, text)
			continue
		}
		into := a.talk
		if kind == "name" {
			into = a.name
		}
		for _, word := range strings.Fields(text) {
			into[word] = true
		}
	}
	return a
})

// address says how many words a text has, how many of them name a model, and how many say
// what one says to it.
func address(text string) (words, names, talk int) {
	a := addresses()
	low := strings.ToLower(text)
	for word := range strings.FieldsFuncSeq(low, func(c rune) bool { return !unicode.IsLetter(c) }) {
		words++
		if a.name[word] {
			names++
		} else if a.talk[word] {
			talk++
		}
		if word[0] >= utf8.RuneSelf {
			// A script without spaces between words.
			words += len(word) / 12
		}
	}
	for _, phrase := range a.phrases {
		if strings.Contains(low, phrase) {
			names++
			talk++
		}
	}
	return words, names, talk
}

// minProse is the length of the shortest text that is read as prose.
const minProse = 20

// likeProse reports whether a value or string is sentences rather than data.
func likeProse(text string) bool {
	if len(text) < minProse {
		return false
	}
	letters, words, other, word := 0, 0, 0, 0
	for _, c := range text[:min(len(text), 2048)] {
		switch {
		case c >= utf8.RuneSelf && in("east-asian", c):
			// A script without spaces between words.
			letters, word = letters+3, word+1
			words += word / 3
			word %= 3
			continue
		case isLetter(c):
			letters++
			word++
			continue
		case c != ' ' && strings.IndexByte(",.'-#*`\n", byte(c)) < 0:
			other++
		}
		if word > 1 && (c == ' ' || c == '\n' || c == ',' || c == '.') {
			words++
		}
		word = 0
	}
	return words >= 3 && letters+words > 4*other
}
