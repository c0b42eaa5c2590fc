package pathmatch

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

func TestStar(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.StringMatching(`[ab ]{0,3}`), 1, 5).Draw(t, "pieces")
		var text strings.Builder
		for i, p := range pieces {
			if i > 0 {
				text.WriteString(rapid.StringMatching(`[abc ]{0,4}`).Draw(t, "between"))
			}
			text.WriteString(p)
		}
		if pattern := strings.Join(pieces, "*"); !Star(pattern, text.String()) {
			t.Errorf("%q is not like %q", text.String(), pattern)
		}
	})
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"", "a", false}, {"*", "", true}, {"a*", "a", true}, {"a*a", "a", false}, {"a*a", "aa", true},
		{"*b*", "abc", true}, {"a*b*c", "a-b-c", true}, {"a*b*c", "ac", false}, {"*x*x", "x", false}, {"[a]", "a", false}, {"*ab*b", "ab", false},
		{"a*bc", "abcd", false},
	} {
		if Star(c.pattern, c.text) != c.want {
			t.Errorf("%q and %q", c.pattern, c.text)
		}
	}
}
