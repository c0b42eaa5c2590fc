package host

import "strings"

// AgentFile is the role of a file that belongs to a coding agent.
type AgentFile uint8

// Roles of agent files. AgentSettings files contain settings, hooks, permissions and servers.
// AgentMemory files are read at every startup. AgentHistory files record earlier sessions.
// AgentLogin files contain credentials. AgentDefinition files are skills, commands and agents.
const (
	NoAgentFile AgentFile = iota
	AgentSettings
	AgentMemory
	AgentHistory
	AgentLogin
	AgentDefinition
)

// agentDirs lists the lowercase names of coding agents' configuration directories. The first line
// contains .agents, which many agents share, and the directories of the agents for which Vade has
// profiles. The other lines contain the directories of agents that read the same formats, according
// to their documentation.
var agentDirs = [...]string{
	".claude", ".codex", ".copilot", ".cursor", ".gemini", ".opencode", ".config/opencode", ".qwen", ".pi/agent", ".agents",
	".openclaw", ".clawdbot", ".moltbot", ".windsurf", ".codeium", ".cline", ".roo", ".continue", ".kiro", ".amazonq", ".factory",
	".config/goose", ".config/amp", ".aider", ".trae", ".augment", ".junie", ".hermes",
}

// agentInstructions lists the lowercase names of the instruction files that coding agents read at
// startup. The first 12 names are recognized in any directory; the others are recognized only in an
// agent's configuration directory.
var agentInstructions = [...]string{
	"agents.md", "agents.override.md", "claude.md", "claude.local.md", "copilot-instructions.md", "gemini.md", "qwen.md", ".cursorrules",
	".clinerules", ".windsurfrules", ".roorules", ".goosehints", "memory.md", "soul.md", "heartbeat.md", "bootstrap.md",
}

// ReadAgentFile determines the role of the file at a path that appears in text. inHome reports
// whether the path is in the user's home directory or is otherwise known to affect all of the
// user's projects. The path may begin with ~, $HOME or %USERPROFILE% and may contain slashes or
// backslashes. Case is ignored.
func ReadAgentFile(path string) (kind AgentFile, inHome bool) {
	if len(path) > 1024 {
		return NoAgentFile, false
	}
	path = strings.ToLower(strings.ReplaceAll(path, `\`, "/"))
	rest, inHome := cutHome(path)
	rest = strings.TrimPrefix(rest, "./")
	if base := rest[strings.LastIndexByte(rest, '/')+1:]; base == ".claude.json" || base == ".credentials.json" && strings.Contains(path, ".claude") {
		if base == ".claude.json" {
			return AgentSettings, true
		}
		return AgentLogin, true
	}
	if dir, inside, ok := cutAgentDir(rest); ok {
		// Agents' directories in .config are always in the user's home directory.
		return inAgentDir(dir, inside), inHome || strings.HasPrefix(dir, ".config/")
	}
	if strings.HasSuffix(rest, ".github/hooks/hooks.json") {
		return AgentSettings, inHome
	}
	base := rest[strings.LastIndexByte(rest, '/')+1:]
	for _, name := range agentInstructions[:12] {
		if base == name {
			return AgentMemory, inHome && !strings.Contains(strings.TrimSuffix(rest, base), "/")
		}
	}
	switch base {
	case ".mcp.json", "mcp.json", "mcp-config.json", "managed-settings.json", "managed-mcp.json", "claude_desktop_config.json", "opencode.json", "opencode.jsonc", ".aider.conf.yml":
		return AgentSettings, inHome || base == "claude_desktop_config.json" || strings.HasPrefix(base, "managed-")
	}
	return NoAgentFile, inHome
}

// cutHome removes a home directory prefix from a path and reports whether the path had one. If the
// prefix is the environment variable for Codex's or Claude Code's directory, cutHome replaces it
// with the directory's usual name.
func cutHome(path string) (string, bool) {
	for _, home := range [...]string{"~/", "$home/", "${home}/", "%userprofile%/", "$env:userprofile/", "$userprofile/", "${userprofile}/", "%appdata%/", "$env:appdata/", "%localappdata%/", "$env:localappdata/", "/root/", "$codex_home/", "${codex_home}/", "$claude_config_dir/", "${claude_config_dir}/"} {
		if rest, ok := strings.CutPrefix(path, home); ok {
			switch {
			case strings.Contains(home, "codex_home"):
				rest = ".codex/" + rest
			case strings.Contains(home, "claude_config"):
				rest = ".claude/" + rest
			}
			return rest, true
		}
	}
	for _, home := range [...]string{"/home/", "/users/", "c:/users/"} {
		if rest, ok := strings.CutPrefix(path, home); ok {
			if _, inside, ok := strings.Cut(rest, "/"); ok {
				return inside, true
			}
		}
	}
	return path, false
}

// cutAgentDir finds an agent's configuration directory in a path. inside is the path below that
// directory. ok is false if the path contains no such directory.
func cutAgentDir(path string) (dir, inside string, ok bool) {
	if !strings.HasPrefix(path, ".") && !strings.Contains(path, "/.") {
		return "", "", false
	}
	for _, dir := range agentDirs {
		at := strings.Index(path, dir+"/")
		if at < 0 && strings.HasSuffix(path, dir) {
			at = len(path) - len(dir)
		}
		if at > 0 && path[at-1] != '/' || at < 0 {
			continue
		}
		return dir, strings.Trim(path[min(at+len(dir)+1, len(path)):], "/"), true
	}
	return "", "", false
}

// inAgentDir classifies a file in an agent's configuration directory.
func inAgentDir(dir, path string) AgentFile {
	base := path[strings.LastIndexByte(path, '/')+1:]
	first, _, deep := strings.Cut(path, "/")
	switch base {
	case "auth.json", "auth-profiles.json", "oauth_creds.json", "google_accounts.json", ".credentials.json", "credentials.json", "device.json", "hosts.json", "apps.json", "api_key", "credentials", "tokens.json":
		return AgentLogin
	case "history.jsonl", "history", "session_index.jsonl", "history.json", "state.vscdb":
		return AgentHistory
	case "settings.json", "settings.local.json", "config.toml", "config.json", "mcp.json", "mcp-config.json", "mcp_config.json", "hooks.json", "opencode.json", "opencode.jsonc",
		"permissions.json", "keybindings.json", "openclaw.json", "clawdbot.json", "moltbot.json", "config.yaml", "config.yml", "requirements.toml", "models.json":
		return AgentSettings
	case "memory.md", "soul.md", "heartbeat.md", "bootstrap.md", "tools.md", "user.md", "identity.md":
		return AgentMemory
	}
	for _, name := range agentInstructions {
		if base == name {
			return AgentMemory
		}
	}
	switch first {
	case "projects", "sessions", "transcripts", "archived_sessions", "history", "tmp", "file-history", "todos", "session-env", "chats", "conversations", "workspacestorage":
		if dir == ".gemini" || first != "tmp" {
			return AgentHistory
		}
	case "hooks", "plugins", "extensions", "policies":
		return AgentSettings
	case "rules", "instructions", "memory", "memories", "workspace", "output-styles", "steering":
		if deep {
			return AgentMemory
		}
	case "skills", "commands", "agents", "prompts", "plugin", "command", "agent", "subagents":
		return AgentDefinition
	case "credentials", "secrets", "oauth", "identity":
		return AgentLogin
	}
	return NoAgentFile
}
