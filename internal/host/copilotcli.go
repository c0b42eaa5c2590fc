package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/pathmatch"
)

// copilotCLIHost is the GitHub Copilot CLI.
func copilotCLIHost() Host {
	return Host{
		Name: "copilot-cli", Versions: []string{"1.0.102"}, View: copilotCLIView,
		Export: copilotCLIExport, Servers: copilotServers, Plugin: copilotPlugin, Connect: copilotCLIConnect,
		Client: copilotCLIClient, Tools: copilotNeutralTools, AgentServers: copilotAgentServers,
	}
}

// copilotCLIClient: seen by servers of others. All products that embed the agent of
// Copilot use one name, of which the CLI is meant here.
func copilotCLIClient(name string) bool {
	switch name {
	case "github-copilot-developer", "copilot-cli", "github-copilot-cli":
		return true
	}
	return false
}

func copilotCLIView(string) *Profile {
	return &Profile{
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
				{Path: ".plugin/plugin.json"}, {Path: "plugin.json"}, {Path: ".github/plugin/plugin.json"}, {Path: ".claude-plugin/plugin.json"},
			},
			Root:      sharedPluginRoot,
			Installed: Installed{Dirs: []InstalledDir{{Path: ".copilot/installed-plugins", Levels: 2, Env: copilotHome}}},
		},
		Configs: copilotCLIConfigs(),
		// Of two servers of one name the last that is loaded counts (documented): the
		// user's come first, then those of the project, then those of plugins.
		ServerLayers: []definition.Layer{definition.Managed, definition.Plugin, definition.Project, definition.User},
		UserDir:      ".copilot", UserEnv: copilotHome,
		Dialect: copilotCLIDialect(),
		// Documented: "*" and "*.py" are of the top, "src/*.py" of one directory.
		Patterns: pathmatch.Form{Globs: true, Everywhere: []string{"**", "**/*"}},
		Fields:   copilotCLIFields, Naming: copilotCLINaming, Described: copilotCLIDescribed,
		DeepAlike: true, SharedNames: true, Clash: copilotCLIClash, Renamed: copilotCLIRenamed,
		NameField:    copilotCLINameField,
		Refuses:      copilotCLIRefuses,
		EmptyText:    func(definition.Kind) string { return "" },
		BrokenDrops:  func(definition.Kind) bool { return true },
		MaxBody:      copilotCLIMaxBody,
		Precedence:   copilotCLIPrecedence,
		Prompt:       copilotCLIPrompt(),
		Listing:      copilotCLIListing(),
		Instructions: copilotCLIInstructions(),
		Unread:       copilotCLIUnread(),
		Switches:     SwitchTouched,
	}
}

func copilotCLIFacts() []Fact {
	return []Fact{
		{Cell: CellRoots, Basis: Observed, Text: "Reads skills from .github/skills, .agents/skills and .claude/skills of the project, in this order, then from ~/.copilot/skills and ~/.agents/skills; not from ~/.claude/skills.", From: "n01"},
		{Cell: CellRoots, Basis: Documented, Text: "The directories above the working directory follow it, up to the top of the repository.", From: "formats dossier, section 5.1"},
		{Cell: CellRoots, Basis: Documented, Text: "COPILOT_SKILLS_DIRS lists further directories with commas between them, which come last; COPILOT_HOME moves ~/.copilot.", From: "formats dossier, section 5.1; command reference"},
		{Cell: CellRoots, Basis: Documented, Text: "A directory is a plugin by .plugin/plugin.json, plugin.json, .github/plugin/plugin.json or .claude-plugin/plugin.json, the first that there is.", From: "formats dossier, section 5.1"},
		{Cell: CellRoots, Basis: Documented, Text: "Plugins are installed in ~/.copilot/installed-plugins, below the name of their marketplace.", From: "configuration directory reference"},
		{Cell: CellWalk, Basis: Observed, Text: "Walks down at any depth, node_modules too, but not below a directory that has a SKILL.md, and not into directories that begin with a dot.", From: "n09, rows d7, .hid and node_modules/nm"},
		{Cell: CellWalk, Basis: Observed, Text: "A SKILL.md in a directory of skills itself hides every other skill there.", From: "n15"},
		{Cell: CellWalk, Basis: Observed, Text: "Links are followed.", From: "rows dirlink and filelink"},
		{Cell: CellDelimiters, Basis: Observed, Text: "The file has to begin with a line \"---\", behind which blanks may stand; a byte order mark before it is taken. Without frontmatter a skill is not loaded.", From: "rows blank, bom, nofm, tailo"},
		{Cell: CellYAML, Basis: Observed, Text: "Nothing is repaired, and a key that stands twice is an error.", From: "rows anch, at, bracket, quote; n09"},
		{Cell: CellYAML, Basis: Documented, Text: "In instruction files a pattern may stand without quotes.", From: "changelog of 1.0.48"},
		{Cell: CellAgents, Basis: Observed, Text: "Reads *.md and *.agent.md of .github/agents and .claude/agents, and of ~/.copilot/agents.", From: "n06"},
		{Cell: CellAgents, Basis: Documented, Text: "Of two agents of one name the one nearest to the working directory wins.", From: "formats dossier, section 5.1"},
		{Cell: CellTrust, Basis: Documented, Text: "Asks whether the directory is trusted before a conversation; what a project ships is read only then.", From: "command reference"},
		{Cell: CellCommands, Basis: Observed, Text: "The files of .claude/commands are skills to the model; .github/prompts is not read.", From: "n05, n05-1"},
		{Cell: CellRendering, Basis: Observed, Text: "A call that stands on the command line is sent as the text that it is.", From: "n05, n07"},
		{Cell: CellRendering, Basis: Documented, Text: "The skill tool brings in the file as it is, with the directory and the files beside it; nothing in it is replaced or run.", From: "formats dossier, section 5.1"},
		{Cell: CellFields, Basis: Observed, Text: "A skill with a wrong value is not loaded and reported: a description that is no text or longer than 1,024 characters, true or false written in another way, a list for argument-hint, a map among the tools.", From: "rows desc1600, listdesc, yesbool; n09; formats dossier, section 5.1"},
		{Cell: CellFields, Basis: Observed, Text: "Without a description the first line of the body that is no heading takes its place, or nothing.", From: "row nodesc; n09"},
		{Cell: CellFields, Basis: Documented, Text: "An agent needs a description; one whose target is vscode is for the editor alone. Its body may have 30,000 characters.", From: "custom-agents-configuration"},
		{Cell: CellNames, Basis: Observed, Text: "A skill has the name in its frontmatter, else that of its directory; blanks become hyphens.", From: "rows mism, noname, spname"},
		{Cell: CellNames, Basis: Observed, Text: "A name begins with an ASCII letter or digit, goes on with these, \"-\", \"_\", \".\", \":\" and blanks, and has at most 64 characters; a number is none.", From: "rows badname, numname, nnn"},
		{Cell: CellNames, Basis: Inferred, Text: "The name of a directory that stands in for one is held to the same rules."},
		{Cell: CellNames, Basis: Documented, Text: "What is in a plugin has its plain name; skills of one name in two plugins are called /PLUGIN/NAME.", From: "formats dossier, section 5.1"},
		{Cell: CellClashes, Basis: Observed, Text: "The first that is found wins; a skill wins over a command.", From: "observations of n11; n05"},
		{Cell: CellListing, Basis: Observed, Text: "Lists skills and the commands of .claude/commands together; texts are escaped.", From: "n05, n09"},
		{Cell: CellListing, Basis: Observed, Text: "Of 300 skills 37 have their description; the others are named only.", From: "n14"},
		{Cell: CellListing, Basis: Inferred, Text: "The list has 15,000 characters, or SKILL_CHAR_BUDGET; entries are ordered by name. The form of one without a description is a guess.", From: "n14; records of other versions"},
		{Cell: CellListing, Basis: Observed, Text: "Agents are listed in the tools.", From: "n06"},
		{Cell: CellListing, Basis: Inferred, Text: "An agent stands there as its name and its description."},
		{Cell: CellInstructions, Basis: Observed, Text: "Reads AGENTS.md, CLAUDE.md, GEMINI.md, .github/copilot-instructions.md, .github/instructions, .claude/rules, ~/.copilot/copilot-instructions.md and ~/.copilot/instructions.", From: "n02, n03, n04"},
		{Cell: CellInstructions, Basis: Observed, Text: "What AGENTS.md and CLAUDE.md import is sent, what GEMINI.md imports is not.", From: "n02"},
		{Cell: CellInstructions, Basis: Observed, Text: "A file with applyTo: \"**\", or without applyTo, is sent always, one with another pattern not at once.", From: "n02"},
		{Cell: CellInstructions, Basis: Documented, Text: "A pattern is a glob of the path in the project: *.py is a file of the top, src/*.py one of that directory, **/*.py one at any depth.", From: "adding repository custom instructions"},
		{Cell: CellInstructions, Basis: Inferred, Text: "The case of patterns counts."},
		{Cell: CellInstructions, Basis: Inferred, Text: "The order, the form of imports and what is around each file; excludeAgent means other products than this one."},
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
		placesIn(definition.User, InHome).movedBy(copilotHome, 0).
			dir(".copilot/skills", skill).dir(".copilot/agents", markdown...).
			file(".copilot/copilot-instructions.md").dir(".copilot/instructions", instructions),
		placesIn(definition.User, InHome).dir(".agents/skills", skill),
		placesIn(definition.User, InEnv).movedBy("COPILOT_SKILLS_DIRS", 0).dir("", skill),
		placesIn(definition.User, InEnv).movedBy("COPILOT_CUSTOM_INSTRUCTIONS_DIRS", 0).
			file("AGENTS.md").dir(".github/instructions", instructions),
		placesIn(definition.Plugin, InPlugin).plain().
			dir("skills", skill).last(ofPlugin("skills", true)).
			dir("agents", markdown...).last(ofPlugin("agents", true)).
			dir("commands", ending(definition.Command, ".md", 0, ByStem)).last(ofPlugin("commands", true)),
	)
}

// copilotHome moves the user's directory.
const copilotHome = "COPILOT_HOME"

func copilotCLIDialect() Dialect {
	return Dialect{
		Delimiters: Delimiters{BOM: true, TrailingSpace: true, CRLF: true}, Needed: isSkill,
		// Patterns of instruction files may stand without quotes (documented: 1.0.48).
		Other: func(k definition.Kind, d Dialect) Dialect {
			if k == definition.Instruction {
				d.Repair = RepairValues
			}
			return d
		},
	}
}

func copilotCLIPrecedence(definition.Kind) []definition.Layer {
	return []definition.Layer{definition.Managed, definition.Project, definition.User, definition.Plugin}
}

// copilotCLIFields: a skill with a wrong value is dropped and reported. That a
// null counts as absent is inferred.
func copilotCLIFields(k definition.Kind) []FieldRule {
	const text, flag = TakesText | TakesNull, TakesBool | TakesNull
	switch k {
	case definition.Skill:
		return append([]FieldRule{{
			Key: "name", Field: definition.FieldName, Takes: text, Type: Drops, Max: 64, Long: Drops,
			Pattern: `[A-Za-z0-9][A-Za-z0-9_.: -]*`, Bad: Drops, Basis: Observed,
			About: "The name of the skill; its directory without it. Blanks become hyphens.",
		}}, copilotSkillFields(Observed)...)
	case definition.Command:
		return copilotSkillFields(Inferred)
	case definition.Agent:
		return []FieldRule{
			{Key: "name", Field: definition.FieldTitle, Takes: text, Basis: Documented, About: "The name that people see; agents go by the name of their file."},
			{Key: "description", Field: definition.FieldDescription, Takes: text, Required: true, Basis: Documented, About: "What the agent is for."},
			{Key: "tools", Field: definition.FieldTools, Takes: text | TakesList, Items: TakesText, Basis: Documented, About: "The tools that it may use; all without it."},
			{Key: "model", Field: definition.FieldModel, Takes: text, Basis: Documented, About: "The model that it runs on."},
			{Key: "models", Takes: TakesList | TakesNull, Basis: Documented, About: "Models that it may run on."},
			{Key: "modelPolicy", Takes: text, Basis: Documented, About: "How a model is chosen."},
			{Key: "reasoningEffort", Field: definition.FieldEffort, Takes: text, Basis: Documented, About: "How much the model thinks."},
			{Key: "mcp-servers", Field: definition.FieldMCPServers, Takes: TakesMap | TakesNull, Basis: Documented, About: "MCP servers of the agent's own."},
			{Key: "infer", Takes: flag, Basis: Documented, About: "Retired; disable-model-invocation says the opposite."},
			{Key: "include-custom-instructions", Takes: flag, Basis: Documented, About: "Whether instruction files are put before it."},
			{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: flag, Basis: Documented, About: "Only people can start the agent."},
			{Key: "user-invocable", Field: definition.FieldUserInvocable, Takes: flag, Basis: Documented, About: "Whether people can choose the agent."},
			{Key: "target", Field: definition.FieldTarget, Takes: text, Words: []string{"vscode", "github-copilot"}, Basis: Documented, About: "The one environment that it is for."},
			{Key: "metadata", Field: definition.FieldMetadata, Takes: TakesAny, Inert: true, Basis: Documented, About: "Further keys and their texts."},
		}
	case definition.Instruction:
		return []FieldRule{
			{Key: "applyTo", Field: definition.FieldApplyTo, Takes: text | TakesList, Basis: Documented, About: "Patterns of the files that the instructions are for."},
			{Key: "paths", Field: definition.FieldPaths, Takes: text | TakesList, Basis: Documented, About: "What applyTo is, in .claude/rules."},
			{Key: "excludeAgent", Field: definition.FieldExcludeAgent, Takes: text | TakesList, Basis: Documented, About: "Agents that do not get the instructions."},
			{Key: "name", Field: definition.FieldTitle, Takes: TakesAny, Inert: true, Basis: Documented, About: "The name that people see."},
			{Key: "description", Field: definition.FieldDescription, Takes: text, Basis: Documented, About: "What the instructions are about."},
		}
	}
	return nil
}

// copilotSkillFields are those of skills, and of the commands that appear as such.
func copilotSkillFields(b Basis) []FieldRule {
	const text, flag = TakesText | TakesNull, TakesBool | TakesNull
	return []FieldRule{
		{
			Key: "description", Field: definition.FieldDescription, Takes: text, Type: Drops, Max: 1024, Long: Drops, Basis: b,
			About: "What it does and when to use it; the first line of the body that is no heading without it.",
		},
		{Key: "argument-hint", Field: definition.FieldArgumentHint, Takes: text, Type: Drops, Basis: b, About: "The arguments, shown to people."},
		{
			Key: "allowed-tools", Field: definition.FieldAllowedTools, Takes: text | TakesList, Type: Drops, Items: TakesText, Basis: b,
			About: "The tools that it may use without being asked, with commas between them or as a list.",
		},
		{Key: "user-invocable", Field: definition.FieldUserInvocable, Takes: flag, Type: Drops, Basis: b, About: "Whether people can call it; true or false, not yes or no."},
		{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: flag, Type: Drops, Basis: Inferred, About: "Only people can call it; true or false."},
		{Key: "license", Field: definition.FieldLicense, Takes: TakesAny, Inert: true, Basis: Documented, About: "The licence."},
		{Key: "compatibility", Field: definition.FieldCompatibility, Takes: TakesAny, Inert: true, Basis: Documented, About: "What it needs to run."},
		{Key: "metadata", Field: definition.FieldMetadata, Takes: TakesAny, Inert: true, Basis: b, About: "Further keys and their texts."},
	}
}

// copilotCLINaming: "Space Name" becomes "Space-Name" (row "spname"). That the name
// of a directory is held to the same rules is inferred.
func copilotCLINaming(k definition.Kind) NameRule {
	if k != definition.Skill {
		return NameRule{}
	}
	return NameRule{PlaceFits: true, Clean: func(s string) string { return strings.ReplaceAll(strings.TrimSpace(s), " ", "-") }}
}

// copilotCLIClash: of two plugins' skills of one name each gets that of its plugin
// (documented).
func copilotCLIClash(k definition.Kind) Clash {
	if k == definition.Skill {
		return PluginsRenamed
	}
	return FirstWins
}

func copilotCLIRenamed(o definition.Origin, name string) string { return o.Plugin + "/" + name }

// copilotCLIDescribed: row "nodesc" and case n09.
func copilotCLIDescribed(k definition.Kind) DescriptionRule {
	if k == definition.Skill || k == definition.Command {
		return DescriptionRule{Missing: MissingText}
	}
	return DescriptionRule{Missing: MissingNothing}
}

func copilotCLINameField(k definition.Kind) bool { return k == definition.Skill }

// copilotCLIRefuses: an agent for the other environment is not loaded (documented).
func copilotCLIRefuses(d *definition.Definition) string { return otherTarget(d, "github-copilot") }

// copilotCLIMaxBody: the prompt of an agent (documented).
func copilotCLIMaxBody(k definition.Kind) int {
	if k == definition.Agent {
		return 30_000
	}
	return 0
}

// otherTarget says why an agent that names its environment is not loaded in
// another one; "" where it names none.
func otherTarget(d *definition.Definition, own string) string {
	if d.Kind != definition.Agent || d.Fields.Target() == "" || d.Fields.Target() == own {
		return ""
	}
	return "its target is " + d.Fields.Target()
}
