package host

import "github.com/vadehq/vade/internal/definition"

// vscodeConnect: documented; the places of the user's file: source
// (environmentService.ts).
func vscodeConnect(goos string) Connect {
	user := ".config/Code/User/mcp.json"
	switch goos {
	case "darwin":
		user = "Library/Application Support/Code/User/mcp.json"
	case "windows":
		user = "AppData/Roaming/Code/User/mcp.json"
	}
	return Connect{
		Project: []string{".vscode/mcp.json"}, User: []string{user},
		Next: "it asks at the first start whether you trust the server; see the command MCP: List Servers",
	}
}

func copilotVSCodeConfigs() []Config {
	return []Config{
		serversIn(definition.Project, InProject, ".vscode/mcp.json", vsCodeServers(), "mcpServers"),
		hooksIn(definition.Project, InProject, ".github/hooks/hooks.json"),
		serversIn(definition.User, InHome, ".config/Code/User/mcp.json", vsCodeServers()).movedBy("XDG_CONFIG_HOME", 0),
		serversIn(definition.User, InHome, "Library/Application Support/Code/User/mcp.json", vsCodeServers()),
		serversIn(definition.User, InHome, "AppData/Roaming/Code/User/mcp.json", vsCodeServers()),
	}
}

// vsCodeServers are the files mcp.json of VS Code: documented; cwd: source.
func vsCodeServers() *ServerFormat {
	return &ServerFormat{
		Name: ".vscode/mcp.json", Basis: Documented, Path: ".vscode/mcp.json", Syntax: definition.Package, Key: "servers",
		InputsKey: "inputs",
		Types:     []ServerWord{{Word: "stdio", Transport: Stdio}, {Word: "http", Transport: HTTP}, {Word: "sse", Transport: SSE}},
		Addresses: []ServerWord{{Word: "url", Transport: HTTP}, {Word: "url", Transport: SSE}}, Detects: true,
		Args: "args", Env: "env", Cwd: "cwd", Headers: "headers",
		Refs: RefEnv | RefInput, RefsIn: AtAll,
		Words: []ServerPlace{{Word: "${workspaceFolder}", Var: VarProject}, {Word: "${userHome}", Var: VarHome}},
	}
}

// copilotVSCodeUnread are settings of the workspace (documented). Those of the user
// stand in a directory of the editor that is not looked into.
func copilotVSCodeUnread() []UnreadSetting {
	return unreadIn(InWorkDir, ".vscode/settings.json", "",
		[2]string{"chat.agentSkillsLocations", "says which directories of skills are read"},
		[2]string{"chat.instructionsFilesLocations", "says which directories of instructions are read"},
		[2]string{"chat.promptFilesLocations", "says which directories of prompts are read"},
		[2]string{"chat.agentFilesLocations", "says which directories of agents are read"},
		[2]string{"chat.useAgentsMdFile", "says whether AGENTS.md is read"},
		[2]string{"chat.useClaudeMdFile", "says whether CLAUDE.md is read"},
		[2]string{"chat.useCustomizationsInParentRepositories", "has the directories above the folder read"},
		[2]string{"github.copilot.chat.codeGeneration.useInstructionFiles", "says whether copilot-instructions.md is read"},
	)
}
