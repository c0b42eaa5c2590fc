package claude

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// settings describes the settings of Claude Code. The files and their order are documented
// (formats dossier, section 3.13); the order of managed-settings.d before
// managed-settings.json is inferred. So is that the project's files are in the working
// directory, not in the repository root.
//
// A file with one value of a wrong type, or with a comment or trailing comma, does not count
// at all (h30, h77). Which keys are checked was asked of 2.1.330, key by key: the items of
// permission rules, the values of env, and the keys without Valid are not.
func settings(version string) *host.Settings {
	const env = "CLAUDE_CONFIG_DIR"
	s := &host.Settings{
		Files: []host.SettingsFile{
			{Source: host.SourceUser, Base: host.InHome, Path: ".claude/settings.json", Env: env},
			{Source: host.SourceProject, Base: host.InProject, Path: ".claude/settings.json"},
			{Source: host.SourceLocal, Base: host.InProject, Path: ".claude/settings.local.json"},
			{Source: host.SourceManaged, Base: host.InManaged, Path: "managed-settings.d", Each: true, Managed: ManagedDir()},
			{Source: host.SourceManaged, Base: host.InManaged, Path: "managed-settings.json", Managed: ManagedDir()},
		},
		Strict: true,
		Keys: []host.SettingsKey{
			{Path: []string{"permissions"}, Valid: isObject},
			{Path: []string{"permissions", "allow"}, Setting: host.SettingAllow, Valid: isList},
			{Path: []string{"permissions", "deny"}, Setting: host.SettingDeny, Valid: isList},
			{Path: []string{"permissions", "ask"}, Setting: host.SettingAsk, Valid: isList},
			{Path: []string{"permissions", "defaultMode"}, Setting: host.SettingDefaultMode, Valid: oneOf(modes()...)},
			{Path: []string{"claudeMdExcludes"}, Setting: host.SettingInstructionExcludes, Valid: isStrings},
			{Path: []string{"env"}, Setting: host.SettingEnv, Valid: isObject},
			{Path: []string{"enabledPlugins"}, Valid: isPluginSwitches},
			{Path: []string{"model"}, Valid: isString},
			{Path: []string{"outputStyle"}, Valid: isString},
			{Path: []string{"pluginConfigs"}, Valid: isPluginConfigs},
			{Path: []string{"allowManagedMcpServersOnly"}, Setting: host.SettingServersManaged, ManagedOnly: true}, // documented
			{Path: []string{"allowedMcpServers"}, Setting: host.SettingServersAllowed},                             // seen with 2.1.329
			{Path: []string{"deniedMcpServers"}, Setting: host.SettingServersDenied},                               // seen with 2.1.329
			{Path: []string{"enableAllProjectMcpServers"}, Setting: host.SettingServersAll, Valid: isSwitch},       // source
			{Path: []string{"enabledMcpjsonServers"}, Setting: host.SettingServersOn},                              // source
			{Path: []string{"disabledMcpjsonServers"}, Setting: host.SettingServersOff, Valid: isList},             // seen with 2.1.329
		},
	}
	if version == oldVersion {
		// 2.1.88 knew neither skillOverrides (m38) nor disableSkillShellExecution (s19).
		// That it did not know the others either is inferred.
		return s
	}
	s.Keys = append(s.Keys,
		host.SettingsKey{Path: []string{"skillOverrides"}, Setting: host.SettingOverrides, Valid: isOverrides},        // m38
		host.SettingsKey{Path: []string{"disableSkillShellExecution"}, Setting: host.SettingNoShell, Valid: isSwitch}, // s19
		host.SettingsKey{Path: []string{"disableBundledSkills"}, Setting: host.SettingNoBundled, Valid: isSwitch},     // documented
		host.SettingsKey{
			Path: []string{"skillListingMaxDescChars"}, Setting: host.SettingMaxDescription, // documented
			Valid: func(v any) bool { n, ok := v.(float64); return ok && n > 0 },
		},
		host.SettingsKey{
			Path: []string{"skillListingBudgetFraction"}, Setting: host.SettingBudgetFraction, // documented
			Valid: func(v any) bool { n, ok := v.(float64); return ok && n > 0 && n <= 1 },
		},
		host.SettingsKey{
			Path:    []string{"pluginConfigs", "agents-md@builtin", "options", "instructionFiles"}, // documented
			Setting: host.SettingInstructionFiles,
		},
		host.SettingsKey{Path: []string{"strictPluginOnlyCustomization"}, Setting: host.SettingPluginOnly, ManagedOnly: true}, // documented
	)
	return s
}

// switched marks the roots that depend on the client's switches or on touched files.
func switched(roots []host.Root, version string) []host.Root {
	for i := range roots {
		r := &roots[i]
		if r.Base != host.InProject {
			continue
		}
		switch r.Dir {
		case ".claude/skills":
			// Reading a file below the working directory makes that directory's skills
			// available, but not its commands (m27).
			r.Added, r.Touched = true, true
		case ".claude/commands", ".claude/agents":
			// 2.1.88 read only the skills of additional directories (observation of case
			// m30).
			r.Added = version != oldVersion
		}
		if r.Rules[0].Kind == definition.Instruction && r.Rules[0].File != "AGENTS.md" {
			r.AddedIf = "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD" // h32
		}
		r.Local = len(r.Rules) == 1 && r.Rules[0].File == "CLAUDE.local.md"
	}
	return roots
}

// approvals: servers in the project's .mcp.json require approval unless the settings
// approve them. Names are compared with all characters except letters, digits, "-" and "_"
// replaced by "_" (source, 2.1.329). Seen with 2.1.329: a rejected server, or one that the
// allowlist or denylist excludes, is not started; one without any setting is started if
// there is no terminal. The project's own settings only count in trusted directories
// (source), which Vade assumes. A managed file excludes all other servers (documented).
func approvals() *host.Approvals {
	plain := func(s string) string {
		return strings.Map(func(r rune) rune {
			if 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '_' {
				return r
			}
			return '_'
		}, s)
	}
	return &host.Approvals{Format: host.MCPJSON().Name, Same: func(a, b string) bool { return plain(a) == plain(b) }, Alone: true}
}

func isBool(v any) bool { _, ok := v.(bool); return ok }

// isSwitch: null is accepted too.
func isSwitch(v any) bool { return v == nil || isBool(v) }

func isString(v any) bool { _, ok := v.(string); return ok }

func isObject(v any) bool { _, ok := v.(map[string]any); return ok }

func isList(v any) bool { _, ok := v.([]any); return ok }

func isStrings(v any) bool {
	list, ok := v.([]any)
	return ok && !slices.ContainsFunc(list, func(item any) bool { return !isString(item) })
}

func oneOf(words ...string) func(v any) bool {
	return func(v any) bool { s, ok := v.(string); return ok && slices.Contains(words, s) }
}

func isOverrides(v any) bool {
	return eachMember(v, oneOf("on", host.OverrideOff, host.OverrideNameOnly, host.OverrideUserOnly))
}

// isPluginSwitches: a plugin has a boolean or a list of strings.
func isPluginSwitches(v any) bool {
	return eachMember(v, func(v any) bool { return isBool(v) || isStrings(v) })
}

// isPluginConfigs: the values of the options themselves are not checked.
func isPluginConfigs(v any) bool {
	return eachMember(v, func(v any) bool {
		config, ok := v.(map[string]any)
		options, given := config["options"]
		return ok && (!given || isObject(options))
	})
}

func eachMember(v any, valid func(v any) bool) bool {
	members, ok := v.(map[string]any)
	for _, m := range members {
		ok = ok && valid(m)
	}
	return ok
}
