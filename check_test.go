package vade_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/check/rules"
)

// checkTree writes files into a new repository.
func checkTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range files {
		name := filepath.Join(dir, filepath.FromSlash(path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func checkProject(t *testing.T, dir string, co check.Options) *check.Report {
	t.Helper()
	r, err := check.Run(context.Background(), catalog.Options{Dir: dir, Home: t.TempDir(), ManagedDir: t.TempDir()}, co)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func said2(r *check.Report) []string {
	var list []string
	for _, f := range r.Findings {
		list = append(list, f.Path+" "+string(f.Code)+" "+f.Severity.String()+": "+f.Message)
	}
	return list
}

// TestStandardSkillsPass checks that every host accepts the kinds of skills shown in the standard.
func TestStandardSkillsPass(t *testing.T) {
	r := checkProject(t, checkTree(t, map[string]string{
		".agents/skills/pdf-forms/SKILL.md":                "---\nname: pdf-forms\ndescription: Fills in the forms of PDF files. Use it when the user speaks of PDFs or forms.\n---\n\n# Forms\n\nSee [the reference](references/REFERENCE.md) and run scripts/fill.py.\n",
		".agents/skills/pdf-forms/references/REFERENCE.md": "# Reference\n",
		".agents/skills/pdf-forms/scripts/fill.py":         "print()\n",
		".agents/skills/data-analysis/SKILL.md": "---\nname: data-analysis\ndescription: Looks at tables and draws charts of them.\nlicense: Apache-2.0\n" +
			"compatibility: Needs git, docker and the internet\nmetadata:\n  author: example-org\n  version: \"1.0\"\nallowed-tools: Bash(git:*) Bash(jq:*) Read\n---\nSteps.\n",
	}), check.Options{Hosts: []string{"all"}})
	if r.Checked != 2 || len(r.Hosts) < 10 {
		t.Fatalf("%d checked for %d hosts", r.Checked, len(r.Hosts))
	}
	for _, f := range r.Findings {
		if f.Code != "ROOT_NOT_READ_BY_HOST" {
			t.Errorf("%s: %s [%s]", f.Path, f.Message, f.Code)
		}
	}
}

// TestEvidentHosts checks which hosts are detected from a project's files.
func TestEvidentHosts(t *testing.T) {
	skill := "---\nname: a\ndescription: d\n---\n"
	for _, tc := range []struct {
		files []string
		want  string
	}{
		{[]string{".claude/skills/a/SKILL.md"}, "claude-code"},
		{[]string{".agents/skills/a/SKILL.md"}, "agentskills"},
		{[]string{".agents/skills/a/SKILL.md", ".codex/skills/b/SKILL.md"}, "agentskills codex"},
		{[]string{".gemini/skills/a/SKILL.md", "CLAUDE.md"}, "claude-code gemini"},
		{[]string{".github/skills/a/SKILL.md"}, "copilot-cli"},
		{[]string{".github/prompts/a.prompt.md"}, "copilot-vscode"},
		{[]string{".cursor/rules/a.mdc", ".opencode/skills/a/SKILL.md"}, "opencode cursor"},
		{[]string{".pi/skills/a/SKILL.md", ".qwen/skills/a/SKILL.md"}, "pi qwen"},
		{[]string{"packages/web/.claude/commands/a.md"}, "claude-code"},
		{[]string{".claude-plugin/plugin.json", "skills/a/SKILL.md"}, "claude-code"},
	} {
		files := map[string]string{}
		for _, f := range tc.files {
			files[f] = skill
		}
		if files[".claude-plugin/plugin.json"] != "" {
			files[".claude-plugin/plugin.json"] = `{"name": "p"}`
		}
		r := checkProject(t, checkTree(t, files), check.Options{})
		var got []string
		for _, h := range r.Hosts {
			got = append(got, h.Host)
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%v: %v, not %s (%v)", tc.files, got, tc.want, r.Hosts)
		}
	}
	// If there is no evidence of which hosts the project uses, check for every host that reads one
	// of its files. If no host does, check for all hosts.
	r := checkProject(t, checkTree(t, map[string]string{"AGENTS.md": "Build with make.\n"}), check.Options{})
	if len(r.Hosts) < 4 || !strings.Contains(r.Hosts[0].Why, "AGENTS.md") {
		t.Errorf("AGENTS.md alone: %v", r.Hosts)
	}
	if r := checkProject(t, checkTree(t, nil), check.Options{}); len(r.Hosts) < 10 || r.Checked != 0 {
		t.Errorf("an empty project: %d hosts, %d checked", len(r.Hosts), r.Checked)
	}
}

// TestCheckIgnoresUserFiles checks that the user's own files do not affect a check.
func TestCheckIgnoresUserFiles(t *testing.T) {
	home := t.TempDir()
	if err := errors.Join(
		os.MkdirAll(filepath.Join(home, ".claude/skills/a"), 0o755),
		os.WriteFile(filepath.Join(home, ".claude/skills/a/SKILL.md"), []byte("---\nname: a\ndescription: mine\n---\n"), 0o644),
	); err != nil {
		t.Fatal(err)
	}
	dir := checkTree(t, map[string]string{".claude/skills/a/SKILL.md": "---\nname: a\ndescription: d\n---\n"})
	r, err := check.Run(context.Background(), catalog.Options{Dir: dir, Home: home, ManagedDir: t.TempDir()}, check.Options{Hosts: []string{"claude-code"}})
	if err != nil || r.Checked != 1 || len(r.Findings) > 0 {
		t.Errorf("%v %+v", err, r)
	}
}

// TestOneProblemIsOneFinding checks that a description that two hosts cannot read is reported as a
// single finding that names both hosts.
func TestOneProblemIsOneFinding(t *testing.T) {
	r := checkProject(t, checkTree(t, map[string]string{".agents/skills/a/SKILL.md": "---\nname: a\ndescription: Use when: asked\n---\n"}),
		check.Options{Hosts: []string{"codex", "copilot-cli", "pi", "gemini"}})
	if len(r.Findings) != 1 || r.Findings[0].Code != "YAML_REPAIRED_VALUE" || !slices.Equal(r.Findings[0].NotLoaded, []string{"copilot-cli", "pi"}) {
		t.Errorf("%q", said2(r))
	}
}

// TestNestedSkill covers nested skills, and a skills directory that is itself a skill. Only some
// hosts read them (cases n01 and n15).
func TestNestedSkill(t *testing.T) {
	r := checkProject(t, checkTree(t, map[string]string{
		".agents/skills/a/SKILL.md":   "---\nname: a\ndescription: d\n---\n",
		".agents/skills/a/b/SKILL.md": "---\nname: b\ndescription: d\n---\n",
	}), check.Options{Hosts: []string{"codex", "copilot-cli", "gemini"}})
	if len(r.Findings) != 1 || r.Findings[0].Code != "NESTED_SKILL" || !slices.Equal(r.Findings[0].Hosts, []string{"codex"}) {
		t.Errorf("%q", said2(r))
	}
}

func TestFixes(t *testing.T) {
	dir := checkTree(t, map[string]string{".claude/skills/a/SKILL.md": "---\nname: a\ndescription: Use when: asked\n---\nb\n"})
	r := checkProject(t, dir, check.Options{Hosts: []string{"claude-code", "copilot-cli"}})
	fixes, err := r.Fixes(context.Background())
	if err != nil || len(fixes) != 1 {
		t.Fatalf("%v, %d fixes, %q", err, len(fixes), said2(r))
	}
	want := "--- a/.claude/skills/a/SKILL.md\n+++ b/.claude/skills/a/SKILL.md\n@@ -1,5 +1,5 @@\n ---\n name: a\n-description: Use when: asked\n+description: \"Use when: asked\"\n ---\n b\n"
	if got := fixes[0].Diff(); got != want {
		t.Errorf("the diff is\n%s", got)
	}
	// Simulate another process changing the file.
	name := filepath.Join(dir, ".claude/skills/a/SKILL.md")
	if err := os.WriteFile(name, []byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := fixes[0].Write(); err == nil || !strings.Contains(err.Error(), "changed") {
		t.Errorf("what has changed is written over: %v", err)
	}
	if err := os.WriteFile(name, fixes[0].Before, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := fixes[0].Write(); err != nil {
		t.Fatal(err)
	}
	if r := checkProject(t, dir, check.Options{Hosts: []string{"claude-code", "copilot-cli"}}); len(r.Findings) > 0 {
		t.Errorf("after the edit there is %q", said2(r))
	}
}

// TestCheckHostile checks that symlink loops, symlinks that leave the project, and paths outside
// the project are reported and not followed.
func TestCheckHostile(t *testing.T) {
	dir := checkTree(t, map[string]string{
		".claude/skills/a/SKILL.md": "---\nname: a\ndescription: d\n---\n[x](../../../../../../../../etc/passwd.txt) [y](loop/x.md) [z](nul.md\x00)\n",
		".claude/skills/b/SKILL.md": strings.Repeat("---\n", 20000),
	})
	if err := errors.Join(os.Symlink("loop", filepath.Join(dir, ".claude/skills/a/loop")), os.Symlink("..", filepath.Join(dir, ".claude/skills/up"))); err != nil {
		t.Skip("no links here:", err)
	}
	r := checkProject(t, dir, check.Options{Hosts: []string{"all"}})
	if !slices.ContainsFunc(r.Findings, func(f rules.Finding) bool { return f.Code == "LINK_LEAVES_SKILL" && f.Severity.String() == "warning" }) {
		t.Errorf("a link out of the project is not reported: %q", said2(r))
	}
	for _, paths := range [][]string{{"../x"}, {"/etc", "/usr"}, {"gone"}} {
		if _, err := check.Run(context.Background(), catalog.Options{Dir: dir, Home: t.TempDir()}, check.Options{Paths: paths}); err == nil {
			t.Errorf("%q is checked", paths)
		}
	}
	if _, err := check.Run(context.Background(), catalog.Options{Dir: dir}, check.Options{Hosts: []string{"neutral"}}); err == nil {
		t.Error("the neutral view is checked as a host")
	}
}

// TestFixKeepsBytes checks that a file that is not valid UTF-8 is not edited, because an edit would
// corrupt it.
func TestFixKeepsBytes(t *testing.T) {
	text := "---\ndescription: Pr\xfcft: alles\n---\nx\n"
	o := laid(t, map[string]string{".claude/commands/y.md": text})
	r, err := check.Run(t.Context(), o, check.Options{})
	must(t, err)
	if fixes, err := r.Fixes(t.Context()); err != nil || len(fixes) != 1 || !strings.Contains(fixes[0].Problem, "UTF-8") {
		t.Errorf("%v, %+v", err, fixes)
	}
}
