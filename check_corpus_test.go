package vade_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
)

// TestFixesOfCorpus applies the safe edits to every repository in the corpus and reads it again.
// Every host must still load what it loaded before, with the same names and descriptions. If a fix
// names hosts, those hosts must now load the file. No other files may change, and no safe edits may
// remain.
func TestFixesOfCorpus(t *testing.T) {
	dir := corpus(t)
	repos, err := filepath.Glob(filepath.Join(dir, "repos", "*"))
	if err != nil || len(repos) == 0 {
		t.Fatalf("no repositories: %v", err)
	}
	fixed, claims := 0, 0
	for _, repo := range repos {
		o, co := catalog.Options{Dir: repo, Home: t.TempDir()}, check.Options{Hosts: []string{"all"}}
		r, err := check.Run(context.Background(), o, co)
		if err != nil {
			t.Fatal(err)
		}
		fixes, err := r.Fixes(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if len(fixes) == 0 {
			continue
		}
		before, files := seenByHosts(t, o), contents(t, repo)
		for i := range fixes {
			if fixes[i].Problem != "" {
				continue
			}
			if err := fixes[i].Write(); err != nil {
				t.Fatal(err)
			}
			files[fixes[i].Path] = string(fixes[i].After)
			fixed++
		}
		if now := contents(t, repo); !maps.Equal(now, files) {
			t.Errorf("%s: other files than those of the fixes have changed", filepath.Base(repo))
		}
		after := seenByHosts(t, o)
		for key, text := range before {
			if after[key] != text {
				t.Errorf("%s: %v was %q and is %q", filepath.Base(repo), key, text, after[key])
			}
		}
		again, err := check.Run(context.Background(), o, co)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range fixes {
			claims += len(f.Loads)
			for _, finding := range again.Findings {
				for _, h := range f.Loads {
					if finding.Path == f.Path && slices.Contains(finding.NotLoaded, h) {
						t.Errorf("%s: %s is still not loaded by %s: %s", filepath.Base(repo), f.Path, h, finding.Message)
					}
				}
			}
		}
		left, err := again.Fixes(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range left {
			if f.Problem == "" {
				t.Errorf("%s: %s would be edited a second time:\n%s", filepath.Base(repo), f.Path, f.Diff())
			}
		}
	}
	t.Logf("%d files edited; %d times a host loads one that it did not", fixed, claims)
	if fixed == 0 || claims == 0 {
		t.Error("no file was fixed")
	}
}

// seen identifies a definition that a host loads.
type seen struct{ host, path string }

// seenByHosts returns the names and descriptions of everything that the hosts load.
func seenByHosts(t *testing.T, o catalog.Options) map[seen]string {
	t.Helper()
	all := map[seen]string{}
	for _, h := range catalog.Hosts() {
		o.As = h
		c, err := catalog.Open(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		list, err := c.List(context.Background(), catalog.Query{})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			all[seen{h, d.Path()}] = d.Name() + ": " + d.Description()
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// contents returns the text of every file in a directory tree.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
