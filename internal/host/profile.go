// Package host holds the types of what is known of hosts, and the tables that hosts
// share. What one host does is stated by a package of its own below this one, and
// package registry lists them.
package host

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/pathmatch"
)

// Profile is the table that says how one host finds, reads and names
// definitions, pinned to the version it was observed on.
type Profile struct {
	// Name is the host's word on the command line, Version what was observed.
	Name, Version string

	// Facts are what is known of the host, in words.
	Facts []Fact
	// Roots are the places that are looked into. Within a layer, and at the
	// same distance from the working directory, an earlier row wins.
	Roots []Root
	// Ancestors says how far up the project's roots are looked for.
	Ancestors Ancestors
	// Fallbacks are instruction files that are read only where others are absent.
	Fallbacks []Fallback
	// Plugins says how plugins are found; nil looks for none.
	Plugins *Plugins
	// Configs returns the files that carry hooks and MCP server entries, which loading
	// does not ask for; nil has none.
	Configs func() []Config
	// Servers says how the host's own file of MCP servers is written; nil for a host
	// that has none. Connect says where an entry is added; nil where none can be.
	Servers *ServerFormat
	Connect func(goos string) Connect
	// Plugin says how a plugin of the host is written; nil where none can be.
	Plugin *PluginExport
	// Approvals are of MCP servers; nil where none are known.
	Approvals *Approvals
	// ServerLayers orders the layers of MCP servers, the strongest first; nil is
	// managed, project, user, plugin.
	ServerLayers []definition.Layer
	// BareName reports whether a plugin's definition of a kind is found by its
	// name without the plugin's; nil: of all kinds. BareSecond: it is found so by
	// the name of its frontmatter as well.
	BareName   func(definition.Kind) bool
	BareSecond bool
	// Package reads the commands that a package.json contributes.
	Package bool
	// Collections are directories at the top of a project that collections of
	// definitions use and no host reads; where one is there, that is said.
	Collections []string
	// Bundled adds Vade's own definitions as the lowest layer.
	Bundled bool
	// MaxFile is the length in bytes above which the host drops a file.
	MaxFile int64

	// Walk says how the roots are walked.
	Walk Walk
	// Trust says whether a project has to be trusted before it is read.
	Trust Trust

	// Dialect says how frontmatter is read.
	Dialect Dialect
	// Patterns says how the patterns of the files that a definition is for are
	// compared.
	Patterns pathmatch.Form
	// Fields are the fields of a kind's frontmatter that the host knows; nil
	// knows those of Vade.
	Fields func(definition.Kind) []FieldRule
	// Closed: a key that Fields has not got makes the host not load a definition of
	// the kind; nil: it ignores the key.
	Closed func(definition.Kind) bool
	// Naming says how names come about, Described what becomes of descriptions;
	// nil is the zero rule for every kind. Package parse applies them.
	Naming    func(definition.Kind) NameRule
	Described func(definition.Kind) DescriptionRule
	// Silent: the host tells nobody of a file that it does not load.
	Silent bool
	// Accepts reports whether the host takes key for the field in a kind; nil
	// takes every spelling of every field.
	Accepts func(definition.Kind, definition.Field, string) bool
	// MaxBody is the greatest length in code points that a body of a kind may have by
	// the host's documentation, which does not say what becomes of a longer one; nil
	// or 0 is none.
	MaxBody func(definition.Kind) int
	// AnyBytes: what is no text is read as if it were.
	AnyBytes bool
	// PartOfBroken: of frontmatter that can not be mended, the fields that can
	// be read are used. Otherwise none is, and the kinds of BrokenDrops are not
	// loaded at all.
	PartOfBroken bool
	BrokenDrops  func(definition.Kind) bool
	// WarnsOfMissing: a skill without a description is reported.
	WarnsOfMissing bool
	// ProseLine: a missing description is the first line of prose; otherwise it
	// is the first line that is not empty, without heading marks.
	ProseLine bool
	// EmptyText is the description of a file that has neither.
	EmptyText func(definition.Kind) string
	// Refuses says why the host does not load a definition, or "".
	Refuses func(*definition.Definition) string
	// Variables are the names in a body that stand for the directories of
	// Places; nil has none.
	Variables func(Places) map[string]string
	// ShellInCode: commands in fenced blocks and code spans run as well.
	ShellInCode bool
	// NameField: the kinds that are known by the name in their frontmatter.
	NameField func(definition.Kind) bool

	// UserDir is the directory below the home that is the host's own, which the
	// environment variable UserEnv replaces.
	UserDir, UserEnv string
	// Prompt says how bodies become the messages that the host sends; nil for
	// the neutral rendering.
	Prompt *Prompt
	// Permission is the host's own check of the shell commands of bodies; nil
	// has none.
	Permission *Permission
	// Listing says what a model sees of definitions before it loads one.
	Listing *Listing
	// Instructions says how instruction files are put together.
	Instructions *Instructions
	// SDK says how the host takes definitions as options of a program's own; nil
	// where it does not.
	SDK *AgentSDK
	// Settings says which settings files change what is loaded; nil reads none.
	Settings *Settings
	// Unread are the keys of settings files that change what the host loads and that
	// are not read.
	Unread []UnreadSetting
	// Adaptations are keys of settings files that change the profile, the weakest
	// first; see [discover.Plan.Adapt].
	Adaptations []Adaptation
	// Switches are the switches of the host's program that mean something here.
	Switches Switch
	// Export says how definitions are written for the host; nil writes none.
	Export *Export

	// Precedence orders the layers for a kind, the strongest first.
	Precedence func(definition.Kind) []definition.Layer
	// Clash says what becomes of two definitions of one name; nil: the first wins.
	Clash func(definition.Kind) Clash
	// Renamed is the name that a definition gets where Clash is BothRenamed or
	// PluginsRenamed.
	Renamed func(o definition.Origin, name string) string
	// DeepAlike: how deep below its root a file stands does not decide who wins a
	// name; otherwise one whose place tells its name wins over one that has to be
	// searched for.
	DeepAlike bool
	// SharedNames: skills and commands have one set of names, and a skill wins
	// over a command whatever their layers.
	SharedNames bool
	// NestedShadowed: a nested definition whose name is taken is not in force;
	// otherwise it is, under its directory's name and its own.
	NestedShadowed bool
	// LinkNames: where links give one file several names, each can be used.
	LinkNames bool
	// Standard: the profile is that of a format which several programs share, or of no
	// program.
	Standard bool
}

// Places are the absolute directories that a body may refer to; those that a
// definition has not are "".
type Places struct {
	Skill, Project, Plugin string
	// Config is the user's directory of the host, PluginID what a plugin is
	// called in it.
	Config, PluginID string
	// Session and Effort are no directories, but have variables too.
	Session, Effort string
}

// Ancestors says how far above the working directory a project's roots go.
type Ancestors uint8

const (
	// ToRepository: to the top of the repository; without a repository, the
	// working directory alone.
	ToRepository Ancestors = iota
	// ToFilesystem: to the top of the repository; without one, through all
	// parents.
	ToFilesystem
)

// Fallback are instruction files that are read only where a layer has none of
// others.
type Fallback struct {
	Files, Unless []string
	// Layer is the layer that is meant, 0 for the project.
	Layer definition.Layer
	// Beside: each takes the place only of those in its own directory, in every
	// layer.
	Beside bool
}

// Plugins says how a host finds plugins.
type Plugins struct {
	// Manifests are the files that make a directory a plugin, in their order.
	Manifests []Manifest
	// Marketplaces are the files, below the top of a project, that list local
	// plugins.
	Marketplaces []string
	// InProject: the project itself, and each local plugin of its
	// marketplaces, counts as a plugin without being installed.
	InProject bool
	// Installed lists the user's installed plugins.
	Installed Installed
	// Root is what a manifest may write for the plugin's own directory.
	Root string
	// Keys are the keys of a manifest that have to be of a type: a plugin with
	// another value fails as a whole, as does one whose manifest is no JSON. nil
	// takes what can be read.
	Keys []ManifestKey
}

// ManifestKey is a key of a manifest with the types of value that it may have.
type ManifestKey struct {
	Name     string
	Types    ManifestType
	Required bool
}

// ManifestType is a set of types of value.
type ManifestType uint16

// The types of value. A path is a text that begins with "./". A text or a list
// of a required key is not empty.
const (
	ManifestText ManifestType = 1 << iota
	ManifestTexts
	ManifestPath
	ManifestPaths
	ManifestFlag
	ManifestObject
	// ManifestList is a list of anything.
	ManifestList
)

// Manifest is a file whose presence makes a directory a plugin.
type Manifest struct {
	Path string
	// Needs are keys of which the file has to have one, and Schema a text that
	// its "$schema" may hold instead: they tell a manifest from another file of
	// the same name. With neither, the name is enough.
	Needs  []string
	Schema string
	// Servers is the format of the MCP servers in it; nil is that of .mcp.json.
	Servers *ServerFormat
}

// Installed names the files below the home directory that say which plugins
// are installed, and the settings that switch them on.
type Installed struct {
	File, Env string
	// Settings are files below the home and the project with a map
	// "enabledPlugins".
	UserSettings, ProjectSettings []string
	// Dirs are directories below the home in which each directory with a manifest,
	// that many levels down, is an installed plugin that is switched on.
	Dirs []InstalledDir
}

// InstalledDir is a directory of installed plugins; see [Installed.Dirs]. Env and
// EnvDepth are those of a [Root].
type InstalledDir struct {
	Path     string
	Levels   int
	Env      string
	EnvDepth int
}

// Config is a file that carries hooks or MCP server entries.
type Config struct {
	Layer   definition.Layer
	Base    Base
	Path    string
	Managed *ManagedDir
	// Env and EnvDepth are those of a [Root].
	Env      string
	EnvDepth int
	// Format is definition.Package for JSON, definition.TOML for TOML.
	Format definition.Format
	// Servers and Hooks are the keys that hold the entries; a server key of
	// "." is the whole file. Words says how the servers are written.
	Servers []string
	Words   *ServerFormat
	Hooks   string
	// ForProject is the key of a map from the directories of projects to what is
	// said of each; where it is set, Servers is looked for in what is said of this
	// one.
	ForProject string
	// First: its servers win over those of the project.
	First bool
}
