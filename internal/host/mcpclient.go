package host

import (
	"slices"
	"strings"
)

// mcpClient are the names by which a host's program introduces itself to a server
// of MCP.
type mcpClient struct {
	host string
	// names are whole names, prefixes the beginnings of names that end with that of
	// the server.
	names, prefixes []string
}

// mcpClients is the table of [OfMCPClient]. What rests on the sources of the
// programs: Codex, Gemini CLI, Qwen Code, opencode, VS Code. On what servers of
// others have seen: Claude Code, Copilot CLI, Cursor. All products that embed the
// agent of Copilot use one name, of which the CLI is meant here.
func mcpClients() []mcpClient {
	return []mcpClient{
		{host: "claude-code", names: []string{"claude-code", "claude code"}},
		{host: "codex", names: []string{"codex-mcp-client", "codex"}},
		{host: "copilot-cli", names: []string{"github-copilot-developer", "copilot-cli", "github-copilot-cli"}},
		{host: "copilot-vscode", names: []string{"visual studio code", "visual studio code - insiders", "code - oss"}},
		{host: "gemini", names: []string{"gemini-cli"}, prefixes: []string{"gemini-cli-mcp-client"}},
		{host: "opencode", names: []string{"opencode"}},
		{host: "cursor", names: []string{"cursor", "cursor-vscode"}},
		{host: "qwen", names: []string{"qwen-code"}, prefixes: []string{"qwen-code-mcp-client", "qwen-cli-mcp-client"}},
	}
}

// OfMCPClient returns the host whose program introduces itself to servers of MCP by
// a name and a version, as [Lookup] takes it: with the version where that is one
// that was observed. ok is false for a program that is no host.
func OfMCPClient(name, version string) (host string, ok bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "" {
		return "", false
	}
	for _, c := range mcpClients() {
		begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
		if !slices.Contains(c.names, name) && !slices.ContainsFunc(c.prefixes, begins) {
			continue
		}
		if slices.Contains(VersionsOf(c.host), version) {
			return c.host + "@" + version, true
		}
		return c.host, true
	}
	return "", false
}
