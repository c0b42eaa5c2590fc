package doctor

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
)

// TestChecks creates one problem for each check, and verifies that nothing else is reported.
func TestChecks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs permissions and executable files of Unix")
	}
	works := definition.Isolation{Files: true, Network: true, Exec: true}
	for _, tc := range []struct {
		check, state, want string
		files              map[string]string
		prepare            func(t *testing.T, dir string, m *Machine)
	}{
		{check: "hosts", state: Info, want: "claude-code 0.0.1: ", files: map[string]string{
			"bin/claude": "#!/bin/sh\n", "package.json": `{"name": "x", "version": "0.0.1"}`,
		}},
		{check: "settings", state: Error, want: "claude-code: .claude/settings.json", files: map[string]string{"p/.claude/settings.json": "{"}},
		{check: "links", state: Error, want: ".claude/skills/deploy is a text file", files: map[string]string{
			"p/.claude/skills/deploy": "../../.agents/skills/deploy", "p/.agents/skills/deploy/SKILL.md": "---\nname: deploy\n---\n",
		}},
		{check: "plugins", state: Warning, want: "claude-code: the installed plugin pl differs from ", files: map[string]string{
			"home/.claude/settings.json":                               `{"enabledPlugins": {"pl@m": true}}`,
			"home/.claude/plugins/m/.claude-plugin/marketplace.json":   `{"plugins": [{"name": "pl", "source": "./pl"}]}`,
			"home/.claude/plugins/m/pl/.claude-plugin/plugin.json":     `{"name": "pl"}`,
			"home/.claude/plugins/m/pl/skills/s/SKILL.md":              "---\nname: s\ndescription: New.\n---\n",
			"home/.claude/plugins/cache/pl/.claude-plugin/plugin.json": `{"name": "pl"}`,
			"home/.claude/plugins/cache/pl/skills/s/SKILL.md":          "---\nname: s\ndescription: Old.\n---\n",
		}, prepare: func(t *testing.T, dir string, _ *Machine) {
			at := func(name string) string { return filepath.ToSlash(filepath.Join(dir, "home/.claude/plugins", name)) }
			for name, text := range map[string]string{
				"known_marketplaces.json": `{"m": {"source": {"source": "github", "repo": "o/m"}, "installLocation": "` + at("m") + `"}}`,
				"installed_plugins.json":  `{"version": 2, "plugins": {"pl@m": [{"scope": "user", "installPath": "` + at("cache/pl") + `"}]}}`,
			} {
				if err := os.WriteFile(at(name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}},
		{check: "files", state: Error, want: ".claude/skills/closed", files: map[string]string{"p/.claude/skills/closed/SKILL.md": "x"},
			prepare: func(t *testing.T, dir string, _ *Machine) {
				if os.Getuid() == 0 {
					t.Skip("root can read everything")
				}
				if err := os.Chmod(filepath.Join(dir, "p/.claude/skills/closed"), 0); err != nil {
					t.Fatal(err)
				}
			}},
		{check: "writing", state: Error, want: "/.vade is not a writable directory", files: map[string]string{"p/.vade": "a file"}},
		{check: "clock", state: Warning, want: "modification time in the future", prepare: func(_ *testing.T, _ string, m *Machine) {
			m.Now = time.Now().AddDate(-1, 0, 0)
		}},
		{check: "sandbox", state: Warning, want: "the network or programs: too old", prepare: func(_ *testing.T, _ string, m *Machine) {
			m.Isolation = definition.Isolation{Files: true, Reason: "too old"}
		}},
		{check: "git", state: Warning, want: "git was not found in PATH"},
	} {
		t.Run(tc.check, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range tc.files {
				file := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for _, d := range []string{"p/.git", "home", "bin"} {
				if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			m := Machine{
				Options: catalog.Options{
					Dir: filepath.Join(dir, "p"), Home: filepath.Join(dir, "home"), ManagedDir: filepath.Join(dir, "managed"), Unread: true,
					Getenv: func(string) string { return "" },
				},
				Path: filepath.Join(dir, "bin"), Isolation: works, Now: time.Now(),
			}
			if tc.prepare != nil {
				tc.prepare(t, dir, &m)
			}
			lines, err := Run(context.Background(), m)
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, l := range lines {
				switch {
				case l.Check == tc.check && l.State == tc.state && strings.Contains(l.What, tc.want):
					found = true
				case l.Check != tc.check && l.State != OK && l.Check != "hosts" && l.Check != "git":
					t.Errorf("unexpected: %+v", l)
				}
			}
			if !found {
				t.Errorf("no %s line with %q in %+v", tc.check, tc.want, lines)
			}
		})
	}
	if len(checks()) != 9 {
		t.Error("add a row to the test for a new check")
	}
}
