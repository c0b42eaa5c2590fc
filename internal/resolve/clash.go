package resolve

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// clash returns what the host does when two definitions of kind k have the same name.
func (c *Catalog) clash(k definition.Kind) host.Clash {
	if c.profile.Clash == nil {
		return host.FirstWins
	}
	return c.profile.Clash(k)
}

// reportDuplicate reports that two definitions are active under the same name.
func reportDuplicate(d, first *definition.Definition) {
	reportPair(d, first, diag.DuplicateName, "%s has the same name; both are active, and the name alone is ambiguous", "rename one of them")
}

// reportNondeterministic reports that the host may use either of two definitions. It returns the
// reason that d is shadowed.
func (c *Catalog) reportNondeterministic(d, winner *definition.Definition) string {
	reportPair(d, winner, diag.DuplicateRandom,
		"%s has the same name, and which one "+c.profile.Name+" uses varies from run to run", "rename or remove one of them")
	return fmt.Sprintf("it takes precedence in Vade, but %s may use either one", c.profile.Name)
}

// reportPair reports a problem that two definitions cause together. It adds a diagnostic to each of
// them that does not already have one with the same code.
func reportPair(d, first *definition.Definition, code diag.Code, format, fix string) {
	report := func(of, with *definition.Definition) {
		for i := range of.Diagnostics {
			if of.Diagnostics[i].Code == code {
				return
			}
		}
		of.Diagnostics = append(of.Diagnostics, diag.For(of.Origin.Path, code, format, with.Origin.Path).WithFix("%s", fix))
	}
	report(d, first)
	report(first, d)
}

// rename renames definitions whose name is also used by a built-in command or by another definition
// of the same kind. Only some hosts do this, and only for some kinds. All definitions with the
// shared name are renamed, except those for which [Catalog.keepsName] returns true.
func (c *Catalog) rename() {
	if c.profile.Renamed == nil {
		return
	}
	groups, taken := map[key][]*definition.Definition{}, map[key]bool{}
	for _, d := range c.All {
		if d.State == definition.Loaded && c.renames(d) {
			k := key{d.Kind, d.Name}
			groups[k], taken[k] = append(groups[k], d), true
		}
	}
	for _, d := range c.All {
		shared := key{d.Kind, d.Name}
		group := groups[shared]
		own := c.isHostCommand(d)
		if d.State != definition.Loaded || len(group) == 0 || group[0] != d || !own && !c.needsRename(group) {
			continue
		}
		delete(groups, shared)
		for _, one := range group {
			if c.keepsName(one, group[0], own) {
				continue
			}
			name := c.profile.Renamed(one.Origin, one.Name)
			k := key{one.Kind, name}
			for n := 1; taken[k]; n++ {
				k.name = name + strconv.Itoa(n)
			}
			taken[k] = true
			why := fmt.Sprintf("another %s is also named %q", one.Kind, one.Name)
			if own {
				why = fmt.Sprintf("%s has a built-in command named %q", c.profile.Name, one.Name)
			}
			one.Diagnostics = append(one.Diagnostics, diag.For(one.Origin.Path, diag.NameRenamed,
				"%s, so %s renames this one to %q", why, c.profile.Name, k.name).WithFix("rename it"))
			one.Name = k.name
		}
	}
}

// renames reports whether the host renames a definition whose name is already in use.
func (c *Catalog) renames(d *definition.Definition) bool {
	switch c.clash(d.Kind) {
	case host.BothRenamed, host.PluginsYield:
		return true
	case host.PluginsRenamed:
		return d.Origin.Plugin != ""
	}
	return false
}

// keepsName reports whether d keeps its name although others have the same name. first is the
// definition with the highest precedence among those with the name. own is set if the host has a
// built-in command with the name.
func (c *Catalog) keepsName(d, first *definition.Definition, own bool) bool {
	return c.clash(d.Kind) == host.PluginsYield && (d.Origin.Plugin == "" || d == first && !own)
}

// needsRename reports whether definitions with the same name must be renamed.
func (c *Catalog) needsRename(group []*definition.Definition) bool {
	if c.clash(group[0].Kind) != host.PluginsRenamed {
		return len(group) > 1
	}
	return slices.ContainsFunc(group, func(d *definition.Definition) bool { return d.Origin.Plugin != group[0].Origin.Plugin })
}

// isHostCommand reports whether the host has a built-in command with the definition's name.
func (c *Catalog) isHostCommand(d *definition.Definition) bool {
	return d.Kind == definition.Command && c.profile.Prompt != nil && slices.Contains(c.profile.Prompt.Own, d.Name)
}
