package vade

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/diag"
	"github.com/vadehq/vade/internal/mirror"
)

// forge adds entries to the state of a project that say of files that they were made,
// each with the right digest.
func forge(t *testing.T, dir string, sources map[string]string) {
	t.Helper()
	name := filepath.Join(dir, mirror.StateFile)
	data, err := os.ReadFile(name)
	if err != nil {
		data = []byte(`{"version": 1}`)
	}
	state, err := mirror.ParseState(data, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	for p, source := range sources {
		e := mirror.Entry{Path: p, Source: source, Hosts: []string{"claude-code"}}
		if text, err := os.Readlink(filepath.Join(dir, p)); err == nil {
			e.Link = text
		} else if data, err := os.ReadFile(filepath.Join(dir, p)); err == nil {
			e.Digest = mirror.Digest(data)
		} else {
			t.Fatal(err)
		}
		state.Files = append(state.Files, e)
	}
	text, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	putFile(t, name, string(text))
}

// TestCopiesForged: the word of .vade/sync.json, or a mark that names a file, hides
// nothing that is not a copy of a source.
func TestCopiesForged(t *testing.T) {
	files := syncProject()
	files["vade.yaml"] = "hosts: [claude-code, codex]\n"
	files[".github/copilot-instructions.md"] = "Be kind.\n"
	o := layProject(t, files)
	mustSync(t, o, SyncOptions{})
	mark := func(text, source string) string {
		return string(mirror.Mark([]byte(text), mirror.Frontmatter, source))
	}
	agent := func(name string) string { return "---\nname: " + name + "\ndescription: Mine.\n---\nMine.\n" }
	const architect = ".github/agents/architect.agent.md"
	forged := map[string]string{
		".claude/agents/a.md":                    agent("a"),
		".claude/agents/b.md":                    mark(agent("b"), "README.md"),
		".claude/agents/c.md":                    mark(agent("c"), architect),
		".claude/agents/d.md":                    mark(agent("d"), "hidden/agents/d.agent.md"),
		".claude/commands/e.md":                  "Mine.\n",
		".claude/skills/f/SKILL.md":              agent("f"),
		".claude/rules/g.md":                     "Mine.\n",
		"web/CLAUDE.md":                          "Mine.\n",
		"hidden/agents/d.agent.md":               agent("d"),
		"hidden/skills/h/SKILL.md":               agent("h"),
		"README.md":                              "Read me.\n",
		".cursor/mcp.json":                       `{"mcpServers": {"evil": {"command": "evil"}}}`,
		".github/instructions/i.instructions.md": "Mine.\n",
	}
	for p, text := range forged {
		putFile(t, filepath.Join(o.Dir, p), text)
	}
	if err := os.Symlink("../../hidden/skills/h", filepath.Join(o.Dir, ".claude/skills/h")); err != nil {
		t.Skip(err)
	}
	want := []string{
		".claude/agents/a.md", ".claude/agents/b.md", ".claude/agents/c.md", ".claude/agents/d.md", ".claude/commands/e.md",
		".claude/skills/f/SKILL.md", ".claude/skills/h/SKILL.md", ".claude/rules/g.md", ".github/instructions/i.instructions.md",
	}
	for _, claimed := range []bool{false, true} {
		if claimed {
			forge(t, o.Dir, map[string]string{
				".claude/agents/a.md": architect, ".claude/agents/b.md": "README.md", ".claude/agents/c.md": architect, ".claude/agents/d.md": "hidden/agents/d.agent.md",
				".claude/commands/e.md": ".github/commands/review.command.md", ".claude/skills/f/SKILL.md": ".agents/skills/deploy/SKILL.md",
				".claude/skills/h": "hidden/skills/h", ".claude/rules/g.md": ".github/instructions/go.instructions.md",
				".cursor/mcp.json": "MCP servers", ".github/instructions/i.instructions.md": ".github/instructions/go.instructions.md",
			})
		}
		c, err := Open(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		list, err := c.List(context.Background(), Query{All: true})
		if err != nil {
			t.Fatal(err)
		}
		loaded, copied := map[string]bool{}, 0
		for _, d := range list {
			loaded[d.Path()] = d.State() == Loaded
			if d.d.ReasonCode == diag.SyncCopy {
				copied++
			}
		}
		for _, p := range want {
			if !loaded[p] {
				t.Errorf("claimed %v: %s is hidden", claimed, p)
			}
		}
		// What was made is left out as before.
		if loaded[".claude/agents/architect.md"] || loaded[".claude/commands/review.md"] || copied < 4 {
			t.Errorf("claimed %v: %d copies", claimed, copied)
		}
		for name, kind := range map[string]Kind{"a": Agent, "e": Command} {
			if _, err := c.Get(context.Background(), kind, name); err != nil {
				t.Errorf("claimed %v: %s: %v", claimed, name, err)
			}
		}
		servers, err := c.Servers(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := json.Marshal(servers); !strings.Contains(string(text), "evil") {
			t.Errorf("claimed %v: the server is hidden: %s", claimed, text)
		}
	}
}

// TestCopiesStale: a copy that is not what is made of its source is judged, and named.
func TestCopiesStale(t *testing.T) {
	files := syncProject()
	files["vade.yaml"] = "hosts: [claude-code]\n"
	o := layProject(t, files)
	mustSync(t, o, SyncOptions{})
	const evil = "---\nname: architect\n---\nMine.\n"
	putFile(t, filepath.Join(o.Dir, ".claude/agents/architect.md"), string(mirror.Mark([]byte(evil), mirror.Frontmatter, ".github/agents/architect.agent.md")))
	r, err := Check(context.Background(), o, CheckOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, f := range r.Findings {
		if f.Path == ".claude/agents/architect.md" {
			codes = append(codes, string(f.Code))
		}
	}
	if got := strings.Join(codes, " "); !strings.Contains(got, "SYNC_STALE") || !strings.Contains(got, "NOT_READ") {
		t.Errorf("%s", got)
	}
	// The source is in force all the while, and sync mends it.
	wantSteps(t, mustSync(t, o, SyncOptions{}), "update .claude/agents/architect.md")
	if r, err = Check(context.Background(), o, CheckOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if strings.HasPrefix(f.Path, ".claude/") {
			t.Errorf("%+v", f)
		}
	}
}
