package vade

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/explain"
	"github.com/vadehq/vade/internal/materialize"
)

func explained(t *testing.T, o catalog.Options, r explain.Request) *explain.Explanation {
	t.Helper()
	x, err := explain.Run(context.Background(), o, r)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func verdictOn(t *testing.T, x *explain.Explanation, path, host string) (explain.ExplainedFile, explain.Verdict) {
	t.Helper()
	for _, d := range x.Definitions {
		at := slices.IndexFunc(d.Verdicts, func(v explain.Verdict) bool { return v.Host == host })
		if d.Path == path && at >= 0 {
			return d, d.Verdicts[at]
		}
	}
	t.Fatalf("no verdict of %s on %s", host, path)
	return explain.ExplainedFile{}, explain.Verdict{}
}

// TestExplainCustomSourceDirectories checks that explanations name the
// directories that contain the files even if the source is a custom one.
func TestExplainCustomSourceDirectories(t *testing.T) {
	o := layProject(t, ownSources(nil))
	mustSync(t, o, materialize.Options{})
	putFile(t, filepath.Join(o.Dir, ".opencode/command/mine.md"), "Mine.\n")
	for _, d := range explained(t, o, explain.Request{All: true}).Definitions {
		if d.Layer != definition.Project || d.Kind == definition.Instruction {
			continue
		}
		if !strings.HasPrefix(d.Path, d.Root+"/") {
			t.Errorf("it says that %s is in %s", d.Path, d.Root)
		}
		for _, v := range d.Verdicts {
			if _, not, ok := strings.Cut(v.Reason, ", not "); ok && v.State == explain.StateNotRead {
				if not, _, _ = strings.Cut(not, ";"); !strings.HasPrefix(d.Path, not+"/") {
					t.Errorf("%s: %s: %s", v.Host, d.Path, v.Reason)
				}
			}
			if strings.Contains(v.Reason+v.Fix, "managed:") || strings.Contains(v.Reason, "at this path") {
				t.Errorf("%s: %s: %s; fix: %s", v.Host, d.Path, v.Reason, v.Fix)
			}
		}
	}
}

// TestExplainFixIsSync checks that in a project with a source of truth, no fix creates a file or
// symlink by hand.
func TestExplainFixIsSync(t *testing.T) {
	files := syncProject()
	files["vade.yaml"] = "hosts: [claude-code, gemini]\nsync: {exclude: {gemini: [commands]}}\n"
	files[".claude/agents/own.md"] = "---\nname: own\ndescription: By hand.\n---\nMine.\n"
	o := layProject(t, files)
	const source = ".github/agents/architect.agent.md"
	x := explained(t, o, explain.Request{All: true})
	for _, d := range x.Definitions {
		for _, v := range d.Verdicts {
			for _, word := range []string{"ln -s", "cp -R", "rewrite it"} {
				if d.Layer == definition.Project && strings.Contains(v.Fix, word) {
					t.Errorf("%s: %s: %s", v.Host, d.Path, v.Fix)
				}
			}
		}
	}
	for _, c := range []struct{ path, host, fix string }{
		{source, "claude-code", "vade sync"},
		{source, "claude-sdk", "vade sync"},
		{source, "gemini", "vade sync"},
		{source, "codex", "add codex to hosts in vade.yaml, then: vade sync"},
		{".agents/skills/lint/SKILL.md", "claude-code", "vade sync"},
		{".github/commands/review.command.md", "codex", "add codex to hosts in vade.yaml, then: vade sync"},
		{".github/commands/review.command.md", "gemini", "remove commands for gemini from sync.exclude in vade.yaml, then: vade sync"},
		{".claude/agents/own.md", "gemini", "vade import --host claude-code, then: vade sync"},
	} {
		if _, v := verdictOn(t, x, c.path, c.host); v.State != explain.StateNotRead || v.Fix != c.fix || v.Then != "" {
			t.Errorf("%s: %s: %s: fix %q, want %q", c.host, c.path, v.State, v.Fix, c.fix)
		}
	}

	// Check that applying the suggested fix works.
	mustSync(t, o, materialize.Options{})
	x = explained(t, o, explain.Request{Name: "architect"})
	if _, v := verdictOn(t, x, ".claude/agents/architect.md", "claude-code"); v.State != definition.Loaded.String() {
		t.Errorf("%+v", v)
	}

	// If vade.yaml names no hosts, the hosts that had copies get them again.
	putFile(t, filepath.Join(o.Dir, "vade.yaml"), "version: 1\n")
	putFile(t, filepath.Join(o.Dir, ".github/agents/late.agent.md"), "---\nname: late\ndescription: Late.\n---\nLate.\n")
	x = explained(t, o, explain.Request{Name: "late"})
	for host, fix := range map[string]string{"gemini": "vade sync", "codex": "vade sync --host codex"} {
		if _, v := verdictOn(t, x, ".github/agents/late.agent.md", host); v.Fix != fix {
			t.Errorf("%s: fix %q, want %q", host, v.Fix, fix)
		}
	}
}

// TestExplainShowsCopies checks that files created by vade sync are shown as copies of their
// source, not as definitions that compete with it.
func TestExplainShowsCopies(t *testing.T) {
	files := syncProject()
	files["vade.yaml"] = "hosts: [claude-code, gemini, copilot-vscode]\n"
	o := layProject(t, files)
	mustSync(t, o, materialize.Options{})
	const source, made = ".github/agents/architect.agent.md", ".claude/agents/architect.md"
	x := explained(t, o, explain.Request{Name: "architect"})
	d, v := verdictOn(t, x, made, "copilot-vscode")
	if d.CopyOf != source || v.State != definition.Shadowed.String() || v.Fix != "" || v.ShadowedBy != source {
		t.Errorf("copy of %q: %+v", d.CopyOf, v)
	}
	for _, v := range d.Verdicts {
		if v.State == explain.StateNotRead && v.Fix != "" {
			t.Errorf("%s: a fix of a copy: %s", v.Host, v.Fix)
		}
	}
	if d, v := verdictOn(t, x, source, "gemini"); d.CopyOf != "" || !strings.HasSuffix(v.Reason, "; it loads the copy .gemini/agents/architect.md") {
		t.Errorf("%q %q", d.CopyOf, v.Reason)
	}
	if d, _ := verdictOn(t, explained(t, o, explain.Request{Name: "lint"}), ".agents/skills/lint/SKILL.md", "claude-code"); d.CopyOf != "" {
		t.Errorf("the source of a link is a copy: %+v", d)
	}
}
