package hostpermission

import (
	"testing"
)

// TestExactRules covers commands that a prefix rule does not allow (format notes, section 3.10:
// "find -exec/-delete" and the wrappers that rules do not look through).
func TestExactRules(t *testing.T) {
	tests := []struct {
		text, allowed string
		runs          bool
	}{
		{"find . -name x", "", true},
		{"find . -delete", "Bash(find:*)", false},
		{"find . -delete", "Bash(find *)", false},
		{"find . -delete", "Bash(find . -del*)", false},
		{"find . -delete", "Bash(find . -delete)", true},
		{"find . -delete", "Bash(find:*), Bash(find . -delete)", true},
		{"find . -delete", "Bash", true},
		{"find . -exec ls {} +", "Bash(find:*)", false},
		{"find . -execdir ls {} +", "Bash(find:*)", false},
		{"find . -ok ls {} +", "Bash(find:*)", false},
		{"find . -okdir ls {} +", "Bash(find:*)", false},
		{"find . -fprint x", "Bash(find:*)", false},
		{"find . -fls x", "Bash(find:*)", false},
		{"find . '-delete'", "Bash(find:*)", false},
		{"find -- . -delete", "Bash(find:*)", false},
		{"find -- . -delete", "", false},
		{"timeout 5 find . -delete", "Bash(find:*)", false},
		{"timeout 5 find . -delete", "Bash(timeout:*)", false},
		{"timeout 5 find . -delete", "Bash(timeout 5 find . -delete)", true},
		{"timeout 5 find . -delete", "Bash(find . -delete)", true},
		{"nohup nice find . -delete", "Bash(find:*)", false},
		{"NODE_ENV=x find . -delete", "Bash(find:*)", false},
		{"FOO=1 find . -delete", "Bash(FOO=1 find:*)", false},
		{"echo a | xargs find . -delete", "Bash(find:*) Bash(xargs:*)", false},
		{"watch make", "Bash(watch:*)", false},
		{"watch make", "Bash(make:*)", false},
		{"watch make", "Bash(watch make)", true},
		{"setsid make", "Bash(setsid:*) Bash(make:*)", false},
		{"setsid make", "Bash(setsid make)", true},
		{"ionice -c3 make", "Bash(ionice:*)", false},
		{"flock l make", "Bash(flock *)", false},
		{"timeout 5 watch make", "Bash(timeout:*)", false},
		{"make find -delete", "Bash(make:*)", true},
	}
	for _, tt := range tests {
		c := Command{Text: tt.text, Dir: "/w/proj", Project: "/w/proj", Allowed: []string{tt.allowed}}
		if got := Check(permission(t, newest), c); (got == "") != tt.runs {
			t.Errorf("%q with %q: %q", tt.text, tt.allowed, got)
		}
	}
	// Any matching deny rule suffices.
	c := Command{Text: "timeout 5 find . -delete", Dir: "/w/proj", Allowed: []string{"Bash"}, Deny: []string{"Bash(find:*)"}}
	if got := Check(permission(t, newest), c); got == "" {
		t.Error("a prefix rule does not deny the command")
	}
}
