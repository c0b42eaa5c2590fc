package coreutils

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// The classes of the C.UTF-8 locale, as the inside of an RE2 bracket.
const (
	alphaClass = `A-Za-z\x{AA}\x{B5}\x{BA}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{FF}\pL\p{Nl}`
	wordClass  = `0-9` + alphaClass
	blankClass = ` \t\x{1680}\x{2000}-\x{2006}\x{2008}-\x{200A}\x{205F}\x{3000}`
	spaceClass = blankClass + `\n\v\f\r\x{2028}\x{2029}`
	punctClass = `!-/:-@\[-` + "`" + `{-~`
)

// classText gives the inside of an RE2 bracket for a [:name:].
func classText(name string) (string, bool) {
	switch name {
	case "alpha":
		return alphaClass, true
	case "alnum":
		return wordClass, true
	case "digit":
		return `0-9`, true
	case "upper":
		return `\p{Lu}`, true
	case "lower":
		return `\p{Ll}`, true
	case "space":
		return spaceClass, true
	case "blank":
		return blankClass, true
	case "punct":
		return punctClass + `\x{A1}-\x{A9}\x{AB}-\x{B4}\x{B6}-\x{B9}\x{BB}-\x{BF}\x{D7}\x{F7}\p{P}\p{S}`, true
	case "cntrl":
		return `\x00-\x1f\x7f-\x9f`, true
	case "print":
		return ` -~\x{A0}-\x{10FFFF}`, true
	case "graph":
		return `!-~\x{A1}-\x{10FFFF}`, true
	case "xdigit":
		return `0-9A-Fa-f`, true
	}
	return "", false
}

// bracket reads a bracket expression.
func (p *regexParser) bracket() (*regexNode, error) {
	p.pos++
	var b strings.Builder
	b.WriteByte('[')
	word := true
	if strings.HasPrefix(p.text[p.pos:], "^") {
		b.WriteByte('^')
		p.pos++
		word = false
	}
	for first := true; ; first = false {
		rest := p.text[p.pos:]
		switch {
		case rest == "":
			return nil, regexError("Unmatched [, [^, [:, [., or [=")
		case rest[0] == ']' && !first:
			p.pos++
			b.WriteByte(']')
			return &regexNode{kind: regexText, text: b.String(), word: word}, nil
		case strings.HasPrefix(rest, "[:"):
			name, ok := p.named(":]")
			text, known := classText(name)
			if !ok {
				return nil, regexError("Unmatched [, [^, [:, [., or [=")
			}
			if !known {
				return nil, regexError("Invalid character class name")
			}
			b.WriteString(text)
			word = word && (name == "alnum" || name == "alpha" || name == "digit" || name == "upper" || name == "lower" || name == "xdigit")
		default:
			isWord, err := p.rangeOf(&b)
			if err != nil {
				return nil, err
			}
			word = word && isWord
		}
	}
}

// rangeOf reads a character or a range within brackets.
func (p *regexParser) rangeOf(b *strings.Builder) (word bool, err error) {
	lo, err := p.member()
	if err != nil {
		return false, err
	}
	hi := lo
	if rest := p.text[p.pos:]; len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
		p.pos++
		if hi, err = p.member(); err != nil {
			return false, err
		}
	}
	if lo > hi {
		return false, regexError("Invalid range end")
	}
	b.WriteString(quoteMember(lo))
	if hi != lo {
		b.WriteByte('-')
		b.WriteString(quoteMember(hi))
	}
	first, last := literal(lo).word, literal(hi).word
	sameKind := lo == hi || lo >= 'a' || hi <= 'Z' && lo >= 'A' || hi <= '9'
	return first && last && sameKind, nil
}

// member reads one character within brackets, [.x.] and [=x=] included.
func (p *regexParser) member() (rune, error) {
	rest := p.text[p.pos:]
	for _, mark := range []string{".", "="} {
		if strings.HasPrefix(rest, "["+mark) {
			name, ok := p.named(mark + "]")
			r, size := utf8.DecodeRuneInString(name)
			if !ok || size == 0 || size != len(name) {
				return 0, regexError("Invalid collation character")
			}
			return r, nil
		}
	}
	r, size := utf8.DecodeRuneInString(rest)
	if size == 0 {
		return 0, regexError("Unmatched [, [^, [:, [., or [=")
	}
	p.pos += size
	return r, nil
}

// named takes the text between the two opening characters at hand and end.
func (p *regexParser) named(end string) (string, bool) {
	name, _, ok := strings.Cut(p.text[p.pos+2:], end)
	if !ok {
		return "", false
	}
	p.pos += 2 + len(name) + len(end)
	return name, true
}

func quoteMember(r rune) string {
	if r == '-' || r == '^' || r == '&' || r == '~' {
		return `\` + string(r)
	}
	return regexp.QuoteMeta(string(r))
}
