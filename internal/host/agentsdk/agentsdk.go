// Package agentsdk describes the Claude Agent SDK, which runs Claude Code and
// receives definitions as options. [Host] returns its profile and capabilities.
package agentsdk

import (
	_ "embed" // for the module
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/claude"
)

// Host describes the Claude Agent SDK, which runs the Claude Code version that it was released
// with. It differs from Claude Code only in its name and in that programs can pass it definitions
// as options.
func Host() host.Host {
	return host.Host{
		Name: name, Versions: []string{version}, View: view,
		Servers: servers, SDK: options, Permission: func(string) *host.Permission { return claude.Permission(claudeVersion) },
	}
}

const (
	name    = "claude-sdk"
	version = "0.3.329"
)

// claudeVersion is the Claude Code version that the SDK includes.
const claudeVersion = "2.1.329"

func view(string) *host.Profile {
	p := claude.View(claudeVersion)
	p.FromOptions = true
	p.Facts = append(slices.Clone(p.Facts), host.Fact{
		Cell: host.CellRoots, Basis: host.Observed, From: "observations on k01",
		Text: "Reads user and project files unless settingSources restricts them. Earlier versions do not read them by default.",
	})
	return p
}

//go:embed vade-options.ts
var module string

// options describes the Claude Agent SDK for TypeScript. Except for Modes and the plugin fields,
// the data comes from sdk.d.ts in version 0.3.329: the Options type and the types that it refers
// to.
func options() *host.AgentSDK {
	return &host.AgentSDK{
		Name: name, Version: version, Form: host.QueryOptions, Module: module,
		Preset: "claude_code", Server: "vade", Tool: "mcp__vade__loadSkill",
		Model: func(name string) bool {
			return slices.Contains([]string{"inherit", "sonnet", "opus", "haiku", "fable"}, name) || strings.HasPrefix(name, "claude-")
		},
		Efforts:  []string{"low", "medium", "high", "xhigh", "max"},
		Memories: []string{"user", "project", "local"},
		Modes:    []string{"default", "plan", "dontAsk"},
		SkillDir: "Base directory for this skill: ",
		// These lists come from Claude Code's plugins reference. PluginRuns does not contain
		// servers because skipMcpDiscovery omits them, according to the SDK's sdk.d.ts.
		PluginManifest: ".claude-plugin/plugin.json",
		PluginInert: []string{
			"$schema", "name", "version", "description", "author", "homepage", "repository", "license", "keywords", "displayName", "category", "tags",
			"skills", "commands", "agents", "outputStyles", "mcpServers", "metadata",
		},
		PluginRuns: []string{"hooks", ".lsp.json", "monitors", "bin", "workflows", "settings.json"},
	}
}

// servers describes the Claude Agent SDK's mcpServers option. According to its source code, the SDK
// passes the option to Claude Code on the command line, where variable references are replaced as
// in a file.
func servers() *host.ServerFormat {
	f := host.MCPJSON()
	f.Name, f.Basis, f.Path, f.Timeout = "the SDK's mcpServers option", host.FromSource, "", ""
	f.Types = []host.ServerWord{{Word: "stdio", Transport: host.Stdio}, {Word: "http", Transport: host.HTTP}, {Word: "sse", Transport: host.SSE}}
	f.Addresses = []host.ServerWord{{Word: "url", Transport: host.HTTP}, {Word: "url", Transport: host.SSE}}
	return f
}
