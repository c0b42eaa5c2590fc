// Package pathmatch matches slash-separated paths against gitignore(5) patterns exactly as git
// does. It also implements the paths field in definitions ([Activation]) and nested .gitignore
// files in a directory walk ([Ignore]).
//
// Paths are relative to the patterns' directory, without a leading "./" or "/". Matching takes
// polynomial time in the lengths of the pattern and the path, and does not use recursion.
package pathmatch

import (
	"strings"
)

// Options changes how patterns are interpreted. The zero value behaves like git.
type Options struct {
	// If FoldCase is set, matching is case-insensitive: for ASCII letters only, like git's
	// core.ignoreCase, or for all letters if Runes is also set.
	FoldCase bool
	// If Runes is set, "?" and a [class] match a Unicode code point. Git matches bytes, so its "?"
	// matches only half of an "é".
	Runes bool
}

// Problem describes a pattern that can never match, was skipped or is treated literally.
type Problem struct {
	// Index is the pattern's 0-based index in the list passed to [Compile], or
	// the 0-based line number in a .gitignore file.
	Index   int
	Pattern string
	// Message is a clause that explains the problem, such as "the pattern ends with a backslash".
	Message string
}

// Matcher is a compiled list of patterns. It is immutable, and a nil Matcher never matches.
type Matcher struct {
	rules []rule
	opts  Options
	// whole is set if a pattern that matches a directory does not also match the directory's
	// contents.
	whole bool
}

// rule is one compiled pattern.
type rule struct {
	negated bool
	dirOnly bool
	// base is set if the pattern has no slash and is matched against a path's last element.
	base bool
	// literal is the pattern itself if it contains no wildcards or backslashes. Otherwise, the
	// pattern is in toks.
	literal string
	toks    []token
}

// Limits on one list of patterns. Git has no such limits, and handwritten lists do not reach them.
const (
	maxPatterns      = 20_000
	maxPatternLength = 4096
)

// Compile compiles patterns, each of which is one line from a gitignore file. It skips blank lines
// and comments. It also skips patterns that cannot match, and reports them; the Matcher is usable
// either way. Compile reads at most 20,000 patterns of at most 4,096 bytes each and reports the
// rest.
func Compile(patterns []string, opts Options) (*Matcher, []Problem) {
	m := &Matcher{opts: opts}
	var problems []Problem
	for i, p := range patterns {
		if len(m.rules)+len(problems) >= maxPatterns {
			return m, append(problems, Problem{i, "", "too many patterns; this one and all later ones are ignored"})
		}
		r, why := compile(p, opts)
		switch {
		case why != "":
			p = strings.ToValidUTF8(p[:min(len(p), maxPatternLength)], "\ufffd")
			problems = append(problems, Problem{i, p, why})
		case r != nil:
			m.rules = append(m.rules, *r)
		}
	}
	return m, problems
}

// compile compiles one line. If the pattern is invalid, it returns the reason. For a blank line or
// a comment, it returns neither a rule nor a reason.
func compile(line string, opts Options) (*rule, string) {
	if line == "" || line[0] == '#' {
		return nil, ""
	}
	if len(line) > maxPatternLength {
		return nil, "the pattern is longer than 4096 bytes"
	}
	if strings.IndexByte(line, 0) >= 0 {
		return nil, "the pattern contains a NUL character"
	}
	p := trimTrailingSpaces(line)
	if p == "" {
		return nil, ""
	}
	var r rule
	if p[0] == '!' {
		r.negated, p = true, p[1:]
	}
	if strings.HasSuffix(p, "/") {
		r.dirOnly, p = true, p[:len(p)-1]
	}
	r.base = strings.IndexByte(p, '/') < 0
	p = strings.TrimPrefix(p, "/")
	if p == "" {
		return nil, "the pattern does not name a file"
	}
	if plain := strings.IndexAny(p, `*?[\`); plain < 0 {
		r.literal = p
	} else if why := r.tokenize(p, plain, opts); why != "" {
		return nil, why
	}
	return &r, ""
}

// trimTrailingSpaces removes trailing spaces that are not escaped with a backslash. It keeps tabs.
func trimTrailingSpaces(s string) string {
	end := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			continue
		case '\\':
			i++
			if i == len(s) {
				return s
			}
		}
		end = i + 1
	}
	return s[:end]
}

// Match reports whether the last pattern that matches path is not negated. It considers only the
// path itself: see [Matcher.MatchUnder] for parent directories.
func (m *Matcher) Match(path string, dir bool) bool {
	matched, _ := m.lastMatch(path, dir)
	return matched
}

// MatchUnder reports whether path or one of its parent directories matches. As
// in git check-ignore, a negated pattern cannot re-include the contents of a
// matched directory. A [Form]'s globs match whole paths only.
func (m *Matcher) MatchUnder(path string, dir bool) bool {
	if m == nil || len(m.rules) == 0 {
		return false
	}
	for i := 0; i < len(path) && !m.whole; i++ {
		if path[i] == '/' && m.Match(path[:i], true) {
			return true
		}
	}
	return m.Match(path, dir)
}

// lastMatch returns the result of the last matching pattern, and whether any pattern matches.
func (m *Matcher) lastMatch(path string, dir bool) (matched, decided bool) {
	if m == nil || path == "" {
		return false, false
	}
	base := path[strings.LastIndexByte(path, '/')+1:]
	for i := len(m.rules) - 1; i >= 0; i-- {
		r := &m.rules[i]
		if r.dirOnly && !dir {
			continue
		}
		text := path
		if r.base {
			text = base
		}
		if r.match(text, m.opts) {
			return !r.negated, true
		}
	}
	return false, false
}
