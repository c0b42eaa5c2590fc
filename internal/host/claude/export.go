package claude

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// export describes how to write definitions for Claude Code. It uses the locations and fields that
// the profile reads, all of which were observed.
func export() *host.Export {
	return &host.Export{
		Place: func(k definition.Kind) *host.ExportPlace {
			switch k {
			case definition.Skill:
				return &host.ExportPlace{Dir: ".claude/skills", File: "SKILL.md", Join: "-"}
			case definition.Command:
				return &host.ExportPlace{Dir: ".claude/commands", Suffix: ".md", Join: "/"}
			case definition.Agent:
				return &host.ExportPlace{Dir: ".claude/agents", Suffix: ".md", Join: "-", Name: true}
			}
			return nil
		},
		Syntax: Syntax,
		Tools: &host.ExportTools{
			Name:   host.SameTool,
			Server: host.MCPToolName, Rules: true,
		},
		Model: model,
		Instructions: &host.ExportInstructions{
			Whole: "CLAUDE.md", Nested: true, Imports: true, Dir: ".claude/rules", Suffix: ".md", Paths: "paths", List: true,
		},
		Basis: host.Observed, Source: "m11, m15, m16, m36, f15",
	}
}

// Syntax returns Claude Code's substitution syntax (format notes, sections
// 3.6 to 3.9).
func Syntax(k definition.Kind) *host.Syntax {
	if k == definition.Agent || k == definition.Instruction {
		return nil
	}
	return &host.Syntax{
		Scanned: true, All: "$ARGUMENTS", Positions: true, Named: true, Escapes: true, Appended: true,
		ShellOpen: "!`", ShellClose: "`", BlockOpen: "```!\n", BlockClose: "\n```", ShellAll: "$ARGUMENTS",
		FileOpen: "@", Lines: true,
		Variable: func(v host.Variable) string {
			if v == host.SkillDir && k != definition.Skill {
				return ""
			}
			return variable(v)
		},
	}
}

func variable(v host.Variable) string {
	switch v {
	case host.SkillDir:
		return "CLAUDE_SKILL_DIR"
	case host.ProjectDir:
		return "CLAUDE_PROJECT_DIR"
	case host.PluginDir:
		return "CLAUDE_PLUGIN_ROOT"
	case host.SessionID:
		return "CLAUDE_SESSION_ID"
	}
	return ""
}

// model returns the name to write for a model and whether Claude Code accepts it. It keeps the
// aliases and model names in Claude Code's documentation but removes the provider prefix that
// opencode uses.
func model(name string) (string, bool) {
	if isAlias(name) {
		return name, true
	}
	name = strings.TrimPrefix(name, "anthropic/")
	return name, strings.HasPrefix(name, "claude-") && !strings.Contains(name, ".")
}

// isAlias reports whether a name is one of Claude Code's model aliases (according to Claude Code's
// documentation), with or without the suffix for a longer context.
func isAlias(name string) bool {
	switch strings.TrimSuffix(name, "[1m]") {
	case "sonnet", "opus", "haiku", "inherit", "default", "opusplan", "best", "fable":
		return true
	}
	return false
}

// plugin describes a Claude Code plugin: the manifest and directories that the profile reads.
// Hooks, servers and the permission mode in a plugin's agent have no effect, according to Claude
// Code's documentation.
func plugin() *host.PluginExport {
	return &host.PluginExport{
		Manifest: ".claude-plugin/plugin.json", Marketplace: host.MarketplaceFile,
		Dir:     host.ComponentDirs(definition.Skill, definition.Command, definition.Agent),
		Servers: host.MCPJSON(), Root: host.SharedPluginRoot, Project: "${CLAUDE_PROJECT_DIR}/",
		Ignored: func(k definition.Kind) []string {
			if k == definition.Agent {
				return []string{"hooks", "mcpServers", "permissionMode"}
			}
			return nil
		},
		Basis: host.Documented, Source: "format notes, section 3.13; plugins reference",
	}
}
