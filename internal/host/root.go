package host

import (
	"strings"

	"github.com/vadehq/vade/definition"
)

// Base is the directory that a root is relative to.
type Base uint8

const (
	// InProject is the working directory and each of its parents.
	InProject Base = iota + 1
	// InTop is the project root.
	InTop
	// InHome is the user's home directory.
	InHome
	// InManaged is the operating system's directory for managed configuration.
	InManaged
	// InPlugin is each plugin's directory.
	InPlugin
	// InWorkDir is the working directory only, without its ancestors.
	InWorkDir
	// InEnv is each directory in the comma-separated list in the root's environment variable.
	InEnv
)

// EnvHome is the EnvDepth for a variable that replaces the home directory itself.
const EnvHome = -1

// Root is a location where a host looks for definitions.
type Root struct {
	Layer definition.Layer
	Base  Base
	// Dir is the directory relative to the base, with forward slashes. "" is the base itself.
	Dir string
	// Env is the environment variable that replaces the first elements of Dir;
	// see EnvDepth and InEnv.
	Env string
	// EnvDepth is the number of elements in Dir that the variable replaces. 0 means one element.
	// EnvHome means that it replaces none of them: its value is the home directory.
	EnvDepth int
	// Managed holds the directories per operating system if Base is InManaged.
	Managed *ManagedDir
	// Component is the manifest key that lists additional plugin directories. If Replaces is set,
	// these directories replace Dir.
	Component string
	Replaces  bool
	// PlainNames omits the plugin's name from the names of its definitions.
	PlainNames bool
	// Rules selects the files below the directory. The first matching rule applies. If all rules
	// have depth 0, the directory is not listed and its files are opened by name.
	Rules []Rule
	// Legacy is set if the directory is obsolete.
	Legacy bool
	// Local is set if the files belong to the user even though they are in the project.
	Local bool
	// If Added is set, the root is also looked for in a client's additional directories. If Touched
	// is set, it is also looked for in the parent directories of each file that the session
	// touched.
	Added, Touched bool
	// AddedIf is an environment variable that sets Added if it is true.
	AddedIf string
	// Hidden also walks hidden directories (those whose names begin with a dot) below this root,
	// even if the host skips them elsewhere.
	Hidden bool
	// Above also looks for the root above the repository, up to but not
	// including the filesystem root.
	Above bool
	// DiskOrder is set if the host reads the directories in file system order.
	DiskOrder bool
}

// ManagedDir is the directory where an organization's administrators put definitions.
type ManagedDir struct{ Linux, Darwin, Windows string }

// For returns the directory for a GOOS value.
func (m *ManagedDir) For(goos string) string {
	switch goos {
	case "windows":
		return m.Windows
	case "darwin":
		return m.Darwin
	}
	return m.Linux
}

// Naming determines how a definition's name is derived from its path.
type Naming uint8

const (
	// ByStem uses the file name without the rule's suffix.
	ByStem Naming = iota
	// ByPath uses the path below the root without the suffix, with ":" for "/".
	ByPath
	// ByDir uses the name of the file's directory.
	ByDir
	// ByDirPath uses the path of the file's directory below the root, with "/" replaced by ":". For
	// a file in the root itself, it uses the root's name.
	ByDirPath
	// ByFile uses the file's display path. It is for files whose name does not
	// describe their content.
	ByFile
	// BySlashPath is like ByPath but keeps "/".
	BySlashPath
)

// Rule selects definition files below a root.
type Rule struct {
	Kind definition.Kind
	// File is the exact file name, and Suffix is the end of the name. Exactly one of them is set.
	File, Suffix string
	// FoldCase accepts the name in any case but reports a diagnostic.
	FoldCase bool
	// Except is a prefix. Names with the prefix do not match, even if they have the suffix. ""
	// excludes nothing.
	Except string
	// Min and Max are the minimum and maximum number of directories between the root and the
	// file.
	Min, Max int
	// Boundary makes a directory that contains a matching file one definition. The other files in
	// the directory belong to the definition and are not scanned. Rules with Boundary must come
	// first.
	Boundary bool
	// Covers makes a matching file hide the other definitions in its directory, which may be the
	// root. Without Boundary, it does not hide definitions in subdirectories. If several files
	// match, only the file whose name sorts first is used. Names are sorted by bytes or, if
	// Collated is set, by [Collate].
	Covers, Collated bool
	// Alone makes a root that directly contains a matching file a single definition. Nothing else
	// in the root is read.
	Alone  bool
	Naming Naming
	Format definition.Format
	// Limit is the size in bytes above which the host does not read a matching file. 0 means the
	// profile's limit.
	Limit int64
	// Index is the stem of files that are named after their directory.
	Index string
	// ForAgent is set if the file is for the agent that its directory is named after.
	ForAgent bool
	// Skip is the reason for dropping the file, or "".
	Skip string
}

// Fits reports whether a file name at a depth matches the rule. exact is false if the name
// matches only when case is ignored.
func (r *Rule) Fits(name string, depth int) (fits, exact bool) {
	if depth < r.Min || depth > r.Max {
		return false, false
	}
	return r.Named(name)
}

// Named reports whether a file name matches the rule at any depth.
func (r *Rule) Named(name string) (fits, exact bool) {
	if r.File != "" {
		exact = name == r.File
		return exact || r.FoldCase && EqualFold(name, r.File), exact
	}
	if len(name) <= len(r.Suffix) || r.Except != "" && strings.HasPrefix(name, r.Except) {
		return false, false
	}
	end := name[len(name)-len(r.Suffix):]
	exact = end == r.Suffix
	return exact || r.FoldCase && EqualFold(end, r.Suffix), exact
}

// EqualFold reports whether two strings are equal, ignoring ASCII case.
func EqualFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		x, y := a[i], b[i]
		if 'A' <= x && x <= 'Z' {
			x += 'a' - 'A'
		}
		if 'A' <= y && y <= 'Z' {
			y += 'a' - 'A'
		}
		if x != y {
			return false
		}
	}
	return true
}
