package host

// Walk describes how a host walks its roots' directories. The zero value is the most permissive: it
// walks hidden directories and installed packages and follows symlinks.
type Walk struct {
	// SkipHidden skips directories whose names begin with a dot. [Root.Hidden] overrides it.
	SkipHidden bool
	// Modules walks node_modules like any other directory.
	Modules bool
	// Git walks .git like any other directory.
	Git bool
	// NoFileLinks ignores symlinks to files, and NoDirLinks ignores symlinks to directories.
	NoFileLinks, NoDirLinks bool
	// MaxDirs is the maximum number of directories walked below a root. 0 means no limit.
	MaxDirs int
	// Stops makes the walk skip skill directories, so it never finds a skill inside another skill.
	// A report on unread files lists such skills.
	Stops bool
	// Ignores lists the names of ignore files, in .gitignore syntax, in the walked directories.
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
	// PluginsYield is like FirstWins, except that if the name of a plugin's definition is taken,
	// the definition gets a name that includes the plugin's name.
	PluginsYield
	// LastWins is like FirstWins, except that among files below the same root, the last file by
	// path is active.
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
