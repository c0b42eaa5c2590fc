// Package pathmatch matches slash-separated paths against the patterns of
// gitignore(5), byte for byte as git does, and has what is built on them: the
// paths field of a definition ([Activation]) and a walker's nested .gitignore
// files ([Ignore]).
//
// Paths are relative to the directory that the patterns belong to, without a
// leading "./" or "/". Matching takes time polynomial in the lengths of
// pattern and path, whatever they are; nothing recurses.
package pathmatch

import (
	"strings"
)

// Options changes how patterns are read. The zero value is git's behaviour.
type Options struct {
	// FoldCase ignores the difference between upper and lower case: of ASCII
	// letters as git's core.ignoreCase, of all letters if Runes is set.
	FoldCase bool
	// Runes makes "?" and a [class] stand for one Unicode code point. Git
	// compares bytes, so that its "?" is half an "é".
	Runes bool
}

// Problem is a pattern that can never match, or was left out.
type Problem struct {
	// Index is the place of the pattern in the list given to [Compile], from
	// 0; for a .gitignore file it is the line, from 0.
	Index   int
	Pattern string
	// Message says why, as a sentence part: "a class has no closing ]".
	Message string
}

// Matcher is a compiled list of patterns. It is immutable, and the nil Matcher
// matches nothing.
type Matcher struct {
	rules []rule
	opts  Options
	// whole: what matches a directory does not match what is below it.
	whole bool
}

// rule is one pattern.
type rule struct {
	negated bool
	dirOnly bool
	// base: the pattern has no slash and is compared with a path's last
	// element.
	base bool
	// literal is the pattern's text when it has no wildcard; toks otherwise.
	literal string
	toks    []token
}

// Limits of one list of patterns. Git has none; a list beyond them is not one
// that a person wrote.
const (
	maxPatterns      = 20_000
	maxPatternLength = 4096
)

// Compile compiles patterns, each one line of a gitignore file: blank lines
// and comments are skipped. Patterns that cannot match are reported and left
// out; the Matcher is usable all the same. Only the first 20,000 patterns are
// read, and none longer than 4,096 bytes; that is reported too.
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

// compile returns nil and no reason for a blank line or a comment.
func compile(line string, opts Options) (*rule, string) {
	if line == "" || line[0] == '#' {
		return nil, ""
	}
	if len(line) > maxPatternLength {
		return nil, "it is longer than 4096 bytes"
	}
	if strings.IndexByte(line, 0) >= 0 {
		return nil, "it holds a NUL character"
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
		return nil, "nothing is left of it but slashes"
	}
	if plain := strings.IndexAny(p, `*?[\`); plain < 0 {
		r.literal = p
	} else if why := r.tokenize(p, plain, opts); why != "" {
		return nil, why
	}
	return &r, ""
}

// trimTrailingSpaces removes spaces, not tabs, from the end of a line, up to
// one that a backslash protects.
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

// Match reports whether the last pattern that matches path is not a negated
// one. It looks at this path only: see [Matcher.MatchUnder] for the rule about
// directories above it.
func (m *Matcher) Match(path string, dir bool) bool {
	matched, _ := m.decide(path, dir)
	return matched
}

// MatchUnder reports whether path or a directory above it is matched: what is
// below a matched directory cannot be taken out again by a negated pattern.
// This is the rule of git check-ignore. The globs of a [Form] match whole paths
// only.
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

// decide returns what the last matching pattern says, and whether there is one.
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
