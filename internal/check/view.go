package check

import (
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/version"
)

// readViews opens each host's view, and keeps of it what it says of the project.
func (k *Checker) readViews() error {
	k.views = make([]rules.View, len(k.Profiles))
	k.found = make([][]*definition.Definition, len(k.Profiles))
	k.catalogs = make([]*resolve.Catalog, len(k.Profiles))
	cut := make([][]rules.Finding, len(k.Profiles))
	err := catalog.SideBySide(len(k.Profiles), func(i int) error {
		p := k.Profiles[i]
		o := k.Options
		o.As = p.Name + "@" + p.Version
		c, err := catalog.Open(k.Ctx, o)
		if err != nil {
			return err
		}
		defer c.Close()
		all, err := c.Scan(k.Ctx)
		if err != nil {
			return err
		}
		view := rules.View{Host: p.Name, Outcomes: map[string][]rules.Outcome{}}
		for _, d := range all.All {
			if _, ok := k.neutral.ProjectPath(d); ok && d.Format != definition.Package {
				view.Outcomes[d.Origin.Real] = append(view.Outcomes[d.Origin.Real], outcome(d))
				k.found[i] = append(k.found[i], d)
				if d.Kind == definition.Agent && len(d.Fields.Skills()) > 0 {
					k.catalogs[i] = all
				}
			}
		}
		k.views[i] = view
		cut[i] = k.budget(c)
		return nil
	})
	k.cut = slices.Concat(cut...)
	return err
}

func outcome(d *definition.Definition) rules.Outcome {
	o := rules.Outcome{
		Kind: d.Kind, Name: d.Name, Path: d.Origin.Path, State: d.State, Code: d.ReasonCode, Reason: d.Reason, Diagnostics: d.Diagnostics,
	}
	if d.By != nil {
		o.By = d.By.Origin.Path
	}
	return o
}

// adopt adds to the definitions those that a host reads and the neutral view does
// not, and judges what no host reads where it is as if it stood in a place of
// theirs.
func (k *Checker) adopt() {
	for i := range k.found {
		for _, d := range k.found[i] {
			if d.State == definition.Dropped && d.ReasonCode == diag.NotRead || k.inSkill(d) != nil {
				continue
			}
			k.take(d)
		}
	}
	k.order()
}

// inSkill returns the skill in whose directory a definition stands, as another.
func (k *Checker) inSkill(d *definition.Definition) *checked {
	for dir := path.Dir(path.Dir(d.Origin.Real)); len(dir) > 1; dir = path.Dir(dir) {
		for _, name := range []string{"/SKILL.md", "/skill.md"} {
			if it := k.byReal[dir+name]; it != nil && it.d.Kind == definition.Skill && it.d.Origin.Real != d.Origin.Real {
				// A skill at the root of a directory of skills holds none of them.
				if it.d.Origin.Root != path.Dir(it.d.Origin.Path) {
					return it
				}
			}
		}
	}
	return nil
}

// nested reports the skills in the directories of others, which some hosts read.
func (k *Checker) nested() []rules.Finding {
	type inner struct {
		in    string
		hosts []string
	}
	skills := map[string]*inner{}
	for i := range k.found {
		for _, d := range k.found[i] {
			if d.Kind != definition.Skill || d.State != definition.Loaded {
				continue
			}
			p, ok := k.neutral.ProjectPath(d)
			it := k.inSkill(d)
			if !ok || it == nil {
				continue
			}
			if skills[p] == nil {
				skills[p] = &inner{in: it.path}
			}
			skills[p].hosts = append(skills[p].hosts, k.Profiles[i].Name)
		}
	}
	var list []rules.Finding
	for p, s := range skills {
		f := rules.Of(diag.For(p, diag.NestedSkill, "the skill stands in another, %s: only %s", s.in, readBy(s.hosts)).
			WithFix("move it beside the other, or give the file another name if it is only a part of it"))
		f.Hosts = s.hosts
		list = append(list, f)
	}
	return list
}

func readBy(hosts []string) string {
	if len(hosts) == 1 {
		return hosts[0] + " reads it"
	}
	return strings.Join(hosts, ", ") + " read it"
}

// viewsOf returns what the hosts make of a definition. Where one does not look
// because the definition is in no host's directory, or in a directory below that it
// would read if one worked there, it is what the host would make of it.
func (k *Checker) viewsOf(it *checked, data []byte) []rules.View {
	real := it.d.Origin.Real
	views := make([]rules.View, len(k.views))
	for i, p := range k.Profiles {
		views[i] = k.views[i]
		found := k.views[i].Outcomes[real]
		notRead := !slices.ContainsFunc(found, func(o rules.Outcome) bool { return o.Code != diag.NotRead })
		if it.apart && notRead || len(found) == 0 && k.would(p, it) {
			views[i] = rules.View{Host: p.Name}
			if d := asIf(p, it.d, it.path, data); d != nil {
				views[i].Outcomes = map[string][]rules.Outcome{real: {outcome(d)}}
			}
		}
	}
	return views
}

// would reports whether a host reads the directory of a definition, though not
// from where it works now.
func (k *Checker) would(p *host.Profile, it *checked) bool {
	return it.d.Origin.Nested != "" && slices.ContainsFunc(p.Roots, func(r host.Root) bool {
		label := catalog.Place(&r)
		return r.Layer == definition.Project && label != "" && (strings.HasSuffix(it.d.Origin.Root, "/"+label) || it.d.Origin.Root == label) &&
			slices.ContainsFunc(r.Rules, func(x host.Rule) bool { return x.Kind == it.d.Kind && x.Skip == "" })
	})
}

// asIf parses a definition as a host would in the first of its directories for the
// kind; nil where it has none.
func asIf(p *host.Profile, like *definition.Definition, shown string, data []byte) *definition.Definition {
	return catalog.ParsedAt(p, parse.Parser(p, version.Number), like, shown, data)
}
