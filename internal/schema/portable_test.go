package schema

import (
	"regexp"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host/registry"
)

func TestPortable(t *testing.T) {
	for _, tc := range []struct {
		pattern, want string
		exact         bool
	}{
		{`[a-z]+`, `[a-z]+`, true},
		{`low|high`, `low|high`, true},
		{`[\p{L}\p{N}_:.-]+`, `(?:[A-Za-z0-9_:.-]|[^\x00-\x7F])+`, false},
		{`[\p{Ll}\p{Lo}]+(-[a-z])*`, `(?:[a-z]|[^\x00-\x7F])+(-[a-z])*`, false},
	} {
		if got, exact := portable(tc.pattern); got != tc.want || exact != tc.exact {
			t.Errorf("%s: %s, %v", tc.pattern, got, exact)
		}
	}
}

// TestPatternsArePortable checks that schemas use only features that all validators support, and
// that their patterns match the same ASCII strings as the patterns in the tables.
func TestPatternsArePortable(t *testing.T) {
	changed := 0
	for _, p := range registry.Profiles() {
		for _, k := range definition.Kinds {
			for _, rule := range p.Table(k) {
				if rule.Pattern == "" {
					continue
				}
				text, exact := portable(rule.Pattern)
				if strings.Contains(text, `\p`) {
					t.Errorf("%s %s: %s", p.Name, rule.Key, text)
				}
				if exact {
					continue
				}
				changed++
				was, is := regexp.MustCompile("^(?:"+rule.Pattern+")$"), regexp.MustCompile("^(?:"+text+")$")
				for r := rune(0); r < 0x80; r++ {
					for _, word := range []string{string(r), "a" + string(r) + "b", string(r) + "1"} {
						if was.MatchString(word) != is.MatchString(word) {
							t.Errorf("%s %s: %q: %v", p.Name, rule.Key, word, is.MatchString(word))
						}
					}
				}
				for _, word := range []string{"é", "straße", "日本-語"} {
					if was.MatchString(word) && !is.MatchString(word) {
						t.Errorf("%s %s: %q does not match", p.Name, rule.Key, word)
					}
				}
			}
		}
	}
	if changed == 0 {
		t.Error("no pattern has a Unicode class, so the test is useless")
	}
}
