package vade_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/transcript"
)

// transcripts returns test transcripts, one per format.
func transcripts() map[string]string {
	return map[string]string{"claude-code": "claude-code.jsonl", "codex": "codex.jsonl", "plain": "plain.md"}
}

func draft(t *testing.T, name string, q transcript.SkillifyRequest) *transcript.SkillDraft {
	t.Helper()
	f, err := os.Open(filepath.Join("internal", "transcript", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := transcript.Skillify(t.Context(), f, q)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestDraftsAreCleanForEveryHost checks drafts from all formats: the neutral draft for all hosts,
// and each host's draft for that host. The host must load the draft under its name and with
// unchanged text.
func TestDraftsAreCleanForEveryHost(t *testing.T) {
	t.Parallel()
	for format, name := range transcripts() {
		for _, host := range append([]string{""}, export.Hosts()...) {
			for _, q := range []transcript.SkillifyRequest{{Host: host}, {Host: host, NoQuotes: true, Name: "try-it"}} {
				d := draft(t, name, q)
				if d.Format != format {
					t.Errorf("%s is read as %s", name, d.Format)
				}
				dir := t.TempDir()
				if err := transcript.WriteDraft(dir, d.Path, d, false); err != nil {
					t.Fatal(err)
				}
				hosts := []string{host}
				if host == "" {
					hosts = []string{"all"}
				}
				r, err := check.Run(t.Context(), catalog.Options{Dir: dir, Getenv: func(string) string { return "" }}, check.Options{Hosts: hosts})
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range r.Findings {
					// Claude Code does not read .agents, so this is not a problem with the draft.
					if host != "" || f.Code != "ROOT_NOT_READ_BY_HOST" {
						t.Errorf("%s for %q: %s:%d: %s %s", name, host, f.Path, f.Line, f.Code, f.Message)
					}
				}
				if r.Checked != 1 {
					t.Errorf("%s for %q: %d definitions are checked", name, host, r.Checked)
				}
				rendersAsWritten(t, host, d)
			}
		}
	}
}

// rendersAsWritten checks that a host renders a draft unchanged.
func rendersAsWritten(t *testing.T, host string, d *transcript.SkillDraft) {
	t.Helper()
	c, err := catalog.Open(t.Context(), catalog.Options{
		As: host, Isolated: true, Getenv: func(string) string { return "" },
		Layers: []catalog.LayerFS{{Layer: definition.Project, Name: "p", FS: fstest.MapFS{d.Path: {Data: []byte(d.Text)}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, body, _ := strings.Cut(d.Text[4:], "\n---\n")
	for _, line := range strings.Split(strings.TrimSpace(body), "\n") {
		if strings.Contains(line, "$") || strings.Contains(line, "!`") {
			t.Errorf("the draft contains %q", line)
		}
	}
	all, err := c.List(t.Context(), catalog.Query{})
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, x := range all {
		found = found || x.Name() == d.Name && x.State() == definition.Loaded
	}
	if !found {
		t.Errorf("%q does not load %s", host, d.Name)
	}
	// A host without its own message for skills returns an error.
	rendered := false
	for _, q := range []catalog.RenderRequest{{Prompt: "/" + d.Name + " one two"}, {Prompt: d.Name, ByModel: true}, {Prompt: "$" + d.Name}} {
		res, err := c.Render(t.Context(), q)
		if err != nil || res.Error != nil {
			continue
		}
		text := ""
		for _, m := range res.Messages {
			text += m.Text
		}
		if len(res.Attached) > 0 {
			t.Errorf("%q attaches %v", host, res.Attached)
		}
		if strings.Contains(text, "## Steps") {
			rendered = true
			if !strings.Contains(text, strings.TrimSpace(body)) {
				t.Errorf("%q renders %s as something else:\n%s", host, d.Name, text)
			}
		}
	}
	if !rendered && (host == "" || host == "claude-code" || host == "opencode") {
		t.Errorf("%q does not render %s", host, d.Name)
	}
	t.Logf("%q rendered: %v", host, rendered)
}

// TestWriteDraft checks where drafts are written.
func TestWriteDraft(t *testing.T) {
	d := draft(t, "plain.md", transcript.SkillifyRequest{Name: "thumbs"})
	dir, outside := t.TempDir(), t.TempDir()
	for _, err := range []error{
		os.MkdirAll(filepath.Join(dir, ".git"), 0o755), os.WriteFile(filepath.Join(outside, "SKILL.md"), []byte("theirs"), 0o644),
		os.MkdirAll(filepath.Join(dir, "taken", "SKILL.md"), 0o755), os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	links := os.Symlink(outside, filepath.Join(dir, "out")) == nil && os.Symlink(filepath.Join(outside, "SKILL.md"), filepath.Join(dir, "link.md")) == nil
	bad := []string{"", ".", "../x.md", "a/../../x.md", "/x.md", ".git/x.md", "a/.git/x.md", ".vade/x.md", "x.txt", "con.md", "a\x00.md", "a\x1b[1m.md", "taken/SKILL.md", "file/x.md", `a\..\..\x.md`, "~/x.md"}
	if links {
		bad = append(bad, "out/SKILL.md", "out/new/SKILL.md", "link.md")
	}
	for _, name := range bad {
		for _, force := range []bool{false, true} {
			if err := transcript.WriteDraft(dir, name, d, force); err == nil {
				t.Errorf("%q is written (force %v)", name, force)
			}
		}
	}
	if data, _ := os.ReadFile(filepath.Join(outside, "SKILL.md")); string(data) != "theirs" {
		t.Error("a file outside was changed")
	}
	if err := transcript.WriteDraft(filepath.Join(dir, ".git"), "x.md", d, true); err == nil {
		t.Error("a directory of git is written to")
	}
	const name = "a/skills/thumbs/SKILL.md"
	if err := transcript.WriteDraft(dir, name, d, false); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, filepath.FromSlash(name))
	if data, err := os.ReadFile(at); err != nil || string(data) != d.Text {
		t.Fatalf("%v %q", err, data)
	}
	if err := os.WriteFile(at, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := transcript.WriteDraft(dir, name, d, false); !errors.Is(err, export.ErrDiffers) {
		t.Errorf("%v", err)
	}
	if data, _ := os.ReadFile(at); string(data) != "mine" {
		t.Error("a file was written over")
	}
	if err := transcript.WriteDraft(dir, name, d, true); err != nil {
		t.Error(err)
	}
	if data, _ := os.ReadFile(at); string(data) != d.Text {
		t.Error("it was not replaced")
	}
	var names []string
	_ = filepath.WalkDir(dir, func(p string, e fs.DirEntry, _ error) error {
		if strings.HasPrefix(e.Name(), ".vade") {
			names = append(names, p)
		}
		return nil
	})
	if len(names) > 0 {
		t.Errorf("%v are left", names)
	}
}

func TestSkillifyFails(t *testing.T) {
	for _, c := range []struct {
		in   string
		q    transcript.SkillifyRequest
		want error
	}{
		{"User: x\n", transcript.SkillifyRequest{Name: "Not A Name"}, transcript.ErrSkillName},
		{"User: x\n", transcript.SkillifyRequest{Name: "../x"}, transcript.ErrSkillName},
		{"User: x\n", transcript.SkillifyRequest{Name: "con"}, transcript.ErrSkillName},
		{"User: x\n", transcript.SkillifyRequest{Name: strings.Repeat("a", 65)}, transcript.ErrSkillName},
		{"User: x\n", transcript.SkillifyRequest{Host: "nobody"}, export.ErrNoHost},
		{"User: x\n", transcript.SkillifyRequest{Host: "claude-sdk"}, export.ErrNoFiles},
		{"x\n", transcript.SkillifyRequest{}, transcript.ErrFormat},
		{"User: x\n", transcript.SkillifyRequest{Format: "other"}, transcript.ErrFormat},
		{"a\x00b", transcript.SkillifyRequest{}, transcript.ErrFormat},
		{"Assistant: x\n", transcript.SkillifyRequest{Format: "plain"}, transcript.ErrEmpty},
		{`{"type":"system","uuid":"a"}`, transcript.SkillifyRequest{}, transcript.ErrEmpty},
	} {
		if d, err := transcript.Skillify(t.Context(), strings.NewReader(c.in), c.q); !errors.Is(err, c.want) || d != nil {
			t.Errorf("%q %+v: %v, want %v", c.in, c.q, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := transcript.Skillify(ctx, strings.NewReader("User: x\n"), transcript.SkillifyRequest{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
