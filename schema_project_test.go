package vade_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
)

// TestProjectSchema checks that the schema for vade.yaml names the hosts that can have copies, and
// rejects paths outside the project.
func TestProjectSchema(t *testing.T) {
	var s struct {
		Defs struct {
			Host struct{ Enum []string }
			Path struct {
				Pattern string
				Not     struct{ Pattern string }
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(catalog.ProjectSchema(), &s); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Defs.Host.Enum, export.Hosts()) {
		t.Errorf("the hosts are %q, want %q", s.Defs.Host.Enum, export.Hosts())
	}
	takes, not := regexp.MustCompile(s.Defs.Path.Pattern), regexp.MustCompile(s.Defs.Path.Not.Pattern)
	for path, want := range map[string]bool{
		".agents": true, ".github/": true, "AGENTS.md": true, "./ai": true, "a..b": true, "..a": true,
		"..": false, "../x": false, "a/../b": false, "/etc": false, "~/x": false, ".": false, "./": false, ".git/hooks": false, `a\b`: false,
	} {
		if got := takes.MatchString(path) && !not.MatchString(path); got != want {
			t.Errorf("%s is taken: %v", path, got)
		}
	}
}
