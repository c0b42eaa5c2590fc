package claude

import (
	"strings"

	"github.com/vadehq/vade/internal/host"
)

// settings are the settings of Claude Code. The files and their order are
// documented (formats dossier, section 3.13; managed-settings.d before
// managed-settings.json is inferred); that the project's are those of the
// working directory, not of the top of the repository, is inferred.
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
		// It knew neither skillOverrides (m38) nor disableSkillShellExecution
		// (s19); that the others were unknown too is inferred.
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

// switched marks the roots that a switch of the client, or a file that
// the session touches, adds or leaves out.
func switched(roots []host.Root, version string) []host.Root {
	for i := range roots {
		r := &roots[i]
		if r.Base != host.InProject {
			continue
		}
		switch r.Dir {
		case ".claude/skills":
			// Of a directory below the working directory only the skills become
			// available when a file there is read, not its commands (m27).
			r.Added, r.Touched = true, true
		case ".claude/commands", ".claude/agents":
			// 2.1.88 read only the skills of further directories (observation of
			// case m30).
			r.Added = version != oldVersion
		}
		r.Local = len(r.Rules) == 1 && r.Rules[0].File == "CLAUDE.local.md"
	}
	return roots
}

// approvals: the servers of the project's .mcp.json are asked for, unless the
// settings approve them; names are compared with all but letters, digits, "-" and "_"
// as "_" (source, 2.1.329). That a rejected server, and one that the lists of allowed
// and denied servers leave out, is not started, and one that nothing speaks of is
// started without a terminal, was seen with 2.1.329. That approvals of the project's own
// settings count in trusted directories only is source too; a directory counts as
// trusted here. That a managed file leaves out all others is documented.
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
