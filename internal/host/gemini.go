package host

import "github.com/vadehq/vade/internal/definition"

// gemini is the Gemini CLI.
func gemini(version string) *Profile {
	return &Profile{
		Name: "gemini", Version: version,
		Facts:     geminiFacts(),
		Roots:     geminiRoots(),
		Ancestors: ToRepository,
		MaxFile:   maxHostFile,
		Silent:    true,
		Walk:      Walk{SkipHidden: true},
		Trust: Trust{
			Needed: true, How: "trust the folder when the host asks for it, or with /permissions", Basis: FromSource,
		},
		Plugins: &Plugins{Manifests: []Manifest{{Path: "gemini-extension.json"}}, Root: "${extensionPath}", Installed: Installed{Dirs: []InstalledDir{
			{Path: ".gemini/extensions", Levels: 1, Env: geminiHome, EnvDepth: EnvHome},
		}}},
		Configs: configsAt(".gemini/settings.json"),
		UserDir: ".gemini",
		Dialect: geminiDialect(),
		Fields:  geminiFields, Closed: geminiClosed, Naming: geminiNaming, Described: geminiDescribed,
		DeepAlike: true, Clash: geminiClash, Renamed: geminiRenamed,
		NameField:    geminiNameField,
		Refuses:      geminiRefuses,
		EmptyText:    func(definition.Kind) string { return "" },
		BrokenDrops:  func(definition.Kind) bool { return true },
		Precedence:   geminiPrecedence,
		Prompt:       geminiPrompt(),
		Listing:      geminiListing(),
		Instructions: geminiInstructions(),
		Switches:     SwitchTouched,
	}
}

func geminiFacts() []Fact {
	return []Fact{
		{CellRoots, Observed, "Reads skills from .gemini/skills and .agents/skills of the working directory and of the home directory.", "n01"},
		{CellRoots, FromSource, "The later of two skills with one name wins: the project's before the user's, .agents before .gemini.", "skillManager.ts"},
		{CellRoots, Documented, "Extensions are the directories of ~/.gemini/extensions that have a gemini-extension.json.", "docs/extensions"},
		{CellRoots, FromSource, "GEMINI_CLI_HOME takes the place of the home directory.", "core/src/utils/paths.ts"},
		{CellWalk, Observed, "A skill stands in the root itself or one directory below it; directories that begin with a dot, and node_modules, are left out.", "n09, rows .hid, d7 and node_modules/nm"},
		{CellWalk, Observed, "Links are followed.", "rows dirlink and filelink"},
		{CellWalk, FromSource, "Commands are found at any depth, in directories that begin with a dot too.", "FileCommandLoader.ts"},
		{CellDelimiters, Observed, "The file has to begin with \"---\" and a line ending at once; the next line that begins with \"---\" closes the block.", "rows blank, bom, tailo"},
		{CellDelimiters, FromSource, "A closing line with more than \"---\" on it leaves the skill without a body.", "skillLoader.ts"},
		{CellYAML, Observed, "Where the YAML does not parse, or name or description is no text, both are taken from their lines as they are written.", "rows anch, at, bracket, listdesc, quote; n09"},
		{CellAgents, Observed, "No agent is named in the first message.", "n06"},
		{CellAgents, FromSource, "Agents are the *.md files of .gemini/agents and ~/.gemini/agents whose names do not begin with \"_\".", "formats dossier, section 6"},
		{CellTrust, FromSource, "Skills and commands of the project are read only in a trusted folder.", "skillManager.ts"},
		{CellCommands, Observed, "Commands are TOML files: @{path} is put in first, then !{command} runs, and {{args}} is what was typed, quoted for a shell inside of a command.", "n05"},
		{CellCommands, FromSource, "Without {{args}}, all that was typed stands behind the text; a brace that is not closed ends the call.", "prompt-processors"},
		{CellRendering, Observed, "Each output has a line behind it that says how the command ended; each file is a part of its own.", "n05"},
		{CellRendering, Observed, "Nothing in the body of a skill is replaced, and without a terminal /name of a skill is text.", "n07, n08"},
		{CellRendering, FromSource, "$& and its like in the arguments mean what they mean to String.replace; files are cut at 2,000 lines of 2,000 characters.", "shellProcessor.ts, fileUtils.ts"},
		{CellFields, Observed, "A skill needs name and description; everything else is ignored, disable-model-invocation too. There are no limits of length.", "rows desc1600, dmi, nodesc, noname, unk"},
		{CellFields, FromSource, "An agent is checked strictly: a field that is not known, or of another type, keeps it from being loaded.", "agents/agentLoader.ts"},
		{CellFields, FromSource, "A command needs a prompt.", "FileCommandLoader.ts"},
		{CellNames, Observed, "A skill has the name in its frontmatter, whatever that of its directory.", "rows badname, mism, numname, spname"},
		{CellNames, FromSource, "In the names of skills : \\ / < > * ? \" and | become hyphens.", "skillLoader.ts"},
		{CellNames, FromSource, "Commands are named by their path, with colons; other characters than letters, digits, \"_\", \"-\" and \".\" become \"_\", and parts of more than 50 characters are cut.", "FileCommandLoader.ts"},
		{CellClashes, Observed, "Of two skills the one that is read last wins: the project before the user, .agents before .gemini.", "observations of n11"},
		{CellClashes, Observed, "Of two commands neither keeps the name: they become user.NAME and workspace.NAME.", "formats dossier, section 6"},
		{CellListing, Observed, "Lists every skill in full, without escaping and without a limit; disable-model-invocation changes nothing.", "n09, n14, row dmi"},
		{CellListing, Observed, "Neither commands nor agents are listed.", "n05, n06"},
		{CellListing, FromSource, "The form, with the path of each file; what is read first is listed first: extensions, user, project.", "prompts/snippets.ts"},
		{CellListing, Inferred, "Within one directory skills are ordered by name.", ""},
		{CellInstructions, Observed, "Reads GEMINI.md alone: the user's into the system prompt, the project's into the first message, each with what it imports.", "n02, n03, n04"},
		{CellInstructions, FromSource, "Imports go five files deep and stay inside the project; there are none in code. A file that is touched brings in the GEMINI.md of the directories above it.", "utils/memoryImportProcessor.ts, context/memoryContextManager.ts"},
		{CellInstructions, FromSource, "context.fileName of the settings may name other files; it is not read here.", "utils/memoryDiscovery.ts"},
	}
}

// geminiRoots: what is read last wins, so that the strongest stands first here
// (source, skillManager.ts; observations of n11).
func geminiRoots() []Root {
	skill := skillFile(0, 1)
	commands := ending(definition.Command, ".toml", anyDepth, ByPath)
	agents := ending(definition.Agent, ".md", 0, ByStem)
	agents.Except = "_"
	hidden := func(r *Root) { r.Hidden = true }
	return join(
		placesIn(definition.Project, InWorkDir).
			dir(".agents/skills", skill).dir(".gemini/skills", skill).
			dir(".gemini/commands", commands).last(hidden).dir(".gemini/agents", agents),
		placesIn(definition.Project, InProject).file("GEMINI.md"),
		placesIn(definition.User, InHome).moved(geminiHome, EnvHome).
			dir(".agents/skills", skill).dir(".gemini/skills", skill).
			dir(".gemini/commands", commands).last(hidden).dir(".gemini/agents", agents).
			file(".gemini/GEMINI.md"),
		placesIn(definition.Plugin, InPlugin).
			dir("skills", skill).dir("commands", commands).last(hidden).dir("agents", agents).file("GEMINI.md"),
	)
}

// geminiHome moves the home directory.
const geminiHome = "GEMINI_CLI_HOME"

func geminiDialect() Dialect {
	return Dialect{
		Delimiters: Delimiters{CRLF: true, NeedsLF: true, CloserPrefix: true, Empty: EmptyBlockGoesOn, Behind: BodyNone},
		Needed:     isSkillOrAgent, Second: SecondPair,
		// Agents have no second try (source, agentLoader.ts).
		Other: func(k definition.Kind, d Dialect) Dialect {
			if k != definition.Skill {
				d.Second = SecondNone
			}
			return d
		},
	}
}

func geminiPrecedence(definition.Kind) []definition.Layer {
	return []definition.Layer{definition.Project, definition.User, definition.Plugin}
}
