package copilotvscode

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/copilotcli"
)

// connect returns the files in VS Code's documentation. The locations of the user's file come from
// environmentService.ts in VS Code's source code.
func connect(goos string) host.Connect {
	user := ".config/Code/User/mcp.json"
	switch goos {
	case "darwin":
		user = "Library/Application Support/Code/User/mcp.json"
	case "windows":
		user = "AppData/Roaming/Code/User/mcp.json"
	}
	return host.Connect{
		Project: []string{".vscode/mcp.json"}, User: []string{user},
		Next: "when the editor first starts the server, confirm that you trust it; to check, run the command MCP: List Servers",
	}
}

func Configs() []host.Config {
	return []host.Config{
		host.ServersIn(definition.Project, host.InProject, ".vscode/mcp.json", servers(), "mcpServers"),
		host.HooksIn(definition.Project, host.InProject, ".github/hooks/hooks.json", copilotcli.Hooks()),
		host.ServersIn(definition.User, host.InHome, ".config/Code/User/mcp.json", servers()).MovedBy("XDG_CONFIG_HOME", 0),
		host.ServersIn(definition.User, host.InHome, "Library/Application Support/Code/User/mcp.json", servers()),
		host.ServersIn(definition.User, host.InHome, "AppData/Roaming/Code/User/mcp.json", servers()),
	}
}

// servers describes VS Code's mcp.json, according to VS Code's documentation. The cwd key comes
// from VS Code's source code.
func servers() *host.ServerFormat {
	return &host.ServerFormat{
		Name: ".vscode/mcp.json", Basis: host.Documented, Path: ".vscode/mcp.json", Syntax: definition.Package, Key: "servers",
		InputsKey: "inputs",
		Types:     []host.ServerWord{{Word: "stdio", Transport: host.Stdio}, {Word: "http", Transport: host.HTTP}, {Word: "sse", Transport: host.SSE}},
		Addresses: []host.ServerWord{{Word: "url", Transport: host.HTTP}, {Word: "url", Transport: host.SSE}}, Detects: true,
		Args: "args", Env: "env", Cwd: "cwd", Headers: "headers",
		Refs: host.RefEnv | host.RefInput, RefsIn: host.AtAll,
		Words: []host.ServerPlace{{Word: "${workspaceFolder}", Var: host.VarProject}, {Word: "${userHome}", Var: host.VarHome}},
	}
}

// unread returns the workspace settings in VS Code's documentation that affect loading. VS Code
// stores the user's settings in a directory that Vade does not read.
func unread() []host.UnreadSetting {
	return host.UnreadIn(host.InWorkDir, ".vscode/settings.json", "",
		[2]string{"chat.agentSkillsLocations", "sets which skill directories are read"},
		[2]string{"chat.instructionsFilesLocations", "sets which instruction directories are read"},
		[2]string{"chat.promptFilesLocations", "sets which prompt directories are read"},
		[2]string{"chat.agentFilesLocations", "sets which agent directories are read"},
		[2]string{"chat.useAgentsMdFile", "sets whether AGENTS.md is read"},
		[2]string{"chat.useClaudeMdFile", "sets whether CLAUDE.md is read"},
		[2]string{"chat.useCustomizationsInParentRepositories", "sets whether the folder's parent directories are read"},
		[2]string{"github.copilot.chat.codeGeneration.useInstructionFiles", "sets whether copilot-instructions.md is read"},
	)
}
