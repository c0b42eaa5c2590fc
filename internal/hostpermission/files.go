package hostpermission

import (
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/pathmatch"
)

// fileRule is a rule for the tools that read or edit files. Hosts also apply such rules to commands
// whose paths they recognize (see "Read and Edit" in the permissions documentation).
type fileRule struct {
	// base is the directory that the pattern is relative to.
	base    string
	matcher *pathmatch.Matcher
}

// fileRules parses the rules for a tool. It skips rules without a pattern, which apply to the tool
// itself and not to commands. Patterns use .gitignore syntax. A pattern that starts with "//" is
// relative to the file system root, "~/" to the home directory, and "/" to the project. Other
// patterns are relative to the session's directory.
func (k *check) fileRules(tool string, list []string) []fileRule {
	var rules []fileRule
	for _, s := range list[:min(len(list), maxRules)] {
		rest, ok := strings.CutPrefix(strings.TrimSpace(s), tool+"(")
		pattern, closed := strings.CutSuffix(rest, ")")
		if tool == "" || !ok || !closed || strings.TrimSpace(pattern) == "" {
			continue
		}
		base := k.Dir
		switch {
		case strings.HasPrefix(pattern, "//"):
			base, pattern = "/", pattern[1:]
		case strings.HasPrefix(pattern, "~/"):
			base, pattern = k.Home, pattern[1:]
		case strings.HasPrefix(pattern, "/"):
			base = k.Project
		case strings.HasPrefix(pattern, "./"):
			pattern = pattern[1:]
		}
		if !strings.HasPrefix(base, "/") {
			continue
		}
		if m, problems := pathmatch.Compile([]string{pattern}, pathmatch.Options{}); len(problems) == 0 {
			rules = append(rules, fileRule{base: path.Clean(base), matcher: m})
		}
	}
	return rules
}

// match reports whether the rule matches full, a clean absolute path.
func (r fileRule) match(full string) bool {
	rel, ok := strings.CutPrefix(full, strings.TrimSuffix(r.base, "/")+"/")
	return ok && rel != "" && r.matcher.MatchUnder(rel, false)
}

func matches(rules []fileRule, full string) bool {
	return slices.ContainsFunc(rules, func(r fileRule) bool { return r.match(full) })
}

// files holds the rules for files. The rules are parsed the first time a command names a file.
type files struct {
	read                                     bool
	denyRead, denyEdit, allowRead, allowEdit []fileRule
}

func (k *check) fileLists() *files {
	if f := &k.files; !f.read {
		f.read = true
		f.denyRead, f.denyEdit = k.fileRules(k.ReadTool, k.Deny), k.fileRules(k.EditTool, k.Deny)
		f.allowRead, f.allowEdit = k.fileRules(k.ReadTool, k.Allow), k.fileRules(k.EditTool, k.Allow)
	}
	return &k.files
}
