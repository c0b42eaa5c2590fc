package host

import "github.com/vadehq/vade/internal/definition"

// copilotVSCode is GitHub Copilot in VS Code.
func copilotVSCode(version string) *Profile {
	return &Profile{
		Name: "copilot-vscode", Version: version,
		Facts:     copilotVSCodeFacts(),
		Roots:     copilotVSCodeRoots(),
		Ancestors: ToRepository,
		MaxFile:   maxHostFile,
		Trust:     Trust{Needed: true, How: "trust the folder when the editor asks for it", Basis: Documented},
		Plugins: &Plugins{
			Manifests: []Manifest{
				{Path: "plugin.json", Schema: "agent-plugins.org/", Needs: []string{"skills", "agents", "commands", "hooks", "mcpServers"}},
				{Path: ".github/plugin/plugin.json"}, {Path: ".claude-plugin/plugin.json"}, {Path: ".plugin/plugin.json"},
			},
			Root: claudePluginRoot,
		},
		Configs: configsAt(".vscode/mcp.json", ".github/hooks/hooks.json"),
		UserDir: ".copilot",
		Dialect: copilotVSCodeDialect(),
		Fields:  copilotVSCodeFields, Naming: copilotVSCodeNaming, Described: copilotVSCodeDescribed,
		DeepAlike:    true,
		NameField:    copilotVSCodeNameField,
		Refuses:      copilotVSCodeRefuses,
		EmptyText:    func(definition.Kind) string { return "" },
		BrokenDrops:  func(definition.Kind) bool { return true },
		Precedence:   copilotVSCodePrecedence,
		Prompt:       copilotVSCodePrompt(),
		Listing:      copilotVSCodeListing(),
		Instructions: copilotVSCodeInstructions(),
		Switches:     SwitchTouched,
	}
}

func copilotVSCodeFacts() []Fact {
	return []Fact{
		{CellRoots, FromSource, "Reads skills from .github/skills, .agents/skills and .claude/skills of the opened folder, then from ~/.copilot/skills, ~/.agents/skills and ~/.claude/skills.", "promptFileLocations.ts"},
		{CellRoots, Documented, "The directories above the opened folder are looked into only with the setting chat.useCustomizationsInParentRepositories.", "formats dossier, section 5.2"},
		{CellWalk, Documented, "A skill stands exactly one directory below the directory of skills.", "microsoft/vscode#324646"},
		{CellWalk, FromSource, "SKILL.md may have any case.", "promptFileLocations.ts"},
		{CellWalk, Inferred, "Directories that begin with a dot are looked into, and links are followed.", ""},
		{CellDelimiters, FromSource, "The first line has to be \"---\", behind which blanks may stand; without a closing line the whole file is frontmatter.", "promptFileParser.ts"},
		{CellYAML, Inferred, "The parser is the editor's own and goes on after errors: a value without quotes is taken to the end of its line.", ""},
		{CellAgents, FromSource, "Reads *.md and *.agent.md of .github/agents, but no README.md and nothing in directories below; .claude/agents and ~/.copilot/agents as well.", "promptFileLocations.ts; formats dossier, section 5.2"},
		{CellTrust, Documented, "A folder that is opened in restricted mode has no chat, and so none of its definitions.", "workspace trust"},
		{CellCommands, Documented, "The *.prompt.md files of .github/prompts are commands; ${input:name} takes name=value of the prompt, ${workspaceFolder} is replaced.", "formats dossier, section 5.2"},
		{CellRendering, FromSource, "A call attaches the file and asks the model to follow it; the text behind the name follows on a line of its own.", "chatWidget.ts"},
		{CellRendering, Inferred, "A skill that a user calls is attached in the same way, and a model reads its file.", ""},
		{CellFields, FromSource, "A value of another type counts as absent.", "promptFileParser.ts"},
		{CellFields, FromSource, "Names are cut at 64 characters, descriptions at 1,024, and what stands in angle brackets is taken out.", "promptsServiceImpl.ts"},
		{CellNames, FromSource, "A skill has the name of its directory, whatever the frontmatter says.", "promptsServiceImpl.ts; formats dossier, section 5.2"},
		{CellNames, FromSource, "Prompts, agents and instructions have the name in their frontmatter, else that of their file.", "promptsServiceImpl.ts"},
		{CellClashes, FromSource, "The first wins: the workspace before the user, then plugins; others are left out.", "promptsServiceImpl.ts"},
		{CellListing, FromSource, "Lists skills by name, description and file, without escaping; prompts are not listed, agents only with an experimental setting.", "computeAutomaticInstructions.ts"},
		{CellListing, FromSource, "There is no limit for all together.", "computeAutomaticInstructions.ts"},
		{CellListing, Inferred, "Order: workspace, user, plugins, each by name.", ""},
		{CellInstructions, FromSource, "A file with applyTo is attached where a file that is worked on matches, or where the pattern is **, **/* or *; a pattern that names no place matches at any depth. Files without applyTo are only listed.", "computeAutomaticInstructions.ts"},
		{CellInstructions, Documented, "Attaches .github/copilot-instructions.md, AGENTS.md, CLAUDE.md, .claude/CLAUDE.md, CLAUDE.local.md and ~/.claude/CLAUDE.md; rules without paths always apply.", "formats dossier, section 5.2"},
		{CellInstructions, Inferred, "The order and what is around each file; links from one file to another are not followed here.", ""},
	}
}

func copilotVSCodeRoots() []Root {
	skill := wholeSkill(1, 1)
	skill.FoldCase = true
	readmes := Rule{Kind: definition.Agent, File: "README.md", Skip: readme}
	markdown := []Rule{
		readmes, ending(definition.Agent, ".agent.md", 0, ByStem), ending(definition.Agent, ".chatmode.md", 0, ByStem),
		ending(definition.Agent, ".md", 0, ByStem),
	}
	instructions := ending(definition.Instruction, ".instructions.md", treeDepth, ByPath)
	rules := ending(definition.Instruction, ".md", treeDepth, ByPath)
	return join(
		placesIn(definition.Project, InWorkDir).
			dir(".github/skills", skill).dir(".agents/skills", skill).dir(".claude/skills", skill).
			dir(".github/prompts", ending(definition.Command, ".prompt.md", 0, ByStem)).
			dir(".github/agents", markdown...).
			dir(".github/chatmodes", ending(definition.Agent, ".chatmode.md", 0, ByStem)).last(func(r *Root) { r.Legacy = true }).
			dir(".claude/agents", readmes, ending(definition.Agent, ".md", 0, ByStem)).
			file(".github/copilot-instructions.md").dir(".github/instructions", instructions).
			dir(".claude/rules", rules).
			file("AGENTS.md").file("CLAUDE.md").file(".claude/CLAUDE.md").file("CLAUDE.local.md"),
		placesIn(definition.User, InHome).
			dir(".copilot/skills", skill).dir(".agents/skills", skill).dir(".claude/skills", skill).
			dir(".copilot/agents", markdown...).
			dir(".copilot/instructions", instructions).dir(".claude/rules", rules).file(".claude/CLAUDE.md"),
		placesIn(definition.Plugin, InPlugin).
			dir("skills", skill).last(ofPlugin("skills", false)).
			dir("commands", ending(definition.Command, ".md", 0, ByStem)).last(ofPlugin("commands", true)).
			dir("agents", markdown...).last(ofPlugin("agents", true)),
	)
}

// copilotVSCodeDialect: the editor's parser reads on where YAML would not (inferred
// from what it is written for).
func copilotVSCodeDialect() Dialect {
	return Dialect{
		Delimiters: Delimiters{BOM: true, TrailingSpace: true, CRLF: true, OpenEnd: true},
		Repair:     RepairValues, DuplicateKeys: true,
	}
}

func copilotVSCodePrecedence(definition.Kind) []definition.Layer {
	return []definition.Layer{definition.Project, definition.User, definition.Plugin}
}
