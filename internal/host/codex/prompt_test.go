package codex

import (
	"reflect"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/host"
)

func TestCodexMentions(t *testing.T) {
	for _, tc := range []struct {
		text string
		want []host.SkillMention
	}{
		{"use $t alpha", []host.SkillMention{{Name: "t"}}},
		{"$a:b-c_d, $PATH and $home", []host.SkillMention{{Name: "a:b-c_d"}}},
		{"[$t](/x/SKILL.md) and [$u] (skill:///y)", []host.SkillMention{{Name: "t", Path: "/x/SKILL.md"}, {Name: "u", Path: "/y"}}},
		{"[$t]( ) [$v [x](y) $ $$w", []host.SkillMention{{Name: "t"}, {Name: "v"}, {Name: "w"}}},
		{"nothing", nil},
	} {
		if got := mentions(tc.text); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("codexMentions(%q) = %v, want %v", tc.text, got, tc.want)
		}
	}
}

func FuzzCodexMentions(f *testing.F) {
	f.Add("[$t](/x) $y")
	f.Fuzz(func(t *testing.T, text string) {
		for _, m := range mentions(text) {
			if m.Name == "" || !strings.Contains(text, "$"+m.Name) {
				t.Errorf("%q does not mention %q", text, m.Name)
			}
		}
	})
}
