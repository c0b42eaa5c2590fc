package coreutils

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

func (r *scriptReader) substitution() (*substitution, error) {
	r.pos++
	pattern, err := r.delimited(false, true)
	if err != nil {
		return nil, err
	}
	replacement, err := r.delimited(false, false)
	if err != nil {
		return nil, err
	}
	s := &substitution{number: 1}
	fold, err := r.substFlags(s)
	if err != nil {
		return nil, err
	}
	re, err := r.compile(pattern, fold)
	if err != nil {
		return nil, err
	}
	if s.match, err = newMatchSeq(re, s.all || s.number > 1); err != nil {
		return nil, err
	}
	s.parts, err = replacementParts(replacement, re.NumSubexp())
	return s, err
}

func (r *scriptReader) substFlags(s *substitution) (fold bool, err error) {
	for numbered := false; ; {
		c := r.peek()
		switch {
		case c == 'g':
			s.all = true
		case c == 'p':
			s.print = 1
		case c == 'i' || c == 'I':
			fold = true
		case isDigit(c) && !numbered:
			if s.number, _ = r.number(); s.number == 0 || s.number > 1e6 {
				return false, regexError("number option to `s' command may not be zero")
			}
			numbered = true
			continue
		case c == 0 || strings.IndexByte("; \t\n}", c) >= 0:
			return fold, nil
		default:
			return false, regexError("unsupported option to `s': " + string(rune(c)))
		}
		r.pos++
	}
}

// replacementParts takes a replacement apart.
func replacementParts(text string, groups int) ([]sedPart, error) {
	var out []sedPart
	var b strings.Builder
	group := func(n int) error {
		if n > groups {
			return regexError("invalid reference \\" + strconv.Itoa(n) + " on `s' command's RHS")
		}
		out = append(out, sedPart{b.String(), n})
		b.Reset()
		return nil
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '&':
			if err := group(0); err != nil {
				return nil, err
			}
		case c != '\\' || i+1 == len(text):
			b.WriteByte(c)
		default:
			i++
			c = text[i]
			if isDigit(c) {
				if err := group(int(c - '0')); err != nil {
					return nil, err
				}
				continue
			}
			if strings.IndexByte("LUElu", c) >= 0 {
				return nil, regexError("changing case with \\" + string(rune(c)) + " is not supported")
			}
			b.WriteByte(c)
		}
	}
	return append(out, sedPart{b.String(), -1}), nil
}

func (r *scriptReader) transliteration() (*strings.Replacer, error) {
	r.pos++
	from, err := r.delimited(false, false)
	if err != nil {
		return nil, err
	}
	to, err := r.delimited(false, false)
	if err != nil {
		return nil, err
	}
	a, okA := plainRunes(from)
	b, okB := plainRunes(to)
	if !okA || !okB {
		return nil, regexError("unsupported escape in `y'")
	}
	if len(a) != len(b) {
		return nil, regexError("strings for `y' command are different lengths")
	}
	var pairs []string
	for i := range a {
		pairs = append(pairs, string(a[i]), string(b[i]))
	}
	return strings.NewReplacer(pairs...), nil
}

// plainRunes gives the characters of a text in which a backslash stands before
// another only.
func plainRunes(text string) ([]rune, bool) {
	if !utf8.ValidString(text) {
		return nil, false
	}
	var out []rune
	for rest := []rune(text); len(rest) > 0; rest = rest[1:] {
		if rest[0] == '\\' {
			if len(rest) < 2 || rest[1] != '\\' {
				return nil, false
			}
			rest = rest[1:]
		}
		out = append(out, rest[0])
	}
	return out, true
}
