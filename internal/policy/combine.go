package policy

import (
	"cmp"
	"slices"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// Policy is the effective policy: the defaults combined with all policy files. The zero value does
// not allow any commands.
type Policy struct {
	Shell Mode
	// Allow lists the grants. It is empty unless Shell is [Granted].
	Allow []Grant
	// Deny lists the deny rules from all files.
	Deny []Denial
	// Timeout and Output limit each command. Output is in bytes.
	Timeout time.Duration
	Output  int64
	// Protected matches the files that commands and references may not read.
	Protected *Protected
	// Network, Read, Write and Env apply to every granted command. Each [Grant] already includes
	// them.
	Network          bool
	Read, Write, Env []Value
	// Roots lists directories that a project's symlinks may point to in a host's view. They are
	// absolute or relative to the home directory ("~/skills").
	Roots []Value
	// NoRoots reports whether a file sets roots to an empty list. Symlinks then
	// may not leave the project, regardless of what the user approved.
	NoRoots bool
	Sandbox SandboxMode
	// RemoteShell reports whether clients that connect over a network may run commands, under the
	// same policy.
	RemoteShell bool
	// RunTool reports whether local clients of the MCP server may run definitions on coding agents.
	RunTool bool
	// WorktreeFiles lists globs for git-ignored files that are copied into a run's worktree.
	WorktreeFiles []Value
	// Trust lists the entries for sources, grouped by file. See [Policy.Source].
	Trust []Trust
	// UserGrants reports whether user files may allow more than the defaults.
	UserGrants bool
	// Bundled selects which bundled definitions are active.
	Bundled Bundled
	// Audit configures which definitions the audit prevents from being rendered.
	Audit Audit

	from      map[string]Origin
	protected []Value
}

// From returns where a key's value is set. The keys are shell, timeout, output, network, sandbox,
// remote-shell, run-tool, allow-user-grants, bundled and the audit modes, such as audit.plugin.
func (p *Policy) From(key string) Origin { return p.from[key] }

// Combine returns the effective policy for a set of files, in any order. If there are no files, it
// returns the default policy. Managed and user files may allow more than the default. Project files
// may only restrict it. If a managed file sets allow-user-grants to false, the same applies to user
// files. If several files set a key that has a single value, the strictest value applies. The
// diagnostics report settings that have no effect, with their positions.
func Combine(files ...*File) (*Policy, []diag.Diagnostic) {
	c := combiner{p: &Policy{from: map[string]Origin{}}}
	for _, f := range files {
		if f != nil {
			c.files = append(c.files, f)
		}
	}
	slices.SortStableFunc(c.files, func(a, b *File) int { return cmp.Compare(rank(a.Layer), rank(b.Layer)) })
	c.userGrants()
	c.limits()
	c.lists()
	c.grants()
	c.protect()
	c.sources()
	c.bundled()
	c.audit()
	diag.Sort(c.diags)
	return c.p, c.diags
}

// rank returns a layer's sort key. Managed files come first, then user files, then project files.
func rank(l definition.Layer) int {
	switch l {
	case definition.Managed:
		return 0
	case definition.User:
		return 1
	}
	return 2
}

type combiner struct {
	p     *Policy
	files []*File
	diags []diag.Diagnostic
}

// mayOnlyRestrict reports whether a layer's files can only restrict the policy.
func (p *Policy) mayOnlyRestrict(l definition.Layer) bool {
	return l != definition.Managed && (l != definition.User || !p.UserGrants)
}

func (c *combiner) report(f *File, span diag.Span, code diag.Code, fix, format string, args ...any) {
	c.diags = append(c.diags, diag.At(f.src, span, code, format, args...).WithFix("%s", fix))
}

// reportWidening reports a setting that is ignored because it would allow more than the defaults,
// which the file's layer may not do.
func (c *combiner) reportWidening(f *File, span diag.Span, subject string) {
	if f.Layer == definition.User {
		c.report(f, span, diag.PolicyWidens, "", "%s is ignored: the managed policy does not let users grant permissions", subject)
		return
	}
	c.report(f, span, diag.PolicyWidens, "move it to a user policy that is outside the project and that only you can write", "%s is ignored: this file can only add restrictions", subject)
}

func (c *combiner) userGrants() {
	c.p.UserGrants = true
	for _, f := range c.files {
		s := f.userGrants
		switch {
		case !s.ok:
		case f.Layer != definition.Managed:
			c.report(f, s.span, diag.PolicyNoEffect, "remove it", "allow-user-grants has an effect only in a managed policy")
		case !s.value:
			c.p.UserGrants = false
			c.p.from["allow-user-grants"] = f.origin(s.span)
		}
	}
}

// limits combines the keys that have a single value.
func (c *combiner) limits() {
	p := c.p
	p.Shell = strictestValue(c, "shell", Readonly, func(f *File) stated[Mode] { return f.shell }, cmp.Compare[Mode])
	p.Timeout = strictestValue(c, "timeout", DefaultTimeout, func(f *File) stated[time.Duration] { return f.timeout }, cmp.Compare[time.Duration])
	p.Output = strictestValue(c, "output", int64(DefaultOutput), func(f *File) stated[int64] { return f.output }, cmp.Compare[int64])
	p.Sandbox = strictestValue(c, "sandbox", SandboxDefault, func(f *File) stated[SandboxMode] { return f.sandbox }, cmp.Compare[SandboxMode])
	p.Network = strictestValue(c, "network", false, func(f *File) stated[bool] { return f.network }, compareBool)
	p.RemoteShell = strictestValue(c, "remote-shell", false, func(f *File) stated[bool] { return f.remote }, compareBool)
	p.RunTool = strictestValue(c, "run-tool", false, func(f *File) stated[bool] { return f.runTool }, compareBool)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// strictestValue returns a key's strictest value, which is the smallest. The first file that may
// allow more replaces the default; all other files can only lower the value.
func strictestValue[T any](c *combiner, key string, defaultValue T, get func(*File) stated[T], compare func(a, b T) int) T {
	value, raised := defaultValue, false
	for _, f := range c.files {
		s := get(f)
		if !s.ok {
			continue
		}
		mayRaise := !c.p.mayOnlyRestrict(f.Layer) && !raised
		switch lower := compare(s.value, value); {
		case mayRaise || lower < 0:
			value = s.value
			c.p.from[key] = f.origin(s.span)
		case lower > 0 && c.p.mayOnlyRestrict(f.Layer):
			c.reportWidening(f, s.span, "the value of "+key)
		}
		raised = raised || mayRaise
	}
	return value
}

// lists combines the keys whose values are lists: read, write, env, roots and worktree-files.
func (c *combiner) lists() {
	c.p.Read = c.list("read", func(f *File) *stated[[]item] { return &f.access.read })
	c.p.Write = c.list("write", func(f *File) *stated[[]item] { return &f.access.write })
	c.p.Env = c.list("env", func(f *File) *stated[[]item] { return &f.access.env })
	c.p.Roots = c.list("roots", func(f *File) *stated[[]item] { return &f.roots })
	c.p.WorktreeFiles = c.list("worktree-files", func(f *File) *stated[[]item] { return &f.copies })
	c.p.NoRoots = slices.ContainsFunc(c.files, func(f *File) bool { return f.roots.ok && len(f.roots.value) == 0 })
}

func (c *combiner) list(key string, get func(*File) *stated[[]item]) []Value {
	var list []Value
	none := false
	for _, f := range c.files {
		s := get(f)
		if len(s.value) > 0 && c.p.mayOnlyRestrict(f.Layer) {
			c.reportWidening(f, s.span, key)
			continue
		}
		none = none || s.ok && len(s.value) == 0
		list = append(list, valuesOf(f, s.value)...)
	}
	if none {
		return nil
	}
	return list
}

// protect combines the patterns for protected files into groups. A "!" pattern lifts only patterns
// in its own group. The first group contains the defaults and the "!" patterns that lift them. Each
// file's patterns form another group, so no file can lift another file's patterns.
func (c *combiner) protect() {
	defaults := defaultProtected()
	var groups [][]string
	for _, pattern := range defaults {
		c.p.protected = append(c.p.protected, Value{Text: pattern})
	}
	for _, f := range c.files {
		var patterns []string
		for _, x := range f.protected.value {
			if x.text[0] == '!' && c.p.mayOnlyRestrict(f.Layer) {
				c.reportWidening(f, x.span, "the pattern "+clipQuoted(x.text))
				continue
			}
			if x.text[0] == '!' {
				defaults = append(defaults, x.text)
			}
			patterns = append(patterns, x.text)
			c.p.protected = append(c.p.protected, Value{Text: x.text, Origin: f.origin(x.span)})
		}
		groups = append(groups, patterns)
	}
	c.p.Protected = newProtected(slices.Insert(groups, 0, defaults)...)
}

// sources collects the trust entries, and reports those that are ignored because their file's layer
// may only restrict the policy.
func (c *combiner) sources() {
	for _, f := range c.files {
		if c.p.mayOnlyRestrict(f.Layer) {
			c.reportIneffectiveTrust(f)
		}
		c.p.Trust = append(c.p.Trust, f.trust...)
	}
}

func (c *combiner) reportIneffectiveTrust(f *File) {
	for _, t := range f.trust {
		layer := t.Layer
		if t.Plugin != "" {
			layer = definition.Plugin
		}
		now := c.p.Source(layer, t.Plugin, t.Server)
		if t.Shell != nil && *t.Shell > now.Shell || t.Files != nil && *t.Files && !now.Files {
			c.reportWidening(f, t.span, "this trust entry")
		}
	}
}
