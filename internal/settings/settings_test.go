package settings

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"

	"github.com/vadehq/vade/internal/testenv"
)

func table(t testing.TB, as string) *host.Settings {
	t.Helper()
	p, ok := registry.Lookup(as)
	if !ok {
		t.Fatalf("no host %s", as)
	}
	return p.Settings
}

func TestRead(t *testing.T) {
	for _, tc := range []struct {
		name, as string
		files    []File
		want     Settings
	}{
		{"nothing", "claude-code", nil, Settings{}},
		{
			"every key", "claude-code",
			[]File{{host.SourceManaged, "m", []byte(`{
				"skillOverrides": {"a": "off", "b": "name-only"}, "disableBundledSkills": true, "disableSkillShellExecution": true,
				"permissions": {"allow": ["A"], "deny": ["D"], "ask": ["Q"], "defaultMode": "plan"},
				"skillListingMaxDescChars": 99, "skillListingBudgetFraction": 0.5, "claudeMdExcludes": ["x/**"],
				"pluginConfigs": {"agents-md@builtin": {"options": {"instructionFiles": "claude-md"}}},
				"strictPluginOnlyCustomization": ["skills"], "env": {"A": "1", "B": 2, "C": true}, "other": [1]}`)}},
			Settings{
				Overrides: map[string]string{"a": "off", "b": "name-only"}, NoBundled: true, NoShell: true,
				Allow: []string{"A"}, Deny: []string{"D"}, Ask: []string{"Q"}, DefaultMode: "plan",
				MaxDescription: 99, BudgetFraction: 0.5, InstructionExcludes: []string{"x/**"}, InstructionFiles: "claude-md",
				PluginOnly: []string{"skills"}, Env: map[string]string{"A": "1", "B": "2", "C": "true"},
			},
		},
		{
			"stronger files", "claude-code",
			[]File{
				{host.SourceUser, "u", []byte(`{"skillOverrides":{"a":"off","b":"off"},"disableSkillShellExecution":true,"permissions":{"allow":["A","B"]}}`)},
				{host.SourceProject, "p", []byte(`{"skillOverrides":{"a":"on"},"permissions":{"allow":["B","C"],"defaultMode":"plan"}}`)},
				{host.SourceLocal, "l", []byte(`{"disableSkillShellExecution":false,"permissions":{"defaultMode":"dontAsk"}}`)},
			},
			Settings{
				Overrides: map[string]string{"a": "on", "b": "off"}, Allow: []string{"A", "B", "C"}, DefaultMode: "dontAsk",
			},
		},
		{
			"what only managed settings may", "claude-code",
			[]File{{host.SourceProject, "p", []byte(`{"strictPluginOnlyCustomization":true}`)}},
			Settings{},
		},
		{
			"all of plugins only", "claude-code",
			[]File{{host.SourceManaged, "m", []byte(`{"strictPluginOnlyCustomization":true}`)}},
			Settings{PluginOnly: []string{host.PluginOnlyAll}},
		},
		{
			"the old version", "claude-code@2.1.88",
			[]File{{host.SourceUser, "u", []byte(`{"skillOverrides":{"a":"off"},"disableSkillShellExecution":true,"permissions":{"deny":["D"]}}`)}},
			Settings{Deny: []string{"D"}},
		},
		{
			"null is nothing", "claude-code",
			[]File{{host.SourceManaged, "m", []byte(`{"skillOverrides":null,"permissions":null,"env":null}`)}},
			Settings{},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := Read(table(t, tc.as), tc.files)
			if diff := cmp.Diff(&tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestWrongTypes checks that invalid values are reported and skipped, and that
// other values are used.
func TestWrongTypes(t *testing.T) {
	for _, tc := range []struct {
		text string
		code diag.Code
		says string
	}{
		{`{"permissions":{"allow":["ok"],"deny":"x"}}`, diag.FieldType, "permissions.deny is ignored; it must be a list"},
		{`{"permissions":{"allow":["ok",1,null]}}`, diag.FieldType, "permissions.allow has items"},
		{`{"permissions":{"allow":["ok"]},"skillOverrides":[]}`, diag.FieldType, "skillOverrides is ignored; it must be a map"},
		{`{"permissions":{"allow":["ok"]},"skillOverrides":{"a":{}}}`, diag.FieldType, "skillOverrides has values"},
		{`{"permissions":{"allow":["ok"]},"disableSkillShellExecution":"yes"}`, diag.FieldType, "disableSkillShellExecution is ignored; it must be true or false"},
		{`{"permissions":{"allow":["ok"],"defaultMode":1}}`, diag.FieldType, "permissions.defaultMode is ignored; it must be a string"},
		{`{"permissions":{"allow":["ok"]},"skillListingMaxDescChars":-1}`, diag.FieldType, "skillListingMaxDescChars is ignored; it must be a positive integer"},
		{`{"permissions":{"allow":["ok"]},"skillListingMaxDescChars":1e99}`, diag.FieldType, "skillListingMaxDescChars is ignored; it must be a positive integer"},
		{`{"permissions":{"allow":["ok"]},"skillListingBudgetFraction":2}`, diag.FieldType, "skillListingBudgetFraction is ignored; it must be a number"},
		{`{"permissions":{"allow":["ok"]},"strictPluginOnlyCustomization":1}`, diag.FieldType, "strictPluginOnlyCustomization must be true, false or a list"},
		{`{"permissions":{"allow":["ok"]},"pluginConfigs":7}`, diag.FieldType, "pluginConfigs must be an object"},
		{`{"permissions":`, diag.JSONInvalid, "invalid JSON"},
		{`[]`, diag.JSONInvalid, "invalid JSON"},
		{"\x00", diag.JSONInvalid, "invalid JSON"},
	} {
		good := File{host.SourceUser, "good", []byte(`{"permissions":{"ask":["still"]}}`)}
		got := Read(table(t, "claude-code"), []File{{host.SourceManaged, "bad", []byte(tc.text)}, good})
		if len(got.Diagnostics) != 1 || got.Diagnostics[0].Code != tc.code || !strings.Contains(got.Diagnostics[0].Message, tc.says) ||
			got.Diagnostics[0].File != "bad" {
			t.Errorf("%s: %v", tc.text, got.Diagnostics)
		}
		if !slices.Equal(got.Ask, []string{"still"}) || tc.code == diag.FieldType && !slices.Equal(got.Allow, []string{"ok"}) {
			t.Errorf("%s: the rest does not count: %+v", tc.text, got)
		}
	}
}

// TestStrict checks which invalid values Claude Code tolerates. If it checks a value and rejects
// it, it ignores the whole file (h30, h77; the others were observed in 2.1.330).
func TestStrict(t *testing.T) {
	for text, counts := range map[string]bool{
		`"permissions":{"deny":"x"}`: false, `"permissions":[]`: false, `"permissions":null`: false,
		`"permissions":{"defaultMode":"bogus"}`: false, `"permissions":{"deny":[1]}`: true,
		`"skillOverrides":{"b":"bogus"}`: false, `"skillOverrides":{"b":"on"}`: true,
		`"claudeMdExcludes":[1]`: false, `"env":[]`: false, `"env":{"A":{}}`: true,
		`"disableSkillShellExecution":"x"`: false, `"skillListingMaxDescChars":0`: false,
		`"skillListingBudgetFraction":2`: false, `"enabledPlugins":{"a@b":5}`: false,
		`"enabledPlugins":{"a@b":["x"]}`: true, `"disabledMcpjsonServers":5`: false,
		`"allowedMcpServers":5`: true, `"hooks":5`: true, `"unknown":5`: true, `"disableBundledSkills":null`: true,
		`"disableBundledSkills":"x"`: false, `"pluginConfigs":{"a":{"options":5}}`: false,
		`"pluginConfigs":{"agents-md@builtin":{"options":{"instructionFiles":5}}}`: true,
		`"model":5`: false,
	} {
		got := Read(table(t, "claude-code"), []File{
			{host.SourceUser, "u", []byte(`{"enableAllProjectMcpServers":true,` + text + `}`)},
		})
		if (len(got.Servers.On) > 0) != counts || !counts && len(got.Diagnostics) != 1 {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// TestLimits checks that the length of every list is limited.
func TestLimits(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"permissions":{"allow":["0"`)
	for i := range 2 * maxItems {
		b.WriteString(`,"` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i%501) + `z` + strings.Repeat("w", i/1000) + `"`)
	}
	b.WriteString(`]}}`)
	got := Read(table(t, "claude-code"), []File{{host.SourceUser, "u", []byte(b.String())}})
	if len(got.Allow) > maxItems || len(got.Diagnostics) != 1 {
		t.Errorf("%d rules, %v", len(got.Allow), got.Diagnostics)
	}
}

// TestListsAreUnions checks that every rule is kept, without duplicates.
func TestListsAreUnions(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		var files []File
		want := map[string]bool{}
		for range rapid.IntRange(0, 4).Draw(t, "files") {
			rules := rapid.SliceOfN(rapid.StringMatching(`[a-c]{1,2}`), 0, 5).Draw(t, "rules")
			text := `{"permissions":{"deny":[`
			for i, r := range rules {
				if i > 0 {
					text += ","
				}
				text += `"` + r + `"`
				want[r] = true
			}
			files = append(files, File{host.SourceProject, "p", []byte(text + `]}}`)})
		}
		p, _ := registry.Lookup("claude-code")
		got := Read(p.Settings, files).Deny
		if len(got) != len(want) {
			t.Fatalf("%v of %v", got, want)
		}
		for _, r := range got {
			if !want[r] {
				t.Fatalf("%q is in no file", r)
			}
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`{"skillOverrides":{"a":"off"}}`, `{"permissions":{"allow":["a"]}}`, `{"env":{"A":1e5}}`, `[`, `{"pluginConfigs":{"agents-md@builtin":[]}}`, "",
		`{"strictPluginOnlyCustomization":[true]}`, strings.Repeat(`{"a":`, 100),
	} {
		f.Add([]byte(s))
	}
	table := table(f, "claude-code")
	f.Fuzz(func(t *testing.T, data []byte) {
		s := Read(table, []File{{host.SourceManaged, "m", data}, {host.SourceUser, "u", data}})
		if len(s.Allow) > maxItems || len(s.Overrides) > maxItems || len(s.Env) > maxItems {
			t.Error("the limit is exceeded")
		}
		if s.MaxDescription < 0 || s.BudgetFraction < 0 || s.BudgetFraction > 1 {
			t.Errorf("%d %v", s.MaxDescription, s.BudgetFraction)
		}
	})
}
