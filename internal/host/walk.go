package host

// Walk says how a host walks the directories of its roots. The zero value is
// the widest: hidden directories and installed packages are walked, links are
// followed.
type Walk struct {
	// SkipHidden: directories whose name begins with a dot are not walked. A
	// root may overrule it: see [Root.Hidden].
	SkipHidden bool
	// Modules: node_modules is walked as any other directory is.
	Modules bool
	// NoFileLinks: a link in the place of a file is not followed; NoDirLinks: nor
	// one in the place of a directory.
	NoFileLinks, NoDirLinks bool
	// MaxDirs is the most directories that are walked below one root, 0 for no
	// limit of the host's.
	MaxDirs int
	// Stops: the walk ends at the directory of a skill, so that a skill inside
	// another one is never met. An account of what is not read names such skills.
	Stops bool
	// Ignores are the names of files in the walked directories whose patterns, as
	// in a .gitignore file, leave out what they fit.
	Ignores []string
}

// Clash is what becomes of two definitions of one name.
type Clash uint8

// The ways to settle a clash.
const (
	// FirstWins: the stronger one is in force, the other is shadowed.
	FirstWins Clash = iota
	// BothLoad: all are in force under the one name.
	BothLoad
	// AnyWins: the host takes whichever it has read last, which differs from run
	// to run. Vade takes the stronger one, and says so.
	AnyWins
	// BothRenamed: each gets a name that tells its layer.
	BothRenamed
	// PluginsRenamed: of those of several plugins each gets a name that tells its
	// plugin; else the stronger one is in force.
	PluginsRenamed
)

var clashNames = [...]string{"first wins", "both load", "any wins", "both renamed", "plugins renamed"}

// String returns the words for the way.
func (c Clash) String() string { return clashNames[c] }

// Trust says what a host asks of its user before it reads a project's
// definitions. The zero value asks nothing.
type Trust struct {
	// Needed: what the project ships is read only where the user has trusted it.
	Needed bool
	// How says what the user has to do.
	How   string
	Basis Basis
}
