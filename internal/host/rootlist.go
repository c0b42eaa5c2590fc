package host

import (
	"strings"

	"github.com/vadehq/vade/definition"
)

// AnyDepth stands for the depth of a host that knows no limit. Nothing real is as
// deep, and a link that leads back to where it stands is not followed at all.
const AnyDepth = 64

// MaxHostFile is the length above which a file is not read for a host that has no limit
// of its own that is known: that of Vade for a single file.
const MaxHostFile = 64 << 20

// SharedPluginRoot stands for a plugin's directory in the manifests of Claude Code, and
// of the hosts that read them too.
const SharedPluginRoot = "${CLAUDE_PLUGIN_ROOT}"

// SkillFile is the rule of SKILL.md at depths from least to most.
func SkillFile(least, most int) Rule {
	return Rule{Kind: definition.Skill, File: "SKILL.md", Min: least, Max: most, Naming: ByDir}
}

// WholeSkill is that rule where the directory is the skill, and all that is in it
// travels with it.
func WholeSkill(least, most int) Rule {
	r := SkillFile(least, most)
	r.Boundary = true
	return r
}

// FilesEndingIn is the rule of all files of a kind with an ending, down to a depth, that
// are named by their path.
func FilesEndingIn(k definition.Kind, suffix string, most int, n Naming) Rule {
	r := Rule{Kind: k, Suffix: suffix, Max: most, Naming: n}
	if strings.HasSuffix(suffix, ".toml") {
		r.Format = definition.TOML
	}
	return r
}

// RootList lists roots of one layer and base, one below the other.
type RootList struct {
	like  Root
	roots []Root
}

// PlacesIn begins a list of roots that have a layer and a base in common.
func PlacesIn(l definition.Layer, b Base) *RootList {
	return &RootList{like: Root{Layer: l, Base: b}}
}

// MovedBy are places whose first elements an environment variable replaces.
func (p *RootList) MovedBy(env string, depth int) *RootList {
	p.like.Env, p.like.EnvDepth = env, depth
	return p
}

// Managed are places in the directory of administrators.
func (p *RootList) Managed(m *ManagedDir) *RootList {
	p.like.Managed = m
	return p
}

// Plain are places of plugins whose names do not stand before those of what is there.
func (p *RootList) Plain() *RootList {
	p.like.PlainNames = true
	return p
}

// Dir adds a directory with what is read in it.
func (p *RootList) Dir(dir string, rules ...Rule) *RootList {
	r := p.like
	r.Dir, r.Rules = dir, rules
	p.roots = append(p.roots, r)
	return p
}

// File adds an instruction file by its path.
func (p *RootList) File(path string) *RootList {
	dir, name := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		dir, name = path[:i], path[i+1:]
	}
	return p.Dir(dir, InstructionFile(name)...)
}

// Last changes the root that was added last.
func (p *RootList) Last(change func(*Root)) *RootList {
	change(&p.roots[len(p.roots)-1])
	return p
}

// OfPlugin marks a directory of a plugin that a key of its manifest adds to, or takes
// the place of.
func OfPlugin(key string, replaces bool) func(*Root) {
	return func(r *Root) { r.Component, r.Replaces = key, replaces }
}

// JoinRoots puts lists of roots one behind the other.
func JoinRoots(lists ...*RootList) []Root {
	var all []Root
	for _, l := range lists {
		all = append(all, l.roots...)
	}
	return all
}

// IsSkill and isSkillOrAgent are the kinds of which a host wants frontmatter.
func IsSkill(k definition.Kind) bool { return k == definition.Skill }

func IsSkillOrAgent(k definition.Kind) bool { return k == definition.Skill || k == definition.Agent }
