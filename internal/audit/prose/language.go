package prose

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// loanWord marks English terms that other languages also use.
const loanWord = "loan"

// stops maps frequent words to the language they identify. All of these
// languages use the Latin script.
var stops = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for lang, words := range rows("words/languages.txt") {
		for w := range strings.FieldsSeq(words) {
			m[w] += " " + lang
		}
	}
	return m
})

// letterLanguages maps a letter to the languages it suggests.
const letterLanguages = "ß:de ł:pl ż:pl ź:pl ś:pl ę:pl ą:pl ń:pl ı:tr ğ:tr ş:tr ř:cs ě:cs ů:cs ă:ro ő:hu " +
	"ű:hu æ:da ø:da ñ:es è:fr ê:fr à:fr œ:fr û:fr î:fr ã:pt õ:pt ä:de ö:de ü:de"

// languageOf returns the language of most of the text and the strength of the
// evidence, judging by letters and frequent words.
func languageOf(text string) (string, int) {
	c := counter{hits: map[string]int{}}
	start := -1
	for i, l := range text {
		if l == '\'' && start >= 0 || c.letter(l) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			c.word(text[start:i])
			start = -1
			if c.words++; c.words >= 40 {
				break
			}
		}
	}
	if start >= 0 {
		c.word(text[start:])
	}
	return c.best()
}

// counter accumulates the evidence for each language.
type counter struct {
	hits                               map[string]int
	han, kana, hangul, cyrillic, words int
}

// letter counts a character, and reports whether it is part of a word.
func (c *counter) letter(l rune) bool {
	if l < utf8.RuneSelf {
		return l|0x20 >= 'a' && l|0x20 <= 'z'
	}
	switch {
	case !unicode.IsLetter(l):
		return false
	case l >= 0x3040 && l <= 0x30ff:
		c.kana++
	case ideographic(l):
		c.han++
	case unicode.Is(unicode.Hangul, l):
		c.hangul++
	case unicode.Is(unicode.Cyrillic, l):
		c.cyrillic++
	default:
		if at := strings.Index(letterLanguages, string(l)+":"); at >= 0 {
			at += utf8.RuneLen(l) + 1
			c.hits[letterLanguages[at:at+2]]++
		}
	}
	return !ideographic(l)
}

func (c *counter) word(w string) {
	if len(w) > 16 {
		return
	}
	for lang := range strings.FieldsSeq(stops()[strings.ToLower(w)]) {
		if lang != loanWord {
			c.hits[lang]++
		}
	}
}

func (c *counter) best() (string, int) {
	english := c.hits["en"]
	switch {
	case c.kana > 0 && c.kana+c.han > 3:
		return "ja", c.kana + c.han
	case c.han > 0 && c.han*2 > c.words:
		return "zh", c.han
	case c.hangul > 2 && c.hangul > english*2:
		return "ko", c.hangul
	case c.cyrillic > 4 && c.cyrillic > english*3:
		return "ru", c.cyrillic
	}
	best := "en"
	for lang, n := range c.hits {
		if n > c.hits[best] || n == c.hits[best] && best != "en" && lang < best {
			best = lang
		}
	}
	return best, c.hits[best]
}

// scriptLanguage returns the language whose lexicon is used for a non-Latin script.
func scriptLanguage(w string) string {
	c, _ := utf8.DecodeRuneInString(w)
	switch {
	case unicode.Is(unicode.Cyrillic, c):
		return "ru"
	case unicode.Is(unicode.Hangul, c):
		return "ko"
	case ideographic(c):
		return "zh"
	}
	return ""
}

// unknownScript returns the name of a script in text that no lexicon covers,
// and how many letters in text belong to it.
func unknownScript(text string) (string, int) {
	counts := map[string]int{}
	best := ""
	for _, c := range text {
		if c < 0x370 || !unicode.IsLetter(c) || ideographic(c) ||
			unicode.In(c, unicode.Cyrillic, unicode.Hangul, unicode.Latin) {
			continue
		}
		name := "unknown"
		for _, script := range [...]string{"Arabic", "Hebrew", "Thai", "Devanagari", "Greek", "Bengali", "Tamil",
			"Georgian", "Armenian", "Khmer", "Ethiopic"} {
			if unicode.Is(unicode.Scripts[script], c) {
				name = script
			}
		}
		if counts[name]++; counts[name] > counts[best] {
			best = name
		}
	}
	return best, counts[best]
}
