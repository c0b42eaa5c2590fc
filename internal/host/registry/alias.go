package registry

import (
	"maps"
	"slices"
	"strings"
)

// aliases maps alternative names for hosts to host names.
func aliases() map[string]string {
	return map[string]string{
		"agent-skills": "agentskills", "standard": "agentskills",
		"claude": "claude-code", "claudecode": "claude-code", "cc": "claude-code",
		"agent-sdk": "claude-sdk", "claude-agent-sdk": "claude-sdk",
		"codex-cli": "codex", "openai-codex": "codex",
		"copilot": "copilot-cli", "copilotcli": "copilot-cli", "github-copilot": "copilot-cli", "github-copilot-cli": "copilot-cli",
		"copilot-chat": "copilot-vscode", "vs-code": "copilot-vscode", "vscode": "copilot-vscode",
		"gemini-cli": "gemini", "google-gemini": "gemini",
		"open-code":    "opencode",
		"cursor-agent": "cursor", "cursor-cli": "cursor",
		"pi-agent": "pi", "pi-coding-agent": "pi",
		"qwen-cli": "qwen", "qwen-code": "qwen",
	}
}

// Aliases returns the aliases that [Canonical] accepts, sorted.
func Aliases() []string { return slices.Sorted(maps.Keys(aliases())) }

// Canonical returns the host name for an alias or a host name. The argument may include a version,
// and case is ignored. Unknown names are returned unchanged.
func Canonical(name string) string {
	called, version, pinned := strings.Cut(name, "@")
	called = strings.ToLower(strings.ReplaceAll(called, " ", "-"))
	if host, ok := aliases()[called]; ok {
		called = host
	} else if !slices.Contains(Names(), called) {
		return name
	}
	if pinned {
		called += "@" + version
	}
	return called
}
