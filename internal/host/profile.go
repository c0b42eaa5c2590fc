// Package host defines the types that describe hosts, and tables that hosts share. Each
// host has its own package below this one, and package registry lists them.
package host

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/pathmatch"
)

// Profile describes how one host finds, reads and names definitions, as observed in one
// version.
type Profile struct {
	// Name is the host's name on the command line, Version the observed version.
	Name, Version string
	// Asked is the version that was asked for if it was not observed; Version is then the
	// nearest one that was.
	Asked string

	// Facts are statements about the host in words.
	Facts []Fact
	// Roots are the locations of definitions. Within a layer, and at the same distance
	// from the working directory, an earlier row wins.
	Roots []Root
	// Ancestors is how far up the host looks for project roots.
	Ancestors Ancestors
	// Fallbacks are instruction files that are read only if others do not exist.
	Fallbacks []Fallback
	// Plugins describes how plugins are found; nil means that there are none.
	Plugins *Plugins
	// Configs returns the files with hooks and MCP server entries, which loading does
	// not need; nil means none.
	Configs func() []Config
	// Servers is the format of the host's own MCP server file; nil if there is none.
	// Connect lists the files that an entry can be added to; nil if there are none.
	Servers *ServerFormat
	Connect func(goos string) Connect
	// Plugin is the layout of an exported plugin; nil if the host has none.
	Plugin *PluginExport
	// Approvals are the rules for approving MCP servers; nil if unknown.
	Approvals *Approvals
	// ServerLayers orders the layers of MCP servers, highest precedence first; nil means
	// managed, project, user, plugin.
	ServerLayers []definition.Layer
	// BareName reports whether a plugin's definition of a kind is found by its name
	// without the plugin's; nil means all kinds. BareSecond: so is its frontmatter name.
	BareName   func(definition.Kind) bool
	BareSecond bool
	// SecondNames reports whether a skill or command has the name in its frontmatter as a second
	// name, also if the host does not accept the field in its kind; nil means those that accept
	// it.
	SecondNames func(*definition.Definition) bool
	// PluginCommandsFirst: among a plugin's definitions of one name, a workflow wins over a
	// command and a command over a skill. What is not a plugin's wins over them.
	PluginCommandsFirst bool
	// Package reads the commands in a package.json.
	Package bool
	// Collections are top-level project directories in which collections keep
	// definitions and which no host reads. Vade reports them.
	Collections []string
	// Bundled adds Vade's own definitions as the lowest layer.
	Bundled bool
	// MaxFile is the size in bytes above which the host drops a file.
	MaxFile int64

	// Walk describes how the roots are walked.
	Walk Walk
	// Trust describes whether a project must be trusted before it is read.
	Trust Trust

	// Dialect describes how frontmatter is read.
	Dialect Dialect
	// Patterns is the syntax of the file patterns of a definition.
	Patterns pathmatch.Form
	// Fields are the frontmatter fields of a kind that the host knows; nil means Vade's.
	Fields func(definition.Kind) []FieldRule
	// Closed: an unknown key prevents the host from loading a definition of the kind; nil
	// means that unknown keys are ignored.
	Closed func(definition.Kind) bool
	// Naming and Described are the rules for names and descriptions; nil means the zero
	// rule for every kind. Package parse applies them.
	Naming    func(definition.Kind) NameRule
	Described func(definition.Kind) DescriptionRule
	// Silent: the host does not report files that it fails to load.
	Silent bool
	// Accepts reports whether the host accepts key for the field in a kind; nil accepts
	// every spelling of every field.
	Accepts func(definition.Kind, definition.Field, string) bool
	// MaxBody is the documented maximum length of a kind's body in code points. The
	// effect of a longer one is not documented. nil or 0 means no limit.
	MaxBody func(definition.Kind) int
	// Hooks are the rules for the field hooks; nil means that they are not checked.
	Hooks *HookRules
	// AnyBytes: binary files are read as if they were text.
	AnyBytes bool
	// PartOfBroken: if frontmatter cannot be repaired, the readable fields are used.
	// Otherwise none are, and the kinds in BrokenDrops are not loaded at all.
	PartOfBroken bool
	BrokenDrops  func(definition.Kind) bool
	// PluginBroken: those of plugins are loaded all the same.
	PluginBroken bool
	// WarnsOfMissing: the host reports a skill without a description.
	WarnsOfMissing bool
	// ProseLine: a missing description is replaced by the first line of prose; otherwise
	// by the first non-empty line without heading marks.
	ProseLine bool
	// EmptyText is the description of a file with neither.
	EmptyText func(definition.Kind) string
	// Refuses returns why the host does not load a definition, or "".
	Refuses func(*definition.Definition) string
	// Variables are the variables for the directories of Places in a body; nil means
	// none.
	Variables func(Places) map[string]string
	// ShellInCode: commands in fenced blocks and code spans run too.
	ShellInCode bool
	// NameField reports the kinds that are named by their frontmatter.
	NameField func(definition.Kind) bool

	// UserDir is the host's own directory in the home directory. The environment
	// variable UserEnv overrides it.
	UserDir, UserEnv string
	// Prompt describes how bodies become the host's messages; nil means the neutral
	// rendering.
	Prompt *Prompt
	// Permission is the host's own check of shell commands in bodies; nil means none.
	Permission *Permission
	// Listing describes what a model sees of definitions before it loads one.
	Listing *Listing
	// Instructions describes how instruction files are assembled.
	Instructions *Instructions
	// SDK describes how the host accepts definitions as SDK options; nil if it does not.
	SDK *AgentSDK
	// Settings describes the settings files that affect loading; nil means none.
	Settings *Settings
	// Unread are settings keys that affect loading but that Vade does not read.
	Unread []UnreadSetting
	// Adaptations are settings keys that change the profile, lowest precedence first; see
	// [discover.Plan.Adapt].
	Adaptations []Adaptation
	// Switches are the program's command-line switches that affect loading.
	Switches Switch
	// Export describes how definitions are written for the host; nil if they cannot be.
	Export *Export

	// Precedence orders the layers for a kind, highest precedence first.
	Precedence func(definition.Kind) []definition.Layer
	// Clash is how two definitions with the same name are resolved; nil means that the
	// first wins.
	Clash func(definition.Kind) Clash
	// Renamed returns the new name of a definition if Clash is BothRenamed or
	// PluginsRenamed.
	Renamed func(o definition.Origin, name string) string
	// DeepAlike: a file's depth below its root does not matter for precedence. Otherwise
	// a definition whose path gives its name wins over one that a scan must find.
	DeepAlike bool
	// SharedNames: skills, commands and workflows share one namespace, and a skill wins over
	// a command and a command over a workflow, whatever their layers.
	SharedNames bool
	// NestedShadowed: a nested definition whose name is taken is not active. Otherwise
	// it is, under the name of its directory plus its own.
	NestedShadowed bool
	// LinkNames: if symlinks give a file several names, each can be used.
	LinkNames bool
	// Standard: the profile is for a format that several programs share, not for a
	// program.
	Standard bool
}

// Places are the absolute directories that a body may refer to; "" if a definition does
// not have one.
type Places struct {
	Skill, Project, Plugin string
	// Config is the user's configuration directory of the host. PluginID is the plugin's
	// ID in it.
	Config, PluginID string
	// Session and Effort are not directories but have variables too.
	Session, Effort string
}

// Ancestors is how far above the working directory a host looks for project roots.
type Ancestors uint8

const (
	// ToRepository: up to the repository root; without a repository, only the working
	// directory.
	ToRepository Ancestors = iota
	// ToFilesystem: up to the repository root; without a repository, all parents.
	ToFilesystem
)

// Fallback lists instruction files that are read only if a layer does not have others.
type Fallback struct {
	Files, Unless []string
	// Layer is the affected layer, 0 for the project.
	Layer definition.Layer
	// Beside: each file only replaces the ones in its own directory, in every layer.
	Beside bool
}

// Plugins describes how a host finds plugins.
type Plugins struct {
	// Manifests are the files that make a directory a plugin, in lookup order.
	Manifests []Manifest
	// Marketplaces are the files, relative to the project root, that list local plugins.
	Marketplaces []string
	// InProject: the project itself, and each local plugin in its marketplaces, counts
	// as an installed plugin.
	InProject bool
	// CleanName makes the name of a skill from that of its directory; nil leaves it. If it is set,
	// a skill whose SKILL.md is in the directory that a manifest or marketplace names, or in the
	// plugin's own, has its frontmatter name, made so. RootSkillAlone: one in the plugin's own directory counts only
	// if the plugin has no other skills.
	CleanName      func(name string) string
	RootSkillAlone bool
	// Installed lists the user's installed plugins.
	Installed Installed
	// Root is the variable for the plugin's own directory in a manifest.
	Root string
	// Keys are the typed keys of a manifest. A plugin with a value of another type is
	// invalid as a whole, as is one whose manifest is not JSON. nil accepts whatever can
	// be read.
	Keys []ManifestKey
}

// ManifestKey is a key of a manifest with its accepted value types.
type ManifestKey struct {
	Name     string
	Types    ManifestType
	Required bool
}

// ManifestType is a set of value types.
type ManifestType uint16

// The value types. A path is a string that begins with "./". A string or list of a
// required key must not be empty.
const (
	ManifestText ManifestType = 1 << iota
	ManifestTexts
	ManifestPath
	ManifestPaths
	ManifestFlag
	ManifestObject
	// ManifestList is a list of any values.
	ManifestList
	// ManifestMarkdown: paths, alone or in a list, must end in ".md".
	ManifestMarkdown
)

// Manifest is a file whose presence makes a directory a plugin.
type Manifest struct {
	Path string
	// Needs are keys of which the file must have at least one, and Schema is a string
	// that its "$schema" may contain instead. They distinguish a manifest from other
	// files of the same name. If both are empty, the name is enough.
	Needs  []string
	Schema string
	// Servers is the format of the MCP servers in it; nil means that of .mcp.json.
	Servers *ServerFormat
}

// Installed names the files in the home directory that list the installed plugins, and
// the settings that enable them.
type Installed struct {
	File, Env string
	// Known is the file that says where the user's marketplaces are, and Marketplace the file
	// in each of them that describes its plugins. If Known is set, a plugin counts only if a
	// marketplace there has it; one in a marketplace that is a local directory is read there
	// and need not be in File.
	Known, Marketplace string
	// Settings are files in the home directory and the project with an "enabledPlugins"
	// map.
	UserSettings, ProjectSettings []string
	// Dirs are directories in the home directory. Each directory with a manifest, that
	// many levels down, is an installed and enabled plugin.
	Dirs []InstalledDir
}

// InstalledDir is a directory of installed plugins; see [Installed.Dirs]. Env and
// EnvDepth are like those of a [Root].
type InstalledDir struct {
	Path     string
	Levels   int
	Env      string
	EnvDepth int
}

// Config is a file with hooks or MCP server entries.
type Config struct {
	Layer   definition.Layer
	Base    Base
	Path    string
	Managed *ManagedDir
	// Env and EnvDepth are like those of a [Root].
	Env      string
	EnvDepth int
	// Format is definition.Package for JSON, definition.TOML for TOML.
	Format definition.Format
	// Servers and Hooks are the keys of the entries; a server key of "." means the whole
	// file. Words is the format of the servers, HookRules that of the hooks.
	Servers   []string
	Words     *ServerFormat
	Hooks     string
	HookRules *HookRules
	// ForProject is the key of a map from project directories to settings. If it is set,
	// Servers are looked up in the entry for this project.
	ForProject string
	// First: its servers take precedence over the project's.
	First bool
}
