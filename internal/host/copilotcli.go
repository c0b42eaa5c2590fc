package host

import "github.com/vadehq/vade/internal/definition"

// copilotCLI is the GitHub Copilot CLI.
func copilotCLI(version string) *Profile {
	return &Profile{
		Name: "copilot-cli", Version: version,
		Facts:     copilotCLIFacts(),
		Roots:     copilotCLIRoots(),
		Ancestors: ToRepository,
		MaxFile:   maxHostFile,
		Walk:      Walk{SkipHidden: true, Modules: true, Stops: true},
		Trust: Trust{
			Needed: true, How: "answer yes when the host asks whether it may trust the directory, or start it with --allow-all", Basis: Documented,
		},
		Plugins: &Plugins{
			Manifests: []Manifest{
				{Path: ".plugin/plugin.json"}, {Path: "plugin.json", Schema: "agent-plugins.org/", Needs: []string{"skills", "agents", "commands", "hooks", "mcpServers"}},
				{Path: ".github/plugin/plugin.json"}, {Path: ".claude-plugin/plugin.json"},
			},
			Root:      claudePluginRoot,
			Installed: Installed{Dirs: []InstalledDir{{Path: ".copilot/installed-plugins", Levels: 2, Env: copilotHome}}},
		},
		Configs: configsAt(".github/hooks/hooks.json", ".copilot/mcp-config.json", ".mcp.json"),
		UserDir: ".copilot", UserEnv: copilotHome,
		Dialect: copilotCLIDialect(),
		Fields:  copilotCLIFields, Naming: copilotCLINaming, Described: copilotCLIDescribed,
		DeepAlike: true, SharedNames: true,
		NameField:    copilotCLINameField,
		Refuses:      copilotCLIRefuses,
		EmptyText:    func(definition.Kind) string { return "" },
		BrokenDrops:  func(definition.Kind) bool { return true },
		Precedence:   copilotCLIPrecedence,
		Prompt:       copilotCLIPrompt(),
		Listing:      copilotCLIListing(),
		Instructions: copilotCLIInstructions(),
		Switches:     SwitchTouched,
	}
}

func copilotCLIFacts() []Fact {
	return []Fact{
		{CellRoots, Observed, "Reads skills from .github/skills, .agents/skills and .claude/skills of the project, in this order, then from ~/.copilot/skills and ~/.agents/skills; not from ~/.claude/skills.", "n01"},
		{CellRoots, Documented, "The directories above the working directory follow it, up to the top of the repository.", "formats dossier, section 5.1"},
		{CellRoots, Documented, "COPILOT_SKILLS_DIRS lists further directories with commas between them, which come last; COPILOT_HOME moves ~/.copilot.", "formats dossier, section 5.1; command reference"},
		{CellRoots, Documented, "Plugins are installed in ~/.copilot/installed-plugins, below the name of their marketplace.", "configuration directory reference"},
		{CellWalk, Observed, "Walks down at any depth, node_modules too, but not below a directory that has a SKILL.md, and not into directories that begin with a dot.", "n09, rows d7, .hid and node_modules/nm"},
		{CellWalk, Observed, "A SKILL.md in a directory of skills itself hides every other skill there.", "n15"},
		{CellWalk, Observed, "Links are followed.", "rows dirlink and filelink"},
		{CellDelimiters, Observed, "The file has to begin with a line \"---\", behind which blanks may stand; a byte order mark before it is taken. Without frontmatter a skill is not loaded.", "rows blank, bom, nofm, tailo"},
		{CellYAML, Observed, "Nothing is repaired, and a key that stands twice is an error.", "rows anch, at, bracket, quote; n09"},
		{CellAgents, Observed, "Reads *.md and *.agent.md of .github/agents and .claude/agents, and of ~/.copilot/agents.", "n06"},
		{CellAgents, Documented, "Of two agents of one name the one nearest to the working directory wins.", "formats dossier, section 5.1"},
		{CellTrust, Documented, "Asks whether the directory is trusted before a conversation; what a project ships is read only then.", "command reference"},
		{CellCommands, Observed, "The files of .claude/commands are skills to the model; .github/prompts is not read.", "n05, n05-1"},
		{CellRendering, Observed, "A call that stands on the command line is sent as the text that it is.", "n05, n07"},
		{CellRendering, Documented, "The skill tool brings in the file as it is, with the directory and the files beside it; nothing in it is replaced or run.", "formats dossier, section 5.1"},
		{CellFields, Observed, "A skill with a wrong value is not loaded and reported: a description that is no text or longer than 1,024 characters, true or false written in another way, a list for argument-hint, a map among the tools.", "rows desc1600, listdesc, yesbool; n09; formats dossier, section 5.1"},
		{CellFields, Observed, "Without a description the first line of the body that is no heading takes its place, or nothing.", "row nodesc; n09"},
		{CellFields, Documented, "An agent needs a description.", "custom-agents-configuration"},
		{CellNames, Observed, "A skill has the name in its frontmatter, else that of its directory; blanks become hyphens.", "rows mism, noname, spname"},
		{CellNames, Observed, "A name begins with an ASCII letter or digit, goes on with these, \"-\", \"_\", \".\", \":\" and blanks, and has at most 64 characters; a number is none.", "rows badname, numname, nnn"},
		{CellClashes, Observed, "The first that is found wins; a skill wins over a command.", "observations of n11; n05"},
		{CellListing, Observed, "Lists skills and the commands of .claude/commands together; texts are escaped.", "n05, n09"},
		{CellListing, Observed, "Of 300 skills 37 have their description; the others are named only.", "n14"},
		{CellListing, Inferred, "The list has 15,000 characters, or SKILL_CHAR_BUDGET; entries are ordered by name. The form of one without a description is a guess.", "n14; records of other versions"},
		{CellListing, Observed, "Agents are listed in the tools.", "n06"},
		{CellListing, Inferred, "An agent stands there as its name and its description.", ""},
		{CellInstructions, Observed, "Reads AGENTS.md, CLAUDE.md, GEMINI.md, .github/copilot-instructions.md, .github/instructions, .claude/rules, ~/.copilot/copilot-instructions.md and ~/.copilot/instructions.", "n02, n03, n04"},
		{CellInstructions, Observed, "What AGENTS.md and CLAUDE.md import is sent, what GEMINI.md imports is not.", "n02"},
		{CellInstructions, Observed, "A file with applyTo: \"**\", or without applyTo, is sent always, one with another pattern not at once.", "n02"},
		{CellInstructions, Inferred, "The order, the form of imports and what is around each file; excludeAgent means other products than this one.", ""},
	}
}

// copilotCLIRoots: the order is that of the formats dossier, section 5.1. Between the
// user's directories and those of COPILOT_SKILLS_DIRS the host has the plugins.
func copilotCLIRoots() []Root {
	skill := wholeSkill(0, anyDepth)
	skill.Alone = true
	markdown := []Rule{ending(definition.Agent, ".agent.md", 0, ByStem), ending(definition.Agent, ".md", 0, ByStem)}
	instructions := ending(definition.Instruction, ".instructions.md", treeDepth, ByPath)
	return join(
		placesIn(definition.Project, InProject).
			dir(".github/skills", skill).dir(".agents/skills", skill).dir(".claude/skills", skill).
			dir(".claude/commands", ending(definition.Command, ".md", 0, ByStem)).
			last(func(r *Root) { r.Legacy = true }).
			dir(".github/agents", markdown...).dir(".claude/agents", markdown...).
			file(".github/copilot-instructions.md").dir(".github/instructions", instructions).
			dir(".claude/rules", ending(definition.Instruction, ".md", 0, ByPath)).
			file("AGENTS.md").file("CLAUDE.md").file("GEMINI.md"),
		placesIn(definition.User, InHome).moved(copilotHome, 0).
			dir(".copilot/skills", skill).dir(".copilot/agents", markdown...).
			file(".copilot/copilot-instructions.md").dir(".copilot/instructions", instructions),
		placesIn(definition.User, InHome).dir(".agents/skills", skill),
		placesIn(definition.User, InEnv).moved("COPILOT_SKILLS_DIRS", 0).dir("", skill),
		placesIn(definition.User, InEnv).moved("COPILOT_CUSTOM_INSTRUCTIONS_DIRS", 0).
			file("AGENTS.md").dir(".github/instructions", instructions),
		placesIn(definition.Plugin, InPlugin).
			dir("skills", skill).last(ofPlugin("skills", true)).
			dir("agents", markdown...).last(ofPlugin("agents", true)).
			dir("commands", ending(definition.Command, ".md", 0, ByStem)).last(ofPlugin("commands", true)),
	)
}

// copilotHome moves the user's directory.
const copilotHome = "COPILOT_HOME"

func copilotCLIDialect() Dialect {
	return Dialect{Delimiters: Delimiters{BOM: true, TrailingSpace: true, CRLF: true}, Needed: isSkill}
}

func copilotCLIPrecedence(definition.Kind) []definition.Layer {
	return []definition.Layer{definition.Managed, definition.Project, definition.User, definition.Plugin}
}
