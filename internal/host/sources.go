package host

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
)

// Narrow leaves a profile only the places of a project that are, or are below, one
// of some directories and files (as paths below the top), and nothing else that it
// reads definitions from: no plugins, no packages, none of Vade's own. With own, a
// directory in which the profile reads nothing gets places laid out as .github is.
func (p *Profile) Narrow(sources []string, own bool) {
	all := p.Roots
	p.Roots = nil
	for _, r := range all {
		if r.OfProject() && slices.ContainsFunc(sources, func(s string) bool { return r.below(s) }) {
			p.Roots = append(p.Roots, r)
		}
	}
	for _, s := range sources {
		if own && !slices.ContainsFunc(all, func(r Root) bool { return r.OfProject() && r.below(s) }) {
			p.Roots = append(p.Roots, laidOut(s)...)
		}
	}
	p.Plugins, p.Package, p.Bundled, p.Collections, p.Configs = nil, slices.Contains(sources, "package.json"), false, nil, nil
}

// Add gives a profile the places of further sources of a project, laid out as .github
// is, before its own: of two definitions of one name a source's is in force. What the
// profile reads already is left as it is. It returns the others.
func (p *Profile) Add(sources []string) []string {
	var added []string
	var more []Root
	for _, s := range sources {
		if !p.Reads(s) {
			added, more = append(added, s), append(more, laidOut(s)...)
		}
	}
	p.Roots = slices.Insert(p.Roots, 0, more...)
	return added
}

// Reads reports whether a profile has a place of a project that is a path, or is below
// it.
func (p *Profile) Reads(path string) bool {
	return p.Package && path == "package.json" || slices.ContainsFunc(p.Roots, func(r Root) bool { return r.OfProject() && r.below(path) })
}

// OfProject reports whether the root is a place of the project itself.
func (r *Root) OfProject() bool {
	return (r.Layer == definition.Project || r.Layer == definition.Bundled) && (r.Base == InProject || r.Base == InTop || r.Base == InWorkDir)
}

// below reports whether the root is a path, or a place below it.
func (r *Root) below(source string) bool {
	label := r.Label()
	return label == source || strings.HasPrefix(label, source+"/")
}

// laidOut are the places of definitions in a directory of the project's own, or the
// one of a file, which is an instruction.
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

// Mine reports whether a path below the top of a project is one that the host reads
// definitions from.
func (p *Profile) Mine(path string) bool {
	return slices.ContainsFunc(p.Roots, func(r Root) bool {
		if r.Layer != definition.Project || !r.OfProject() {
			return false
		}
		label := r.Label()
		return label == path || !r.Single() && label != "" && strings.HasPrefix(path, label+"/")
	})
}

// Program reports whether the host is a program that people run, and not a format
// that several share.
func (p *Profile) Program() bool { return !p.Standard }
