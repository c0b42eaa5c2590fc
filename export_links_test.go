package vade_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/export"
)

// textsOf maps each exported path to its text.
func textsOf(e *export.Export) map[string]string {
	texts := map[string]string{}
	for _, f := range e.Files {
		texts[f.Path] = string(f.Data)
	}
	return texts
}

func hasLoss(e *export.Export, source, what, part string, line int) bool {
	return slices.ContainsFunc(e.Losses, func(l export.HostLoss) bool {
		return l.Source == source && l.What == what && strings.Contains(l.Message, part) && l.Line == line && l.Fix != ""
	})
}

// linked adds the files that links point to.
func linked(more map[string]string) map[string]string {
	files := map[string]string{"docs/a.md": "a\n", "docs/p q.png": "p", "docs/a_b.md": "b\n", ".agents/notes.md": "n\n", ".github/local.md": "l\n"}
	for name, text := range more {
		files[name] = text
	}
	return files
}

// TestExportedLinks checks that each kind of link points to the same file in the copy as in the
// original, and that the rest of the text is unchanged.
func TestExportedLinks(t *testing.T) {
	stays := "[web](https://x.example/../../docs/a.md) [top](docs/a.md) [none](../../none.md) [part](#part) [root](/docs/a.md)\n" +
		"`[code](../../docs/a.md)` [place](../../docs/${x}.md) [mail](mailto:a@b.example)\n"
	for _, c := range []struct{ host, from, to, in, out string }{
		{"claude-code", ".agents/commands/go.md", ".claude/commands/go.md", "[doc](../../docs/a.md#x) [n](../notes.md)", "[doc](../../docs/a.md#x) [n](../../.agents/notes.md)"},
		{"opencode", ".agents/commands/a/b/go.md", ".opencode/commands/a/b/go.md", "![n](../../../notes.md?x \"T\")", "![n](../../../../.agents/notes.md?x \"T\")"},
		{"codex", ".agents/commands/go.md", ".codex/skills/go/SKILL.md", "[doc](../../docs/a.md#x)", "[doc](../../../docs/a.md#x)"},
		{"codex", ".agents/commands/go.md", ".codex/skills/go/SKILL.md", "![p](<../../docs/p q.png>)", "![p](<../../../docs/p%20q.png>)"},
		{"codex", ".agents/commands/go.md", ".codex/skills/go/SKILL.md", "[p](../../docs/p%20q.png) [d](../../docs/)", "[p](../../../docs/p%20q.png) [d](../../../docs/)"},
		{"codex", ".agents/commands/go.md", ".codex/skills/go/SKILL.md", "[e](../../docs/a\\_b.md)", "[e](../../../docs/a_b.md)"},
		{"codex", ".agents/commands/go.md", ".codex/skills/go/SKILL.md", "[r], [s][r]\n\n[r]: ../../docs/a.md 'T'", "[r], [s][r]\n\n[r]: ../../../docs/a.md 'T'"},
		{"agentskills", ".github/prompts/go.prompt.md", ".agents/skills/go/SKILL.md", "[l](../local.md)", "[l](../../../.github/local.md)"},
		{"gemini", ".agents/commands/go.md", ".gemini/commands/go.toml", "[n](../notes.md)", "[n](../../.agents/notes.md)"},
		{"claude-code", ".github/agents/ada.agent.md", ".claude/agents/ada.md", "[l](../local.md)", "[l](../../.github/local.md)"},
		{"claude-code", ".github/copilot-instructions.md", "CLAUDE.md", "[l](local.md) [d](../docs/a.md)", "[l](.github/local.md) [d](docs/a.md)"},
		{"cursor", ".github/instructions/x.instructions.md", ".cursor/rules/x.mdc", "[l](../local.md) [d](../../docs/a.md)", "[l](../../.github/local.md) [d](../../docs/a.md)"},
		{"copilot-vscode", "GEMINI.md", ".github/copilot-instructions.md", "[d](docs/a.md)", "[d](../docs/a.md)"},
		{"gemini", ".github/copilot-instructions.md", "GEMINI.md", "see @../docs/a.md, and @local.md", "see @docs/a.md, and @.github/local.md"},
	} {
		head := "---\nname: " + strings.TrimSuffix(strings.TrimSuffix(c.from[strings.LastIndex(c.from, "/")+1:], ".md"), ".agent") + "\ndescription: d\n---\n"
		if strings.HasSuffix(c.from, "MD") || strings.Contains(c.from, "nstructions") || strings.Contains(c.from, "/commands/") || strings.Contains(c.from, "/prompts/") {
			head = ""
		}
		rest := stays
		if !strings.HasPrefix(c.from, ".agents/") && !strings.Contains(c.from, "/agents/") {
			rest = "[none](none.md)\n"
		}
		if strings.HasSuffix(c.to, ".prompt.md") || strings.HasPrefix(c.from, ".agents/commands") {
			rest = strings.Replace(rest, "${x}", "<x>", 1)
		}
		e := exportOf(t, c.host, linked(map[string]string{c.from: head + c.in + "\n\n" + rest}))
		text, ok := textsOf(e)[c.to]
		if want := c.out + "\n\n" + strings.TrimSpace(rest); !ok || !strings.Contains(text, want) {
			t.Errorf("%s to %s: %s:\n%s\nwant\n%s\n%v", c.from, c.host, c.to, text, want, e.Losses)
		}
		if slices.ContainsFunc(e.Losses, func(l export.HostLoss) bool { return l.What == "file" }) {
			t.Errorf("%s to %s: %v", c.from, c.host, e.Losses)
		}
	}
}

// TestExportedSkillLinks checks the links between a skill, the files next to it, and
// other skills.
func TestExportedSkillLinks(t *testing.T) {
	const body = "[ref](references/r.md) [other](../b/SKILL.md) [doc](../../../docs/a.md) [n](../../notes.md)\n"
	files := linked(map[string]string{
		".agents/skills/a/SKILL.md":        "---\nname: a\ndescription: d\n---\n" + body,
		".agents/skills/a/references/r.md": "[up](../SKILL.md) [n](../../../notes.md)\n",
		".agents/skills/b/SKILL.md":        "---\nname: b\ndescription: d\n---\nb\n",
	})
	e := exportOf(t, "claude-code", files)
	texts := textsOf(e)
	if want := strings.Replace(body, "../../notes.md", "../../../.agents/notes.md", 1); !strings.HasSuffix(texts[".claude/skills/a/SKILL.md"], want) {
		t.Errorf("the skill:\n%s\nwant\n%s", texts[".claude/skills/a/SKILL.md"], want)
	}
	if want := "[up](../SKILL.md) [n](../../../../.agents/notes.md)\n"; texts[".claude/skills/a/references/r.md"] != want {
		t.Errorf("beside it: %q", texts[".claude/skills/a/references/r.md"])
	}
	// A file that is read in place does not change.
	if texts := textsOf(exportOf(t, "codex", files)); !strings.HasSuffix(texts[".agents/skills/a/SKILL.md"], body) {
		t.Errorf("in its own place: %q", texts[".agents/skills/a/SKILL.md"])
	}
	// A link to a skill that the host does not get points to the original.
	files[".agents/skills/b/SKILL.md"] = "---\nname: b\n---\n"
	files[".agents/skills/b/SKILL.md"] = "---\nname: b\ndescription: d\nmetadata: {api_key: sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789}\n---\nb\n"
	for _, host := range export.Hosts() {
		texts := textsOf(exportOf(t, host, files))
		for name, text := range texts {
			if strings.HasSuffix(name, "/a/SKILL.md") {
				_, there := texts[strings.Replace(name, "/a/", "/b/", 1)]
				if near := strings.Contains(text, "(../b/SKILL.md)"); near != there && !strings.HasPrefix(name, ".agents/") {
					t.Errorf("%s: %s links to a copy: %v, and there is one: %v", host, name, near, there)
				}
			}
		}
	}
}

// TestLinksOutsideTheProject covers links to files that are not in the project.
func TestLinksOutsideTheProject(t *testing.T) {
	e := exportOf(t, "codex", linked(map[string]string{".agents/commands/go.md": "---\ndescription: d\n---\n\nsee\n[out](../../../x/y.md)\n"}))
	if !hasLoss(e, ".agents/commands/go.md", "file", "outside the project", 6) {
		t.Errorf("%v", e.Losses)
	}
	e = exportOf(t, "claude-code", linked(map[string]string{".agents/commands/go.md": "[out](../../../x/y.md)\n"}))
	if slices.ContainsFunc(e.Losses, func(l export.HostLoss) bool { return l.What == "file" }) {
		t.Errorf("as deep as before: %v", e.Losses)
	}
}

// TestReferencesOfPromptFiles covers "#file:" and "#tool:" references.
func TestReferencesOfPromptFiles(t *testing.T) {
	const prompt = ".github/prompts/go.prompt.md"
	files := linked(map[string]string{prompt: "---\ndescription: d\n---\nRead #file:../../docs/a.md, then\nuse #tool:web/fetch and `#tool:x`.\n"})
	e := exportOf(t, "codex", files)
	if text := textsOf(e)[".codex/skills/go/SKILL.md"]; !strings.Contains(text, "Read #file:../../../docs/a.md, then\n") {
		t.Errorf("the path is not that from there:\n%s", text)
	}
	if !hasLoss(e, prompt, "file", "#file:../../docs/a.md", 4) || !hasLoss(e, prompt, "tool", "#tool:web/fetch", 5) {
		t.Errorf("%v", e.Losses)
	}
	if slices.ContainsFunc(e.Losses, func(l export.HostLoss) bool { return strings.Contains(l.Message, "#tool:x") }) {
		t.Errorf("code is taken for a reference: %v", e.Losses)
	}
	// Both the source and the target host support these references.
	e = exportOf(t, "copilot-vscode", linked(map[string]string{".agents/agents/ada.agent.md": "---\nname: ada\ndescription: d\n---\n#file:../notes.md #tool:edit\n"}))
	if text := textsOf(e)[".github/agents/ada.agent.md"]; !strings.Contains(text, "#file:../../.agents/notes.md #tool:edit\n") || len(e.Losses) > 0 {
		t.Errorf("%s\n%v", text, e.Losses)
	}
	// In VS Code, "#file:docs/a.md" would become a reference.
	e = exportOf(t, "copilot-vscode", linked(map[string]string{".agents/commands/go.md": "x\n#file:docs/a.md\n"}))
	if !hasLoss(e, ".agents/commands/go.md", "text", "#file:docs/a.md", 2) {
		t.Errorf("%v", e.Losses)
	}
}
