package fact

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// stops are words that are frequent in one language of Latin letters and rare in the
// others. Those of languages without a table are there to know them by.
var stops = sync.OnceValue(func() map[string]uint8 {
	m := map[string]uint8{}
	for i, list := range stopWords {
		for w := range strings.FieldsSeq(list) {
			m[w] = uint8(i + 1)
		}
	}
	return m
})

// tongueNames are the languages of stopWords; those behind the fifth have no table.
var tongueNames = [...]string{"en", "de", "es", "fr", "pt", "it", "nl", "pl", "tr", "vi", "id", "sv", "cs", "ro", "hu", "fi", "da"}

var stopWords = [len(tongueNames)]string{
	"the and of to is for you with this that are be it or when if not your from use can by as an will should",
	"der die das und ist nicht mit dem den ein eine für sie wird auf werden oder wenn auch sich zu von bei nach ohne im niemals sind alle",
	"el los las una para por que del con es se al como más sin esta este cuando pero su nunca antes usuario",
	"le les des une est pour dans que vous avec sur pas ou qui du ne sont ce aux par cette être jamais sans utilisateur",
	"os uma para não com que do da em você por são mais como ao dos das sem nunca usuário quando",
	"il gli della che non per sono con nel una alla questo più degli essere delle",
	"het een van niet voor zijn wordt worden naar ook deze dat met bij",
	"nie się jest przez dla oraz które być tego jak są użytkownika",
	"ve bir için bu ile olarak değil kullanıcı veya daha olan",
	"không của và là được các cho một những này với người trong",
	"yang dan untuk dengan tidak dari ini pada adalah dalam pengguna atau",
	"och att som är inte för av den på med till det användaren",
	"není které pro jako jsou při nebo aby být uživatele podle",
	"și nu este pentru care din sau sunt prin",
	"és nem hogy egy az meg vagy felhasználó",
	"ja ei on että käyttäjä mutta tai jos ovat",
	"og ikke er af til det som på brugeren",
}

// tongueOf returns the language that most of a text is in, by its letters and its
// small words; where they say nothing it is English.
func tongueOf(text string) string {
	var hits [len(tongueNames)]int
	var han, kana, hangul, cyrillic, letters int
	table := stops()
	words := 0
	for i := 0; i < len(text) && words < 200; {
		c := text[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= utf8.RuneSelf:
			end := i
			for end < len(text) && end-i < 40 {
				c := text[end]
				if c >= 'a' && c <= 'z' {
					end++
					continue
				}
				if c < utf8.RuneSelf {
					break
				}
				r, n := utf8.DecodeRuneInString(text[end:])
				switch {
				case r >= 0x3040 && r <= 0x30ff:
					kana++
				case ideographic(r):
					han++
				case unicode.Is(unicode.Hangul, r):
					hangul++
				case unicode.Is(unicode.Cyrillic, r):
					cyrillic++
				case r < 0x180:
					if k := marked(r); k > 0 {
						hits[k] += 2
					} else if r == 'ä' || r == 'ö' || r == 'ü' {
						// German has them, and others too.
						hits[1]++
					}
				}
				if !unicode.IsLetter(r) || ideographic(r) {
					if end == i {
						end += n
					}
					break
				}
				end += n
			}
			if end == i {
				end++
			}
			words++
			letters += end - i
			if k := table[text[i:end]]; k != 0 {
				hits[k-1]++
			}
			i = end
		default:
			i++
		}
	}
	best := 0
	for k, n := range hits {
		if n > hits[best] {
			best = k
		}
	}
	switch {
	case kana > 0 && kana+han > 3:
		return "ja"
	case han > 0 && han*4 > letters/4:
		return "zh"
	case hangul > 2 && hangul > hits[0]*2:
		return "ko"
	case cyrillic > 4 && cyrillic > hits[0]*3:
		return "ru"
	}
	return tongueNames[best]
}

// marked is the language that a letter with a mark hints at, by its place in
// tongueNames; 0 is none.
func marked(r rune) int {
	switch r {
	case 'ß':
		return 1
	case 'ł', 'ż', 'ź', 'ś', 'ę', 'ą', 'ń':
		return 7
	case 'ı', 'ğ', 'ş':
		return 8
	case 'ř', 'ě', 'ů':
		return 12
	case 'ă':
		return 13
	case 'ő', 'ű':
		return 14
	case 'æ', 'ø':
		return 16
	case 'ñ':
		return 2
	case 'è', 'ê', 'à', 'œ', 'û', 'î':
		return 3
	case 'ã', 'õ':
		return 4
	}
	return 0
}

// scriptTongue is the language in which a word of other letters is looked up.
func scriptTongue(w string) string {
	r, _ := utf8.DecodeRuneInString(w)
	switch {
	case unicode.Is(unicode.Cyrillic, r):
		return "ru"
	case unicode.Is(unicode.Hangul, r):
		return "ko"
	case ideographic(r):
		return "zh"
	}
	return ""
}

// lexiconOf returns the words of a language; nil where there are none.
func lexiconOf(tongue string) *lexicon {
	switch tongue {
	case "en":
		return english()
	case "de":
		return german()
	case "es":
		return spanish()
	case "fr":
		return french()
	case "pt":
		return portuguese()
	case "ru":
		return russian()
	case "zh":
		return chinese()
	case "ja":
		return japanese()
	case "ko":
		return korean()
	}
	return nil
}

// unjudged names the language or script of a text that no table is for, and how many
// letters of it there are.
func unjudged(text string) (string, int) {
	scripts := [...]struct {
		name  string
		table *unicode.RangeTable
	}{
		{"Arabic script", unicode.Arabic}, {"Hebrew script", unicode.Hebrew}, {"Thai script", unicode.Thai}, {"Devanagari script", unicode.Devanagari},
		{"Greek script", unicode.Greek}, {"Bengali script", unicode.Bengali}, {"Tamil script", unicode.Tamil}, {"Georgian script", unicode.Georgian},
		{"Armenian script", unicode.Armenian}, {"Khmer script", unicode.Khmer}, {"Ethiopic script", unicode.Ethiopic},
	}
	var count [len(scripts)]int
	other := 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		if r < 0x370 || ideographic(r) || !unicode.IsLetter(r) {
			continue
		}
		if unicode.In(r, unicode.Cyrillic, unicode.Hangul) {
			continue
		}
		known := false
		for k := range scripts {
			if unicode.Is(scripts[k].table, r) {
				count[k]++
				known = true
				break
			}
		}
		if !known && r < 0x1e00 {
			other++
		}
	}
	best := 0
	for k := range count {
		if count[k] > count[best] {
			best = k
		}
	}
	if count[best] > 0 && count[best] >= other {
		return scripts[best].name, count[best]
	}
	return "a script of its own", other
}

// minForeign is how many letters of a language without a table make a file one that
// was not looked at as a whole.
const minForeign = 200

// tongues notes the languages of a file that are not judged.
func (f *Facts) tongues(file int) {
	x := f.Package.Files[file]
	if x.Role != Main && x.Role != Document {
		return
	}
	text := headOf(x.Text, maxSaid)
	if name, n := unjudged(text); n > minForeign {
		f.miss(file, MissedLanguage, "text in "+name)
		return
	}
	count := map[string]int{}
	for at := 0; at < len(text); {
		end := at + 2000
		if end >= len(text) {
			end = len(text)
		} else if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
			end += i
		} else {
			end = len(text)
		}
		part := text[at:end]
		at = end
		if tongue := tongueOf(lowered(part)); lexiconOf(tongue) == nil {
			count[tongue] += len(part)
		}
	}
	for _, tongue := range tongueNames {
		if count[tongue] > minForeign {
			f.miss(file, MissedLanguage, "text in the language "+tongue)
			return
		}
	}
}
