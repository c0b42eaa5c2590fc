package parse_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/parse"
)

// definitionOf parses one project file in the given view.
func definitionOf(t *testing.T, view, path, text string) *definition.Definition {
	t.Helper()
	profile, ok := registry.Lookup(view)
	if !ok {
		t.Fatalf("no host %s", view)
	}
	plan, err := discover.NewPlan(context.Background(), discover.Environment{
		Only: true, Layers: []discover.LayerFS{{Layer: definition.Project, Name: "p", FS: fstest.MapFS{path: {Data: []byte(text)}}}},
	}, profile)
	if err != nil {
		t.Fatal(err)
	}
	defer plan.Close()
	found, _, err := plan.Scan(context.Background(), parse.Parser(profile, "1.2.3"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range found {
		if d.Origin.Path == path {
			return d
		}
	}
	t.Fatalf("%s is not found", path)
	return nil
}

const skill = ".claude/skills/s/SKILL.md"

func no() *bool { b := false; return &b }

// set sets fields to strings or lists.
func set(f definition.Fields, pairs ...any) definition.Fields {
	for i := 0; i < len(pairs); i += 2 {
		switch field := pairs[i].(definition.Field); v := pairs[i+1].(type) {
		case string:
			f.SetText(field, v)
		case []string:
			f.SetList(field, v)
		}
	}
	return f
}

func TestFields(t *testing.T) {
	for _, tc := range []struct {
		name, fields string
		want         definition.Fields
		codes        string
	}{
		{"plain", "name: n\ndescription: d\nwhen_to_use: w", set(definition.Fields{Name: "n", Description: "d"}, definition.FieldWhenToUse, "w"), ""},
		{"every spelling", "argumentHint: h\nallowed_tools: Read\nUserInvocable: off\nwhen-to-use: w",
			set(definition.Fields{UserInvocable: no()}, definition.FieldArgumentHint, "h", definition.FieldAllowedTools, []string{"Read"}, definition.FieldWhenToUse, "w"), "FIELD_SPELLING FIELD_SPELLING FIELD_SPELLING"},
		{"lists in every form", "allowed-tools: Bash(git add:*), Read\ndisallowed-tools: Write Edit\ntools: [A, \"B(x, y)\"]\nkeywords:\n  - k\n  - l",
			set(definition.Fields{}, definition.FieldAllowedTools, []string{"Bash(git add:*)", "Read"}, definition.FieldDisallowedTools, []string{"Write", "Edit"}, definition.FieldTools, []string{"A", "B(x, y)"}, definition.FieldKeywords, []string{"k", "l"}), ""},
		{"commas inside parentheses", "allowed-tools: Bash(a, b) Read", set(definition.Fields{}, definition.FieldAllowedTools, []string{"Bash(a, b)", "Read"}), ""},
		{"a list in a string", "tools: '[\"Read\", \"Grep\"]'", set(definition.Fields{}, definition.FieldTools, []string{"Read", "Grep"}), ""},
		{"a hint that YAML takes for a list", "argument-hint: [file] ", set(definition.Fields{}, definition.FieldArgumentHint, "[file]"), "FIELD_TYPE"},
		{"inherit is unset", "model: inherit", definition.Fields{}, ""},
		{"a model", "model: big", set(definition.Fields{}, definition.FieldModel, "big"), ""},
		{"the first of several models", "model: [one, two]", set(definition.Fields{}, definition.FieldModel, "one"), ""},
		{"values that mean nothing", "effort: heroic\ncontext: spoon\nshell: zsh", definition.Fields{}, "FIELD_VALUE FIELD_VALUE FIELD_VALUE"},
		{"values that do", "effort: 42\ncontext: fork\nshell: powershell", set(definition.Fields{}, definition.FieldEffort, "42", definition.FieldContext, "fork", definition.FieldShell, "powershell"), ""},
		{"wrong types", "description: [a, b]\nuser-invocable: perhaps\nallowed-tools: {a: b}\nhooks: 3", definition.Fields{}, "FIELD_TYPE FIELD_TYPE FIELD_TYPE HOOKS_INVALID"},
		{"hooks", "hooks:\n  Stop: []", definition.Fields{HasHooks: true}, ""},
		{"null is unset", "description: ~\nmodel:", definition.Fields{}, ""},
		{"a number is text", "description: 42\nversion: 1.2.3", set(definition.Fields{Description: "42"}, definition.FieldVersion, "1.2.3"), ""},
		{"a short version", "version: 1.0", set(definition.Fields{}, definition.FieldVersion, "1.0"), "VERSION_FORM"},
		{"patterns", "paths: src/**, \"*.{go,mod}\"", set(definition.Fields{}, definition.FieldPaths, []string{"src", "*.go", "*.mod"}), ""},
		{"patterns in a list", "paths:\n  - docs/**\n  - a/*.md", set(definition.Fields{}, definition.FieldPaths, []string{"docs", "a/*.md"}), ""},
		{"a pattern for everything is unset", "paths: '**'", definition.Fields{}, ""},
		{"a pattern that never matches", "paths: ./src", set(definition.Fields{}, definition.FieldPaths, []string{"./src"}), "FIELD_VALUE"},
		{"applyTo", "applyTo: '**/*.ts,**/*.tsx'", set(definition.Fields{}, definition.FieldPaths, []string{"**/*.ts", "**/*.tsx"}), ""},
		{"always", "globs: '*.ts'\nalwaysApply: true", definition.Fields{AlwaysApply: true}, ""},
		{"the seed's fields", "agents: ['a', 'b']\nuseSkills: [s]\nhasArchitectureAccess: true", set(definition.Fields{HasArchitectureAccess: true}, definition.FieldAgents, []string{"a", "b"}, definition.FieldSkills, []string{"s"}), ""},
		{"unknown keys are kept", "foo: 1\nbar: 2", set(definition.Fields{}, definition.Field(0), []string{"foo", "bar"}), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := definitionOf(t, "neutral", skill, "---\n"+tc.fields+"\n---\nBody line.\n")
			if diff := cmp.Diff(tc.want, d.Fields); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			var codes []string
			for _, p := range d.Diagnostics {
				if p.Code != diag.FieldMissing {
					codes = append(codes, string(p.Code))
				}
				if p.Fix == "" && p.Severity > diag.Info {
					t.Errorf("%s has no fix", p)
				}
			}
			if got := strings.Join(codes, " "); got != tc.codes {
				t.Errorf("diagnostics %q, want %q: %v", got, tc.codes, d.Diagnostics)
			}
		})
	}
}

func TestDescriptions(t *testing.T) {
	for _, tc := range []struct{ view, text, want string }{
		{"neutral", "---\nname: x\n---\n\n# The heading\n\nText.\n", "The heading"},
		{"neutral", "<!-- a\ncomment -->\n\n---\n\nFirst *prose* line\n", "First prose line"},
		{"neutral", "", ""},
		{"claude-code", "---\nname: x\n---\n\n# The heading\n", "The heading"},
		{"claude-code", "\n---\nname: x\n---\n", "---"},
		{"claude-code", "", "Skill"},
		{"claude-code", "---\ndescription: a --- b\n---\nx\n", "a"},
		{"neutral", "---\ndescription: a --- b\n---\nx\n", "a --- b"},
	} {
		if got := definitionOf(t, tc.view, skill, tc.text).Description; got != tc.want {
			t.Errorf("%s: %q has the description %q, want %q", tc.view, tc.text, got, tc.want)
		}
	}
}

// TestDescriptionFurtherDown checks that the body's first line may be beyond the first read.
func TestDescriptionFurtherDown(t *testing.T) {
	text := "---\nmetadata: " + strings.Repeat("x", 4060) + "\n---\n\n\n# Found\n" + strings.Repeat("more\n", 1000)
	if got := definitionOf(t, "neutral", skill, text).Description; got != "Found" {
		t.Errorf("description %q", got)
	}
	long := "---\ndescription: " + strings.Repeat("y", 30_000) + "\n---\nbody\n"
	if got := definitionOf(t, "neutral", skill, long).Description; len(got) != 30_000 {
		t.Errorf("a description of %d bytes", len(got))
	}
}

func TestRequires(t *testing.T) {
	for text, want := range map[string]definition.State{
		"requires: vade >= 1.0":                     definition.Loaded,
		"requires: vade >= 1.2.3":                   definition.Loaded,
		"requires: vade > 1.2.3":                    definition.Disabled,
		"requires: vade >= 2":                       definition.Disabled,
		"requires: vade ^1.0":                       definition.Loaded,
		"requires: vade ^2.0":                       definition.Disabled,
		"requires: vade ~1.2":                       definition.Loaded,
		"requires: vade ~1.1":                       definition.Disabled,
		"requires: vade < 1":                        definition.Disabled,
		"requires: [node, vade >= 9.0]":             definition.Disabled,
		"requires:\n  vade: '>= 9.0'":               definition.Disabled,
		"compatibility: 'Needs git, vade >= 9.0.0'": definition.Disabled,
		"compatibility: Works with anything":        definition.Loaded,
		"requires: vade nonsense":                   definition.Loaded,
	} {
		d := definitionOf(t, "neutral", skill, "---\ndescription: d\n"+text+"\n---\n")
		if d.State != want {
			t.Errorf("%q is %s (%s), want %s", text, d.State, d.Reason, want)
		}
		if d.State == definition.Disabled && d.ReasonCode != diag.VersionNeeded {
			t.Errorf("%q: code %s", text, d.ReasonCode)
		}
	}
}

func TestClaudeCodeAgents(t *testing.T) {
	const agent = ".claude/agents/a.md"
	for text, want := range map[string]definition.State{
		"---\nname: a\ndescription: d\n---\nx":         definition.Loaded,
		"---\ndescription: d\n---\nx":                  definition.Dropped,
		"---\nname: a\n---\nx":                         definition.Dropped,
		"---\nname: 'a:b'\ndescription: d\n---\nx":     definition.Dropped,
		"---\nname: -a\ndescription: d\n---\nx":        definition.Dropped,
		"---\nname: a\ndescription: \"d\n---\nx":       definition.Dropped,
		"no frontmatter":                               definition.Dropped,
		"---\nname: Bad Name!\ndescription: d\n---\nx": definition.Loaded,
	} {
		if d := definitionOf(t, "claude-code", agent, text); d.State != want {
			t.Errorf("%q is %s (%s), want %s", text, d.State, d.Reason, want)
		}
	}
}
