package frontmatter

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/internal/definition"
)

func scalarOf(s string) definition.Value {
	return definition.Value{Kind: definition.String, Text: s}
}

func listOf(items ...string) definition.Value {
	v := definition.Value{Kind: definition.List}
	for _, s := range items {
		v.Items = append(v.Items, scalarOf(s))
	}
	return v
}

// TestRules: commas and blanks divide rules alike, but not within parentheses
// (formats dossier, section 3.10).
func TestRules(t *testing.T) {
	tests := []struct {
		value definition.Value
		want  []string
	}{
		{scalarOf("Read, Bash(git log:*) Grep"), []string{"Read", "Bash(git log:*)", "Grep"}},
		{scalarOf("Read Grep,Glob"), []string{"Read", "Grep", "Glob"}},
		{scalarOf("Bash(git add:*, git rm:*), Read"), []string{"Bash(git add:*, git rm:*)", "Read"}},
		{scalarOf("Bash (git:*) Read"), []string{"Bash (git:*)", "Read"}},
		{scalarOf(" , Read ,, "), []string{"Read"}},
		{scalarOf(`["Read", "Grep Glob"]`), []string{"Read", "Grep", "Glob"}},
		{scalarOf("- Read - Grep"), []string{"Read", "Grep"}},
		{listOf("Read", "Grep Glob"), []string{"Read", "Grep", "Glob"}},
		{listOf("Bash(git add:*), Bash(ls *)", "Edit"), []string{"Bash(git add:*)", "Bash(ls *)", "Edit"}},
		{scalarOf("Bash(git log:* Read Grep"), []string{"Bash(git log:* Read Grep"}},
		{scalarOf(""), nil},
	}
	for _, tt := range tests {
		got, problem := Rules(tt.value)
		if diff := cmp.Diff(tt.want, got); diff != "" || problem != "" {
			t.Errorf("%+v: %s %s", tt.value, problem, diff)
		}
	}
	if got, problem := Rules(definition.Value{Kind: definition.Map}); got != nil || problem == "" {
		t.Errorf("a map: %q %q", got, problem)
	}
}
