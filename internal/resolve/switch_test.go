package resolve

import (
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

func skill(name, path string, l definition.Layer) *definition.Definition {
	return &definition.Definition{
		Kind: definition.Skill, Name: name, Fields: definition.Fields{Name: name + "-alias"},
		Origin: definition.Origin{Layer: l, Path: path, Real: path},
	}
}

func view(t *testing.T, as string) *host.Profile {
	t.Helper()
	p, ok := registry.Lookup(as)
	if !ok {
		t.Fatalf("no host %s", as)
	}
	return p
}

func TestOverrides(t *testing.T) {
	found := func() []*definition.Definition {
		plug := skill("plug:other", "plugin", definition.Plugin)
		plug.Origin.Plugin = "plug"
		return []*definition.Definition{
			skill("off", "user", definition.User), skill("off", "project", definition.Project), skill("mine", "m", definition.Project),
			skill("plain", "p", definition.Project), plug,
		}
	}
	c := NewWithSwitches(found(), view(t, "claude-code"), Switches{Overrides: map[string]string{
		"off": host.OverrideOff, "mine": host.OverrideUserOnly, "plain": "anything", "plug:other": host.OverrideOff,
	}})
	if d := c.Get(definition.Skill, "off"); d != nil {
		t.Errorf("what is off is found: %s", d.Origin.Path)
	}
	if d := c.Get(definition.Skill, "off-alias"); d != nil {
		t.Errorf("what is off is found by its other name: %s", d.Origin.Path)
	}
	for _, d := range c.All {
		if d.Origin.Path == "user" && (d.State != definition.Disabled || d.ReasonCode != diag.SwitchedOff || d.Reason == "") {
			t.Errorf("%s: %s, %s", d.Name, d.State, d.Reason)
		}
		if d.Origin.Path == "project" && d.State != definition.Shadowed {
			t.Errorf("what it shadows is %s", d.State)
		}
	}
	if d := c.Get(definition.Skill, "mine"); d == nil || !d.Fields.DisableModelInvocation {
		t.Errorf("the user's alone: %+v", d)
	}
	for _, name := range []string{"plain", "plug:other"} {
		if d := c.Get(definition.Skill, name); d == nil || d.Fields.DisableModelInvocation {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func TestPluginOnly(t *testing.T) {
	for _, tc := range []struct {
		words []string
		want  map[string]definition.State
	}{
		{nil, map[string]definition.State{"s": definition.Loaded, "a": definition.Loaded, "i": definition.Loaded, "m": definition.Loaded}},
		{[]string{"skills"}, map[string]definition.State{"s": definition.Disabled, "a": definition.Loaded, "i": definition.Loaded, "m": definition.Loaded}},
		{[]string{"agents", "hooks"}, map[string]definition.State{"s": definition.Loaded, "a": definition.Disabled, "i": definition.Loaded, "m": definition.Loaded}},
		{[]string{"*"}, map[string]definition.State{"s": definition.Disabled, "a": definition.Disabled, "i": definition.Loaded, "m": definition.Loaded}},
	} {
		agent, instruction := skill("a", "a", definition.User), skill("i", "i", definition.Project)
		agent.Kind, instruction.Kind = definition.Agent, definition.Instruction
		c := NewWithSwitches([]*definition.Definition{
			skill("s", "s", definition.Project), agent, instruction, skill("m", "m", definition.Managed),
		}, view(t, "claude-code"), Switches{PluginOnly: tc.words})
		for _, d := range c.All {
			if d.State != tc.want[d.Name] {
				t.Errorf("%v: %s is %s", tc.words, d.Name, d.State)
			}
		}
	}
}

// TestNestedNames checks that Claude Code's current version keeps both definitions and that version
// 2.1.88 keeps only the first (m27).
func TestNestedNames(t *testing.T) {
	for as, want := range map[string]string{"claude-code": "web:same", "claude-code@2.1.88": "same"} {
		below := skill("same", "web/same", definition.Project)
		below.Origin.Nested, below.Origin.Distance = "web", 1000
		New([]*definition.Definition{skill("same", "same", definition.Project), below}, view(t, as))
		shadowed := below.State == definition.Shadowed
		if below.Name != want || shadowed != (as != "claude-code") {
			t.Errorf("%s: %q is %s", as, below.Name, below.State)
		}
	}
}
