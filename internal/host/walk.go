package host

// Walk describes how a host walks its roots' directories. The zero value walks hidden directories
// and follows symlinks, but skips .git and node_modules.
type Walk struct {
	// If SkipHidden is set, directories whose names begin with a dot are skipped. [Root.Hidden]
	// overrides it.
	SkipHidden bool
	// If Modules is set, node_modules is walked like any other directory.
	Modules bool
	// If Git is set, .git is walked like any other directory.
	Git bool
	// If NoFileLinks is set, symlinks to files are ignored. If NoDirLinks is set, symlinks to
	// directories are ignored.
	NoFileLinks, NoDirLinks bool
	// MaxDirs is the maximum number of directories walked below a root. 0 means no limit.
	MaxDirs int
	// If Stops is set, the walk does not enter directories that contain a skill, so it never finds
	// a skill inside another skill. Vade lists such skills when it reports unread files.
	Stops bool
	// Ignores lists the names of ignore files. In the directories that are walked, files with these
	// names exclude other files with the syntax of .gitignore.
	Ignores []string
}

// Clash determines how two definitions with the same name are resolved.
type Clash uint8

const (
	// FirstWins means that the definition with higher precedence is active and
	// the other is shadowed.
	FirstWins Clash = iota
	// BothLoad means that all definitions are active under the same name.
	BothLoad
	// AnyWins means that the host uses the definition that it reads last, which varies from run
	// to run. Vade uses the definition with the highest precedence and reports the ambiguity.
	AnyWins
	// BothRenamed means that each definition gets a name that includes its layer.
	BothRenamed
	// PluginsRenamed means that definitions in different plugins get names that include the
	// plugin's name. In all other cases, the definition with higher precedence is active.
	PluginsRenamed
	// PluginsYield is like FirstWins, except that a plugin's definition whose name is taken gets a
	// name that includes the plugin's name.
	PluginsYield
	// LastWins is like FirstWins, except that among files below the same root, the last file in
	// path order is active.
	LastWins
)

var clashNames = [...]string{"first wins", "both load", "any wins", "both renamed", "plugins renamed", "plugins yield", "last wins"}

// String describes the resolution.
func (c Clash) String() string { return clashNames[c] }

// Trust describes what a user must do before the host reads a project's definitions. The zero value
// requires nothing.
type Trust struct {
	// Needed is set if the host reads the project's definitions only after the
	// user trusts the project.
	Needed bool
	// How tells the user what to do.
	How   string
	Basis Basis
}
