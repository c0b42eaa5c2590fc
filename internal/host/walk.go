package host

// Walk describes how a host walks the directories of its roots. The zero value is the
// most permissive: hidden directories and installed packages are walked, and symlinks
// are followed.
type Walk struct {
	// SkipHidden means that directories whose names begin with a dot are not walked.
	// [Root.Hidden] overrides it.
	SkipHidden bool
	// Modules means that node_modules is walked like any other directory.
	Modules bool
	// Git means that .git is walked like any other directory.
	Git bool
	// NoFileLinks means that symlinks to files are not followed. NoDirLinks means that symlinks
	// to directories are not followed.
	NoFileLinks, NoDirLinks bool
	// MaxDirs is the maximum number of directories walked below one root; 0 means that
	// the host has no limit.
	MaxDirs int
	// Stops means that the walk does not descend into a skill's directory, so it never finds a
	// skill inside another skill. A report of unread files lists such skills.
	Stops bool
	// Ignores are the names of ignore files in the walked directories, in .gitignore
	// syntax.
	Ignores []string
}

// Clash is how two definitions with the same name are resolved.
type Clash uint8

// The resolutions.
const (
	// FirstWins means that the definition with precedence is active and the other one is
	// shadowed.
	FirstWins Clash = iota
	// BothLoad means that all definitions are active under the same name.
	BothLoad
	// AnyWins means that the host uses the definition that it reads last, which varies from run
	// to run. Vade uses the definition with the highest precedence and reports the ambiguity.
	AnyWins
	// BothRenamed means that each definition gets a name that includes its layer.
	BothRenamed
	// PluginsRenamed means that definitions of different plugins get names that include the
	// plugin; otherwise the definition with precedence is active.
	PluginsRenamed
	// LastWins is like FirstWins, but among the files below one root, the last one by path is
	// active.
	LastWins
)

var clashNames = [...]string{"first wins", "both load", "any wins", "both renamed", "plugins renamed", "last wins"}

// String describes the resolution.
func (c Clash) String() string { return clashNames[c] }

// Trust describes what a user must do before the host reads a project's definitions. The zero
// value means that nothing is needed.
type Trust struct {
	// Needed means that the project's definitions are read only if the user trusts the project.
	Needed bool
	// How is the required action.
	How   string
	Basis Basis
}
