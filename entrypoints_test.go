package vade_test

import (
	"context"
	"testing"

	"github.com/vadehq/vade"
)

// TestEntryPoints calls each function of the public API once.
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
