package discover

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host/registry"
)

// TestRootsAbove checks which roots are read above a repository: only roots with Above set, and
// none in the filesystem root. If the profile has no such roots, nothing above the repository is
// read.
func TestRootsAbove(t *testing.T) {
	for _, repo := range []bool{true, false} {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		project := filepath.Join(dir, "p")
		if err := os.MkdirAll(filepath.Join(project, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
		if repo {
			if err := os.Mkdir(filepath.Join(project, ".git"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"claude-code", "claude-code@2.1.88", "neutral"} {
			profile, _ := registry.Lookup(name)
			plan, err := NewPlan(context.Background(), Environment{WorkDir: filepath.ToSlash(project)}, profile)
			if err != nil {
				t.Fatal(err)
			}
			marked, others := 0, 0
			for i := range plan.Places {
				pl := &plan.Places[i]
				switch {
				case pl.Layer != definition.Project || pl.Tree == plan.Project:
					continue
				case pl.Root.Above:
					marked++
				default:
					others++
				}
				if pl.Root.Above && pl.Tree.Path(".") == "/" {
					t.Errorf("%s, repository %v: %s is read in the filesystem root", name, repo, pl.Root.Rules[0].File)
				}
			}
			view := name != "neutral"
			if (marked > 0) != view || (others > 0) != (view && !repo) {
				t.Errorf("%s, repository %v: %d places of instructions and %d others above", name, repo, marked, others)
			}
			plan.Close()
		}
	}
}
