// Package qwen describes Qwen Code, which derives from the Gemini CLI. [Host]
// returns its profile and capabilities.
package qwen

import (
	"path"

	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/pathmatch"
)

// Host describes Qwen Code.
func Host() host.Host {
	return host.Host{
		Name: "qwen", Versions: []string{"0.24.4"}, View: view,
		Export: export, Servers: servers, Connect: connect,
		Client: client, Tools: host.ToolsNamed(tool),
		Launch: launch,
		Bodies: func() *host.Bodies { return &host.Bodies{Dirs: []string{".qwen"}, Syntax: syntax} },
	}
}

// client reports whether name is the client name in Qwen Code's source code.
func client(name string) bool {
	return name == "qwen-code" || strings.HasPrefix(name, "qwen-code-mcp-client") || strings.HasPrefix(name, "qwen-cli-mcp-client")
}

func view(string) *host.Profile {
	return &host.Profile{
		Facts:     facts(),
		Roots:     roots(),
		Ancestors: host.ToFilesystem,
		MaxFile:   host.MaxHostFile,
		Silent:    true,
		Walk:      host.Walk{Modules: true},
		Plugins: &host.Plugins{Manifests: []host.Manifest{{Path: "qwen-extension.json", Servers: servers()}}, Root: "${extensionPath}", Installed: host.Installed{Dirs: []host.InstalledDir{
			{Path: ".qwen/extensions", Levels: 1, Env: homeEnv},
		}}},
		Configs: Configs,
		UserDir: ".qwen", UserEnv: homeEnv,
		Dialect: dialect(),
		// From the source (skills/skill-activation.ts).
		Patterns: pathmatch.Form{Globs: true},
		Fields:   fields, Naming: naming, Described: described,
		DeepAlike:    true,
		Clash:        clash,
		Renamed:      renamed,
		NameField:    host.IsSkillOrAgent,
		Hooks:        hooks(),
		Refuses:      refuses,
		EmptyText:    func(definition.Kind) string { return "" },
		BrokenDrops:  func(definition.Kind) bool { return true },
		MinBody:      minBody,
		Precedence:   precedence,
		Prompt:       prompt(),
		Listing:      listing(),
		Instructions: instructions(),
		Unread:       unread(),
		Toggles:      host.Toggles{Skills: host.ToggleIn(unread(), "disabled")}, Adaptations: adaptations(),
		Switches: host.SwitchTouched | host.SwitchSession,
	}
}

func facts() []host.Fact {
	return []host.Fact{
		{Cell: host.CellRoots, Basis: host.Observed, Text: "Reads skills from .qwen/skills and .agents/skills, in the working directory and in the home directory.", From: "n01"},
		{Cell: host.CellRoots, Basis: host.Documented, Text: "Extensions are the directories in ~/.qwen/extensions that contain a qwen-extension.json.", From: "docs/extensions"},
		{Cell: host.CellRoots, Basis: host.FromSource, Text: "QWEN_HOME overrides ~/.qwen.", From: "config/storage.ts"},
		{Cell: host.CellWalk, Basis: host.Observed, Text: "A skill must be an immediate subdirectory of a skills directory. Hidden directories are read.", From: "n09"},
		{Cell: host.CellWalk, Basis: host.FromSource, Text: "Symlinks are followed.", From: "skills/skill-manager.ts"},
		{Cell: host.CellDelimiters, Basis: host.Observed, Text: "The first line must be exactly \"---\", optionally preceded by a byte order mark.", From: "n09"},
		{Cell: host.CellDelimiters, Basis: host.FromSource, Text: "The next line that is exactly \"---\" closes the block.", From: "skills/skill-load.ts"},
		{Cell: host.CellYAML, Basis: host.Observed, Text: "If the YAML is invalid, each line is split at its first colon, and the last value of a repeated key wins.", From: "n09"},
		{Cell: host.CellAgents, Basis: host.Observed, Text: "Reads the *.md files in .qwen/agents.", From: "n06"},
		{Cell: host.CellAgents, Basis: host.FromSource, Text: "Also reads ~/.qwen/agents.", From: "subagents/subagent-manager.ts"},
		{Cell: host.CellTrust, Basis: host.Documented, Text: "Asks for trust only if the security.folderTrust.enabled setting is true; it is false by default.", From: "docs/users/configuration"},
		{Cell: host.CellCommands, Basis: host.Observed, Text: "Commands are Markdown and TOML files that support {{args}}, !{command} and @{path}. Outside shell commands, $ARGUMENTS is plain text.", From: "n05, n05-1"},
		{Cell: host.CellCommands, Basis: host.FromSource, Text: "In a shell command, $ARGUMENTS is replaced with the user's input, which is quoted if it looks dangerous. Without {{args}}, the user's input is appended to the body.", From: "prompt-processors"},
		{Cell: host.CellRendering, Basis: host.Observed, Text: "Placeholders in a skill's body are not expanded.", From: "n07, n08"},
		{Cell: host.CellRendering, Basis: host.FromSource, Text: "Invoking a skill sends its directory, its body, the user's input and the path of a file that contains the arguments, in this order.", From: "SkillCommandLoader.ts, skill-args-file.ts"},
		{Cell: host.CellFields, Basis: host.Observed, Text: "Skills require the name and description fields, whose values are converted to strings.", From: "n09"},
		{Cell: host.CellFields, Basis: host.FromSource, Text: "A skill is not loaded if model is not a string or paths is not a list; other invalid values are treated as absent.", From: "skills/types.ts"},
		{Cell: host.CellFields, Basis: host.FromSource, Text: "A command is not loaded if a value has the wrong type.", From: "markdown-command-parser.ts"},
		{Cell: host.CellNames, Basis: host.Observed, Text: "A skill's name comes from its frontmatter and may contain letters, digits, \"_\", \":\", \".\" and \"-\", but no spaces.", From: "n09; skills/types.ts"},
		{Cell: host.CellNames, Basis: host.FromSource, Text: "An agent's name must consist of 2 to 50 letters, digits, \"_\" and \"-\", start and end with a letter or digit, and not be a reserved word.", From: "subagents/validation.ts"},
		{Cell: host.CellClashes, Basis: host.Observed, Text: "The first definition found wins: the project's over the user's, and .qwen over .agents. An extension's command whose name is taken is renamed to EXTENSION.NAME.", From: "observations on n11; e01"},
		{Cell: host.CellListing, Basis: host.Observed, Text: "Lists every skill, together with commands. If there are more than 32 skills, including built-in ones, or their entries are longer than 8,000 characters in total, lists only the first line of each description. Agents are listed in tool definitions.", From: "n05, n06, n14"},
		{Cell: host.CellListing, Basis: host.Observed, Text: "Text is escaped. Definitions with disable-model-invocation are omitted, as are definitions with paths until a file matches.", From: "n09, observations"},
		{Cell: host.CellListing, Basis: host.FromSource, Text: "Paths are case-sensitive globs relative to the project. Even a skill with the pattern ** is omitted until a file matches.", From: "skills/skill-activation.ts"},
		{Cell: host.CellListing, Basis: host.FromSource, Text: "Skills come before commands, each sorted by name.", From: "tools/skill-utils.ts"},
		{Cell: host.CellInstructions, Basis: host.Observed, Text: "Reads QWEN.md and AGENTS.md in the project and in ~/.qwen, each with its imports.", From: "n02, n03, n04"},
		{Cell: host.CellInstructions, Basis: host.FromSource, Text: "All QWEN.md files come first, then all AGENTS.md files. In each group, the user's file comes before the project's files, which are sorted from the repository root down to the working directory. Imports work as in Gemini CLI.", From: "utils/memoryDiscovery.ts"},
	}
}

// roots returns the directories in order of precedence: the project's before the user's, and Qwen's
// own before the shared ones (see case n11 and skills/skill-manager.ts in Qwen Code's source code).
func roots() []host.Root {
	skill := host.WholeSkill(1, 1)
	kinds := func(p *host.RootList) *host.RootList {
		return p.Dir(".qwen/skills", skill).
			Dir(".qwen/commands", host.FilesEndingIn(definition.Command, ".toml", host.AnyDepth, host.ByPath), host.FilesEndingIn(definition.Command, ".md", host.AnyDepth, host.ByPath)).
			Dir(".qwen/agents", host.FilesEndingIn(definition.Agent, ".md", 0, host.ByStem))
	}
	return host.JoinRoots(
		kinds(host.PlacesIn(definition.Project, host.InWorkDir)).Dir(".agents/skills", skill),
		host.PlacesIn(definition.Project, host.InProject).File("QWEN.md").File("AGENTS.md"),
		kinds(host.PlacesIn(definition.User, host.InHome).MovedBy(homeEnv, 0)).File(".qwen/QWEN.md").File(".qwen/AGENTS.md").File(".qwen/"+languageFile),
		host.PlacesIn(definition.User, host.InHome).Dir(".agents/skills", skill),
		host.PlacesIn(definition.Plugin, host.InPlugin).
			Dir("skills", skill).Plain().
			Dir("commands", host.FilesEndingIn(definition.Command, ".toml", host.AnyDepth, host.ByPath), host.FilesEndingIn(definition.Command, ".md", host.AnyDepth, host.ByPath)).
			Dir("agents", host.FilesEndingIn(definition.Agent, ".md", 0, host.ByStem)).
			File("QWEN.md").Last(host.OfPlugin("contextFileName", true)),
	)
}

// homeEnv is the environment variable that overrides ~/.qwen.
const homeEnv = "QWEN_HOME"

func dialect() host.Dialect {
	return host.Dialect{
		References: host.Anchors,
		Delimiters: host.Delimiters{BOM: true, CRLF: true, Empty: host.EmptyBlockGoesOn},
		Needed:     host.IsSkillOrAgent, Second: host.SecondLines,
	}
}

func precedence(definition.Kind) []definition.Layer {
	return []definition.Layer{definition.Project, definition.User, definition.Plugin}
}

// fields returns a kind's fields. Names and descriptions are converted to strings (see case n09 and
// core/src/skills/skill-load.ts in Qwen Code's source code).
func fields(k definition.Kind) []host.FieldRule {
	const text, flag = host.TakesText | host.TakesNull, host.TakesText | host.TakesBool | host.TakesNull
	truth := []string{"true", "false"}
	switch k {
	case definition.Skill:
		return []host.FieldRule{
			{
				Key: "name", Field: definition.FieldName, Takes: host.TakesScalar, Type: host.Coerces, Required: true,
				Pattern: `[\p{L}\p{N}_:.-]+`, Bad: host.Drops, Basis: host.Observed, About: "The skill's name, which may contain only letters, digits, underscores, colons, periods and hyphens.",
			},
			{
				Key: "description", Field: definition.FieldDescription, Takes: host.TakesScalar, Type: host.Coerces, Required: true, Basis: host.Observed,
				About: "What the skill does and when to use it.",
			},
			{Key: "when_to_use", Field: definition.FieldWhenToUse, Takes: text, Basis: host.FromSource, About: "When to use the skill; listed after the description."},
			{Key: "argument-hint", Field: definition.FieldArgumentHint, Takes: text, Basis: host.FromSource, About: "A hint about the arguments, shown to users."},
			{Key: "allowedTools", Field: definition.FieldAllowedTools, Takes: text | host.TakesList, Basis: host.Inferred, About: "The tools the skill may use without asking for permission."},
			{Key: "allowed-tools", Field: definition.FieldAllowedTools, Takes: text | host.TakesList, Basis: host.Inferred, About: "Same as allowedTools."},
			{Key: "model", Field: definition.FieldModel, Takes: host.TakesText, Type: host.Drops, Basis: host.FromSource, About: "The model the skill uses."},
			{Key: "paths", Field: definition.FieldPaths, Takes: host.TakesList | host.TakesNull, Type: host.Drops, Basis: host.FromSource, About: "A list of glob patterns for the files the skill applies to."},
			{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: flag, Words: truth, Basis: host.Observed, About: "If true, only users can invoke the skill."},
			{Key: "user-invocable", Field: definition.FieldUserInvocable, Takes: flag, Words: truth, Basis: host.FromSource, About: "Whether users can invoke the skill."},
			{Key: "priority", Takes: host.TakesNumber | host.TakesNull, Basis: host.FromSource, About: "The skill's position in the list shown to users; higher values come first."},
			{Key: "hooks", Field: definition.FieldHooks, Takes: host.TakesMap | host.TakesNull, Basis: host.FromSource, About: "Commands that run on events after the skill is invoked."},
		}
	case definition.Command:
		return []host.FieldRule{
			{Key: "prompt", Field: definition.FieldPrompt, Takes: host.TakesText, Type: host.Drops, Required: true, InTOML: true, Basis: host.FromSource, About: "In a TOML file: the prompt sent to the model."},
			{Key: "description", Field: definition.FieldDescription, Takes: host.TakesText, Type: host.Drops, Basis: host.FromSource, About: "What the command does; a command without a description is hidden from the model."},
			{Key: "argument-hint", Field: definition.FieldArgumentHint, Takes: host.TakesText, Type: host.Drops, Basis: host.FromSource, About: "A hint about the arguments, shown to users."},
			{Key: "when_to_use", Takes: host.TakesText, Type: host.Drops, Basis: host.Observed, About: "When to use the command; not shown to the model."},
			{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: host.TakesBool, Type: host.Drops, Basis: host.FromSource, About: "If true, only users can invoke the command."},
		}
	case definition.Agent:
		return agentFields()
	}
	return nil
}

// agentFields returns the fields for agents, according to core/src/subagents in Qwen Code's source
// code.
func agentFields() []host.FieldRule {
	const text, words = host.TakesText | host.TakesNull, host.TakesText | host.TakesList | host.TakesNull
	rules := []host.FieldRule{
		{
			Key: "name", Field: definition.FieldName, Takes: host.TakesText, Type: host.Coerces, Required: true, Max: 50, Long: host.Drops,
			// A name consists of at least two letters, digits, hyphens and underscores, and it
			// neither starts nor ends with a hyphen or underscore.
			Pattern: `[\p{L}\p{N}][\p{L}\p{N}_-]*[\p{L}\p{N}]`, Bad: host.Drops, About: "The agent's name: at least two letters, digits, hyphens or underscores, starting and ending with a letter or digit.",
		},
		{Key: "description", Field: definition.FieldDescription, Takes: host.TakesScalar, Type: host.Coerces, Required: true, About: "When to use the agent."},
		{Key: "tools", Field: definition.FieldTools, Takes: words, About: "The tools the agent may use; defaults to all tools."},
		{Key: "disallowedTools", Field: definition.FieldDisallowedTools, Takes: words, About: "The tools the agent must not use."},
		{Key: "model", Field: definition.FieldModel, Takes: host.TakesScalar | host.TakesNull, Type: host.Coerces, About: "The model the agent uses."},
		{
			Key: "color", Field: definition.FieldColor, Takes: text, Words: []string{"red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan", "auto"},
			About: "The display color.",
		},
		{Key: "approvalMode", Takes: text, Type: host.Drops, About: "What the agent may do without asking for permission."},
		{
			Key: "permissionMode", Field: definition.FieldPermissionMode, Takes: text,
			Words: []string{"acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"}, About: "Same as approvalMode, but with Claude Code's mode names.",
		},
		{Key: "background", Field: definition.FieldBackground, Takes: host.TakesText | host.TakesBool | host.TakesNull, Words: []string{"true", "false"}, About: "Whether to run the agent in the background."},
		{Key: "maxTurns", Field: definition.FieldMaxTurns, Takes: host.TakesText | host.TakesNumber | host.TakesNull, Whole: true, About: "The maximum number of turns."},
		{
			Key: "effort", Field: definition.FieldEffort, Takes: host.TakesText | host.TakesNumber | host.TakesNull, Pattern: `low|med|medium|high|xhigh|max|-?[0-9]+`,
			About: "The reasoning effort: low, medium, high, xhigh, max or an integer.",
		},
		{Key: "skills", Field: definition.FieldSkills, Takes: words, About: "Skills to preload."},
		{Key: "memory", Field: definition.FieldMemory, Takes: text, Words: []string{"user", "project", "local"}, About: "Where the agent stores its memory."},
		{Key: "isolation", Field: definition.FieldIsolation, Takes: text, Words: []string{"worktree"}, About: "Set to worktree to run the agent in a separate git worktree."},
		{Key: "mcpServers", Field: definition.FieldMCPServers, Takes: host.TakesMap | host.TakesNull, About: "The agent's MCP servers."},
		{Key: "hooks", Field: definition.FieldHooks, Takes: host.TakesMap | host.TakesNull, About: "Commands that run on events while the agent is running."},
		{Key: "executor", Takes: host.TakesMap | host.TakesNull, Type: host.Drops, About: "The program that runs the agent instead of the host."},
		{Key: "modelConfig", Takes: host.TakesMap | host.TakesNull, About: "The older form of the model field."},
		{Key: "runConfig", Takes: host.TakesMap | host.TakesNull, About: "Limits on the agent's run."},
	}
	for i := range rules {
		rules[i].Basis = host.FromSource
	}
	return rules
}

// described returns the description rules. Descriptions are listed as written (observed in 0.24.4).
func described(k definition.Kind) host.DescriptionRule {
	if k == definition.Command {
		return host.DescriptionRule{Clean: host.AsWritten, Missing: host.MissingNothing, Default: func(d *definition.Definition) string {
			return "Custom command from " + path.Base(d.Origin.Path)
		}}
	}
	return host.DescriptionRule{Clean: host.AsWritten, Missing: host.MissingNothing}
}

// refuses returns the reason why a definition is not loaded. Some agent names are reserved
// (according to core/src/subagents/validation.ts in Qwen Code's source code), and a skill's name
// must not have leading or trailing spaces (case h04).
func refuses(d *definition.Definition) string {
	kept := []string{"self", "system", "user", "model", "tool", "config", "default"}
	if d.Kind == definition.Agent && slices.Contains(kept, strings.ToLower(d.Fields.Name)) {
		return "the name is reserved by the host"
	}
	if d.Kind == definition.Skill && d.Fields.Name != strings.TrimSpace(d.Fields.Name) {
		return "the skill's name has leading or trailing spaces"
	}
	return ""
}

// minBody returns the minimum length of an agent's prompt (observed in 0.24.4).
func minBody(k definition.Kind) int {
	if k == definition.Agent {
		return 10
	}
	return 0
}

// naming keeps leading and trailing spaces in names, which [refuses] then reports (case h04).
func naming(k definition.Kind) host.NameRule {
	if k != definition.Skill {
		return host.NameRule{}
	}
	return host.NameRule{Clean: host.AsWritten}
}

// clash returns how duplicate names are resolved. If the name of an extension's command is taken,
// the command is renamed (case e01).
func clash(k definition.Kind) host.Clash {
	if k == definition.Command {
		return host.PluginsYield
	}
	return host.FirstWins
}

func renamed(o definition.Origin, name string) string {
	if o.Plugin == "" {
		return name
	}
	return o.Plugin + "." + name
}
