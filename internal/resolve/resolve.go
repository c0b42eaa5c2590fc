// Package resolve decides, among everything that was found, what is in force:
// names, precedence, shadowing, aliases, and one order for all of it.
package resolve

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
)

// Catalog is every definition that was found, resolved for one view. It does
// not change once it is made.
type Catalog struct {
	// All are the definitions by kind, name and strength.
	All []*definition.Definition

	profile *host.Profile
	names   map[key]*definition.Definition
	aliases map[key]*definition.Definition
	// plugged are those of plugins, in the order of All. hidden are those that
	// another of the name keeps out of force, by the path of that.
	fromPlugins []*definition.Definition
	shadowed    map[string][]*definition.Definition
}

// key is a name in its set of names.
type key struct {
	namespace definition.Kind
	name      string
}

// New resolves definitions for the view of a profile. It sets the state, the
// reason and the aliases of each.
func New(found []*definition.Definition, p *host.Profile) *Catalog {
	c := &Catalog{
		All: slices.Clone(found), profile: p,
		names: make(map[key]*definition.Definition, len(found)), aliases: map[key]*definition.Definition{},
	}
	ranks := layerRanks(p)
	slices.SortFunc(c.All, func(a, b *definition.Definition) int { return c.strength(&ranks, a, b) })
	// A manifest may name a directory that is looked into anyway: what is found
	// twice by one path is found once.
	c.All = slices.CompactFunc(c.All, func(a, b *definition.Definition) bool {
		return a.Kind == b.Kind && a.Origin.Path == b.Origin.Path && a.Origin.Real == b.Origin.Real && a.Name == b.Name
	})
	c.sameFiles()
	c.fallbacks()
	c.rename()
	for _, d := range c.All {
		c.claim(d)
	}
	for _, d := range c.All {
		c.alias(d)
	}
	slices.SortStableFunc(c.All, func(a, b *definition.Definition) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name))
	})
	c.index()
	return c
}

// index finds once what lookups would search everything for.
func (c *Catalog) index() {
	for _, d := range c.All {
		if d.Origin.Plugin != "" {
			c.fromPlugins = append(c.fromPlugins, d)
		}
		if d.State != definition.Shadowed || d.ReplacedBy == nil {
			continue
		}
		if c.shadowed == nil {
			c.shadowed = map[string][]*definition.Definition{}
		}
		c.shadowed[d.ReplacedBy.Origin.Path] = append(c.shadowed[d.ReplacedBy.Origin.Path], d)
	}
}

// layerRanks numbers the layers of each kind, the strongest lowest.
func layerRanks(p *host.Profile) [5][8]int {
	var ranks [5][8]int
	for _, k := range definition.Kinds {
		for l := range ranks[k] {
			ranks[k][l] = len(ranks[k])
		}
		for i, l := range p.Precedence(k) {
			ranks[k][l] = i
		}
	}
	return ranks
}

// strength orders definitions so that the one that wins a name comes first.
// Where a name is the place of the file, it beats one that has to be searched
// for; files beat links to them, so that a file is shown where it stands.
func (c *Catalog) strength(ranks *[5][8]int, a, b *definition.Definition) int {
	x, y := &a.Origin, &b.Origin
	deep := !c.profile.DeepAlike
	return cmp.Or(
		cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(isTrue(x.Nested != ""), isTrue(y.Nested != "")),
		cmp.Compare(isTrue(deep && x.Deep), isTrue(deep && y.Deep)),
		cmp.Compare(ranks[a.Kind][x.Layer], ranks[b.Kind][y.Layer]),
		cmp.Compare(x.Distance, y.Distance),
		cmp.Compare(isTrue(x.Linked), isTrue(y.Linked)),
		cmp.Compare(x.Row, y.Row),
		strings.Compare(x.Path, y.Path),
		strings.Compare(a.Name, b.Name),
	)
}

func isTrue(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sameFiles drops all but the first of the definitions that are one file, by
// their canonical paths.
func (c *Catalog) sameFiles() {
	type identity struct {
		kind definition.Kind
		real string
	}
	first := make(map[identity]*definition.Definition, len(c.All))
	for _, d := range c.All {
		if d.State == definition.Dropped {
			continue
		}
		id := identity{d.Kind, d.Origin.Real}
		one, seen := first[id]
		if !seen {
			first[id] = d
			continue
		}
		setState(d, definition.Dropped, diag.SameFile, "the same file as %s", one.Origin.Path)
		d.ReplacedBy = one
		if c.profile.LinkNames && d.Name != one.Name && len(one.Aliases) < maxAliases && !slices.Contains(one.Aliases, d.Name) {
			one.Aliases = append(one.Aliases, d.Name)
		}
	}
}

// maxAliases is the number of names that links may give to one file.
const maxAliases = 64

// fallbacks drops the instruction files that are read only where the project
// has none of others.
func (c *Catalog) fallbacks() {
	for _, f := range c.profile.Fallbacks {
		if f.Beside {
			c.siblingFallbacks(f)
			continue
		}
		instead := ""
		for _, d := range c.All {
			// What stands below the working directory is read later, if at all.
			if d.Origin.Nested == "" && c.instructionFile(d, layerOf(f), f.Unless) {
				instead = d.Origin.Path
				break
			}
		}
		if instead == "" {
			continue
		}
		for _, d := range c.All {
			if c.instructionFile(d, layerOf(f), f.Files) {
				setState(d, definition.Dropped, diag.NotRead, "not read because there is %s", instead)
			}
		}
	}
}

// beside drops those in whose own directory there is one of the others.
func (c *Catalog) siblingFallbacks(f host.Fallback) {
	instead := map[string]string{}
	for _, d := range c.All {
		if c.instructionFile(d, d.Origin.Layer, f.Unless) {
			instead[path.Dir(d.Origin.Path)] = d.Origin.Path
		}
	}
	for _, d := range c.All {
		if by := instead[path.Dir(d.Origin.Path)]; by != "" && c.instructionFile(d, d.Origin.Layer, f.Files) {
			setState(d, definition.Dropped, diag.NotRead, "not read because there is %s", by)
		}
	}
}

func layerOf(f host.Fallback) definition.Layer { return cmp.Or(f.Layer, definition.Project) }

// instructionFile reports whether a definition is an instruction file of a layer that
// is looked for by one of the names.
func (c *Catalog) instructionFile(d *definition.Definition, l definition.Layer, names []string) bool {
	if d.Kind != definition.Instruction || d.State != definition.Loaded || d.Origin.Layer != l || int(d.Origin.Row) >= len(c.profile.Roots) {
		return false
	}
	rules := c.profile.Roots[d.Origin.Row].Rules
	return len(rules) == 1 && slices.Contains(names, rules[0].File)
}

// space is the set of names that a kind has.
func (c *Catalog) namespace(k definition.Kind) definition.Kind {
	if c.profile.SharedNames && k == definition.Command {
		return definition.Skill
	}
	return k
}

// claim gives a definition its name, or marks it as shadowed. Instructions are
// all in force, whatever their names.
func (c *Catalog) claim(d *definition.Definition) {
	if d.State != definition.Loaded {
		return
	}
	k := key{c.namespace(d.Kind), d.Name}
	winner := c.names[k]
	if winner != nil && d.Origin.Nested != "" && d.Kind != definition.Instruction && !c.profile.NestedShadowed {
		// Claude Code 2.1.329 keeps both and names the nested one by its
		// directory (case m27).
		d.Name = d.Origin.Nested + ":" + d.Name
		k.name = d.Name
		winner = c.names[k]
	}
	switch {
	case winner == nil:
		c.names[k] = d
	case d.Kind == definition.Instruction:
	case c.clash(d.Kind) == host.BothLoad && d.Kind == winner.Kind:
		reportDuplicate(d, winner)
	default:
		c.shadow(d, winner)
	}
}

func (c *Catalog) shadow(d, winner *definition.Definition) {
	d.ReplacedBy = winner
	a, b := &d.Origin, &winner.Origin
	why := fmt.Sprintf("the %s layer comes before the %s layer", b.Layer, a.Layer)
	switch {
	case d.Kind != winner.Kind:
		why = fmt.Sprintf("a %s comes before a %s of the same name", winner.Kind, d.Kind)
	case c.clash(d.Kind) == host.AnyWins:
		why = c.reportNondeterministic(d, winner)
	case a.Deep && !b.Deep && !c.profile.DeepAlike:
		why = "a definition directly below its root comes before a deeper one"
	case a.Layer == b.Layer && a.Distance != b.Distance:
		why = "it is nearer to the working directory"
	case a.Layer == b.Layer && a.Row != b.Row:
		why = fmt.Sprintf("%s comes before %s", b.Root, a.Root)
	case a.Layer == b.Layer:
		why = "its path comes first"
		d.Diagnostics = append(d.Diagnostics, diag.For(a.Path, diag.Tie, "%s has the same name and nothing but its path decides", b.Path).
			WithFix("rename one of them"))
	}
	setState(d, definition.Shadowed, diag.ShadowedBy, "%s is in force: %s", b.Path, why)
}

func setState(d *definition.Definition, s definition.State, code diag.Code, format string, args ...any) {
	d.State, d.ReasonCode, d.Reason = s, code, fmt.Sprintf(format, args...)
}

// alias gives a definition its further names, as far as nothing else has them.
func (c *Catalog) alias(d *definition.Definition) {
	if d.State != definition.Loaded {
		return
	}
	wanted := d.Aliases
	if d.Kind == definition.Skill || d.Kind == definition.Command {
		if n := d.Fields.Name; n != "" && !strings.ContainsFunc(n, chars.IsSpace) {
			wanted = append(wanted, d.Prefix+n)
		}
	}
	for _, a := range d.Fields.Aliases() {
		wanted = append(wanted, d.Prefix+a)
	}
	d.Aliases = nil
	for _, a := range wanted {
		k := key{c.namespace(d.Kind), a}
		if a == d.Name || slices.Contains(d.Aliases, a) {
			continue
		}
		if other := cmp.Or(c.names[k], c.aliases[k]); other != nil {
			if d.Origin.Layer == definition.Bundled && other.Origin.Layer != definition.Bundled {
				// What is bundled gives way; nothing is wrong in it.
				continue
			}
			d.Diagnostics = append(d.Diagnostics, diag.For(d.Origin.Path, diag.AliasTaken, "the further name %q is taken by %s", a, other.Origin.Path).
				WithFix("choose another name in the frontmatter"))
			continue
		}
		c.aliases[k] = d
		d.Aliases = append(d.Aliases, a)
	}
}
