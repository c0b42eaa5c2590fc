package resolve

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
)

// Get returns the definition that is in force under a name, or under an alias,
// or, for a plugin's, under its name without the plugin where only one has it.
func (c *Catalog) Get(k definition.Kind, name string) *definition.Definition {
	at := key{c.namespace(k), name}
	for _, m := range []map[key]*definition.Definition{c.names, c.aliases} {
		if d := m[at]; d != nil && (d.Kind == k || c.profile.SharedNames) {
			return d
		}
	}
	return c.pluginBareName(k, name)
}

// bare finds plug:name by name (Claude Code 2.1.329, case m32): by the name of
// its place before that of its frontmatter.
func (c *Catalog) pluginBareName(k definition.Kind, name string) *definition.Definition {
	if c.profile.BareName != nil && !c.profile.BareName(k) {
		return nil
	}
	d, several := c.onlyPlugin(k, func(d *definition.Definition) bool { return d.Name == d.Origin.Plugin+":"+name })
	if d == nil && !several && c.profile.BareSecond {
		d, _ = c.onlyPlugin(k, func(d *definition.Definition) bool { return slices.Contains(d.Aliases, d.Origin.Plugin+":"+name) })
	}
	return d
}

// only returns the one definition in force of a plugin for which is holds.
func (c *Catalog) onlyPlugin(k definition.Kind, is func(*definition.Definition) bool) (one *definition.Definition, several bool) {
	for _, d := range c.fromPlugins {
		if d.Kind != k || d.State != definition.Loaded || !is(d) {
			continue
		}
		if one != nil {
			return nil, true
		}
		one = d
	}
	return one, false
}

// Named returns everything that has a name, in force or not, in any kind. It
// searches all of them.
func (c *Catalog) Named(name string) []*definition.Definition {
	var list []*definition.Definition
	for _, d := range c.All {
		if HasName(d, name) {
			list = append(list, d)
		}
	}
	return list
}

// ShadowedBy returns those that would answer to a definition's name and are not in
// force because the file of that definition is.
func (c *Catalog) ShadowedBy(d *definition.Definition) []*definition.Definition {
	var list []*definition.Definition
	for _, other := range c.shadowed[d.Origin.Path] {
		if other.State == definition.Shadowed && HasName(other, d.Name) {
			list = append(list, other)
		}
	}
	return list
}

// Of returns the definitions of one kind, by name and strength.
func (c *Catalog) OfKind(k definition.Kind) []*definition.Definition {
	byKind := func(d *definition.Definition, k definition.Kind) int { return cmp.Compare(d.Kind, k) }
	from, _ := slices.BinarySearchFunc(c.All, k, byKind)
	to, _ := slices.BinarySearchFunc(c.All, k+1, byKind)
	return c.All[from:to]
}

// Answers reports whether a definition has a name, as its own or as an alias.
func HasName(d *definition.Definition, name string) bool {
	return d.Name == name || slices.Contains(d.Aliases, name)
}

// Names returns the names in force of a kind, sorted.
func (c *Catalog) Names(k definition.Kind) []string {
	names := []string{}
	for _, d := range c.OfKind(k) {
		if d.State == definition.Loaded {
			names = append(names, d.Name)
		}
	}
	return names
}

// Nearest returns up to three of the names that are most like one that was not
// found.
func Nearest(name string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var list []candidate
	if len(name) > 64 {
		return nil
	}
	limit := max(1, (len(name)+1)/3)
	for _, n := range names {
		last := n[strings.LastIndexByte(n, ':')+1:]
		d := min(Distance(name, n, limit), Distance(name, last, limit))
		if d <= limit || len(name) > 2 && strings.Contains(n, name) {
			list = append(list, candidate{n, d})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return a.distance - b.distance })
	var nearest []string
	for _, c := range list[:min(3, len(list))] {
		nearest = append(nearest, c.name)
	}
	return nearest
}

// Distance is how many letters are left out, added, replaced or swapped with the next
// between two texts; more than limit if that is not within it.
func Distance(a, b string, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
