package pathmatch

import (
	"bytes"
	"strings"
)

// Ignore answers, during a walk, whether the .gitignore files met so far leave
// a path out. Each Ignore is immutable: [Ignore.Enter] returns a child, so that
// branches of a walk share what stands above them. The nil Ignore ignores
// nothing and is where a walk begins.
type Ignore struct {
	parent  *Ignore
	dir     string // with a trailing slash, or empty at the root of the walk
	matcher *Matcher
}

// Enter returns the rules for directory dir, whose .gitignore file has the
// content given; without content it returns ig itself. Directory and paths are
// relative to the root of the walk, which is "" or ".".
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

// parseIgnore compiles the content of a .gitignore file. The Index of a
// [Problem] is its line, from 0.
func parseIgnore(content []byte, opts Options) (*Matcher, []Problem) {
	var lines []string
	for line := range bytes.Lines(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))) {
		lines = append(lines, string(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))))
	}
	return Compile(lines, opts)
}

// Ignored reports whether path, or a directory between the last one entered
// and path, is left out. A walk that does not go into ignored directories, as
// git's does not, need ask nothing more; what is asked about a directory that
// an outer file ignores is answered by this one's rules alone.
func (ig *Ignore) Ignored(path string, isDir bool) bool {
	if ig == nil {
		return false
	}
	from := 0
	if strings.HasPrefix(path, ig.dir) {
		from = len(ig.dir)
	}
	for i := from; i < len(path); i++ {
		if path[i] == '/' && ig.decide(path[:i], true) {
			return true
		}
	}
	return ig.decide(path, isDir)
}

// decide asks the innermost file first: it has the last word if it has any.
func (ig *Ignore) decide(path string, isDir bool) bool {
	for ; ig != nil; ig = ig.parent {
		rel, below := strings.CutPrefix(path, ig.dir)
		if !below {
			continue
		}
		if matched, decided := ig.matcher.decide(rel, isDir); decided {
			return matched
		}
	}
	return false
}
