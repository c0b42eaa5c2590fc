package mcp

import (
	"math"
	"strings"

	"github.com/vadehq/vade/internal/secretnames"
)

// SecretIn reports whether text contains something that looks like a secret regardless of context:
// a known or random-looking token, a URL with a password, USER:PASSWORD@HOST, or a key=value pair
// whose key commonly names a secret.
func SecretIn(text string) bool { return hasToken(text) || hasCredentials(text) || hasPassword(text) }

// tokenPrefixes returns the prefixes of well-known services' tokens.
func tokenPrefixes() []string {
	return []string{
		"sk-", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "pk_live_", "pk_test_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_",
		"github_pat_", "glpat-", "gldt-", "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xapp-", "AKIA", "ASIA", "AIza", "ya29.",
		"eyJ", "npm_", "pypi-", "hf_", "dop_v1_", "SG.", "shpat_", "shpss_", "lin_api_", "ntn_", "secret_", "figd_", "ATATT",
		"-----BEGIN", "tvly-", "gsk_", "r8_", "pplx-", "sntrys_", "phx_", "dapi", "whsec_", "rnd_", "fc-", "ctx7sk", "BSA",
	}
}

// unambiguousPrefixes returns the token prefixes that no other text starts
// with. Tokens with such a prefix need not contain digits.
func unambiguousPrefixes() []string {
	return []string{"sk-ant-", "sk-proj-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxb-", "xoxp-"}
}

// isTokenChar reports whether a byte may occur in a token.
func isTokenChar(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '_' || c == '-' || c == '+'
}

// hasToken reports whether s contains something that looks like a token: a known prefix, or at
// least twenty characters that look random. Image digests do not count.
func hasToken(s string) bool {
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

// isToken reports whether a word is a token. rest is the text that follows.
func isToken(word, rest string) bool {
	for _, p := range unambiguousPrefixes() {
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
		if ok && len(tail) >= 10 && hasLettersAndDigits(tail) {
			return true
		}
	}
	if strings.HasPrefix(word, "eyJ") && len(word) >= 12 {
		return true
	}
	for _, piece := range strings.FieldsFunc(word, func(r rune) bool { return r == '-' || r == '_' || r == '+' }) {
		if len(piece) >= 16 && (hasLettersAndDigits(piece) || entropy(piece) > 3.6 && hasMixedCase(piece) && !isCompound(piece)) {
			return true
		}
	}
	joined := joinParts(word)
	return len(joined) >= 20 && hasLettersAndDigits(joined) && (isHex(joined) || alternations(joined) >= 4 && entropy(joined) >= 3.4)
}

// joinParts removes separators from a word. Repeated parts count only once, because they were
// chosen by people: for example, a tool name often starts with its server's name.
func joinParts(word string) string {
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

// isCompound reports whether a word consists of multiple CamelCase or camelCase words, each with at
// least two letters, including a vowel.
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

// hasLettersAndDigits reports whether a word has letters and at least two
// digits, or at least 20 digits.
func hasLettersAndDigits(s string) bool {
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

// hasMixedCase reports whether s alternates between uppercase and lowercase more often than a name
// would.
func hasMixedCase(s string) bool {
	changes := 0
	for i := 1; i < len(s); i++ {
		if isLetter(s[i]) && isLetter(s[i-1]) && s[i]&0x20 != s[i-1]&0x20 {
			changes++
		}
	}
	return changes*3 > len(s)
}

// alternations counts how often a word switches between digits and other characters.
func alternations(s string) int {
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

// entropy returns the Shannon entropy in bits per byte.
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

// isHarmless reports whether a variable's or header's value is plainly not a secret: it is empty, a
// boolean, a short number, short words, a path, or a URL without a user, query or token. If the key
// commonly names a secret, only an empty value or a boolean is harmless.
func isHarmless(key, value string) bool {
	switch strings.ToLower(value) {
	case "", "true", "false", "yes", "no", "on", "off", "none", "null":
		return true
	}
	if secretnames.May(key) || len(value) > 300 || hasToken(value) || hasUserPassword(value) {
		return false
	}
	if address, ok := cutScheme(value); ok {
		return !strings.ContainsAny(address, "@?#") && isPlainText(address, 40)
	}
	if isPath(value) {
		return isPlainText(value, 40)
	}
	return len(value) <= 60 && isPlainText(value, 20)
}

// cutScheme returns the part of a URL that follows "://".
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

// isPath reports whether a value is a file path.
func isPath(s string) bool {
	for _, p := range []string{"/", "./", "../", "~/"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return len(s) > 2 && isLetter(s[0]) && (s[1:3] == `:\` || s[1:3] == ":/")
}

// isPlainText reports whether a value consists of ordinary words. A word has letters and at most
// four digits, or is a number with at most six digits, and is not longer than maxWord.
func isPlainText(s string, maxWord int) bool {
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
		if len(word) > maxWord || digits > 6 || digits < len(word) && digits > 4 || alternations(word) > 2 || hasMixedCase(word) && len(word) > 8 {
			return false
		}
	}
	return true
}
