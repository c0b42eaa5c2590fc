package pathmatch

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is the type of a pattern token.
type kind uint8

const (
	// one matches a literal character.
	one kind = iota
	// anyOne matches any character except a slash ("?").
	anyOne
	// class matches a character in set, never a slash.
	class
	// star matches any text without a slash.
	star
	// dirs matches the empty string, or any text that ends in a slash ("**/").
	dirs
	// anything matches any text ("**" at the end).
	anything
)

type token struct {
	kind kind
	char rune
	set  *set
}

// tokenize converts a pattern without its leading and trailing slash to tokens. plain is the offset
// of the pattern's first wildcard or backslash. If the pattern is invalid, tokenize returns the
// reason.
func (r *rule) tokenize(p string, plain int, opts Options) string {
	for i := 0; i < len(p); {
		switch p[i] {
		case '*':
			stars := i
			for i < len(p) && p[i] == '*' {
				i++
			}
			i = r.stars(p, stars, i, plain)
		case '?':
			r.toks = append(r.toks, token{kind: anyOne})
			i++
		case '[':
			s, end := parseSet(p, i+1, opts)
			if s == nil {
				return "a character class lacks a closing ] or contains an unknown [:name:]"
			}
			r.toks = append(r.toks, token{kind: class, set: s})
			i = end
		case '\\':
			if i++; i == len(p) {
				return "the pattern ends with a backslash"
			}
			fallthrough
		default:
			c, size := next(p[i:], opts.Runes)
			r.toks = append(r.toks, token{kind: one, char: c})
			i += size
		}
	}
	return ""
}

// stars adds the token for the asterisks p[from:to] and returns the offset after it. Two or more
// asterisks match slashes only if they form a whole path element. Git first strips the text before
// the first wildcard, so the asterisks in "a/b**/c" also count as a whole element if "a/b" has no
// special characters. In a pattern without a slash, asterisks never match slashes.
func (r *rule) stars(p string, from, to, plain int) int {
	starts := from == plain || p[from-1] == '/'
	k := star
	switch {
	case to-from == 1 || !starts || r.base:
	case to == len(p):
		k = anything
	case p[to] == '/':
		k, to = dirs, to+1
	case strings.HasPrefix(p[to:], `\/`):
		k = anything
	}
	r.toks = append(r.toks, token{kind: k})
	return to
}

// match reports whether the rule's pattern matches all of text.
func (r *rule) match(text string, opts Options) bool {
	if r.toks == nil {
		if !opts.FoldCase {
			return r.literal == text
		}
		return equalFold(r.literal, text, opts.Runes)
	}
	return matchTokens(r.toks, text, opts)
}

// resume is a position to backtrack to: the index of the token after a wildcard, and the offset of
// the text after the part that the wildcard matched.
type resume struct {
	tok, text int
}

// matchTokens reports whether toks match all of text. On a mismatch, it extends the last star in
// the current path element or, if that is impossible, the last wildcard that matches slashes. It
// never retries earlier wildcards: the shortest match up to that point leaves the most text for the
// rest. matchTokens takes at most O(len(toks)·len(text)²) time.
func matchTokens(toks []token, text string, opts Options) bool {
	none := resume{tok: -1}
	inner, outer := none, none
	t, i := 0, 0
	for {
		if t == len(toks) && i == len(text) {
			return true
		}
		if t < len(toks) {
			switch k := toks[t].kind; k {
			case star:
				t++
				inner = resume{t, i}
				continue
			case dirs, anything:
				t++
				inner, outer = none, resume{t, i}
				continue
			}
			if i < len(text) {
				if c, size := next(text[i:], opts.Runes); toks[t].matches(c, opts) {
					t, i = t+1, i+size
					continue
				}
			}
		}
		switch {
		case inner.tok >= 0 && inner.text < len(text) && text[inner.text] != '/':
			_, size := next(text[inner.text:], opts.Runes)
			inner.text += size
			t, i = inner.tok, inner.text
		case outer.tok >= 0 && outer.text < len(text):
			if !outer.advance(toks, text, opts) {
				return false
			}
			inner = none
			t, i = outer.tok, outer.text
		default:
			return false
		}
	}
}

// advance extends the match of a wildcard that matches slashes by the smallest possible amount. It
// returns false if the match cannot be extended.
func (o *resume) advance(toks []token, text string, opts Options) bool {
	if toks[o.tok-1].kind == anything {
		_, size := next(text[o.text:], opts.Runes)
		o.text += size
		return true
	}
	slash := strings.IndexByte(text[o.text:], '/')
	o.text += slash + 1
	return slash >= 0
}

// matches reports whether a single-character token matches c.
func (k token) matches(c rune, opts Options) bool {
	switch k.kind {
	case one:
		return k.char == c || opts.FoldCase && fold(k.char, opts.Runes) == fold(c, opts.Runes)
	case anyOne:
		return c != '/'
	}
	return c != '/' && k.set.has(c, opts)
}

// next returns the first character of s, which must not be empty, and its length. Bytes that are
// not valid UTF-8 map to values beyond Unicode, so they equal only themselves.
func next(s string, runes bool) (rune, int) {
	c := s[0]
	if c < utf8.RuneSelf {
		return rune(c), 1
	}
	if runes {
		if r, size := utf8.DecodeRuneInString(s); size > 1 {
			return r, size
		}
	}
	return rawByte + rune(c), 1
}

// rawByte is added to a byte that is not valid UTF-8, so that the sum does not equal any character.
const rawByte = unicode.MaxRune + 1

// fold maps both cases of a letter to the same rune.
func fold(r rune, runes bool) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	if r < utf8.RuneSelf || !runes || r > unicode.MaxRune {
		return r
	}
	return unicode.ToLower(unicode.ToUpper(r))
}

func equalFold(a, b string, runes bool) bool {
	for a != "" && b != "" {
		x, n := next(a, runes)
		y, m := next(b, runes)
		if fold(x, runes) != fold(y, runes) {
			return false
		}
		a, b = a[n:], b[m:]
	}
	return a == b
}

// Star reports whether pattern, in which an asterisk matches any text, matches
// all of text. On a mismatch, only the last asterisk is extended, so Star takes
// at most O(len(pattern)·len(text)) time.
func Star(pattern, text string) bool {
	p, t := 0, 0
	star, from := -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, t
			p++
		case p < len(pattern) && pattern[p] == text[t]:
			p++
			t++
		case star >= 0:
			from++
			p, t = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
