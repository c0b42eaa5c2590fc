package frontmatter

import (
	"fmt"
	"slices"
	"testing"

	"github.com/vadehq/vade/definition"
)

// valueOf returns a YAML field's value.
func valueOf(t *testing.T, yaml string) definition.Value {
	t.Helper()
	doc, _ := Parse(sourceOf("---\nk: "+yaml+"\n---\n"), false, neutral())
	v, ok := field(doc, "k")
	if !ok {
		t.Fatalf("%q: no value", yaml)
	}
	return v
}

func TestTextAndHint(t *testing.T) {
	tests := []struct{ yaml, text, hint string }{
		{"plain words", "plain words", "plain words"},
		{"1.0", "1.0", "1.0"},
		{"2026-03-06", "2026-03-06", "2026-03-06"},
		{"true", "true", "true"},
		{"", "", ""},
		{"~", "", ""},
		{"[file]", "", "[file]"},
		{"[file] [mode]", "[file] [mode]", "[file] [mode]"},
		{"[--all, -n 3]", "", "[--all] [-n 3]"},
		{"[file] | --all", "[file] | --all", "[file] | --all"},
		{"{a: b}", "", ""},
	}
	for _, tt := range tests {
		v := valueOf(t, tt.yaml)
		text, textBad := Text(v)
		hint, hintBad := Hint(v)
		if text != tt.text || hint != tt.hint {
			t.Errorf("%q: text %q, hint %q", tt.yaml, text, hint)
		}
		if isText := v.Kind < definition.List; isText != (textBad == "") || isText != (hintBad == "") {
			t.Errorf("%q: problems %q %q", tt.yaml, textBad, hintBad)
		}
	}
}

func TestBool(t *testing.T) {
	for _, yaml := range []string{"true", "TRUE", "yes", "Yes", "on", "1", `"true"`, "'on'"} {
		if v, bad := Bool(valueOf(t, yaml)); !v || bad != "" {
			t.Errorf("%s: %v %q", yaml, v, bad)
		}
	}
	for _, yaml := range []string{"false", "No", "OFF", "0", `"0"`} {
		if v, bad := Bool(valueOf(t, yaml)); v || bad != "" {
			t.Errorf("%s: %v %q", yaml, v, bad)
		}
	}
	for _, yaml := range []string{"", "maybe", "2", "[true]", "{a: true}", "1.0"} {
		if v, bad := Bool(valueOf(t, yaml)); v || bad == "" {
			t.Errorf("%s: %v without a problem", yaml, v)
		}
	}
}

func TestStrictBool(t *testing.T) {
	for yaml, want := range map[string]bool{
		"true": true, "True": true, "TRUE": true, `"true"`: true, "'true'": true,
		`"True"`: false, "yes": false, "1": false, "on": false, "'yes'": false, "false": false, "[true]": false, "": false,
	} {
		if got := StrictBool(valueOf(t, yaml)); got != want {
			t.Errorf("%s: %v", yaml, got)
		}
	}
}

func TestStrings(t *testing.T) {
	tests := []struct {
		yaml string
		want []string
	}{
		{"", nil},
		{"Read", []string{"Read"}},
		{"Read, Grep", []string{"Read", "Grep"}},
		{"Read Grep", []string{"Read", "Grep"}},
		{"Read,Grep,", []string{"Read", "Grep"}},
		{"[Read, Grep]", []string{"Read", "Grep"}},
		{"\n  - Read\n  - Bash(a, b)", []string{"Read", "Bash(a, b)"}},
		{`'["Read", "Grep"]'`, []string{"Read", "Grep"}},
		{`"[Read, Grep]"`, []string{"Read", "Grep"}},
		{`["Read", "Grep"`, []string{`["Read"`, `"Grep"`}},
		{"Bash(git add:*), Read", []string{"Bash(git add:*)", "Read"}},
		{"Bash(a, b) Read", []string{"Bash(a, b)", "Read"}},
		{"Bash(git add *) Read Bash(ls)", []string{"Bash(git add *)", "Read", "Bash(ls)"}},
		{"Bash(git, Read", []string{"Bash(git", "Read"}},
		{"Bash(a (b, c), d), Read", []string{"Bash(a (b, c), d)", "Read"}},
		{"- Read", []string{"Read"}},
		{"*", []string{"*"}},
		{"$QUERY", []string{"$QUERY"}},
	}
	for _, tt := range tests {
		if got, bad := Strings(valueOf(t, tt.yaml)); !slices.Equal(got, tt.want) || bad != "" {
			t.Errorf("%s: %q %q, want %q", tt.yaml, got, bad, tt.want)
		}
	}
	if got, bad := Strings(valueOf(t, "[a, {b: c}]")); !slices.Equal(got, []string{"a"}) || bad == "" {
		t.Errorf("list with a map: %q %q", got, bad)
	}
	if got, bad := Strings(valueOf(t, "{a: b}")); got != nil || bad == "" {
		t.Errorf("map: %q %q", got, bad)
	}
}

func TestGlobs(t *testing.T) {
	tests := []struct {
		yaml string
		want []string
	}{
		{"**/*.ts", []string{"**/*.ts"}},
		{"src/{a,b}/*.ts, *.md", []string{"src/{a,b}/*.ts", "*.md"}},
		{"my dir/*.md,b.md", []string{"my dir/*.md", "b.md"}},
		{"/(app|pages)/**/*.(ts|js)", []string{"/(app|pages)/**/*.(ts|js)"}},
		{"\n  - src/{a,b}\n  - '*'", []string{"src/{a,b}", "*"}},
		{`'["*.a", "*.{b,c}"]'`, []string{"*.a", "*.{b,c}"}},
		{"'[ab]*.go, [c,d].go'", []string{"[ab]*.go", "[c,d].go"}},
		{"a{b, c", []string{"a{b", "c"}},
		{`'"*.a", "*.b"'`, []string{"*.a", "*.b"}},
	}
	for _, tt := range tests {
		if got, bad := Globs(valueOf(t, tt.yaml)); !slices.Equal(got, tt.want) || bad != "" {
			t.Errorf("%s: %q %q, want %q", tt.yaml, got, bad, tt.want)
		}
	}
}

func ExampleStrings() {
	doc, _ := Parse(sourceOf("---\nallowed-tools: Bash(git add:*), Read\n---\n"), false, strict())
	words, _ := Strings(doc.Entries[0].Value)
	fmt.Printf("%q\n", words)
	// Output: ["Bash(git add:*)" "Read"]
}
