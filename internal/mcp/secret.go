package mcp

import (
	"math"
	"strings"

	"github.com/vadehq/vade/internal/secretnames"
)

// SecretIn reports whether a text has a part that looks like a secret by itself: a
// token of a known service or one that nobody would have chosen, an address with a
// password, a user with one before a host, a pair whose name secrets go by.
func SecretIn(text string) bool { return tokenIn(text) || userIn(text) || passwordIn(text) }

// tokenPrefixes are how tokens of known services begin.
func tokenPrefixes() []string {
	return []string{
		"sk-", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "pk_live_", "pk_test_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_",
		"github_pat_", "glpat-", "gldt-", "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xapp-", "AKIA", "ASIA", "AIza", "ya29.",
		"eyJ", "npm_", "pypi-", "hf_", "dop_v1_", "SG.", "shpat_", "shpss_", "lin_api_", "ntn_", "secret_", "figd_", "ATATT",
		"-----BEGIN", "tvly-", "gsk_", "r8_", "pplx-", "sntrys_", "phx_", "dapi", "whsec_", "rnd_", "fc-", "ctx7sk", "BSA",
	}
}

// surePrefixes are those of tokenPrefixes that nothing else begins with: a token needs no
// digits behind them.
func surePrefixes() []string {
	return []string{"sk-ant-", "sk-proj-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxb-", "xoxp-"}
}

// isTokenChar reports whether a byte can be in the middle of a token.
func isTokenChar(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '_' || c == '-' || c == '+'
}

// tokenIn reports whether a text has a part that looks like a token: one that
// begins as those of known services do, or one of twenty characters and more
// that nobody would have chosen. The digest that an image is pinned by is none.
func tokenIn(s string) bool {
	if strings.Contains(s, "-----BEGIN") {
		return true
	}
	for i := 0; i < len(s); {
		if !isTokenChar(s[i]) {
			i++
			continue
		}
		end := i
		for end < len(s) && isTokenChar(s[end]) {
			end++
		}
		word := s[i:end]
		if !(strings.HasSuffix(s[:i], "@sha256:") && len(word) == 64) && isToken(word, s[end:]) {
			return true
		}
		i = end
	}
	return false
}

// isToken judges one word; rest is what stands behind it.
func isToken(word, rest string) bool {
	for _, p := range surePrefixes() {
		if strings.HasPrefix(word, p) && len(word) >= len(p)+8 {
			return true
		}
	}
	for _, p := range tokenPrefixes() {
		tail, ok := strings.CutPrefix(word, strings.TrimSuffix(p, "."))
		if ok && strings.HasSuffix(p, ".") {
			if strings.HasPrefix(rest, ".") && len(rest) > 12 {
				return true
			}
			continue
		}
		if ok && len(tail) >= 10 && mixed(tail) {
			return true
		}
	}
	if strings.HasPrefix(word, "eyJ") && len(word) >= 12 {
		return true
	}
	for _, piece := range strings.FieldsFunc(word, func(r rune) bool { return r == '-' || r == '_' || r == '+' }) {
		if len(piece) >= 16 && (mixed(piece) || entropy(piece) > 3.6 && caseMixed(piece) && !isCompound(piece)) {
			return true
		}
	}
	plain := withoutSigns(word)
	return len(plain) >= 20 && mixed(plain) && (isHex(plain) || turns(plain) >= 4 && entropy(plain) >= 3.4)
}

// withoutSigns is a word without the signs between its parts. A part that comes again
// is a word that somebody chose, such as the name of a server before that of its tool,
// and counts once.
func withoutSigns(word string) string {
	seen := map[string]bool{}
	var b strings.Builder
	for _, part := range strings.FieldsFunc(word, func(r rune) bool { return r == '-' || r == '_' || r == '+' }) {
		if !seen[part] {
			seen[part] = true
			b.WriteString(part)
		}
	}
	return b.String()
}

// isCompound reports whether a word is made of words as names in programs are: each of
// one capital with two or more small letters behind it, one of which is a vowel. The
// first may do without the capital.
func isCompound(s string) bool {
	parts := 0
	for i := 0; i < len(s); parts++ {
		end := i + 1
		for end < len(s) && s[end] >= 'a' && s[end] <= 'z' {
			end++
		}
		if !isLetter(s[i]) || end-i < 2 || !strings.ContainsAny(strings.ToLower(s[i:end]), "aeiouy") {
			return false
		}
		i = end
	}
	return parts > 1
}

// mixed reports whether a word has both letters and at least two digits.
func mixed(s string) bool {
	letters, digits := 0, 0
	for i := range len(s) {
		switch {
		case isDigit(s[i]):
			digits++
		case isLetter(s[i]):
			letters++
		}
	}
	return letters > 0 && digits > 1 || digits >= 20
}

// caseMixed reports whether capitals stand among small letters as they do in no
// name: more than one in four.
func caseMixed(s string) bool {
	changes := 0
	for i := 1; i < len(s); i++ {
		if isLetter(s[i]) && isLetter(s[i-1]) && s[i]&0x20 != s[i-1]&0x20 {
			changes++
		}
	}
	return changes*3 > len(s)
}

// turns is how often digits and letters take turns in a word.
func turns(s string) int {
	n := 0
	for i := 1; i < len(s); i++ {
		if isDigit(s[i]) != isDigit(s[i-1]) {
			n++
		}
	}
	return n
}

func isHex(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) && !('a' <= s[i]|0x20 && s[i]|0x20 <= 'f') {
			return false
		}
	}
	return s != ""
}

// entropy is Shannon's, in bits for each byte.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	sum := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}

// harmless reports whether the value of a variable or a header is plainly no
// secret: nothing, a word for yes or no, a short number, short words, a path, or an
// address without a user, a query or a part that looks like a token. Under a name
// that secrets go by only the first two are.
func harmless(key, value string) bool {
	switch strings.ToLower(value) {
	case "", "true", "false", "yes", "no", "on", "off", "none", "null":
		return true
	}
	if secretnames.May(key) || len(value) > 300 || tokenIn(value) || pairUser(value) {
		return false
	}
	if address, ok := cutScheme(value); ok {
		return !strings.ContainsAny(address, "@?#") && plainWords(address, 40)
	}
	if isPath(value) {
		return plainWords(value, 40)
	}
	return len(value) <= 60 && plainWords(value, 20)
}

// cutScheme returns what stands behind the "://" of an address.
func cutScheme(s string) (string, bool) {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok || scheme == "" || len(scheme) > 12 {
		return "", false
	}
	for i := range len(scheme) {
		if c := scheme[i]; !isLetter(c) && c != '+' && !isDigit(c) {
			return "", false
		}
	}
	return rest, true
}

// isPath reports whether a value is the path of a file.
func isPath(s string) bool {
	for _, p := range []string{"/", "./", "../", "~/"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return len(s) > 2 && isLetter(s[0]) && (s[1:3] == `:\` || s[1:3] == ":/")
}

// plainWords reports whether a value is made of words that people write: letters
// with at most four digits behind them, numbers of at most six, none longer than a
// bound.
func plainWords(s string, longest int) bool {
	for _, word := range strings.FieldsFunc(s, func(r rune) bool {
		return strings.ContainsRune(" ,;:/\\._-*|()[]{}@~\t", r)
	}) {
		digits := 0
		for i := range len(word) {
			switch c := word[i]; {
			case isDigit(c):
				digits++
			case !isLetter(c):
				return false
			}
		}
		if len(word) > longest || digits > 6 || digits < len(word) && digits > 4 || turns(word) > 2 || caseMixed(word) && len(word) > 8 {
			return false
		}
	}
	return true
}
