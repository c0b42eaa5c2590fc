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
	// InWorkDir is the working directory only, without its parents.
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
	// EnvDepth is the number of elements in Dir that the variable's value replaces; 0 means one
	// element. If EnvDepth is [EnvHome], the value replaces the home directory, and all elements of
	// Dir are kept.
	EnvDepth int
	// Managed holds the directory for each operating system. It is used if Base is InManaged.
	Managed *ManagedDir
	// Component is the key in a plugin's manifest that lists additional directories. If Replaces is
	// set, these directories are used instead of Dir.
	Component string
	Replaces  bool
	// If PlainNames is set, the names of a plugin's definitions do not include the plugin's name.
	PlainNames bool
	// Rules selects the files below the directory. The first matching rule applies. If all rules
	// have depth 0, the host opens the files by name and does not list the directory.
	Rules []Rule
	// Legacy is set if the directory is obsolete.
	Legacy bool
	// Local is set if the files are the user's own files even though they are in the project.
	Local bool
	// If Added is set, the host also reads this location in the session's additional directories.
	// If Touched is set, it also reads this location in each parent directory of the files that the
	// session touched.
	Added, Touched bool
	// AddedIf is an environment variable that sets Added if it is true.
	AddedIf string
	// If Hidden is set, directories below this root whose names begin with a dot are also walked,
	// even if the host skips such directories elsewhere.
	Hidden bool
	// If Above is set, the host also reads this location in the directories above the repository,
	// except the filesystem root.
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
	// ByDirPath uses the path of the file's directory below the root, with ":" for "/". For a file
	// directly in the root, it uses the root's name.
	ByDirPath
	// ByFile uses the path that is displayed for the file. It is for files whose names do not
	// describe their content.
	ByFile
	// BySlashPath is like ByPath but keeps "/".
	BySlashPath
)

// Rule selects definition files below a root.
type Rule struct {
	Kind definition.Kind
	// File is the exact file name, and Suffix is the end of the file name. Exactly one of the two
	// is set.
	File, Suffix string
	// If FoldCase is set, the case of the name is ignored, but a diagnostic reports a difference.
	FoldCase bool
	// Except is a prefix of file names that do not match. If it is "", no names are excluded.
	Except string
	// Min and Max are the minimum and maximum number of directories between the root and the
	// file.
	Min, Max int
	// If Boundary is set, a directory that contains a matching file is one definition. The other
	// files in the directory belong to the definition and are not scanned. Rules with Boundary must
	// come first.
	Boundary bool
	// If Covers is set, a matching file hides the other definitions in its directory, even if the
	// directory is the root. Unless Boundary is also set, it does not hide definitions in
	// subdirectories. If several files in a directory match, only the one whose name sorts first is
	// used. Names are sorted by bytes or, if Collated is set, with [Collate].
	Covers, Collated bool
	// If Exclusive is set, a root that directly contains a matching file is a single definition,
	// and nothing else in the root is read.
	Exclusive bool
	Naming    Naming
	Format    definition.Format
	// Limit is the size in bytes above which the host does not read a matching file. 0 means the
	// profile's limit.
	Limit int64
	// Index is the base name, without the suffix, of files that are named after their directory.
	Index string
	// ForAgent is set if the file is for the agent that its directory is named after.
	ForAgent bool
	// Skip is the reason why matching files are dropped, or "" if they are not dropped.
	Skip string
}

// Fits reports whether a file with the given name and depth matches the rule. exact is false if the
// name matches only when case is ignored.
func (r *Rule) Fits(name string, depth int) (fits, exact bool) {
	if depth < r.Min || depth > r.Max {
		return false, false
	}
	return r.Named(name)
}

// Named is like [Rule.Fits], but ignores the depth.
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
