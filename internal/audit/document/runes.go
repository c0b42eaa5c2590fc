package document

import (
	"cmp"
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed runes.txt
var runeTable string

// runeRange is a range of characters of one kind or script of the table.
type runeRange struct {
	from, to rune
	name     string
}

// runeSets has the ranges of the kinds in order under "", and those of each script.
var runeSets = sync.OnceValue(func() map[string][]runeRange {
	sets := map[string][]runeRange{}
	for row := range rowsOf(runeTable) {
		words := strings.Fields(row)
		set := words[0]
		if strings.Contains(" control space zero-width bidi tag selector silent letter ", " "+set+" ") {
			set = ""
		}
		for _, word := range words[1:] {
			first, last, _ := strings.Cut(word, "-")
			from, _ := strconv.ParseInt(first, 16, 32)
			to, _ := strconv.ParseInt(cmp.Or(last, first), 16, 32)
			sets[set] = append(sets[set], runeRange{rune(from), rune(to), words[0]})
		}
	}
	slices.SortFunc(sets[""], func(a, b runeRange) int { return cmp.Compare(a.from, b.from) })
	return sets
})

// kindOf returns the kind of a character in the table; "" is any other.
func kindOf(c rune) string {
	if c >= ' ' && c < 0x7f || c == '\n' || c == '\t' || c == '\r' {
		return ""
	}
	return find(runeSets()[""], c)
}

// in reports whether a character is of a script of the table.
func in(script string, c rune) bool { return find(runeSets()[script], c) != "" }

func find(list []runeRange, c rune) string {
	n, _ := slices.BinarySearchFunc(list, c, func(r runeRange, c rune) int { return cmp.Compare(r.to, c) })
	if n < len(list) && list[n].from <= c {
		return list[n].name
	}
	return ""
}

//go:embed lookalikes.txt
var lookalikeTable string

var lookalikes = sync.OnceValue(func() map[rune]byte {
	all := map[rune]byte{}
	for row := range rowsOf(lookalikeTable) {
		for _, c := range row[2:] {
			all[c] = row[0]
		}
	}
	return all
})

// latin returns the letter, digit or mark of ASCII that a character looks like; 0 is none.
func latin(c rune) byte {
	switch {
	case isWide(c):
		return byte(c - 0xFEE0)
	case c >= 0x1D400 && c <= 0x1D6A3:
		n := byte((c - 0x1D400) % 52)
		return 'A' + n%26 + n/26*32
	case c >= 0x1D7CE && c <= 0x1D7FF:
		return '0' + byte((c-0x1D7CE)%10)
	case c >= 0x24B6 && c <= 0x24E9:
		n := byte(c - 0x24B6)
		return 'A' + n%26 + n/26*32
	}
	return lookalikes()[c]
}

func isWide(c rune) bool { return c >= 0xFF01 && c <= 0xFF5E }

// isLetter and isWord say what a word is made of.
func isLetter(c rune) bool {
	if c < utf8.RuneSelf {
		return c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	return unicode.IsLetter(c)
}

func isWord(c rune) bool {
	if isLetter(c) || c >= '0' && c <= '9' {
		return true
	}
	return c >= utf8.RuneSelf && unicode.Is(unicode.M, c) && !unicode.Is(unicode.Variation_Selector, c)
}

// shape counts the letters of a word: Latin ones, those of other scripts that look like
// Latin ones and that do not, and Latin ones in another style, such as mathematical.
type shape struct {
	latin, like, unlike, styled int
	// math are Greek letters as names of numbers. phonetic: it has letters of the
	// phonetic alphabet.
	math     int
	phonetic bool
	// turns is how often the script changes.
	turns   int
	foreign bool
}

// add counts a letter. It reports whether it is of another script.
func (s *shape) add(c rune) (foreign bool) {
	as := latin(c)
	switch {
	case c < utf8.RuneSelf && !isLetter(c):
		return false
	case c < 0x250:
		s.latin++
	case isWide(c) || c >= 0x1D400 && c <= 0x1D7FF || c >= 0x2100 && c < 0x2500:
		if isLetter(rune(as)) {
			s.styled++
		}
		return false
	case as != 0:
		foreign = true
		s.like++
	case c < 0x300:
		s.phonetic = true
	case isLetter(c):
		foreign = true
		s.unlike++
	}
	if strings.ContainsRune("αβγδεζηθκλμξπρστφχψωΓΔΘΛΞΠΣΦΨΩ", c) {
		s.math++
	}
	if foreign != s.foreign && s.latin+s.like+s.unlike > 1 {
		s.turns++
	}
	s.foreign = foreign
	return foreign
}

// folds reports whether the letters that look like Latin ones are read as such. own is
// how many letters the file has that can only be Cyrillic or Greek.
func (s *shape) folds(own int) bool {
	ascii := s.latin + s.styled
	switch {
	case s.unlike > 0:
		// A word of another script with a slip of the keyboard, or a Latin one with letters
		// put into it.
		return ascii > 2*(s.like+s.unlike)
	case ascii > 0:
		return own == 0 || s.like <= 2*ascii
	}
	// A word of nothing but such letters, in a text that is in no such script.
	return s.like >= 2 && own == 0 && !s.phonetic
}

// mixes reports whether the word is of several scripts or styles in a way in which people
// do not write.
func (s *shape) mixes(own int) bool {
	foreign := s.like + s.unlike
	switch {
	case foreign == 0:
		return s.latin > 1 && s.styled > 0
	case s.latin+s.styled == 0 || s.phonetic:
		return false
	case s.math == foreign && foreign <= 2 && (s.like == 0 || s.latin <= 3):
		return false
	}
	// A loan word with an ending, or a slip.
	return s.unlike <= s.latin && (own == 0 || s.turns > 1) || s.like > 0 && s.unlike == 0 && own == 0
}
