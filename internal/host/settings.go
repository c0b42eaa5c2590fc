package host

import (
	"strings"
)

// Settings describes a host's settings files and the keys in them that affect loading.
type Settings struct {
	// Files holds the settings files, lowest precedence first.
	Files []SettingsFile
	// Keys holds the keys that Vade reads or whose values it validates.
	Keys []SettingsKey
	// If Strict is set, files must be JSON without comments and trailing commas, and a file that
	// contains a value for which [SettingsKey.Valid] returns false is ignored. In a managed file,
	// only the invalid value is ignored.
	Strict bool
}

// Sources of settings and definitions. A client can disable all except SourceManaged.
const (
	SourceManaged = "managed"
	SourceUser    = "user"
	SourceProject = "project"
	SourceLocal   = "local"
)

// Switch is a set of command-line switches for a host's program.
type Switch uint16

// Switches. Except for the last two, each corresponds to a field in [vade.ClientOptions].
const (
	SwitchSources Switch = 1 << iota
	SwitchBare
	SwitchNoCommands
	SwitchPermissionMode
	SwitchAgents
	SwitchAgent
	SwitchAddDirs
	SwitchContextTokens
	SwitchTouched
	// SwitchSession and SwitchEffort correspond to fields of [vade.RenderRequest]. Rendered text
	// may contain the session ID and the effort.
	SwitchSession
	SwitchEffort

	// AllSwitches is the set of all switches.
	AllSwitches = SwitchEffort<<1 - 1
)

// SwitchWord describes a switch: its [vade.ClientOptions] field and its flag.
type SwitchWord struct {
	Switch      Switch
	Field, Flag string
}

// Words returns the switches in the set that have a [vade.ClientOptions] field.
func (s Switch) Words() []SwitchWord {
	var words []SwitchWord
	for _, w := range []SwitchWord{
		{SwitchSources, "SettingSources", "--setting-sources"},
		{SwitchBare, "Bare", "--bare"},
		{SwitchNoCommands, "NoCommands", "--disable-slash-commands"},
		{SwitchPermissionMode, "PermissionMode", "--permission-mode"},
		{SwitchAgents, "Agents", "--agents"},
		{SwitchAgent, "Agent", "--agent"},
		{SwitchAddDirs, "AddDirs", "--add-dir"},
		{SwitchContextTokens, "ContextTokens", "--context-tokens"},
		{SwitchTouched, "Touched", "--touched"},
	} {
		if s&w.Switch != 0 {
			words = append(words, w)
		}
	}
	return words
}

// Key returns the path of a setting's key, joined with dots, or "" if the host does not have the
// setting.
func (s *Settings) Key(of Setting) string {
	if s == nil {
		return ""
	}
	for i := range s.Keys {
		if s.Keys[i].Setting == of {
			return strings.Join(s.Keys[i].Path, ".")
		}
	}
	return ""
}

// SettingsFile describes a settings file.
type SettingsFile struct {
	// Source is one of the Source constants.
	Source string
	Base   Base
	// Path is the file's path relative to its base. If Each is set, Path is a directory in which
	// all *.json files are read, in name order.
	Path string
	Each bool
	// Env is the environment variable that replaces the first element of Path.
	Env     string
	Managed *ManagedDir
}

// SettingsKey describes a key in a settings file.
type SettingsKey struct {
	// Path holds the keys that lead from the top-level object in the file to the value.
	Path    []string
	Setting Setting
	// ManagedOnly is set if the key has an effect only in managed settings.
	ManagedOnly bool
	// Valid reports whether the host accepts a value, as decoded by encoding/json. nil accepts all
	// values. If Valid is set, Setting may be zero.
	Valid func(v any) bool
}

// Setting identifies the meaning of a settings key.
type Setting uint8

// Settings and their value types.
const (
	// SettingOverrides is a map from skill names to the Override constants.
	SettingOverrides Setting = iota + 1
	// SettingNoBundled and SettingNoShell are booleans that disable built-in skills and the shell
	// commands in definitions, respectively.
	SettingNoBundled
	SettingNoShell
	// SettingAllow, SettingDeny and SettingAsk are lists of permission rules.
	SettingAllow
	SettingDeny
	SettingAsk
	// SettingDefaultMode is a string that names the default permission mode.
	SettingDefaultMode
	// SettingMaxDescription is a number of UTF-16 units. SettingBudgetFraction is a
	// number greater than 0 and at most 1.
	SettingMaxDescription
	SettingBudgetFraction
	// SettingInstructionExcludes is a list of instruction file patterns. SettingInstructionFiles is
	// a keyword that selects which files to read.
	SettingInstructionExcludes
	SettingInstructionFiles
	// SettingPluginOnly is a boolean or a list of the PluginOnly constants.
	SettingPluginOnly
	// SettingEnv is a map of environment variables.
	SettingEnv
	// SettingServersAll is a boolean that approves all MCP servers in the project's file.
	// SettingServersOn and SettingServersOff list approved and rejected names.
	SettingServersAll
	SettingServersOn
	SettingServersOff
	// SettingServersAllowed and SettingServersDenied are lists of objects that identify servers by
	// serverName, serverCommand or serverUrl. SettingServersManaged is a boolean. If it is true,
	// only the allowlist in managed settings is used.
	SettingServersAllowed
	SettingServersDenied
	SettingServersManaged
)

// Approvals describes which MCP servers need approval before a host uses them.
type Approvals struct {
	// Format is the name of the format of the project's server file.
	Format string
	// Same reports whether two names refer to the same server in the settings that approve or
	// reject servers.
	Same func(a, b string) bool
	// If ManagedOnly is set and the administrator's file contains servers, all other servers are
	// disabled.
	ManagedOnly bool
}

// Override settings for a skill. Other values have no effect.
const (
	// OverrideOff means that neither users nor the model can use the skill.
	OverrideOff = "off"
	// OverrideNameOnly means that the skill is listed without its description.
	OverrideNameOnly = "name-only"
	// OverrideUserOnly means that the skill is not listed and only users can call it.
	OverrideUserOnly = "user-invocable-only"
)

// Features that settings can restrict to plugins and managed directories.
const (
	PluginOnlySkills = "skills"
	PluginOnlyAgents = "agents"
	// PluginOnlyAll means all features.
	PluginOnlyAll = "*"
)
