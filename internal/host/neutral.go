package host

import (
	"slices"

	"github.com/vadehq/vade/internal/definition"
)

func neutralHost() Host {
	return Host{Name: NeutralName, Versions: []string{neutralVersion}, View: func(string) *Profile { return Neutral() }}
}

// neutralVersion is that of [Neutral].
const neutralVersion = "1"

// Neutral is the view that sees what any host reads, and more leniently than
// each of them.
func Neutral() *Profile {
	return &Profile{
		Name: NeutralName, Version: neutralVersion, Standard: true,
		Roots:       neutralRoots(),
		Ancestors:   ToRepository,
		Plugins:     neutralPlugins(),
		Configs:     neutralConfigs(),
		Package:     true,
		Collections: []string{"skills", "agents", "commands", "instructions", "prompts"},
		Bundled:     true,
		MaxFile:     maxNeutralFile,
		Dialect:     NeutralDialect(),
		LinkNames:   true, PartOfBroken: true, WarnsOfMissing: true,
		Variables: claudeVariables,
		ProseLine: true,
		EmptyText: func(definition.Kind) string { return "" },
		NameField: func(k definition.Kind) bool { return k == definition.Agent },
		Precedence: func(definition.Kind) []definition.Layer {
			return []definition.Layer{
				definition.Managed, definition.Project, definition.User, definition.Plugin, definition.Bundled,
			}
		},
	}
}

// tomlCommandRules: Gemini CLI has its commands in TOML.
func tomlCommandRules() []Rule {
	toml := Rule{Kind: definition.Command, Suffix: ".toml", Max: treeDepth, Naming: ByPath, Format: definition.TOML}
	return append(commandRules(), toml)
}

// assetRules read only files whose name says their kind: an assets directory
// holds much else.
func assetRules(k definition.Kind, suffix string) []Rule {
	return append([]Rule{
		{Kind: definition.Skill, File: "SKILL.md", Min: 1, Max: skillDepth, Boundary: true, Naming: ByDir},
	}, suffixRules(k, suffix)...)
}

func neutralRoots() []Root {
	var roots []Root
	add := func(r Root) { roots = append(roots, r) }
	files := func(l definition.Layer, b Base, dir, env string, names ...string) {
		for _, n := range names {
			add(Root{Layer: l, Base: b, Dir: dir, Env: env, Rules: instructionFile(n)})
		}
	}
	trees := func(l definition.Layer, b Base, dir, env string, kinds []component) {
		for _, c := range kinds {
			add(Root{Layer: l, Base: b, Dir: dir + "/" + c.dir, Env: env, Rules: c.rules(), Legacy: c.legacy})
		}
	}

	claudeDirs := []component{
		{"skills", skillRules, false}, {"commands", commandRules, true}, {"agents", agentRules, false}, {"rules", markdownRules, false},
	}
	for _, c := range claudeDirs {
		add(Root{
			Layer: definition.Managed, Base: InManaged, Managed: claudeManaged(), Dir: ".claude/" + c.dir, Rules: c.rules(), Legacy: c.legacy,
		})
	}
	add(Root{Layer: definition.Managed, Base: InManaged, Managed: claudeManaged(), Rules: instructionFile("CLAUDE.md")})
	add(Root{Layer: definition.Managed, Base: InManaged, Managed: codexManaged(), Dir: "skills", Rules: skillRules()})

	githubDirs := []component{
		{"skills", skillRules, false}, {"commands", githubCommandRules, false}, {"agents", githubAgentRules, false},
		{"prompts", promptRules, false}, {"chatmodes", agentRules, true}, {"instructions", instructionsRules, false},
	}
	agentsDirs := []component{{"skills", skillRules, false}, {"commands", commandRules, false}, {"agents", agentRules, false}}
	codexDirs := []component{{"skills", skillRules, false}, {"agents", agentRules, false}, {"prompts", commandRules, true}}
	geminiDirs := []component{{"skills", skillRules, false}, {"commands", tomlCommandRules, false}, {"agents", agentRules, false}}
	opencodeDirs := []component{
		{"skills", skillRules, false}, {"skill", skillRules, false}, {"commands", commandRules, false}, {"command", commandRules, false},
		{"agents", agentRules, false}, {"agent", agentRules, false},
	}
	cursorDirs := []component{
		{"skills", skillRules, false}, {"commands", commandRules, false}, {"agents", agentRules, false}, {"rules", cursorRules, false},
	}

	project := definition.Project
	trees(project, InProject, ".claude", "", claudeDirs)
	trees(project, InProject, ".github", "", githubDirs)
	trees(project, InProject, ".agents", "", agentsDirs)
	trees(project, InProject, ".codex", "", codexDirs)
	trees(project, InProject, ".gemini", "", geminiDirs)
	trees(project, InProject, ".opencode", "", opencodeDirs)
	trees(project, InProject, ".cursor", "", cursorDirs)
	files(project, InProject, "", "", "CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md", ".cursorrules")
	files(project, InProject, ".claude", "", "CLAUDE.md", "AGENTS.md")
	files(project, InProject, ".github", "", "copilot-instructions.md")

	user := definition.User
	copilotDirs := []component{{"skills", skillRules, false}, {"agents", agentRules, false}, {"instructions", instructionsRules, false}}
	trees(user, InHome, ".claude", "CLAUDE_CONFIG_DIR", claudeDirs)
	trees(user, InHome, ".copilot", "", copilotDirs)
	trees(user, InHome, ".agents", "", agentsDirs)
	trees(user, InHome, ".codex", "CODEX_HOME", codexDirs)
	trees(user, InHome, ".gemini", "", geminiDirs)
	trees(user, InHome, ".config/opencode", "XDG_CONFIG_HOME", opencodeDirs)
	trees(user, InHome, ".cursor", "", cursorDirs)
	files(user, InHome, ".claude", "CLAUDE_CONFIG_DIR", "CLAUDE.md")
	files(user, InHome, ".copilot", "", "copilot-instructions.md")
	files(user, InHome, ".codex", "CODEX_HOME", "AGENTS.md", "AGENTS.override.md")
	files(user, InHome, ".gemini", "", "GEMINI.md")
	files(user, InHome, ".config/opencode", "XDG_CONFIG_HOME", "AGENTS.md")

	roots = append(roots, pluginRoots(tomlCommandRules, skillRules)...)
	add(Root{Layer: definition.Plugin, Base: InPlugin, Dir: "rules", Component: "rules", Rules: cursorRules()})

	// What a project ships as its own defaults is beaten by everything else.
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
		add(Root{Layer: definition.Bundled, Base: InTop, Dir: a.dir, Rules: assetRules(a.kind, a.suffix)})
	}
	return roots
}

// component is one directory below a host's own.
type component struct {
	dir    string
	rules  func() []Rule
	legacy bool
}

func markdownRules() []Rule { return suffixRules(definition.Instruction, ".md") }

func cursorRules() []Rule { return suffixRules(definition.Instruction, ".mdc") }

func neutralPlugins() *Plugins {
	return &Plugins{
		Manifests: []Manifest{
			{Path: ".claude-plugin/plugin.json"},
			{Path: ".plugin/plugin.json"},
			{Path: "plugin.json", Schema: "agent-plugins.org/", Needs: []string{"skills", "agents", "commands", "hooks", "mcpServers"}},
			{Path: ".github/plugin/plugin.json"},
			{Path: ".codex-plugin/plugin.json"},
			{Path: ".cursor-plugin/plugin.json"},
			{Path: "gemini-extension.json", Servers: geminiServers()},
		},
		Marketplaces: []string{
			".claude-plugin/marketplace.json", ".github/plugin/marketplace.json", ".agents/plugins/marketplace.json",
			".cursor-plugin/marketplace.json",
		},
		InProject: true,
		Installed: claudeInstalled(),
		Root:      sharedPluginRoot,
	}
}

// neutralConfigs are the files with hooks and MCP servers of all hosts. Of two
// entries for one server the earlier row's is in force.
func neutralConfigs() []Config {
	all := slices.Concat(claudeConfigs(), copilotCLIConfigs(), copilotVSCodeConfigs(), cursorConfigs(), geminiConfigs(),
		qwenConfigs(), codexConfigs(), openCodeConfigs(), agentSkillsConfigs())
	configs := make([]Config, 0, len(all))
	add := func(l definition.Layer, paths ...string) {
		for _, path := range paths {
			from := len(configs)
			for i := range all {
				c := &all[i]
				if c.Layer != l || c.Path != path || slices.ContainsFunc(configs[from:], func(x Config) bool { return x.ForProject == c.ForProject }) {
					continue
				}
				configs = append(configs, *c)
			}
		}
	}
	add(definition.Managed, "managed-settings.json", "managed-mcp.json")
	add(definition.Project, ".claude/settings.json", ".claude/settings.local.json", ".mcp.json", ".github/mcp.json", ".vscode/mcp.json",
		".cursor/mcp.json", ".cursor/hooks.json", ".github/hooks/hooks.json", ".gemini/settings.json", ".qwen/settings.json", ".codex/config.toml",
		"opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc")
	add(definition.User, ".claude/settings.json", ".claude.json", ".cursor/mcp.json", ".gemini/settings.json", ".qwen/settings.json",
		".codex/config.toml", ".copilot/mcp-config.json", ".config/opencode/opencode.json", ".config/opencode/opencode.jsonc",
		".config/Code/User/mcp.json", "Library/Application Support/Code/User/mcp.json", "AppData/Roaming/Code/User/mcp.json")
	add(definition.Plugin, ".mcp.json", "mcp.json", ".github/mcp.json", "hooks/hooks.json")
	return configs
}

// OwnDir is the directory below the home in which the neutral view finds the user's own
// definitions of a kind, wherever possible one that belongs to no host alone. Of
// instructions there is only that of Copilot.
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
