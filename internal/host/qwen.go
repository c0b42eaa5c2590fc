package host

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/pathmatch"
)

// qwenHost is Qwen Code.
func qwenHost() Host {
	return Host{
		Name: "qwen", Versions: []string{"0.24.4"}, View: qwenView,
		Export: qwenExport, Servers: qwenServers, Connect: qwenConnect,
		Client: qwenClient, Tools: toolsNamed(qwenTool),
		Bodies: func() *Bodies { return &Bodies{Dirs: []string{".qwen"}, Syntax: qwenSyntax} },
	}
}

// qwenClient: source.
func qwenClient(name string) bool {
	return name == "qwen-code" || strings.HasPrefix(name, "qwen-code-mcp-client") || strings.HasPrefix(name, "qwen-cli-mcp-client")
}

func qwenView(string) *Profile {
	return &Profile{
		Facts:     qwenFacts(),
		Roots:     qwenRoots(),
		Ancestors: ToRepository,
		MaxFile:   maxHostFile,
		Silent:    true,
		Walk:      Walk{Modules: true},
		Plugins: &Plugins{Manifests: []Manifest{{Path: "qwen-extension.json", Servers: qwenServers()}}, Root: "${extensionPath}", Installed: Installed{Dirs: []InstalledDir{
			{Path: ".qwen/extensions", Levels: 1, Env: qwenHome},
		}}},
		Configs: qwenConfigs(),
		UserDir: ".qwen", UserEnv: qwenHome,
		Dialect: qwenDialect(),
		// source: skills/skill-activation.ts
		Patterns: pathmatch.Form{Globs: true},
		Fields:   qwenFields, Naming: qwenNaming, Described: qwenDescribed,
		DeepAlike:    true,
		NameField:    qwenNameField,
		Refuses:      qwenRefuses,
		EmptyText:    func(definition.Kind) string { return "" },
		BrokenDrops:  func(definition.Kind) bool { return true },
		Precedence:   qwenPrecedence,
		Prompt:       qwenPrompt(),
		Listing:      qwenListing(),
		Instructions: qwenInstructions(),
		Unread:       qwenUnread(),
		Switches:     SwitchTouched | SwitchSession,
	}
}

func qwenFacts() []Fact {
	return []Fact{
		{Cell: CellRoots, Basis: Observed, Text: "Reads skills from .qwen/skills and .agents/skills of the working directory and of the home directory.", From: "n01"},
		{Cell: CellRoots, Basis: Documented, Text: "Extensions are the directories of ~/.qwen/extensions that have a qwen-extension.json.", From: "docs/extensions"},
		{Cell: CellRoots, Basis: FromSource, Text: "QWEN_HOME moves ~/.qwen.", From: "config/storage.ts"},
		{Cell: CellWalk, Basis: Observed, Text: "A skill stands exactly one directory below the directory of skills; directories that begin with a dot are looked into.", From: "n09"},
		{Cell: CellWalk, Basis: FromSource, Text: "Links are followed.", From: "skills/skill-manager.ts"},
		{Cell: CellDelimiters, Basis: Observed, Text: "The file has to begin with a line that is exactly \"---\"; a byte order mark before it is taken.", From: "n09"},
		{Cell: CellDelimiters, Basis: FromSource, Text: "The next line that is exactly \"---\" closes the block.", From: "skills/skill-load.ts"},
		{Cell: CellYAML, Basis: Observed, Text: "Where the YAML does not parse, each line is taken apart at its first colon, and of two equal keys the last counts.", From: "n09"},
		{Cell: CellAgents, Basis: Observed, Text: "Reads the *.md files of .qwen/agents.", From: "n06"},
		{Cell: CellAgents, Basis: FromSource, Text: "And those of ~/.qwen/agents.", From: "subagents/subagent-manager.ts"},
		{Cell: CellTrust, Basis: Documented, Text: "Asks for trust only where the setting security.folderTrust.enabled is on; it is off by default.", From: "docs/users/configuration"},
		{Cell: CellCommands, Basis: Observed, Text: "Commands are Markdown and TOML files with {{args}}, !{command} and @{path}; $ARGUMENTS is text outside of commands.", From: "n05, n05-1"},
		{Cell: CellCommands, Basis: FromSource, Text: "In a command $ARGUMENTS is the line, quoted where it holds what looks dangerous; without {{args}} all that was typed stands behind the text.", From: "prompt-processors"},
		{Cell: CellRendering, Basis: Observed, Text: "Nothing in the body of a skill is replaced.", From: "n07, n08"},
		{Cell: CellRendering, Basis: FromSource, Text: "A call of a skill has the directory before its body, and behind it what was typed and the name of a file with the arguments.", From: "SkillCommandLoader.ts, skill-args-file.ts"},
		{Cell: CellFields, Basis: Observed, Text: "A skill needs name and description, which become text whatever they are.", From: "n09"},
		{Cell: CellFields, Basis: FromSource, Text: "A model that is no text, or paths that are no list, keep a skill from being loaded; other wrong values count as absent.", From: "skills/types.ts"},
		{Cell: CellFields, Basis: FromSource, Text: "A command with a value of another type is not loaded.", From: "markdown-command-parser.ts"},
		{Cell: CellNames, Basis: Observed, Text: "A skill has the name in its frontmatter: of letters, digits, \"_\", \":\", \".\" and \"-\", without blanks.", From: "n09; skills/types.ts"},
		{Cell: CellNames, Basis: FromSource, Text: "An agent has a name of 2 to 50 letters, digits, \"_\" and \"-\", the latter two not at the ends; some words are kept.", From: "subagents/validation.ts"},
		{Cell: CellClashes, Basis: Observed, Text: "The first that is found wins: the project before the user, .qwen before .agents.", From: "observations of n11"},
		{Cell: CellListing, Basis: Observed, Text: "Lists every skill in full and without a limit, with the commands; agents stand in the tools.", From: "n05, n06, n14"},
		{Cell: CellListing, Basis: Observed, Text: "Texts are escaped; what has disable-model-invocation, and what has paths that no file has matched, is left out.", From: "n09, observations"},
		{Cell: CellListing, Basis: FromSource, Text: "Paths are globs of the path in the project, and their case counts; with ** too a skill waits for a file.", From: "skills/skill-activation.ts"},
		{Cell: CellListing, Basis: FromSource, Text: "The forms; skills before commands, each by name.", From: "tools/skill-utils.ts"},
		{Cell: CellInstructions, Basis: Observed, Text: "Reads QWEN.md and AGENTS.md of the project and ~/.qwen/QWEN.md, each with what it imports.", From: "n02, n03, n04"},
		{Cell: CellInstructions, Basis: FromSource, Text: "First all QWEN.md, then all AGENTS.md: the user's, then from the top of the repository down to the working directory. Imports are those of Gemini CLI.", From: "utils/memoryDiscovery.ts"},
	}
}

// qwenRoots: the project before the user, the host's own directory before the shared
// one (observations of n11; source, skills/skill-manager.ts).
func qwenRoots() []Root {
	skill := wholeSkill(1, 1)
	kinds := func(p *places) *places {
		return p.dir(".qwen/skills", skill).
			dir(".qwen/commands", ending(definition.Command, ".toml", anyDepth, ByPath), ending(definition.Command, ".md", anyDepth, ByPath)).
			dir(".qwen/agents", ending(definition.Agent, ".md", 0, ByStem))
	}
	return join(
		kinds(placesIn(definition.Project, InWorkDir)).dir(".agents/skills", skill),
		placesIn(definition.Project, InProject).file("QWEN.md").file("AGENTS.md"),
		kinds(placesIn(definition.User, InHome).movedBy(qwenHome, 0)).file(".qwen/QWEN.md").file(".qwen/AGENTS.md"),
		placesIn(definition.User, InHome).dir(".agents/skills", skill),
		placesIn(definition.Plugin, InPlugin).
			dir("skills", skill).
			dir("commands", ending(definition.Command, ".toml", anyDepth, ByPath), ending(definition.Command, ".md", anyDepth, ByPath)).
			dir("agents", ending(definition.Agent, ".md", 0, ByStem)).file("QWEN.md"),
	)
}

// qwenHome moves the user's directory.
const qwenHome = "QWEN_HOME"

func qwenDialect() Dialect {
	return Dialect{
		Delimiters: Delimiters{BOM: true, CRLF: true, Empty: EmptyBlockGoesOn},
		Needed:     isSkillOrAgent, Second: SecondLines,
	}
}

func qwenPrecedence(definition.Kind) []definition.Layer {
	return []definition.Layer{definition.Project, definition.User, definition.Plugin}
}

// qwenFields: name and description become texts, whatever they are (case n09,
// source: core/src/skills/skill-load.ts).
func qwenFields(k definition.Kind) []FieldRule {
	const text, flag = TakesText | TakesNull, TakesText | TakesBool | TakesNull
	truth := []string{"true", "false"}
	switch k {
	case definition.Skill:
		return []FieldRule{
			{
				Key: "name", Field: definition.FieldName, Takes: TakesScalar, Type: Coerces, Required: true,
				Pattern: `[\p{L}\p{N}_:.-]+`, Bad: Drops, Basis: Observed, About: "The name of the skill: letters, digits and _ : . -",
			},
			{
				Key: "description", Field: definition.FieldDescription, Takes: TakesScalar, Type: Coerces, Required: true, Basis: Observed,
				About: "What the skill does and when to use it.",
			},
			{Key: "when_to_use", Field: definition.FieldWhenToUse, Takes: text, Basis: FromSource, About: "When to use the skill, behind the description."},
			{Key: "argument-hint", Field: definition.FieldArgumentHint, Takes: text, Basis: FromSource, About: "The arguments, shown to people."},
			{Key: "allowedTools", Field: definition.FieldAllowedTools, Takes: text | TakesList, Basis: Inferred, About: "The tools that it may use without being asked."},
			{Key: "allowed-tools", Field: definition.FieldAllowedTools, Takes: text | TakesList, Basis: Inferred, About: "The same as allowedTools."},
			{Key: "model", Field: definition.FieldModel, Takes: TakesText, Type: Drops, Basis: FromSource, About: "The model that it runs on."},
			{Key: "paths", Field: definition.FieldPaths, Takes: TakesList | TakesNull, Type: Drops, Basis: FromSource, About: "Patterns of the files that the skill is for, as a list."},
			{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: flag, Words: truth, Basis: Observed, About: "Only people can call it."},
			{Key: "user-invocable", Field: definition.FieldUserInvocable, Takes: flag, Words: truth, Basis: FromSource, About: "Whether people can call it."},
			{Key: "priority", Takes: TakesNumber | TakesNull, Basis: FromSource, About: "The place in the list that people see; higher comes first."},
			{Key: "hooks", Field: definition.FieldHooks, Takes: TakesMap | TakesNull, Basis: FromSource, About: "What runs at events after the skill is called."},
		}
	case definition.Command:
		return []FieldRule{
			{Key: "prompt", Field: definition.FieldPrompt, Takes: TakesText, Type: Drops, Required: true, InTOML: true, Basis: FromSource, About: "What is sent to the model, in a TOML file."},
			{Key: "description", Field: definition.FieldDescription, Takes: TakesText, Type: Drops, Basis: FromSource, About: "What the command does; with it the model sees the command."},
			{Key: "argument-hint", Field: definition.FieldArgumentHint, Takes: TakesText, Type: Drops, Basis: FromSource, About: "The arguments, shown to people."},
			{Key: "when_to_use", Field: definition.FieldWhenToUse, Takes: TakesText, Type: Drops, Basis: FromSource, About: "When to use the command, behind the description."},
			{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: TakesBool, Type: Drops, Basis: FromSource, About: "Only people can call it."},
		}
	case definition.Agent:
		return qwenAgentFields()
	}
	return nil
}

// qwenAgentFields are those of agents (source, core/src/subagents).
func qwenAgentFields() []FieldRule {
	const text, words = TakesText | TakesNull, TakesText | TakesList | TakesNull
	rules := []FieldRule{
		{
			Key: "name", Field: definition.FieldName, Takes: TakesText, Type: Coerces, Required: true, Max: 50, Long: Drops,
			// Two or more letters, digits, hyphens and underscores; these do not stand at the ends.
			Pattern: `[\p{L}\p{N}][\p{L}\p{N}_-]*[\p{L}\p{N}]`, Bad: Drops, About: "The name of the agent.",
		},
		{Key: "description", Field: definition.FieldDescription, Takes: TakesScalar, Type: Coerces, Required: true, About: "When to use the agent."},
		{Key: "tools", Field: definition.FieldTools, Takes: words, About: "The tools that it may use; all without it."},
		{Key: "disallowedTools", Field: definition.FieldDisallowedTools, Takes: words, About: "The tools that it may not use."},
		{Key: "model", Field: definition.FieldModel, Takes: TakesScalar | TakesNull, Type: Coerces, About: "The model that it runs on."},
		{
			Key: "color", Field: definition.FieldColor, Takes: text, Words: []string{"red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan", "auto"},
			About: "The colour in which it is shown.",
		},
		{Key: "approvalMode", Takes: text, Type: Drops, About: "What it may do without asking."},
		{
			Key: "permissionMode", Field: definition.FieldPermissionMode, Takes: text,
			Words: []string{"acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"}, About: "The same in the words of Claude Code.",
		},
		{Key: "background", Field: definition.FieldBackground, Takes: TakesText | TakesBool | TakesNull, Words: []string{"true", "false"}, About: "Runs it in the background."},
		{Key: "maxTurns", Field: definition.FieldMaxTurns, Takes: TakesText | TakesNumber | TakesNull, Whole: true, About: "The most turns that it takes."},
		{
			Key: "effort", Field: definition.FieldEffort, Takes: TakesText | TakesNumber | TakesNull, Pattern: `low|med|medium|high|xhigh|max|-?[0-9]+`,
			About: "How much the model thinks.",
		},
		{Key: "skills", Field: definition.FieldSkills, Takes: words, About: "Skills that are put before it."},
		{Key: "memory", Field: definition.FieldMemory, Takes: text, Words: []string{"user", "project", "local"}, About: "Where it keeps what it learns."},
		{Key: "isolation", Field: definition.FieldIsolation, Takes: text, Words: []string{"worktree"}, About: "Runs it in a working tree of its own."},
		{Key: "mcpServers", Field: definition.FieldMCPServers, Takes: TakesMap | TakesNull, About: "MCP servers of the agent's own."},
		{Key: "hooks", Field: definition.FieldHooks, Takes: TakesMap | TakesNull, About: "What runs at events while the agent works."},
		{Key: "executor", Takes: TakesMap | TakesNull, Type: Drops, About: "The program that runs it in place of the host."},
		{Key: "modelConfig", Takes: TakesMap | TakesNull, About: "The older way to name the model."},
		{Key: "runConfig", Takes: TakesMap | TakesNull, About: "Limits of its run."},
	}
	for i := range rules {
		rules[i].Basis = FromSource
	}
	return rules
}

func qwenNaming(definition.Kind) NameRule { return NameRule{} }

func qwenDescribed(definition.Kind) DescriptionRule {
	return DescriptionRule{Missing: MissingNothing}
}

func qwenNameField(k definition.Kind) bool { return k == definition.Skill || k == definition.Agent }

// qwenRefuses: some names of agents are kept for the host (source,
// core/src/subagents/validation.ts).
func qwenRefuses(d *definition.Definition) string {
	kept := []string{"self", "system", "user", "model", "tool", "config", "default"}
	if d.Kind == definition.Agent && slices.Contains(kept, strings.ToLower(d.Fields.Name)) {
		return "the name is one that the host keeps for itself"
	}
	return ""
}
