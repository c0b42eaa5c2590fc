package vade

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/materialize"
	"github.com/vadehq/vade/internal/prompt"
	"github.com/vadehq/vade/internal/servers"
)

// ownSources returns a project with a custom source of truth.
func ownSources(more map[string]string) map[string]string {
	files := map[string]string{
		".git/HEAD":                          "ref: refs/heads/main\n",
		"vade.yaml":                          "source: [ai, docs/house.md]\nhosts: [claude-code, gemini]\n",
		"ai/skills/deploy/SKILL.md":          "---\nname: deploy\ndescription: Ships it.\n---\nShip.\n",
		"ai/commands/review.command.md":      "---\ndescription: Reviews.\n---\nReview $ARGUMENTS.\n",
		"ai/agents/architect.agent.md":       "---\nname: architect\ndescription: Designs.\nskills: [deploy]\n---\nDesign.\n",
		"ai/instructions/go.instructions.md": "---\napplyTo: \"**/*.go\"\n---\nUse gofmt.\n",
		"docs/house.md":                      "Be kind.\n",
		"docs/other.md":                      "Not this.\n",
	}
	for name, text := range more {
		files[name] = text
	}
	return files
}

// loadedPaths returns the files of active definitions, except bundled ones.
func loadedPaths(t *testing.T, o catalog.Options) []string {
	t.Helper()
	c, err := catalog.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	list, err := c.List(context.Background(), catalog.Query{})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, d := range list {
		if d.Layer() == definition.Project {
			paths = append(paths, d.Path())
		}
	}
	slices.Sort(paths)
	return paths
}

// TestCustomSources checks that the neutral view reads the custom sources in
// vade.yaml and a host's view does not.
func TestCustomSources(t *testing.T) {
	ctx := context.Background()
	o := layProject(t, ownSources(nil))
	want := []string{
		"ai/agents/architect.agent.md", "ai/commands/review.command.md", "ai/instructions/go.instructions.md",
		"ai/skills/deploy/SKILL.md", "docs/house.md",
	}
	if got := loadedPaths(t, o); !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
	host := o
	host.As = "claude-code"
	if got := loadedPaths(t, host); len(got) > 0 {
		t.Errorf("claude-code reads %q", got)
	}
	c, err := catalog.Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	// The definition is found by its path before everything is listed.
	if r, err := c.Load(ctx, "/review", "it"); err != nil || !strings.Contains(r.Command.Text, "Review it.") {
		t.Errorf("%v %+v", err, r)
	}
	if s, err := c.LoadSkill(ctx, "", "deploy"); err != nil || !strings.Contains(s.Content, "Ship.") {
		t.Errorf("%v %+v", err, s)
	}
	p, err := prompt.Build(ctx, c, prompt.Request{Agent: "architect"})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"Design.", "Ship.", "Be kind."} {
		if !strings.Contains(p.Text, part) {
			t.Errorf("%q is not in the prompt:\n%s", part, p.Text)
		}
	}
	e, err := export.To(ctx, c, export.Request{Host: "claude-code"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(e.Files, func(f export.ExportedFile) bool { return f.Path == ".claude/skills/deploy/SKILL.md" }) {
		t.Errorf("%+v", e.Files)
	}
	sdk, err := export.NewSDKOptions(ctx, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := json.Marshal(sdk); err != nil || !strings.Contains(string(data), `"architect":{`) {
		t.Errorf("%v %s", err, data)
	}
	deep := o
	deep.Dir += "/docs"
	if got := loadedPaths(t, deep); !slices.Equal(got, want) {
		t.Errorf("from docs: %q", got)
	}
}

// TestCustomSourceWins checks that a custom source takes precedence over other definitions with the
// same name, including the copies made from it.
func TestCustomSourceWins(t *testing.T) {
	o := layProject(t, ownSources(map[string]string{".claude/commands/review.md": "Older.\n"}))
	mustSync(t, o, materialize.Options{})
	for _, p := range loadedPaths(t, o) {
		if !strings.HasPrefix(p, "ai/") && p != "docs/house.md" {
			t.Errorf("%s is active", p)
		}
	}
}

// TestCustomSourcesCheck checks that vade check treats custom sources as the
// source of the hosts' files and does not suggest moving them.
func TestCustomSourcesCheck(t *testing.T) {
	o := layProject(t, ownSources(map[string]string{"ai/skills/lint/SKILL.md": "---\nname: lint\n---\nLint.\n"}))
	r, err := check.Run(context.Background(), o, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, f := range r.Findings {
		found = found || f.Path == "ai/skills/lint/SKILL.md" && f.Severity > diag.Info
		if f.Code == diag.RootUnread || f.Code == diag.NotRead {
			t.Errorf("%+v", f)
		}
	}
	if r.Checked != 6 || !found {
		t.Errorf("%d checked, findings %+v", r.Checked, r.Findings)
	}
}

// TestCustomSourcesInvalid checks that invalid sources in vade.yaml are reported and ignored.
func TestCustomSourcesInvalid(t *testing.T) {
	for text, code := range map[string]diag.Code{
		"source: [../out, ai]": diag.ConfigInvalid, "source: [/etc]": diag.ConfigInvalid, "source: .git": diag.ConfigInvalid,
		"source: [ai, iads]": diag.ConfigInvalid, "sorce: ai": diag.ConfigUnknownKey, "source: [ai": diag.YAMLInvalid,
	} {
		o := layProject(t, ownSources(map[string]string{"vade.yaml": text + "\n", ".git/skills/x/SKILL.md": "---\nname: x\ndescription: X.\n---\nX.\n"}))
		c, err := catalog.Open(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		diags, err := c.Diagnostics(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, d := range diags {
			if d.Code == code && d.File == "vade.yaml" && d.Line == 1 {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s: %d times in %v", text, n, diags)
		}
		for _, p := range loadedPaths(t, o) {
			if strings.HasPrefix(p, ".git/") {
				t.Errorf("%s: %s is read", text, p)
			}
		}
		c.Close()
	}
}

// TestCustomSourcesUnreadable checks a vade.yaml that is not a regular file. Every command must
// report it, no command may open it, and nothing may be written or allowed.
func TestCustomSourcesUnreadable(t *testing.T) {
	ctx := context.Background()
	outside := filepath.Join(t.TempDir(), "vade.yaml")
	putFile(t, outside, "source: ai\n")
	for name, plant := range map[string]func(name string) error{
		"link":      func(name string) error { return os.Symlink(outside, name) },
		"hard link": func(name string) error { return os.Link(outside, name) },
		"directory": func(name string) error { return os.Mkdir(name, 0o755) },
		"10 MB":     func(name string) error { return os.WriteFile(name, make([]byte, 10<<20), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			o := layProject(t, ownSources(map[string]string{".mcp.json": `{"mcpServers": {"x": {"command": "x"}}}`, ".claude/commands/c.md": "C.\n"}))
			file := filepath.Join(o.Dir, "vade.yaml")
			if err := errors.Join(os.Remove(file), plant(file)); err != nil {
				t.Skip("it cannot be created here:", err)
			}
			before := snapshot(t, filepath.Join(o.Dir, "ai"))
			if got := loadedPaths(t, o); !slices.Equal(got, []string{".claude/commands/c.md"}) {
				t.Errorf("%q", got)
			}
			c, err := catalog.Open(ctx, o)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			is := func(d diag.Diagnostic) bool {
				return d.Code == diag.ConfigInvalid && d.File == "vade.yaml" && d.Fix != ""
			}
			if diags, err := c.Diagnostics(ctx); err != nil || !slices.ContainsFunc(diags, is) {
				t.Errorf("list: %v %v", diags, err)
			}
			if s, err := servers.List(ctx, c); err != nil || len(s.List) != 1 || s.List[0].State != definition.Dropped {
				t.Errorf("%+v %v", s, err)
			}
			r, err := check.Run(ctx, o, check.Options{})
			if err != nil || !slices.ContainsFunc(r.Findings, func(f rules.Finding) bool { return f.Code == diag.ConfigInvalid && f.Path == "vade.yaml" }) {
				t.Errorf("check: %v", err)
			}
			if r, err := materialize.Sync(ctx, o, materialize.Options{Hosts: []string{"gemini"}}); err == nil && !r.Refused {
				t.Errorf("sync: %+v", r)
			}
			if r, err := materialize.Import(ctx, o, materialize.ImportOptions{}); err == nil && r.Done {
				t.Errorf("import: %+v", r)
			}
			if _, err := os.Stat(filepath.Join(o.Dir, ".gemini")); err == nil || snapshot(t, filepath.Join(o.Dir, "ai")) != before {
				t.Error("something is written")
			}
		})
	}
}
