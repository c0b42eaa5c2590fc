package discover

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

// plain returns a minimal definition for a file.
func plain(f *Found) *definition.Definition {
	return &definition.Definition{Kind: f.Rule.Kind, Name: f.Name, Origin: f.Origin(), Size: f.Size}
}

func planOf(t *testing.T, p *host.Profile, env Environment, files fstest.MapFS) *Plan {
	t.Helper()
	env.Only = true
	env.Layers = append(env.Layers, LayerFS{Layer: definition.Project, Name: "p", FS: files})
	plan, err := NewPlan(context.Background(), env, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plan.Close)
	return plan
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// names scans plan and returns the names of loaded and dropped definitions and
// the codes for unread files.
func names(t *testing.T, plan *Plan) (loaded, dropped, codes []string) {
	t.Helper()
	found, diags, err := plan.Scan(context.Background(), plain, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range found {
		if d.State == definition.Loaded {
			loaded = append(loaded, d.Kind.String()+" "+d.Name)
		} else {
			dropped = append(dropped, d.Origin.Path)
		}
	}
	for _, d := range append(plan.Diagnostics, diags...) {
		codes = append(codes, string(d.Code))
	}
	slices.Sort(loaded)
	slices.Sort(dropped)
	return loaded, dropped, codes
}

func TestNeutralWalk(t *testing.T) {
	plan := planOf(t, registry.Neutral(), Environment{}, fstest.MapFS{
		".claude/skills/one/SKILL.md":            file(""),
		".claude/skills/one/inner/x/SKILL.md":    file("travels with one"),
		".claude/skills/one/notes.md":            file("travels with one"),
		".claude/skills/group/two/SKILL.md":      file(""),
		".claude/skills/group/deep/er/SKILL.md":  file(""),
		".claude/skills/lower/skill.md":          file(""),
		".claude/skills/flat.skill.md":           file(""),
		".claude/skills/loose.md":                file(""),
		".claude/skills/node_modules/n/SKILL.md": file(""),
		".claude/skills/picture.png":             file(""),
		".claude/skills/odd/SKILL.md/x/SKILL.md": file("a directory named SKILL.md"),
		".claude/commands/a/b/c.md":              file(""),
		".claude/commands/README.md":             file(""),
		".claude/commands/x/index.md":            file(""),
		".claude/commands/whole/SKILL.md":        file(""),
		".claude/commands/whole/part.md":         file(""),
		".github/prompts/p.prompt.md":            file(""),
		".github/prompts/other.md":               file(""),
	})
	loaded, dropped, codes := names(t, plan)
	want := []string{
		"command a:b:c", "command p", "command x",
		"skill er", "skill flat", "skill lower", "skill one", "skill two", "skill whole", "skill x",
	}
	if diff := cmp.Diff(want, loaded); diff != "" {
		t.Errorf("loaded (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{".claude/commands/README.md", ".claude/skills/loose.md", ".github/prompts/other.md"}, dropped); diff != "" {
		t.Errorf("dropped (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{string(diag.DirSkipped)}, codes); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
}

// TestLimits checks that each exceeded limit is reported once.
func TestLimits(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 20 {
		files[fmt.Sprintf(".claude/commands/d%02d/c.md", i)] = file("")
	}
	deep := ".claude/commands"
	for range 12 {
		deep += "/x"
	}
	files[deep+"/c.md"] = file("")
	for _, tc := range []struct {
		limits Limits
		code   diag.Code
	}{
		{Limits{Directories: 5}, diag.DirLimit},
		{Limits{Files: 5}, diag.FileLimit},
		{Limits{Entries: 5}, diag.FileLimit},
		{Limits{}, diag.DepthLimit},
	} {
		_, _, codes := names(t, planOf(t, registry.Neutral(), Environment{Limits: tc.limits}, files))
		n := 0
		for _, c := range codes {
			if c == string(tc.code) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%+v: %s is reported %d times: %v", tc.limits, tc.code, n, codes)
		}
	}
}

func TestScanIsDeterministic(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 300 {
		files[fmt.Sprintf(".claude/skills/s%03d/SKILL.md", i)] = file("x")
		files[fmt.Sprintf(".claude/commands/c%03d.md", i)] = file("x")
	}
	var first string
	for range 5 {
		plan := planOf(t, registry.Neutral(), Environment{}, files)
		found, _, err := plan.Scan(context.Background(), plain, nil)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, d := range found {
			b.WriteString(d.Name + " ")
		}
		if first == "" {
			first = b.String()
		}
		if b.String() != first {
			t.Fatal("two scans of one tree differ")
		}
	}
}

func TestScanStops(t *testing.T) {
	plan := planOf(t, registry.Neutral(), Environment{}, fstest.MapFS{".claude/skills/a/SKILL.md": file("")})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := plan.Scan(ctx, plain, nil); err == nil {
		t.Error("a cancelled scan reports no error")
	}
}

func TestSourcesOfMarketplaces(t *testing.T) {
	for text, want := range map[string]string{
		`"./x"`: "./x", `"x"`: "x", `{"source":"local","path":"./y"}`: "./y", `{"path":"z"}`: "z",
		`"https://example.com/x.git"`: "", `"git@example.com:x"`: "", `{"source":"github","repo":"a/b"}`: "",
		`{"source":"git-subdir","url":"u","path":"p"}`: "", `3`: "", ``: "", `null`: "",
	} {
		got, ok := localSource([]byte(text))
		if !ok {
			got = ""
		}
		if got != want {
			t.Errorf("localSource(%s) = %q, want %q", text, got, want)
		}
	}
}
