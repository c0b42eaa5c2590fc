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

// HostPaths returns the project paths that a host reads, and the files that make a project its
// plugin.
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

// HostFamily returns the first part of a host's name, which related hosts share.
func HostFamily(name string) string {
	word, _, _ := strings.Cut(name, "-")
	return word
}

// Absolute returns the absolute form of a display path.
func RootPath(r *host.Root) string {
	if len(r.Rules) == 1 && r.Rules[0].File != "" && r.Rules[0].Max == 0 {
		return strings.TrimPrefix(r.Dir+"/"+r.Rules[0].File, "/")
	}
	return r.Dir
}

// OwnsPath reports whether a path belongs to one host family: the path contains the family's
// name, or no other family reads it.
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

// CheckedHost is a host that was checked, and why it was chosen.
type CheckedHost struct {
	Host    string `json:"host"`
	Version string `json:"version"`
	Why     string `json:"why"`
}

// DetectHosts returns the hosts that the project has files for: a path with the host's name, or
// one that only hosts of one family read. In each family the first match counts; another host of
// the family is added only for a path that the first does not read. Paths in sources, the
// project's sources of truth, are ignored. exists reports whether a path exists in the project.
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
			chosen = append(chosen, CheckedHost{p.Name, p.Version, "found " + label})
			// Paths that this host reads are not evidence of other hosts in its family.
			for _, other := range HostPaths(p) {
				taken[first][other] = true
			}
		}
	}
	return chosen
}

// HasPath reports whether a path exists in the project: at its top, in the working directory, or
// among files.
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

// ProjectFile returns the project-relative path of a definition that belongs to the project and
// that hosts might read.
func (c *Catalog) ProjectFile(d *definition.Definition) (string, bool) {
	off := d.State == definition.Disabled && d.ReasonCode != diag.VersionNeeded
	if d.Format == definition.Package || off || d.State == definition.Dropped && d.ReasonCode == diag.SameFile {
		return "", false
	}
	return c.ProjectPath(d)
}

// ProjectPath returns the project-relative path of a definition.
func (c *Catalog) ProjectPath(d *definition.Definition) (string, bool) {
	if !vfs.IsAbs(d.Origin.Path) {
		return d.Origin.Path, !strings.Contains(d.Origin.Path, ":") || d.Origin.Layer == definition.Project
	}
	return c.Quick.Project.Rel(d.Origin.Path)
}
