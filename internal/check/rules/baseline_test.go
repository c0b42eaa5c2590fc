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
		t.Errorf("of nothing: %v", err)
	}
	for text, want := range map[string]string{
		"": "no baseline", "[]": "begin with its version", `{"findings":[]}`: "begin with its version", "name: x": "begin with its version",
		`{"version":2,"findings":[{]`: "version 2",
		`{"version":1,"other":1}`:     "no list",
		`{"version":1,"findings":[` + strings.Repeat("{},", 1000000) + `{}]}`:                   "finding 1 has no fingerprint",
		`{"version":1,"findings":[` + strings.Repeat(`{"fingerprint":"f"},`, maxKnown+1) + `{}`: "more than 100000",
		`{"version":1,"findings":[{"fingerprint":"f"}`:                                          "in the middle",
		`{"version":1,"findings":[]} x`:                                                         "behind it",
		strings.Repeat(" ", MaxBaseline+1):                                                      "longer than 8 MiB",
	} {
		if _, err := ParseBaseline([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}
