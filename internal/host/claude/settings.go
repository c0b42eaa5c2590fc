package claude

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// settings describes Claude Code's settings. The files and their order are documented (format
// notes, section 3.13). Two things are inferred: managed-settings.d precedes managed-settings.json,
// and the project's files are in the working directory rather than in the repository root.
//
// A file with a value of the wrong type, a comment or a trailing comma is ignored entirely (cases
// h30 and h77). Experiments with 2.1.330, key by key, showed which keys are checked. The items in
// permission rules, the values in env, and the keys without Valid are not checked.
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
			{Path: []string{"allowedMcpServers"}, Setting: host.SettingServersAllowed},                             // observed in 2.1.329
			{Path: []string{"deniedMcpServers"}, Setting: host.SettingServersDenied},                               // observed in 2.1.329
			{Path: []string{"enableAllProjectMcpServers"}, Setting: host.SettingServersAll, Valid: isSwitch},       // source
			{Path: []string{"enabledMcpjsonServers"}, Setting: host.SettingServersOn},                              // source
			{Path: []string{"disabledMcpjsonServers"}, Setting: host.SettingServersOff, Valid: isList},             // observed in 2.1.329
		},
	}
	if version == oldVersion {
		// 2.1.88 had neither skillOverrides (case m38) nor disableSkillShellExecution (case s19).
		// It is inferred that it also lacked the other settings.
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

// toggles returns the settings that disable skills and plugins. The /skills menu writes the local
// file, according to Claude Code's documentation.
func toggles(version string) host.Toggles {
	in := func(base host.Base, key string) []host.UnreadSetting {
		return append(host.UnreadIn(base, ".claude/settings.local.json", "", [2]string{key}),
			host.UnreadIn(host.InHome, ".claude/settings.json", configDirEnv, [2]string{key})...)
	}
	t := host.Toggles{
		Plugins:     host.ToggleIn(in(host.InTop, "enabledPlugins"), "enabledPlugins").Words(definition.Bool, "false", "true"),
		Alternative: "add disable-model-invocation: true and user-invocable: false to its frontmatter",
	}
	if version != oldVersion {
		t.Skills = host.ToggleIn(in(host.InWorkDir, "skillOverrides"), "skillOverrides").Words(definition.String, host.OverrideOff, "on")
		t.Skills.Commands = true
	}
	return t
}

// switched sets the fields Added, AddedIf, Touched and Local of the roots in a project and returns
// roots.
func switched(roots []host.Root, version string) []host.Root {
	for i := range roots {
		r := &roots[i]
		if r.Base != host.InProject {
			continue
		}
		switch r.Dir {
		case ".claude/skills":
			// If the model reads a file below the working directory, the skills in that file's
			// directory become available, but the commands do not (case m27).
			r.Added, r.Touched = true, true
		case ".claude/commands", ".claude/agents":
			// In additional directories, 2.1.88 read only skills (observed in case m30).
			r.Added = version != oldVersion
		}
		if r.Rules[0].Kind == definition.Instruction && r.Rules[0].File != "AGENTS.md" {
			r.AddedIf = "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD" // h32
		}
		r.Local = len(r.Rules) == 1 && r.Rules[0].File == "CLAUDE.local.md"
	}
	return roots
}

// approvals describes how MCP servers are approved. Servers in the project's .mcp.json require
// approval unless the settings approve them. According to the source code of 2.1.329, names are
// compared after replacing every character except letters, digits, "-" and "_" with "_". It was
// observed that 2.1.329 does not start a server that is rejected or that the allowlist or denylist
// excludes, and that, without a terminal, it starts a server that no setting mentions. According to
// the source code, the project's own settings count only in trusted directories; Vade assumes that
// the directory is trusted. According to the documentation, a managed server file excludes all
// other servers.
func approvals() *host.Approvals {
	plain := func(s string) string {
		return strings.Map(func(r rune) rune {
			if 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '_' {
				return r
			}
			return '_'
		}, s)
	}
	return &host.Approvals{Format: host.MCPJSON().Name, Same: func(a, b string) bool { return plain(a) == plain(b) }, ManagedOnly: true}
}

func isBool(v any) bool { _, ok := v.(bool); return ok }

// isSwitch reports whether a value is a boolean or null.
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

// isPluginSwitches reports whether the value for each plugin is a boolean or a list of strings.
func isPluginSwitches(v any) bool {
	return eachMember(v, func(v any) bool { return isBool(v) || isStrings(v) })
}

// isPluginConfigs checks the form of plugin options, but not the option values.
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
