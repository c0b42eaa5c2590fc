package rules

import (
	"strings"
	"testing"
)

func TestParseBaseline(t *testing.T) {
	list := []Finding{{Code: "A", Path: "x", Fingerprint: "f1"}, {Code: "B", Path: "y", Fingerprint: "f2"}}
	b, err := ParseBaseline(FormatBaseline(list))
	if err != nil {
		t.Fatal(err)
	}
	if fresh, known := b.Without(append(list, Finding{Fingerprint: "f3"})); len(fresh) != 1 || known != 2 {
		t.Errorf("%d fresh, %d known", len(fresh), known)
	}
	if _, err := ParseBaseline(FormatBaseline(nil)); err != nil {
		t.Errorf("empty input: %v", err)
	}
	for text, want := range map[string]string{
		"": "not a baseline", `{"kind":"vade-audit","version":1,"findings":[]}`: `kind "vade-audit"`, "[]": "not a baseline", "name: x": "not a baseline", `{"findings":[]}`: "version 0",
		`{"version":2,"findings":[]}`:                  "version 2",
		`{"version":1,"findings":[{}]}`:                "finding 1 has no fingerprint",
		`{"version":1,"findings":[{"fingerprint":"f"}`: "unexpected end",
		`{"version":1,"findings":[]} x`:                "after top-level value",
		strings.Repeat(" ", MaxBaseline+1):             "larger than 8 MiB",
	} {
		if _, err := ParseBaseline([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}
