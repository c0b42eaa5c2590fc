package vade

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/materialize"
)

// syncProject returns a project with a definition of every kind in its sources.
func syncProject() map[string]string {
	return map[string]string{
		".git/HEAD":                               "ref: refs/heads/main\n",
		".agents/skills/deploy/SKILL.md":          "---\nname: deploy\ndescription: Ships it.\n---\nRun scripts/go.sh.\n",
		".agents/skills/deploy/scripts/go.sh":     "#!/bin/sh\n",
		".agents/skills/lint/SKILL.md":            "---\nname: lint\ndescription: Lints it.\n---\nLint.\n",
		".github/agents/architect.agent.md":       "---\nname: architect\ndescription: Designs.\ntools: ['Read', 'Glob']\n---\nYou design.\n",
		".github/commands/review.command.md":      "---\nname: review\ndescription: Reviews.\nargumentHint: \"[pr]\"\n---\nReview $ARGUMENTS.\n",
		".github/instructions/go.instructions.md": "---\napplyTo: \"**/*.go\"\n---\nUse gofmt.\n",
		"vade.yaml": "version: 1\nhosts: [claude-code, gemini, opencode, cursor]\n",
	}
}

func layProject(t testing.TB, files map[string]string) catalog.Options {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		putFile(t, filepath.Join(dir, name), text)
	}
	return catalog.Options{Dir: dir, Home: t.TempDir(), ManagedDir: t.TempDir(), Getenv: func(string) string { return "" }}
}

func putFile(t testing.TB, name, text string) {
	t.Helper()
	mode := fs.FileMode(0o644)
	if strings.HasSuffix(name, ".sh") {
		mode = 0o755
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), mode)); err != nil {
		t.Fatal(err)
	}
}

// snapshot lists a directory's files except git's, one per line.
func snapshot(t testing.TB, dir string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		line := filepath.ToSlash(rel)
		switch {
		case e.IsDir() && e.Name() == ".git":
			return filepath.SkipDir
		case e.IsDir():
			line += "/"
		case e.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			line += " -> " + target
		default:
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %v %q", info.Mode().Perm(), data)
		}
		lines = append(lines, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

func mustSync(t testing.TB, o catalog.Options, so materialize.Options) *materialize.Result {
	t.Helper()
	r, err := materialize.Sync(context.Background(), o, so)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func chmod(t testing.TB, dir, name string, mode fs.FileMode) {
	t.Helper()
	if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
		t.Fatal(err)
	}
}

// rightsAt returns a file's mode. Windows has no owner-only mode.
func rightsAt(t testing.TB, dir, name string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		return 0o600
	}
	return info.Mode().Perm()
}

func stepsOf(r *materialize.Result) string {
	var list []string
	for _, s := range r.Steps {
		list = append(list, s.Action+" "+s.Path)
	}
	return strings.Join(list, "\n")
}

func codesOf(r *materialize.Result) string {
	var list []string
	for _, d := range r.Diagnostics {
		if d.Severity > diag.Info {
			list = append(list, string(d.Code)+" "+d.File)
		}
	}
	return strings.Join(list, "\n")
}

func wantSteps(t testing.TB, r *materialize.Result, steps ...string) {
	t.Helper()
	if got, want := stepsOf(r), strings.Join(steps, "\n"); got != want {
		t.Errorf("steps:\n%s\nwant:\n%s", got, want)
	}
}

func TestSyncRuns(t *testing.T) {
	o := layProject(t, syncProject())
	top := func(name string) string { return filepath.Join(o.Dir, name) }
	before := snapshot(t, o.Dir)
	plan, err := materialize.PlanSync(context.Background(), o, materialize.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if after := snapshot(t, o.Dir); after != before {
		t.Fatalf("planning has changed the project:\n%s", after)
	}
	r := mustSync(t, o, materialize.Options{})
	first := []string{
		"create .claude/agents/architect.md", "create .claude/commands/review.md", "create .claude/rules/go.md",
		"link .claude/skills/deploy", "link .claude/skills/lint",
		"create .cursor/agents/architect.md", "create .cursor/commands/review.md", "create .cursor/rules/go.mdc",
		"create .gemini/agents/architect.md", "create .gemini/commands/review.toml",
		"create .opencode/agents/architect.md", "create .opencode/commands/review.md",
	}
	wantSteps(t, plan, first...)
	wantSteps(t, r, first...)
	if r.Failed() || !r.Done {
		t.Errorf("%+v", r.Diagnostics)
	}
	made := snapshot(t, o.Dir)
	again := mustSync(t, o, materialize.Options{})
	wantSteps(t, again)
	if again.Same != len(first) || snapshot(t, o.Dir) != made {
		t.Errorf("the second run: %d the same", again.Same)
	}

	// The host sees the source's content.
	view := o
	view.As = "claude-code"
	c, err := catalog.Open(context.Background(), view)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, want := range []struct {
		kind definition.Kind
		name string
	}{{definition.Skill, "deploy"}, {definition.Skill, "lint"}, {definition.Command, "review"}, {definition.Agent, "architect"}} {
		if _, err := c.Get(context.Background(), want.kind, want.name); err != nil {
			t.Error(err)
		}
	}

	// One source changes, one is removed, and one is renamed.
	putFile(t, top(".github/agents/architect.agent.md"), "---\nname: architect\ndescription: Designs well.\n---\nYou design.\n")
	if err := errors.Join(os.RemoveAll(top(".agents/skills/lint")), os.Remove(top(".github/instructions/go.instructions.md")),
		os.Rename(top(".github/commands/review.command.md"), top(".github/commands/inspect.command.md"))); err != nil {
		t.Fatal(err)
	}
	putFile(t, top(".github/commands/inspect.command.md"), "---\nname: inspect\ndescription: Reviews.\n---\nReview $ARGUMENTS.\n")
	r = mustSync(t, o, materialize.Options{})
	wantSteps(t, r,
		"update .claude/agents/architect.md", "create .claude/commands/inspect.md", "remove .claude/commands/review.md", "remove .claude/rules/go.md",
		"unlink .claude/skills/lint",
		"update .cursor/agents/architect.md", "create .cursor/commands/inspect.md", "remove .cursor/commands/review.md", "remove .cursor/rules/go.mdc",
		"update .gemini/agents/architect.md", "create .gemini/commands/inspect.toml", "remove .gemini/commands/review.toml",
		"update .opencode/agents/architect.md", "create .opencode/commands/inspect.md", "remove .opencode/commands/review.md",
	)
	if len(r.Diagnostics) > 0 {
		t.Errorf("%+v", r.Diagnostics)
	}
	for _, gone := range []string{".claude/rules", ".cursor/rules"} {
		if _, err := os.Lstat(top(gone)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there: %v", gone, err)
		}
	}

	// Remove a host, then all sources.
	putFile(t, top("vade.yaml"), "hosts: [claude-code]\n")
	for _, s := range mustSync(t, o, materialize.Options{}).Steps {
		if s.Action != "remove" || slices.Contains(s.Hosts, "claude-code") {
			t.Errorf("%s %s", s.Action, s.Path)
		}
	}
	if err := errors.Join(os.RemoveAll(top(".agents")), os.RemoveAll(top(".github"))); err != nil {
		t.Fatal(err)
	}
	left := snapshot(t, o.Dir)
	if r := mustSync(t, o, materialize.Options{}); codesOf(r) != "SYNC_SOURCE " || !r.Refused || snapshot(t, o.Dir) != left {
		t.Errorf("without any source: %s", codesOf(r))
	}
	mustSync(t, o, materialize.Options{Force: true})
	if got := snapshot(t, o.Dir); strings.Contains(got, "\n") {
		t.Errorf("this is left:\n%s", got)
	}
}

func TestSyncHandEdit(t *testing.T) {
	o := layProject(t, syncProject())
	mustSync(t, o, materialize.Options{})
	clean := snapshot(t, o.Dir)
	edited := filepath.Join(o.Dir, ".claude/agents/architect.md")
	data, err := os.ReadFile(edited)
	if err != nil {
		t.Fatal(err)
	}
	putFile(t, edited, string(data)+"And draw.\n")
	r := mustSync(t, o, materialize.Options{})
	wantSteps(t, r)
	if codesOf(r) != "SYNC_EDITED .claude/agents/architect.md" || !r.Failed() {
		t.Errorf("%s", codesOf(r))
	}
	if d := r.Diagnostics[len(r.Diagnostics)-1]; !slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool {
		return d.Code == diag.SyncEdited && strings.Contains(d.Fix, ".github/agents/architect.agent.md") && strings.Contains(d.Fix, "--force")
	}) {
		t.Errorf("%+v", d)
	}
	r = mustSync(t, o, materialize.Options{Force: true})
	wantSteps(t, r, "update .claude/agents/architect.md")
	if !r.Steps[0].Forced || !strings.Contains(r.Steps[0].Diff(), "-And draw.") {
		t.Errorf("%+v\n%s", r.Steps[0], r.Steps[0].Diff())
	}
	if got := snapshot(t, o.Dir); got != clean {
		t.Errorf("%s", got)
	}
}

func TestSyncCaseRename(t *testing.T) {
	files := syncProject()
	files[".github/agents/Helper.agent.md"] = "---\nname: Helper\ndescription: Helps.\n---\nHelp.\n"
	o := layProject(t, files)
	mustSync(t, o, materialize.Options{})
	if err := os.Rename(filepath.Join(o.Dir, ".agents/skills/lint"), filepath.Join(o.Dir, ".agents/skills/Lint")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(o.Dir, ".github/agents/Helper.agent.md")); err != nil {
		t.Fatal(err)
	}
	putFile(t, filepath.Join(o.Dir, ".github/agents/helper.agent.md"), "---\nname: helper\ndescription: Helps.\n---\nHelp.\n")
	r := mustSync(t, o, materialize.Options{})
	if r.Failed() {
		t.Errorf("%s", codesOf(r))
	}
	got := snapshot(t, o.Dir)
	for _, gone := range []string{".claude/agents/Helper.md", ".claude/skills/lint ", ".cursor/agents/Helper.md"} {
		if strings.Contains(got, gone) {
			t.Errorf("%s is there", gone)
		}
	}
	for _, there := range []string{".claude/agents/helper.md ", ".claude/skills/Lint -> ../../.agents/skills/Lint", ".cursor/agents/helper.md "} {
		if !strings.Contains(got, there) {
			t.Errorf("%s is not there:\n%s", there, got)
		}
	}
	wantSteps(t, mustSync(t, o, materialize.Options{}))
}

// TestSyncWithoutLinks checks that if symlinks cannot be created, the error says how to get copies
// instead. Vade must create copies if symlinks are disabled or if git does not create them.
func TestSyncWithoutLinks(t *testing.T) {
	o := layProject(t, syncProject())
	o.BeforeWrite = func(change, _ string) error {
		if change == "symlink" {
			return syscall.EPERM
		}
		return nil
	}
	if _, err := materialize.Sync(context.Background(), o, materialize.Options{}); !errors.Is(err, materialize.ErrNoLinks) {
		t.Errorf("the error is %v", err)
	}
	for _, files := range []map[string]string{{"vade.yaml": "hosts: [claude-code]\nsync: {links: never}\n"}, {".git/config": "[core]\n\tsymlinks = false\n"}} {
		for name, text := range files {
			putFile(t, filepath.Join(o.Dir, name), text)
		}
		chmod(t, o.Dir, ".agents/skills/lint/SKILL.md", 0o600)
		r := mustSync(t, o, materialize.Options{Hosts: []string{"claude-code"}})
		if got := rightsAt(t, o.Dir, ".claude/skills/lint/SKILL.md"); got != 0o600 {
			t.Errorf("a copy of a private file has the rights %v", got)
		}
		if strings.Contains(stepsOf(r), "link") || !strings.Contains(stepsOf(r), "create .claude/skills/deploy/scripts/go.sh") {
			t.Errorf("%s", stepsOf(r))
		}
		name := filepath.Join(o.Dir, ".claude/skills/deploy/scripts/go.sh")
		if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode()&0o100 == 0 {
			t.Errorf("%v %v", info, err)
		}
		o = layProject(t, syncProject())
	}

	// Without symlink support, git writes a symlink's target as text. Vade treats such a file as
	// its own symlink.
	mustSync(t, o, materialize.Options{Hosts: []string{"claude-code"}})
	link := filepath.Join(o.Dir, ".claude/skills/lint")
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	putFile(t, link, "../../.agents/skills/lint")
	putFile(t, filepath.Join(o.Dir, ".git/config"), "[core]\n\tsymlinks = false\n")
	r := mustSync(t, o, materialize.Options{Hosts: []string{"claude-code"}})
	if got := stepsOf(r); !strings.Contains(got, "remove .claude/skills/lint\ncreate .claude/skills/lint/SKILL.md") || r.Failed() {
		t.Errorf("%s\n%s", got, codesOf(r))
	}
	wantSteps(t, mustSync(t, o, materialize.Options{Hosts: []string{"claude-code"}}))
}

var errEnded = errors.New("the process has ended")
