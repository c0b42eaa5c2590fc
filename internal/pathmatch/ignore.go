package pathmatch

import (
	"bytes"
	"strings"
)

// Ignore decides during a directory walk whether the .gitignore files found so far exclude a path.
// It is immutable: [Ignore.Enter] returns a child, so branches of the walk share their parents. A
// nil Ignore does not exclude any path and is the starting point of a walk.
type Ignore struct {
	parent  *Ignore
	dir     string // with a trailing slash; empty at the root of the walk
	matcher *Matcher
}

// Enter returns the rules that apply in the directory dir, given the content of its .gitignore
// file. If the content has no valid patterns, Enter returns ig itself. dir is relative to the root
// of the walk; the root itself is "" or ".".
func (ig *Ignore) Enter(dir string, gitignore []byte) *Ignore {
	m, _ := parseIgnore(gitignore, Options{})
	if len(m.rules) == 0 {
		return ig
	}
	if dir == "." {
		dir = ""
	}
	if dir != "" {
		dir = strings.TrimSuffix(dir, "/") + "/"
	}
	return &Ignore{parent: ig, dir: dir, matcher: m}
}

// parseIgnore compiles a .gitignore file. A [Problem]'s Index is the 0-based line number.
func parseIgnore(content []byte, opts Options) (*Matcher, []Problem) {
	var lines []string
	for line := range bytes.Lines(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))) {
		lines = append(lines, string(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))))
	}
	return Compile(lines, opts)
}

// Ignored reports whether path, or a directory between the last one entered and path, is excluded.
// It does not check the directories that were entered, even if an outer .gitignore excludes them.
// This is sufficient for a walk that, like git, does not enter excluded directories.
func (ig *Ignore) Ignored(path string, isDir bool) bool {
	if ig == nil {
		return false
	}
	from := 0
	if strings.HasPrefix(path, ig.dir) {
		from = len(ig.dir)
	}
	for i := from; i < len(path); i++ {
		if path[i] == '/' && ig.isIgnored(path[:i], true) {
			return true
		}
	}
	return ig.isIgnored(path, isDir)
}

// isIgnored reports whether path itself is excluded. It consults the innermost file first, because
// that file takes precedence.
func (ig *Ignore) isIgnored(path string, isDir bool) bool {
	for ; ig != nil; ig = ig.parent {
		rel, below := strings.CutPrefix(path, ig.dir)
		if !below {
			continue
		}
		if matched, decided := ig.matcher.lastMatch(rel, isDir); decided {
			return matched
		}
	}
	return false
}
