package registry

import (
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/agentskills"
	"github.com/vadehq/vade/internal/host/claude"
	"github.com/vadehq/vade/internal/host/codex"
	"github.com/vadehq/vade/internal/host/copilotcli"
	"github.com/vadehq/vade/internal/host/copilotvscode"
	"github.com/vadehq/vade/internal/host/cursor"
	"github.com/vadehq/vade/internal/host/gemini"
	"github.com/vadehq/vade/internal/host/opencode"
	"github.com/vadehq/vade/internal/host/qwen"
)

func neutralHost() host.Host {
	return host.Host{Name: host.NeutralName, Versions: []string{neutralVersion}, View: func(string) *host.Profile { return Neutral() }}
}

// neutralVersion is the version of the [Neutral] profile.
const neutralVersion = "1"

// Neutral returns the profile for the neutral view, which combines most hosts' directories and is
// more lenient than any single host.
func Neutral() *host.Profile {
	return &host.Profile{
		Name: host.NeutralName, Version: neutralVersion, Standard: true,
		Roots:       neutralRoots(),
		Ancestors:   host.ToRepository,
		Plugins:     neutralPlugins(),
		Configs:     neutralConfigs,
		Hooks:       claude.Hooks(),
		Package:     true,
		Collections: collections(),
		Bundled:     true,
		MaxFile:     host.MaxNeutralFile,
		Dialect:     host.NeutralDialect(),
		LinkNames:   true, PartOfBroken: true, WarnsOfMissing: true,
		Variables: claude.Variables,
		ProseLine: true,
		EmptyText: func(definition.Kind) string { return "" },
		NameField: func(k definition.Kind) bool { return k == definition.Agent || k == definition.Workflow },
		Precedence: func(definition.Kind) []definition.Layer {
			return []definition.Layer{
				definition.Managed, definition.Project, definition.User, definition.Plugin, definition.Bundled,
			}
		},
	}
}

// tomlCommandRules returns [host.CommandRules] and a rule for Gemini CLI's commands, which are
// TOML.
func tomlCommandRules() []host.Rule {
	toml := host.Rule{Kind: definition.Command, Suffix: ".toml", Max: host.TreeDepth, Naming: host.ByPath, Format: definition.TOML}
	return append(host.CommandRules(), toml)
}

// assetRules returns rules that match only files whose names indicate their kind. An assets
// directory also contains many files that are not definitions.
func assetRules(k definition.Kind, suffix string) []host.Rule {
	return append([]host.Rule{
		{Kind: definition.Skill, File: "SKILL.md", Min: 1, Max: host.SkillDepth, Boundary: true, Naming: host.ByDir},
	}, host.SuffixRules(k, suffix)...)
}

// collections lists top-level project directories that are commonly used for definitions.
func collections() []string {
	return []string{"skills", "agents", "commands", "instructions", "prompts"}
}

func neutralRoots() []host.Root {
	roots := make([]host.Root, 0, 96)
	add := func(r host.Root) { roots = append(roots, r) }
	files := func(l definition.Layer, b host.Base, dir, env string, names ...string) {
		for _, n := range names {
			add(host.Root{Layer: l, Base: b, Dir: dir, Env: env, Rules: host.InstructionFile(n)})
		}
	}
	trees := func(l definition.Layer, b host.Base, dir, env string, kinds []component) {
		for _, c := range kinds {
			add(host.Root{Layer: l, Base: b, Dir: dir + "/" + c.dir, Env: env, Rules: c.rules, Legacy: c.legacy})
		}
	}

	skills, commands, agents := host.SkillRules(), host.CommandRules(), host.AgentRules()
	instructions, mdc := host.InstructionsRules(), cursorRules()
	claudeDirs := []component{
		{"skills", skills, false}, {"commands", commands, true}, {"agents", agents, false}, {"rules", markdownRules(), false},
	}
	for _, c := range claudeDirs {
		add(host.Root{
			Layer: definition.Managed, Base: host.InManaged, Managed: claude.ManagedDir(), Dir: ".claude/" + c.dir, Rules: c.rules, Legacy: c.legacy,
		})
	}
	add(host.Root{Layer: definition.Managed, Base: host.InManaged, Managed: claude.ManagedDir(), Rules: host.InstructionFile("CLAUDE.md")})
	add(host.Root{Layer: definition.Managed, Base: host.InManaged, Managed: codex.ManagedDir(), Dir: "skills", Rules: skills})

	githubDirs := []component{
		{"skills", skills, false}, {"commands", host.GithubCommandRules(), false}, {"agents", host.GithubAgentRules(), false},
		{"prompts", host.PromptRules(), false}, {"chatmodes", agents, true}, {"instructions", instructions, false},
	}
	agentsDirs := []component{{"skills", skills, false}, {"commands", commands, false}, {"agents", agents, false}}
	codexDirs := []component{{"skills", skills, false}, {"agents", agents, false}, {"prompts", commands, true}}
	geminiDirs := []component{{"skills", skills, false}, {"commands", tomlCommandRules(), false}, {"agents", agents, false}}
	opencodeDirs := []component{
		{"skills", skills, false}, {"skill", skills, false}, {"commands", commands, false}, {"command", commands, false},
		{"agents", agents, false}, {"agent", agents, false},
	}
	cursorDirs := []component{
		{"skills", skills, false}, {"commands", commands, false}, {"agents", agents, false}, {"rules", mdc, false},
	}

	// Managed directories have no workflows (observed in Claude Code 2.1.330).
	claudeDirs = append(claudeDirs, component{"workflows", host.WorkflowRules(), false})
	project := definition.Project
	trees(project, host.InProject, ".claude", "", claudeDirs)
	trees(project, host.InProject, ".github", "", githubDirs)
	trees(project, host.InProject, ".agents", "", agentsDirs)
	trees(project, host.InProject, ".codex", "", codexDirs)
	trees(project, host.InProject, ".gemini", "", geminiDirs)
	trees(project, host.InProject, ".opencode", "", opencodeDirs)
	trees(project, host.InProject, ".cursor", "", cursorDirs)
	files(project, host.InProject, "", "", "CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md", ".cursorrules")
	files(project, host.InProject, ".claude", "", "CLAUDE.md", "AGENTS.md")
	files(project, host.InProject, ".github", "", "copilot-instructions.md")

	user := definition.User
	copilotDirs := []component{{"skills", skills, false}, {"agents", agents, false}, {"instructions", instructions, false}}
	trees(user, host.InHome, ".claude", "CLAUDE_CONFIG_DIR", claudeDirs)
	trees(user, host.InHome, ".copilot", "", copilotDirs)
	trees(user, host.InHome, ".agents", "", agentsDirs)
	trees(user, host.InHome, ".codex", "CODEX_HOME", codexDirs)
	trees(user, host.InHome, ".gemini", "", geminiDirs)
	trees(user, host.InHome, ".config/opencode", "XDG_CONFIG_HOME", opencodeDirs)
	trees(user, host.InHome, ".cursor", "", cursorDirs)
	files(user, host.InHome, ".claude", "CLAUDE_CONFIG_DIR", "CLAUDE.md")
	files(user, host.InHome, ".copilot", "", "copilot-instructions.md")
	files(user, host.InHome, ".codex", "CODEX_HOME", "AGENTS.md", "AGENTS.override.md")
	files(user, host.InHome, ".gemini", "", "GEMINI.md")
	files(user, host.InHome, ".config/opencode", "XDG_CONFIG_HOME", "AGENTS.md")

	roots = append(roots, host.PluginRoots(tomlCommandRules, host.SkillRules)...)
	add(host.PluginWorkflows())
	add(host.Root{Layer: definition.Plugin, Base: host.InPlugin, Dir: "rules", Component: "rules", Rules: mdc})

	// A project's own assets have the lowest precedence.
	for _, a := range []struct {
		dir    string
		kind   definition.Kind
		suffix string
	}{
		{"assets/commands", definition.Command, ".command.md"},
		{"assets/agents", definition.Agent, ".agent.md"},
		{"assets/skills", definition.Skill, ".skill.md"},
		{"assets/instructions", definition.Instruction, ".instructions.md"},
	} {
		add(host.Root{Layer: definition.Bundled, Base: host.InTop, Dir: a.dir, Rules: assetRules(a.kind, a.suffix)})
	}
	return roots
}

// component describes a subdirectory of a host's directory.
type component struct {
	dir    string
	rules  []host.Rule
	legacy bool
}

func markdownRules() []host.Rule { return host.SuffixRules(definition.Instruction, ".md") }

func cursorRules() []host.Rule { return host.SuffixRules(definition.Instruction, ".mdc") }

func neutralPlugins() *host.Plugins {
	return &host.Plugins{
		Manifests: []host.Manifest{
			{Path: ".claude-plugin/plugin.json"},
			{Path: ".plugin/plugin.json"},
			{Path: "plugin.json", Schema: "agent-plugins.org/", Needs: []string{"skills", "agents", "commands", "hooks", "mcpServers"}},
			{Path: ".github/plugin/plugin.json"},
			{Path: ".codex-plugin/plugin.json"},
			{Path: ".cursor-plugin/plugin.json"},
			{Path: "gemini-extension.json", Servers: gemini.Servers()},
		},
		Marketplaces: []string{
			".claude-plugin/marketplace.json", ".github/plugin/marketplace.json", ".agents/plugins/marketplace.json",
			".cursor-plugin/marketplace.json",
		},
		InProject: true,
		Installed: claude.Installed(),
		Root:      host.SharedPluginRoot,
	}
}

// neutralConfigs returns the files in which any host configures hooks and MCP servers. If two files
// configure the same server, the file that is listed first takes precedence.
func neutralConfigs() []host.Config {
	all := slices.Concat(claude.Configs(), copilotcli.Configs(), copilotvscode.Configs(), cursor.Configs(), gemini.Configs(),
		qwen.Configs(), codex.Configs(), opencode.Configs(), agentskills.Configs())
	configs := make([]host.Config, 0, len(all))
	add := func(l definition.Layer, paths ...string) {
		for _, path := range paths {
			from := len(configs)
			for i := range all {
				c := &all[i]
				if c.Layer != l || c.Path != path || slices.ContainsFunc(configs[from:], func(x host.Config) bool { return x.ForProject == c.ForProject }) {
					continue
				}
				configs = append(configs, *c)
			}
		}
	}
	add(definition.Managed, "managed-settings.json", "managed-mcp.json")
	add(definition.Project, ".claude/settings.json", ".claude/settings.local.json", ".mcp.json", ".github/mcp.json", ".vscode/mcp.json",
		".cursor/mcp.json", ".cursor/hooks.json", ".github/hooks/hooks.json", ".gemini/settings.json", ".qwen/settings.json", ".codex/config.toml",
		".codex/hooks.json", "opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc")
	add(definition.User, ".claude/settings.json", ".claude.json", ".cursor/mcp.json", ".gemini/settings.json", ".qwen/settings.json",
		".codex/config.toml", ".codex/hooks.json", ".copilot/mcp-config.json", ".config/opencode/opencode.json", ".config/opencode/opencode.jsonc",
		".config/Code/User/mcp.json", "Library/Application Support/Code/User/mcp.json", "AppData/Roaming/Code/User/mcp.json")
	add(definition.Plugin, ".mcp.json", "mcp.json", ".github/mcp.json", "hooks/hooks.json")
	return configs
}

// OwnDir returns the directory, relative to the home directory, where the neutral view finds the
// user's own definitions of a kind. The directory is not specific to a host, except for the
// instructions directory, which is Copilot's.
func OwnDir(k definition.Kind) string {
	switch k {
	case definition.Skill:
		return ".agents/skills"
	case definition.Command:
		return ".agents/commands"
	case definition.Agent:
		return ".agents/agents"
	}
	return ".copilot/instructions"
}
