package resolve

import (
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// Switches are host settings that disable definitions. The zero value disables nothing.
type Switches struct {
	// Overrides maps names of skills, commands and workflows to Override constants in package host.
	// It does not apply to the definitions of plugins.
	Overrides map[string]string
	// PluginOnly lists the kinds that are disabled in user and project directories. Its items are
	// PluginOnly constants in package host.
	PluginOnly []string
}

// NewWithSwitches is like [New] but also applies settings that disable definitions. A definition
// that PluginOnly excludes does not claim its name, so a lower-precedence definition with that name
// is active. A definition that an override disables does claim its name, so lower-precedence
// definitions stay shadowed.
func NewWithSwitches(found []*definition.Definition, p *host.Profile, s Switches) *Catalog {
	for _, d := range found {
		if d.State == definition.Loaded && s.pluginOnly(d) {
			setState(d, definition.Disabled, diag.SwitchedOff, "the managed settings allow this kind only in plugins")
		}
	}
	c := New(found, p)
	if len(s.Overrides) == 0 {
		return c
	}
	for _, d := range c.All {
		if d.State == definition.Loaded && d.Kind.Callable() && d.Origin.Plugin == "" {
			c.override(d, s.Overrides[d.Name])
		}
	}
	return c
}

func (s *Switches) pluginOnly(d *definition.Definition) bool {
	if len(s.PluginOnly) == 0 || d.Origin.Layer != definition.User && d.Origin.Layer != definition.Project {
		return false
	}
	word := ""
	switch d.Kind {
	case definition.Skill, definition.Command:
		word = host.PluginOnlySkills
	case definition.Agent:
		word = host.PluginOnlyAgents
	}
	return word != "" && (slices.Contains(s.PluginOnly, word) || slices.Contains(s.PluginOnly, host.PluginOnlyAll))
}

func (c *Catalog) override(d *definition.Definition, word string) {
	switch word {
	case host.OverrideOff:
		setState(d, definition.Disabled, diag.SwitchedOff, "the settings disable it")
		delete(c.names, key{c.namespace(d.Kind), d.Name})
		for _, a := range d.Aliases {
			delete(c.aliases, key{c.namespace(d.Kind), a})
		}
	case host.OverrideUserOnly:
		d.Fields.DisableModelInvocation = true
	}
}
