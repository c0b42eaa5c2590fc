package qwen

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/gemini"
)

func connect(string) host.Connect {
	return host.Connect{
		Project: []string{".qwen/settings.json"}, User: []string{".qwen/settings.json"},
		Next: "if folder trust is enabled, the host reads this file only in trusted folders; to check, run /mcp in the host",
	}
}

func Configs() []host.Config {
	return []host.Config{
		host.ServersIn(definition.Project, host.InProject, ".qwen/settings.json", servers()).WithHooks("hooks", hooks()),
		host.ServersIn(definition.User, host.InHome, ".qwen/settings.json", servers()).MovedBy(homeEnv, 0).WithHooks("hooks", hooks()),
	}
}

// servers describes Qwen Code's servers, which use Gemini CLI's format, according to Qwen Code's
// documentation.
func servers() *host.ServerFormat {
	f := gemini.Servers()
	f.Name, f.Path = ".qwen/settings.json", ".qwen/settings.json"
	return f
}

// unread returns settings keys found in the host's source (settingsSchema.ts).
func unread() []host.UnreadSetting {
	names := [2]string{"fileName", "lists the instruction files to read instead of QWEN.md and AGENTS.md"}
	off := [2]string{"disabled", "disables skills"}
	var list []host.UnreadSetting
	for _, from := range []struct {
		base host.Base
		env  string
	}{{host.InWorkDir, ""}, {host.InHome, homeEnv}} {
		list = append(list, host.BelowKey("context", host.UnreadIn(from.base, ".qwen/settings.json", from.env, names))...)
		list = append(list, host.BelowKey("skills", host.UnreadIn(from.base, ".qwen/settings.json", from.env, off))...)
	}
	return list
}

// adaptations returns the settings that change the profile (case h22).
func adaptations() []host.Adaptation {
	return append(host.Adapting(unread(), "disabled", host.InHome, host.SkillsOff),
		host.Adapting(unread(), "disabled", host.InWorkDir, host.SkillsOff)...)
}
