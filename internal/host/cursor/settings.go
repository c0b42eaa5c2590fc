package cursor

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

func connect(string) host.Connect {
	return host.Connect{
		Project: []string{".cursor/mcp.json"}, User: []string{".cursor/mcp.json"},
		Next: "enable the server under MCP tools in Cursor's settings",
	}
}

func Configs() []host.Config {
	return []host.Config{
		host.ServersIn(definition.Project, host.InProject, ".cursor/mcp.json", servers()),
		host.HooksIn(definition.Project, host.InProject, ".cursor/hooks.json", hooks()),
		host.ServersIn(definition.User, host.InHome, ".cursor/mcp.json", servers()),
	}
}

// servers describes Cursor's mcp.json, according to Cursor's documentation. It is inferred that
// Cursor tries both HTTP transports for a URL and ignores a remote entry's type.
func servers() *host.ServerFormat {
	return &host.ServerFormat{
		Name: ".cursor/mcp.json", Basis: host.Documented, Path: ".cursor/mcp.json", Syntax: definition.Package, Key: "mcpServers",
		Types:     []host.ServerWord{{Word: "stdio", Transport: host.Stdio}, {Word: "http", Transport: host.HTTP}, {Word: "streamable-http", Transport: host.HTTP}, {Word: "streamableHttp", Transport: host.HTTP}, {Word: "sse", Transport: host.SSE}},
		Untyped:   true,
		Addresses: []host.ServerWord{{Word: "url", Transport: host.HTTP}, {Word: "url", Transport: host.SSE}}, Detects: true,
		Args: "args", Env: "env", Headers: "headers",
		Refs: host.RefEnv, RefsIn: host.AtAll &^ host.AtCwd,
		Words: []host.ServerPlace{{Word: "${workspaceFolder}", Var: host.VarProject}, {Word: "${userHome}", Var: host.VarHome}},
	}
}
