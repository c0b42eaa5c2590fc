// Package pathmatch matches slash-separated paths against gitignore(5) patterns exactly as git
// does. It also implements the paths field of definitions ([Activation]) and nested .gitignore
// files in a walk ([Ignore]).
//
// Paths are relative to the directory of the patterns, without a leading "./" or "/". Matching
// takes polynomial time in the lengths of pattern and path, and nothing recurses.
package pathmatch

import (
	"strings"
)

// Options changes how patterns are interpreted. The zero value is git's behavior.
type Options struct {
	// FoldCase ignores case. It affects only ASCII letters, as git's core.ignoreCase does, or all
	// letters if Runes is set.
	FoldCase bool
	// Runes makes "?" and a [class] match a Unicode code point. Git matches bytes, so its "?" is
	// half an "é".
	Runes bool
}

// Problem is a pattern that can never match or was skipped.
type Problem struct {
	// Index is the 0-based index of the pattern in the list passed to [Compile]; for a .gitignore
	// file it is the 0-based line.
	Index   int
	Pattern string
	// Message explains why, as a phrase: "a class has no closing ]".
	Message string
}

// Matcher is a compiled list of patterns. It is immutable, and a nil Matcher matches nothing.
type Matcher struct {
	rules []rule
	opts  Options
	// whole means that matching a directory does not match its contents.
	whole bool
}

// rule is one pattern.
type rule struct {
	negated bool
	dirOnly bool
	// base means that the pattern has no slash and is compared with a path's last element.
	base bool
	// literal is the pattern if it has no wildcard; otherwise toks is set.
	literal string
	toks    []token
}

// Limits for one list of patterns. Git has none, and no handwritten list reaches these.
const (
	maxPatterns      = 20_000
	maxPatternLength = 4096
)

// Compile compiles patterns, each one line of a gitignore file. It skips blank lines and
// comments, and reports and skips patterns that cannot match; the Matcher is usable either way.
// It reads at most 20,000 patterns of at most 4,096 bytes each and reports the rest.
func Compile(patterns []string, opts Options) (*Matcher, []Problem) {
	m := &Matcher{opts: opts}
	var problems []Problem
	for i, p := range patterns {
		if len(m.rules)+len(problems) >= maxPatterns {
			return m, append(problems, Problem{i, "", "too many patterns: this one and those after it are not read"})
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

// compile returns neither a rule nor a reason for a blank line or a comment.
func compile(line string, opts Options) (*rule, string) {
	if line == "" || line[0] == '#' {
		return nil, ""
	}
	if len(line) > maxPatternLength {
		return nil, "it is longer than 4096 bytes"
	}
	if strings.IndexByte(line, 0) >= 0 {
		return nil, "it contains a NUL character"
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

// trimTrailingSpaces removes trailing spaces, not tabs, unless a backslash escapes them.
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
	matched, _ := m.decide(path, dir)
	return matched
}

// MatchUnder reports whether path or a parent directory is matched: a negated pattern cannot
// re-include the contents of a matched directory, as in git check-ignore. The globs of a [Form]
// match whole paths only.
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

// decide returns the result of the last matching pattern, and whether there is one.
func (m *Matcher) decide(path string, dir bool) (matched, decided bool) {
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
