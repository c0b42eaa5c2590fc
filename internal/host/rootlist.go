package host

import (
	"strings"

	"github.com/vadehq/vade/definition"
)

// AnyDepth is the maximum depth for hosts without a known limit. It is greater than the depth of
// any real directory tree. Symlink cycles are not followed.
const AnyDepth = 64

// MaxHostFile is the maximum file size, in bytes, for hosts without a known limit. It is Vade's own
// limit for a single file.
const MaxHostFile = 64 << 20

// SharedPluginRoot is the variable that refers to a plugin's directory in manifests. Claude Code
// and the hosts that read its manifests use it.
const SharedPluginRoot = "${CLAUDE_PLUGIN_ROOT}"

// SkillFile returns the rule for SKILL.md at depths from minDepth to maxDepth.
func SkillFile(minDepth, maxDepth int) Rule {
	return Rule{Kind: definition.Skill, File: "SKILL.md", Min: minDepth, Max: maxDepth, Naming: ByDir}
}

// WholeSkill is like SkillFile, but the skill includes everything in its directory.
func WholeSkill(minDepth, maxDepth int) Rule {
	r := SkillFile(minDepth, maxDepth)
	r.Boundary = true
	return r
}

// FilesEndingIn returns the rule for files of kind k whose names end in suffix, at depths up to
// maxDepth.
func FilesEndingIn(k definition.Kind, suffix string, maxDepth int, n Naming) Rule {
	r := Rule{Kind: k, Suffix: suffix, Max: maxDepth, Naming: n}
	if strings.HasSuffix(suffix, ".toml") {
		r.Format = definition.TOML
	}
	return r
}

// RootList builds a list of roots with the same layer and base.
type RootList struct {
	like  Root
	roots []Root
}

// PlacesIn returns an empty list for roots with the given layer and base.
func PlacesIn(l definition.Layer, b Base) *RootList {
	return &RootList{like: Root{Layer: l, Base: b}}
}

// MovedBy makes an environment variable override the first elements of the path of each root that
// is added later. See [Root.Env] and [Root.EnvDepth].
func (p *RootList) MovedBy(env string, depth int) *RootList {
	p.like.Env, p.like.EnvDepth = env, depth
	return p
}

// Managed sets the administrator's directories.
func (p *RootList) Managed(m *ManagedDir) *RootList {
	p.like.Managed = m
	return p
}

// Plain omits the plugin's name from the names of the definitions in the roots that are added
// later.
func (p *RootList) Plain() *RootList {
	p.like.PlainNames = true
	return p
}

// Dir adds a root for a directory whose files are selected by rules.
func (p *RootList) Dir(dir string, rules ...Rule) *RootList {
	r := p.like
	r.Dir, r.Rules = dir, rules
	p.roots = append(p.roots, r)
	return p
}

// File adds an instruction file.
func (p *RootList) File(path string) *RootList {
	dir, name := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		dir, name = path[:i], path[i+1:]
	}
	return p.Dir(dir, InstructionFile(name)...)
}

// Last calls change with the root that was added last.
func (p *RootList) Last(change func(*Root)) *RootList {
	change(&p.roots[len(p.roots)-1])
	return p
}

// OfPlugin returns a function for [RootList.Last]. The function marks a root as a directory that
// the given manifest key extends or, if replaces is set, replaces.
func OfPlugin(key string, replaces bool) func(*Root) {
	return func(r *Root) { r.Component, r.Replaces = key, replaces }
}

// JoinRoots concatenates root lists.
func JoinRoots(lists ...*RootList) []Root {
	var all []Root
	for _, l := range lists {
		all = append(all, l.roots...)
	}
	return all
}

// IsSkill and IsSkillOrAgent are predicates for use in profiles, for example as [Dialect.Needed].
func IsSkill(k definition.Kind) bool { return k == definition.Skill }

func IsSkillOrAgent(k definition.Kind) bool { return k == definition.Skill || k == definition.Agent }
