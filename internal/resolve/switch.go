package resolve

import (
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// Switches are the settings of a host that switch definitions off. The zero
// value switches nothing.
type Switches struct {
	// Overrides are the words Override… of package host by the names of skills
	// and commands. They do not count for those of plugins.
	Overrides map[string]string
	// PluginOnly are the kinds, as the words PluginOnly… of package host, that
	// the user and the project may not bring.
	PluginOnly []string
}

// NewSwitched is New for a view in which settings switch definitions off. What
// may come from plugins only is not in force at all; an override takes the name
// out of use, so that nothing weaker gets it.
func NewWithSwitches(found []*definition.Definition, p *host.Profile, s Switches) *Catalog {
	for _, d := range found {
		if d.State == definition.Loaded && s.pluginOnly(d) {
			setState(d, definition.Disabled, diag.SwitchedOff, "the managed settings take this kind from plugins only")
		}
	}
	c := New(found, p)
	if len(s.Overrides) == 0 {
		return c
	}
	for _, d := range c.All {
		if d.State == definition.Loaded && (d.Kind == definition.Skill || d.Kind == definition.Command) && d.Origin.Plugin == "" {
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

// override does what a setting says of one definition.
func (c *Catalog) override(d *definition.Definition, word string) {
	switch word {
	case host.OverrideOff:
		setState(d, definition.Disabled, diag.SwitchedOff, "the settings switch it off")
		delete(c.names, key{c.namespace(d.Kind), d.Name})
		for _, a := range d.Aliases {
			delete(c.aliases, key{c.namespace(d.Kind), a})
		}
	case host.OverrideUserOnly:
		d.Fields.DisableModelInvocation = true
	}
}
