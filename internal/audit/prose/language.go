package prose

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// loanWord marks English terms that other languages use.
const loanWord = "loan"

// stops are the frequent words by which languages of Latin letters are known.
var stops = sync.OnceValue(func() map[string]string {
	data, err := wordFiles.ReadFile("words/languages.txt")
	if err != nil {
		panic(err) // The file is part of the program.
	}
	m := map[string]string{}
	for line := range strings.Lines(string(data)) {
		lang, words, ok := strings.Cut(line, ": ")
		if !ok || line[0] == '#' {
			continue
		}
		for w := range strings.FieldsSeq(words) {
			if old := m[w]; old != "" {
				lang := old + " " + lang
				m[w] = lang
				continue
			}
			m[w] = lang
		}
	}
	return m
})

// letterLanguages are languages that a letter hints at.
const letterLanguages = "ß:de ł:pl ż:pl ź:pl ś:pl ę:pl ą:pl ń:pl ı:tr ğ:tr ş:tr ř:cs ě:cs ů:cs ă:ro ő:hu ű:hu æ:da ø:da ñ:es è:fr ê:fr à:fr œ:fr û:fr î:fr ã:pt õ:pt ä:de ö:de ü:de"

// languageOf returns the language that most of a text is in, by its letters and its
// frequent words, and how much speaks for it.
func languageOf(text string) (string, int) {
	hits := map[string]int{}
	var han, kana, hangul, cyrillic, words int
	start := -1
	for i, c := range text {
		if c < utf8.RuneSelf {
			if letter := c | 0x20; letter >= 'a' && letter <= 'z' || c == '\'' && start >= 0 {
				if start < 0 {
					start = i
				}
				continue
			}
		} else if unicode.IsLetter(c) {
			switch {
			case c >= 0x3040 && c <= 0x30ff:
				kana++
			case ideographic(c):
				han++
			case unicode.Is(unicode.Hangul, c):
				hangul++
			case unicode.Is(unicode.Cyrillic, c):
				cyrillic++
			default:
				if at := strings.Index(letterLanguages, string(c)+":"); at >= 0 {
					at += utf8.RuneLen(c) + 1
					hits[letterLanguages[at:at+2]]++
				}
			}
			if !ideographic(c) {
				if start < 0 {
					start = i
				}
				continue
			}
		}
		if start >= 0 {
			countWord(hits, text[start:i])
			start = -1
			if words++; words >= 40 {
				break
			}
		}
	}
	if start >= 0 {
		countWord(hits, text[start:])
	}
	switch {
	case kana > 0 && kana+han > 3:
		return "ja", kana + han
	case han > 0 && han*2 > words:
		return "zh", han
	case hangul > 2 && hangul > hits["en"]*2:
		return "ko", hangul
	case cyrillic > 4 && cyrillic > hits["en"]*3:
		return "ru", cyrillic
	}
	best := "en"
	for lang, n := range hits {
		if n > hits[best] || n == hits[best] && best != "en" && lang < best {
			best = lang
		}
	}
	return best, hits[best]
}

func countWord(hits map[string]int, w string) {
	if len(w) > 16 {
		return
	}
	for lang := range strings.FieldsSeq(stops()[strings.ToLower(w)]) {
		if lang != loanWord {
			hits[lang]++
		}
	}
}

// scriptLanguage is the language in which a word of other letters is looked up.
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

// unknownScript names the script of a text for which there are no words, and how many of
// its letters the text has.
func unknownScript(text string) (string, int) {
	counts := map[string]int{}
	best := ""
	for _, c := range text {
		if c < 0x370 || ideographic(c) || !unicode.IsLetter(c) || unicode.In(c, unicode.Cyrillic, unicode.Hangul, unicode.Latin) {
			continue
		}
		name := "unknown"
		for _, script := range [...]string{"Arabic", "Hebrew", "Thai", "Devanagari", "Greek", "Bengali", "Tamil", "Georgian", "Armenian", "Khmer", "Ethiopic"} {
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
