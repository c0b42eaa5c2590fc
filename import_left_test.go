package vade

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/materialize"
)

// TestImportTo checks the diagnostic for importing into a directory that is not a source. It must
// disappear once vade.yaml lists the directory.
func TestImportTo(t *testing.T) {
	o := layProject(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".claude/commands/x.md": "X.\n"})
	said := func(io materialize.ImportOptions) bool {
		return slices.ContainsFunc(mustImport(t, o, io).Diagnostics, func(d diag.Diagnostic) bool {
			return d.Code == diag.SyncSource && strings.Contains(d.Fix, "source: ai")
		})
	}
	if !said(materialize.ImportOptions{To: "ai"}) {
		t.Error("nothing says that ai is no source")
	}
	putFile(t, filepath.Join(o.Dir, "vade.yaml"), "source: ai\n")
	if said(materialize.ImportOptions{To: "ai"}) || said(materialize.ImportOptions{}) {
		t.Error("ai is a source, and that is not known")
	}
	if got := loadedPaths(t, o); !slices.Contains(got, "ai/commands/x.command.md") {
		t.Errorf("%q", got)
	}
}

// TestImportIntoHostsDirectory imports into a source that is also a host's directory. Files must be
// written in that host's format, and files that the host would not read must not be written.
func TestImportIntoHostsDirectory(t *testing.T) {
	for source, want := range map[string][]string{
		".agents":              {".agents/agents/a.agent.md", ".agents/commands/x.md", ".agents/skills/s/SKILL.md"},
		".github":              {".github/agents/a.agent.md", ".github/commands/x.command.md", ".github/instructions/r.instructions.md", ".github/skills/s/SKILL.md"},
		"[AGENTS.md, ai]":      {"ai/agents/a.agent.md", "ai/commands/x.command.md", "ai/instructions/r.instructions.md", "ai/skills/s/SKILL.md"},
		"[.github/agents, ai]": {"ai/agents/a.agent.md", "ai/commands/x.command.md", "ai/instructions/r.instructions.md", "ai/skills/s/SKILL.md"},
	} {
		o := layProject(t, map[string]string{
			".git/HEAD": "ref: refs/heads/main\n", "vade.yaml": "source: " + source + "\n", "AGENTS.md": "All.\n", "ai/.keep": "", ".agents/.keep": "", ".github/agents/.keep": "",
			".claude/commands/x.md": "X.\n", ".claude/rules/r.md": "---\npaths: [\"*.go\"]\n---\nR.\n",
			".claude/agents/a.md":       "---\nname: a\ndescription: A.\n---\nA.\n",
			".claude/skills/s/SKILL.md": "---\nname: s\ndescription: S.\n---\nS.\n",
		})
		r := mustImport(t, o, materialize.ImportOptions{From: ".claude"})
		var got []string
		for _, f := range r.Files {
			got = append(got, f.Path)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
		if lost := len(want) == 3; r.Failed() != lost {
			t.Errorf("%s: %v %+v %+v", source, r.Failed(), r.Losses, r.Diagnostics)
		}
		if err := os.RemoveAll(filepath.Join(o.Dir, ".claude")); err != nil {
			t.Fatal(err)
		}
		listed := loadedPaths(t, o)
		for _, p := range got {
			if !slices.Contains(listed, p) {
				t.Errorf("%s: %s is not read: %q", source, p, listed)
			}
		}
		c, err := catalog.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Get(t.Context(), definition.Command, "x"); err != nil {
			t.Errorf("%s: %v", source, err)
		}
		c.Close()
	}
}
