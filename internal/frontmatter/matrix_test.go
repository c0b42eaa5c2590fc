package frontmatter

import "testing"

// TestMatrix parses our own files in the forms of the recorded frontmatter matrix. It checks names
// and descriptions in the neutral view and in Claude Code 2.1.329. "-" represents a missing field.
func TestMatrix(t *testing.T) {
	tests := []struct {
		row, data                 string
		neutralName, neutralDesc  string
		claudeName, claudeDesc    string
		neutralValid, claudeValid bool
		neutralFound, claudeFound bool
	}{
		{"dashval", "---\nname: v\ndescription: a --- b\n---\nbody\n", "v", "a --- b", "v", "a", true, true, true, true},
		{"dashline", "---\nname: v\ndescription: |\n  one\n  --- two\n---\nbody\n", "v", "one\n--- two\n", "v", "one\n", true, true, true, true},
		{"blank", "\n---\nname: v\ndescription: d\n---\nbody\n", "v", "d", "-", "-", true, true, true, false},
		{"bom", bom + "---\nname: v\ndescription: d\n---\nbody\n", "v", "d", "v", "d", true, true, true, true},
		{"crlf", "---\r\nname: v\r\ndescription: d\r\n---\r\nbody\r\n", "v", "d", "v", "d", true, true, true, true},
		{"tailo", "--- \nname: v\ndescription: d\n---\nbody\n", "v", "d", "v", "d", true, true, true, true},
		{"tailc", "---\nname: v\ndescription: d\n--- \nbody\n", "v", "d", "v", "d", true, true, true, true},
		{"indent", "  ---\nname: v\ndescription: d\n  ---\nbody\n", "v", "d", "-", "-", true, true, true, false},
		{"unclosed", "---\nname: v\ndescription: d\n", "-", "-", "-", "-", true, true, false, false},
		{"dupkey", "---\nname: v\ndescription: d1\ndescription: d2\n---\nbody\n", "v", "d2", "v", "d2", true, true, true, true},
		{"colon", "---\nname: v\ndescription: Use when: user asks: x\n---\nbody\n", "v", "Use when: user asks: x", "v", "Use when: user asks: x", true, true, true, true},
		{"nofm", "# Just a body\n", "-", "-", "-", "-", true, true, false, false},
		{"noname", "---\ndescription: d\n---\nbody\n", "-", "d", "-", "d", true, true, true, true},
		{"numname", "---\nname: 3000\ndescription: d\n---\nbody\n", "3000", "d", "3000", "d", true, true, true, true},
		{"tabs", "---\nname: v\ndescription:\td\n---\nbody\n", "v", "d", "v", "d", true, true, true, true},
		{"hash", "---\nname: v\ndescription: fix issue #12 now\n---\nbody\n", "v", "fix issue", "v", "fix issue", true, true, true, true},
		{"quote", "---\nname: v\ndescription: \"unterminated\n---\nbody\n", "v", "\"unterminated", "v", "-", true, false, true, true},
		{"anch", "---\nname: v\ndescription: *missing\n---\nbody\n", "v", "*missing", "v", "*missing", true, true, true, true},
		{"bracket", "---\nname: v\ndescription: [WIP] does things\n---\nbody\n", "v", "[WIP] does things", "v", "[WIP] does things", true, true, true, true},
		{"at", "---\nname: v\ndescription: @user thing\n---\nbody\n", "v", "@user thing", "v", "@user thing", true, true, true, true},
		{"fold", "---\nname: v\ndescription: >-\n  one\n  two\n---\nbody\n", "v", "one two", "v", "one two", true, true, true, true},
		{"xmltag", "---\nname: v\ndescription: use <b>bold</b> & more\n---\nbody\n", "v", "use <b>bold</b> & more", "v", "use <b>bold</b> & more", true, true, true, true},
		{"multi", "---\nname: v\ndescription: 漢字éé\n---\nbody\n", "v", "漢字éé", "v", "漢字éé", true, true, true, true},
		{"metastr", "---\nname: v\ndescription: d\nmetadata: hello\n---\nbody\n", "v", "d", "v", "d", true, true, true, true},
		{"empty", "", "-", "-", "-", "-", true, true, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.row, func(t *testing.T) {
			n, _ := Parse(sourceOf(tt.data), false, neutral())
			c, _ := Parse(sourceOf(tt.data), false, claude())
			if got := [2]string{text(n, "name"), text(n, "description")}; got != [2]string{tt.neutralName, tt.neutralDesc} {
				t.Errorf("neutral: %q", got)
			}
			if got := [2]string{text(c, "name"), text(c, "description")}; got != [2]string{tt.claudeName, tt.claudeDesc} {
				t.Errorf("claude: %q", got)
			}
			if n.Found != tt.neutralFound || c.Found != tt.claudeFound || n.Valid != tt.neutralValid || c.Valid != tt.claudeValid {
				t.Errorf("found %v %v, valid %v %v", n.Found, c.Found, n.Valid, c.Valid)
			}
		})
	}
}

func text(doc Document, key string) string {
	v, ok := field(doc, key)
	if !ok {
		return "-"
	}
	s, _ := Text(v)
	return s
}
