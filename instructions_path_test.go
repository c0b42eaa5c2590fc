package vade_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/instructions"
)

// TestLongPathsOfInstructions checks that an excessively long path is not resolved element by
// element, and that a canceled context stops the search.
func TestLongPathsOfInstructions(t *testing.T) {
	dir := t.TempDir()
	writeTree(t, dir, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "AGENTS.md": "Be kind.\n", "a/AGENTS.md": "Be brief.\n"})
	c := openAlone(t, catalog.Options{Dir: dir})
	for _, file := range []string{"a/x", strings.Repeat("a/", 2000) + "x", strings.Repeat("a/", 200000) + "x", "a/" + strings.Repeat("b", 5000) + "/x"} {
		out, err := instructions.BuildForAgent(t.Context(), c, "", file)
		if err != nil || !strings.Contains(out.Text, "Be kind.") || !strings.Contains(out.Text, "Be brief.") {
			t.Errorf("%.20s of %d: %v", file, len(file), err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := instructions.BuildForAgent(gone, c, "", strings.Repeat("a/", 200000)+"x"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
