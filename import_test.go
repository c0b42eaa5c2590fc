package vade

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/materialize"
)

// seenBy returns the definitions that a host reads in a project, without their paths.
func seenBy(t *testing.T, o catalog.Options, as string) string {
	t.Helper()
	o.As, o.ProjectOnly = as, true
	c, err := catalog.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	list, err := c.List(context.Background(), catalog.Query{})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, d := range list {
		if d.Layer() != definition.Project {
			continue
		}
		body, err := d.Body(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		f := d.Record().Fields
		f.SetUnknown(nil)
		f.SetIgnored(nil)
		lines = append(lines, fmt.Sprintf("%s %s %q %q %+v", d.Kind(), d.Name(), d.Description(), body, f))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestImportAndBack imports a host's definitions with --move, syncs, and checks
// that the host has the same definitions as before.
func TestImportAndBack(t *testing.T) {
	for _, test := range []struct {
		host, dir string
		files     map[string]string
	}{
		{"claude-code", ".claude", map[string]string{
			".claude/skills/deploy/SKILL.md":     "---\nname: deploy\ndescription: \"Ships: it.\"\nallowed-tools: Bash(git:*), Read\ndisable-model-invocation: true\n---\nRun ${CLAUDE_SKILL_DIR}/go.sh with $0 and $ARGUMENTS.\n",
			".claude/skills/deploy/go.sh":        "#!/bin/sh\n",
			".claude/skills/deploy/assets/a.bin": "\x00\x01\xff",
			".claude/commands/review.md":         "---\ndescription: Reviews.\nargument-hint: \"[pr] [mode]\"\n---\nReview $0 in $1.\n!`git status`\n@README.md\n",
			".claude/commands/front/deep/er.md":  "No frontmatter at all, $ARGUMENTS.\n",
			".claude/agents/architect.md":        "---\nname: architect\ndescription: Designs.\ntools: Read, Glob\nmodel: opus\n---\nYou design.\n",
			".claude/rules/go.md":                "---\npaths:\n  - \"**/*.go\"\n  - \"go.mod\"\n---\nUse gofmt.\n",
			".claude/rules/all.md":               "Be kind.\n",
			"README.md":                          "x\n",
		}},
		{"gemini", ".gemini", map[string]string{
			".gemini/skills/deploy/SKILL.md":   "---\nname: deploy\ndescription: Ships it.\n---\nShip.\n",
			".gemini/commands/review.toml":     "description = \"Reviews.\"\nprompt = \"\"\"\nReview {{args}} with !{git diff}.\n\"\"\"\n",
			".gemini/commands/git/commit.toml": "prompt = \"Commit.\"\n",
		}},
		{"opencode", ".opencode", map[string]string{
			".opencode/commands/review.md": "---\ndescription: Reviews.\n---\nReview $1 with $2 of $ARGUMENTS.\n",
			".opencode/agents/helper.md":   "---\ndescription: Helps.\nmode: subagent\n---\nHelp.\n",
		}},
	} {
		t.Run(test.host, func(t *testing.T) {
			test.files[".git/HEAD"] = "ref: refs/heads/main\n"
			o := layProject(t, test.files)
			before := seenBy(t, o, test.host)
			r, err := materialize.Import(context.Background(), o, materialize.ImportOptions{From: test.host})
			if err != nil {
				t.Fatal(err)
			}
			if r.Failed() || !r.Done || len(r.Diagnostics) > 0 {
				t.Errorf("%+v %+v", r.Losses, r.Diagnostics)
			}
			if len(r.Losses) > 0 {
				t.Logf("lost: %+v", r.Losses)
			}
			again, err := materialize.Import(context.Background(), o, materialize.ImportOptions{From: test.host})
			if err != nil || slices.ContainsFunc(again.Files, func(f materialize.ImportedFile) bool { return f.Action != "same" }) {
				t.Errorf("%v %+v", err, again.Files)
			}
			if err := os.RemoveAll(filepath.Join(o.Dir, test.dir)); err != nil {
				t.Fatal(err)
			}
			s := mustSync(t, o, materialize.Options{Hosts: []string{test.host}})
			if s.Failed() {
				t.Errorf("%s", codesOf(s))
			}
			if after := seenBy(t, o, test.host); after != before {
				t.Errorf("the host reads\n%s\nand read before\n%s", after, before)
			}
			wantSteps(t, mustSync(t, o, materialize.Options{Hosts: []string{test.host}}))
		})
	}
}

// TestImportLeavesAlone checks that files are not overwritten, and that nothing is written outside
// the project or through a symlink.
func TestImportLeavesAlone(t *testing.T) {
	o := layProject(t, map[string]string{
		".git/HEAD":                 "ref: refs/heads/main\n",
		".claude/agents/a.md":       "---\nname: a\ndescription: A.\n---\nA.\n",
		".claude/commands/b.md":     "B.\n",
		".github/agents/a.agent.md": "---\nname: a\ndescription: Mine.\n---\nMine.\n",
	})
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(o.Dir, ".github/commands")); err != nil {
		t.Skip("no links here:", err)
	}
	before := snapshot(t, o.Dir)
	r, err := materialize.Import(context.Background(), o, materialize.ImportOptions{From: ".claude", Move: true})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Failed() || snapshot(t, o.Dir) != before {
		t.Errorf("%+v\n%s", r.Files, snapshot(t, o.Dir))
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("%v %v", left, err)
	}
	for _, to := range []string{"..", "/tmp", ".git", "a/../..", "x\x00y"} {
		if _, err := materialize.Import(context.Background(), o, materialize.ImportOptions{To: to}); err == nil {
			t.Errorf("to %q", to)
		}
	}
}
