package host

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// The versions of Claude Code that were observed; the cases are those of the
// recordings.
const claudeOld = "2.1.88"

// ClaudeCodeSession is the format in which it writes sessions down.
const ClaudeCodeSession = "claude-code"

// claudeHost is Claude Code.
func claudeHost() Host {
	return Host{
		Name: "claude-code", Versions: []string{"2.1.329", claudeOld}, View: claudeView,
		Export: claudeExport, Servers: mcpJSON, Plugin: claudePlugin, Permission: claudePermission,
		Connect:  claudeConnect,
		Client:   func(name string) bool { return name == "claude-code" || name == "claude code" },
		Variable: claudeVariable,
	}
}

// claudeConnect: documented, the scopes project and user. The scope "local" is a part
// of the user's file that is named after one directory, and is not written.
func claudeConnect(string) Connect {
	return Connect{
		Project: []string{".mcp.json"}, User: []string{".claude.json"},
		Next: "it asks at its next start whether the server of the project may be used; see /mcp",
	}
}

// claudeView is Claude Code as it was observed at a version.
func claudeView(version string) *Profile {
	variables := claudeVariables
	if version == claudeOld {
		variables = claudeOldVariables
	}
	return &Profile{
		Facts:  slices.Concat(claudeReading(version), claudeFieldFacts(), claudeShowing(version)),
		Prompt: claudePrompt(version), Listing: claudeListing(version),
		Instructions: claudeInstructions(version), Settings: claudeSettings(version), Switches: AllSwitches,
		Roots: claudeSwitched(claudeRoots(), version),
		// Without a repository the parents are walked all the same (m29).
		Ancestors: ToFilesystem,
		Fallbacks: []Fallback{{
			Files:  []string{"AGENTS.md"},
			Unless: []string{"CLAUDE.md"},
		}},
		Plugins: &Plugins{
			Manifests: []Manifest{{Path: ".claude-plugin/plugin.json"}},
			Installed: claudeInstalled(),
			Root:      sharedPluginRoot,
			Keys:      claudeManifestKeys(),
		},
		// Bare "/c1" does not find a plugin's command, bare "/fancy" finds its
		// skill by the name of the frontmatter since 2.1.216 (formats dossier,
		// section 3.2). That agents are found is inferred.
		BareName:   func(k definition.Kind) bool { return k != definition.Command },
		BareSecond: version != claudeOld,
		Configs:    claudeConfigs(),
		Approvals:  claudeApprovals(),
		MaxFile:    claudeMaxFile(version),
		Dialect:    claudeDialect(version),
		AnyBytes:   true,
		// Broken frontmatter leaves a skill or command without fields; an agent
		// is not loaded (formats dossier, section 3.3).
		BrokenDrops: func(k definition.Kind) bool { return k == definition.Agent },
		Fields:      claudeFields, Accepts: claudeAccepts,
		Variables: variables,
		UserDir:   ".claude", UserEnv: claudeConfigDir,
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
		// Of two nested skills of one name 2.1.88 had the first (m27).
		NestedShadowed: version == claudeOld,
	}
}

func claudeRoots() []Root {
	var roots []Root
	scopes := []Root{
		{Layer: definition.Managed, Base: InManaged, Managed: claudeManaged()},
		{Layer: definition.User, Base: InHome, Env: claudeConfigDir},
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
			// These are documented to be read in all directories above (formats
			// dossier, section 3.1); that the root of the file system is none of
			// them, and that other places end at the top of the repository there
			// too, is inferred.
			for i := len(roots) - 3; i < len(roots); i++ {
				roots[i].Above = true
			}
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
// a description (m36, m54; formats dossier, section 3.2). One of a plugin has the
// name of its file where it has none of its own (the same section).
func claudeRefuses(d *definition.Definition) string {
	if d.Kind != definition.Agent {
		return ""
	}
	switch {
	case d.Fields.Name == "" && d.Origin.Plugin == "":
		return "an agent without a name in its frontmatter is taken for documentation"
	case d.Fields.Description == "":
		return "an agent without a description is not loaded"
	case strings.Contains(d.Fields.Name, ":"), strings.HasPrefix(d.Fields.Name, "-"):
		return "an agent's name may not hold a colon or begin with a hyphen"
	case d.Fields.Name == claudeGeneralAgent:
		return "the name is that of an agent of the host's own"
	}
	return ""
}

// claudeConfigDir moves the user's directory.
const claudeConfigDir = "CLAUDE_CONFIG_DIR"

// claudeVariables: the skill's directory in skills only, the plugin's in plugins
// only (v01, v02; formats dossier, section 3.7).
func claudeVariables(p Places) map[string]string {
	data := ""
	if p.Plugin != "" && p.Config != "" && p.PluginID != "" {
		data = p.Config + "/plugins/data/" + p.PluginID
	}
	names := map[string]string{}
	for name, value := range map[string]string{
		"CLAUDE_SKILL_DIR": p.Skill, "CLAUDE_PROJECT_DIR": p.Project, "CLAUDE_PLUGIN_ROOT": p.Plugin,
		"CLAUDE_PLUGIN_DATA": data, "CLAUDE_SESSION_ID": p.Session, "CLAUDE_EFFORT": p.Effort,
	} {
		if value != "" {
			names[name] = value
		}
	}
	return names
}

// claudeOldVariables: 2.1.88 did not know the project and the effort (v01, v02).
func claudeOldVariables(p Places) map[string]string {
	p.Project, p.Effort = "", ""
	return claudeVariables(p)
}

// claudeManifestKeys are the keys of plugin.json: the name alone is required, a
// value of another type makes the plugin fail, and paths begin with "./"
// (formats dossier, section 3.13). "experimental" and "metadata" may be anything,
// as may a key that is not known. The types of those that section does not spell
// out are inferred from what they are for.
func claudeManifestKeys() []ManifestKey {
	const paths = ManifestPath | ManifestPaths
	const inline = paths | ManifestObject | ManifestList
	return []ManifestKey{
		{Name: "name", Types: ManifestText, Required: true},
		{Name: "version", Types: ManifestText},
		{Name: "description", Types: ManifestText},
		{Name: "author", Types: ManifestObject},
		{Name: "homepage", Types: ManifestText},
		{Name: "repository", Types: ManifestText},
		{Name: "license", Types: ManifestText},
		{Name: "keywords", Types: ManifestTexts},
		{Name: "skills", Types: paths},
		{Name: "commands", Types: paths | ManifestObject},
		{Name: "agents", Types: paths},
		{Name: "workflows", Types: paths},
		{Name: "outputStyles", Types: paths},
		{Name: "hooks", Types: inline},
		{Name: "mcpServers", Types: inline},
		{Name: "lspServers", Types: inline},
		{Name: "userConfig", Types: ManifestObject},
		{Name: "channels", Types: ManifestList},
		{Name: "dependencies", Types: ManifestList},
		{Name: "defaultEnabled", Types: ManifestFlag},
	}
}

func claudeInstalled() Installed {
	return Installed{
		File: ".claude/plugins/installed_plugins.json", Env: claudeConfigDir,
		UserSettings:    []string{".claude/settings.json"},
		ProjectSettings: []string{".claude/settings.json", ".claude/settings.local.json"},
	}
}

// claudeConfigs: the user's entries for one project stand in the file of the user, and
// win over those of the project (documented as the scope "local").
func claudeConfigs() []Config {
	project, user, plugin, managed := definition.Project, definition.User, definition.Plugin, definition.Managed
	local := serversIn(user, InHome, ".claude.json", mcpJSON()).movedBy(claudeConfigDir, EnvHome)
	local.ForProject, local.First = "projects", true
	return []Config{
		hooksIn(managed, InManaged, "managed-settings.json").inManaged(claudeManaged()),
		serversIn(managed, InManaged, "managed-mcp.json", mcpJSON()).inManaged(claudeManaged()),
		hooksIn(project, InProject, ".claude/settings.json"),
		hooksIn(project, InProject, ".claude/settings.local.json"),
		serversIn(project, InProject, ".mcp.json", mcpJSON(), "servers", "."),
		hooksIn(user, InHome, ".claude/settings.json").movedBy(claudeConfigDir, 0),
		local,
		serversIn(user, InHome, ".claude.json", mcpJSON()).movedBy(claudeConfigDir, EnvHome),
		serversIn(plugin, InPlugin, ".mcp.json", mcpJSON(), "."),
		hooksIn(plugin, InPlugin, "hooks/hooks.json"),
	}
}

// claudeManaged is where administrators place definitions (formats dossier, section
// 3.1).
func claudeManaged() *ManagedDir {
	return &ManagedDir{
		Linux: "/etc/claude-code", Darwin: "/Library/Application Support/ClaudeCode", Windows: "C:/Program Files/ClaudeCode",
	}
}

// claudeDialect is how Claude Code reads frontmatter (rows of the frontmatter
// matrix).
func claudeDialect(version string) Dialect {
	d := Dialect{
		Delimiters: Delimiters{BOM: true, TrailingSpace: true, CRLF: true, CloserAnywhere: true, NeedsLF: true},
		Repair:     RepairValues, Beyond: FlawQuote, DuplicateKeys: true,
		// Of "file, mode" the first name is "file," (observation of case a32). That
		// numbers lose their spelling is inferred: the value was a number before
		// it was text ("number → string", formats dossier, section 3.3).
		NamesByBlanks: true, Numbers: true,
	}
	if version == claudeOld {
		// A byte order mark was text (m19), and of two equal keys none counted
		// (formats dossier, observation of m07).
		d.Delimiters.BOM, d.DuplicateKeys, d.StrictBools = false, false, true
	}
	return d
}

// claudeMaxFile is the length in bytes above which a file is not loaded: one of
// 1,000,000 loads, one of 1,000,001 does not (m60). 2.1.88 had no limit (m45,
// m50, m51, m60); Vade's own for a single file stands in.
func claudeMaxFile(version string) int64 {
	if version == claudeOld {
		return 64 << 20
	}
	return 1_000_000
}
