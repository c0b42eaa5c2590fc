package resolve

import (
	"path"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// instructionsOf returns a host's instruction files. Each has the table row for its root.
func instructionsOf(t *testing.T, p *host.Profile, files map[string]definition.Layer) []*definition.Definition {
	t.Helper()
	var found []*definition.Definition
	for file, l := range files {
		row := -1
		for i := range p.Roots {
			r := &p.Roots[i]
			if r.Layer == l && r.Single() && r.Rules[0].File == path.Base(file) && (l != definition.User || r.Dir == path.Dir(file)) {
				row = i
			}
		}
		if row < 0 {
			t.Fatalf("%s does not read %s", p.Name, file)
		}
		found = append(found, &definition.Definition{
			Kind: definition.Instruction, Name: file, Origin: definition.Origin{Layer: l, Path: file, Real: "/" + file, Row: int16(row)},
		})
	}
	return found
}

// TestFallbacks checks which instruction files replace others. In Codex and pi, a file replaces
// others in the same directory. In opencode, it replaces others in the whole project or among the
// user's files (cases n02 to n04).
func TestFallbacks(t *testing.T) {
	const project, user = definition.Project, definition.User
	for _, tc := range []struct {
		host  string
		files map[string]definition.Layer
		read  []string
	}{
		{"codex", map[string]definition.Layer{"AGENTS.md": project, "sub/AGENTS.md": project, "sub/AGENTS.override.md": project}, []string{"AGENTS.md", "sub/AGENTS.override.md"}},
		{"codex", map[string]definition.Layer{".codex/AGENTS.md": user, ".codex/AGENTS.override.md": user, "AGENTS.md": project}, []string{".codex/AGENTS.override.md", "AGENTS.md"}},
		{"pi", map[string]definition.Layer{"CLAUDE.md": project, "sub/AGENTS.md": project, "sub/CLAUDE.md": project}, []string{"CLAUDE.md", "sub/AGENTS.md"}},
		{"opencode", map[string]definition.Layer{"CLAUDE.md": project, "sub/AGENTS.md": project, "CONTEXT.md": project}, []string{"sub/AGENTS.md"}},
		{"opencode", map[string]definition.Layer{"CLAUDE.md": project, "CONTEXT.md": project}, []string{"CLAUDE.md"}},
		{"opencode", map[string]definition.Layer{".config/opencode/AGENTS.md": user, ".claude/CLAUDE.md": user, "CLAUDE.md": project}, []string{".config/opencode/AGENTS.md", "CLAUDE.md"}},
		{"opencode", map[string]definition.Layer{".claude/CLAUDE.md": user, "AGENTS.md": project}, []string{".claude/CLAUDE.md", "AGENTS.md"}},
	} {
		p := view(t, tc.host)
		c := NewWithSwitches(instructionsOf(t, p, tc.files), p, Switches{})
		got := map[string]bool{}
		for _, d := range c.All {
			if d.State == definition.Loaded {
				got[d.Origin.Path] = true
			}
		}
		if len(got) != len(tc.read) {
			t.Errorf("%s: of %v are read %v, want %v", tc.host, tc.files, got, tc.read)
		}
		for _, r := range tc.read {
			if !got[r] {
				t.Errorf("%s: %s is not read", tc.host, r)
			}
		}
	}
}
