package vade_test

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/materialize"
)

// TestImportKeepsOriginals checks that --move keeps an original if the new file does not contain
// all of its content, and that new files have the comments of their originals.
func TestImportKeepsOriginals(t *testing.T) {
	files := map[string]string{
		"vade.yaml":                "hosts: [gemini, opencode]\n",
		".opencode/commands/o.md":  "---\ndescription: Pr\xfcft alles\n---\nGr\xfc\xdfe $1\n",
		".gemini/commands/t.toml":  "# approved by legal\ndescription = \"T\"\nprompt = \"hello {{args}}\"\n",
		".gemini/commands/u.toml":  "description = \"T # 1\" # note\nprompt = \"hello {{args}}\"\n",
		".gemini/commands/go.toml": "description = \"T # 1\"\nprompt = \"hello {{args}}\"\n",
	}
	o := laid(t, files)
	if _, err := materialize.Import(t.Context(), o, materialize.ImportOptions{Move: true}); err != nil {
		t.Fatal(err)
	}
	for name, comment := range map[string]string{"t": "# approved by legal\n", "u": "# note\n"} {
		if data, err := os.ReadFile(filepath.Join(o.Dir, ".github/commands", name+".command.md")); err != nil || !strings.Contains(string(data), comment) {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	for name, text := range files {
		data, err := os.ReadFile(filepath.Join(o.Dir, name))
		if moved := path.Ext(name) == ".toml"; moved != (err != nil) || !moved && string(data) != text {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
}

// TestImportLeavesTemporaryFiles checks that a killed run's temporary files are not imported.
func TestImportLeavesTemporaryFiles(t *testing.T) {
	const left = ".vade-sync-0123456789abcdef.tmp"
	o := laid(t, map[string]string{".claude/skills/a/SKILL.md": aSkill("a"), ".claude/skills/a/" + left: "x"})
	if _, err := materialize.Import(t.Context(), o, materialize.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(o.Dir, ".agents/skills/a/SKILL.md")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(o.Dir, ".agents/skills/a", left)); err == nil {
		t.Error("a temporary file is copied")
	}
}
