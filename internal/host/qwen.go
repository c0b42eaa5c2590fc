package host

import "github.com/vadehq/vade/internal/definition"

// qwen is Qwen Code.
func qwen(version string) *Profile {
	return &Profile{
		Name: "qwen", Version: version,
		Facts:     qwenFacts(),
		Roots:     qwenRoots(),
		Ancestors: ToRepository,
		MaxFile:   maxHostFile,
		Silent:    true,
		Walk:      Walk{Modules: true},
		Plugins: &Plugins{Manifests: []Manifest{{Path: "qwen-extension.json"}}, Root: "${extensionPath}", Installed: Installed{Dirs: []InstalledDir{
			{Path: ".qwen/extensions", Levels: 1, Env: qwenHome},
		}}},
		UserDir: ".qwen", UserEnv: qwenHome,
		Dialect: qwenDialect(),
		Fields:  qwenFields, Naming: qwenNaming, Described: qwenDescribed,
		DeepAlike:    true,
		NameField:    qwenNameField,
		Refuses:      qwenRefuses,
		EmptyText:    func(definition.Kind) string { return "" },
		BrokenDrops:  func(definition.Kind) bool { return true },
		Precedence:   qwenPrecedence,
		Prompt:       qwenPrompt(),
		Listing:      qwenListing(),
		Instructions: qwenInstructions(),
		Switches:     SwitchTouched,
	}
}

func qwenFacts() []Fact {
	return []Fact{
		{CellRoots, Observed, "Reads skills from .qwen/skills and .agents/skills of the working directory and of the home directory.", "n01"},
		{CellRoots, Documented, "Extensions are the directories of ~/.qwen/extensions that have a qwen-extension.json.", "docs/extensions"},
		{CellRoots, FromSource, "QWEN_HOME moves ~/.qwen.", "config/storage.ts"},
		{CellWalk, Observed, "A skill stands exactly one directory below the directory of skills; directories that begin with a dot are looked into.", "n09"},
		{CellWalk, FromSource, "Links are followed.", "skills/skill-manager.ts"},
		{CellDelimiters, Observed, "The file has to begin with a line that is exactly \"---\"; a byte order mark before it is taken.", "n09"},
		{CellDelimiters, FromSource, "The next line that is exactly \"---\" closes the block.", "skills/skill-load.ts"},
		{CellYAML, Observed, "Where the YAML does not parse, each line is taken apart at its first colon, and of two equal keys the last counts.", "n09"},
		{CellAgents, Observed, "Reads the *.md files of .qwen/agents.", "n06"},
		{CellAgents, FromSource, "And those of ~/.qwen/agents.", "subagents/subagent-manager.ts"},
		{CellTrust, Documented, "Asks for trust only where the setting security.folderTrust.enabled is on; it is off by default.", "docs/users/configuration"},
		{CellCommands, Observed, "Commands are Markdown and TOML files with {{args}}, !{command} and @{path}; $ARGUMENTS is text outside of commands.", "n05, n05-1"},
		{CellCommands, FromSource, "In a command $ARGUMENTS is the line, quoted where it holds what looks dangerous; without {{args}} all that was typed stands behind the text.", "prompt-processors"},
		{CellRendering, Observed, "Nothing in the body of a skill is replaced.", "n07, n08"},
		{CellRendering, FromSource, "A call of a skill has the directory before its body, and behind it what was typed and the name of a file with the arguments.", "SkillCommandLoader.ts, skill-args-file.ts"},
		{CellFields, Observed, "A skill needs name and description, which become text whatever they are.", "n09"},
		{CellFields, FromSource, "A model that is no text, or paths that are no list, keep a skill from being loaded; other wrong values count as absent.", "skills/types.ts"},
		{CellFields, FromSource, "A command with a value of another type is not loaded.", "markdown-command-parser.ts"},
		{CellNames, Observed, "A skill has the name in its frontmatter: of letters, digits, \"_\", \":\", \".\" and \"-\", without blanks.", "n09; skills/types.ts"},
		{CellNames, FromSource, "An agent has a name of 2 to 50 letters, digits, \"_\" and \"-\", the latter two not at the ends; some words are kept.", "subagents/validation.ts"},
		{CellClashes, Observed, "The first that is found wins: the project before the user, .qwen before .agents.", "observations of n11"},
		{CellListing, Observed, "Lists every skill in full and without a limit, with the commands; agents stand in the tools.", "n05, n06, n14"},
		{CellListing, Observed, "Texts are escaped; what has disable-model-invocation, and what has paths that no file has matched, is left out.", "n09, observations"},
		{CellListing, FromSource, "The forms; skills before commands, each by name.", "tools/skill-utils.ts"},
		{CellInstructions, Observed, "Reads QWEN.md and AGENTS.md of the project and ~/.qwen/QWEN.md, each with what it imports.", "n02, n03, n04"},
		{CellInstructions, FromSource, "First all QWEN.md, then all AGENTS.md: the user's, then from the top of the repository down to the working directory. Imports are those of Gemini CLI.", "utils/memoryDiscovery.ts"},
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
		kinds(placesIn(definition.User, InHome).moved(qwenHome, 0)).file(".qwen/QWEN.md").file(".qwen/AGENTS.md"),
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
