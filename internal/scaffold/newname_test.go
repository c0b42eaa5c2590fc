package scaffold

import (
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
)

// FuzzNewName checks that an accepted name is valid in every host and on every operating system.
func FuzzNewName(f *testing.F) {
	for _, s := range []string{"review", "git/tidy", "a:b", "../x", "con", "-x", "x-", "x--y", "\xff", "é", strings.Repeat("x", 65)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, k := range []definition.Kind{definition.Skill, definition.Command, definition.Agent, definition.Instruction} {
			if CheckName(k, s) != nil {
				continue
			}
			name := strings.ReplaceAll(s, "/", ":")
			if k != definition.Command && name != s || len(name) > maxName {
				t.Errorf("%q is %q", s, name)
			}
			for part := range strings.SplitSeq(name, ":") {
				if part == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || part[0] == '-' || part[len(part)-1] == '-' {
					t.Errorf("%s %q has the part %q", k, s, part)
				}
			}
		}
	})
}
