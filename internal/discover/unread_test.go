package discover_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host/registry"
)

// TestUnreadSettings checks that a key that affects loading is reported once
// per file, and that an empty value is not reported.
func TestUnreadSettings(t *testing.T) {
	for _, tc := range []struct{ host, file, text, want string }{
		{"opencode", "p/opencode.json", `{"instructions": ["docs/*.md"], "skills": {"urls": ["https://x"], "paths": []}}`, "instructions skills.urls"},
		{"opencode", "p/opencode.jsonc", "{// note\n\"instructions\": [\"a\"],}", "instructions"},
		{"opencode", "p/opencode.json", `{"model": "m", "instructions": [], "agent": null}`, ""},
		{"opencode", "p/opencode.json", `{"instructions": `, ""},
		{"opencode", "h/.config/opencode/opencode.json", `{"instructions": ["a.md"]}`, "instructions"},
		{"gemini", "p/.gemini/settings.json", `{"context": {"fileName": "AGENTS.md"}}`, "context.fileName"},
		{"gemini", "h/.gemini/settings.json", `{"context": {"fileName": ["AGENTS.md"]}, "skills": {"disabled": ["a"]}}`, "context.fileName skills.disabled"},
		{"gemini", "p/.gemini/settings.json", `{"context": "AGENTS.md"}`, ""},
		{"qwen", "p/.qwen/settings.json", `{"context": {"fileName": "X.md"}}`, "context.fileName"},
		{"copilot-vscode", "p/.vscode/settings.json", `{"chat.agentSkillsLocations": {"a": true}}`, "chat.agentSkillsLocations"},
		{"copilot-cli", "h/.copilot/settings.json", `{"ignoredSkillsLocations": ["a"]}`, "ignoredSkillsLocations"},
		{"pi", "h/.pi/agent/settings.json", `{"skills": ["a"]}`, "skills"},
		{"codex", "h/.codex/config.toml", "project_doc_max_bytes = 10\nmodel = 'm'\n", "project_doc_max_bytes"},
		{"codex", "p/.codex/config.toml", "project_doc_fallback_filenames = ['X.md']\n", "project_doc_fallback_filenames"},
		{"claude-code", "p/.claude/settings.json", `{"instructions": ["a"]}`, ""},
	} {
		t.Run(tc.host+" "+tc.file, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range []string{"p/.git", "h", filepath.Dir(tc.file)} {
				if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, tc.file), []byte(tc.text), 0o644); err != nil {
				t.Fatal(err)
			}
			p, _ := registry.Lookup(tc.host)
			plan, err := discover.NewPlan(t.Context(), discover.Environment{
				WorkDir: filepath.ToSlash(filepath.Join(dir, "p")), Home: filepath.ToSlash(filepath.Join(dir, "h")),
			}, p)
			if err != nil {
				t.Fatal(err)
			}
			defer plan.Close()
			// This test needs only the top-level TOML keys.
			toml := func(_ string, data []byte) ([]definition.Entry, []diag.Diagnostic) {
				var keys []definition.Entry
				for line := range strings.Lines(string(data)) {
					key, _, _ := strings.Cut(line, " =")
					keys = append(keys, definition.Entry{Key: key, Value: definition.Value{Kind: definition.Number, Text: "1"}})
				}
				return keys, nil
			}
			var got []string
			before := len(plan.Diagnostics)
			for _, d := range plan.UnreadSettings(toml) {
				key, _, _ := strings.Cut(d.Message, " ")
				got = append(got, key)
				if d.Code != diag.SettingNotRead || d.Fix == "" || !strings.HasSuffix(filepath.ToSlash(d.File), strings.TrimPrefix(tc.file, "p/")) {
					t.Errorf("%+v", d)
				}
			}
			if strings.Join(got, " ") != tc.want || len(plan.Diagnostics) != before {
				t.Errorf("%q, want %q; %v", got, tc.want, plan.Diagnostics)
			}
		})
	}
}
