package claude

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// oneLine removes terminal escape sequences and replaces each run of line breaks, control
// characters and invisible characters with a space (cases m19, m43 and h52). It keeps invisible
// characters that belong to an emoji or a letter (observed in 2.1.330 for each character).
func oneLine(s string) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	run := false
	for i := 0; i < len(s); {
		if n := escapeSequence(s[i:]); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if hidden := hidden(r) && !belongs(s[:i], r, s[i+n:]); !hidden {
			b.WriteString(s[i : i+n])
			run = false
		} else if !run {
			b.WriteByte(' ')
			run = true
		}
		i += n
	}
	return b.String()
}

// hidden reports whether a character is invisible. This includes line separators and control,
// format, private-use and unassigned characters.
func hidden(r rune) bool {
	const brailleBlank = 0x2800
	switch {
	case r < 0x7f:
		return r < ' '
	case !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs):
		return true
	}
	return r == brailleBlank || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// escapeSequence returns the length of the control sequence at the start of s, or 0 if there is
// none. A control sequence consists of ESC [, parameters and a final byte (ECMA-48).
func escapeSequence(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case '@' <= c && c <= '~':
			return i + 1
		case c < ' ' || c > '~':
			return 0
		}
	}
	return 0
}

const (
	zwnj          = '\u200c'
	zwj           = '\u200d'
	emojiVariant  = '\ufe0f'
	keycap        = "\u20e3"
	firstSkin     = 0x1f3fb
	lastSkin      = 0x1f3ff
	blackFlag     = "\U0001f3f4"
	firstTag      = 0xe0020
	lastTag       = 0xe007f
	firstPictures = 0x1f300
	lastPictures  = 0x1faff
)

// textEmoji lists the characters that are emoji only when a variation selector follows.
const textEmoji = "©®‼⁉™ℹ↔↕↖↗↘↙↩↪⌨⏏⏭⏮⏯⏱⏲⏸⏹⏺Ⓜ▪▫▶◀◻◼☀☁☂☃☄☎☑☘☝☠☢☣☦☪☮☯☸☹☺♀♂" +
	"♟♠♣♥♦♨♻♾⚒⚔⚕⚖⚗⚙⚛⚜⚠⚧⚰⚱⛈⛏⛑⛓⛩⛰⛱⛴⛷⛸⛹✂✈✉✌✍✏✒✔✖✝✡✳✴❄❇❣❤➡⤴⤵⬅" +
	"⬆⬇〰〽㊗㊙🅰🅱🅾🅿🈂🈷🌡🌤🌥🌦🌧🌨🌩🌪🌫🌬🌶🍽🎖🎗🎙🎚🎛🎞🎟🏋🏌🏍🏎🏔🏕🏖🏗🏘🏙🏚🏛🏜🏝🏞🏟🏳🏵🏷🐿👁" +
	"📽🕉🕊🕯🕰🕳🕴🕵🕶🕷🕸🕹🖇🖊🖋🖌🖍🖐🖥🖨🖱🖲🖼🗂🗃🗄🗑🗒🗓🗜🗝🗞🗡🗣🗨🗯🗳🗺🛋🛍🛎🛏🛠🛡🛢🛣🛤🛥🛩🛰🛳"

// belongs reports whether a hidden character is part of an emoji or word in the surrounding text.
func belongs(before string, r rune, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	switch {
	case r == emojiVariant:
		isKey := '0' <= last && last <= '9' || last == '#' || last == '*'
		return strings.ContainsRune(textEmoji, last) || isKey && strings.HasPrefix(after, keycap)
	case r == zwj && isEmoji(next):
		return isWholeEmoji(before, last) && startsEmoji(after, next)
	case r == zwj || r == zwnj:
		return joinsLetters(strings.TrimRightFunc(before, isMark), r, last, next)
	case firstTag <= r && r <= lastTag:
		rest := strings.TrimLeftFunc(after, isTag)
		return strings.HasSuffix(strings.TrimRightFunc(before, isTag), blackFlag) &&
			(r == lastTag || strings.HasSuffix(after[:len(after)-len(rest)], string(rune(lastTag))))
	}
	return false
}

func isTag(r rune) bool { return firstTag <= r && r <= lastTag }

func isMark(r rune) bool { return unicode.Is(unicode.Mn, r) }

func isEmoji(r rune) bool {
	return firstPictures <= r && r <= lastPictures || strings.ContainsRune(textEmoji, r) || unicode.Is(unicode.So, r)
}

// isWholeEmoji reports whether text ends in an emoji. last is the last character of text.
func isWholeEmoji(text string, last rune) bool {
	return last == emojiVariant || firstSkin <= last && last <= lastSkin || isEmoji(last) && !strings.ContainsRune(textEmoji, last)
}

// startsEmoji reports whether text begins with an emoji. first is the first character of text.
func startsEmoji(text string, first rune) bool {
	if !strings.ContainsRune(textEmoji, first) {
		return true
	}
	second, _ := utf8.DecodeRuneInString(text[utf8.RuneLen(first):])
	return second == emojiVariant || firstSkin <= second && second <= lastSkin
}

// joinsLetters reports whether a joiner is between two letters that it affects. These are Arabic
// letters, and letters in an Indic script if the first letter has a virama. base is the preceding
// text without its trailing marks, and last is the last of those marks.
func joinsLetters(base string, joiner, last, next rune) bool {
	letter, _ := utf8.DecodeLastRuneInString(base)
	if !unicode.IsLetter(letter) || !unicode.IsLetter(next) {
		return false
	}
	const arabicPresentation = 0xfb50
	if unicode.Is(unicode.Arabic, letter) && unicode.Is(unicode.Arabic, next) {
		return joiner == zwnj && letter < arabicPresentation && next < arabicPresentation
	}
	for _, script := range []struct {
		table     *unicode.RangeTable
		virama    rune
		nonJoiner bool
	}{
		{unicode.Devanagari, 0x94d, true}, {unicode.Bengali, 0x9cd, true}, {unicode.Gujarati, 0xacd, true}, {unicode.Oriya, 0xb4d, true},
		{unicode.Telugu, 0xc4d, true}, {unicode.Kannada, 0xccd, true}, {unicode.Malayalam, 0xd4d, true}, {unicode.Sinhala, 0xdca, false},
	} {
		if last == script.virama && unicode.Is(script.table, letter) && unicode.Is(script.table, next) {
			return joiner == zwj || script.nonJoiner
		}
	}
	return false
}
