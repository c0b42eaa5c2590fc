package catalog

import (
	"iter"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/vfs"
)

// Labels are the places of a project that a host reads, and the files that make it
// a plugin.
func HostPaths(p *host.Profile) []string {
	var list []string
	for i := range p.Roots {
		if r := &p.Roots[i]; r.Layer == definition.Project && RootPath(r) != "" {
			list = append(list, RootPath(r))
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

func HostFamily(name string) string {
	word, _, _ := strings.Cut(name, "-")
	return word
}

// Place is a root of a project as people name it.
func RootPath(r *host.Root) string {
	if len(r.Rules) == 1 && r.Rules[0].File != "" && r.Rules[0].Max == 0 {
		return strings.TrimPrefix(r.Dir+"/"+r.Rules[0].File, "/")
	}
	return r.Dir
}

// Own reports whether a place belongs to the hosts whose names begin with a word.
func OwnsPath(all []*host.Profile, word, label string) bool {
	element, _, _ := strings.Cut(label, "/")
	element = strings.ToLower(strings.TrimLeft(element, "."))
	if strings.HasPrefix(element, word) || len(element) > 3 && strings.HasPrefix(word, element) {
		return true
	}
	for _, p := range all {
		if HostFamily(p.Name) != word && slices.Contains(HostPaths(p), label) {
			return false
		}
	}
	return true
}

// CheckedHost is a host that was checked for, and why.
type CheckedHost struct {
	Host    string `json:"host"`
	Version string `json:"version"`
	Why     string `json:"why"`
}

// EvidentHosts are the hosts that have a place of their own in the project: one
// that has the host's name, or that only hosts of one name read. Of several hosts
// of one name the first is taken, and another only for a place that the first
// does not read. sources are the sources of truth of the project, which show no host;
// there reports whether a place is in the project.
func DetectHosts(sources []string, exists func(place string) bool) []CheckedHost {
	var chosen []CheckedHost
	all := registry.Hosts()
	taken := map[string]map[string]bool{}
	for _, p := range all {
		first := HostFamily(p.Name)
		for _, label := range HostPaths(p) {
			if !OwnsPath(all, first, label) || UnderAny(sources, label) || !exists(label) {
				continue
			}
			if taken[first] == nil {
				taken[first] = map[string]bool{}
			} else if taken[first][label] {
				continue
			}
			chosen = append(chosen, CheckedHost{p.Name, p.Version, "there is " + label})
			// What this one reads shows no other of its name.
			for _, other := range HostPaths(p) {
				taken[first][other] = true
			}
		}
	}
	return chosen
}

// HasPlace reports whether a place is in the project: at its top, at the working
// directory, or with a definition among files anywhere.
func (c *Catalog) HasPath(label string, files iter.Seq[string]) bool {
	for _, dir := range []string{"", c.Quick.WorkDir + "/"} {
		if _, err := c.Quick.Project.Lstat(strings.TrimPrefix(dir, "./") + label); err == nil {
			return true
		}
	}
	for file := range files {
		if file = "/" + file; strings.HasSuffix(file, "/"+label) || strings.Contains(file, "/"+label+"/") {
			return true
		}
	}
	return false
}

// ProjectFile returns the path below the top of the project of a definition that belongs
// to it and that hosts might read.
func (c *Catalog) ProjectFile(d *definition.Definition) (string, bool) {
	off := d.State == definition.Disabled && d.ReasonCode != diag.VersionNeeded
	if d.Format == definition.Package || off || d.State == definition.Dropped && d.ReasonCode == diag.SameFile {
		return "", false
	}
	return c.ProjectPath(d)
}

// ProjectPath returns the path of a definition below the top of the project.
func (c *Catalog) ProjectPath(d *definition.Definition) (string, bool) {
	if !vfs.IsAbs(d.Origin.Path) {
		return d.Origin.Path, !strings.Contains(d.Origin.Path, ":") || d.Origin.Layer == definition.Project
	}
	return c.Quick.Project.Rel(d.Origin.Path)
}
