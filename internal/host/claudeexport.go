package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// claudeExport is how definitions are written for Claude Code. The places and
// fields are those that its profile reads, all observed.
func claudeExport() *Export {
	return &Export{
		Place: func(k definition.Kind) *ExportPlace {
			switch k {
			case definition.Skill:
				return &ExportPlace{Dir: ".claude/skills", File: "SKILL.md", Join: "-"}
			case definition.Command:
				return &ExportPlace{Dir: ".claude/commands", Suffix: ".md", Join: "/"}
			case definition.Agent:
				return &ExportPlace{Dir: ".claude/agents", Suffix: ".md", Join: "-", Name: true}
			}
			return nil
		},
		Syntax: claudeSyntax,
		Tools: &ExportTools{
			Name:   sameTool,
			Server: mcpToolName, Rules: true,
		},
		Model: claudeModel,
		Instructions: &ExportInstructions{
			Whole: "CLAUDE.md", Nested: true, Imports: true, Dir: ".claude/rules", Suffix: ".md", Paths: "paths", List: true,
		},
		Basis: Observed, Source: "m11, m15, m16, m36, f15",
	}
}

// claudeSyntax is that of section 3.6 to 3.9 of the formats dossier.
func claudeSyntax(k definition.Kind) *Syntax {
	if k == definition.Agent || k == definition.Instruction {
		return nil
	}
	return &Syntax{
		Scanned: true, All: "$ARGUMENTS", Positions: true, Named: true, Escapes: true, Appended: true,
		ShellOpen: "!`", ShellClose: "`", BlockOpen: "```!\n", BlockClose: "\n```", ShellAll: "$ARGUMENTS",
		FileOpen: "@", Lines: true,
		Variable: func(v Variable) string {
			if v == SkillDir && k != definition.Skill {
				return ""
			}
			return claudeVariable(v)
		},
	}
}

func claudeVariable(v Variable) string {
	switch v {
	case SkillDir:
		return "CLAUDE_SKILL_DIR"
	case ProjectDir:
		return "CLAUDE_PROJECT_DIR"
	case PluginDir:
		return "CLAUDE_PLUGIN_ROOT"
	case SessionID:
		return "CLAUDE_SESSION_ID"
	}
	return ""
}

// claudeModel: aliases and names are taken as they are (documented). A name with
// the provider before it is that of opencode.
func claudeModel(name string) (string, bool) {
	if isClaudeAlias(name) {
		return name, true
	}
	name = strings.TrimPrefix(name, "anthropic/")
	return name, strings.HasPrefix(name, "claude-") && !strings.Contains(name, ".")
}

// isClaudeAlias: the aliases of Claude Code (documented), also with the mark of a
// longer context behind them.
func isClaudeAlias(name string) bool {
	switch strings.TrimSuffix(name, "[1m]") {
	case "sonnet", "opus", "haiku", "inherit", "default", "opusplan", "best", "fable":
		return true
	}
	return false
}

// claudePlugin is a plugin of Claude Code: its manifest and directories as the
// profile reads them. That the hooks, servers and mode of permission of a plugin's
// agent have no effect is documented.
func claudePlugin() *PluginExport {
	return &PluginExport{
		Manifest: ".claude-plugin/plugin.json", Marketplace: marketplaceFile,
		Dir:     componentDirs(definition.Skill, definition.Command, definition.Agent),
		Servers: mcpJSON(), Root: sharedPluginRoot, Project: "${CLAUDE_PROJECT_DIR}/",
		Ignored: func(k definition.Kind) []string {
			if k == definition.Agent {
				return []string{"hooks", "mcpServers", "permissionMode"}
			}
			return nil
		},
		Basis: Documented, Source: "formats dossier, section 3.13; plugins reference",
	}
}
