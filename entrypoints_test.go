package vade_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vadehq/vade"
)

// TestEntryPoints calls each function in the public API once.
func TestEntryPoints(t *testing.T) {
	ctx, o := context.Background(), project()
	c, err := vade.Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	o.Dir, o.Layers, o.Isolated, o.Home = t.TempDir(), nil, false, t.TempDir()
	for name, call := range map[string]func() (any, error){
		"Diagnostics":  func() (any, error) { return c.Diagnostics(ctx) },
		"Listing":      func() (any, error) { return c.Listing(ctx) },
		"Instructions": func() (any, error) { return c.Instructions(ctx, vade.InstructionsRequest{}) },
		"Compose":      func() (any, error) { return c.Compose(ctx, "") },
		"LoadSkill":    func() (any, error) { return c.LoadSkill(ctx, "", "review") },
		"Servers":      func() (any, error) { return c.Servers(ctx) },
		"SDKOptions":   func() (any, error) { return c.SDKOptions(ctx, nil) },
		"Prompt":       func() (any, error) { return c.Prompt(ctx, vade.PromptRequest{}) },
		"Export":       func() (any, error) { return c.Export(ctx, vade.ExportRequest{Host: "codex"}) },
		"Check":        func() (any, error) { return vade.Check(ctx, o, vade.CheckOptions{}) },
		"Audit":        func() (any, error) { return vade.Audit(ctx, o, vade.AuditOptions{}) },
		"Explain":      func() (any, error) { return vade.Explain(ctx, o, vade.ExplainRequest{All: true}) },
		"PlanSync":     func() (any, error) { return vade.PlanSync(ctx, o, vade.SyncOptions{}) },
	} {
		if got, err := call(); err != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	s, err := vade.Serve(ctx, o, vade.ServeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}

// TestRegisteredSkills checks that skills bundled with another program load like Vade's, replace
// Vade's skills in the same folder, and are shadowed by the project's skills.
func TestRegisteredSkills(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	o := project()
	delete(o.Layers[0].FS.(fstest.MapFS), "vade.yaml") // vade.yaml turns off bundled skills
	o.Bundled = fstest.MapFS{
		"house/SKILL.md":      file("---\nname: house\ndescription: House style\n---\nWrite plainly.\n"),
		"house/words.md":      file("plain\n"),
		"verify/SKILL.md":     file("---\nname: verify\ndescription: How we verify\n---\nRun it.\n"),
		"review/SKILL.md":     file("---\nname: review\ndescription: Another\n---\nAnother.\n"),
		"loop/SKILL.md":       file("---\nname: loop\ndescription: Loops\n---\nOur loop.\n"),
		"unlisted.md":         file("not a skill"),
		"house/sub/deeper.md": file("x"),
	}
	c, err := vade.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for name, want := range map[string]string{"house": "Write plainly.", "verify": "Run it.", "loop": "Our loop."} {
		d, err := c.Get(t.Context(), vade.Skill, name)
		if err != nil || d.Layer() != vade.Bundled {
			t.Fatalf("%s is not a bundled skill: %v", name, err)
		}
		if s, err := c.LoadSkill(t.Context(), "", name); err != nil || !strings.Contains(s.Content, want) {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	if d, err := c.Get(t.Context(), vade.Skill, "review"); err != nil || d.Layer() != vade.Project {
		t.Errorf("review is not the project's: %v", err)
	}
	if _, err := c.Get(t.Context(), vade.Skill, "debug"); err != nil {
		t.Errorf("Vade's own skills are gone: %v", err)
	}
}
