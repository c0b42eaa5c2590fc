// Package resolve decides which of the discovered definitions are active. It
// handles names, precedence, shadowing and aliases, and sorts the result.
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

// Catalog holds all discovered definitions, resolved for one view. It is immutable.
type Catalog struct {
	// All lists the definitions sorted by kind, name and precedence.
	All []*definition.Definition

	profile *host.Profile
	names   map[key]*definition.Definition
	aliases map[key]*definition.Definition
	// fromPlugins contains the plugins' definitions, in the same order as All. shadowed maps the
	// path of an active definition to the definitions that it shadows.
	fromPlugins []*definition.Definition
	shadowed    map[string][]*definition.Definition
}

// key is a name together with the kind of definition that it is looked up as. Kinds that share
// their names have the same namespace.
type key struct {
	namespace definition.Kind
	name      string
}

// New resolves definitions for a profile's view. It sets each definition's
// state, reason and aliases.
func New(found []*definition.Definition, p *host.Profile) *Catalog {
	c := &Catalog{
		All: slices.Clone(found), profile: p,
		names: make(map[key]*definition.Definition, len(found)), aliases: map[key]*definition.Definition{},
	}
	ranks := layerRanks(p)
	slices.SortFunc(c.All, func(a, b *definition.Definition) int { return c.strength(&ranks, a, b) })
	// A directory named in a manifest may also be a root. Drop the duplicates.
	c.All = slices.CompactFunc(c.All, func(a, b *definition.Definition) bool {
		return a.Kind == b.Kind && a.Origin.Path == b.Origin.Path && a.Origin.Real == b.Origin.Real && a.Name == b.Name
	})
	c.sameFiles()
	c.fallbacks()
	c.rename()
	if p.MergesAgents {
		c.mergeAgents()
	}
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

// index precomputes the results of frequent lookups.
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

// layerRanks returns, for each kind, the ranks of the layers. The layer with the highest precedence
// has rank 0.
func layerRanks(p *host.Profile) [len(definition.Kinds) + 1][8]int {
	var ranks [len(definition.Kinds) + 1][8]int
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

// strength orders definitions by precedence, highest first. A definition whose path follows from
// its name wins over one that is found only by scanning a directory. In the neutral view, a file
// wins over a symlink to it, so that the file is shown at its real location. Hosts use whichever
// they read first (Claude Code 2.1.330, case h60; pi 0.73.1, case h08).
func (c *Catalog) strength(ranks *[len(definition.Kinds) + 1][8]int, a, b *definition.Definition) int {
	x, y := &a.Origin, &b.Origin
	deep, linked := !c.profile.DeepAlike, c.profile.LinkNames
	return cmp.Or(
		cmp.Compare(c.kindRank(a), c.kindRank(b)),
		cmp.Compare(isTrue(x.Nested != ""), isTrue(y.Nested != "")),
		cmp.Compare(isTrue(deep && x.Deep), isTrue(deep && y.Deep)),
		cmp.Compare(ranks[a.Kind][x.Layer], ranks[b.Kind][y.Layer]),
		cmp.Compare(x.Distance, y.Distance),
		cmp.Compare(isTrue(linked && x.Linked), isTrue(linked && y.Linked)),
		cmp.Compare(x.Row, y.Row),
		c.inRoot(a, b),
		strings.Compare(a.Name, b.Name),
	)
}

// kindRank returns the rank of a definition's kind. If the host sets PluginCommandsFirst, plugins'
// skills and commands rank below all other definitions, and a plugin's definitions are ordered as
// follows: workflows, commands, skills.
func (c *Catalog) kindRank(d *definition.Definition) int {
	rank := int(d.Kind)
	if d.Origin.Plugin != "" && d.Kind.Callable() && c.profile.PluginCommandsFirst {
		return 2*len(definition.Kinds) - rank
	}
	return rank
}

// inRoot compares two definitions by Origin.Order and then by path. If both are in the same root
// and the host uses the last definition in a root, inRoot reverses the order.
func (c *Catalog) inRoot(a, b *definition.Definition) int {
	if c.clash(a.Kind) == host.LastWins && a.Origin.Root == b.Origin.Root {
		a, b = b, a
	}
	return cmp.Or(cmp.Compare(a.Origin.Order, b.Origin.Order), strings.Compare(a.Origin.Path, b.Origin.Path))
}

func isTrue(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sameFiles handles definitions that are the same file, such as a file and a symlink to it. For
// each file and kind, it drops all definitions except the first.
func (c *Catalog) sameFiles() {
	type identity struct {
		kind         definition.Kind
		real, plugin string
	}
	first := make(map[identity]*definition.Definition, len(c.All))
	for _, d := range c.All {
		if d.State == definition.Dropped {
			continue
		}
		id := identity{kind: d.Kind, real: d.Origin.Real}
		if d.Kind != definition.Skill {
			// If plugins share a directory, each of them gets the files there, but a skill belongs
			// to only one of the plugins (Claude Code 2.1.330).
			id.plugin = d.Origin.Plugin
		}
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

// mergeAgents fills in an agent's missing description and mode from agents with the same name and
// lower precedence. If any of these agents is disabled, the agent is disabled too.
func (c *Catalog) mergeAgents() {
	first := map[string]*definition.Definition{}
	for _, d := range c.All {
		if d.Kind != definition.Agent || d.State == definition.Dropped {
			continue
		}
		one := first[d.Name]
		if one == nil {
			first[d.Name] = d
			continue
		}
		one.Description = cmp.Or(one.Description, d.Description)
		one.Fields.SetText(definition.FieldMode, cmp.Or(one.Fields.Text(definition.FieldMode), d.Fields.Text(definition.FieldMode)))
		for _, pair := range [][2]*definition.Definition{{one, d}, {d, one}} {
			if pair[0].State == definition.Disabled && pair[1].State == definition.Loaded {
				setState(pair[1], definition.Disabled, diag.SwitchedOff, "%s disables the agent; to enable it, remove the disable field from that file", pair[0].Origin.Path)
			}
		}
	}
}

// maxAliases is the maximum number of names that symlinks can give to one file.
const maxAliases = 64

// fallbacks drops instruction files that the host does not read because certain other files exist.
func (c *Catalog) fallbacks() {
	for _, f := range c.profile.Fallbacks {
		if f.SameDir {
			c.siblingFallbacks(f)
			continue
		}
		instead := ""
		for _, d := range c.All {
			// Ignore files below the working directory: the host may read them later, but they do
			// not affect which fallback files it reads.
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
				setState(d, definition.Dropped, diag.NotRead, "not read because %s takes precedence", instead)
			}
		}
	}
}

// siblingFallbacks drops an instruction file if its directory also contains a file that the host
// prefers.
func (c *Catalog) siblingFallbacks(f host.Fallback) {
	instead := map[string]string{}
	for _, d := range c.All {
		if c.instructionFile(d, d.Origin.Layer, f.Unless) {
			instead[path.Dir(d.Origin.Path)] = d.Origin.Path
		}
	}
	for _, d := range c.All {
		if by := instead[path.Dir(d.Origin.Path)]; by != "" && c.instructionFile(d, d.Origin.Layer, f.Files) {
			setState(d, definition.Dropped, diag.NotRead, "not read because %s takes precedence", by)
		}
	}
}

func layerOf(f host.Fallback) definition.Layer { return cmp.Or(f.Layer, definition.Project) }

// instructionFile reports whether d is a loaded instruction file in layer l that has one of the
// given names. It considers only roots with a single rule, which specifies the file's name.
func (c *Catalog) instructionFile(d *definition.Definition, l definition.Layer, names []string) bool {
	if d.Kind != definition.Instruction || d.State != definition.Loaded || d.Origin.Layer != l ||
		int(d.Origin.Row) >= len(c.profile.Roots) {
		return false
	}
	rules := c.profile.Roots[d.Origin.Row].Rules
	return len(rules) == 1 && slices.Contains(names, rules[0].File)
}

func (c *Catalog) namespace(k definition.Kind) definition.Kind {
	if c.profile.SharedNames && k.Callable() {
		return definition.Skill
	}
	return k
}

// claim registers a definition under its name, or marks it as shadowed. All instructions are
// active, regardless of their names.
func (c *Catalog) claim(d *definition.Definition) {
	if d.State != definition.Loaded {
		return
	}
	k := key{c.namespace(d.Kind), d.Name}
	winner := c.names[k]
	if winner != nil && d.Origin.Nested != "" && d.Kind != definition.Instruction && !c.profile.NestedShadowed {
		// Claude Code 2.1.329 keeps both definitions and prefixes the nested
		// one with its directory (case m27).
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
	why := fmt.Sprintf("the %s layer takes precedence over the %s layer", b.Layer, a.Layer)
	switch {
	case d.Kind != winner.Kind:
		why = fmt.Sprintf("%s takes precedence over %s with the same name", chars.WithArticle(winner.Kind.String()), chars.WithArticle(d.Kind.String()))
	case c.clash(d.Kind) == host.AnyWins:
		why = c.reportNondeterministic(d, winner)
	case a.Deep && !b.Deep && !c.profile.DeepAlike:
		why = "a definition directly under its root takes precedence over a deeper one"
	case a.Layer == definition.Plugin && a.Distance != b.Distance:
		why = "its plugin or directory comes first"
	case a.Layer == b.Layer && a.Distance != b.Distance:
		why = "it is nearer to the working directory"
	case a.Layer == b.Layer && a.Row != b.Row:
		why = fmt.Sprintf("%s takes precedence over %s", b.Root, a.Root)
	case a.Layer == b.Layer:
		why = "its path comes first"
		if c.clash(d.Kind) == host.LastWins {
			why = "its path comes last"
		}
		d.Diagnostics = append(d.Diagnostics, diag.For(a.Path, diag.Tie, "%s has the same name, and only the path determines which one is active", b.Path).
			WithFix("rename one of them"))
	}
	setState(d, definition.Shadowed, diag.ShadowedBy, "%s is active: %s", b.Path, why)
}

func setState(d *definition.Definition, s definition.State, code diag.Code, format string, args ...any) {
	d.State, d.ReasonCode, d.Reason = s, code, fmt.Sprintf(format, args...)
}

// alias registers a definition's aliases. It skips those that are already the name or an alias of
// another definition.
func (c *Catalog) alias(d *definition.Definition) {
	if d.State != definition.Loaded {
		return
	}
	wanted := d.Aliases
	if d.Kind == definition.Skill || d.Kind == definition.Command {
		if n := d.Fields.Name; n != "" && !strings.ContainsFunc(n, chars.IsSpace) {
			wanted = append(wanted, d.SecondName())
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
		if p := c.profile.Prompt; p != nil && a == d.SecondName() && slices.Contains(p.Own, a) {
			continue
		}
		if other := cmp.Or(c.names[k], c.aliases[k]); other != nil {
			if d.Origin.Layer == definition.Bundled && other.Origin.Layer != definition.Bundled {
				// If a bundled definition's alias is taken, drop the alias without a diagnostic.
				continue
			}
			d.Diagnostics = append(d.Diagnostics, diag.For(d.Origin.Path, diag.AliasTaken, "the alias %q is already used by %s", a, other.Origin.Path).
				WithFix("choose another name in the frontmatter"))
			continue
		}
		c.aliases[k] = d
		d.Aliases = append(d.Aliases, a)
	}
}
