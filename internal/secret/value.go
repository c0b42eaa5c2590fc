package secret

import (
	"math"
	"strings"

	"github.com/vadehq/vade/internal/lazyregexp"
)

// In reports whether text contains something that looks like a secret regardless of context:
// a known or random-looking token, a URL with a password, USER:PASSWORD@HOST, or a key=value pair
// whose key commonly names a secret.
func In(text string) bool { return HasToken(text) || HasPassword(text) }

// prefixes lists the prefixes with which the tokens of well-known services start. If a prefix is
// marked as sure, nothing else starts with it, so the rest of the token need not contain digits.
var prefixes = [...]struct {
	text string
	sure bool
}{
	{"sk-ant-", true}, {"sk-proj-", true}, {"ghp_", true}, {"gho_", true}, {"ghu_", true}, {"ghs_", true}, {"ghr_", true},
	{"github_pat_", true}, {"glpat-", true}, {"xoxb-", true}, {"xoxp-", true}, {"eyJ", true}, {"AKIA", true},

	{"sk-", false}, {"sk_live_", false}, {"sk_test_", false}, {"rk_live_", false}, {"rk_test_", false}, {"pk_live_", false},
	{"pk_test_", false}, {"gldt-", false}, {"xoxa-", false}, {"xoxr-", false}, {"xoxs-", false}, {"xapp-", false},
	{"ASIA", false}, {"AIza", false}, {"ya29.", false}, {"npm_", false}, {"pypi-", false}, {"hf_", false},
	{"dop_v1_", false}, {"SG.", false}, {"shpat_", false}, {"shpss_", false}, {"lin_api_", false}, {"ntn_", false},
	{"secret_", false}, {"figd_", false}, {"ATATT", false}, {"tvly-", false}, {"gsk_", false}, {"r8_", false},
	{"pplx-", false}, {"sntrys_", false}, {"phx_", false}, {"dapi", false}, {"whsec_", false}, {"rnd_", false},
	{"fc-", false}, {"ctx7sk", false}, {"BSA", false},
}

// tokenLength returns the number of bytes at the start of s that may occur in a token.
func tokenLength(s string) int {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && !isDigit(c) && c != '_' && c != '-' && c != '+' {
			return i
		}
	}
	return len(s)
}

// HasToken reports whether s contains something that looks like a token: a known prefix, at least
// sixteen characters that look random, or the start of a PEM block. Image digests do not count.
func HasToken(s string) bool {
	if strings.Contains(s, "-----BEGIN") {
		return true
	}
	for i := 0; i < len(s); i++ {
		n := tokenLength(s[i:])
		if n > 0 && !(n == 64 && strings.HasSuffix(s[:i], "@sha256:")) && isToken(s[i:i+n], s[i:]) {
			return true
		}
		i += n
	}
	return false
}

// isToken reports whether a word is a token. from is the rest of the text, starting with the word.
func isToken(word, from string) bool {
	for _, p := range prefixes {
		if tail, ok := strings.CutPrefix(from, p.text); ok {
			tail = tail[:tokenLength(tail)]
			if p.sure && len(tail) >= 8 || len(tail) >= 10 && hasLettersAndDigits(tail) {
				return true
			}
		}
	}
	for _, piece := range strings.FieldsFunc(word, func(r rune) bool { return r == '-' || r == '_' || r == '+' }) {
		if len(piece) >= 16 && (hasLettersAndDigits(piece) || entropy(piece) > 3.6 && hasMixedCase(piece) && !isCompound(piece)) {
			return true
		}
	}
	joined := joinParts(word)
	return len(joined) >= 20 && hasLettersAndDigits(joined) && (isHex(joined) || alternations(joined) >= 4 && entropy(joined) >= 3.4)
}

// joinParts removes the separators from a word. It keeps only one copy of a repeated part, because
// people repeat parts but random tokens do not: for example, a tool's name often starts with its
// server's name.
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

// Harmless reports whether a variable's or header's value is plainly not a secret: it is empty, a
// boolean, a short number, short words, a path, or a URL without a user, query or token. If the key
// commonly names a secret, only an empty value or a boolean is harmless.
func Harmless(key, value string) bool {
	switch strings.ToLower(value) {
	case "", "true", "false", "yes", "no", "on", "off", "none", "null":
		return true
	}
	if May(key) || len(value) > 300 || HasToken(value) || HasUserPassword(value) {
		return false
	}
	if address, ok := CutScheme(value); ok {
		return !strings.ContainsAny(address, "@?#") && PlainText(address, 40)
	}
	if IsPath(value) {
		return PlainText(value, 40)
	}
	return len(value) <= 60 && PlainText(value, 20)
}

// CutScheme returns the part of a URL that follows "://". It returns false if s is not a URL.
func CutScheme(s string) (string, bool) {
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

// IsPath reports whether a value is a file path.
func IsPath(s string) bool {
	for _, p := range []string{"/", "./", "../", "~/"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return len(s) > 2 && isLetter(s[0]) && (s[1:3] == `:\` || s[1:3] == ":/")
}

// PlainText reports whether a value consists of ordinary words. A word has letters and at most
// four digits, or is a number with at most six digits, and is not longer than maxWord.
func PlainText(s string, maxWord int) bool {
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
		if len(word) > maxWord || digits > 6 || digits < len(word) && digits > 4 || alternations(word) > 2 ||
			hasMixedCase(word) && len(word) > 8 {
			return false
		}
	}
	return true
}

// HasPair reports whether s contains a key=value pair whose key commonly names a secret, as in a
// connection string. It ignores a pair at the start of s.
func HasPair(s string) bool {
	if !strings.Contains(s, "=") {
		return false
	}
	for i, piece := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(";&,\"'", r) }) {
		key, value, ok := strings.Cut(piece, "=")
		if i > 0 && ok && strings.TrimSpace(value) != "" && May(strings.TrimSpace(key)) {
			return true
		}
	}
	return false
}

// HasUserPassword reports whether s has the form USER:PASSWORD@HOST without being a URL. Image
// digests are not passwords.
func HasUserPassword(s string) bool {
	if at := strings.IndexAny(s, `\`); at > 0 && s[at-1] == ':' && strings.Contains(s, "@") {
		return true
	}
	before, after, ok := strings.Cut(s, "@")
	if !ok || strings.HasPrefix(after, "sha256:") || strings.Contains(s, "://") {
		return false
	}
	_, password, ok := strings.Cut(before, ":")
	return ok && password != "" && !strings.ContainsAny(before, "/{}")
}

// HasPassword reports whether s contains a password or another secret in a URL, in a connection
// string, or before a host.
func HasPassword(s string) bool {
	if HasPair(s) || HasUserPassword(s) || HasCredentials(s) {
		return true
	}
	user, _, query := splitURL(s)
	if !IsReference(user) && !PlainText(user, 20) {
		return true
	}
	for _, pair := range strings.FieldsFunc(query, func(r rune) bool { return strings.ContainsRune("&;#", r) }) {
		if key, value, ok := strings.Cut(pair, "="); ok && value != "" && May(key) {
			return true
		}
	}
	return false
}

// HasCredentials reports whether text contains a URL with a literal password.
func HasCredentials(text string) bool {
	for word := range strings.FieldsSeq(text) {
		if _, password, _ := splitURL(word); password != "" && !IsReference(password) {
			return true
		}
	}
	return false
}

// splitURL returns the parts of a URL that may contain secrets. They are empty if s is not a URL.
func splitURL(s string) (user, password, query string) {
	authority, _ := CutScheme(s)
	if i := strings.IndexAny(authority, "/?#"); i >= 0 {
		_, query, _ = strings.Cut(authority[i:], "?")
		authority = authority[:i]
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		user, password, _ = strings.Cut(authority[:i], ":")
	}
	return user, password, query
}

// references matches a single variable reference without a default, such as "$NAME", "${NAME}",
// "${env:NAME}", "${input:NAME}", or GitHub's "${{ secrets.NAME }}" and "${{ vars.NAME }}".
var references = lazyregexp.New(`^\$(?:([\w-]+)|\{(?:env:|input:)?([\w-]+)\}|\{\{\s*(?:secrets|vars)\.([\w-]+)\s*\}\})$`)

// IsReference reports whether s is a single variable reference without a default. The variable's
// name must not look like a token.
func IsReference(s string) bool {
	m := references().FindStringSubmatch(s)
	return m != nil && !HasToken(m[1]+m[2]+m[3])
}

// IsScheme reports whether a word is an HTTP authentication scheme, which comes before a secret.
func IsScheme(word string) bool {
	switch strings.ToLower(strings.Trim(word, `"'`)) {
	case "bearer", "basic", "token", "apikey", "digest", "negotiate":
		return true
	}
	return false
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
