package resolve_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/resolve"
)

// at returns a definition in the given layer and root directory.
func at(k definition.Kind, layer definition.Layer, root, name string) *definition.Definition {
	path := root + "/" + name
	if layer == definition.User {
		path = "~/" + path
	}
	return &definition.Definition{Kind: k, Name: name, Origin: definition.Origin{Layer: layer, Root: root, Path: path, Real: "/" + path}}
}

// ofPlugin returns a plugin's definition.
func ofPlugin(k definition.Kind, plugin, name string) *definition.Definition {
	path := "/" + plugin + "/" + name
	return &definition.Definition{
		Kind: k, Name: name,
		Origin: definition.Origin{Layer: definition.Plugin, Plugin: plugin, Root: plugin, Path: path, Real: path},
	}
}

// TestClashes checks how hosts treat two definitions with the same name.
func TestClashes(t *testing.T) {
	for _, tc := range []struct {
		view  string
		found []*definition.Definition
		want  []string
	}{
		{"codex", []*definition.Definition{
			at(definition.Skill, definition.User, ".agents/skills", "s"), at(definition.Skill, definition.Project, ".agents/skills", "s"),
		}, []string{
			"s .agents/skills/s loaded DUPLICATE_NAME",
			"s ~/.agents/skills/s loaded DUPLICATE_NAME",
		}},
		{"opencode", []*definition.Definition{
			at(definition.Skill, definition.User, ".agents/skills", "s"), at(definition.Skill, definition.Project, ".agents/skills", "s"),
			at(definition.Skill, definition.Project, ".agents/skills", "t"),
		}, []string{
			"s .agents/skills/s loaded DUPLICATE_NONDETERMINISTIC",
			"s ~/.agents/skills/s shadowed DUPLICATE_NONDETERMINISTIC",
			"t .agents/skills/t loaded ",
		}},
		{"gemini", []*definition.Definition{
			at(definition.Command, definition.User, ".gemini/commands", "t"), at(definition.Command, definition.Project, ".gemini/commands", "t"),
			at(definition.Command, definition.Project, ".gemini/commands", "u"), at(definition.Command, definition.Project, ".gemini/commands", "user.t"),
		}, []string{
			"u .gemini/commands/u loaded ",
			"user.t .gemini/commands/user.t loaded ",
			"user.t1 ~/.gemini/commands/t loaded NAME_RENAMED",
			"workspace.t .gemini/commands/t loaded NAME_RENAMED",
		}},
		{"gemini", []*definition.Definition{
			at(definition.Command, definition.User, ".gemini/commands", "help"), at(definition.Skill, definition.User, ".gemini/skills", "help"),
			ofPlugin(definition.Command, "ext", "u"), ofPlugin(definition.Command, "ext", "v"), at(definition.Command, definition.User, ".gemini/commands", "v"),
		}, []string{
			"help ~/.gemini/skills/help loaded ",
			"ext:v /ext/v loaded NAME_RENAMED",
			"u /ext/u loaded ",
			"user.help ~/.gemini/commands/help loaded NAME_RENAMED",
			"user.v ~/.gemini/commands/v loaded NAME_RENAMED",
		}},
		{"copilot-cli", []*definition.Definition{
			ofPlugin(definition.Skill, "one", "s"), ofPlugin(definition.Skill, "two", "s"), ofPlugin(definition.Skill, "one", "t"),
			ofPlugin(definition.Skill, "two", "u"), at(definition.Skill, definition.Project, ".github/skills", "u"),
		}, []string{
			"one:s /one/s loaded NAME_RENAMED",
			"t /one/t loaded ",
			"two:s /two/s loaded NAME_RENAMED",
			"u .github/skills/u loaded ",
			"u /two/u shadowed ",
		}},
		{"gemini", []*definition.Definition{
			at(definition.Skill, definition.User, ".gemini/skills", "s"), at(definition.Skill, definition.Project, ".gemini/skills", "s"),
		}, []string{
			"s .gemini/skills/s loaded ",
			"s ~/.gemini/skills/s shadowed ",
		}},
		{"copilot-cli", []*definition.Definition{
			at(definition.Command, definition.Project, ".claude/commands", "s"), at(definition.Skill, definition.User, ".agents/skills", "s"),
		}, []string{
			"s ~/.agents/skills/s loaded ",
			"s .claude/commands/s shadowed ",
		}},
		{"pi", []*definition.Definition{
			at(definition.Skill, definition.User, ".pi/agent/skills", "s"), at(definition.Skill, definition.Project, ".pi/skills", "s"),
		}, []string{
			"s .pi/skills/s loaded ",
			"s ~/.pi/agent/skills/s shadowed ",
		}},
	} {
		p, ok := registry.Lookup(tc.view)
		if !ok {
			t.Fatalf("no host %s", tc.view)
		}
		c := resolve.New(tc.found, p)
		var got []string
		for _, d := range c.All {
			got = append(got, d.Name+" "+d.Origin.Path+" "+d.State.String()+" "+clashCode(t, d))
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s", tc.view, diff)
		}
	}
}

// clashCode returns a definition's only clash code.
func clashCode(t *testing.T, d *definition.Definition) string {
	t.Helper()
	var codes []string
	for _, one := range d.Diagnostics {
		switch one.Code {
		case diag.DuplicateName, diag.DuplicateRandom, diag.NameRenamed:
			codes = append(codes, string(one.Code))
			if one.Message == "" || one.Fix == "" {
				t.Errorf("%s says too little", one.Code)
			}
		}
	}
	return strings.Join(codes, " ")
}

// TestDeepAlike checks that a deeply nested project skill wins over a shallow
// user skill, unless the view prefers names derived from the path.
func TestDeepAlike(t *testing.T) {
	for view, want := range map[string]string{"neutral": "~/.agents/skills/s", "copilot-cli": ".agents/skills/s"} {
		p, _ := registry.Lookup(view)
		deep := at(definition.Skill, definition.Project, ".agents/skills", "s")
		deep.Origin.Deep = true
		c := resolve.New([]*definition.Definition{at(definition.Skill, definition.User, ".agents/skills", "s"), deep}, p)
		if d := c.Get(definition.Skill, "s"); d == nil || d.Origin.Path != want {
			t.Errorf("%s: %v is active", view, d)
		}
	}
}

// TestRenamedDefinitionIsNotFound checks that renamed definitions are not found
// under their original name.
func TestRenamedDefinitionIsNotFound(t *testing.T) {
	p, _ := registry.Lookup("gemini")
	c := resolve.New([]*definition.Definition{
		at(definition.Command, definition.User, ".gemini/commands", "t"), at(definition.Command, definition.Project, ".gemini/commands", "t"),
	}, p)
	if d := c.Get(definition.Command, "t"); d != nil {
		t.Errorf("%s answers to t", d.Origin.Path)
	}
	if d := c.Get(definition.Command, "user.t"); d == nil {
		t.Error("nothing answers to user.t")
	}
}
