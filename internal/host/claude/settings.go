package claude

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// settings describes the settings of Claude Code. The files and their order are documented
// (formats dossier, section 3.13); the order of managed-settings.d before
// managed-settings.json is inferred. So is that the project's files are in the working
// directory, not in the repository root.
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
		Keys: []host.SettingsKey{
			{Path: []string{"permissions", "allow"}, Setting: host.SettingAllow},
			{Path: []string{"permissions", "deny"}, Setting: host.SettingDeny},
			{Path: []string{"permissions", "ask"}, Setting: host.SettingAsk},
			{Path: []string{"permissions", "defaultMode"}, Setting: host.SettingDefaultMode},
			{Path: []string{"claudeMdExcludes"}, Setting: host.SettingInstructionExcludes},
			{Path: []string{"env"}, Setting: host.SettingEnv},
			{Path: []string{"allowManagedMcpServersOnly"}, Setting: host.SettingServersManaged, ManagedOnly: true}, // documented
			{Path: []string{"allowedMcpServers"}, Setting: host.SettingServersAllowed},                             // seen with 2.1.329
			{Path: []string{"deniedMcpServers"}, Setting: host.SettingServersDenied},                               // seen with 2.1.329
			{Path: []string{"enableAllProjectMcpServers"}, Setting: host.SettingServersAll},                        // source
			{Path: []string{"enabledMcpjsonServers"}, Setting: host.SettingServersOn},                              // source
			{Path: []string{"disabledMcpjsonServers"}, Setting: host.SettingServersOff},                            // seen with 2.1.329
		},
	}
	if version == oldVersion {
		// 2.1.88 knew neither skillOverrides (m38) nor disableSkillShellExecution (s19).
		// That it did not know the others either is inferred.
		return s
	}
	s.Keys = append(s.Keys,
		host.SettingsKey{Path: []string{"skillOverrides"}, Setting: host.SettingOverrides},                  // m38
		host.SettingsKey{Path: []string{"disableSkillShellExecution"}, Setting: host.SettingNoShell},        // s19
		host.SettingsKey{Path: []string{"disableBundledSkills"}, Setting: host.SettingNoBundled},            // documented
		host.SettingsKey{Path: []string{"skillListingMaxDescChars"}, Setting: host.SettingMaxDescription},   // documented
		host.SettingsKey{Path: []string{"skillListingBudgetFraction"}, Setting: host.SettingBudgetFraction}, // documented
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
