package rpc

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/vadehq/vade/internal/catalog"
)

// TestIndexIsKept checks that searches share an index until the files change.
func TestIndexIsKept(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".claude/commands"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".claude/commands/review.md"), []byte("Review it.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := New(Options{Catalog: catalog.Options{Getenv: func(string) string { return "" }}})
	defer s.closeAll()
	params, _ := json.Marshal(map[string]any{"protocol": protocol, "dir": dir, "isolated": true})
	if _, err := open(t.Context(), s, params); err != nil {
		t.Fatal(err)
	}
	c, err := s.session(1)
	if err != nil {
		t.Fatal(err)
	}
	searchOnce := func() {
		t.Helper()
		if _, err := find(t.Context(), c, searchParams{inCatalog: inCatalog{1}, Query: "review"}); err != nil {
			t.Fatal(err)
		}
	}
	searchOnce()
	first := c.current.index
	if searchOnce(); first == nil || c.current.index != first {
		t.Error("the second search has a new index")
	}
	c.replace(newEngines())
	if searchOnce(); c.current.index == nil || c.current.index == first {
		t.Error("the index outlives its files")
	}
}
