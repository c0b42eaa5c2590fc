package policy

import (
	"slices"

	"github.com/vadehq/vade/diag"
)

// grants sets the policy's allow and deny rules, and reports the allow rules that have no effect.
func (c *combiner) grants() {
	for _, f := range c.files {
		c.p.Deny = append(c.p.Deny, f.deny...)
		if len(f.allow.value) == 0 {
			continue
		}
		span := f.allow.span
		switch {
		case c.p.mayOnlyRestrict(f.Layer):
			c.reportWidening(f, span, "allow")
		case !f.shell.ok:
			c.report(f, span, diag.PolicyNoEffect, `set "shell: granted" in the same file`, "the allow rules have no effect without shell: granted")
		case f.shell.value != Granted:
			c.report(f, span, diag.PolicyNoEffect, "", "the allow rules have no effect, because shell is %s", f.shell.value)
		case c.p.Shell != Granted:
			c.report(f, span, diag.PolicyNoEffect, "", "the allow rules have no effect, because %s sets shell to %s", c.p.From("shell"), c.p.Shell)
		default:
			for _, g := range f.allow.value {
				c.p.Allow = append(c.p.Allow, c.grant(f, g))
			}
		}
	}
}

// grant combines a rule's settings with the settings for all commands. The rule's settings take
// precedence over those of its own file, but restrictions in other files still apply.
func (c *combiner) grant(f *File, g grant) Grant {
	p := c.p
	out := Grant{
		Rule: g.rule, Network: p.Network, Timeout: p.Timeout, Origin: f.origin(g.span),
		Read:  c.joined(p.Read, f, g, func(a *access) *stated[[]item] { return &a.read }),
		Write: c.joined(p.Write, f, g, func(a *access) *stated[[]item] { return &a.write }),
		Env:   c.joined(p.Env, f, g, func(a *access) *stated[[]item] { return &a.env }),
	}
	if g.network.ok {
		out.Network = g.network.value
	}
	if g.timeout.ok {
		out.Timeout = g.timeout.value
	}
	for _, other := range c.files {
		if other == f {
			continue
		}
		if other.network.ok && !other.network.value {
			out.Network = false
		}
		if other.timeout.ok {
			out.Timeout = min(out.Timeout, other.timeout.value)
		}
	}
	return out
}

// joined returns the policy's list followed by the rule's own entries. It omits the latter if
// another file sets the list to an empty one.
func (c *combiner) joined(all []Value, f *File, g grant, get func(*access) *stated[[]item]) []string {
	var list []string
	for _, v := range all {
		list = append(list, v.Text)
	}
	for _, other := range c.files {
		if s := get(&other.access); other != f && s.ok && len(s.value) == 0 {
			return list
		}
	}
	for _, x := range get(&g.access).value {
		if !slices.Contains(list, x.text) {
			list = append(list, x.text)
		}
	}
	return list
}
