package vade

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/host"
)

// chooseHosts decides which hosts are checked for: those that are asked for, those
// of .vade/check.yaml, those of vade.yaml, those that have files of their own in the project, or else
// all that read one of its definitions.
func (k *checker) chooseHosts() error {
	names, why := k.request.Hosts, "it was asked for"
	if len(names) == 0 && k.config != nil && len(k.config.Hosts) > 0 {
		names, why = k.config.Hosts, "the project's .vade/check.yaml names it"
	}
	if len(names) == 0 && k.project != nil && !k.project.Invalid && len(k.project.Hosts) > 0 {
		names, why = k.project.Hosts, "named by "+config.File
	}
	if slices.Contains(names, "all") {
		names = nil
		for _, p := range host.Hosts() {
			names = append(names, p.Name)
		}
		why = "all hosts are checked"
	}
	for _, name := range names {
		p, ok := host.Lookup(name)
		if !ok || p.Name == host.NeutralName {
			return noHost(name, host.RealNames())
		}
		k.choose(p, why)
	}
	if len(k.profiles) > 0 {
		return nil
	}
	k.evident()
	if len(k.profiles) == 0 {
		for _, p := range host.Hosts() {
			if label := k.read(p); label != "" {
				k.choose(p, "it reads "+label)
			}
		}
	}
	if len(k.profiles) == 0 {
		for _, p := range host.Hosts() {
			k.choose(p, "nothing shows which hosts the project uses")
		}
	}
	return nil
}

func (k *checker) choose(p *host.Profile, why string) {
	if !slices.ContainsFunc(k.profiles, func(q *host.Profile) bool { return q.Name == p.Name && q.Version == p.Version }) {
		k.profiles = append(k.profiles, p)
		k.hosts = append(k.hosts, CheckedHost{p.Name, p.Version, why})
	}
}

// evident chooses the hosts that have a place of their own in the project: one
// that has the host's name, or that only hosts of one name read. Of several hosts
// of one name the first is taken, and another only for a place that the first
// does not read.
func (k *checker) evident() {
	all := host.Hosts()
	taken := map[string]map[string]bool{}
	for _, p := range all {
		first := firstWord(p.Name)
		for _, label := range labels(p) {
			if !own(all, first, label) || inOneOf(k.truth, label) || !k.there(label) {
				continue
			}
			if taken[first] == nil {
				taken[first] = map[string]bool{}
			} else if taken[first][label] {
				continue
			}
			k.choose(p, "there is "+label)
			// What this one reads shows no other of its name.
			for _, other := range labels(p) {
				taken[first][other] = true
			}
		}
	}
}

// inOneOf reports whether a place is one of others, or below one.
func inOneOf(dirs []string, place string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return place == d || strings.HasPrefix(place, d+"/") })
}

// labels are the places of a project that a host reads, and the files that make it
// a plugin.
func labels(p *host.Profile) []string {
	var list []string
	for i := range p.Roots {
		if r := &p.Roots[i]; r.Layer == definition.Project && place(r) != "" {
			list = append(list, place(r))
		}
	}
	if p.Plugins != nil {
		for _, m := range p.Plugins.Manifests {
			list = append(list, m.Path)
		}
		list = append(list, p.Plugins.Marketplaces...)
	}
	return list
}

func firstWord(name string) string {
	word, _, _ := strings.Cut(name, "-")
	return word
}

// place is a root of a project as people name it.
func place(r *host.Root) string {
	if len(r.Rules) == 1 && r.Rules[0].File != "" && r.Rules[0].Max == 0 {
		return strings.TrimPrefix(r.Dir+"/"+r.Rules[0].File, "/")
	}
	return r.Dir
}

// own reports whether a place belongs to the hosts whose names begin with a word.
func own(all []*host.Profile, word, label string) bool {
	element, _, _ := strings.Cut(label, "/")
	element = strings.ToLower(strings.TrimLeft(element, "."))
	if strings.HasPrefix(element, word) || len(element) > 3 && strings.HasPrefix(word, element) {
		return true
	}
	for _, p := range all {
		if firstWord(p.Name) != word && slices.Contains(labels(p), label) {
			return false
		}
	}
	return true
}

// there reports whether a place is in the project: at its top, at the working
// directory, or with a definition anywhere.
func (k *checker) there(label string) bool {
	plan := k.neutral.quick
	for _, dir := range []string{"", plan.WorkDir + "/"} {
		if _, err := plan.Project.Lstat(strings.TrimPrefix(dir, "./") + label); err == nil {
			return true
		}
	}
	return slices.ContainsFunc(k.items, func(it *checked) bool {
		p := "/" + it.path
		return strings.HasSuffix(p, "/"+label) || strings.Contains(p, "/"+label+"/")
	})
}

// read returns a place of the project that a host reads and that has a definition.
func (k *checker) read(p *host.Profile) string {
	for i := range p.Roots {
		if r := &p.Roots[i]; r.Layer == definition.Project && place(r) != "" && k.there(place(r)) {
			return place(r)
		}
	}
	return ""
}
