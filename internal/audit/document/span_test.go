package document

import "testing"

// TestNamed checks which code spans start with a language name.
func TestNamed(t *testing.T) {
	for _, c := range []struct {
		span  string
		ticks int
		want  int
	}{
		{"bash chmod 777 .", 3, 5},
		{"bash chmod 777 .", 1, 0},
		{"bash setup.sh --all", 3, 0},
		{"chmod 777 .", 3, 0},
		{"bash", 3, 0},
	} {
		if got := languagePrefixLen(c.span, c.ticks); got != c.want {
			t.Errorf("named(%q, %d) = %d, want %d", c.span, c.ticks, got, c.want)
		}
	}
}
