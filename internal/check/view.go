package check

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/instructions"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/version"
)

// readViews finds the project's definitions as each host would, and records what the host does with
// them.
func (k *checker) readViews() error {
	k.views = make([]rules.View, len(k.profiles))
	k.found = make([][]*definition.Definition, len(k.profiles))
	k.catalogs = make([]*resolve.Catalog, len(k.profiles))
	cut := make([][]rules.Finding, len(k.profiles))
	err := catalog.Parallel(len(k.profiles), func(i int) error {
		p := k.profiles[i]
		o := k.options
		o.As = p.Name + "@" + p.Version
		c, err := catalog.Open(k.ctx, o)
		if err != nil {
			return err
		}
		defer c.Close()
		all, err := c.Scan(k.ctx)
		if err != nil {
			return err
		}
		imported, err := k.imported(c, all)
		if err != nil {
			return err
		}
		view := rules.View{Host: p.Name, Outcomes: map[string][]rules.Outcome{}}
		for _, d := range all.All {
			if _, ok := k.neutral.ProjectPath(d); ok && d.Format != definition.Package {
				o := outcome(d)
				if imported[d.Origin.Path] != "" {
					o.State, o.Code, o.Reason = definition.Loaded, "", ""
				}
				view.Outcomes[d.Origin.Real] = append(view.Outcomes[d.Origin.Real], o)
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
	k.budgetFindings = slices.Concat(cut...)
	return err
}

// imported returns the result of [instructions.Imported], or nil if the host reads all of the
// project's instruction files by itself.
func (k *checker) imported(c *catalog.Catalog, all *resolve.Catalog) (map[string]string, error) {
	if !slices.ContainsFunc(all.All, func(d *definition.Definition) bool {
		return d.Kind == definition.Instruction && d.ReasonCode == diag.NotRead
	}) {
		return nil, nil
	}
	return instructions.Imported(k.ctx, c)
}

func outcome(d *definition.Definition) rules.Outcome {
	o := rules.Outcome{
		Kind: d.Kind, Name: d.Name, State: d.State, Code: d.ReasonCode, Reason: d.Reason, Diagnostics: d.Diagnostics,
	}
	if d.ReplacedBy != nil {
		o.By = d.ReplacedBy.Origin.Path
	}
	return o
}

// addHostOnly adds the definitions that only a host finds, in addition to those that Vade finds
// without the rules of a particular host.
func (k *checker) addHostOnly() {
	for i := range k.found {
		for _, d := range k.found[i] {
			if d.State == definition.Dropped && d.ReasonCode == diag.NotRead || k.inSkill(d) != nil {
				continue
			}
			k.addDefinition(d)
		}
	}
	k.order()
}

// inSkill returns the outer skill whose directory contains a definition, or nil.
func (k *checker) inSkill(d *definition.Definition) *checked {
	for dir := path.Dir(path.Dir(d.Origin.Real)); len(dir) > 1; dir = path.Dir(dir) {
		for _, name := range []string{"/SKILL.md", "/skill.md"} {
			if it := k.byReal[dir+name]; it != nil && it.d.Kind == definition.Skill && it.d.Origin.Real != d.Origin.Real {
				// A skill at the root of a skills directory does not own its sibling skills.
				if it.d.Origin.Root != path.Dir(it.d.Origin.Path) {
					return it
				}
			}
		}
	}
	return nil
}

// nested reports skills that are inside another skill's directory and that some hosts load.
func (k *checker) nested() []rules.Finding {
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
			skills[p].hosts = append(skills[p].hosts, k.profiles[i].Name)
		}
	}
	var list []rules.Finding
	for p, s := range skills {
		f := rules.Of(diag.For(p, diag.NestedSkill, "the skill is nested inside another skill (%s), so only %s", s.in, readBy(s.hosts)).
			WithFix("move it next to the other skill, or rename the file if it is only part of that skill"))
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

// viewsOf returns what each host does with a definition. If a host does not read the definition at
// its path, but would read it in one of the host's own directories or when working in a
// subdirectory, the result describes how the host would load it there.
func (k *checker) viewsOf(it *checked, data []byte) []rules.View {
	real := it.d.Origin.Real
	views := make([]rules.View, len(k.views))
	for i, p := range k.profiles {
		views[i] = k.views[i]
		found := k.views[i].Outcomes[real]
		notRead := !slices.ContainsFunc(found, func(o rules.Outcome) bool { return o.Code != diag.NotRead })
		if it.unhosted && notRead || len(found) == 0 && k.wouldRead(p, it) {
			views[i] = rules.View{Host: p.Name}
			if d := catalog.ParsedAt(p, parse.Parser(p, version.Number), it.d, it.path, data); d != nil {
				views[i].Outcomes = map[string][]rules.Outcome{real: {outcome(d)}}
			}
		}
	}
	return views
}

// wouldRead reports whether a host would read the directory of a definition if it were working in
// the subdirectory that contains this directory.
func (k *checker) wouldRead(p *host.Profile, it *checked) bool {
	return it.d.Origin.Nested != "" && slices.ContainsFunc(p.Roots, func(r host.Root) bool {
		label := catalog.RootPath(&r)
		return r.Layer == definition.Project && label != "" && (strings.HasSuffix(it.d.Origin.Root, "/"+label) || it.d.Origin.Root == label) &&
			slices.ContainsFunc(r.Rules, func(x host.Rule) bool { return x.Kind == it.d.Kind && x.Skip == "" })
	})
}

// unreadGroup identifies the definitions of one kind in one directory that the same hosts do not
// read.
type unreadGroup struct {
	kind definition.Kind
	root string
	// hosts names the hosts that do not read the definitions. none names the hosts that have no
	// directory for definitions of this kind.
	hosts, none string
}

// unread reports definitions that some of the checked hosts do not read, grouped by directory. A
// host that has no directory for definitions of this kind is reported only if it is the only host
// that the user asked to check.
func (k *checker) unread() []rules.Finding {
	count, first := map[unreadGroup]int{}, map[unreadGroup]*checked{}
	targeted := k.targetsOneHost()
	for _, it := range k.items {
		if it.unhosted || it.d.State != definition.Loaded || it.d.Kind == definition.Instruction && !targeted {
			continue
		}
		var hosts, none []string
		for i, p := range k.profiles {
			if len(k.views[i].Outcomes[it.d.Origin.Real]) > 0 || k.hasCopy(i, it) || k.wouldRead(p, it) {
				continue
			}
			if has := len(p.RootsOf(it.d.Kind, host.InProject, host.InTop, host.InWorkDir)) > 0; has || targeted {
				hosts = append(hosts, p.Name)
				if !has {
					none = append(none, p.Name)
				}
			}
		}
		g := unreadGroup{it.d.Kind, it.d.Origin.Root, strings.Join(hosts, ", "), strings.Join(none, ", ")}
		if it.d.Kind == definition.Instruction {
			g.root = it.path
		}
		if len(hosts) > 0 {
			if count[g]++; first[g] == nil {
				first[g] = it
			}
		}
	}
	var list []rules.Finding
	for g, n := range count {
		list = append(list, k.unreadFinding(&g, n, first[g]))
	}
	return list
}

// hasCopy reports whether a host reads a copy of a definition.
func (k *checker) hasCopy(of int, it *checked) bool {
	return slices.ContainsFunc(k.copied[it.d.Origin.Path], func(real string) bool { return len(k.views[of].Outcomes[real]) > 0 })
}

func (k *checker) unreadFinding(g *unreadGroup, n int, first *checked) rules.Finding {
	subject := fmt.Sprintf("%d %s in %s", n, g.kind, g.root)
	switch {
	case g.kind == definition.Instruction:
		subject = "the file"
	case n > 1:
		subject = fmt.Sprintf("%d %ss in %s", n, g.kind, g.root)
	}
	f := rules.Of(diag.For(g.root, diag.RootUnread, "%s: not read by %s", subject, g.hosts))
	f.Hosts = strings.Split(g.hosts, ", ")
	if g.none != "" {
		verb := "does"
		if len(f.Hosts) > 1 {
			verb = "do"
		}
		f.Message += fmt.Sprintf(", which %s not support project-level %ss", verb, g.kind)
		return f
	}
	f.Fix = "to see where these hosts look, run: vade explain " + shell.ForShell(first.path)
	t := k.neutral.SourceOfTruth(k.all)
	switch sources := t.Project.Sources(); {
	case t.Synced && !catalog.UnderAny(sources, first.path):
		f.Fix = fmt.Sprintf("vade sync copies only definitions in %s; use vade import, or add %s to source in %s",
			strings.Join(sources, ", "), g.root, config.File)
	case t.Synced:
		f.Fix = "to create copies for them, run: vade sync --host " + strings.Join(f.Hosts, ",")
		if t.Project != nil && !slices.ContainsFunc(f.Hosts, func(h string) bool { return !slices.Contains(t.Project.Hosts, h) }) {
			f.Fix = "to create copies for them, run: vade sync"
		}
	}
	return f
}

// targetsOneHost reports whether the user asked to check part of the project for a single host.
func (k *checker) targetsOneHost() bool {
	return len(k.request.Hosts) > 0 && len(k.profiles) == 1 && len(k.scope) > 0
}

// raiseUnread turns findings about unread definitions into warnings if the check is for a single
// host that reads none of the definitions.
func (k *checker) raiseUnread(list []rules.Finding) {
	if !k.targetsOneHost() || len(k.items) == 0 {
		return
	}
	for _, it := range k.items {
		if it.unhosted || k.views[0].Loads(it.d.Origin.Real) || k.wouldRead(k.profiles[0], it) {
			return
		}
	}
	for i := range list {
		if f := &list[i]; f.Severity == diag.Info && (f.Code == diag.RootUnread || f.Code == diag.NotRead) {
			f.Severity = diag.Warning
		}
	}
}

// NameOf returns the name that a definition in the given file would have.
func NameOf(file string) string {
	if strings.EqualFold(path.Base(file), catalog.SkillFileName) {
		return path.Base(path.Dir(file))
	}
	stem, _, _ := strings.Cut(path.Base(file), ".")
	return stem
}

// danglingSkills reports skills that agents preload but that do not exist in the project or cannot
// be found by some hosts. The user's own skills do not count.
func (k *checker) danglingSkills() []rules.Finding {
	all, err := k.neutral.Scan(k.ctx)
	if err != nil {
		return nil
	}
	begins := func(d *definition.Definition) []string {
		if d.Kind != definition.Agent || d.State != definition.Loaded {
			return nil
		}
		return d.Fields.Skills()
	}
	var findings []rules.Finding
	for _, it := range k.items {
		for i, name := range begins(it.d) {
			if slices.Contains(begins(it.d)[:i], name) {
				continue
			}
			var hosts []string
			for i, found := range k.found {
				if k.catalogs[i] != nil && k.catalogs[i].Get(definition.Skill, name) == nil &&
					slices.ContainsFunc(found, func(d *definition.Definition) bool {
						return d.Origin.Real == it.d.Origin.Real && slices.Contains(begins(d), name)
					}) {
					hosts = append(hosts, k.profiles[i].Name)
				}
			}
			if skill := all.Get(definition.Skill, name); skill == nil || len(hosts) > 0 {
				findings = append(findings, k.danglingFinding(it, name, skill, hosts, all))
			}
		}
	}
	return findings
}

// danglingFinding returns the finding for a preloaded skill that does not exist or cannot be found
// by some hosts.
func (k *checker) danglingFinding(it *checked, name string, skill *definition.Definition, hosts []string,
	all *resolve.Catalog) rules.Finding {
	message := fmt.Sprintf("the agent %s preloads the skill %q, which is not in the project", it.d.Name, name)
	fix := catalog.DidYouMean(name, all.Names(definition.Skill), "add the skill to the project, or remove it from the agent's skills")
	if skill != nil {
		message = fmt.Sprintf("the agent %s preloads the skill %q, but %s cannot load it from %s",
			it.d.Name, name, strings.Join(hosts, ", "), skill.Origin.Path)
		fix = "copy it to a directory that these hosts read, for example with vade sync"
	}
	d := diag.For(it.path, diag.SkillNotFound, "%s", message)
	if data, err := readFile(k.neutral, it.d); err == nil {
		for _, e := range parse.File(it.d, data, k.neutral.Profile).Entries {
			if definition.LookupField(e.Key) != definition.FieldSkills {
				continue
			}
			span := e.Value.Span
			if i := slices.IndexFunc(e.Value.Items, func(v definition.Value) bool { return v.Text == name }); i >= 0 {
				span = e.Value.Items[i].Span
			}
			d = diag.At(diag.NewFile(it.path, data), span, diag.SkillNotFound, "%s", message)
		}
	}
	d.Severity = diag.Warning
	f := rules.Of(d.WithFix("%s", fix))
	if skill != nil {
		f.Hosts = hosts
	}
	return f
}
