package vade_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/explain"
	"github.com/vadehq/vade/internal/testenv"
)

// wrongFiles maps paths to file contents that some hosts do not load. Each file is in a directory
// that some hosts do not read.
var wrongFiles = map[string]string{
	".claude/skills/nofm/SKILL.md":       "Only text.\n",
	".claude/skills/empty/SKILL.md":      "",
	".claude/skills/unclosed/SKILL.md":   "---\nname: unclosed\ndescription: Fine.\n\nDo it.\n",
	".claude/skills/colon/SKILL.md":      "---\nname: colon\ndescription: Use when: asked.\n---\nDo it.\n",
	".claude/skills/unlike/SKILL.md":     "---\nname: other\ndescription: Fine.\n---\nDo it.\n",
	".claude/skills/unknown/SKILL.md":    "---\nname: unknown\ndescription: Fine.\nflavour: mint\n---\nDo it.\n",
	".claude/skills/nameless/SKILL.md":   "---\ndescription: Fine.\n---\nDo it.\n",
	".claude/skills/blank/SKILL.md":      "---\nname: blank\n---\nDo it.\n",
	".claude/skills/Upper_Case/SKILL.md": "---\nname: Upper_Case\ndescription: Fine.\n---\nDo it.\n",
	".claude/skills/long/SKILL.md":       "---\nname: long\ndescription: " + strings.Repeat("word ", 400) + "\n---\nDo it.\n",
	".claude/skills/flat.md":             "Only text.\n",
	".claude/skills/group/deep/SKILL.md": "Only text.\n",
	".claude/skills/low/skill.md":        "Only text.\n",
	"skills/top/SKILL.md":                "Only text.\n",
	".agents/skills/theirs/SKILL.md":     "---\nname: [\n---\n",
	".claude/agents/rev.md":              "---\nname: rev\ndescription: Reviews.\ntools: Read, Grep\n---\nReview.\n",
	".claude/agents/bare.md":             "Review.\n",
	".claude/commands/hints.md":          "---\ndescription: Fine.\nargument-hint: [one, two]\n---\nDo $1.\n",
	"~/.claude/skills/mine/SKILL.md":     "Only text.\n",
}

// runnable reports whether a fix is a command.
func runnable(fix string) bool {
	for _, word := range []string{"ln ", "mkdir ", "mv ", "cp "} {
		if strings.HasPrefix(fix, word) {
			return true
		}
	}
	return false
}

// TestFixesOfInvalidFiles runs each suggested command. Afterward, the host must load the file, or
// the answer must say what else to do. If the host loads the file, the answer must not ask for
// further steps.
func TestFixesOfInvalidFiles(t *testing.T) {
	t.Parallel()
	testenv.SkipUnlessSlow(t)
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	tried, rest := 0, 0
	for path, text := range wrongFiles {
		files := map[string]string{path: text}
		before := explained(t, laid(t, files), explain.Request{Name: path})
		done := map[string]bool{}
		for _, v := range before.Definitions[0].Verdicts {
			if v.State != explain.StateNotRead || !runnable(v.Fix) || done[v.Host+v.Fix] {
				continue
			}
			done[v.Host+v.Fix] = true
			tried++
			o := laid(t, files)
			run := exec.Command(sh, "-c", v.Fix)
			run.Dir, run.Env = o.Dir, append(os.Environ(), "HOME="+o.Home)
			if out, err := run.CombinedOutput(); err != nil {
				t.Errorf("%s, %s: %s: %v: %s", path, v.Host, v.Fix, err, out)
				continue
			}
			after := explained(t, o, explain.Request{All: true, Hosts: []string{v.Host}})
			loaded, reason := false, ""
			for _, d := range after.Definitions {
				w := d.Verdicts[0]
				loaded = loaded || w.State == "loaded"
				reason += w.State + ": " + w.Reason + "; "
			}
			switch {
			case !loaded && v.Then == "":
				t.Errorf("%s: %s does not load it after %s (%s), and the answer says no more", path, v.Host, v.Fix, reason)
			case loaded && v.Then != "":
				t.Errorf("%s: %s loads it after %s: there is no need to %s", path, v.Host, v.Fix, v.Then)
			case v.Then != "":
				rest++
			}
		}
	}
	if tried < 60 || rest < 25 {
		t.Errorf("%d commands were tried, %d with a rest: the test has lost its subject", tried, rest)
	}
}

// TestOtherFormsAreCopies checks the fix for a file in which a host requires a different syntax for
// a field. The fix must change a copy and not the shared file.
func TestOtherFormsAreCopies(t *testing.T) {
	path := ".claude/agents/rev.md"
	x := explained(t, laid(t, map[string]string{path: wrongFiles[path]}), explain.Request{Name: path})
	for host, want := range map[string]string{
		"opencode": "mkdir -p .opencode/agents && cp -R .claude/agents/rev.md .opencode/agents/rev.md",
		"qwen":     "mkdir -p .qwen/agents && ln -s ../../.claude/agents/rev.md .qwen/agents/rev.md",
	} {
		if v := verdictOf(t, x, path, host); v.Fix != want {
			t.Errorf("%s: %s", host, v.Fix)
		}
	}
}

// TestRemainingProblemIsNamed checks that a problem that remains after the fix is described with
// the message from the host's own view.
func TestRemainingProblemIsNamed(t *testing.T) {
	for _, tc := range []struct{ path, host, then string }{
		{".claude/skills/nofm/SKILL.md", "codex", `start the file with "---"`},
		{".claude/skills/unknown/SKILL.md", "agentskills", "flavour"},
		{".claude/agents/rev.md", "gemini", "in the copy, use a list for tools"},
		{".claude/agents/rev.md", "qwen", "lengthen the body"},
		{".claude/commands/hints.md", "cursor", ""},
		{".claude/skills/nofm/SKILL.md", "qwen", `start the file with "---"`},
	} {
		x := explained(t, laid(t, map[string]string{tc.path: wrongFiles[tc.path]}), explain.Request{Name: tc.path, Hosts: []string{tc.host}})
		if v := x.Definitions[0].Verdicts[0]; !strings.Contains(v.Then, tc.then) || (v.Then == "") != (tc.then == "") {
			t.Errorf("%s, %s: then %q", filepath.Base(tc.path), tc.host, v.Then)
		}
	}
}
