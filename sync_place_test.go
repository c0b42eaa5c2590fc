package vade

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/materialize"
)

// TestSyncInPlace checks that if a host reads a source in place but interprets
// it differently, this is reported.
func TestSyncInPlace(t *testing.T) {
	files := map[string]string{
		".git/HEAD":                       "ref: refs/heads/main\n",
		"vade.yaml":                       "hosts: [codex, gemini, copilot-cli, copilot-vscode]\n",
		".agents/skills/manual/SKILL.md":  "---\nname: manual\ndescription: By hand.\ndisable-model-invocation: true\n---\nHi.\n",
		".agents/skills/plain/SKILL.md":   "---\nname: plain\ndescription: Plain.\n---\nSee [it](ref.md).\n",
		".agents/skills/plain/ref.md":     "It.\n",
		".github/agents/claude.agent.md":  "---\nname: claude\ndescription: In the words of another.\ntools: ['Read', 'Glob']\n---\nHi.\n",
		".github/agents/copilot.agent.md": "---\nname: copilot\ndescription: In its own.\ntools: ['read', 'search']\n---\nHi.\n",
		".github/skills/shown/SKILL.md":   "---\nname: shown\ndescription: Shown.\n---\nHi.\n",
	}
	o := layProject(t, files)
	said := func() string {
		var list []string
		for _, l := range mustSync(t, o, materialize.Options{}).Losses {
			if strings.Contains(l.Message, "reads the file in place") {
				list = append(list, l.Host+" "+l.Name+" "+l.What)
			}
		}
		return strings.Join(list, "\n")
	}
	if got, want := said(), "codex manual activation\ncopilot-vscode claude tool"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	// Check that the suggested fix works.
	putFile(t, filepath.Join(o.Dir, ".agents/skills/manual/agents/openai.yaml"), "policy:\n  allow_implicit_invocation: false\n")
	if got, want := said(), "copilot-vscode claude tool"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
