package vade

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/materialize"
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
				r := mustSync(t, o, materialize.SyncOptions{Force: force})
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
				again := mustSync(t, o, materialize.SyncOptions{Force: force})
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
		r := mustSync(t, o, materialize.SyncOptions{})
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

// TestSyncClaimedCompanions: a user's file beside a copied skill, or in a directory with a
// forged SKILL.md, is not removed on the word of the state, with any source that it names.
func TestSyncClaimedCompanions(t *testing.T) {
	for _, force := range []bool{false, true} {
		files := syncProject()
		files["vade.yaml"] = "hosts: [claude-code]\nsync: {links: never}\n"
		o := layProject(t, files)
		mustSync(t, o, materialize.SyncOptions{})
		own := map[string]string{
			".claude/skills/deploy/notes.txt": ".agents/skills/deploy/SKILL.md", ".claude/skills/deploy/more.txt": ".agents/skills/deploy/more.txt",
			".claude/skills/deploy/scripts/own.sh": ".agents/skills/deploy/scripts/own.sh", ".claude/agents/own.md": ".agents/skills/deploy/SKILL.md",
			".claude/agents/own2.md": ".agents/skills/deploy/own2.md",
		}
		data, err := os.ReadFile(filepath.Join(o.Dir, ".vade/sync.json"))
		if err != nil {
			t.Fatal(err)
		}
		var state mirror.State
		if err := json.Unmarshal(data, &state); err != nil {
			t.Fatal(err)
		}
		claim := func(p, source, text string) {
			putFile(t, filepath.Join(o.Dir, p), text)
			state.Files = append(state.Files, mirror.Entry{Path: p, Source: source, Hosts: []string{"claude-code"}, Digest: mirror.Digest([]byte(text))})
		}
		for p, source := range own {
			claim(p, source, "Mine.\n")
		}
		forged := mirror.Mark([]byte("---\nname: deploy\n---\nBody.\n"), mirror.Frontmatter, ".agents/skills/deploy/SKILL.md")
		claim(".claude/agents/SKILL.md", ".agents/skills/deploy/SKILL.md", string(forged))
		putFile(t, filepath.Join(o.Dir, ".vade/sync.json"), string(state.Format()))
		for range 2 {
			r := mustSync(t, o, materialize.SyncOptions{Force: force})
			for p := range own {
				if data, err := os.ReadFile(filepath.Join(o.Dir, p)); err != nil || string(data) != "Mine.\n" {
					t.Errorf("%s: %v %q", p, err, data)
				}
				if !strings.Contains(codesOf(r), "SYNC_ORPHAN "+p) {
					t.Errorf("%s is not named:\n%s", p, codesOf(r))
				}
			}
		}
		// Named itself it goes, and so does what is in a directory of a skill that is named.
		r := mustSync(t, o, materialize.SyncOptions{Force: true, Paths: []string{".claude/skills/deploy", ".claude/agents/own.md"}})
		wantSteps(t, r, "remove .claude/agents/own.md", "remove .claude/skills/deploy/more.txt", "remove .claude/skills/deploy/notes.txt", "remove .claude/skills/deploy/scripts/own.sh")
	}
}

// TestSyncCompanionsGo: what lies beside a copied skill goes with it as long as the source
// of truth has the text: the skill or the file has another name, or the host has none any
// more. What is nowhere else stays until it is named.
func TestSyncCompanionsGo(t *testing.T) {
	files := syncProject()
	files["vade.yaml"] = "hosts: [claude-code]\nsync: {links: never}\n"
	files[".agents/skills/deploy/notes.txt"] = "notes\n"
	o := layProject(t, files)
	mustSync(t, o, materialize.SyncOptions{})
	move := func(from, to string) {
		if err := os.Rename(filepath.Join(o.Dir, from), filepath.Join(o.Dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	move(".agents/skills/deploy/scripts/go.sh", ".agents/skills/deploy/scripts/run.sh")
	wantSteps(t, mustSync(t, o, materialize.SyncOptions{}), "remove .claude/skills/deploy/scripts/go.sh", "create .claude/skills/deploy/scripts/run.sh")
	move(".agents/skills/deploy", ".agents/skills/ship")
	putFile(t, filepath.Join(o.Dir, ".agents/skills/ship/SKILL.md"), "---\nname: ship\ndescription: Ships it.\n---\nRun scripts/run.sh.\n")
	wantSteps(t, mustSync(t, o, materialize.SyncOptions{}),
		"remove .claude/skills/deploy/SKILL.md", "remove .claude/skills/deploy/notes.txt", "remove .claude/skills/deploy/scripts/run.sh",
		"create .claude/skills/ship/SKILL.md", "create .claude/skills/ship/notes.txt", "create .claude/skills/ship/scripts/run.sh")
	if err := os.RemoveAll(filepath.Join(o.Dir, ".agents/skills/ship")); err != nil {
		t.Fatal(err)
	}
	r := mustSync(t, o, materialize.SyncOptions{})
	wantSteps(t, r, "remove .claude/skills/ship/SKILL.md")
	if got := codesOf(r); got != "SYNC_ORPHAN .claude/skills/ship/notes.txt\nSYNC_ORPHAN .claude/skills/ship/scripts/run.sh" || !strings.Contains(r.Diagnostics[0].Fix, "vade sync --force .claude/skills/ship;") {
		t.Errorf("%s\n%+v", got, r.Diagnostics)
	}
	r = mustSync(t, o, materialize.SyncOptions{Force: true, Paths: []string{".claude/skills/ship"}})
	wantSteps(t, r, "remove .claude/skills/ship/notes.txt", "remove .claude/skills/ship/scripts/run.sh")
	if _, err := os.Stat(filepath.Join(o.Dir, ".claude/skills/ship")); err == nil {
		t.Error("the directory is still there")
	}
}
