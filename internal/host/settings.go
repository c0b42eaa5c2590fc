package host

import (
	"slices"
	"strings"
)

// Settings says which settings files a host reads and which of their keys
// change what is loaded.
type Settings struct {
	// Files are the settings files, the weakest first.
	Files []SettingsFile
	// Keys are the keys that count, and what each decides.
	Keys []SettingsKey
}

// The sources of settings and definitions that a client can leave out, and the
// one that it can not.
const (
	SourceManaged = "managed"
	SourceUser    = "user"
	SourceProject = "project"
	SourceLocal   = "local"
)

// Switch is a set of switches of a host's own program.
type Switch uint16

// The switches that [vade.ClientOptions] has, which says what each means.
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
	// SwitchSession and SwitchEffort are of [vade.RenderRequest]: what is rendered
	// may have the session's id and the effort in it.
	SwitchSession
	SwitchEffort

	// AllSwitches are all of them.
	AllSwitches = SwitchEffort<<1 - 1
)

// SwitchWord is one switch of [vade.ClientOptions]: its field there, and its flag.
type SwitchWord struct {
	Is          Switch
	Field, Flag string
}

// Words returns the words of the switches of the set that [vade.ClientOptions] has.
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
		if s&w.Is != 0 {
			words = append(words, w)
		}
	}
	return words
}

// SwitchesOf is the set of the switches with these fields of [vade.ClientOptions].
func SwitchesOf(fields []string) Switch {
	var set Switch
	for _, w := range AllSwitches.Words() {
		if slices.Contains(fields, w.Field) {
			set |= w.Is
		}
	}
	return set
}

// Key returns the key of a setting with dots between its parts, as users know
// it; "" where the host has none.
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

// SettingsFile is one place of settings.
type SettingsFile struct {
	// Source is one of the constants above.
	Source string
	Base   Base
	// Path is the file below its base; with Each it is a directory, of which
	// every *.json counts, in the order of the names.
	Path string
	Each bool
	// Env is the environment variable that replaces the first element of Path.
	Env     string
	Managed *ManagedDir
}

// SettingsKey is one key of a settings file.
type SettingsKey struct {
	// Path are the keys from the top of the file down to the value.
	Path    []string
	Setting Setting
	// ManagedOnly: the key counts in managed settings alone.
	ManagedOnly bool
}

// Setting is what a key of the settings decides.
type Setting uint8

// The settings, each with the type of its value.
const (
	// SettingOverrides is a map from the names of skills to one of the words
	// Override….
	SettingOverrides Setting = iota + 1
	// SettingNoBundled and SettingNoShell are booleans: the host's own skills
	// are off; no shell command of a definition runs.
	SettingNoBundled
	SettingNoShell
	// SettingAllow, SettingDeny and SettingAsk are lists of permission rules.
	SettingAllow
	SettingDeny
	SettingAsk
	// SettingDefaultMode is the word of a permission mode.
	SettingDefaultMode
	// SettingMaxDescription is a number of UTF-16 units, SettingBudgetFraction
	// a number above 0 and at most 1.
	SettingMaxDescription
	SettingBudgetFraction
	// SettingInstructionExcludes is a list of patterns of instruction files,
	// SettingInstructionFiles the word for which ones are read.
	SettingInstructionExcludes
	SettingInstructionFiles
	// SettingPluginOnly is a boolean or a list of words PluginOnly….
	SettingPluginOnly
	// SettingEnv is a map of environment variables.
	SettingEnv
	// SettingServersAll is a boolean that approves all MCP servers of the project's
	// file; SettingServersOn and SettingServersOff are lists of names that are approved
	// and rejected.
	SettingServersAll
	SettingServersOn
	SettingServersOff
	// SettingServersAllowed and SettingServersDenied are lists of objects that name
	// servers by serverName, serverCommand or serverUrl; SettingServersManaged is a
	// boolean by which only managed settings allow any.
	SettingServersAllowed
	SettingServersDenied
	SettingServersManaged
)

// Approvals say which MCP servers a host uses only once they are approved.
type Approvals struct {
	// Format is the name of the format of the project's file whose servers they are.
	Format string
	// Same compares the names of servers in lists of approvals.
	Same func(a, b string) bool
	// Alone: where an administrator provides servers in a file, no others are used.
	Alone bool
}

// What a settings file may make of a skill. Any other word, and none, leaves it
// as it is.
const (
	// OverrideOff: neither the user nor the model has it.
	OverrideOff = "off"
	// OverrideNameOnly: it is listed without its description.
	OverrideNameOnly = "name-only"
	// OverrideUserOnly: it is not listed, and only the user can call for it.
	OverrideUserOnly = "user-invocable-only"
)

// What may come from plugins and managed places only.
const (
	PluginOnlySkills = "skills"
	PluginOnlyAgents = "agents"
	// PluginOnlyAll stands for everything.
	PluginOnlyAll = "*"
)
