package pathmatch

import (
	"slices"
	"strings"
)

// Limits on brace expansion in a paths field, as in Claude Code 2.1.329.
const (
	maxExpanded      = 1000
	maxExpandedBytes = 4 << 20
)

// Activation normalizes a definition's paths field the way Claude Code 2.1.329 does (cases m25,
// m52). Each entry is a comma-separated list, except for commas inside braces. {a,b} is expanded. A
// trailing "/**" is stripped, so "src/**" becomes "src" and, like any gitignore pattern without a
// slash, matches at every depth. Empty patterns are dropped. If nothing remains, or every pattern
// is "**", the definition is always active and the result is nil.
//
// If a field would expand to more than 1,000 patterns or 4 MiB, the braces in patterns beyond the
// limit are treated literally; [CompileActivation] reports that.
func Activation(patterns []string) []string {
	list, _ := activation(patterns)
	return list
}

func activation(entries []string) ([]string, []Problem) {
	list, problems := expandAll(entries, func(p string) string { return strings.TrimSuffix(p, "/**") })
	if !slices.ContainsFunc(list, func(p string) bool { return p != "**" }) {
		return nil, problems
	}
	return list, problems
}

// expandAll expands the braces in all entries, applies each to every resulting pattern, and drops
// empty patterns. If a pattern has too many expansions, its braces are treated literally.
func expandAll(entries []string, each func(string) string) (list []string, problems []Problem) {
	left, bytes := maxExpanded, maxExpandedBytes
	for i, entry := range entries {
		for _, p := range Split(entry) {
			p = strings.TrimSpace(p)
			expanded, ok := expandBraces(p, left, bytes)
			if !ok {
				problems = append(problems, Problem{i, p, "the braces expand to too many patterns and are treated literally"})
				expanded = []string{p}
			}
			for _, e := range expanded {
				left--
				bytes -= len(e)
				if e = each(e); e != "" {
					list = append(list, e)
				}
			}
		}
	}
	return list, problems
}

// CompileActivation returns a matcher for a paths field, for use with [Matcher.MatchUnder]: a file
// activates the definition if the file or one of its parent directories matches, ignoring case. The
// Matcher is nil if the field does not restrict the definition (see [Activation]).
//
// CompileActivation reports patterns that obviously cannot match: "./x", "~/x", a space-separated
// list, or only negated patterns. (It cannot tell that an absolute path is outside the project:
// "/src" is relative to the project root.)
func CompileActivation(patterns []string) (*Matcher, []Problem) {
	list, problems := activation(patterns)
	if list == nil {
		return nil, problems
	}
	m, more := Compile(list, Options{FoldCase: true, Runes: true})
	for i := range more {
		more[i].Index = entryOf(patterns, more[i].Pattern, more[i].Index)
	}
	problems = append(problems, more...)
	positive := false
	for _, p := range list {
		positive = positive || p[0] != '!'
		if why := neverActive(p); why != "" {
			problems = append(problems, Problem{entryOf(patterns, p, 0), p, why})
		}
	}
	if !positive {
		problems = append(problems, Problem{0, list[0], "all patterns are negated, so the list never matches"})
	}
	return m, problems
}

// neverActive explains why a well-formed pattern matches no file, or returns "".
func neverActive(p string) string {
	switch {
	case p[0] == '#':
		return "a pattern that starts with # is a comment; write \\#"
	case strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../"):
		return "patterns are already relative to the project root; remove ./ or ../"
	case strings.HasPrefix(p, "~/"):
		return "patterns are relative to the project root; ~ is not expanded"
	case strings.ContainsAny(p, " \t") && strings.ContainsAny(p, "*/"):
		return "spaces do not separate patterns; use commas or a list"
	}
	return ""
}

// entryOf returns the index of the first entry that pattern may be an expansion of, or fallback if
// there is none.
func entryOf(entries []string, pattern string, fallback int) int {
	if i := slices.IndexFunc(entries, func(e string) bool { return strings.Contains(e, pattern) }); i >= 0 {
		return i
	}
	return min(fallback, len(entries)-1)
}

// Split splits a paths entry at commas outside braces. Patterns keep their surrounding whitespace.
func Split(s string) []string {
	var parts []string
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth = max(depth-1, 0)
		case ',':
			if depth == 0 {
				parts = append(parts, s[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, s[start:])
}

// expandBraces returns all expansions of p, in order. It fails if there are more than count
// expansions or their total length exceeds size.
func expandBraces(p string, count, size int) ([]string, bool) {
	todo, done := []string{p}, []string(nil)
	for len(todo) > 0 {
		last := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		open, end := firstBraces(last)
		if end < 0 {
			done = append(done, last)
			continue
		}
		choices := Split(last[open+1 : end])
		for _, c := range slices.Backward(choices) {
			todo = append(todo, last[:open]+strings.TrimSpace(c)+last[end+1:])
			size -= len(todo[len(todo)-1])
		}
		if len(todo)+len(done) > count || size < 0 {
			return nil, false
		}
	}
	return done, true
}

// firstBraces finds the first pair of braces; if braces are nested, it finds the outer pair. end is
// -1 if there is no complete pair. Empty braces are literal.
func firstBraces(s string) (open, end int) {
	for from := 0; ; {
		i := strings.IndexByte(s[from:], '{')
		if i < 0 {
			return 0, -1
		}
		open = from + i
		end = closing(s, open)
		if end < 0 || end > open+1 {
			return open, end
		}
		from = end + 1
	}
}

// closing returns the index of the brace that matches the one at open, or -1.
func closing(s string, open int) int {
	depth := 0
	for i := open; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
