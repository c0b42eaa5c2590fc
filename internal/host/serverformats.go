package host

import (
	"strings"
	"time"

	"github.com/vadehq/vade/internal/definition"
)

// mcpJSON is the file .mcp.json, of Claude Code first of all, and the mcpServers
// of its plugins, agents and user. Field names and the four transports: source;
// ${NAME} and ${NAME:-text} in five fields, and $NAME nowhere: documented, and
// seen with 2.1.278; the timeout: documented; a remote entry without a type is
// taken for a program and refused: source. Seen with 2.1.329: only in a plugin is
// ${CLAUDE_PROJECT_DIR} replaced; elsewhere it stays as it is, unless the variable is
// set where the host was started, and with the default it is the directory in which
// the host runs the server.
func mcpJSON() *ServerFormat {
	return &ServerFormat{
		Name: ".mcp.json", Basis: Documented, Path: ".mcp.json", Syntax: definition.Package, Key: "mcpServers",
		Types:     []ServerWord{{"stdio", Stdio}, {"http", HTTP}, {"streamable-http", HTTP}, {"sse", SSE}, {"ws", WebSocket}},
		NeedsType: true,
		Addresses: []ServerWord{{"url", HTTP}, {"url", SSE}, {"url", WebSocket}},
		Args:      "args", Env: "env", Headers: "headers", Timeout: "timeout", Unit: time.Millisecond,
		Refs: RefBraces | RefDefault, RefsIn: AtCommand | AtArgs | AtEnv | AtURL | AtHeaders,
		Words: []ServerPlace{
			{Word: "${CLAUDE_PROJECT_DIR:-.}", Var: VarProject}, {Word: "${CLAUDE_PROJECT_DIR}", Var: VarProject, InPlugin: true},
			{Word: "${CLAUDE_PLUGIN_ROOT}", Var: VarPlugin}, {Word: "${CLAUDE_PLUGIN_DATA}", Var: VarPluginData},
		},
	}
}

// sdkServers are the mcpServers of the options of the Claude Agent SDK, which
// hands them to Claude Code on its command line, where references are replaced as
// in a file: source.
func sdkServers() *ServerFormat {
	f := mcpJSON()
	f.Name, f.Basis, f.Path, f.Timeout = "mcpServers of the SDK's options", FromSource, "", ""
	f.Types = []ServerWord{{"stdio", Stdio}, {"http", HTTP}, {"sse", SSE}}
	f.Addresses = []ServerWord{{"url", HTTP}, {"url", SSE}}
	return f
}

// vsCodeServers are the files mcp.json of VS Code: documented; cwd: source.
func vsCodeServers() *ServerFormat {
	return &ServerFormat{
		Name: ".vscode/mcp.json", Basis: Documented, Path: ".vscode/mcp.json", Syntax: definition.Package, Key: "servers",
		InputsKey: "inputs",
		Types:     []ServerWord{{"stdio", Stdio}, {"http", HTTP}, {"sse", SSE}},
		Addresses: []ServerWord{{"url", HTTP}, {"url", SSE}}, Detects: true,
		Args: "args", Env: "env", Cwd: "cwd", Headers: "headers",
		Refs: RefEnv | RefInput, RefsIn: AtAll,
		Words: []ServerPlace{{Word: "${workspaceFolder}", Var: VarProject}, {Word: "${userHome}", Var: VarHome}},
	}
}

// copilotServers are the files of Copilot CLI. The fields, the list of tools and
// $NAME beside ${NAME} are documented; that defaults work is inferred.
func copilotServers() *ServerFormat {
	return &ServerFormat{
		Name: ".github/mcp.json", Basis: Documented, Path: ".github/mcp.json", Syntax: definition.Package, Key: "mcpServers",
		Types:     []ServerWord{{"local", Stdio}, {"stdio", Stdio}, {"http", HTTP}, {"sse", SSE}},
		Addresses: []ServerWord{{"url", HTTP}, {"url", SSE}},
		Args:      "args", Env: "env", Cwd: "cwd", Headers: "headers", Timeout: "timeout", Unit: time.Millisecond,
		Tools: "tools", AllTools: "*",
		Refs: RefBraces | RefDefault | RefDollar, RefsIn: AtAll,
		Words: []ServerPlace{{Word: "${CLAUDE_PLUGIN_ROOT}", Var: VarPlugin}},
	}
}

// copilotAgentServers are the mcp-servers of a Copilot agent: documented.
func copilotAgentServers(key string, _ definition.Format) *ServerFormat {
	if key != "mcp-servers" {
		return nil
	}
	f := copilotServers()
	f.Name, f.Path, f.Key = "mcp-servers of an agent", "", "mcp-servers"
	f.Refs |= RefActions | RefEnv | RefInput
	return f
}

// IsSecretName reports whether a text is the name of a secret of a repository that
// GitHub gives to servers: documented.
func IsSecretName(s string) bool { return strings.HasPrefix(s, "COPILOT_MCP_") }

// cursorServers are the files mcp.json of Cursor: documented. Addresses are tried
// in both ways; words for the type of a remote entry are taken and mean nothing:
// inferred.
func cursorServers() *ServerFormat {
	return &ServerFormat{
		Name: ".cursor/mcp.json", Basis: Documented, Path: ".cursor/mcp.json", Syntax: definition.Package, Key: "mcpServers",
		Types:     []ServerWord{{"stdio", Stdio}, {"http", HTTP}, {"streamable-http", HTTP}, {"streamableHttp", HTTP}, {"sse", SSE}},
		Untyped:   true,
		Addresses: []ServerWord{{"url", HTTP}, {"url", SSE}}, Detects: true,
		Args: "args", Env: "env", Headers: "headers",
		Refs: RefEnv, RefsIn: AtAll &^ AtCwd,
		Words: []ServerPlace{{Word: "${workspaceFolder}", Var: VarProject}, {Word: "${userHome}", Var: VarHome}},
	}
}

// codexServers are the tables of Codex's config.toml: source (config/mcp_types.rs).
// Values are never looked into: variables are handed on by their names.
func codexServers() *ServerFormat {
	return &ServerFormat{
		Name: ".codex/config.toml", Basis: FromSource, Path: ".codex/config.toml", Shared: true, Syntax: definition.TOML, Key: "mcp_servers",
		Untyped:   true,
		Addresses: []ServerWord{{"url", HTTP}},
		Args:      "args", Env: "env", Cwd: "cwd", Headers: "http_headers", Timeout: "tool_timeout_sec", Start: "startup_timeout_sec",
		Unit: time.Second, On: "enabled", Tools: "enabled_tools", NotTools: "disabled_tools",
		PlainNames: true,
		EnvNames:   "env_vars", HeaderNames: "env_http_headers", Bearer: "bearer_token_env_var",
	}
}

// geminiServers are the mcpServers of Gemini CLI's settings.json: documented;
// that the whole file has its variables replaced: source.
func geminiServers() *ServerFormat {
	return &ServerFormat{
		Name: ".gemini/settings.json", Basis: Documented, Path: ".gemini/settings.json", Shared: true, Syntax: definition.Package, Key: "mcpServers",
		Types: []ServerWord{{"http", HTTP}, {"sse", SSE}, {"stdio", Stdio}}, Untyped: true,
		Addresses: []ServerWord{{"httpUrl", HTTP}, {"url", SSE}, {"tcp", WebSocket}},
		Args:      "args", Env: "env", Cwd: "cwd", Headers: "headers", Timeout: "timeout", Unit: time.Millisecond,
		Tools: "includeTools", NotTools: "excludeTools",
		Refs: RefBraces | RefDollar, RefsIn: AtAll,
		Words: []ServerPlace{{Word: "${extensionPath}", Var: VarPlugin}},
	}
}

// geminiAgentServers are the mcp_servers of a Gemini agent: source.
func geminiAgentServers(key string, syntax definition.Format) *ServerFormat {
	if key != "mcp_servers" || syntax == definition.TOML {
		return nil
	}
	f := geminiServers()
	f.Name, f.Path, f.Key, f.Shared = "mcp_servers of an agent", "", "mcp_servers", false
	return f
}

// qwenServers are those of Qwen Code, which has Gemini CLI's: documented.
func qwenServers() *ServerFormat {
	f := geminiServers()
	f.Name, f.Path = ".qwen/settings.json", ".qwen/settings.json"
	return f
}

// openCodeServers are the key mcp of opencode's configuration: source
// (config/mcp.ts); {env:NAME} is replaced in the text of the whole file:
// documented.
func openCodeServers() *ServerFormat {
	return &ServerFormat{
		Name: "opencode.json", Basis: FromSource, Path: "opencode.json", Shared: true, Syntax: definition.Package, Key: "mcp",
		Types:       []ServerWord{{"local", Stdio}, {"remote", HTTP}, {"remote", SSE}},
		Addresses:   []ServerWord{{"url", HTTP}, {"url", SSE}},
		Detects:     true,
		CommandList: true, Env: "environment", Headers: "headers", Timeout: "timeout", Unit: time.Millisecond, On: "enabled",
		Refs: RefCurly, RefsIn: AtAll,
	}
}

// portableServers are the file mcp.json of an Agent Plugins 1.0.0 plugin: the
// specification, sections 7.2 and 9. It has no references to variables.
func portableServers() *ServerFormat {
	return &ServerFormat{
		Name: "mcp.json of Agent Plugins", Basis: Documented, Path: "mcp.json", Syntax: definition.Package, Key: "mcpServers",
		Schema:    "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json",
		Types:     []ServerWord{{"stdio", Stdio}, {"streamable-http", HTTP}, {"sse", SSE}, {"http", HTTP}},
		Addresses: []ServerWord{{"url", HTTP}, {"url", SSE}},
		Args:      "args", Env: "env", Cwd: "cwd", Headers: "headers",
		RefsIn:   AtArgs | AtEnv | AtCwd,
		Words:    []ServerPlace{{Word: "${PLUGIN_ROOT}", Var: VarPlugin}, {Word: "${PLUGIN_DATA}", Var: VarPluginData}},
		Portable: true,
	}
}

// PluginServers is the format of the servers in the manifest of a plugin that says
// nothing else.
func PluginServers() *ServerFormat {
	f := mcpJSON()
	f.Path = ""
	return f
}
