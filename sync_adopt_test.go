package vade

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/materialize"
)

func claudeSet() map[string]string {
	return map[string]string{
		".git/HEAD":                      "ref: refs/heads/main\n",
		".claude/agents/architect.md":    "---\nname: architect\ndescription: Designs.\n---\nYou design.\n",
		".claude/commands/review.md":     "Review $ARGUMENTS.\n",
		".claude/skills/deploy/SKILL.md": "---\nname: deploy\ndescription: Ships it.\n---\nShip.\n",
		".claude/skills/deploy/go.sh":    "#!/bin/sh\n",
		"vade.yaml":                      "hosts: [claude-code, gemini]\n",
	}
}

// TestSyncAdopts checks that if an import leaves the originals in place, sync keeps them up to date
// with the imported sources.
func TestSyncAdopts(t *testing.T) {
	o := layProject(t, claudeSet())
	top := func(name string) string { return filepath.Join(o.Dir, name) }
	chmod(t, o.Dir, ".claude/skills/deploy/go.sh", 0o600)
	if r, err := materialize.Import(context.Background(), o, materialize.ImportOptions{From: ".claude"}); err != nil || r.Failed() {
		t.Fatal(err, r)
	}
	if got := rightsAt(t, o.Dir, ".agents/skills/deploy/go.sh"); got != 0o600 {
		t.Errorf("an imported private file has the rights %v", got)
	}
	if r := mustSync(t, o, materialize.Options{}); r.Failed() || strings.Contains(stepsOf(r), ".claude") {
		t.Errorf("%s\n%s", stepsOf(r), codesOf(r))
	}
	wantSteps(t, mustSync(t, o, materialize.Options{}))
	putFile(t, top(".github/agents/architect.agent.md"), "---\nname: architect\ndescription: Designs well.\n---\nYou design.\n")
	putFile(t, top(".agents/skills/deploy/SKILL.md"), "---\nname: deploy\ndescription: Ships it all.\n---\nShip.\n")
	r := mustSync(t, o, materialize.Options{})
	wantSteps(t, r, "update .claude/agents/architect.md", "update .claude/skills/deploy/SKILL.md", "update .gemini/agents/architect.md")
	if r.Failed() {
		t.Errorf("%s", codesOf(r))
	}
	wantSteps(t, mustSync(t, o, materialize.Options{}))

	// An original is never used as a source, and it stays if its own source is removed.
	again, err := materialize.PlanImport(context.Background(), o, materialize.ImportOptions{From: ".claude"})
	if err != nil || again.Failed() {
		t.Errorf("%v %+v", err, again.Diagnostics)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Remove(top(".github/commands/review.command.md")))
	r = mustSync(t, o, materialize.Options{Force: true, Paths: []string{".gemini"}})
	wantSteps(t, r, "remove .gemini/commands/review.toml")
	if d := r.Diagnostics[len(r.Diagnostics)-1]; d.Code != diag.SyncOutside || !strings.Contains(d.Message, ".claude/commands/review.md") {
		t.Errorf("%+v", r.Diagnostics)
	}
	if _, err := materialize.Sync(context.Background(), o, materialize.Options{Force: true, Paths: []string{"README.md"}}); !errors.Is(err, materialize.ErrPath) {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(top(".claude/commands/review.md")); err != nil {
		t.Error(err)
	}
}

// TestCopiesAreNoSources checks that other commands use the source, not a copy.
func TestCopiesAreNoSources(t *testing.T) {
	files := syncProject()
	files["vade.yaml"] = "hosts: [claude-code, codex]\n"
	o := layProject(t, files)
	mustSync(t, o, materialize.Options{})
	c, err := catalog.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	// The definition is found by its path before everything is read.
	for name, kind := range map[string]definition.Kind{"architect": definition.Agent, "review": definition.Command, "deploy": definition.Skill} {
		d, err := c.Get(context.Background(), kind, name)
		if err != nil || !strings.HasPrefix(d.Path(), ".github/") && !strings.HasPrefix(d.Path(), ".agents/") {
			t.Errorf("%s is %q: %v", name, d.Path(), err)
		}
	}
	list, err := c.List(context.Background(), catalog.Query{All: true})
	if err != nil {
		t.Fatal(err)
	}
	copies := 0
	for _, d := range list {
		if strings.HasPrefix(d.Path(), ".claude/") && d.State() == definition.Loaded {
			t.Errorf("%s is %s", d.Path(), d.State())
		}
		if d.Record().ReasonCode == diag.SyncCopy {
			copies++
		}
	}
	if copies == 0 {
		t.Error("no copies are named")
	}
	r, err := check.Run(context.Background(), o, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Hosts) != 2 || r.Hosts[0].Host != "claude-code" || r.Hosts[0].Why != "listed in vade.yaml" {
		t.Errorf("%+v", r.Hosts)
	}
	for _, f := range r.Findings {
		if strings.HasPrefix(f.Path, ".claude/agents") || strings.HasPrefix(f.Path, ".claude/commands") {
			t.Errorf("%+v", f)
		}
	}
}

// TestSyncRefuses checks that nothing is written or removed if the sources or the state are
// unknown.
func TestSyncRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		files      map[string]string
		code, says string
	}{
		"conflict":       {map[string]string{".vade/sync.json": "<<<<<<< HEAD\n{}\n"}, "SYNC_STATE .vade/sync.json", "restore the file from git"},
		"missing source": {map[string]string{"vade.yaml": "source: [.agent]\nhosts: [claude-code]\n"}, "CONFIG_INVALID vade.yaml", "did you mean .agents?"},
		"no hosts":       {map[string]string{"vade.yaml": "hosts: []\n"}, "CONFIG_INVALID vade.yaml", "list the hosts"},
	} {
		o := layProject(t, syncProject())
		mustSync(t, o, materialize.Options{})
		for file, text := range test.files {
			putFile(t, filepath.Join(o.Dir, file), text)
		}
		before := snapshot(t, o.Dir)
		r := mustSync(t, o, materialize.Options{})
		if codesOf(r) != test.code || !r.Refused || !r.Failed() || snapshot(t, o.Dir) != before {
			t.Errorf("%s: %s %s", name, codesOf(r), stepsOf(r))
		} else if fix := r.Diagnostics[len(r.Diagnostics)-1].Fix; !strings.Contains(fix, test.says) {
			t.Errorf("%s: %s", name, fix)
		}
	}
}

// TestSyncHostsShown checks that source directories do not count as evidence of a host.
func TestSyncHostsShown(t *testing.T) {
	files := syncProject()
	delete(files, "vade.yaml")
	o := layProject(t, files)
	if r := mustSync(t, o, materialize.Options{}); len(r.Hosts) > 0 || !r.Failed() || len(r.Steps) > 0 {
		t.Errorf("%+v %s", r.Hosts, stepsOf(r))
	}
	putFile(t, filepath.Join(o.Dir, ".claude/settings.json"), "{}")
	putFile(t, filepath.Join(o.Dir, ".claude/commands/own.md"), "Own.\n")
	if r := mustSync(t, o, materialize.Options{}); len(r.Hosts) != 1 || r.Hosts[0].Host != "claude-code" {
		t.Errorf("%+v", r.Hosts)
	}
}

// TestSyncDuplicateNames covers two sources with the same name, and an agent
// whose skill is missing.
func TestSyncDuplicateNames(t *testing.T) {
	files := syncProject()
	files[".github/skills/deploy/SKILL.md"] = "---\nname: deploy\ndescription: Another.\n---\nOther.\n"
	files[".github/agents/x.agent.md"] = "---\nname: x\ndescription: X.\nskills: [deploi]\n---\nX.\n"
	o := layProject(t, files)
	r := mustSync(t, o, materialize.Options{})
	if got := codesOf(r); !strings.Contains(got, "SYNC_CLASH ") || !strings.Contains(got, "SKILL_NOT_FOUND .github/agents/x.agent.md") || r.Failed() {
		t.Errorf("%s", got)
	}

	// Sources whose names differ only in case share one file, unless a host reads both.
	files = syncProject()
	files["vade.yaml"] = "hosts: [claude-code, codex]\n"
	files[".github/agents/Architect.agent.md"] = "---\nname: Architect\ndescription: Another.\n---\nOther.\n"
	files[".agents/skills/Lint/SKILL.md"] = "---\nname: Lint\ndescription: Another.\n---\nOther.\n"
	r = mustSync(t, layProject(t, files), materialize.Options{})
	want := "SYNC_CLASH .agents/skills/lint/SKILL.md\nSYNC_CLASH .github/agents/architect.agent.md\nSYNC_CLASH .github/agents/architect.agent.md"
	if got := codesOf(r); got != want || !r.Failed() || !strings.Contains(stepsOf(r), "create .claude/agents/Architect.md") {
		t.Errorf("%s\n%s", got, stepsOf(r))
	}
	for _, l := range r.Losses {
		if strings.EqualFold(l.Name, "architect") {
			t.Errorf("%+v", l)
		}
	}
}

// TestImportReportsUnimportedFiles checks that everything that is not imported is reported.
func TestImportReportsUnimportedFiles(t *testing.T) {
	files := claudeSet()
	files["CLAUDE.md"] = "Be kind.\n"
	files["web/CLAUDE.md"] = "Use TypeScript.\n"
	files[".claude/commands/deploy.md"] = "Something else.\n"
	o := layProject(t, files)
	r, err := materialize.PlanImport(context.Background(), o, materialize.ImportOptions{From: ".claude", To: "ai"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range r.Diagnostics {
		got = append(got, d.File+": "+d.Message+" / "+d.Fix)
	}
	all := strings.Join(got, "\n")
	for _, want := range []string{"ai is not a source, so vade sync does not read it / add to vade.yaml: source: ai"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not said:\n%s", want, all)
		}
	}
	if _, err := materialize.PlanImport(context.Background(), o, materialize.ImportOptions{From: "claude"}); err == nil || !strings.Contains(err.Error(), "did you mean claude-code") {
		t.Errorf("%v", err)
	}

	// A second import finds nothing to do, even though it reads the originals and the imported
	// files.
	if _, err := materialize.Import(context.Background(), o, materialize.ImportOptions{From: "claude-code"}); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{"claude-code", ""} {
		again, err := materialize.PlanImport(context.Background(), o, materialize.ImportOptions{From: from})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range again.Diagnostics {
			if d.Severity > diag.Info && d.File != ".claude/commands/deploy.md" {
				t.Errorf("from %q: %+v", from, d)
			}
		}
	}
}

// TestSyncKeepsCopiesOfUnreadableSources checks that an unusable source is not treated as
// removed.
func TestSyncKeepsCopiesOfUnreadableSources(t *testing.T) {
	const agent = "---\nname: g\ndescription: Does g. Use when asked.\n---\nx\n"
	o := layProject(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "vade.yaml": "hosts: [claude-code]\n", ".github/agents/g.agent.md": agent, ".github/agents/other.agent.md": strings.ReplaceAll(agent, "g", "h")})
	sync := func() *materialize.Result {
		r, err := materialize.Sync(context.Background(), o, materialize.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	sync()
	was := textAt(t, o, ".claude/agents/g.md")
	putFile(t, filepath.Join(o.Dir, ".github/agents/g.agent.md"), agent+"\x00")
	if r := sync(); !r.Failed() || textAt(t, o, ".claude/agents/g.md") != was {
		t.Errorf("%+v", r.Diagnostics)
	}
	if err := os.Remove(filepath.Join(o.Dir, ".github/agents/g.agent.md")); err != nil {
		t.Fatal(err)
	}
	if r := sync(); r.Failed() {
		t.Errorf("%+v", r.Diagnostics)
	}
	if _, err := os.Stat(filepath.Join(o.Dir, ".claude/agents/g.md")); err == nil {
		t.Error("the copy of a removed source stays")
	}
}
