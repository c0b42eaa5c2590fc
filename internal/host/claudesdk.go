package host

import (
	_ "embed" // holds the module
	"slices"
	"strings"
)

// sdkHost is the Claude Agent SDK, which runs the Claude Code that it was published
// with: everything is that host's but the name. It takes definitions as options and not
// as files.
func sdkHost() Host {
	return Host{
		Name: "claude-sdk", Versions: []string{"0.3.329"}, View: sdkView,
		Servers: sdkServers, SDK: agentSDK, Permission: func(string) *Permission { return claudePermission(sdkClaude) },
	}
}

// sdkClaude is the version of Claude Code that comes with it.
const sdkClaude = "2.1.329"

func sdkView(string) *Profile {
	p := claudeView(sdkClaude)
	p.Facts = append(slices.Clone(p.Facts), Fact{
		Cell: CellRoots, Basis: Observed, From: "observations of k01",
		Text: "Reads the user's and the project's without settingSources; a list there leaves out the others. Versions before it read none.",
	})
	return p
}

//go:embed sdk/vade-options.ts
var sdkModule string

// agentSDK is the Claude Agent SDK for TypeScript. All but Modes is the type Options
// of 0.3.329 and what it refers to: source, sdk.d.ts.
func agentSDK() *AgentSDK {
	return &AgentSDK{
		Options: "options.json", Skills: "skills.json", Commands: "commands.json", Agents: "agents.json",
		Module: "vade-options.ts", Record: "vade-made.json", Text: sdkModule,
		Preset: "claude_code", Server: "vade", Tool: "mcp__vade__loadSkill",
		Model: func(name string) bool {
			return slices.Contains([]string{"inherit", "sonnet", "opus", "haiku", "fable"}, name) || strings.HasPrefix(name, "claude-")
		},
		Efforts:  []string{"low", "medium", "high", "xhigh", "max"},
		Memories: []string{"user", "project", "local"},
		Modes:    []string{"default", "plan", "dontAsk"},
		SkillDir: "Base directory for this skill: ",
		// Documented: prompt files and the reference of variables of VS Code. Only the
		// word for the project has one meaning for every editor and none.
		EditorSuffix: ".prompt.md", EditorProject: "workspaceFolder",
		EditorWords: []string{
			"workspaceFolderBasename", "selection", "selectedText", "file", "fileBasename", "fileDirname", "fileBasenameNoExtension",
			"relativeFile", "relativeFileDirname", "lineNumber",
		},
		// Documented: plugins reference. Servers are no part of PluginRuns, since
		// skipMcpDiscovery leaves them out (source, sdk.d.ts).
		PluginManifest: ".claude-plugin/plugin.json",
		PluginInert: []string{
			"$schema", "name", "version", "description", "author", "homepage", "repository", "license", "keywords", "displayName", "category", "tags",
			"skills", "commands", "agents", "outputStyles", "mcpServers", "metadata",
		},
		PluginRuns: []string{"hooks", ".lsp.json", "monitors", "bin", "workflows", "settings.json"},
	}
}

// sdkServers are the mcpServers of the options of the Claude Agent SDK, which
// hands them to Claude Code on its command line, where references are replaced as
// in a file: source.
func sdkServers() *ServerFormat {
	f := mcpJSON()
	f.Name, f.Basis, f.Path, f.Timeout = "mcpServers of the SDK's options", FromSource, "", ""
	f.Types = []ServerWord{{Word: "stdio", Transport: Stdio}, {Word: "http", Transport: HTTP}, {Word: "sse", Transport: SSE}}
	f.Addresses = []ServerWord{{Word: "url", Transport: HTTP}, {Word: "url", Transport: SSE}}
	return f
}
