package pathmatch

import (
	"slices"
	"strings"
)

// Form describes how a host matches file patterns. The zero value is Claude Code's: see
// [CompileActivation].
type Form struct {
	// Globs means that each pattern is a glob for an entire path, in which "*" stops at slashes
	// and "**" does not. One match is sufficient, and there is no negation.
	Globs bool
	// FoldCase ignores case.
	FoldCase bool
	// AnyDepth matches globs that start with neither "/" nor "**/" at any depth. NameAtAnyDepth
	// does so only for globs without a slash.
	AnyDepth, NameAtAnyDepth bool
	// Absolute compares globs with absolute paths instead of project-relative ones.
	Absolute bool
	// Everywhere holds the patterns that match every file, even if the session has none. Alone
	// means that such a pattern must be the only one.
	Everywhere []string
	Alone      bool
}

// Patterns returns the patterns of a field in comparable form. Commas outside braces separate
// them. For the zero Form it is [Activation].
func (f Form) Patterns(entries []string) []string {
	if !f.Globs {
		return Activation(entries)
	}
	var list []string
	for _, entry := range entries {
		for _, p := range Split(entry) {
			if p = strings.TrimSpace(p); p != "" {
				list = append(list, p)
			}
		}
	}
	return list
}

// Always reports whether patterns, as returned by [Form.Patterns], restrict nothing: either there
// are none, or one of them matches every file.
func (f Form) Always(patterns []string) bool {
	if f.Alone && len(patterns) > 1 {
		return false
	}
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return slices.Contains(f.Everywhere, p) })
}

// Compile returns a matcher for patterns, for use with [Matcher.MatchUnder]. It returns nil if
// they restrict nothing. It reports patterns that cannot match.
func (f Form) Compile(patterns []string) (*Matcher, []Problem) {
	switch {
	case f.Always(patterns):
		return nil, nil
	case !f.Globs:
		return CompileActivation(patterns)
	}
	globs, problems := expandAll(patterns, f.anchored)
	m, more := Compile(globs, Options{FoldCase: f.FoldCase, Runes: true})
	m.whole = true
	for _, p := range more {
		p.Index, p.Pattern = entryOf(patterns, strings.TrimPrefix(p.Pattern, "/"), p.Index), strings.TrimPrefix(p.Pattern, "/")
		problems = append(problems, p)
	}
	return m, problems
}

// anchored converts a glob to a gitignore pattern that matches whole paths: the leading slash
// prevents matching names at any depth and makes "!" and "#" literal.
func (f Form) anchored(glob string) string {
	deep := f.AnyDepth && !strings.HasPrefix(glob, "/") && !strings.HasPrefix(glob, "**/")
	if deep || f.NameAtAnyDepth && !strings.Contains(glob, "/") {
		glob = "**/" + glob
	}
	return "/" + strings.TrimPrefix(glob, "/")
}

// Subject returns the path that patterns are compared with: the project-relative path, or the
// absolute path without its leading slash.
func (f Form) Subject(rel, abs string) string {
	if f.Absolute {
		return strings.TrimPrefix(abs, "/")
	}
	return rel
}
