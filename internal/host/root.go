package host

import (
	"strings"

	"github.com/vadehq/vade/definition"
)

// Base says what a root's directory is relative to.
type Base uint8

// The bases of roots.
const (
	// InProject: the working directory and each of its ancestors.
	InProject Base = iota + 1
	// InTop: the top of the project alone.
	InTop
	// InHome: the user's home directory.
	InHome
	// InManaged: the managed directory of the operating system.
	InManaged
	// InPlugin: each plugin's directory.
	InPlugin
	// InWorkDir: the working directory alone, whatever is above it.
	InWorkDir
	// InEnv: each of the directories that the environment variable of the root
	// lists, with commas between them.
	InEnv
)

// EnvHome is the EnvDepth of a variable that replaces the home itself.
const EnvHome = -1

// Root is one place where definitions are looked for.
type Root struct {
	Layer definition.Layer
	Base  Base
	// Dir is the directory below the base, with forward slashes; "" is the
	// base itself.
	Dir string
	// Env is the environment variable that replaces the first element of Dir; see
	// EnvDepth and InEnv.
	Env string
	// EnvDepth is how many elements of Dir the value of Env stands for: 0 is one,
	// EnvHome none, so that the value takes the place of the home.
	EnvDepth int
	// Managed is the directory of each operating system where Base is InManaged.
	Managed *ManagedDir
	// Component is the key of a plugin's manifest that names further
	// directories; with Replaces they take the place of Dir.
	Component string
	Replaces  bool
	// PlainNames: what is in a plugin's directory has not the plugin's name before
	// its own.
	PlainNames bool
	// Rules say which files below the directory are what. The first that fits
	// is taken. A directory whose rules reach no deeper than itself is not
	// listed: its files are opened by name.
	Rules []Rule
	// Legacy marks the definitions of an older directory.
	Legacy bool
	// Local: what is there is the user's own, though it stands in the project.
	Local bool
	// Added: the root is looked for in the further directories of a client too,
	// Touched: in the directories above a file that the session has touched.
	Added, Touched bool
	// Hidden: directories whose name begins with a dot are walked below this root
	// though the host skips them elsewhere.
	Hidden bool
	// Above: the root is looked for in the directories above the top of the
	// repository too, up to the root of the file system, but not in that.
	Above bool
}

// ManagedDir is where an organisation's administrators place definitions.
type ManagedDir struct{ Linux, Darwin, Windows string }

// For returns the directory on an operating system, as runtime.GOOS names it.
func (m *ManagedDir) For(goos string) string {
	switch goos {
	case "windows":
		return m.Windows
	case "darwin":
		return m.Darwin
	}
	return m.Linux
}

// Naming says how a definition's name comes from its place.
type Naming uint8

const (
	// ByStem: the file's name without the rule's suffix.
	ByStem Naming = iota
	// ByPath: the path below the root without the suffix, with ":" for "/".
	ByPath
	// ByDir: the directory that holds the file.
	ByDir
	// ByDirPath: the directory that holds the file, with its parents below the
	// root, with ":" for "/".
	ByDirPath
	// ByFile: the file's path as it is shown: for files whose name says nothing
	// of their content.
	ByFile
	// BySlashPath: as ByPath, but the directories stay divided by "/".
	BySlashPath
)

// Rule says which files below a root are definitions.
type Rule struct {
	Kind definition.Kind
	// File is the exact name of the file, Suffix its ending; one of them is set.
	File, Suffix string
	// FoldCase accepts the name in any case, with a diagnostic.
	FoldCase bool
	// Except is how the names begin that the rule does not fit although they end as
	// they should; "" excepts none.
	Except string
	// Min and Max bound the number of directories between root and file.
	Min, Max int
	// Boundary: a directory that has this file is one definition; what else is
	// in it travels with it and is not looked at. Rules with a boundary come
	// first.
	Boundary bool
	// Alone: where such a file stands in the root itself, the root is that one
	// definition, and nothing else in it is read.
	Alone  bool
	Naming Naming
	Format definition.Format
	// Index: a file of this stem names the directory that holds it.
	Index string
	// ForAgent: the directory that holds the file names the agent it is for.
	ForAgent bool
	// Skip drops the file, for this reason.
	Skip string
}

// Fits reports whether a file of the name, at the depth, is what the rule
// means; exact is false where only the case of the name differs.
func (r *Rule) Fits(name string, depth int) (fits, exact bool) {
	if depth < r.Min || depth > r.Max {
		return false, false
	}
	return r.Named(name)
}

// Named reports whether the name alone fits, at whatever depth.
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

// EqualFold compares in ASCII, which is what the names of rules are.
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
