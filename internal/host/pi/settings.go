package pi

import "github.com/vadehq/vade/internal/host"

// unread returns settings keys found in the host's source (settings-manager.ts).
func unread() []host.UnreadSetting {
	keys := [][2]string{
		{"skills", "adds or excludes skill files and directories"},
		{"prompts", "adds or excludes prompt files and directories"},
		{"packages", "adds packages that contain skills and prompts"},
	}
	list := host.UnreadIn(host.InWorkDir, ".pi/settings.json", "", keys...)
	for _, s := range host.UnreadIn(host.InHome, ".pi/agent/settings.json", agentDirEnv, keys...) {
		s.EnvDepth = 2
		list = append(list, s)
	}
	return list
}
