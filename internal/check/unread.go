package check

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/host"
)

// deaf are definitions of one directory that the same hosts do not read.
type deaf struct {
	kind definition.Kind
	root string
	// moved are the hosts that would take them where they look, anew those that want
	// them written in another form, none those that have nothing of the kind.
	moved, anew, none string
}

// unread reports, for each directory of definitions, which of the checked hosts do
// not read it. A host that has no such definitions at all misses nothing, unless it
// is the one that is asked for.
func (k *Checker) unread() []rules.Finding {
	count, first := map[deaf]int{}, map[deaf]*checked{}
	asked := k.oneAsked()
	for _, it := range k.items {
		if it.apart || it.d.State != definition.Loaded || it.d.Kind == definition.Instruction && !asked {
			continue
		}
		var moved, anew, none []string
		for i, p := range k.Profiles {
			if len(k.views[i].Outcomes[it.d.Origin.Real]) > 0 || k.hasCopy(i, it) || k.would(p, it) {
				continue
			}
			switch {
			case len(projectRoots(p, it.d.Kind)) == 0:
				if asked {
					none = append(none, p.Name)
				}
			case k.fits(p, it):
				moved = append(moved, p.Name)
			default:
				anew = append(anew, p.Name)
			}
		}
		g := deaf{it.d.Kind, it.d.Origin.Root, strings.Join(moved, ", "), strings.Join(anew, ", "), strings.Join(none, ", ")}
		if it.d.Kind == definition.Instruction {
			g.root = it.path
		}
		if len(moved)+len(anew)+len(none) > 0 {
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

// hasCopy reports whether a host reads what was made of a definition.
func (k *Checker) hasCopy(of int, it *checked) bool {
	return slices.ContainsFunc(k.copied[it.d.Origin.Path], func(real string) bool { return len(k.views[of].Outcomes[real]) > 0 })
}

func (k *Checker) unreadFinding(g *deaf, n int, first *checked) rules.Finding {
	var hosts []string
	for _, p := range k.Profiles {
		if in(g.moved, p.Name) || in(g.anew, p.Name) || in(g.none, p.Name) {
			hosts = append(hosts, p.Name)
		}
	}
	names := strings.Join(hosts, ", ")
	what := fmt.Sprintf("%d %s in %s", n, g.kind, g.root)
	switch {
	case g.kind == definition.Instruction:
		what = "the file"
	case n > 1:
		what = fmt.Sprintf("%d %ss in %s", n, g.kind, g.root)
	}
	f := rules.Of(diag.For(g.root, diag.RootUnread, "%s: not read by %s", what, names))
	if g.none != "" {
		f.Message += fmt.Sprintf(", which has no %ss in a project", g.kind)
	}
	name := "NAME"
	if n == 1 {
		name = NameOf(first.path)
	}
	f.Fix, f.Hosts = k.placesFor(g, name), hosts
	if t := k.neutral.SourceOfTruth(k.all); t.Kept && g.none == "" {
		f.Fix = "make the copies that they read: vade sync --hosts " + strings.Join(hosts, ",")
		if t.Project != nil && !slices.ContainsFunc(hosts, func(h string) bool { return !slices.Contains(t.Project.Hosts, h) }) {
			f.Fix = "make the copies that they read: vade sync"
		}
	}
	return f
}

// projectRoots are the numbers of the places of a project where a host looks for a
// kind, the older ones only where there is no other.
func projectRoots(p *host.Profile, kind definition.Kind) []int {
	rows := p.RootsOf(kind, host.InProject, host.InTop, host.InWorkDir)
	old := func(row int) bool { return p.Roots[row].Legacy }
	if newer := slices.DeleteFunc(slices.Clone(rows), old); len(newer) > 0 {
		return newer
	}
	return rows
}

// fits reports whether a host would load a definition as it is where it looks.
// Skills are alike everywhere, and so is plain text.
func (k *Checker) fits(p *host.Profile, it *checked) bool {
	if it.d.Kind != definition.Agent && it.d.Kind != definition.Command {
		return true
	}
	data, err := readFile(k.neutral, it.d)
	if err != nil {
		return false
	}
	d := asIf(p, it.d, it.path, data)
	return d != nil && d.State == definition.Loaded
}

// placesFor says where hosts read a kind, and in which form.
func (k *Checker) placesFor(g *deaf, name string) string {
	var parts []string
	var left []*host.Profile
	for _, p := range k.Profiles {
		if in(g.moved, p.Name) {
			left = append(left, p)
		}
	}
	for len(left) > 0 {
		label := k.commonest(left, g.kind)
		var served, others []*host.Profile
		for _, p := range left {
			if slices.Contains(projectLabels(p, g.kind), label) {
				served = append(served, p)
			} else {
				others = append(others, p)
			}
		}
		parts, left = append(parts, lookedAt(served, label)), others
	}
	var fixes []string
	if len(parts) > 0 {
		fixes = append(fixes, "move it, or link the directory, to where they look: "+strings.Join(parts, ", "))
	}
	for _, p := range k.Profiles {
		if !in(g.anew, p.Name) {
			continue
		}
		r := &p.Roots[projectRoots(p, g.kind)[0]]
		if rule, ok := r.Holds(g.kind); ok {
			fixes = append(fixes, WriteAs(p.Name, path.Join(r.Label(), cmp.Or(rule.File, name+rule.Suffix))))
		}
	}
	return strings.Join(fixes, "; ")
}

// WriteAs says that a definition has to be written in another form.
func WriteAs(host, file string) string {
	return "write it anew as " + file + ", in the form that " + host + " reads"
}

func in(list, name string) bool { return slices.Contains(strings.Split(list, ", "), name) }

func projectLabels(p *host.Profile, kind definition.Kind) []string {
	var labels []string
	for _, row := range projectRoots(p, kind) {
		labels = append(labels, p.Roots[row].Label())
	}
	return labels
}

// commonest returns the place that most of some hosts read; of several the first.
func (k *Checker) commonest(hosts []*host.Profile, kind definition.Kind) string {
	best, most := "", 0
	for _, p := range hosts {
		for _, label := range projectLabels(p, kind) {
			n := 0
			for _, q := range hosts {
				if slices.Contains(projectLabels(q, kind), label) {
					n++
				}
			}
			if n > most {
				best, most = label, n
			}
		}
	}
	return best
}

func lookedAt(hosts []*host.Profile, label string) string {
	var names []string
	for _, p := range hosts {
		names = append(names, p.Name)
	}
	if len(names) == 1 {
		return names[0] + " reads " + label
	}
	return strings.Join(names, ", ") + " read " + label
}

// oneAsked reports whether a part of the project is checked for one host, and both
// are named.
func (k *Checker) oneAsked() bool {
	return len(k.request.Hosts) > 0 && len(k.Profiles) == 1 && len(k.scope) > 0
}

// insist makes it a warning that the one host that is asked for reads nothing of the
// part of the project that is asked for.
func (k *Checker) insist(list []rules.Finding) {
	if !k.oneAsked() || len(k.items) == 0 {
		return
	}
	for _, it := range k.items {
		if it.apart || k.views[0].Loads(it.d.Origin.Real) || k.would(k.Profiles[0], it) {
			return
		}
	}
	for i := range list {
		if f := &list[i]; f.Severity == diag.Info && (f.Code == diag.RootUnread || f.Code == diag.NotRead) {
			f.Severity = diag.Warning
		}
	}
}

// NameOf is the name that a file would have if it were read.
func NameOf(file string) string {
	if strings.EqualFold(path.Base(file), catalog.SkillFileName) {
		return path.Base(path.Dir(file))
	}
	stem, _, _ := strings.Cut(path.Base(file), ".")
	return stem
}
