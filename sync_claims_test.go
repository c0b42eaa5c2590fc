package vade

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/mirror"
)

// TestSyncClaims: what only .vade/sync.json says was made is neither removed nor taken
// for a copy, with force or without.
func TestSyncClaims(t *testing.T) {
	for _, source := range []string{"gone.md", ".github/agents/gone.agent.md", ".github/agents/architect.agent.md", ".agents/skills/lint/SKILL.md"} {
		for _, force := range []bool{false, true} {
			t.Run(fmt.Sprint(source, force), func(t *testing.T) {
				files := syncProject()
				delete(files, "vade.yaml")
				own := map[string]string{
					".claude/agents/mine.md": "---\nname: mine\ndescription: Mine.\n---\nMine.\n", ".claude/rules/r.md": "Mine.\n", "CLAUDE.md": "Mine.\n",
					"AGENTS.md": "Mine.\n", ".mcp.json": "{}", ".claude/skills/own/SKILL.md": "---\nname: own\ndescription: Own.\n---\nOwn.\n",
					".claude/skills/own/n.txt": "n", ".claude/commands/c.md": string(mirror.Mark([]byte("---\nname: c\n---\nMine.\n"), mirror.Frontmatter, "gone.md")),
				}
				for p, text := range own {
					files[p] = text
				}
				files["vade.yaml"] = "hosts: [claude-code, copilot-vscode]\n"
				var entries []mirror.Entry
				for p, text := range files {
					if p == "vade.yaml" || p == ".claude/commands/c.md" || strings.HasPrefix(p, ".git/") {
						continue
					}
					entries = append(entries, mirror.Entry{Path: p, Source: source, Hosts: []string{"claude-code"}, Digest: mirror.Digest([]byte(text))})
				}
				text, err := json.Marshal(mirror.State{Version: 1, Files: entries, Dirs: []string{".claude", "empty"}})
				if err != nil {
					t.Fatal(err)
				}
				files[".vade/sync.json"] = string(text)
				o := layProject(t, files)
				if err := os.Mkdir(filepath.Join(o.Dir, "empty"), 0o755); err != nil {
					t.Fatal(err)
				}
				r := mustSync(t, o, SyncOptions{Force: force})
				for p, text := range files {
					if p == ".vade/sync.json" {
						continue
					}
					if data, err := os.ReadFile(filepath.Join(o.Dir, p)); err != nil || string(data) != text {
						t.Errorf("%s: %v %q", p, err, data)
					}
				}
				if _, err := os.Stat(filepath.Join(o.Dir, "empty")); err != nil {
					t.Error(err)
				}
				steps := stepsOf(r)
				if strings.Contains(steps, "remove") || !strings.Contains(steps, "create .claude/agents/architect.md") || !strings.Contains(codesOf(r), "SYNC_ORPHAN CLAUDE.md") {
					t.Errorf("%s\n%s", steps, codesOf(r))
				}
				again := mustSync(t, o, SyncOptions{Force: force})
				wantSteps(t, again)
			})
		}
	}
}

// TestSyncForgedMark: a mark of a source that is not there makes nothing Vade's.
func TestSyncForgedMark(t *testing.T) {
	files := syncProject()
	forged := string(mirror.Mark([]byte("---\nname: mine\ndescription: Mine.\n---\nMine.\n"), mirror.Frontmatter, ".github/agents/gone.agent.md"))
	files[".claude/agents/mine.md"], files[".claude/agents/architect.md"], files[".github/agents/mine.agent.md"] = forged, forged, forged
	for _, state := range []bool{false, true} {
		if state {
			files[".vade/sync.json"] = `{"version": 1, "files": []}`
		}
		o := layProject(t, files)
		r := mustSync(t, o, SyncOptions{})
		for _, p := range []string{".claude/agents/mine.md", ".claude/agents/architect.md", ".github/agents/mine.agent.md"} {
			if data, err := os.ReadFile(filepath.Join(o.Dir, p)); err != nil || string(data) != forged {
				t.Errorf("%s: %v %q", p, err, data)
			}
		}
		if got := codesOf(r); got != "SYNC_FOREIGN .claude/agents/architect.md\nSYNC_FOREIGN .github/agents/mine.agent.md" {
			t.Errorf("%s", got)
		}
	}
}
