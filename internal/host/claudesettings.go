package host

import "strings"

// claudeSettings are the settings of Claude Code. The files and their order are
// documented (formats dossier, section 3.13; managed-settings.d before
// managed-settings.json is inferred); that the project's are those of the
// working directory, not of the top of the repository, is inferred.
func claudeSettings(version string) *Settings {
	const env = "CLAUDE_CONFIG_DIR"
	s := &Settings{
		Files: []SettingsFile{
			{Source: SourceUser, Base: InHome, Path: ".claude/settings.json", Env: env},
			{Source: SourceProject, Base: InProject, Path: ".claude/settings.json"},
			{Source: SourceLocal, Base: InProject, Path: ".claude/settings.local.json"},
			{Source: SourceManaged, Base: InManaged, Path: "managed-settings.d", Each: true, Managed: claudeManaged()},
			{Source: SourceManaged, Base: InManaged, Path: "managed-settings.json", Managed: claudeManaged()},
		},
		Keys: []SettingsKey{
			{Path: []string{"permissions", "allow"}, Setting: SettingAllow},
			{Path: []string{"permissions", "deny"}, Setting: SettingDeny},
			{Path: []string{"permissions", "ask"}, Setting: SettingAsk},
			{Path: []string{"permissions", "defaultMode"}, Setting: SettingDefaultMode},
			{Path: []string{"claudeMdExcludes"}, Setting: SettingInstructionExcludes},
			{Path: []string{"env"}, Setting: SettingEnv},
			{Path: []string{"allowManagedMcpServersOnly"}, Setting: SettingServersManaged, ManagedOnly: true}, // documented
			{Path: []string{"allowedMcpServers"}, Setting: SettingServersAllowed},                             // seen with 2.1.329
			{Path: []string{"deniedMcpServers"}, Setting: SettingServersDenied},                               // seen with 2.1.329
			{Path: []string{"enableAllProjectMcpServers"}, Setting: SettingServersAll},                        // source
			{Path: []string{"enabledMcpjsonServers"}, Setting: SettingServersOn},                              // source
			{Path: []string{"disabledMcpjsonServers"}, Setting: SettingServersOff},                            // seen with 2.1.329
		},
	}
	if version == claudeOld {
		// It knew neither skillOverrides (m38) nor disableSkillShellExecution
		// (s19); that the others were unknown too is inferred.
		return s
	}
	s.Keys = append(s.Keys,
		SettingsKey{Path: []string{"skillOverrides"}, Setting: SettingOverrides},                  // m38
		SettingsKey{Path: []string{"disableSkillShellExecution"}, Setting: SettingNoShell},        // s19
		SettingsKey{Path: []string{"disableBundledSkills"}, Setting: SettingNoBundled},            // documented
		SettingsKey{Path: []string{"skillListingMaxDescChars"}, Setting: SettingMaxDescription},   // documented
		SettingsKey{Path: []string{"skillListingBudgetFraction"}, Setting: SettingBudgetFraction}, // documented
		SettingsKey{
			Path:    []string{"pluginConfigs", "agents-md@builtin", "options", "instructionFiles"}, // documented
			Setting: SettingInstructionFiles,
		},
		SettingsKey{Path: []string{"strictPluginOnlyCustomization"}, Setting: SettingPluginOnly, ManagedOnly: true}, // documented
	)
	return s
}

// claudeSwitched marks the roots that a switch of the client, or a file that
// the session touches, adds or leaves out.
func claudeSwitched(roots []Root, version string) []Root {
	for i := range roots {
		r := &roots[i]
		if r.Base != InProject {
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
			r.Added = version != claudeOld
		}
		r.Local = len(r.Rules) == 1 && r.Rules[0].File == "CLAUDE.local.md"
	}
	return roots
}

// claudeApprovals: the servers of the project's .mcp.json are asked for, unless the
// settings approve them; names are compared with all but letters, digits, "-" and "_"
// as "_" (source, 2.1.329). That a rejected server, and one that the lists of allowed
// and denied servers leave out, is not started, and one that nothing speaks of is
// started without a terminal, was seen with 2.1.329. That approvals of the project's own
// settings count in trusted directories only is source too; a directory counts as
// trusted here. That a managed file leaves out all others is documented.
func claudeApprovals() *Approvals {
	plain := func(s string) string {
		return strings.Map(func(r rune) rune {
			if 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '_' {
				return r
			}
			return '_'
		}, s)
	}
	return &Approvals{Format: mcpJSON().Name, Same: func(a, b string) bool { return plain(a) == plain(b) }, Alone: true}
}
