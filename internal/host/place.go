package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// anyDepth stands for the depth of a host that knows no limit. Nothing real is as
// deep, and a link that leads back to where it stands is not followed at all.
const anyDepth = 64

// maxHostFile is the length above which a file is not read for a host that has no limit
// of its own that is known: that of Vade for a single file.
const maxHostFile = 64 << 20

// sharedPluginRoot stands for a plugin's directory in the manifests of Claude Code, and
// of the hosts that read them too.
const sharedPluginRoot = "${CLAUDE_PLUGIN_ROOT}"

// skillFile is the rule of SKILL.md at depths from least to most.
func skillFile(least, most int) Rule {
	return Rule{Kind: definition.Skill, File: "SKILL.md", Min: least, Max: most, Naming: ByDir}
}

// wholeSkill is that rule where the directory is the skill, and all that is in it
// travels with it.
func wholeSkill(least, most int) Rule {
	r := skillFile(least, most)
	r.Boundary = true
	return r
}

// ending is the rule of all files of a kind with an ending, down to a depth, that
// are named by their path.
func ending(k definition.Kind, suffix string, most int, n Naming) Rule {
	r := Rule{Kind: k, Suffix: suffix, Max: most, Naming: n}
	if strings.HasSuffix(suffix, ".toml") {
		r.Format = definition.TOML
	}
	return r
}

// places lists roots of one layer and base, one below the other.
type places struct {
	like  Root
	roots []Root
}

// placesIn begins a list of roots that have a layer and a base in common.
func placesIn(l definition.Layer, b Base) *places {
	return &places{like: Root{Layer: l, Base: b}}
}

// movedBy are places whose first elements an environment variable replaces.
func (p *places) movedBy(env string, depth int) *places {
	p.like.Env, p.like.EnvDepth = env, depth
	return p
}

// managed are places in the directory of administrators.
func (p *places) managed(m *ManagedDir) *places {
	p.like.Managed = m
	return p
}

// plain are places of plugins whose names do not stand before those of what is there.
func (p *places) plain() *places {
	p.like.PlainNames = true
	return p
}

// dir adds a directory with what is read in it.
func (p *places) dir(dir string, rules ...Rule) *places {
	r := p.like
	r.Dir, r.Rules = dir, rules
	p.roots = append(p.roots, r)
	return p
}

// file adds an instruction file by its path.
func (p *places) file(path string) *places {
	dir, name := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		dir, name = path[:i], path[i+1:]
	}
	return p.dir(dir, instructionFile(name)...)
}

// last changes the root that was added last.
func (p *places) last(change func(*Root)) *places {
	change(&p.roots[len(p.roots)-1])
	return p
}

// ofPlugin marks a directory of a plugin that a key of its manifest adds to, or takes
// the place of.
func ofPlugin(key string, replaces bool) func(*Root) {
	return func(r *Root) { r.Component, r.Replaces = key, replaces }
}

// join puts lists of roots one behind the other.
func join(lists ...*places) []Root {
	var all []Root
	for _, l := range lists {
		all = append(all, l.roots...)
	}
	return all
}

// isSkill and isSkillOrAgent are the kinds of which a host wants frontmatter.
func isSkill(k definition.Kind) bool { return k == definition.Skill }

func isSkillOrAgent(k definition.Kind) bool { return k == definition.Skill || k == definition.Agent }
