package host

import (
	"strings"

	"github.com/vadehq/vade/definition"
)

// Base is the directory that a root is relative to.
type Base uint8

// The bases.
const (
	// InProject: the working directory and each of its ancestors.
	InProject Base = iota + 1
	// InTop: the project root.
	InTop
	// InHome: the user's home directory.
	InHome
	// InManaged: the operating system's directory for managed configuration.
	InManaged
	// InPlugin: each plugin's directory.
	InPlugin
	// InWorkDir: the working directory only, not its ancestors.
	InWorkDir
	// InEnv: each directory in the root's environment variable, a comma-separated list.
	InEnv
)

// EnvHome is the EnvDepth of a variable that replaces the home directory itself.
const EnvHome = -1

// Root is one location of definitions.
type Root struct {
	Layer definition.Layer
	Base  Base
	// Dir is the directory relative to the base, with forward slashes; "" is the base
	// itself.
	Dir string
	// Env is the environment variable that replaces the first elements of Dir; see
	// EnvDepth and InEnv.
	Env string
	// EnvDepth is how many elements of Dir the variable replaces: 0 means one, EnvHome
	// means none, so the value replaces the home directory.
	EnvDepth int
	// Managed are the directories per operating system if Base is InManaged.
	Managed *ManagedDir
	// Component is the key of a plugin's manifest that lists additional directories; with
	// Replaces they replace Dir.
	Component string
	Replaces  bool
	// PlainNames: definitions in a plugin are not prefixed with the plugin's name.
	PlainNames bool
	// Rules select the files below the directory. The first match applies. A directory
	// whose rules have depth 0 is not listed: its files are opened by name.
	Rules []Rule
	// Legacy marks definitions in an outdated directory.
	Legacy bool
	// Local: the files belong to the user although they are in the project.
	Local bool
	// Added: the host also looks for the root in a client's additional directories.
	// Touched: it also looks in the directories above a file that the session touched.
	Added, Touched bool
	// AddedIf is an environment variable that makes the root Added if it is true.
	AddedIf string
	// Hidden: directories whose names begin with a dot are walked below this root
	// although the host skips them elsewhere.
	Hidden bool
	// Above: the host also looks for the root above the repository, up to but not
	// including the filesystem root.
	Above bool
	// DiskOrder: the host reads the directories in the order of the file system.
	DiskOrder bool
}

// ManagedDir is where an organization's administrators put definitions.
type ManagedDir struct{ Linux, Darwin, Windows string }

// For returns the directory for a runtime.GOOS value.
func (m *ManagedDir) For(goos string) string {
	switch goos {
	case "windows":
		return m.Windows
	case "darwin":
		return m.Darwin
	}
	return m.Linux
}

// Naming is how a definition's name is derived from its path.
type Naming uint8

const (
	// ByStem: the file name without the rule's suffix.
	ByStem Naming = iota
	// ByPath: the path below the root without the suffix, with ":" for "/".
	ByPath
	// ByDir: the name of the file's directory.
	ByDir
	// ByDirPath: the path of the file's directory below the root, with ":" for "/"; in the
	// root, the name of the root.
	ByDirPath
	// ByFile: the file's displayed path, for files whose name does not describe their
	// content.
	ByFile
	// BySlashPath: like ByPath, but with "/".
	BySlashPath
)

// Rule selects definition files below a root.
type Rule struct {
	Kind definition.Kind
	// File is the exact file name, Suffix the end of the name; exactly one is set.
	File, Suffix string
	// FoldCase accepts the name in any case, with a diagnostic.
	FoldCase bool
	// Except is a prefix of names that do not match despite their suffix; "" means none.
	Except string
	// Min and Max are the minimum and maximum number of directories between root and
	// file.
	Min, Max int
	// Boundary: a directory with this file is one definition. Its other files belong to
	// it and are not scanned. Rules with a boundary come first.
	Boundary bool
	// Covers: such a file hides the other definitions in its directory, the root included,
	// but without Boundary not those in subdirectories. It is one of several such files
	// whose name sorts first.
	Covers bool
	// Alone: if such a file is in the root itself, the root is that one definition, and
	// nothing else in it is read.
	Alone  bool
	Naming Naming
	Format definition.Format
	// Limit is the size in bytes above which the host does not read such a file; 0 means that of
	// the profile.
	Limit int64
	// Index: a file with this stem is named after its directory.
	Index string
	// ForAgent: the file's directory names the agent that it is for.
	ForAgent bool
	// Skip is the reason for dropping the file, if not "".
	Skip string
}

// Fits reports whether a file name at a depth matches the rule; exact is false if only
// the case of the name differs.
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

// EqualFold compares strings, ignoring ASCII case.
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
