package rules

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestRulesLoad checks that each rule file is well formed, uses known kinds and tags, has all
// sections, and has a file name that matches its rule.
func TestRulesLoad(t *testing.T) {
	list, err := load(files)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range list {
		if seen[r.Name] {
			t.Errorf("%s: another rule is called %s", r.ID, r.Name)
		}
		seen[r.Name] = true
		if !slices.Contains([]string{"definition", "text", "code", "package"}, r.Scope) {
			t.Errorf("%s: scope %q is not definition, text, code or package", r.ID, r.Scope)
		}
		if !regexp.MustCompile(`^(AST\d\d)?$`).MatchString(r.OWASP) {
			t.Errorf("%s: owasp %q is not like AST01", r.ID, r.OWASP)
		}
		for _, row := range r.Rows {
			if rest := strings.NewReplacer("{subject}", "", "{object}", "").Replace(row.Message); strings.ContainsAny(rest, "{}") {
				t.Errorf("%s: a message has only {subject} and {object}: %s", r.ID, row.Message)
			}
		}
	}
}

func TestBadRules(t *testing.T) {
	for row, want := range map[string]string{
		"block":                               "a row needs a severity and a kind",
		"stop run : x":                        `unknown severity "stop"`,
		"block jump : x":                      `unknown kind "jump"`,
		"block run fast : x":                  `run has no tag "fast"`,
		"block run network":                   "the message is missing: write it after a colon that has spaces around it",
		"block/sure run : x":                  `unknown confidence "sure"`,
		"block@boss run : x":                  `unknown persona "boss"`,
		"block run + read secret in town : x": "invalid scope town: use unit, file or package",
		"block run + : x":                     "the kind is missing",
	} {
		if _, err := ParseRow(row); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", row, err, want)
		}
	}
}
