// Package claude describes Claude Code. [Host] returns its profile and capabilities.
package claude

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// The Claude Code versions that were observed in the recorded cases. 2.1.329 and 2.1.330 differ in
// only one case (h91); see [clash].
const (
	newVersion = "2.1.330"
	oldVersion = "2.1.88"
)

// Session is the name of Claude Code's session format.
const Session = "claude-code"

func sessions() *host.Sessions {
	return &host.Sessions{Format: Session, Dir: ".claude", Env: configDirEnv, Files: []string{
		"projects/*/*.jsonl", "projects/*/*/subagents/*.jsonl",
	}}
}

// Host describes Claude Code.
func Host() host.Host {
	return host.Host{
		Name: "claude-code", Versions: []string{newVersion, "2.1.329", oldVersion}, View: View,
		Export: export, Servers: host.MCPJSON, Plugin: plugin, Permission: Permission,
		Connect:  connect,
		Client:   func(name string) bool { return name == "claude-code" || name == "claude code" },
		Variable: variable,
		Launch:   launch, Sessions: sessions,
	}
}

// connect returns the files for the scopes "project" and "user" in Claude Code's documentation. The
// user's file also stores servers in the scope "local" for each directory, but Vade does not write
// that scope.
func connect(string) host.Connect {
	return host.Connect{
		Project: []string{".mcp.json"}, User: []string{".claude.json"},
		Next: "start the host and allow the project's server when asked; to check, run /mcp in the host",
	}
}

// View returns Claude Code's profile as observed in a version.
func View(version string) *host.Profile {
	variables, roots := Variables, switched(roots(), version)
	if version == oldVersion {
		variables, roots = oldVariables, slices.DeleteFunc(roots, holdsWorkflows)
	}
	return &host.Profile{
		Facts:  slices.Concat(reading(version), fieldFacts(), showing(version)),
		Prompt: prompt(version), Listing: listing(version),
		Instructions: instructions(version), Settings: settings(version), Switches: host.AllSwitches,
		Toggles: toggles(version),
		Roots:   roots,
		Walk:    host.Walk{Modules: true, Git: true}, // h49; observed in 2.1.330
		// Outside a repository, Claude Code searches all parent directories (case m29).
		Ancestors: host.ToFilesystem,
		Fallbacks: []host.Fallback{{
			Files:  []string{"AGENTS.md"},
			Unless: []string{"CLAUDE.md", "CLAUDE.local.md"}, // h37, h96
		}},
		Plugins: &host.Plugins{
			Manifests: []host.Manifest{{Path: ".claude-plugin/plugin.json"}},
			Installed: Installed(),
			Root:      host.SharedPluginRoot,
			Keys:      manifestKeys(),
			CleanName: cleanName, RootSkillAlone: true,
		},
		// Users must include the plugin's name to call a plugin's command. Since 2.1.216, a
		// plugin's skill can be called by its frontmatter name alone (format notes, section 3.2).
		// It is inferred that this also applies to agents.
		BareName:            func(k definition.Kind) bool { return k == definition.Skill || k == definition.Agent },
		BareSecond:          version != oldVersion,
		SecondNames:         secondNames(version),
		PluginCommandsFirst: version != oldVersion, // 2.1.330
		Configs:             Configs,
		Hooks:               Hooks(),
		Approvals:           approvals(),
		MaxFile:             maxFile(version),
		Dialect:             dialect(version),
		AnyBytes:            true,
		// If the frontmatter is invalid, a skill or command loads without fields, and an agent does
		// not load (format notes, section 3.3).
		BrokenDrops: func(k definition.Kind) bool { return k == definition.Agent }, PluginBroken: true, // h88
		Fields: fields, Accepts: accepts,
		Variables: variables,
		UserDir:   ".claude", UserEnv: configDirEnv,
		// Commands in fenced code blocks run (recorded cases s20 and s30).
		ShellInCode: true,
		EmptyText:   empty,
		Described:   described,
		Refuses:     refuses,
		NameField:   func(k definition.Kind) bool { return k == definition.Agent || k == definition.Workflow },
		// A user's skill takes precedence over the project's (case m11). For agents (case m36) and
		// workflows, the order is reversed.
		Precedence: func(k definition.Kind) []definition.Layer {
			if k == definition.Agent || k == definition.Workflow {
				return []definition.Layer{definition.Managed, definition.Project, definition.User, definition.Plugin}
			}
			return []definition.Layer{definition.Managed, definition.User, definition.Project, definition.Plugin}
		},
		SharedNames: true, Clash: clash,
		// 2.1.88 ignored a nested skill if its name was already taken (case m27).
		NestedShadowed: version == oldVersion,
	}
}

// secondNames returns a function that reports whether a definition has a second name. In plugins,
// skills and commands have one. Outside plugins, only skills in skill directories have one (cases
// h51, h70 and h85).
func secondNames(version string) func(*definition.Definition) bool {
	if version == oldVersion {
		return nil
	}
	return func(d *definition.Definition) bool {
		return d.Origin.Plugin != "" || d.Kind == definition.Skill && !d.Origin.Legacy
	}
}

// clash returns how to resolve definitions with the same name in one directory. For agents, 2.1.330
// uses the one whose path sorts last (case h91). 2.1.329 used the last one in file system order,
// which Vade does not know. For workflows, both versions use the last one in file system order.
func clash(k definition.Kind) host.Clash {
	if k == definition.Agent || k == definition.Workflow {
		return host.LastWins
	}
	return host.FirstWins
}

func roots() []host.Root {
	var roots []host.Root
	scopes := []host.Root{
		{Layer: definition.Managed, Base: host.InManaged, Managed: ManagedDir()},
		{Layer: definition.User, Base: host.InHome, Env: configDirEnv},
		{Layer: definition.Project, Base: host.InProject},
	}
	for _, scope := range scopes {
		add := func(dir string, legacy bool, rules []host.Rule) {
			r := scope
			r.Dir, r.Legacy, r.Rules = dir, legacy, rules
			roots = append(roots, r)
		}
		add(".claude/skills", false, skillRules())
		add(".claude/commands", true, commandRules())
		add(".claude/agents", false, agentRules())
		if scope.Base != host.InManaged {
			add(".claude/workflows", false, host.WorkflowRules())
			roots[len(roots)-1].DiskOrder = true // of several files with the same name, the last one wins
		}
		add(".claude/rules", false, []host.Rule{{Kind: definition.Instruction, Suffix: ".md", Max: host.TreeDepth, Naming: host.ByPath}})
		roots[len(roots)-1].DiskOrder = true // h35
		switch scope.Base {
		case host.InManaged:
			add("", false, host.InstructionFile("CLAUDE.md"))
		case host.InHome:
			add(".claude", false, host.InstructionFile("CLAUDE.md"))
		default:
			add("", false, host.InstructionFile("CLAUDE.md"))
			add(".claude", false, host.InstructionFile("CLAUDE.md"))
			add("", false, host.InstructionFile("CLAUDE.local.md"))
			add("", false, host.InstructionFile("AGENTS.md"))
			add(".claude", false, host.InstructionFile("AGENTS.md"))
			// All instructions are also read above a repository (h64; AGENTS.md was observed in
			// 2.1.330). It is inferred that they are not read in the filesystem root.
			for i := len(roots) - 6; i < len(roots); i++ {
				roots[i].Above = true
			}
		}
	}
	return append(append(roots, host.PluginRoots(pluginCommandRules, skillRules)...), host.PluginWorkflows())
}

// holdsWorkflows reports whether a root contains workflows, which 2.1.88 did not have.
func holdsWorkflows(r host.Root) bool {
	_, ok := r.RuleFor(definition.Workflow)
	return ok
}

// skillRules selects files named exactly SKILL.md that are exactly one level deep (case m15).
func skillRules() []host.Rule {
	return []host.Rule{{Kind: definition.Skill, File: "SKILL.md", Min: 1, Max: 1, Boundary: true, Naming: host.ByDir}}
}

// commandRules selects commands at any depth. Directory names are joined with colons, and ".MD"
// files are not read. A SKILL.md, in any case, is a skill named after its directory. It hides the
// other files in the directory (cases m16 and h86), but not files in subdirectories (observed in
// 2.1.330).
func commandRules() []host.Rule {
	return []host.Rule{
		{Kind: definition.Skill, File: "SKILL.md", FoldCase: true, Max: host.TreeDepth, Covers: true, Naming: host.ByDirPath},
		{Kind: definition.Command, Suffix: ".md", Max: host.TreeDepth, Naming: host.ByPath},
	}
}

// pluginCommandRules is like commandRules, except that a SKILL.md is a command named after its
// directory (case h86). It also hides files in subdirectories (observed in 2.1.330).
func pluginCommandRules() []host.Rule {
	rules := commandRules()
	rules[0].Boundary, rules[0].Collated = true, true
	rules[0].Kind = definition.Command
	return rules
}

func agentRules() []host.Rule {
	return []host.Rule{{Kind: definition.Agent, Suffix: ".md", Max: host.TreeDepth}}
}

// accepts reports whether a key is spelled as the host expects. Each field has only one valid
// spelling (format notes, section 3.4). For agents, it is camel case.
func accepts(k definition.Kind, f definition.Field, key string) bool {
	switch k {
	case definition.Agent:
		switch f {
		case definition.FieldDisallowedTools:
			return key == "disallowedTools"
		case definition.FieldMCPServers:
			return key == "mcpServers"
		case definition.FieldWhenToUse:
			// Only plugins accept this key (case h88).
			return key == "when-to-use"
		}
		return key == f.Key()
	case definition.Instruction:
		// The only field that makes a rule conditional is paths; globs and applyTo are ignored
		// (case f15).
		return f == definition.FieldPaths && key == "paths"
	case definition.Command:
		// A command is named after its file and does not support paths.
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

// described returns the description rules. If a description is missing, the first line that
// replaces it has at most 100 characters (case h76). An agent's description keeps its whitespace,
// and `\n` in it is a line break, because that is how Claude Code's own editor writes line breaks
// (case h73). In a plugin's agent, `\n` is literal text, surrounding whitespace is removed (case
// d38), and a missing description is replaced (case h88).
func described(k definition.Kind) host.DescriptionRule {
	if k != definition.Agent {
		return host.DescriptionRule{LineMax: 100}
	}
	return host.DescriptionRule{
		Clean:         func(s string) string { return strings.ReplaceAll(s, `\n`, "\n") },
		CleanInPlugin: host.Trimmed,
		Missing:       host.MissingNothing,
		Default: func(d *definition.Definition) string {
			if d.Origin.Plugin == "" {
				return ""
			}
			return cmp.Or(d.Fields.WhenToUse(), "Agent from "+d.Origin.Plugin+" plugin")
		},
	}
}

func empty(k definition.Kind) string {
	switch k {
	case definition.Skill:
		return "Skill"
	case definition.Command:
		return "Custom command"
	}
	return ""
}

// refuses returns the reason why an agent is not loaded. An agent needs a description, and a name
// that does not contain a colon or start with a hyphen (see cases m36 and m54 and the format notes,
// section 3.2). A plugin's agent without a name is named after its file (same section).
func refuses(d *definition.Definition) string {
	if d.Kind != definition.Agent {
		return ""
	}
	switch {
	case d.Fields.Name == "" && d.Origin.Plugin == "":
		return "an agent without a name in its frontmatter is treated as documentation"
	case d.Description == "":
		return "an agent without a description is not loaded"
	case strings.Contains(d.Fields.Name, ":"), strings.HasPrefix(d.Fields.Name, "-"):
		return "an agent's name must not contain a colon or start with a hyphen"
	}
	return ""
}

// configDirEnv is the variable that overrides the user's configuration directory.
const configDirEnv = "CLAUDE_CONFIG_DIR"

// Variables returns a map from the names of the available variables to their values. The skill's
// directory is available only in skills, and the plugin's only in plugins (see cases v01 and v02
// and the format notes, section 3.7).
func Variables(p host.Places) map[string]string {
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

// oldVariables returns the variables in 2.1.88, which had none for the project and the effort
// (cases v01 and v02).
func oldVariables(p host.Places) map[string]string {
	p.Project, p.Effort = "", ""
	return Variables(p)
}

// manifestKeys returns the keys in plugin.json. Only the name is required. A value of the wrong
// type makes the plugin invalid. Paths begin with "./" (format notes, section 3.13).
// "experimental", "metadata" and unknown keys accept any value. Types that the format notes do not
// give are inferred from the key's purpose.
func manifestKeys() []host.ManifestKey {
	const paths = host.ManifestPath | host.ManifestPaths
	const inline = paths | host.ManifestObject | host.ManifestList
	return []host.ManifestKey{
		{Name: "name", Types: host.ManifestText, Required: true},
		{Name: "version", Types: host.ManifestText},
		{Name: "description", Types: host.ManifestText},
		{Name: "author", Types: host.ManifestObject},
		{Name: "homepage", Types: host.ManifestText},
		{Name: "repository", Types: host.ManifestText},
		{Name: "license", Types: host.ManifestText},
		{Name: "keywords", Types: host.ManifestTexts},
		{Name: "skills", Types: paths},
		{Name: "commands", Types: paths | host.ManifestCommands},
		{Name: "agents", Types: paths | host.ManifestMarkdown}, // 2.1.330
		{Name: "workflows", Types: paths},
		{Name: "outputStyles", Types: paths},
		{Name: "hooks", Types: inline},
		{Name: "mcpServers", Types: inline},
		{Name: "lspServers", Types: inline},
		{Name: "userConfig", Types: host.ManifestObject},
		{Name: "channels", Types: host.ManifestList},
		{Name: "dependencies", Types: host.ManifestList},
		{Name: "defaultEnabled", Types: host.ManifestFlag},
	}
}

// cleanName returns the name for a plugin's skill. It keeps ASCII letters, digits, hyphens and
// underscores, and replaces every other UTF-16 unit with a hyphen (observed in 2.1.330).
func cleanName(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z':
			b.WriteRune(r)
		case r > 0xffff:
			b.WriteString("--")
		default:
			b.WriteByte('-')
		}
	}
	return b.String()
}

// Installed describes the user's plugins. A plugin is read only if its marketplace is known and
// lists the plugin (cases h74 and h75; observed in 2.1.330).
func Installed() host.Installed {
	return host.Installed{
		File: ".claude/plugins/installed_plugins.json", Env: configDirEnv,
		Known: ".claude/plugins/known_marketplaces.json", Marketplaces: []string{host.MarketplaceFile},
		UserSettings:    []string{".claude/settings.json"},
		ProjectSettings: []string{".claude/settings.json", ".claude/settings.local.json"},
	}
}

// Configs returns the files that contain hooks and servers. The user's file also contains servers
// for individual projects, which take precedence over the project's own servers. Claude Code's
// documentation calls them servers in the scope "local".
func Configs() []host.Config {
	project, user, plugin, managed := definition.Project, definition.User, definition.Plugin, definition.Managed
	local := host.ServersIn(user, host.InHome, ".claude.json", host.MCPJSON()).MovedBy(configDirEnv, host.EnvHome)
	local.ForProject, local.First = "projects", true
	return []host.Config{
		host.HooksIn(managed, host.InManaged, "managed-settings.json", Hooks()).InManaged(ManagedDir()),
		host.ServersIn(managed, host.InManaged, "managed-mcp.json", host.MCPJSON()).InManaged(ManagedDir()),
		host.HooksIn(project, host.InProject, ".claude/settings.json", Hooks()),
		host.HooksIn(project, host.InProject, ".claude/settings.local.json", Hooks()),
		host.ServersIn(project, host.InProject, ".mcp.json", host.MCPJSON(), "servers", "."),
		host.HooksIn(user, host.InHome, ".claude/settings.json", Hooks()).MovedBy(configDirEnv, 0),
		local,
		host.ServersIn(user, host.InHome, ".claude.json", host.MCPJSON()).MovedBy(configDirEnv, host.EnvHome),
		host.ServersIn(plugin, host.InPlugin, ".mcp.json", host.MCPJSON(), "."),
		host.HooksIn(plugin, host.InPlugin, "hooks/hooks.json", Hooks()),
	}
}

// ManagedDir returns the directory where administrators put definitions
// (format notes, section 3.1).
func ManagedDir() *host.ManagedDir {
	return &host.ManagedDir{
		Linux: "/etc/claude-code", Darwin: "/Library/Application Support/ClaudeCode", Windows: "C:/Program Files/ClaudeCode",
	}
}

// dialect describes how Claude Code reads frontmatter (see its rows in the frontmatter matrix).
func dialect(version string) host.Dialect {
	d := host.Dialect{
		References: host.Anchors | host.MergeKeys,
		Delimiters: host.Delimiters{BOM: true, TrailingSpace: true, CRLF: true, CloserAnywhere: true, NeedsLF: true},
		Repair:     host.RepairValues, Unrepaired: host.FlawQuote | host.FlawDash, DuplicateKeys: true,
		// Only whitespace separates names, so in "file, mode" the first name is "file," (observed
		// in case a32). A plain number is converted to a string ("number → string", format notes,
		// section 3.3). It is inferred that this loses the number's original spelling.
		NamesByWhitespace: true, Numbers: true,
	}
	if version == oldVersion {
		// 2.1.88 treated a byte order mark as text (case m19) and ignored a block with a duplicate
		// key (format notes, observation on m07).
		d.Delimiters.BOM, d.DuplicateKeys, d.StrictBools = false, false, true
	}
	return d
}

// maxFile returns the maximum file size in bytes. A file of 1,000,000 bytes loads, but a larger
// file does not (case m60). 2.1.88 had no limit (cases m45, m50, m51 and m60), so Vade's own limit
// applies.
func maxFile(version string) int64 {
	if version == oldVersion {
		return 64 << 20
	}
	return 1_000_000
}
