package host

import (
	"slices"

	"github.com/vadehq/vade/definition"
)

// Single reports whether the root is a single file, which is opened by name.
func (r *Root) Single() bool {
	return len(r.Rules) == 1 && r.Rules[0].File != "" && r.Rules[0].Max == 0
}

// Label returns the root's display name, such as ".claude/skills" or "~/.claude/CLAUDE.md". Because
// it does not depend on the project or user, it can be used to compare roots in different profiles.
func (r *Root) Label() string {
	label := r.Dir
	if r.Single() {
		label = joinLabel(label, r.Rules[0].File)
	}
	switch r.Base {
	case InHome:
		return joinLabel("~", label)
	case InManaged:
		return joinLabel("managed:", label)
	case InPlugin:
		return joinLabel("PLUGIN", label)
	case InEnv:
		return joinLabel("$"+r.Env, label)
	}
	return label
}

func joinLabel(dir, name string) string {
	if dir == "" || name == "" {
		return dir + name
	}
	return dir + "/" + name
}

// RuleFor returns the root's first rule for definitions of kind k, and whether there is one.
func (r *Root) RuleFor(k definition.Kind) (*Rule, bool) {
	for i := range r.Rules {
		if rule := &r.Rules[i]; rule.Kind == k && rule.Skip == "" {
			return rule, true
		}
	}
	return nil, false
}

// RootsOf returns the indexes of the roots that have one of the given bases and can contain
// definitions of kind k. The indexes are in the profile's order. If several roots have the same
// label, only the first one is included.
func (p *Profile) RootsOf(k definition.Kind, bases ...Base) []int {
	var rows []int
	var labels []string
	for i := range p.Roots {
		r := &p.Roots[i]
		if _, ok := r.RuleFor(k); !ok || !slices.Contains(bases, r.Base) || slices.Contains(labels, r.Label()) {
			continue
		}
		rows, labels = append(rows, i), append(labels, r.Label())
	}
	return rows
}

// Readers returns the number of profiles that read definitions of kind k from the root with the
// given label.
func Readers(all []*Profile, label string, k definition.Kind) int {
	n := 0
	for _, p := range all {
		if slices.ContainsFunc(p.Roots, func(r Root) bool {
			_, ok := r.RuleFor(k)
			return ok && r.Label() == label
		}) {
			n++
		}
	}
	return n
}
