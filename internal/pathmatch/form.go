package pathmatch

import (
	"slices"
	"strings"
)

// Form says how a host compares the patterns of the files that something is for.
// The zero value is that of Claude Code: see [CompileActivation].
type Form struct {
	// Globs: each pattern is a glob of a whole path, in which "*" ends at a slash
	// and "**" does not, and one that matches is enough. Nothing is negated.
	Globs bool
	// FoldCase: upper and lower case are alike.
	FoldCase bool
	// AnyDepth: a glob that begins neither with "/" nor with "**/" matches at any
	// depth; NameAtAnyDepth: one without a slash does.
	AnyDepth, NameAtAnyDepth bool
	// Absolute: globs are compared with the absolute path of a file, else with
	// that below the project.
	Absolute bool
	// Everywhere are the patterns that stand for every file, whether the session
	// has one or not.
	Everywhere []string
}

// Patterns returns the patterns of a field as they are compared: those of its
// entries, which commas divide outside of braces. For the zero Form it is
// [Activation].
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

// Always reports whether patterns, as [Form.Patterns] returns them, restrict
// nothing: there is none, or one stands for every file.
func (f Form) Always(patterns []string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return slices.Contains(f.Everywhere, p) })
}

// Compile returns a matcher for patterns, to be asked with [Matcher.MatchUnder];
// nil where they restrict nothing. Patterns that can not match are reported.
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

// anchored is a glob as a pattern of gitignore that matches whole paths: the slash
// at its beginning keeps it from matching a name at any depth, and takes the
// meaning from "!" and "#".
func (f Form) anchored(glob string) string {
	deep := f.AnyDepth && !strings.HasPrefix(glob, "/") && !strings.HasPrefix(glob, "**/")
	if deep || f.NameAtAnyDepth && !strings.Contains(glob, "/") {
		glob = "**/" + glob
	}
	return "/" + strings.TrimPrefix(glob, "/")
}

// Subject is what patterns are compared with: the path of a file below the
// project, or its absolute path without the slash at its beginning.
func (f Form) Subject(rel, abs string) string {
	if f.Absolute {
		return strings.TrimPrefix(abs, "/")
	}
	return rel
}
