// Package copilotcli describes the GitHub Copilot CLI. [Host] returns its profile and capabilities.
package copilotcli

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/pathmatch"
)

// Host describes the GitHub Copilot CLI.
func Host() host.Host {
	return host.Host{
		Name: "copilot-cli", Versions: []string{"1.0.102"}, View: view,
		Export: Export, Servers: servers, Plugin: plugin, Connect: connect,
		Client: client, Tools: NeutralTools, AgentServers: agentServers,
		Launch: launch, Sessions: sessions, SDK: options,
	}
}

// client reports whether Copilot uses the given name when it connects to MCP servers. All products
// that embed Copilot's agent use the same name, so Vade treats them as the CLI.
func client(name string) bool {
	switch name {
	case "github-copilot-developer", "copilot-cli", "github-copilot-cli":
		return true
	}
	return false
}

func view(string) *host.Profile {
	return &host.Profile{
		Facts:     facts(),
		Roots:     roots(),
		Ancestors: host.ToFilesystem,
		MaxFile:   1 << 20,
		Walk:      host.Walk{SkipHidden: true, Modules: true, Stops: true},
		Trust: host.Trust{
			Needed: true, How: "answer yes when the host asks whether to trust the directory, or start the host with --allow-all", Basis: host.Documented,
		},
		Plugins: &host.Plugins{
			Manifests: []host.Manifest{
				{Path: ".plugin/plugin.json"}, {Path: "plugin.json"}, {Path: ".github/plugin/plugin.json"}, {Path: ".claude-plugin/plugin.json"},
			},
			Root: host.SharedPluginRoot,
			Installed: host.Installed{
				File: ".copilot/config.json", Env: homeEnv, Listed: true,
				UserSettings: []string{".copilot/settings.json"},
				Marketplaces: []string{".github/plugin/marketplace.json", host.MarketplaceFile},
			},
		},
		Configs: Configs,
		// If several servers have the same name, the last one loaded is used, according to Copilot
		// CLI's documentation. The loading order is user, project, plugins.
		ServerLayers: []definition.Layer{definition.Managed, definition.Plugin, definition.Project, definition.User},
		UserDir:      ".copilot", UserEnv: homeEnv,
		Dialect: dialect(),
		// According to the documentation, "*.py" matches only in the project root, and "src/*.py"
		// matches only in src itself. A pattern that matches all files makes the instructions apply
		// everywhere only if the file has no other patterns (case i07).
		Patterns: pathmatch.Form{Globs: true, Everywhere: []string{"**", "**/*", "*"}, Alone: true},
		Fields:   fields, Naming: naming, Described: described,
		DeepAlike: true, SharedNames: true, Clash: clash, Renamed: renamed,
		NameField:    func(k definition.Kind) bool { return host.Slash(k) != "" },
		Refuses:      refuses,
		EmptyText:    func(definition.Kind) string { return "" },
		BrokenDrops:  func(definition.Kind) bool { return true },
		MaxBody:      maxBody,
		Precedence:   precedence,
		Prompt:       prompt(),
		Listing:      listing(),
		Instructions: instructions(),
		Unread:       settings(),
		Toggles:      host.Toggles{Skills: host.ToggleIn(settings(), "disabledSkills")}, Adaptations: adaptations(),
		Switches: host.SwitchTouched,
	}
}

func facts() []host.Fact {
	return []host.Fact{
		{Cell: host.CellRoots, Basis: host.Observed, Text: "Reads skills from .github/skills, .agents/skills and .claude/skills in the project, in this order, then from ~/.copilot/skills and ~/.agents/skills, but not from ~/.claude/skills.", From: "n01"},
		{Cell: host.CellRoots, Basis: host.Documented, Text: "Parent directories come next, up to the repository root.", From: "format notes, section 5.1"},
		{Cell: host.CellRoots, Basis: host.Documented, Text: "COPILOT_SKILLS_DIRS is a comma-separated list of additional directories, which come last. COPILOT_HOME overrides ~/.copilot.", From: "format notes, section 5.1; command reference"},
		{Cell: host.CellRoots, Basis: host.Documented, Text: "A directory is a plugin if it has .plugin/plugin.json, plugin.json, .github/plugin/plugin.json or .claude-plugin/plugin.json. The first of these that exists is used.", From: "format notes, section 5.1"},
		{Cell: host.CellRoots, Basis: host.Observed, Text: "Reads the plugins listed in installedPlugins in ~/.copilot/config.json, and those in the local marketplaces listed in ~/.copilot/settings.json. If settings.json contains enabledPlugins, only the marketplace plugins set to true there are read.", From: "p01"},
		{Cell: host.CellWalk, Basis: host.Observed, Text: "Searches at any depth, including node_modules, but neither below a directory with a SKILL.md nor in hidden directories.", From: "n09, rows d7, .hid and node_modules/nm"},
		{Cell: host.CellWalk, Basis: host.Observed, Text: "A SKILL.md directly in a skills directory hides all other skills there.", From: "n15"},
		{Cell: host.CellWalk, Basis: host.Observed, Text: "Symlinks are followed.", From: "rows dirlink and filelink"},
		{Cell: host.CellDelimiters, Basis: host.Observed, Text: "The first line must be \"---\", optionally preceded by a byte order mark and followed by spaces. A skill without frontmatter is not loaded.", From: "rows blank, bom, nofm, tailo"},
		{Cell: host.CellYAML, Basis: host.Observed, Text: "Invalid YAML is not repaired, and a duplicate key is an error.", From: "rows anch, at, bracket, quote; n09"},
		{Cell: host.CellYAML, Basis: host.Documented, Text: "Instruction files may contain unquoted patterns.", From: "changelog of 1.0.48"},
		{Cell: host.CellAgents, Basis: host.Observed, Text: "Reads *.md and *.agent.md in .github/agents, .claude/agents and ~/.copilot/agents.", From: "n06"},
		{Cell: host.CellAgents, Basis: host.Documented, Text: "If two agents have the same name, the user's wins over the project's. In the project, the one nearest to the working directory wins.", From: "a02; format notes, section 5.1"},
		{Cell: host.CellTrust, Basis: host.Documented, Text: "Before a conversation, asks whether you trust the directory, and reads the project's files only if you do.", From: "command reference"},
		{Cell: host.CellCommands, Basis: host.Observed, Text: "Files in .claude/commands are exposed to the model as skills; .github/prompts is not read.", From: "n05, n05-1"},
		{Cell: host.CellRendering, Basis: host.Observed, Text: "A skill invocation on the command line is sent as plain text.", From: "n05, n07"},
		{Cell: host.CellRendering, Basis: host.Observed, Text: "The skill tool returns the body unchanged, along with the skill's directory and the names of the files in it. Placeholders are not expanded, and no commands run.", From: "n08"},
		{Cell: host.CellRendering, Basis: host.Observed, Text: "In interactive mode, an invocation sends 'The user explicitly invoked the \"/NAME\" skill. Follow its instructions now.' followed by the body, with $ARGUMENTS, $ARGUMENTS[0] and $0 replaced. If the body has no placeholder, the arguments are appended to it.", From: "observations of 1.0.102"},
		{Cell: host.CellFields, Basis: host.Observed, Text: "A skill with an invalid value is reported and not loaded. Invalid values include a description that is not a string or is longer than 1,024 characters, a boolean other than true or false, a list for argument-hint, and a map among the tools.", From: "rows desc1600, listdesc, yesbool; n09; format notes, section 5.1"},
		{Cell: host.CellFields, Basis: host.Observed, Text: "If the description is missing, the first three lines of the body that are not headings are used instead.", From: "row nodesc; n09"},
		{Cell: host.CellFields, Basis: host.Documented, Text: "An agent requires a description, and its body is limited to 30,000 characters. Vade loads an agent regardless of its target field.", From: "custom-agents-configuration"},
		{Cell: host.CellNames, Basis: host.Observed, Text: "The name of a skill or command comes from its frontmatter, or from its directory or file if the frontmatter has no name. Spaces are replaced with hyphens.", From: "rows mism, noname, spname"},
		{Cell: host.CellNames, Basis: host.Observed, Text: "A name must start with an ASCII letter or digit, may also contain \"-\", \"_\", \".\", \":\" and spaces, and must not be longer than 64 characters. A number is not a valid name.", From: "rows badname, numname, nnn"},
		{Cell: host.CellNames, Basis: host.Inferred, Text: "A directory name used as a fallback must follow the same rules."},
		{Cell: host.CellNames, Basis: host.Observed, Text: "A plugin's agents are named PLUGIN:FILE. Its skills and commands keep their names, but if two plugins have a skill with the same name, those skills are named PLUGIN:NAME.", From: "p01"},
		{Cell: host.CellClashes, Basis: host.Observed, Text: "The first one found wins; a skill wins over a command.", From: "observations on n11; n05"},
		{Cell: host.CellListing, Basis: host.Observed, Text: "Lists skills and the commands in .claude/commands in one list, with escaped text.", From: "n05, n09"},
		{Cell: host.CellListing, Basis: host.Observed, Text: "In a test with 300 skills, 37 kept their descriptions and the others were listed by name only.", From: "n14"},
		{Cell: host.CellListing, Basis: host.Observed, Text: "Sort order: project skills, then user and plugin skills, then commands, each group sorted by name. Limited to 15,000 characters, or to SKILL_CHAR_BUDGET if it is set; entries beyond the limit are listed by name only.", From: "h01 to h22, n14"},
		{Cell: host.CellListing, Basis: host.Observed, Text: "Agents are listed in tool definitions.", From: "n06"},
		{Cell: host.CellListing, Basis: host.Inferred, Text: "Each agent is listed with its name and description."},
		{Cell: host.CellInstructions, Basis: host.Observed, Text: "Reads AGENTS.md, CLAUDE.md, GEMINI.md, .github/copilot-instructions.md, .github/instructions, .claude/rules, ~/.copilot/copilot-instructions.md and ~/.copilot/instructions.", From: "n02, n03, n04"},
		{Cell: host.CellInstructions, Basis: host.Observed, Text: "Files imported by AGENTS.md and CLAUDE.md are sent; files imported by GEMINI.md are not.", From: "n02"},
		{Cell: host.CellInstructions, Basis: host.Observed, Text: "A file with applyTo: \"**\" or without applyTo is always sent; a file with another pattern is not sent at the start.", From: "n02"},
		{Cell: host.CellInstructions, Basis: host.Documented, Text: "Patterns are globs relative to the project: *.py matches in the project root, src/*.py in that directory, **/*.py at any depth.", From: "adding repository custom instructions"},
		{Cell: host.CellInstructions, Basis: host.Inferred, Text: "Patterns are case-sensitive."},
		{Cell: host.CellInstructions, Basis: host.Observed, Text: "Files are sent in this order: the user's file, .github/copilot-instructions.md, the files in the repository root, those in the working directory, those in the directories between the two (nearest first), and the rules. Files with identical content are sent only once.", From: "i05, i07, i10"},
		{Cell: host.CellInstructions, Basis: host.Observed, Text: "Files are sent unchanged, including frontmatter. An imported file is inserted after its import, up to 8 levels deep and 64 files; imports in GEMINI.md and rules are ignored. Rules with other patterns are listed in a table. Files whose excludeAgent lists cloud-agent or coding-agent are omitted.", From: "i03, i07"},
	}
}

// roots returns the directories in the order given in the format notes, section 5.1. The host reads
// plugins between the user's directories and COPILOT_SKILLS_DIRS.
func roots() []host.Root {
	skill := host.WholeSkill(0, host.AnyDepth)
	skill.Exclusive = true
	markdown := []host.Rule{
		host.FilesEndingIn(definition.Agent, ".agent.md", host.AnyDepth, host.ByPath), host.FilesEndingIn(definition.Agent, ".md", host.AnyDepth, host.ByPath),
	}
	instructions := host.FilesEndingIn(definition.Instruction, ".instructions.md", host.TreeDepth, host.ByPath)
	return host.JoinRoots(
		host.PlacesIn(definition.Project, host.InProject).
			Dir(".github/skills", skill).Dir(".agents/skills", skill).Dir(".claude/skills", skill).
			Dir(".claude/commands", host.FilesEndingIn(definition.Command, ".md", 0, host.ByStem)).
			Last(func(r *host.Root) { r.Legacy = true }).
			Dir(".github/agents", markdown...).Dir(".claude/agents", markdown...).
			File(".github/copilot-instructions.md").Dir(".github/instructions", instructions).
			Dir(".claude/rules", host.FilesEndingIn(definition.Instruction, ".md", host.TreeDepth, host.ByPath)).
			File("AGENTS.md").File("CLAUDE.md").File(".claude/CLAUDE.md").File("GEMINI.md"),
		host.PlacesIn(definition.User, host.InHome).MovedBy(homeEnv, 0).
			Dir(".copilot/skills", skill).Dir(".copilot/agents", markdown...).
			File(".copilot/copilot-instructions.md").Dir(".copilot/instructions", instructions),
		host.PlacesIn(definition.User, host.InHome).Dir(".agents/skills", skill),
		host.PlacesIn(definition.User, host.InEnv).MovedBy("COPILOT_SKILLS_DIRS", 0).Dir("", skill),
		host.PlacesIn(definition.User, host.InEnv).MovedBy("COPILOT_CUSTOM_INSTRUCTIONS_DIRS", 0).
			File("AGENTS.md").Dir(".github/instructions", instructions),
		host.PlacesIn(definition.Plugin, host.InPlugin).Plain().
			Dir("skills", skill).Last(host.OfPlugin("skills", true)).
			Dir("agents", host.FilesEndingIn(definition.Agent, ".agent.md", 0, host.ByStem), host.FilesEndingIn(definition.Agent, ".md", 0, host.ByStem)).
			Last(host.OfPlugin("agents", true)).Last(func(r *host.Root) { r.PlainNames = false }).
			Dir("commands", host.FilesEndingIn(definition.Command, ".md", 0, host.ByStem)).Last(host.OfPlugin("commands", true)),
	)
}

// Session is the name of Copilot CLI's session format.
const Session = "copilot-cli"

func sessions() *host.Sessions {
	return &host.Sessions{Format: Session, Dir: ".copilot", Env: homeEnv, Files: []string{"session-state/*/events.jsonl"}}
}

// homeEnv is the environment variable that overrides ~/.copilot.
const homeEnv = "COPILOT_HOME"

func dialect() host.Dialect {
	return host.Dialect{
		References: host.Anchors,
		Delimiters: host.Delimiters{BOM: true, TrailingSpace: true, CRLF: true, NeedsLF: true, NoLastLF: true}, Needed: host.IsSkill,
		// Patterns in instruction files do not need quotes (according to the documentation for
		// 1.0.48).
		Other: func(k definition.Kind, d host.Dialect) host.Dialect {
			switch k {
			case definition.Instruction:
				d.Repair = host.RepairValues
			case definition.Agent:
				d.Delimiters.NoLastLF = false
			}
			return d
		},
	}
}

// precedence orders the layers. If several agents have the same path, the user's takes precedence
// (case a02).
func precedence(k definition.Kind) []definition.Layer {
	if k == definition.Agent {
		return []definition.Layer{definition.Managed, definition.User, definition.Project, definition.Plugin}
	}
	return []definition.Layer{definition.Managed, definition.Project, definition.User, definition.Plugin}
}

// fields returns the fields for the given kind. A skill or agent with an invalid value is dropped
// and reported (agents: a03). For skills, it is inferred that null is treated as absent.
func fields(k definition.Kind) []host.FieldRule {
	const text, words, b = host.TakesText | host.TakesNull, host.TakesText | host.TakesList, host.Observed
	switch k {
	case definition.Skill, definition.Command:
		return append([]host.FieldRule{{
			Key: "name", Field: definition.FieldName, Takes: host.TakesText, Filled: true, Type: host.Drops, Max: 64, Long: host.Drops,
			Pattern: `[A-Za-z0-9][A-Za-z0-9_.: -]*`, Bad: host.Drops, Basis: host.Observed,
			About: "The name, which must start with an ASCII letter or digit and may contain only ASCII letters, digits, spaces, hyphens, underscores, periods and colons; defaults to the directory or file name. Spaces are replaced with hyphens.",
		}}, skillFields(k)...)
	case definition.Agent:
		return []host.FieldRule{
			{Key: "name", Field: definition.FieldTitle, Takes: host.TakesText, Type: host.Drops, Basis: b, About: "The display name. The agent itself is named after its file."},
			{Key: "description", Field: definition.FieldDescription, Takes: host.TakesText, Type: host.Drops, Required: true, Blank: true, Basis: b, About: "What the agent is for."},
			{Key: "tools", Field: definition.FieldTools, Takes: words, Items: host.TakesText, Type: host.Drops, Basis: b, About: "The tools the agent may use; defaults to all tools."},
			{Key: "model", Field: definition.FieldModel, Takes: words, Items: host.TakesText, Type: host.Drops, Basis: b, About: "The model the agent uses."},
			{Key: "models", Takes: host.TakesAny, Basis: host.Documented, About: "The models the agent may use."},
			{Key: "modelPolicy", Takes: host.TakesAny, Basis: host.Documented, About: "How the agent's model is chosen."},
			{Key: "reasoning-effort", Field: definition.FieldEffort, Takes: host.TakesText, Type: host.Drops, Basis: b, About: "The reasoning effort."},
			{
				Key: "mcp-servers", Field: definition.FieldMCPServers, Takes: host.TakesMap | host.TakesNull, Items: host.TakesMap, Members: serverFields, Type: host.Drops, Basis: b,
				About: "The agent's MCP servers.",
			},
			{Key: "skills", Field: definition.FieldSkills, Takes: host.TakesList, Items: host.TakesText, Type: host.Drops, Basis: b, About: "Skills to preload."},
			{Key: "hooks", Field: definition.FieldHooks, Takes: host.TakesMap, Items: host.TakesList, Type: host.Drops, Basis: b, About: "Commands that run on events."},
			{Key: "github", Takes: host.TakesMap, Items: host.TakesList, ItemKey: "toolsets", Type: host.Drops, Basis: b, About: "Toolsets of the GitHub MCP server."},
			{Key: "infer", Takes: host.TakesBool, Type: host.Drops, Basis: b, About: "Deprecated; the opposite of disable-model-invocation."},
			{Key: "include-custom-instructions", Takes: host.TakesBool, Type: host.Drops, Basis: b, About: "Whether the agent's prompt includes instruction files."},
			{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: host.TakesBool, Type: host.Drops, Basis: b, About: "If true, only users can start the agent."},
			{Key: "user-invocable", Field: definition.FieldUserInvocable, Takes: host.TakesBool, Type: host.Drops, Basis: b, About: "Whether users can select the agent."},
			{Key: "target", Field: definition.FieldTarget, Takes: text, Words: []string{"vscode", "github-copilot"}, Basis: host.Documented, About: "The only environment in which the agent is available."},
			{Key: "metadata", Field: definition.FieldMetadata, Takes: host.TakesAny, Inert: true, Basis: host.Documented, About: "Additional keys with string values."},
		}
	case definition.Instruction:
		return []host.FieldRule{
			{Key: "applyTo", Field: definition.FieldApplyTo, Takes: text | host.TakesList, Basis: host.Documented, About: "Glob patterns for the files the instructions apply to."},
			{Key: "paths", Field: definition.FieldPaths, Takes: text | host.TakesList, Basis: host.Documented, About: "Same as applyTo, for files in .claude/rules."},
			{Key: "excludeAgent", Field: definition.FieldExcludeAgent, Takes: text | host.TakesList, Basis: host.Documented, About: "Agents that should not receive these instructions."},
			{Key: "name", Field: definition.FieldTitle, Takes: host.TakesAny, Inert: true, Basis: host.Documented, About: "The display name."},
			{Key: "description", Field: definition.FieldDescription, Takes: text, Basis: host.Documented, About: "What the instructions are about."},
		}
	}
	return nil
}

// serverFields returns the fields of an agent's MCP server (case a03).
func serverFields(server *definition.Value) []host.FieldRule {
	list := func(key string) host.FieldRule {
		return host.FieldRule{Key: key, Takes: host.TakesList, Items: host.TakesText, Required: true}
	}
	texts := func(key string) host.FieldRule {
		return host.FieldRule{Key: key, Takes: host.TakesMap, Items: host.TakesText}
	}
	timeout := host.FieldRule{Key: "timeout", Takes: host.TakesNumber}
	if kind := server.Pair("type").Text; kind == "http" || kind == "sse" {
		return []host.FieldRule{{Key: "url", Takes: host.TakesText, Required: true}, list("tools"), texts("headers"), timeout}
	}
	return []host.FieldRule{
		{Key: "type", Takes: host.TakesText, Words: []string{"local", "stdio", "http", "sse"}},
		{Key: "command", Takes: host.TakesText, Required: true}, list("args"), list("tools"),
		{Key: "url", Takes: host.TakesNull}, {Key: "cwd", Takes: host.TakesText}, texts("env"), timeout,
	}
}

// skillFields returns the fields for skills and for commands, which act as skills.
func skillFields(k definition.Kind) []host.FieldRule {
	const b = host.Observed
	const text, flag = host.TakesText | host.TakesNull, host.TakesBool | host.TakesNull
	return []host.FieldRule{
		{
			Key: "description", Field: definition.FieldDescription, Takes: host.TakesText, Blank: true, Type: host.Drops, Max: maxDescription, UTF16: true, Long: host.Drops, Basis: b,
			About: "What the " + k.String() + " does and when to use it; defaults to the first three lines of the body that are not headings.",
		},
		{Key: "argument-hint", Field: definition.FieldArgumentHint, Takes: text, Type: host.Drops, Basis: b, About: "A hint about the arguments, shown to users."},
		{
			Key: "allowed-tools", Field: definition.FieldAllowedTools, Takes: text | host.TakesList, Type: host.Drops, Items: host.TakesText, Basis: b,
			About: "The tools the " + k.String() + " may use without asking for permission, as a list or a comma-separated string.",
		},
		{Key: "user-invocable", Field: definition.FieldUserInvocable, Takes: flag, Type: host.Drops, Basis: b, About: "Whether users can invoke the " + k.String() + ": true or false, not yes or no."},
		{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: flag, Type: host.Drops, Basis: host.Inferred, About: "If true, only users can invoke the " + k.String() + ". The value must be true or false."},
		{Key: "license", Field: definition.FieldLicense, Takes: host.TakesAny, Inert: true, Basis: host.Documented, About: "The license."},
		{Key: "compatibility", Field: definition.FieldCompatibility, Takes: host.TakesAny, Inert: true, Basis: host.Documented, About: "What the " + k.String() + " needs to run."},
		{Key: "metadata", Field: definition.FieldMetadata, Takes: host.TakesAny, Inert: true, Basis: b, About: "Additional keys with string values."},
	}
}

// naming returns the naming rules. "Space Name" becomes "Space-Name" (row "spname" in the
// frontmatter matrix). It is inferred that directory names must satisfy the same rules.
func naming(k definition.Kind) host.NameRule {
	if host.Slash(k) == "" {
		return host.NameRule{}
	}
	return host.NameRule{PlaceFits: true, Clean: func(s string) string { return strings.Join(strings.Fields(s), "-") }}
}

// clash returns how duplicate names are resolved. If skills in different plugins have the same
// name, the plugin's name is added as a prefix (case p01).
func clash(k definition.Kind) host.Clash {
	if k == definition.Skill {
		return host.PluginsRenamed
	}
	return host.FirstWins
}

func renamed(o definition.Origin, name string) string { return o.Plugin + ":" + name }

// maxDescription is the maximum length of a description in UTF-16 units.
const maxDescription = 1024

// described returns the description rules (see row "nodesc" in the frontmatter matrix and case
// n09). The number of lines was observed in 1.0.102.
func described(k definition.Kind) host.DescriptionRule {
	if host.Slash(k) != "" {
		return host.DescriptionRule{Clean: host.AsWritten, Missing: host.MissingText, LineMax: maxDescription}
	}
	return host.DescriptionRule{Clean: host.AsWritten, Missing: host.MissingNothing}
}

// refuses returns the reason why an instruction file is not loaded. If a file excludes the cloud
// agent, the CLI does not load it either (case i07).
func refuses(d *definition.Definition) string {
	if d.Kind == definition.Instruction {
		for _, agent := range d.Fields.ExcludeAgent() {
			if agent == "cloud-agent" || agent == "coding-agent" {
				return "its excludeAgent field lists " + agent
			}
		}
	}
	return ""
}

// maxBody returns the maximum length of an agent's prompt, according to Copilot CLI's
// documentation.
func maxBody(k definition.Kind) int {
	if k == definition.Agent {
		return 30_000
	}
	return 0
}

// OtherTarget returns the reason why an agent is not loaded if its target field names an
// environment other than own. It returns "" if the agent is loaded.
func OtherTarget(d *definition.Definition, own string) string {
	if d.Kind != definition.Agent || d.Fields.Target() == "" || d.Fields.Target() == own {
		return ""
	}
	return "the agent's target is " + d.Fields.Target()
}
