package resolve

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
)

// Get returns the active definition with the given name or alias, or nil if there is none. The
// plugin's name may be omitted from a plugin definition's name if the result is unambiguous.
func (c *Catalog) Get(k definition.Kind, name string) *definition.Definition {
	at := key{c.namespace(k), name}
	for _, m := range []map[key]*definition.Definition{c.names, c.aliases} {
		if d := m[at]; d != nil && (d.Kind == k || c.profile.SharedNames) {
			return d
		}
	}
	return c.pluginBareName(k, name)
}

// pluginBareName finds the plugin definition plug:name by its bare name (Claude Code 2.1.329, case
// m32). A name derived from the path takes precedence over a name in the frontmatter.
func (c *Catalog) pluginBareName(k definition.Kind, name string) *definition.Definition {
	var d *definition.Definition
	var several bool
	if c.profile.BareName == nil || c.profile.BareName(k) {
		d, several = c.onlyPlugin(k, func(d *definition.Definition) bool { return d.Name == d.Origin.Plugin+":"+name })
	}
	if d == nil && !several && c.profile.BareSecond {
		d, _ = c.onlyPlugin(k, func(d *definition.Definition) bool { return slices.Contains(d.Aliases, d.Origin.Plugin+":"+name) })
	}
	return d
}

// onlyPlugin returns the active plugin definition of kind k for which is returns true. If there is
// more than one, it returns nil and several is true.
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

// Named returns all definitions with the given name, of any kind and in any state. It uses a linear
// search.
func (c *Catalog) Named(name string) []*definition.Definition {
	var list []*definition.Definition
	for _, d := range c.All {
		if HasName(d, name) {
			list = append(list, d)
		}
	}
	return list
}

// ShadowedBy returns the definitions with the same name that are inactive because d is active.
func (c *Catalog) ShadowedBy(d *definition.Definition) []*definition.Definition {
	var list []*definition.Definition
	for _, other := range c.shadowed[d.Origin.Path] {
		if other.State == definition.Shadowed && HasName(other, d.Name) {
			list = append(list, other)
		}
	}
	return list
}

// OfKind returns all definitions of one kind, sorted by name and precedence.
func (c *Catalog) OfKind(k definition.Kind) []*definition.Definition {
	byKind := func(d *definition.Definition, k definition.Kind) int { return cmp.Compare(d.Kind, k) }
	from, _ := slices.BinarySearchFunc(c.All, k, byKind)
	to, _ := slices.BinarySearchFunc(c.All, k+1, byKind)
	return c.All[from:to]
}

// HasName reports whether name is the definition's name or one of its aliases.
func HasName(d *definition.Definition, name string) bool {
	return d.Name == name || slices.Contains(d.Aliases, name)
}

// Names returns the sorted names of a kind's active definitions.
func (c *Catalog) Names(k definition.Kind) []string {
	names := []string{}
	for _, d := range c.OfKind(k) {
		if d.State == definition.Loaded {
			names = append(names, d.Name)
		}
	}
	return names
}

// Nearest returns up to three names that are similar to an unknown name.
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

// Distance returns the edit distance between two strings in bytes, counting insertions, deletions,
// substitutions and swaps of adjacent bytes. If the distance exceeds limit, Distance may return any
// number greater than limit.
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
