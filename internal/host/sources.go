package host

import (
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
)

// Narrow restricts a profile to the project roots in or below sources, which are files and
// directories relative to the project root. It removes all other sources of definitions: plugins,
// Vade's own definitions and, unless it is one of sources, package.json. If addMissing is set,
// Narrow also adds each source that the profile does not read, as a directory laid out like .github
// or as an instruction file.
func (p *Profile) Narrow(sources []string, addMissing bool) {
	all := p.Roots
	p.Roots = nil
	for _, r := range all {
		if r.OfProject() && slices.ContainsFunc(sources, func(s string) bool { return r.below(s) }) {
			p.Roots = append(p.Roots, r)
		}
	}
	for _, s := range sources {
		if addMissing && !slices.ContainsFunc(all, func(r Root) bool { return r.OfProject() && r.below(s) }) {
			p.Roots = append(p.Roots, laidOut(s)...)
		}
	}
	p.Plugins, p.Package, p.Bundled, p.Collections, p.Configs = nil, slices.Contains(sources, "package.json"), false, nil, nil
}

// Add adds the project sources that the profile does not already read, as directories laid out like
// .github or as instruction files. It inserts them before the profile's own roots, so their
// definitions take precedence. It returns the sources that it added.
func (p *Profile) Add(sources []string) []string {
	var added []string
	var roots []Root
	for _, s := range sources {
		if !p.Reads(s) {
			added, roots = append(added, s), append(roots, laidOut(s)...)
		}
	}
	p.Roots = slices.Insert(p.Roots, 0, roots...)
	return added
}

// Reads reports whether a profile reads definitions in a project from path or from a directory or
// file below it. The path may be "package.json".
func (p *Profile) Reads(path string) bool {
	return p.Package && path == "package.json" || slices.ContainsFunc(p.Roots, func(r Root) bool { return r.OfProject() && r.below(path) })
}

// ProjectLabels returns the paths that a profile reads in a project.
func (p *Profile) ProjectLabels() []string {
	var list []string
	for i := range p.Roots {
		if r := &p.Roots[i]; r.OfProject() && r.Layer == definition.Project && r.Label() != "" {
			list = append(list, r.Label())
		}
	}
	return list
}

// OfProject reports whether the root is in the project itself.
func (r *Root) OfProject() bool {
	return (r.Layer == definition.Project || r.Layer == definition.Bundled) && (r.Base == InProject || r.Base == InTop || r.Base == InWorkDir)
}

// below reports whether the root is at or below source.
func (r *Root) below(source string) bool {
	label := r.Label()
	return label == source || strings.HasPrefix(label, source+"/")
}

// laidOut returns the root for an instruction file, whose name ends in ".md", or the roots for a
// directory laid out like .github.
func laidOut(source string) []Root {
	if dir, file := splitLast(source); strings.HasSuffix(file, ".md") {
		return []Root{{Layer: definition.Project, Base: InTop, Dir: dir, Rules: InstructionFile(file)}}
	}
	var roots []Root
	for _, c := range []struct {
		dir   string
		rules []Rule
	}{
		{"skills", SkillRules()}, {"commands", GithubCommandRules()}, {"agents", GithubAgentRules()},
		{"prompts", PromptRules()}, {"instructions", InstructionsRules()},
	} {
		roots = append(roots, Root{Layer: definition.Project, Base: InTop, Dir: source + "/" + c.dir, Rules: c.rules})
	}
	return roots
}

func splitLast(p string) (dir, last string) {
	at := strings.LastIndexByte(p, '/')
	return p[:max(at, 0)], p[at+1:]
}

// ReadsFile reports whether the host reads definitions from file, which is relative to the project
// root.
func (p *Profile) ReadsFile(file string) bool {
	return slices.ContainsFunc(p.Roots, func(r Root) bool {
		if r.Layer != definition.Project || !r.OfProject() {
			return false
		}
		label := r.Label()
		return label == file || !r.Single() && label != "" && strings.HasPrefix(file, label+"/")
	})
}

// MayHaveWritten reports whether Vade may have written file for the host. file is relative to the
// project root. It may be a definition, an MCP server file, or an instruction file in a
// subdirectory.
func (p *Profile) MayHaveWritten(file string) bool {
	if p.Servers != nil && p.Servers.Path == file || p.ReadsFile(file) {
		return true
	}
	x := p.Export
	return x != nil && x.Instructions != nil && x.Instructions.Nested && path.Base(file) == path.Base(x.Instructions.Whole)
}

// Program reports whether the host is a program rather than a shared format.
func (p *Profile) Program() bool { return !p.Standard }
