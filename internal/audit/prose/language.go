package prose

import (
	"strings"
	"sync"
	"unicode"
)

// stopWords maps a frequent word to a space-separated list of the languages in which it is
// frequent. All of these languages use the Latin script.
var stopWords = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for lang, words := range rows("words/languages.txt") {
		for w := range strings.FieldsSeq(words) {
			m[w] += " " + lang
		}
	}
	return m
})

// languageOf returns the main language of text and the strength of the evidence for it. It examines
// the first 40 words of text, using the script of each word and the languages in which the word is
// frequent.
func languageOf(text string) (string, int) {
	hits, letters, words := map[string]int{}, map[string]int{}, 0
	for word := range strings.FieldsFuncSeq(text, func(l rune) bool { return l != '\'' && !unicode.IsLetter(l) }) {
		for lang := range strings.FieldsSeq(stopWords()[strings.ToLower(strings.Trim(word, "'"))]) {
			hits[lang]++
		}
		for _, l := range word {
			if script := scriptLanguage(l); script != "" {
				letters[script]++
			}
		}
		if words++; words >= 40 {
			break
		}
	}
	english := hits["en"]
	switch kana, han := letters["ja"], letters["zh"]; {
	case kana > 0 && kana+han > 3:
		return "ja", kana + han
	case han > 0 && han*2 > words:
		return "zh", han
	case letters["ko"] > 2 && letters["ko"] > english*2:
		return "ko", letters["ko"]
	case letters["ru"] > 4 && letters["ru"] > english*3:
		return "ru", letters["ru"]
	}
	best := "en"
	for lang, n := range hits {
		if n > hits[best] || n == hits[best] && best != "en" && lang < best {
			best = lang
		}
	}
	return best, hits[best]
}

// scriptLanguage returns the language whose lexicon is used for words with the given letter. It
// returns "" if the letter is Latin or if no lexicon covers its script.
func scriptLanguage(l rune) string {
	switch {
	case l < 0x370:
		return ""
	case l >= 0x3040 && l <= 0x30ff:
		return "ja"
	case ideographic(l):
		return "zh"
	case unicode.Is(unicode.Cyrillic, l):
		return "ru"
	case unicode.Is(unicode.Hangul, l):
		return "ko"
	}
	return ""
}

// unknownScript returns the number n of letters in text whose script no lexicon covers, and the
// name of one such script. If n is 0, the name has no meaning.
func unknownScript(text string) (name string, n int) {
	var last rune
	for _, c := range text {
		if c >= 0x370 && unicode.IsLetter(c) && scriptLanguage(c) == "" && !unicode.Is(unicode.Latin, c) {
			last = c
			n++
		}
	}
	for name, table := range unicode.Scripts {
		if unicode.Is(table, last) {
			return name, n
		}
	}
	return "", n
}
