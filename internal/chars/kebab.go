package chars

import "strings"

// Kebab converts a name to lowercase ASCII letters, digits and single hyphens. It returns "" if the
// name contains no ASCII letters or digits.
func Kebab(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
			b.WriteByte('-')
		}
	}
	return strings.TrimRight(b.String(), "-")
}
