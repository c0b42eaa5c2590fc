// Package host defines the types that describe hosts, and tables that several hosts share. Each
// host has its own package in a subdirectory, and package registry lists them.
package host

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/pathmatch"
)

// Profile describes how one observed version of a host finds, reads and names definitions.
type Profile struct {
	// Name is the host's name on the command line. Version is the observed version.
	Name, Version string
	// Asked is the version that was requested, if it was not observed. In that case, Version is the
	// nearest observed version.
	Asked string

	// Facts holds statements about the host; see [Fact].
	Facts []Fact
	// Roots lists the locations of definitions. If two locations have the same layer and distance
	// from the working directory, the earlier one takes precedence.
	Roots []Root
	// Ancestors determines how far above the working directory the host looks for project
	// directories.
	Ancestors Ancestors
	// Fallbacks lists instruction files that are read only if certain other files do not exist.
	Fallbacks []Fallback
	// Plugins describes how plugins are found. nil means that the host does not support plugins.
	Plugins *Plugins
	// Configs returns the files with hooks and MCP server entries. Vade does not need these files
	// to load definitions. If Configs is nil, the host has no such files.
	Configs func() []Config
	// Servers is the format of the host's own MCP server file. It is nil if the host has no such
	// file. Connect lists the files to which an entry can be added. It is nil if there are none.
	Servers *ServerFormat
	Connect func(goos string) Connect
	// Launch describes how to run a task with the host's program. If nil, Vade cannot start the
	// program.
	Launch *Launch
	// Plugin is the layout of an exported plugin. It is nil if the host does not support plugins.
	Plugin *PluginExport
	// Approvals holds the rules for approving MCP servers. It is nil if the rules are unknown.
	Approvals *Approvals
	// ServerLayers orders the layers of MCP servers, highest precedence first.
	// nil means managed, project, user, plugin.
	ServerLayers []definition.Layer
	// BareName reports whether a plugin's definitions of the given kind can be called without the
	// plugin's name as a prefix. If BareName is nil, this applies to all kinds. If BareSecond is
	// set, such definitions can also be called by their frontmatter names without the prefix.
	BareName   func(definition.Kind) bool
	BareSecond bool
	// SecondNames reports whether a skill or command can be called by the name in its frontmatter
	// in addition to its main name, even if the host does not accept the name field for the kind.
	// If SecondNames is nil, this is the case if the host accepts the field.
	SecondNames func(*definition.Definition) bool
	// If PluginCommandsFirst is set and a plugin's definitions have the same name, workflows take
	// precedence over commands, and commands over skills. Definitions outside plugins take
	// precedence over all three.
	PluginCommandsFirst bool
	// If Package is set, the commands in the project's package.json are read.
	Package bool
	// Collections lists top-level project directories that are commonly used for definitions but
	// that no host reads. Vade reports such definitions.
	Collections []string
	// If Bundled is set, Vade's own definitions are added as the lowest layer.
	Bundled bool
	// MaxFile is the size in bytes above which the host drops a file.
	MaxFile int64

	// Walk describes how the host walks its roots.
	Walk Walk
	// Trust describes whether the user must trust a project before the host reads it.
	Trust Trust

	// Dialect describes how the host reads frontmatter.
	Dialect Dialect
	// Patterns is the syntax of the file patterns in definitions.
	Patterns pathmatch.Form
	// Fields returns the frontmatter fields that the host supports for the given kind. If nil, they
	// are Vade's fields.
	Fields func(definition.Kind) []FieldRule
	// Closed reports whether the host refuses to load a definition of the given kind that has an
	// unknown key. nil means that unknown keys are ignored.
	Closed func(definition.Kind) bool
	// Naming and Described return the rules for names and descriptions. If a function is nil, the
	// zero value of its rule applies to all kinds. Package parse applies the rules.
	Naming    func(definition.Kind) NameRule
	Described func(definition.Kind) DescriptionRule
	// Silent is set if the host does not report files that it fails to load.
	Silent bool
	// Accepts reports whether the host accepts key as a spelling of a field in files of the given
	// kind. nil accepts every spelling of every field.
	Accepts func(definition.Kind, definition.Field, string) bool
	// MaxBody returns the maximum length, in code points, of bodies of the given kind, as given in
	// the host's documentation, which does not say what happens to longer bodies. If MaxBody is nil
	// or returns 0, there is no limit.
	MaxBody func(definition.Kind) int
	// MinBody returns the minimum length, in UTF-16 units, of trimmed bodies of the given kind. A
	// definition with a shorter body is not loaded. If MinBody is nil or returns 0, there is no
	// minimum.
	MinBody func(definition.Kind) int
	// Hooks holds the rules for the hooks field. nil means that the field is not checked.
	Hooks *HookRules
	// If AnyBytes is set, binary files are read as if they were text.
	AnyBytes bool
	// If PartOfBroken is set, the readable fields of frontmatter that cannot be repaired are used.
	// Otherwise, no fields are used, and a definition of a kind in BrokenDrops is not loaded.
	PartOfBroken bool
	BrokenDrops  func(definition.Kind) bool
	// If PluginBroken is set, BrokenDrops does not apply to plugins' definitions.
	PluginBroken bool
	// WarnsOfMissing is set if the host reports a skill without a description.
	WarnsOfMissing bool
	// If ProseLine is set, a missing description is replaced with the first line of prose.
	// Otherwise, it is replaced with the first nonempty line, without heading marks.
	ProseLine bool
	// EmptyText is the description of a file that has neither a description nor a line that could
	// replace it.
	EmptyText func(definition.Kind) string
	// Refuses returns the reason why the host does not load a definition, or "" if the host loads
	// the definition.
	Refuses func(*definition.Definition) string
	// Variables returns a map from variable names to values. Bodies use these variables to refer to
	// the fields of Places. If Variables is nil, bodies have no variables.
	Variables func(Places) map[string]string
	// If ShellInCode is set, commands in fenced blocks and code spans also run.
	ShellInCode bool
	// NameField reports whether definitions of the given kind take their names from the
	// frontmatter.
	NameField func(definition.Kind) bool

	// UserDir is the host's own directory below the home directory. The
	// environment variable UserEnv overrides it.
	UserDir, UserEnv string
	// Sessions describes where the host records its sessions. nil means that Vade cannot read them.
	Sessions *Sessions
	// Prompt describes how bodies become the host's messages. If it is nil, bodies are rendered as
	// in the neutral view.
	Prompt *Prompt
	// Permission is the host's own check of shell commands in bodies. nil means
	// that the host does not check them.
	Permission *Permission
	// Listing describes what a model sees before it loads a definition.
	Listing *Listing
	// Instructions describes how instruction files are assembled.
	Instructions *Instructions
	// FromOptions is set if the host is an SDK to which a program passes definitions.
	FromOptions bool
	// Settings describes the settings files that affect loading. nil means that the host has none.
	Settings *Settings
	// Unread lists settings that affect loading. Vade reports those that no adaptation applies.
	Unread []UnreadSetting
	// Entries lists the settings keys that contain definitions.
	Entries []EntryRow
	// Toggles describes the settings that disable definitions.
	Toggles Toggles
	// Adaptations lists the settings keys that change the profile, lowest
	// precedence first; see [discover.Plan.Adapt].
	Adaptations []Adaptation
	// Switches holds the program's command-line switches that affect loading.
	Switches Switch
	// Export describes how definitions are written for the host. It is nil if
	// Vade cannot write them.
	Export *Export

	// Precedence returns the layers for the given kind, highest precedence first.
	Precedence func(definition.Kind) []definition.Layer
	// Clash returns how the host resolves two definitions with the same name. nil means that the
	// first definition takes precedence.
	Clash func(definition.Kind) Clash
	// Renamed returns the new name of a definition if Clash is BothRenamed, PluginsRenamed or
	// PluginsYield.
	Renamed func(o definition.Origin, name string) string
	// If DeepAlike is set, a file's depth below its root does not affect precedence. Otherwise, a
	// file in a deeper subdirectory than its definition's name suggests has lower precedence than
	// other files.
	DeepAlike bool
	// If SharedNames is set, skills, commands and workflows share one namespace. Regardless of
	// layer, skills take precedence over commands, and commands over workflows.
	SharedNames bool
	// If NestedShadowed is set, a nested definition whose name is taken is inactive. Otherwise, its
	// name is prefixed with its directory's name.
	NestedShadowed bool
	// If MergesAgents is set, agents with the same name are merged, whether they come from files or
	// settings. The description and the mode each come from the agent with the highest precedence
	// that sets it, and if one of the agents is disabled, all are.
	MergesAgents bool
	// If LinkNames is set, a file that has several names because of symlinks can be called by any
	// of its names.
	LinkNames bool
	// Standard is set if the profile describes a format that several programs share rather than a
	// program.
	Standard bool
}

// Places holds the absolute paths of directories that a body may refer to. A field is "" if the
// definition has no such directory.
type Places struct {
	Skill, Project, Plugin string
	// Config is the host's configuration directory for the user. PluginID is the plugin's ID, which
	// is also the name of the plugin's data directory below Config.
	Config, PluginID string
	// Session and Effort are not directories, but bodies refer to them with the same syntax.
	Session, Effort string
}

// Ancestors determines how far above the working directory a host looks for project directories.
type Ancestors uint8

const (
	// ToRepository stops at the repository root. Without a repository, it includes only the
	// working directory.
	ToRepository Ancestors = iota
	// ToFilesystem stops at the repository root. Without a repository, it includes all parents.
	ToFilesystem
)

// Fallback lists instruction files that are read only if certain preferred
// files do not exist in the same layer.
type Fallback struct {
	Files, Unless []string
	// Layer is the affected layer; 0 means the project.
	Layer definition.Layer
	// If SameDir is set, a preferred file replaces only files in its own directory, in every layer.
	SameDir bool
}

// Plugins describes how a host finds plugins.
type Plugins struct {
	// Manifests lists the files that make a directory a plugin, in lookup order.
	Manifests []Manifest
	// Enclosing lists manifests, in lookup order, that make the directory that contains them a
	// plugin, wherever it is. A skill in such a directory gets the name of the nearest enclosing
	// plugin and a colon as a prefix. Nothing else in the plugin is read.
	Enclosing []string
	// Marketplaces lists the files that list local plugins, relative to the project root.
	Marketplaces []string
	// If InProject is set, the project itself and all local plugins in the project's marketplaces
	// are treated as installed plugins.
	InProject bool
	// CleanName derives a skill's name from its directory's name; nil leaves the name unchanged. If
	// CleanName is set and a SKILL.md is directly in the plugin's own directory, or in a directory
	// that a manifest or marketplace names, its name comes from the frontmatter instead. If
	// RootSkillAlone is set, a skill in the plugin's own directory is ignored if the plugin has
	// other skills.
	CleanName      func(name string) string
	RootSkillAlone bool
	// Installed describes where to find the user's installed plugins.
	Installed Installed
	// Root is the name of the variable that manifests use for the plugin's own directory.
	Root string
	// Keys lists a manifest's keys and their types. A plugin is invalid if a value has the wrong
	// type or if the manifest is not JSON. nil accepts every manifest.
	Keys []ManifestKey
}

// ManifestKey describes a manifest key and the types of values that it accepts.
type ManifestKey struct {
	Name     string
	Types    ManifestType
	Required bool
}

// ManifestType is a set of value types.
type ManifestType uint16

// Types of values. A path is a string that begins with "./". A string or list must not be empty if
// the key is required.
const (
	ManifestText ManifestType = 1 << iota
	ManifestTexts
	ManifestPath
	ManifestPaths
	ManifestFlag
	ManifestObject
	// ManifestList is a list of any values.
	ManifestList
	// ManifestMarkdown requires each path to end in ".md".
	ManifestMarkdown
	// ManifestCommands is an object that maps names to commands. Each command has either a
	// "source", which is a path, or a "content". It may also have a "description" (h25; observed in
	// Claude Code 2.1.330).
	ManifestCommands
)

// Manifest is a file whose presence makes a directory a plugin.
type Manifest struct {
	Path string
	// Needs and Schema distinguish the file from other files with the same name. The file must have
	// one of the keys in Needs or a "$schema" that contains Schema. If both are empty, any file
	// with the name is accepted.
	Needs  []string
	Schema string
	// Servers is the format of the manifest's MCP servers. nil means the format of .mcp.json.
	Servers *ServerFormat
}

// Installed lists the files in the home directory that record installed plugins, and the settings
// that enable them.
type Installed struct {
	File, Env string
	// Known is the file that lists the user's marketplaces. If it is set, only plugins in these
	// marketplaces are read. Marketplaces lists the files that can describe a marketplace's
	// plugins; the first one that exists is used. If a marketplace is a local directory, its
	// plugins are read from that directory and need not be listed in File.
	Known        string
	Marketplaces []string
	// UserSettings and ProjectSettings are the files in the home directory and
	// the project that contain an "enabledPlugins" map.
	UserSettings, ProjectSettings []string
	// Listed is set if File has the key "installedPlugins", a list of plugins with their
	// directories. The first file in UserSettings then adds the plugins in local marketplaces. The
	// name in the list or marketplace replaces the name in the plugin's manifest.
	Listed bool
	// Store is the directory, relative to the home directory, that contains each installed plugin
	// in a subdirectory MARKETPLACE/NAME/VERSION. Enabled lists the IDs of the enabled plugins; the
	// profile's adaptations set it.
	Store   string
	Enabled []string
	// Dirs lists directories in the home directory. Each directory at the given depth below them
	// that has a manifest is treated as an installed and enabled plugin.
	Dirs []InstalledDir
}

// InstalledDir is a directory that contains installed plugins; see
// [Installed.Dirs]. Env and EnvDepth work as in [Root].
type InstalledDir struct {
	Path     string
	Levels   int
	Env      string
	EnvDepth int
}

// Config is a file that contains hooks or MCP server entries.
type Config struct {
	Layer   definition.Layer
	Base    Base
	Path    string
	Managed *ManagedDir
	// Env and EnvDepth have the same meaning as in [Root].
	Env      string
	EnvDepth int
	// Format is definition.Package for JSON or definition.TOML for TOML.
	Format definition.Format
	// Servers and Hooks list the keys that contain the entries. The server key "." means the entire
	// file. Words is the format of the servers, and HookRules describes the hooks.
	Servers   []string
	Words     *ServerFormat
	Hooks     string
	HookRules *HookRules
	// ForProject is the key of a map from project directories to settings. If it is set, the keys
	// in Servers are looked up in the settings for the current project.
	ForProject string
	// If First is set, the file's servers take precedence over the project's.
	First bool
}
