package pathmatch

import (
	"slices"
	"strings"
)

// Form describes how a host matches files against patterns. The zero value describes Claude Code;
// see [CompileActivation].
type Form struct {
	// If Globs is set, each pattern is a glob that must match an entire path. In a glob, "**"
	// matches slashes and "*" does not. A file matches if it matches any of the patterns; there are
	// no negated patterns.
	Globs bool
	// If FoldCase is set, matching ignores case.
	FoldCase bool
	// If AnyDepth is set, globs that start with neither "/" nor "**/" match at any depth. If
	// NameAtAnyDepth is set, only globs without a slash do.
	AnyDepth, NameAtAnyDepth bool
	// If Absolute is set, globs are matched against absolute paths. Otherwise, they are matched
	// against paths relative to the project root.
	Absolute bool
	// Everywhere lists the patterns that match every file, even if the session has no files. If
	// Alone is set, such a pattern matches every file only if the list has no other patterns.
	Everywhere []string
	Alone      bool
}

// Patterns splits each entry at commas outside braces and returns the patterns in normalized form.
// Unless Globs is set, Patterns is the same as [Activation].
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

// Always reports whether patterns, as returned by [Form.Patterns], do not restrict anything: either
// the list is empty, or one of them matches every file.
func (f Form) Always(patterns []string) bool {
	if f.Alone && len(patterns) > 1 {
		return false
	}
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return slices.Contains(f.Everywhere, p) })
}

// Compile returns a matcher for patterns, for use with [Matcher.MatchUnder], or nil if they do not
// restrict anything. It reports patterns that cannot match.
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

// anchored converts a glob to a gitignore pattern that matches whole paths: the
// leading slash prevents matches at other depths and makes "!" and "#" literal.
func (f Form) anchored(glob string) string {
	deep := f.AnyDepth && !strings.HasPrefix(glob, "/") && !strings.HasPrefix(glob, "**/")
	if deep || f.NameAtAnyDepth && !strings.Contains(glob, "/") {
		glob = "**/" + glob
	}
	return "/" + strings.TrimPrefix(glob, "/")
}

// Subject returns the path to match against patterns: the absolute path without its leading slash
// if Absolute is set, and otherwise the path relative to the project root.
func (f Form) Subject(rel, abs string) string {
	if f.Absolute {
		return strings.TrimPrefix(abs, "/")
	}
	return rel
}
