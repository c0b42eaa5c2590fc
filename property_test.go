package vade_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/testenv"
)

// world generates a random set of definitions in the three layers that can be provided as file
// systems.
func world(t *rapid.T) []catalog.LayerFS {
	names := []string{"a", "b", "c"}
	places := map[definition.Layer][]string{
		definition.Managed: {".claude/skills/%s/SKILL.md", ".claude/commands/%s.md", ".claude/agents/%s.md", ".claude/skills/group/%s/SKILL.md"},
		definition.Project: {
			".claude/skills/%s/SKILL.md", ".agents/skills/%s/SKILL.md", ".github/skills/%s.skill.md", ".claude/skills/group/%s/SKILL.md",
			".claude/commands/%s.md", ".claude/commands/%s/index.md", ".claude/commands/ops/%s.md", ".claude/commands/%s/SKILL.md",
			".github/commands/%s.command.md", ".gemini/commands/%s.toml", ".github/prompts/%s.prompt.md", ".claude/agents/%s.md",
			".claude/rules/%s.md", "assets/skills/%s.skill.md", "assets/commands/%s.command.md",
		},
		definition.User: {".claude/skills/%s/SKILL.md", ".claude/commands/%s.md", ".codex/prompts/%s.md", ".claude/agents/%s.md", ".cursor/skills/x/%s/SKILL.md"},
	}
	var layers []catalog.LayerFS
	for _, layer := range []definition.Layer{definition.Managed, definition.Project, definition.User} {
		files := fstest.MapFS{}
		for _, place := range places[layer] {
			for _, name := range names {
				if !rapid.Bool().Draw(t, "present") {
					continue
				}
				alias := rapid.SampledFrom([]string{"", "a", "b", "c", "d"}).Draw(t, "name")
				text := fmt.Sprintf("---\nname: %s\ndescription: %s %s\n---\nbody\n", alias, layer, name)
				if alias == "" {
					text = "body\n"
				}
				if place == ".gemini/commands/%s.toml" {
					text = "prompt = \"body\"\n"
				}
				files[fmt.Sprintf(place, name)] = &fstest.MapFile{Data: []byte(text)}
			}
		}
		layers = append(layers, catalog.LayerFS{Layer: layer, Name: layer.String(), FS: files})
	}
	return layers
}

func openWorld(t interface{ Fatal(...any) }, layers []catalog.LayerFS, as string) *catalog.Catalog {
	c, err := catalog.Open(context.Background(), catalog.Options{Layers: layers, Isolated: true, As: as, Unread: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestLoadAgreesWithList checks that looking up one name, which reads only its possible paths,
// agrees with a complete listing.
func TestLoadAgreesWithList(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	testenv.Check(t, func(t *rapid.T) {
		layers := world(t)
		as := rapid.SampledFrom(catalog.Hosts()).Draw(t, "as")
		listed := openWorld(t, layers, as)
		defer listed.Close()
		if _, err := listed.List(ctx, catalog.Query{}); err != nil {
			t.Fatal(err)
		}
		for _, kind := range []definition.Kind{definition.Skill, definition.Command, definition.Agent} {
			for _, name := range []string{"a", "b", "c", "d", "ops:a", "group", "index"} {
				fresh := openWorld(t, layers, as)
				want, wantErr := listed.Get(ctx, kind, name)
				got, gotErr := fresh.Get(ctx, kind, name)
				if errors.Is(wantErr, definition.ErrNotFound) != errors.Is(gotErr, definition.ErrNotFound) {
					t.Fatalf("%s %s %s: looked for: %v, listed: %v", as, kind, name, gotErr, wantErr)
				}
				if wantErr == nil && (got.Path() != want.Path() || got.Layer() != want.Layer()) {
					t.Fatalf("%s %s %s: looked for: %s %s, listed: %s %s", as, kind, name, got.Layer(), got.Path(), want.Layer(), want.Path())
				}
				fresh.Close()
			}
		}
	})
}

// TestEverythingIsAccountedFor checks that every definition is active or has a reason, that no two
// active definitions share a name, and that the counts add up.
func TestEverythingIsAccountedFor(t *testing.T) {
	ctx := context.Background()
	testenv.Check(t, func(t *rapid.T) {
		as := rapid.SampledFrom(catalog.Hosts()).Draw(t, "as")
		c := openWorld(t, world(t), as)
		defer c.Close()
		all, err := c.List(ctx, catalog.Query{All: true})
		if err != nil {
			t.Fatal(err)
		}
		type key struct {
			kind definition.Kind
			name string
		}
		taken := map[key]string{}
		for _, d := range all {
			if d.State() != definition.Loaded {
				if d.Reason() == "" {
					t.Fatalf("%s is %s without a reason", d.Path(), d.State())
				}
				continue
			}
			k := key{d.Kind(), d.Name()}
			if other, ok := taken[k]; ok && d.Kind() != definition.Instruction && !sharesName(d) {
				t.Fatalf("%s and %s are both active as %s", other, d.Path(), d.Name())
			}
			taken[k] = d.Path()
		}
		found, err := c.Overview(ctx, catalog.Query{})
		if err != nil {
			t.Fatal(err)
		}
		n := found.Counts
		if n.Found != len(all) || n.Found != n.Loaded+n.Shadowed+n.Dropped+n.Disabled {
			t.Fatalf("%d listed, counts %+v", len(all), n)
		}
	})
}

// sharesName reports whether another definition is active under the same name.
func sharesName(d catalog.Definition) bool {
	return slices.ContainsFunc(d.Diagnostics(), func(one diag.Diagnostic) bool { return one.Code == "DUPLICATE_NAME" })
}
