package catalog

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/vfs"
)

// HostPaths returns the project paths that a host reads and the files that make
// a project one of its plugins.
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

// HostFamily returns the first part of a host's name, which all hosts in a family share.
func HostFamily(name string) string {
	word, _, _ := strings.Cut(name, "-")
	return word
}

// RootPath returns a root's path relative to its base. If the root is limited to a single file,
// RootPath returns the path of that file.
func RootPath(r *host.Root) string {
	if len(r.Rules) == 1 && r.Rules[0].File != "" && r.Rules[0].Max == 0 {
		return strings.TrimPrefix(r.Dir+"/"+r.Rules[0].File, "/")
	}
	return r.Dir
}

// OwnsPath reports whether the path label belongs only to the host family named word. It does if
// its first element resembles the family's name or if no host in another family reads the path. all
// lists the known hosts.
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

// CheckedHost identifies a host and explains why it was chosen.
type CheckedHost struct {
	Host    string `json:"host"`
	Version string `json:"version"`
	Why     string `json:"why"`
}

// DetectHosts returns the hosts that the project has files for. A file is evidence of a host if
// [OwnsPath] reports that its path belongs only to the host's family. Of each family, DetectHosts
// returns the first host for which there is evidence, and further hosts only if there is a file
// that the hosts already chosen do not read. It ignores the paths in sources, which are the
// project's sources of truth. exists reports whether a path exists in the project.
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

// DetectPrograms is like [DetectHosts] but returns only hosts that people run as programs, and not
// standards. has reports whether a path exists in the project or contains definitions.
func (c *Catalog) DetectPrograms(ctx context.Context, sources []string) (chosen []CheckedHost,
	has func(label string) bool, err error) {
	all, err := c.Scan(ctx)
	if err != nil {
		return nil, nil, err
	}
	var files []string
	for _, d := range all.All {
		if p, ok := c.ProjectFile(d); ok && d.ReasonCode != diag.SyncCopy {
			files = append(files, p)
		}
	}
	has = func(label string) bool { return c.HasPath(label, slices.Values(files)) }
	return slices.DeleteFunc(DetectHosts(sources, has), func(h CheckedHost) bool {
		p, ok := registry.Lookup(h.Host)
		return !ok || !p.Program()
	}), has, nil
}

// HostsInUse returns the project's hosts. It tries these sources in order and uses the first one
// that names any hosts: vade.yaml, the files in the project, the directories in the user's home
// directory, and the hosts that read the project's definitions. The catalog must have the neutral
// view. Directories below the working directory are considered only if the view includes them.
func (c *Catalog) HostsInUse(ctx context.Context) ([]CheckedHost, error) {
	var chosen []CheckedHost
	choose := func(p *host.Profile, why string) { chosen = append(chosen, CheckedHost{p.Name, p.Version, why}) }
	if c.Project != nil && !c.Project.Invalid {
		for _, name := range c.Project.Hosts {
			if p, ok := registry.Lookup(name); ok {
				choose(p, "listed in "+config.File)
			}
		}
	}
	if len(chosen) > 0 || c.Quick.Project == nil {
		return chosen, nil
	}
	chosen, has, err := c.DetectPrograms(ctx, c.Project.Source)
	if err != nil || len(chosen) > 0 {
		return chosen, err
	}
	if chosen = HomeHosts(c.Env.Home); len(chosen) > 0 {
		return chosen, nil
	}
	for _, p := range programs() {
		if slices.ContainsFunc(p.ProjectLabels(), has) {
			choose(p, "reads this project's files")
		}
	}
	return chosen, nil
}

// HomeHosts returns the hosts that have a directory in the home directory, such as ~/.claude. home
// is "" if the home directory is unknown.
func HomeHosts(home string) (chosen []CheckedHost) {
	for _, p := range programs() {
		if _, err := os.Lstat(filepath.Join(home, p.UserDir)); home != "" && p.UserDir != "" && err == nil {
			chosen = append(chosen, CheckedHost{p.Name, p.Version, "found ~/" + p.UserDir})
		}
	}
	return chosen
}

// programs returns the hosts that are programs that people run, as opposed to SDKs and standards.
func programs() []*host.Profile {
	return slices.DeleteFunc(registry.Hosts(), func(p *host.Profile) bool { return !p.Program() || p.FromOptions })
}

// MainHost returns the host whose view best describes the project: the first host in vade.yaml or,
// failing that, the only host in use. It returns "" if there is no such host.
func (c *Catalog) MainHost(inUse []CheckedHost) string {
	named := c.Project != nil && !c.Project.Invalid && len(c.Project.Hosts) > 0
	if len(inUse) == 1 || named && len(inUse) > 0 {
		return inUse[0].Host
	}
	return ""
}

// HasPath reports whether a path exists at the project root or in the working directory, or whether
// files contains it at any depth.
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

// ProjectFile returns a definition's path relative to the project. The bool reports whether the
// file is in the project and may be read by a host.
func (c *Catalog) ProjectFile(d *definition.Definition) (string, bool) {
	off := d.State == definition.Disabled && d.ReasonCode != diag.VersionNeeded
	if d.Format == definition.Package || off || d.State == definition.Dropped && d.ReasonCode == diag.SameFile {
		return "", false
	}
	return c.ProjectPath(d)
}

// ProjectPath returns a definition's path relative to the project. The bool reports whether the
// file is in the project.
func (c *Catalog) ProjectPath(d *definition.Definition) (string, bool) {
	if !vfs.IsAbs(d.Origin.Path) {
		return d.Origin.Path, !strings.Contains(d.Origin.Path, ":") || d.Origin.Layer == definition.Project
	}
	return c.Quick.Project.Rel(d.Origin.Path)
}
