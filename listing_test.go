package vade_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/catalog"
)

func listingOf(t *testing.T, o catalog.Options) (*catalog.Listing, error) {
	t.Helper()
	if o.Home == "" {
		o.Home = t.TempDir()
	}
	if o.ManagedDir == "" {
		o.ManagedDir = filepath.Join(o.Home, "no-managed")
	}
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	c, err := catalog.Open(context.Background(), o)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.Listing(context.Background())
}

// layFiles writes files into a new directory. Names starting with "~/" go to
// the home directory, "@managed/" to the managed directory, and "+/" to an
// additional directory. All other files go to the project.
func layFiles(t *testing.T, files map[string]string) (o catalog.Options, added string) {
	t.Helper()
	dir := t.TempDir()
	o = catalog.Options{
		As: "claude-code", Dir: filepath.Join(dir, "proj"), Home: filepath.Join(dir, "home"), ManagedDir: filepath.Join(dir, "managed"),
	}
	added = filepath.Join(dir, "added")
	for _, d := range []string{filepath.Join(o.Dir, ".git"), o.Home, o.ManagedDir, added} {
		must(t, os.MkdirAll(d, 0o755))
	}
	for name, text := range files {
		at := filepath.Join(o.Dir, name)
		for prefix, base := range map[string]string{"~/": o.Home, "@managed/": o.ManagedDir, "+/": added} {
			if rest, ok := strings.CutPrefix(name, prefix); ok {
				at = filepath.Join(base, rest)
			}
		}
		must(t, os.MkdirAll(filepath.Dir(at), 0o755))
		must(t, os.WriteFile(at, []byte(text), 0o644))
	}
	return o, added
}
