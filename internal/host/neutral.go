package host

import (
	"slices"

	"github.com/vadehq/vade/internal/definition"
)

// skillDepth is how deep below its root the neutral view finds a skill: real
// collections group them by one or two directories, Codex 0.169 goes to six.
const skillDepth = 6

// treeDepth is how deep the neutral view finds the other kinds.
const treeDepth = 8

// maxNeutralFile is the length above which the neutral view drops a file: a
// multiple of the longest definition seen in the wild (294 kB).
const maxNeutralFile = 4 << 20

// NeutralName is the name of [Neutral].
const NeutralName = "neutral"

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

// NeutralDialect is the frontmatter that the neutral view takes.
func NeutralDialect() Dialect {
	return Dialect{
		Delimiters: Delimiters{
			BOM: true, LeadingBlank: true, LeadingComment: true, Indented: true, TrailingSpace: true, CRLF: true,
		},
		Repair: RepairLines, DuplicateKeys: true,
	}
}

// claudeManaged and codexManaged are where administrators place definitions
// for these hosts (formats dossier, sections 3.1 and 4).
func claudeManaged() *ManagedDir {
	return &ManagedDir{
		Linux: "/etc/claude-code", Darwin: "/Library/Application Support/ClaudeCode", Windows: "C:/Program Files/ClaudeCode",
	}
}

func codexManaged() *ManagedDir {
	return &ManagedDir{Linux: "/etc/codex", Darwin: "/etc/codex", Windows: "C:/ProgramData/OpenAI/Codex"}
}

const readme = "README files in a directory of definitions are documentation"

func skillRules() []Rule {
	return []Rule{
		{Kind: definition.Skill, File: "SKILL.md", FoldCase: true, Max: skillDepth, Boundary: true, Naming: ByDir},
		{Kind: definition.Skill, Suffix: ".skill.md", FoldCase: true, Max: treeDepth},
	}
}

// commandRules also find skills, because Claude Code reads
// commands/x/SKILL.md as the skill x (case m16).
func commandRules() []Rule {
	return []Rule{
		{Kind: definition.Skill, File: "SKILL.md", Min: 1, Max: skillDepth, Boundary: true, Naming: ByDir},
		{Kind: definition.Command, File: "README.md", FoldCase: true, Max: treeDepth, Skip: readme},
		{Kind: definition.Command, Suffix: ".md", FoldCase: true, Max: treeDepth, Naming: ByPath, Index: "index"},
	}
}

// githubCommandRules: the ending says the kind and is no part of the name.
func githubCommandRules() []Rule {
	named := Rule{Kind: definition.Command, Suffix: ".command.md", FoldCase: true, Max: treeDepth, Naming: ByPath}
	return slices.Insert(commandRules(), 2, named)
}

// tomlCommandRules: Gemini CLI has its commands in TOML.
func tomlCommandRules() []Rule {
	toml := Rule{Kind: definition.Command, Suffix: ".toml", Max: treeDepth, Naming: ByPath, Format: definition.TOML}
	return append(commandRules(), toml)
}

func agentRules() []Rule {
	return []Rule{
		{Kind: definition.Agent, File: "README.md", FoldCase: true, Max: treeDepth, Skip: readme},
		{Kind: definition.Agent, Suffix: ".agent.md", FoldCase: true, Max: treeDepth},
		{Kind: definition.Agent, Suffix: ".chatmode.md", FoldCase: true, Max: treeDepth},
		{Kind: definition.Agent, Suffix: ".md", FoldCase: true, Max: treeDepth},
		{Kind: definition.Agent, Suffix: ".toml", Max: treeDepth, Format: definition.TOML},
	}
}

// githubAgentRules: below an agent's own directory stand instructions for it.
func githubAgentRules() []Rule {
	return append([]Rule{
		{Kind: definition.Instruction, Suffix: ".instructions.md", FoldCase: true, Min: 1, Max: 1, Naming: ByPath, ForAgent: true},
	}, agentRules()...)
}

func suffixRules(k definition.Kind, suffixes ...string) []Rule {
	var rules []Rule
	for _, s := range suffixes {
		rules = append(rules, Rule{Kind: k, Suffix: s, FoldCase: true, Max: treeDepth, Naming: ByPath})
	}
	return rules
}

// assetRules read only files whose name says their kind: an assets directory
// holds much else.
func assetRules(k definition.Kind, suffix string) []Rule {
	return append([]Rule{
		{Kind: definition.Skill, File: "SKILL.md", Min: 1, Max: skillDepth, Boundary: true, Naming: ByDir},
	}, suffixRules(k, suffix)...)
}

// instructionFile is the rule of a root that is one file.
func instructionFile(name string) []Rule {
	return []Rule{{Kind: definition.Instruction, File: name, Naming: ByFile}}
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

	claude := []component{
		{"skills", skillRules, false}, {"commands", commandRules, true}, {"agents", agentRules, false}, {"rules", markdownRules, false},
	}
	for _, c := range claude {
		add(Root{
			Layer: definition.Managed, Base: InManaged, Managed: claudeManaged(), Dir: ".claude/" + c.dir, Rules: c.rules(), Legacy: c.legacy,
		})
	}
	add(Root{Layer: definition.Managed, Base: InManaged, Managed: claudeManaged(), Rules: instructionFile("CLAUDE.md")})
	add(Root{Layer: definition.Managed, Base: InManaged, Managed: codexManaged(), Dir: "skills", Rules: skillRules()})

	github := []component{
		{"skills", skillRules, false}, {"commands", githubCommandRules, false}, {"agents", githubAgentRules, false},
		{"prompts", promptRules, false}, {"chatmodes", agentRules, true}, {"instructions", instructionsRules, false},
	}
	agents := []component{{"skills", skillRules, false}, {"commands", commandRules, false}, {"agents", agentRules, false}}
	codex := []component{{"skills", skillRules, false}, {"agents", agentRules, false}, {"prompts", commandRules, true}}
	gemini := []component{{"skills", skillRules, false}, {"commands", tomlCommandRules, false}, {"agents", agentRules, false}}
	opencode := []component{
		{"skills", skillRules, false}, {"skill", skillRules, false}, {"commands", commandRules, false}, {"command", commandRules, false},
		{"agents", agentRules, false}, {"agent", agentRules, false},
	}
	cursor := []component{
		{"skills", skillRules, false}, {"commands", commandRules, false}, {"agents", agentRules, false}, {"rules", cursorRules, false},
	}

	project := definition.Project
	trees(project, InProject, ".claude", "", claude)
	trees(project, InProject, ".github", "", github)
	trees(project, InProject, ".agents", "", agents)
	trees(project, InProject, ".codex", "", codex)
	trees(project, InProject, ".gemini", "", gemini)
	trees(project, InProject, ".opencode", "", opencode)
	trees(project, InProject, ".cursor", "", cursor)
	files(project, InProject, "", "", "CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md", ".cursorrules")
	files(project, InProject, ".claude", "", "CLAUDE.md", "AGENTS.md")
	files(project, InProject, ".github", "", "copilot-instructions.md")

	user := definition.User
	copilot := []component{{"skills", skillRules, false}, {"agents", agentRules, false}, {"instructions", instructionsRules, false}}
	trees(user, InHome, ".claude", "CLAUDE_CONFIG_DIR", claude)
	trees(user, InHome, ".copilot", "", copilot)
	trees(user, InHome, ".agents", "", agents)
	trees(user, InHome, ".codex", "CODEX_HOME", codex)
	trees(user, InHome, ".gemini", "", gemini)
	trees(user, InHome, ".config/opencode", "XDG_CONFIG_HOME", opencode)
	trees(user, InHome, ".cursor", "", cursor)
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

func markdownRules() []Rule     { return suffixRules(definition.Instruction, ".md") }
func promptRules() []Rule       { return suffixRules(definition.Command, ".prompt.md") }
func instructionsRules() []Rule { return suffixRules(definition.Instruction, ".instructions.md") }
func cursorRules() []Rule       { return suffixRules(definition.Instruction, ".mdc") }

// pluginRoots are the directories of a plugin, which its manifest may change
// (Claude Code 2.1.329: skills adds to the default, the others replace it).
func pluginRoots(commands, skills func() []Rule) []Root {
	root := func(dir string, replaces bool, rules []Rule) Root {
		return Root{Layer: definition.Plugin, Base: InPlugin, Dir: dir, Component: dir, Replaces: replaces, Rules: rules}
	}
	return []Root{
		root("skills", false, skills()),
		root("commands", true, commands()),
		root("agents", true, agentRules()),
		{Layer: definition.Plugin, Base: InPlugin, Rules: []Rule{{Kind: definition.Skill, File: "SKILL.md", Naming: ByDir}}},
	}
}

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
		Root:      claudePluginRoot,
	}
}

// neutralConfigs are the files with hooks and MCP servers of all hosts. Of two
// entries for one server the earlier row's is in force.
func neutralConfigs() []Config {
	all := slices.Concat(claudeConfigs(), copilotCLIConfigs(), copilotVSCodeConfigs(), cursorConfigs(), geminiConfigs(),
		qwenConfigs(), codexConfigs(), openCodeConfigs(), agentSkillsConfigs())
	var configs []Config
	add := func(l definition.Layer, paths ...string) {
		for _, path := range paths {
			for _, c := range all {
				same := func(x Config) bool { return x.Layer == l && x.Path == path && x.ForProject == c.ForProject }
				if same(c) && !slices.ContainsFunc(configs, same) {
					configs = append(configs, c)
				}
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
