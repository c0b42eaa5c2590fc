package host

// piUnread: source, settings-manager.ts.
func piUnread() []UnreadSetting {
	keys := [][2]string{
		{"skills", "names further files and directories of skills, or leaves some out"},
		{"prompts", "names further files and directories of prompts, or leaves some out"},
		{"packages", "brings in packages with skills and prompts"},
	}
	list := unreadIn(InWorkDir, ".pi/settings.json", "", keys...)
	for _, s := range unreadIn(InHome, ".pi/agent/settings.json", piAgentDir, keys...) {
		s.EnvDepth = 2
		list = append(list, s)
	}
	return list
}
