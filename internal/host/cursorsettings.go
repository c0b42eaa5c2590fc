package host

import "github.com/vadehq/vade/internal/definition"

func cursorConnect(string) Connect {
	return Connect{
		Project: []string{".cursor/mcp.json"}, User: []string{".cursor/mcp.json"},
		Next: "switch the server on where its settings list the tools of MCP",
	}
}

func cursorConfigs() []Config {
	return []Config{
		serversIn(definition.Project, InProject, ".cursor/mcp.json", cursorServers()),
		hooksIn(definition.Project, InProject, ".cursor/hooks.json"),
		serversIn(definition.User, InHome, ".cursor/mcp.json", cursorServers()),
	}
}

// cursorServers are the files mcp.json of Cursor: documented. Addresses are tried
// in both ways; words for the type of a remote entry are taken and mean nothing:
// inferred.
func cursorServers() *ServerFormat {
	return &ServerFormat{
		Name: ".cursor/mcp.json", Basis: Documented, Path: ".cursor/mcp.json", Syntax: definition.Package, Key: "mcpServers",
		Types:     []ServerWord{{Word: "stdio", Transport: Stdio}, {Word: "http", Transport: HTTP}, {Word: "streamable-http", Transport: HTTP}, {Word: "streamableHttp", Transport: HTTP}, {Word: "sse", Transport: SSE}},
		Untyped:   true,
		Addresses: []ServerWord{{Word: "url", Transport: HTTP}, {Word: "url", Transport: SSE}}, Detects: true,
		Args: "args", Env: "env", Headers: "headers",
		Refs: RefEnv, RefsIn: AtAll &^ AtCwd,
		Words: []ServerPlace{{Word: "${workspaceFolder}", Var: VarProject}, {Word: "${userHome}", Var: VarHome}},
	}
}
