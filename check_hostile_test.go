package vade_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/check/rules"
)

const plainSkill = "---\nname: a\ndescription: d\n---\nb\n"

// TestFixesConverge checks that a second run finds nothing to fix, even with nested edits and a
// large number of edits.
func TestFixesConverge(t *testing.T) {
	var many strings.Builder
	for i := range 150 {
		fmt.Fprintf(&many, "k%d: a: b\n", i)
	}
	for name, text := range map[string]string{
		"list of broken rules": "---\nname: a\ndescription: d\nallowed-tools:\n  - @Read\n  - *Grep\n---\nb\n",
		"many":                 "---\nname: a\ndescription: d\n" + many.String() + "---\nb\n",
		"hint":                 "---\nname: a\ndescription: Use when: asked\nargument-hint: [a: b]\n---\nb\n",
	} {
		dir := checkTree(t, map[string]string{".claude/skills/a/SKILL.md": text})
		co := check.Options{Hosts: []string{"claude-code", "copilot-cli"}}
		fixes, err := checkProject(t, dir, co).Fixes(context.Background())
		if err != nil || len(fixes) != 1 || fixes[0].Problem != "" {
			t.Errorf("%s: %v %+v", name, err, fixes)
			continue
		}
		if err := fixes[0].Write(); err != nil {
			t.Fatal(err)
		}
		again, err := checkProject(t, dir, co).Fixes(context.Background())
		if err != nil || slices.ContainsFunc(again, func(f check.FileFix) bool { return f.Problem == "" }) {
			t.Errorf("%s: a second run makes edits: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	dir := checkTree(t, map[string]string{".claude/skills/a/SKILL.md": "---\nname: a\ndescription: a: b\n---\nb\n"})
	r := checkProject(t, dir, check.Options{Hosts: []string{"copilot-cli"}})
	if cancel(); len(r.Findings) == 0 {
		t.Fatal("there is nothing to fix")
	}
	if _, err := r.Fixes(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("it goes on after it was to stop: %v", err)
	}
}

// TestExcludedCounts checks that excluded files and their errors are counted, and that the report
// says so if there is nothing to check.
func TestExcludedCounts(t *testing.T) {
	files := map[string]string{
		".vade/check.yaml":          "exclude: [\"**\"]\n",
		".claude/skills/a/SKILL.md": plainSkill,
		".claude/skills/b/SKILL.md": "---\nname: b\ndescription: Use when: asked\n---\nb\n",
		".claude/settings.json":     "{}",
	}
	r := checkProject(t, checkTree(t, files), check.Options{Hosts: []string{"copilot-cli"}})
	if r.Checked != 0 || r.Excluded != 2 || r.ExcludedErrors != 1 {
		t.Errorf("%d checked, %d excluded with %d errors", r.Checked, r.Excluded, r.ExcludedErrors)
	}
	if len(r.Findings) != 1 || r.Findings[0].Code != "CHECK_NO_EFFECT" || r.Findings[0].Severity.String() != "info" {
		t.Errorf("%q", said2(r))
	}
	if fixes, err := r.Fixes(context.Background()); err != nil || len(fixes) > 0 {
		t.Errorf("an excluded file was fixed: %v %+v", err, fixes)
	}
}

// TestUnreadableConfig checks that unreadable settings are reported and the
// check continues without them.
func TestUnreadableConfig(t *testing.T) {
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "check.yaml"), []byte("exclude: [\"**\"]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, place := range map[string]func(top string) error{
		"link": func(top string) error {
			return errors.Join(os.Mkdir(filepath.Join(top, ".vade"), 0o755), os.Symlink(filepath.Join(outside, "check.yaml"), filepath.Join(top, ".vade/check.yaml")))
		},
		"linked directory": func(top string) error { return os.Symlink(outside, filepath.Join(top, ".vade")) },
		"second hard link": func(top string) error {
			return errors.Join(os.Mkdir(filepath.Join(top, ".vade"), 0o755), os.WriteFile(filepath.Join(top, ".vade/check.yaml"), []byte("hosts: [claude-code]\n"), 0o644),
				os.Link(filepath.Join(top, ".vade/check.yaml"), filepath.Join(top, "twin")))
		},
		"directory": func(top string) error { return os.MkdirAll(filepath.Join(top, ".vade/check.yaml"), 0o755) },
		"too long": func(top string) error {
			return errors.Join(os.Mkdir(filepath.Join(top, ".vade"), 0o755), os.WriteFile(filepath.Join(top, ".vade/check.yaml"), make([]byte, 1<<20), 0o644))
		},
		"neutral": func(top string) error {
			return errors.Join(os.Mkdir(filepath.Join(top, ".vade"), 0o755), os.WriteFile(filepath.Join(top, ".vade/check.yaml"), []byte("hosts: [neutral]\n"), 0o644))
		},
	} {
		dir := checkTree(t, map[string]string{".claude/skills/a/SKILL.md": plainSkill})
		if err := place(dir); err != nil {
			t.Skip("no links here:", err)
		}
		r := checkProject(t, dir, check.Options{})
		at := slices.IndexFunc(r.Findings, func(f rules.Finding) bool { return f.Code == "CHECK_INVALID" })
		if r.Checked != 1 || at < 0 || r.Findings[at].Severity.String() != "error" || strings.Contains(r.Findings[at].Source, "\x00") {
			t.Errorf("%s: %d checked, %q", name, r.Checked, said2(r))
		}
	}
}

// TestNothingToCheck checks that a path without definitions is an error, and
// that the error describes what the path contains.
func TestNothingToCheck(t *testing.T) {
	dir := checkTree(t, map[string]string{".claude/skills/a/SKILL.md": plainSkill, ".claude/skills/a/more.txt": "x", "src/x.go": "x"})
	if err := os.Symlink(".claude/skills", filepath.Join(dir, "lnk")); err != nil {
		t.Skip("no links here:", err)
	}
	for path, want := range map[string]string{
		"lnk": "it is a symlink to .claude/skills", "src": "no definitions found", ".claude/skills/a/more.txt": "no definitions found",
	} {
		_, err := check.Run(context.Background(), catalog.Options{Dir: dir, Home: t.TempDir(), ManagedDir: t.TempDir()}, check.Options{Paths: []string{path}})
		if !errors.Is(err, check.ErrNoDefinition) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if r := checkProject(t, dir, check.Options{Paths: []string{".claude/skills/a"}}); r.Checked != 1 {
		t.Errorf("%d checked", r.Checked)
	}
}
