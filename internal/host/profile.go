// Package host defines the types that describe hosts, and tables that several
// hosts share. Each host has its own package in a subdirectory, and package
// registry lists them.
package host

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/pathmatch"
)

// Profile describes how a host finds, reads and names definitions, as observed
// in one version.
type Profile struct {
	// Name is the host's name on the command line. Version is the observed
	// version.
	Name, Version string
	// Asked is the requested version if it was not observed. Version is then
	// the nearest observed version.
	Asked string

	// Facts holds statements about the host in words.
	Facts []Fact
	// Roots are the locations of definitions. Within a layer, and at the same distance
	// from the working directory, an earlier row wins.
	Roots []Root
	// Ancestors is how far up the host looks for project roots.
	Ancestors Ancestors
	// Fallbacks are instruction files that are read only if other files do not exist.
	Fallbacks []Fallback
	// Plugins describes how plugins are found. nil means that the host has none.
	Plugins *Plugins
	// Configs returns the files with hooks and MCP server entries, which loading does not need.
	// nil means that there are none.
	Configs func() []Config
	// Servers is the format of the host's own MCP server file, or nil if there is none. Connect
	// lists the files to which an entry can be added, or is nil if there are none.
	Servers *ServerFormat
	Connect func(goos string) Connect
	// Launch describes how to run a task with the host's program, or is nil if Vade cannot start
	// it.
	Launch *Launch
	// Plugin is the layout of an exported plugin, or nil if the host has no plugins.
	Plugin *PluginExport
	// Approvals holds the rules for approving MCP servers, or is nil if they are unknown.
	Approvals *Approvals
	// ServerLayers orders the layers of MCP servers, highest precedence first. nil means managed,
	// project, user, plugin.
	ServerLayers []definition.Layer
	// BareName reports whether a plugin's definition of a kind is found by its name without the
	// plugin's name; nil means all kinds. BareSecond means that its frontmatter name works
	// without the plugin's name too.
	BareName   func(definition.Kind) bool
	BareSecond bool
	// SecondNames reports whether the frontmatter name of a skill or command is a second name,
	// even if the host does not accept the field for the kind. nil means that it is a second name
	// if the host accepts the field.
	SecondNames func(*definition.Definition) bool
	// PluginCommandsFirst means that if a plugin has several definitions with one name, a
	// workflow wins over a command, and a command over a skill. Definitions outside plugins win
	// over all three.
	PluginCommandsFirst bool
	// Package reads the commands in a package.json.
	Package bool
	// Collections lists top-level project directories in which collections keep definitions and
	// which no host reads. Vade reports them.
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
	// Patterns is the syntax of file patterns in a definition.
	Patterns pathmatch.Form
	// Fields returns the frontmatter fields of a kind that the host supports. nil means Vade's
	// fields.
	Fields func(definition.Kind) []FieldRule
	// Closed means that an unknown key prevents the host from loading a definition of the kind;
	// nil means that unknown keys are ignored.
	Closed func(definition.Kind) bool
	// Naming and Described return the rules for names and descriptions. nil means the zero rule
	// for every kind. Package parse applies them.
	Naming    func(definition.Kind) NameRule
	Described func(definition.Kind) DescriptionRule
	// Silent means that the host does not report files that it fails to load.
	Silent bool
	// Accepts reports whether the host accepts key as the spelling of a field in a kind. nil
	// accepts every spelling of every field.
	Accepts func(definition.Kind, definition.Field, string) bool
	// MaxBody returns the documented maximum length of a kind's body in code points. The effect
	// of a longer body is not documented. nil or 0 means no limit.
	MaxBody func(definition.Kind) int
	// MinBody is the minimum length of a kind's trimmed body in UTF-16 units; a definition with a
	// shorter body is not loaded. nil or 0 means no minimum.
	MinBody func(definition.Kind) int
	// Hooks holds the rules for the field hooks. nil means that they are not checked.
	Hooks *HookRules
	// AnyBytes means that binary files are read as if they were text.
	AnyBytes bool
	// PartOfBroken means that if frontmatter cannot be repaired, its readable fields are used.
	// Otherwise none are used, and the kinds in BrokenDrops are not loaded at all.
	PartOfBroken bool
	BrokenDrops  func(definition.Kind) bool
	// PluginBroken means that plugin definitions are loaded regardless of BrokenDrops.
	PluginBroken bool
	// WarnsOfMissing means that the host reports a skill without a description.
	WarnsOfMissing bool
	// ProseLine means that the first line of prose replaces a missing description. Otherwise the
	// first nonempty line without heading marks is used.
	ProseLine bool
	// EmptyText is the description of a file that has neither a description nor such a line.
	EmptyText func(definition.Kind) string
	// Refuses returns the reason why the host does not load a definition, or "".
	Refuses func(*definition.Definition) string
	// Variables returns the variables in a body for the directories in Places. nil means that
	// there are none.
	Variables func(Places) map[string]string
	// ShellInCode means that commands in fenced blocks and code spans run too.
	ShellInCode bool
	// NameField reports the kinds that are named by their frontmatter.
	NameField func(definition.Kind) bool

	// UserDir is the host's own directory in the home directory. The environment
	// variable UserEnv overrides it.
	UserDir, UserEnv string
	// Sessions is where the host records its sessions. nil means that Vade cannot read them.
	Sessions *Sessions
	// Prompt describes how bodies become the host's messages. nil means the neutral rendering.
	Prompt *Prompt
	// Permission is the host's own check of shell commands in bodies. nil means that there is
	// none.
	Permission *Permission
	// Listing describes what a model sees of definitions before it loads one.
	Listing *Listing
	// Instructions describes how instruction files are assembled.
	Instructions *Instructions
	// FromOptions means that the host is an SDK to which a program passes the definitions.
	FromOptions bool
	// Settings describes the settings files that affect loading. nil means that there are none.
	Settings *Settings
	// Unread holds the settings keys that affect loading but that Vade does not read.
	Unread []UnreadSetting
	// Entries are the keys of settings files that hold definitions.
	Entries []EntryRow
	// Toggles are the settings that disable definitions.
	Toggles Toggles
	// Adaptations holds the settings keys that change the profile, lowest precedence first; see
	// [discover.Plan.Adapt].
	Adaptations []Adaptation
	// Switches holds the program's command-line switches that affect loading.
	Switches Switch
	// Export describes how definitions are written for the host. It is nil if they cannot be.
	Export *Export

	// Precedence orders the layers for a kind, highest precedence first.
	Precedence func(definition.Kind) []definition.Layer
	// Clash returns how two definitions with the same name are resolved. nil means that the first
	// wins.
	Clash func(definition.Kind) Clash
	// Renamed returns the new name of a definition if Clash is BothRenamed or
	// PluginsRenamed.
	Renamed func(o definition.Origin, name string) string
	// DeepAlike means that a file's depth below its root does not affect precedence. Otherwise a
	// definition whose path implies its name wins over one that only a scan finds.
	DeepAlike bool
	// SharedNames means that skills, commands and workflows share one namespace. Regardless of
	// layer, a skill wins over a command, and a command wins over a workflow.
	SharedNames bool
	// NestedShadowed means that a nested definition whose name is taken is not active. Otherwise
	// it is active under a name that combines its directory's name and its own.
	NestedShadowed bool
	// MergesAgents means that agents of one name, in files and settings, are one agent: a field
	// comes from the strongest that has it.
	MergesAgents bool
	// LinkNames means that if symlinks give a file several names, each can be used.
	LinkNames bool
	// Standard means that the profile is for a format that several programs share, not for a
	// program.
	Standard bool
}

// Places holds the absolute directories that a body may refer to. A field is "" if the definition
// has no such directory.
type Places struct {
	Skill, Project, Plugin string
	// Config is the user's configuration directory of the host. PluginID is the plugin's ID,
	// which names its directory there.
	Config, PluginID string
	// Session and Effort are not directories, but bodies refer to them with variables too.
	Session, Effort string
}

// Ancestors is how far above the working directory a host looks for project roots.
type Ancestors uint8

const (
	// ToRepository stops at the repository root. Without a repository, it includes only the
	// working directory.
	ToRepository Ancestors = iota
	// ToFilesystem stops at the repository root. Without a repository, it includes all parents.
	ToFilesystem
)

// Fallback lists instruction files that are read only if certain preferred files do not exist in
// the same layer.
type Fallback struct {
	Files, Unless []string
	// Layer is the affected layer; 0 means the project.
	Layer definition.Layer
	// Beside means that a file replaces only files in its own directory, in every layer.
	Beside bool
}

// Plugins describes how a host finds plugins.
type Plugins struct {
	// Manifests are the files that make a directory a plugin, in lookup order.
	Manifests []Manifest
	// Enclosing lists manifests, in lookup order, that make a directory a plugin wherever it is.
	// A skill's name is prefixed with the name of the nearest such plugin and a colon. Nothing
	// else in such a plugin is read.
	Enclosing []string
	// Marketplaces are the files, relative to the project root, that list local plugins.
	Marketplaces []string
	// InProject means that the project itself, and each local plugin in its marketplaces, counts
	// as an installed plugin.
	InProject bool
	// CleanName derives the name of a skill from its directory's name; nil leaves the name
	// unchanged. If CleanName is set and the SKILL.md is directly in the directory that a
	// manifest or marketplace names, or in the plugin's own directory, the name is derived from
	// the frontmatter name instead. RootSkillAlone means that a skill in the plugin's own
	// directory counts only if the plugin has no other skills.
	CleanName      func(name string) string
	RootSkillAlone bool
	// Installed lists the user's installed plugins.
	Installed Installed
	// Root is the variable for the plugin's own directory in a manifest.
	Root string
	// Keys lists the keys of a manifest with their types. A plugin is invalid if a value has
	// another type or if the manifest is not JSON. nil accepts every manifest.
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
	// ManifestMarkdown means that paths, alone or in a list, must end in ".md".
	ManifestMarkdown
	// ManifestCommands is an object of commands by name: each has either a "source", which is a
	// path, or a "content", and may have a "description" (h25; observed in Claude Code 2.1.330).
	ManifestCommands
)

// Manifest is a file whose presence makes a directory a plugin.
type Manifest struct {
	Path string
	// The file must have at least one of the keys in Needs, or a "$schema" that contains Schema.
	// They distinguish a manifest from other files of the same name. If both are empty, the name
	// is sufficient.
	Needs  []string
	Schema string
	// Servers is the format of the MCP servers in the manifest. nil means the format of
	// .mcp.json.
	Servers *ServerFormat
}

// Installed names the files in the home directory that list the installed plugins, and the
// settings that enable them.
type Installed struct {
	File, Env string
	// Known is the file that lists the user's marketplaces, and Marketplace is the file in each
	// marketplace that describes its plugins. If Known is set, a plugin counts only if one of these
	// marketplaces has it. A plugin in a marketplace that is a local directory is read there and
	// need not be listed in File.
	Known, Marketplace string
	// Settings are files in the home directory and the project with an "enabledPlugins"
	// map.
	UserSettings, ProjectSettings []string
	// Dirs are directories in the home directory. Each directory with a manifest, at the given
	// depth, is an installed and enabled plugin.
	Dirs []InstalledDir
}

// InstalledDir is a directory of installed plugins; see [Installed.Dirs]. Env and EnvDepth work
// as in a [Root].
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
	// Env and EnvDepth work as in a [Root].
	Env      string
	EnvDepth int
	// Format is definition.Package for JSON, definition.TOML for TOML.
	Format definition.Format
	// Servers and Hooks are the keys of the entries; the server key "." means the entire file.
	// Words is the format of the servers, and HookRules is the format of the hooks.
	Servers   []string
	Words     *ServerFormat
	Hooks     string
	HookRules *HookRules
	// ForProject is the key of a map from project directories to settings. If it is set,
	// Servers are looked up in the entry for this project.
	ForProject string
	// First means that the file's servers take precedence over the project's.
	First bool
}
