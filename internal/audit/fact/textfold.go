package fact

import (
	"bytes"
	"unicode/utf8"
)

// word takes in the word around an offset, at which a letter stands that may look
// like a Latin one, and returns where it ends. In a word that is otherwise Latin such
// letters become those that they look like.
func (r *textReader) word(at int) int {
	// What the word has before is written already, in letters of Latin or digits.
	from := len(r.out)
	for from > 0 && len(r.out)-from < maxWord/4 {
		c, n := utf8.DecodeLastRune(r.out[:from])
		if !isWord(c) {
			break
		}
		from -= n
	}
	var w wordShape
	for _, c := range string(r.out[from:]) {
		w.add(c)
	}
	end := at
	for i := at; i < len(r.raw) && i < at+maxWord; {
		c, n := utf8.DecodeRune(r.raw[i:])
		kind := kindOf(c)
		i += n
		if kind == wordRune || isWord(c) {
			w.add(c)
			end = i
		} else if kind != zeroPoint && kind != silentPoint && kind != selectorPoint {
			break
		}
	}
	start := r.rawOf(from)
	fold := w.folds(r.own)
	for i := at; i < end; {
		c, n := utf8.DecodeRune(r.raw[i:])
		kind := kindOf(c)
		if kind == zeroPoint || kind == silentPoint || kind == selectorPoint {
			i = r.invisible(i, kind)
			continue
		}
		as, foreign := new(wordShape).add(c)
		if as != 0 && (fold || !foreign) {
			r.emit([]byte{as}, i, i+n)
		} else {
			r.emit(r.raw[i:i+n], i, i+n)
		}
		i += n
		if isWide(c) {
			r.wideEnd = i
		}
	}
	w = wordShape{}
	for _, c := range string(r.raw[start:end]) {
		if isWord(c) || kindOf(c) == wordRune {
			w.add(c)
		}
	}
	if w.mixes() {
		r.note(Points{
			Start: start, End: end, Class: Mixed, Count: w.like + w.unlike + w.styled, Natural: w.natural(r.own),
			Word: string(bytes.ToValidUTF8(r.raw[start:end], nil)), Says: string(r.out[from:]),
		})
	}
	return end
}

// rawOf is what a place near the end of what is written stands for.
func (r *textReader) rawOf(at int) int {
	n := len(r.moved)
	for n > 0 && r.moved[n-1].text > at {
		n--
	}
	if n == 0 {
		return at
	}
	return r.moved[n-1].raw + at - r.moved[n-1].text
}

// maxWord bounds a word: what is longer is read in pieces.
const maxWord = 256

// wordShape counts the letters of a word.
type wordShape struct {
	// latin are letters of Latin, upper those that are large ones.
	latin, upper int
	// like are letters of other scripts that look like Latin ones, unlike others,
	// styled are Latin ones in another style, math are Greek ones as names of numbers.
	like, unlike, styled, math int
	cyrillic, greek, phonetic  int
	// turns is how often the script changes, last is which it was.
	turns int
	last  byte
	first byte
}

// add counts a letter and returns the Latin one that it looks like, and whether it is
// of another script.
func (w *wordShape) add(c rune) (as byte, foreign bool) {
	switch {
	case c < 0x80 && !isLetter(c):
		return 0, false
	case c < 0x250:
		w.latin++
		if c >= 'A' && c <= 'Z' {
			w.upper++
		}
		w.turn('l')
		return 0, false
	}
	as, ok := latin(c)
	switch {
	case isWide(c) || c >= 0x1D400 && c <= 0x1D7FF || c >= 0x2100 && c < 0x2500:
		if ok && isLetter(rune(as)) {
			w.styled++
		}
		return as, false
	case c >= 0x370 && c < 0x400, c >= 0x1F00 && c < 0x2000:
		w.greek++
		if mathLetter(c) {
			w.math++
		}
		w.turn('g')
	case c >= 0x400 && c < 0x530, c >= 0xA640 && c < 0xA6A0:
		w.cyrillic++
		w.turn('c')
	case c < 0x300:
		w.phonetic++
		w.turn('p')
	default:
		w.turn('o')
	}
	if ok {
		w.like++
	} else if isLetter(c) {
		w.unlike++
	}
	return as, true
}

func (w *wordShape) turn(script byte) {
	if w.first == 0 {
		w.first = script
	} else if w.last != script {
		w.turns++
	}
	w.last = script
}

// folds reports whether the letters that look like Latin ones are read as such. Own is
// how many letters the file has that can only be Cyrillic or Greek.
func (w *wordShape) folds(own int) bool {
	switch {
	case w.unlike > 0:
		// The letters of another script, with one or two that look like them: a
		// slip of the keyboard. Otherwise a Latin word with letters put into it.
		return w.latin+w.styled > 2*(w.like+w.unlike)
	case w.latin+w.styled > 0:
		return own == 0 || w.turns != 1 || w.like <= 2*(w.latin+w.styled)
	}
	// A word of nothing but such letters, in a text that is in no such script.
	return w.like >= 2 && own == 0 && w.phonetic == 0
}

// mixes reports whether the word is of several scripts or styles.
func (w *wordShape) mixes() bool {
	foreign := w.like + w.unlike
	return foreign > 0 && w.latin+w.styled > 0 || w.styled > 0 && w.latin > 0
}

// natural reports whether a word of several scripts is one that people write. Own is
// how many letters the file has that can only be Cyrillic or Greek.
func (w *wordShape) natural(own int) bool {
	foreign := w.like + w.unlike
	in := own > 40
	switch {
	case foreign == 0:
		// ASCII and full width or a style together.
		return w.latin < 2 || w.styled < 1
	case w.greek == foreign && w.math == foreign && foreign <= 2 && w.turns <= 1 && (w.like == 0 || w.latin <= 3):
		return true
	case w.greek == foreign && w.like == 0 && foreign <= 2:
		return true
	case w.cyrillic == foreign && w.turns == 1 && w.first == 'l' && (w.upper >= 2 || w.unlike > 0 && in):
		// An abbreviation or a loan word with an ending: APIшный, commitить.
		return true
	case w.unlike > 0 && foreign > w.latin, own > 0 && w.turns == 1 && foreign > 3*w.latin:
		return true
	case w.cyrillic == foreign && in && w.turns == 1 && (w.upper == w.latin || w.unlike > 0):
		return true
	case w.phonetic > 0 && w.unlike > 0:
		return true
	}
	return w.like+w.unlike > 0 && w.like == 0 && w.latin <= foreign
}

// mathLetter reports whether a Greek letter is one that stands for a number or a
// function.
func mathLetter(c rune) bool {
	switch c {
	case 'α', 'β', 'γ', 'δ', 'ε', 'ζ', 'η', 'θ', 'κ', 'λ', 'μ', 'ξ', 'π', 'ρ', 'σ', 'τ', 'φ', 'χ', 'ψ', 'ω', 'Γ', 'Δ', 'Θ', 'Λ', 'Ξ', 'Π', 'Σ', 'Φ', 'Ψ', 'Ω':
		return true
	}
	return false
}

// latin returns the letter, digit or mark of ASCII that a character looks like.
func latin(c rune) (byte, bool) {
	switch {
	case isWide(c):
		return byte(c - 0xFEE0), true
	case c >= 0x1D400 && c <= 0x1D6A3:
		return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[(c-0x1D400)%52], true
	case c >= 0x1D7CE && c <= 0x1D7FF:
		return '0' + byte((c-0x1D7CE)%10), true
	case c >= 0x24B6 && c <= 0x24CF:
		return 'A' + byte(c-0x24B6), true
	case c >= 0x24D0 && c <= 0x24E9:
		return 'a' + byte(c-0x24D0), true
	case c < 0x250:
		return 0, false
	case c < 0x370:
		return latinOf(c, "ɑaɡgɩiɪiʟlɴnʀrʏyʙbʜhᴏo")
	case c < 0x400:
		return latinOf(c, "ΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXαaγyηnιiκkνvοoρpτtυuχxϲcϳjϹCͿJϺM")
	case c < 0x530:
		return latinOf(c, "АAВBЅSІIЈJЕEЗ3КKМMНHОOРPСCТTУYХXҮYҺHԌGԚQԜWаaеeоoрpсcтtуyхxѕsіiјjкkмmнhүyһhԁdԛqԝwӏlӀIёeѵvԍg")
	case c < 0x590:
		return latinOf(c, "աwցgզqհhոnսuօoյjՏSՍUՕOԼLյjքpԁdկlռnղnսuեtծoհh")
	case c >= 0x13A0 && c < 0x1400:
		return latinOf(c, "ᎠDᎡRᎢTᎩYᎪAᎫJᎬEᎳWᎷMᎻHᎽYᏀGᏂhᏃZᏎ4ᏏbᏒRᏔWᏕSᏙVᏚSᏞLᏟCᏢPᏦKᏧdᏳGᏴB")
	case c >= 0x1D00 && c < 0x1D80:
		return latinOf(c, "ᴀaᴄcᴅdᴇeᴊjᴋkᴍmᴏoᴘpᴛtᴜuᴠvᴡwᴢz")
	case c >= 0x2100 && c < 0x2150:
		return latinOf(c, "ℂCℊgℋHℌHℍHℎhℐIℑIℒLℓlℕNℙPℚQℛRℜRℝRℤZℨZℬBℭCℯeℰEℱFℳMℴoℹi")
	case c >= 0xA4D0 && c < 0xA500:
		return latinOf(c, "ꓐBꓑPꓓDꓔTꓖGꓗKꓙJꓚCꓜZꓝFꓟMꓠNꓡLꓢSꓣRꓦVꓧHꓪWꓫXꓬYꓮAꓰEꓲIꓳOꓴU")
	}
	return 0, false
}

// latinOf looks a character up in a list of pairs.
func latinOf(c rune, pairs string) (byte, bool) {
	for i := 0; i < len(pairs); {
		p, n := utf8.DecodeRuneInString(pairs[i:])
		if p == c {
			return pairs[i+n], true
		}
		i += n + 1
	}
	return 0, false
}
