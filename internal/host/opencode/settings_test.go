package opencode

import (
	"encoding/json"
	"testing"

	"github.com/vadehq/vade/internal/host"
)

// TestInstructionsOfSettings checks that a project's settings can only name
// text files in the project.
func TestInstructionsOfSettings(t *testing.T) {
	for _, test := range []struct {
		name   string
		byUser bool
		want   bool
	}{
		{"docs/a.md", false, true},
		{"./docs/**/*.md", false, true},
		{"~/a.md", true, true},
		{"~/a.md", false, false},
		{"~/../a.md", true, false},
		{"../a.md", false, false},
		{"/etc/a.md", false, false},
		{".env", false, false},
		{"docs/{a,b}.md", false, false},
		{"https://example.com/a.md", false, false},
	} {
		p := &host.Profile{Instructions: &host.Instructions{}}
		value, err := json.Marshal([]string{test.name})
		if err != nil {
			t.Fatal(err)
		}
		all := addInstructions(p, value, test.byUser)
		if all != test.want || all != (len(p.Roots) == 1) || all != (len(p.Instructions.Rows) == 1) {
			t.Errorf("%q, by user %v: %v with %d roots", test.name, test.byUser, all, len(p.Roots))
		}
	}
}
