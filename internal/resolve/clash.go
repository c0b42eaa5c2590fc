package resolve

import (
	"fmt"
	"strconv"

	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/diag"
	"github.com/vadehq/vade/internal/host"
)

// clash is what becomes of two definitions of a kind with one name.
func (c *Catalog) clash(k definition.Kind) host.Clash {
	if c.profile.Clash == nil {
		return host.FirstWins
	}
	return c.profile.Clash(k)
}

// alike reports that two definitions are in force under one name.
func alike(d, first *definition.Definition) {
	both(d, first, diag.DuplicateName, "%s has the same name: both are in force, and the name alone means neither", "rename one of them")
}

// chance reports that the host may take either of two definitions, and says why
// one is taken here.
func (c *Catalog) chance(d, winner *definition.Definition) string {
	both(d, winner, diag.DuplicateRandom,
		"%s has the same name, and which of them "+c.profile.Name+" takes differs from run to run", "rename one of them, or take one out")
	return fmt.Sprintf("it comes first here, while %s may take either", c.profile.Name)
}

// both reports a problem of two definitions with each other; of several the first
// gets it once.
func both(d, first *definition.Definition, code diag.Code, format, fix string) {
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

// rename gives the definitions that share a name with another of their kind the
// names that tell them apart, in the kinds where the host does so. None keeps the
// shared one.
func (c *Catalog) rename() {
	if c.profile.Renamed == nil {
		return
	}
	groups, taken := map[key][]*definition.Definition{}, map[key]bool{}
	for _, d := range c.All {
		if d.State == definition.Loaded && c.clash(d.Kind) == host.BothRenamed {
			k := key{d.Kind, d.Name}
			groups[k], taken[k] = append(groups[k], d), true
		}
	}
	for _, d := range c.All {
		shared := key{d.Kind, d.Name}
		group := groups[shared]
		if d.State != definition.Loaded || len(group) < 2 || group[0] != d {
			continue
		}
		delete(groups, shared)
		for _, one := range group {
			name := c.profile.Renamed(one.Origin, one.Name)
			k := key{one.Kind, name}
			for n := 1; taken[k]; n++ {
				k.name = name + strconv.Itoa(n)
			}
			taken[k] = true
			one.Diagnostics = append(one.Diagnostics, diag.For(one.Origin.Path, diag.NameRenamed,
				"another %s is called %q as well: %s calls this one %q", one.Kind, one.Name, c.profile.Name, k.name).
				WithFix("rename one of them"))
			one.Name = k.name
		}
	}
}
