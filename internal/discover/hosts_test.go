package discover

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

// fixture is a project p, in a repository, next to a home directory h. Names
// that start with "h/" are in the home directory.
type fixture struct {
	dir string
	env map[string]string
	// in is the working directory relative to the project.
	in string
}

func newFixture(t *testing.T, files []string, links map[string]string) *fixture {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &fixture{dir: dir, env: map[string]string{}}
	for _, d := range []string{"p/.git", "h"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string {
		if !strings.HasPrefix(name, "h/") && !strings.HasPrefix(name, "x/") {
			name = "p/" + name
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for _, f := range files {
		name, text, ok := strings.Cut(f, "=")
		if !ok {
			text = "x"
		}
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range links {
		if err := os.Symlink(filepath.FromSlash(target), at(name)); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// scan returns the paths that a host reads, and maps the paths that it does not read to the
// reasons.
func (h *fixture) scan(t *testing.T, name string, account bool) (loaded []string, dropped map[string]string) {
	t.Helper()
	profile, ok := registry.Lookup(name)
	if !ok {
		t.Fatalf("no host %s", name)
	}
	plan, err := NewPlan(context.Background(), Environment{
		WorkDir: filepath.ToSlash(filepath.Join(h.dir, "p", h.in)), Home: filepath.ToSlash(filepath.Join(h.dir, "h")),
		Managed: filepath.ToSlash(filepath.Join(h.dir, "none")), Account: account,
		Getenv: func(key string) string { return h.env[key] },
	}, profile)
	if err != nil {
		t.Fatal(err)
	}
	defer plan.Close()
	found, _, err := plan.Scan(context.Background(), plain, nil)
	if err != nil {
		t.Fatal(err)
	}
	dropped = map[string]string{}
	for _, d := range found {
		path := strings.TrimPrefix(strings.TrimPrefix(d.Origin.Path, filepath.ToSlash(h.dir)+"/"), "p/")
		if d.State == definition.Loaded {
			loaded = append(loaded, path)
			continue
		}
		dropped[path] = d.Reason
		for _, x := range d.Diagnostics {
			if x.Fix == "" {
				t.Errorf("%s: no fix: %s", name, x.Message)
			}
		}
	}
	slices.Sort(loaded)
	return loaded, dropped
}

func list(s string) []string {
	words := strings.Fields(s)
	slices.Sort(words)
	return words
}

// everywhere returns a file in each directory that some host reads.
func everywhere() []string {
	var files []string
	for _, d := range []string{".claude", ".agents", ".github", ".codex", ".gemini", ".opencode", ".cursor", ".pi", ".qwen", ".copilot"} {
		files = append(files, d+"/skills/s/SKILL.md", "h/"+d+"/skills/s/SKILL.md")
	}
	return append(files,
		".opencode/skill/s/SKILL.md", "h/.config/opencode/skills/s/SKILL.md", "h/.config/opencode/skill/s/SKILL.md",
		"h/.pi/agent/skills/s/SKILL.md", "h/.codex/skills/.system/own/SKILL.md", "skills/s/SKILL.md", "up/.agents/skills/s/SKILL.md",
		".claude/commands/c.md", ".claude/commands/n/c.md", ".opencode/command/c.md", ".opencode/commands/n/c.md",
		".gemini/commands/n/c.toml", ".gemini/commands/c.md", ".qwen/commands/c.md", ".qwen/commands/c.toml", ".pi/prompts/c.md",
		".pi/prompts/n/c.md", ".github/prompts/c.prompt.md", ".cursor/commands/c.md", "h/.codex/prompts/c.md", "h/.pi/agent/prompts/c.md",
		"h/.config/opencode/command/c.md", "h/.gemini/commands/c.toml",
		".claude/agents/a.md", ".github/agents/a.agent.md", ".github/agents/b.md", ".github/agents/n/a.md", ".opencode/agent/a.md",
		".opencode/agents/a.md", ".gemini/agents/a.md", ".gemini/agents/_a.md", ".qwen/agents/a.md", ".codex/agents/a.toml",
		".codex/agents/a.md", ".cursor/agents/a.md", "h/.copilot/agents/a.agent.md", "h/.claude/agents/a.md",
	)
}

// TestHostPlaces tests which skills, commands and agents each host reads (cases n01, n05
// and n06; VS Code, Cursor and the standard as documented).
func TestHostPlaces(t *testing.T) {
	h := newFixture(t, everywhere(), nil)
	for name, want := range map[string]string{
		"codex": `.agents/skills/s/SKILL.md .codex/skills/s/SKILL.md h/.agents/skills/s/SKILL.md h/.codex/skills/s/SKILL.md
			h/.codex/skills/.system/own/SKILL.md .codex/agents/a.toml`,
		"copilot-cli": `.github/skills/s/SKILL.md .agents/skills/s/SKILL.md .claude/skills/s/SKILL.md h/.copilot/skills/s/SKILL.md
			h/.agents/skills/s/SKILL.md .claude/commands/c.md .claude/agents/a.md .github/agents/a.agent.md .github/agents/b.md
			.github/agents/n/a.md h/.copilot/agents/a.agent.md`,
		"copilot-vscode": `.github/skills/s/SKILL.md .agents/skills/s/SKILL.md .claude/skills/s/SKILL.md h/.copilot/skills/s/SKILL.md
			h/.agents/skills/s/SKILL.md h/.claude/skills/s/SKILL.md .github/prompts/c.prompt.md .claude/agents/a.md
			.github/agents/a.agent.md .github/agents/b.md h/.copilot/agents/a.agent.md`,
		"gemini": `.agents/skills/s/SKILL.md .gemini/skills/s/SKILL.md h/.agents/skills/s/SKILL.md h/.gemini/skills/s/SKILL.md
			.gemini/commands/n/c.toml h/.gemini/commands/c.toml .gemini/agents/a.md`,
		"opencode": `.agents/skills/s/SKILL.md .claude/skills/s/SKILL.md .opencode/skills/s/SKILL.md .opencode/skill/s/SKILL.md
			h/.agents/skills/s/SKILL.md h/.claude/skills/s/SKILL.md h/.opencode/skills/s/SKILL.md
			h/.config/opencode/skills/s/SKILL.md h/.config/opencode/skill/s/SKILL.md
			.opencode/command/c.md .opencode/commands/n/c.md h/.config/opencode/command/c.md .opencode/agent/a.md .opencode/agents/a.md`,
		"cursor": `.agents/skills/s/SKILL.md .claude/skills/s/SKILL.md .codex/skills/s/SKILL.md .cursor/skills/s/SKILL.md
			h/.agents/skills/s/SKILL.md h/.claude/skills/s/SKILL.md h/.codex/skills/s/SKILL.md h/.cursor/skills/s/SKILL.md
			.cursor/commands/c.md .cursor/agents/a.md .claude/agents/a.md .codex/agents/a.md h/.claude/agents/a.md`,
		"pi": `.agents/skills/s/SKILL.md .pi/skills/s/SKILL.md h/.agents/skills/s/SKILL.md h/.pi/agent/skills/s/SKILL.md
			.pi/prompts/c.md h/.pi/agent/prompts/c.md`,
		"qwen": `.agents/skills/s/SKILL.md .qwen/skills/s/SKILL.md h/.agents/skills/s/SKILL.md h/.qwen/skills/s/SKILL.md
			.qwen/commands/c.md .qwen/commands/c.toml .qwen/agents/a.md`,
		"agentskills": `.agents/skills/s/SKILL.md h/.agents/skills/s/SKILL.md`,
	} {
		loaded, _ := h.scan(t, name, false)
		if diff := cmp.Diff(list(want), loaded); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestHostInstructionFiles tests which instruction files each host finds (case
// n02), before precedence is applied.
func TestHostInstructionFiles(t *testing.T) {
	h := newFixture(t, []string{
		"AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md", "AGENT.md", "CONTEXT.md", "CLAUDE.local.md", "AGENTS.override.md", ".cursorrules",
		".github/copilot-instructions.md", ".github/instructions/a.instructions.md", ".cursor/rules/n/x.mdc", ".claude/CLAUDE.md",
		".claude/rules/r.md", ".agents/AGENTS.md", ".gemini/GEMINI.md", ".github/AGENTS.md", "sub/AGENTS.md",
		"h/.codex/AGENTS.md", "h/.claude/CLAUDE.md", "h/.gemini/GEMINI.md", "h/.config/opencode/AGENTS.md",
		"h/.copilot/copilot-instructions.md", "h/.copilot/instructions/u.instructions.md", "h/.qwen/QWEN.md", "h/.pi/agent/AGENTS.md",
		"h/.agents/AGENTS.md", "h/AGENTS.md",
	}, nil)
	for name, want := range map[string]string{
		"codex": "AGENTS.md AGENTS.override.md h/.codex/AGENTS.md",
		"copilot-cli": `.claude/CLAUDE.md .claude/rules/r.md .github/copilot-instructions.md .github/instructions/a.instructions.md AGENTS.md CLAUDE.md
			GEMINI.md h/.copilot/copilot-instructions.md h/.copilot/instructions/u.instructions.md`,
		"copilot-vscode": `.claude/rules/r.md .claude/CLAUDE.md CLAUDE.local.md .github/copilot-instructions.md
			.github/instructions/a.instructions.md AGENTS.md CLAUDE.md h/.claude/CLAUDE.md h/.copilot/instructions/u.instructions.md`,
		"gemini":      "GEMINI.md h/.gemini/GEMINI.md",
		"opencode":    "AGENTS.md CLAUDE.md CONTEXT.md h/.config/opencode/AGENTS.md h/.claude/CLAUDE.md",
		"cursor":      "AGENTS.md CLAUDE.md .cursorrules .cursor/rules/n/x.mdc",
		"pi":          "AGENTS.md CLAUDE.md h/.pi/agent/AGENTS.md",
		"qwen":        "AGENTS.md QWEN.md h/.qwen/QWEN.md",
		"agentskills": "",
	} {
		loaded, _ := h.scan(t, name, false)
		if diff := cmp.Diff(list(want), loaded); want != "" && diff != "" || want == "" && len(loaded) > 0 {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestHostWalk tests how deep, and in which directories, each host searches for
// skills (format notes, section 10.2; case n09).
func TestHostWalk(t *testing.T) {
	dirs := map[string]string{
		"codex": ".agents", "copilot-cli": ".agents", "copilot-vscode": ".agents", "gemini": ".agents", "opencode": ".opencode",
		"cursor": ".agents", "pi": ".agents", "qwen": ".agents", "agentskills": ".agents",
	}
	files := []string{
		"one", "g/two", "1/2/3/4/5/six", "1/2/3/4/5/6/seven", "one/inner", ".hid", "node_modules/nm", ".git/no",
	}
	for name, want := range map[string]string{
		"codex":          "one g/two 1/2/3/4/5/six one/inner node_modules/nm direct",
		"copilot-cli":    "one g/two 1/2/3/4/5/six 1/2/3/4/5/6/seven node_modules/nm direct",
		"copilot-vscode": "one .hid low direct",
		"gemini":         "one direct",
		"opencode":       "one g/two 1/2/3/4/5/six 1/2/3/4/5/6/seven one/inner node_modules/nm direct filed",
		"cursor":         "one .hid direct filed",
		"pi":             "one g/two 1/2/3/4/5/six 1/2/3/4/5/6/seven direct",
		"qwen":           "one .hid direct",
		"agentskills":    "one g/two 1/2/3/4/5/six .hid low node_modules/nm direct",
	} {
		root := dirs[name] + "/skills/"
		var all []string
		for _, f := range files {
			all = append(all, root+f+"/SKILL.md")
		}
		all = append(all, root+"low/skill.md", root+"loose.md", root+"one/notes.md", root+"one/docs/more.md", "x/direct/SKILL.md", "x/filed.md")
		h := newFixture(t, all, map[string]string{
			root + "direct": "../../../p/real/direct", root + "filed/SKILL.md": "../../../real/filed.md", root + "g/loop": ".",
		})
		for from, to := range map[string]string{"x/direct": "p/real/direct", "x/filed.md": "p/real/filed.md"} {
			_ = os.MkdirAll(filepath.Join(h.dir, "p", "real"), 0o755)
			if err := os.Rename(filepath.Join(h.dir, from), filepath.Join(h.dir, to)); err != nil {
				t.Fatal(err)
			}
		}
		loaded, dropped := h.scan(t, name, false)
		var got []string
		for _, f := range loaded {
			got = append(got, strings.TrimPrefix(filepath.ToSlash(filepath.Dir(f)), root))
		}
		wanted := list(want)
		if name != "codex" && !slices.Contains(wanted, "filed") {
			wanted = list(want + " filed")
		}
		slices.Sort(got)
		if diff := cmp.Diff(wanted, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		for _, f := range []string{"one/notes.md", "one/docs/more.md"} {
			if why, ok := dropped[root+f]; ok {
				t.Errorf("%s: %s is reported as unread: %s", name, f, why)
			}
		}
	}
}

// TestUnreadReport checks that unread files are reported with a reason if requested.
func TestUnreadReport(t *testing.T) {
	for _, tc := range []struct{ host, file, want string }{
		{"codex", ".agents/skills/.hid/SKILL.md", "hidden directories"},
		{"codex", ".agents/skills/1/2/3/4/5/6/7/SKILL.md", "at the wrong directory depth"},
		{"copilot-cli", ".github/skills/.hid/SKILL.md", "hidden directories"},
		{"copilot-cli", ".github/skills/a/b/SKILL.md .github/skills/a/SKILL.md", "another skill's directory"},
		{"copilot-cli", ".github/skills/a/SKILL.md .github/skills/SKILL.md", "ignores everything else"},
		{"pi", ".agents/skills/g/a/SKILL.md .agents/skills/SKILL.md", "ignores everything else"},
		{"pi", ".agents/skills/a/SKILL.md .agents/skills/.gitignore=a/", "excluded by its ignore files"},
		{"pi", ".agents/skills/loose.md", "only files named"},
		{"gemini", ".gemini/skills/g/a/SKILL.md", "at the wrong directory depth"},
		{"gemini", ".gemini/skills/a/b/SKILL.md .gemini/skills/a/SKILL.md", "at the wrong directory depth"},
		{"gemini", ".gemini/skills/a/skill.md", "only files named"},
		{"gemini", ".gemini/commands/a.md", "only files named"},
		{"gemini", ".gemini/agents/_a.md", "only files named"},
		{"opencode", ".opencode/skills/.hid/SKILL.md", "hidden directories"},
		{"qwen", ".qwen/skills/g/a/SKILL.md", "at the wrong directory depth"},
		{"copilot-vscode", ".github/agents/README.md", "documentation"},
	} {
		files := strings.Fields(tc.file)
		h := newFixture(t, files, nil)
		_, dropped := h.scan(t, tc.host, true)
		if !strings.Contains(dropped[files[0]], tc.want) {
			t.Errorf("%s: %s: %q, want %q (of %v)", tc.host, files[0], dropped[files[0]], tc.want, dropped)
		}
		if loaded, _ := h.scan(t, tc.host, false); slices.Contains(loaded, files[0]) {
			t.Errorf("%s reads %s", tc.host, files[0])
		}
	}
}

// TestRootSkill checks that in two hosts, a SKILL.md in the root itself hides all other skills, and
// that it does not in the other hosts (case n15; format notes, section 10.2).
func TestRootSkill(t *testing.T) {
	files := []string{".agents/skills/SKILL.md", ".agents/skills/a/SKILL.md", ".agents/skills/a/b/SKILL.md"}
	h := newFixture(t, files, nil)
	for name, want := range map[string]int{
		"codex": 3, "copilot-cli": 1, "gemini": 2, "opencode": 3, "pi": 1, "qwen": 1, "copilot-vscode": 1, "cursor": 1,
	} {
		loaded, _ := h.scan(t, name, false)
		if len(loaded) != want {
			t.Errorf("%s reads %v, want %d of them", name, loaded, want)
		}
		if alone := slices.Contains(loaded, files[0]); alone != (name != "qwen" && name != "copilot-vscode" && name != "cursor") {
			t.Errorf("%s reads %v", name, loaded)
		}
	}
}

// TestLooseSkills checks that a Markdown file directly in one of pi's own roots is a skill.
func TestLooseSkills(t *testing.T) {
	h := newFixture(t, []string{".pi/skills/loose.md", ".pi/skills/g/deep.md", "h/.pi/agent/skills/other.md", ".agents/skills/no.md"}, nil)
	loaded, _ := h.scan(t, "pi", false)
	if diff := cmp.Diff(list(".pi/skills/loose.md h/.pi/agent/skills/other.md"), loaded); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestHostAncestors tests which directories above the working directory each host reads.
func TestHostAncestors(t *testing.T) {
	h := newFixture(t, []string{
		".agents/skills/top/SKILL.md", "sub/.agents/skills/mid/SKILL.md", "sub/in/.agents/skills/here/SKILL.md", "sub/in/deep/.agents/skills/no/SKILL.md",
	}, nil)
	h.in = "sub/in"
	for name, want := range map[string]int{
		"codex": 3, "copilot-cli": 3, "opencode": 3, "pi": 3, "cursor": 3, "agentskills": 3, "gemini": 1, "qwen": 1, "copilot-vscode": 1,
	} {
		loaded, _ := h.scan(t, name, false)
		if len(loaded) != want || !slices.Contains(loaded, "sub/in/.agents/skills/here/SKILL.md") {
			t.Errorf("%s reads %v, want %d", name, loaded, want)
		}
	}
}

// TestMaxDirs tests a host's limit on walked directories.
func TestMaxDirs(t *testing.T) {
	profile := &host.Profile{
		Name: "h", MaxFile: 1 << 20, Walk: host.Walk{MaxDirs: 3},
		Roots: []host.Root{{
			Layer: definition.Project, Base: host.InProject, Dir: "s",
			Rules: []host.Rule{{Kind: definition.Skill, File: "SKILL.md", Max: 6, Naming: host.ByDir}},
		}},
	}
	h := newFixture(t, []string{"s/a/SKILL.md", "s/b/SKILL.md", "s/c/SKILL.md", "s/SKILL.md", "s/a/in/SKILL.md"}, nil)
	plan, err := NewPlan(context.Background(), Environment{WorkDir: filepath.ToSlash(filepath.Join(h.dir, "p"))}, profile)
	if err != nil {
		t.Fatal(err)
	}
	defer plan.Close()
	loaded, _, codes := names(t, plan)
	if diff := cmp.Diff([]string{"skill a", "skill b", "skill s"}, loaded); diff != "" || !slices.Contains(codes, "LIMIT_DIRECTORIES") {
		t.Errorf("%v (-want +got):\n%s", codes, diff)
	}
}

// TestSlashNames checks that opencode separates the parts of a name with
// slashes and other hosts with colons.
func TestSlashNames(t *testing.T) {
	h := newFixture(t, []string{".opencode/command/a/b.md", ".gemini/commands/a/b.toml"}, nil)
	for name, want := range map[string]string{"opencode": "a/b", "gemini": "a:b"} {
		profile, _ := registry.Lookup(name)
		plan, err := NewPlan(context.Background(), Environment{WorkDir: filepath.ToSlash(filepath.Join(h.dir, "p"))}, profile)
		if err != nil {
			t.Fatal(err)
		}
		defer plan.Close()
		found, _, err := plan.Find(context.Background(), plain, definition.Command, want)
		if err != nil || len(found) != 1 {
			t.Errorf("%s: %q finds %d: %v", name, want, len(found), err)
		}
	}
}
