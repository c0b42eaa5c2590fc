package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// ClaudeCode is Claude Code as it was observed at version 2.1.329; the cases
// are those of the recordings.
func ClaudeCode() *Profile {
	return &Profile{
		Name: "claude-code", Version: "2.1.329",
		Roots: claudeRoots(),
		// Without a repository the parents are walked all the same (m29).
		Ancestors: ToFilesystem,
		Fallbacks: []Fallback{{
			Files:  []string{"AGENTS.md"},
			Unless: []string{"CLAUDE.md", "CLAUDE.local.md"},
		}},
		Plugins: &Plugins{
			Manifests: []Manifest{{Path: ".claude-plugin/plugin.json"}},
			Installed: claudeInstalled(),
			Root:      claudePluginRoot,
		},
		Configs: claudeConfigs(),
		// A SKILL.md of 1,000,000 bytes loads, one of 1,023 KiB does not (m50, m60).
		MaxFile: 1_000_000,
		Dialect: Dialect{
			Delimiters: Delimiters{BOM: true, TrailingSpace: true, CRLF: true, CloserAnywhere: true},
			Repair:     RepairValues, Beyond: FlawQuote, DuplicateKeys: true,
		},
		AnyBytes: true,
		// Broken frontmatter leaves a skill or command without fields; an agent
		// is not loaded (formats dossier, section 3.3).
		BrokenDrops: func(k definition.Kind) bool { return k == definition.Agent },
		Accepts:     claudeAccepts,
		Variables:   claudeVariables,
		// Commands in fences run (recorded cases s20 and s30).
		ShellInCode: true,
		EmptyText:   claudeEmpty,
		Refuses:     claudeRefuses,
		NameField:   func(k definition.Kind) bool { return k == definition.Agent },
		// A user's skill beats the project's (m11); with agents it is the other
		// way round (m36).
		Precedence: func(k definition.Kind) []definition.Layer {
			if k == definition.Agent {
				return []definition.Layer{definition.Managed, definition.Project, definition.User, definition.Plugin}
			}
			return []definition.Layer{definition.Managed, definition.User, definition.Project, definition.Plugin}
		},
		SharedNames: true,
	}
}

func claudeRoots() []Root {
	var roots []Root
	scopes := []Root{
		{Layer: definition.Managed, Base: InManaged, Managed: claudeManaged()},
		{Layer: definition.User, Base: InHome, Env: "CLAUDE_CONFIG_DIR"},
		{Layer: definition.Project, Base: InProject},
	}
	for _, scope := range scopes {
		add := func(dir string, legacy bool, rules []Rule) {
			r := scope
			r.Dir, r.Legacy, r.Rules = dir, legacy, rules
			roots = append(roots, r)
		}
		add(".claude/skills", false, claudeSkillRules())
		add(".claude/commands", true, claudeCommandRules())
		add(".claude/agents", false, claudeAgentRules())
		add(".claude/rules", false, []Rule{{Kind: definition.Instruction, Suffix: ".md", Max: treeDepth, Naming: ByPath}})
		switch scope.Base {
		case InManaged:
			add("", false, instructionFile("CLAUDE.md"))
		case InHome:
			add(".claude", false, instructionFile("CLAUDE.md"))
		default:
			add("", false, instructionFile("CLAUDE.md"))
			add(".claude", false, instructionFile("CLAUDE.md"))
			add("", false, instructionFile("CLAUDE.local.md"))
			add("", false, instructionFile("AGENTS.md"))
			add(".claude", false, instructionFile("AGENTS.md"))
		}
	}
	return append(roots, pluginRoots(claudeCommandRules, claudeSkillRules)...)
}

// claudeSkillRules: exactly one level deep and exactly this name (m15).
func claudeSkillRules() []Rule {
	return []Rule{{Kind: definition.Skill, File: "SKILL.md", Min: 1, Max: 1, Boundary: true, Naming: ByDir}}
}

// claudeCommandRules: any depth, the directories joined with colons, ".MD" not
// read, a directory with SKILL.md taken whole as a skill (m16).
func claudeCommandRules() []Rule {
	return []Rule{
		{Kind: definition.Skill, File: "SKILL.md", Min: 1, Max: treeDepth, Boundary: true, Naming: ByDirPath},
		{Kind: definition.Command, Suffix: ".md", Max: treeDepth, Naming: ByPath},
	}
}

func claudeAgentRules() []Rule {
	return []Rule{{Kind: definition.Agent, Suffix: ".md", Max: treeDepth}}
}

// claudeAccepts: each field has one spelling (formats dossier, section 3.4);
// agents write theirs in camel case.
func claudeAccepts(k definition.Kind, f definition.Field, key string) bool {
	switch k {
	case definition.Agent:
		switch f {
		case definition.FieldDisallowedTools:
			return key == "disallowedTools"
		case definition.FieldMCPServers:
			return key == "mcpServers"
		}
		return key == f.Key()
	case definition.Instruction:
		// Only paths conditions a rule; globs and applyTo are ignored (f15).
		return f == definition.FieldPaths && key == "paths"
	case definition.Command:
		// A command has the name of its file and no paths.
		if f == definition.FieldName || f == definition.FieldPaths {
			return false
		}
	}
	switch f {
	case definition.FieldTools, definition.FieldTitle, definition.FieldAliases, definition.FieldAgents,
		definition.FieldGlobs, definition.FieldApplyTo, definition.FieldRequires:
		return false
	}
	return key == f.Key()
}

func claudeEmpty(k definition.Kind) string {
	switch k {
	case definition.Skill:
		return "Skill"
	case definition.Command:
		return "Custom command"
	}
	return ""
}

// claudeRefuses: an agent needs a name without a colon or a leading hyphen, and
// a description (m36, m54; formats dossier, section 3.2).
func claudeRefuses(d *definition.Definition) string {
	if d.Kind != definition.Agent {
		return ""
	}
	switch {
	case d.Fields.Name == "":
		return "an agent without a name in its frontmatter is taken for documentation"
	case d.Fields.Description == "":
		return "an agent without a description is not loaded"
	case strings.Contains(d.Fields.Name, ":"), strings.HasPrefix(d.Fields.Name, "-"):
		return "an agent's name may not hold a colon or begin with a hyphen"
	}
	return ""
}

// claudePluginRoot stands for a plugin's directory in its manifest.
const claudePluginRoot = "${CLAUDE_PLUGIN_ROOT}"

// claudeVariables: the skill's directory in skills only, the plugin's in plugins
// only (v01, v02; formats dossier, section 3.7).
func claudeVariables(p Places) map[string]string {
	names := map[string]string{}
	for name, dir := range map[string]string{
		"CLAUDE_SKILL_DIR": p.Skill, "CLAUDE_PROJECT_DIR": p.Project, "CLAUDE_PLUGIN_ROOT": p.Plugin,
	} {
		if dir != "" {
			names[name] = dir
		}
	}
	return names
}

func claudeInstalled() Installed {
	return Installed{
		File: ".claude/plugins/installed_plugins.json", Env: "CLAUDE_CONFIG_DIR",
		UserSettings:    []string{".claude/settings.json"},
		ProjectSettings: []string{".claude/settings.json", ".claude/settings.local.json"},
	}
}

func claudeConfigs() []Config {
	var configs []Config
	for _, c := range neutralConfigs() {
		switch c.Path {
		case ".claude/settings.json", ".claude/settings.local.json", ".mcp.json", ".claude.json", "hooks/hooks.json",
			"managed-settings.json", "managed-mcp.json":
			configs = append(configs, c)
		}
	}
	return configs
}
