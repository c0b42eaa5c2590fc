package vade_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/materialize"
)

// TestSyncCorpus syncs every repository in the corpus for every host, once from the default sources
// and once from .claude. A second run must not change anything. After all sources are removed, a
// sync must restore the repository's original state. Without -full, the test uses only every second
// repository.
func TestSyncCorpus(t *testing.T) {
	dir := corpus(t)
	repos, err := filepath.Glob(filepath.Join(dir, "repos", "*"))
	must(t, err)
	if len(repos) == 0 {
		repos, err = filepath.Glob(filepath.Join(dir, "*", "repos", "*"))
		must(t, err)
	}
	if len(repos) == 0 {
		t.Fatal("no repositories found")
	}
	ctx, made, brought, ran := context.Background(), 0, 0, 0
	for i, repo := range repos {
		if !*full && i%2 != 0 {
			continue
		}
		ran++
		must(t, os.MkdirAll(filepath.Join(repo, ".git"), 0o755))
		o := catalog.Options{Dir: repo, Home: t.TempDir(), ManagedDir: t.TempDir(), Getenv: func(string) string { return "" }}
		before := contents(t, repo)
		plan, err := materialize.PlanImport(ctx, o, materialize.ImportOptions{})
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(repo), err)
			continue
		}
		brought += len(plan.Files)
		project := filepath.Join(repo, "vade.yaml")
		for _, source := range []string{".agents, .github", ".claude, CLAUDE.md"} {
			must(t, os.WriteFile(project, []byte("source: ["+source+"]\n"), 0o644))
			r, err := materialize.Sync(ctx, o, materialize.Options{Hosts: export.Hosts()})
			if err != nil {
				t.Errorf("%s, %s: %v", filepath.Base(repo), source, err)
				continue
			}
			made += len(r.Steps)
			for _, d := range r.Diagnostics {
				// The repository's own files may conflict; generated files must not.
				if d.Code == "SYNC_CLASH" && d.Severity == diag.Error || d.Code == "SYNC_ORPHAN" || d.Code == "SYNC_STATE" {
					t.Errorf("%s, %s: %s %s: %s", filepath.Base(repo), source, d.Code, d.File, d.Message)
				}
			}
			again, err := materialize.Sync(ctx, o, materialize.Options{Hosts: export.Hosts()})
			if err != nil || len(again.Steps) > 0 {
				t.Errorf("%s, %s: the second run: %v %+v", filepath.Base(repo), source, err, again.Steps)
			}
			must(t, os.WriteFile(project, []byte("source: none\nhosts: [claude-code]\n"), 0o644))
			must(t, os.Mkdir(filepath.Join(repo, "none"), 0o755))
			_, err = materialize.Sync(ctx, o, materialize.Options{Force: true})
			must(t, err)
			must(t, os.Remove(filepath.Join(repo, "none")))
			must(t, os.Remove(project))
			after := contents(t, repo)
			for name, text := range after {
				if before[name] != text {
					t.Errorf("%s, %s: %s is left or changed", filepath.Base(repo), source, name)
				}
			}
			if len(after) != len(before) {
				t.Errorf("%s, %s: %d files, before %d", filepath.Base(repo), source, len(after), len(before))
			}
		}
	}
	t.Logf("%d repositories: %d files and links made and taken away again, %d files to bring over", ran, made, brought)
	if made == 0 || brought == 0 {
		t.Error("nothing was made")
	}
}
