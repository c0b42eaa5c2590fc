package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// geminiHost is the Gemini CLI.
func geminiHost() Host {
	return Host{
		Name: "gemini", Versions: []string{"0.61.0"}, View: geminiView,
		Export: geminiExport, Servers: geminiServers, Connect: geminiConnect,
		// source
		Client: func(name string) bool {
			return name == "gemini-cli" || strings.HasPrefix(name, "gemini-cli-mcp-client")
		},
		Tools: geminiNeutralTools,
		// TOML is the format of its commands alone.
		Bodies: func() *Bodies {
			return &Bodies{Format: definition.TOML, Syntax: func(definition.Kind) *Syntax { return geminiSyntax(definition.Command) }}
		},
		AgentServers: geminiAgentServers,
	}
}

func geminiView(string) *Profile {
	return &Profile{
		Facts:     geminiFacts(),
		Roots:     geminiRoots(),
		Ancestors: ToRepository,
		MaxFile:   maxHostFile,
		Silent:    true,
		Walk:      Walk{SkipHidden: true},
		Trust: Trust{
			Needed: true, How: "trust the folder when the host asks for it, or with /permissions", Basis: FromSource,
		},
		Plugins: &Plugins{Manifests: []Manifest{{Path: "gemini-extension.json", Servers: geminiServers()}}, Root: "${extensionPath}", Installed: Installed{Dirs: []InstalledDir{
			{Path: ".gemini/extensions", Levels: 1, Env: geminiHome, EnvDepth: EnvHome},
		}}},
		Configs: geminiConfigs(),
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
		Unread:       geminiUnread(), Adaptations: geminiAdaptations(),
		Switches: SwitchTouched,
	}
}

func geminiFacts() []Fact {
	return []Fact{
		{Cell: CellRoots, Basis: Observed, Text: "Reads skills from .gemini/skills and .agents/skills of the working directory and of the home directory.", From: "n01"},
		{Cell: CellRoots, Basis: FromSource, Text: "The later of two skills with one name wins: the project's before the user's, .agents before .gemini.", From: "skillManager.ts"},
		{Cell: CellRoots, Basis: Documented, Text: "Extensions are the directories of ~/.gemini/extensions that have a gemini-extension.json.", From: "docs/extensions"},
		{Cell: CellRoots, Basis: FromSource, Text: "GEMINI_CLI_HOME takes the place of the home directory.", From: "core/src/utils/paths.ts"},
		{Cell: CellWalk, Basis: Observed, Text: "A skill stands in the root itself or one directory below it; directories that begin with a dot, and node_modules, are left out.", From: "n09, rows .hid, d7 and node_modules/nm"},
		{Cell: CellWalk, Basis: Observed, Text: "Links are followed.", From: "rows dirlink and filelink"},
		{Cell: CellWalk, Basis: FromSource, Text: "Commands are found at any depth, in directories that begin with a dot too.", From: "FileCommandLoader.ts"},
		{Cell: CellDelimiters, Basis: Observed, Text: "The file has to begin with \"---\" and a line ending at once; the next line that begins with \"---\" closes the block.", From: "rows blank, bom, tailo"},
		{Cell: CellDelimiters, Basis: FromSource, Text: "A closing line with more than \"---\" on it leaves the skill without a body.", From: "skillLoader.ts"},
		{Cell: CellYAML, Basis: Observed, Text: "Where the YAML does not parse, or name or description is no text, both are taken from their lines as they are written.", From: "rows anch, at, bracket, listdesc, quote; n09"},
		{Cell: CellAgents, Basis: Observed, Text: "No agent is named in the first message.", From: "n06"},
		{Cell: CellAgents, Basis: FromSource, Text: "Agents are the *.md files of .gemini/agents and ~/.gemini/agents whose names do not begin with \"_\".", From: "formats dossier, section 6"},
		{Cell: CellTrust, Basis: FromSource, Text: "Skills and commands of the project are read only in a trusted folder.", From: "skillManager.ts"},
		{Cell: CellCommands, Basis: Observed, Text: "Commands are TOML files: @{path} is put in first, then !{command} runs, and {{args}} is what was typed, quoted for a shell inside of a command.", From: "n05"},
		{Cell: CellCommands, Basis: FromSource, Text: "Without {{args}}, all that was typed stands behind the text; a brace that is not closed ends the call.", From: "prompt-processors"},
		{Cell: CellRendering, Basis: Observed, Text: "Each output has a line behind it that says how the command ended; each file is a part of its own.", From: "n05"},
		{Cell: CellRendering, Basis: Observed, Text: "Nothing in the body of a skill is replaced, and without a terminal /name of a skill is text.", From: "n07, n08"},
		{Cell: CellRendering, Basis: FromSource, Text: "$& and its like in the arguments mean what they mean to String.replace; files are cut at 2,000 lines of 2,000 characters.", From: "shellProcessor.ts, fileUtils.ts"},
		{Cell: CellFields, Basis: Observed, Text: "A skill needs name and description; everything else is ignored, disable-model-invocation too. There are no limits of length.", From: "rows desc1600, dmi, nodesc, noname, unk"},
		{Cell: CellFields, Basis: FromSource, Text: "An agent is checked strictly: a field that is not known, or of another type, keeps it from being loaded.", From: "agents/agentLoader.ts"},
		{Cell: CellFields, Basis: FromSource, Text: "A command needs a prompt.", From: "FileCommandLoader.ts"},
		{Cell: CellNames, Basis: Observed, Text: "A skill has the name in its frontmatter, whatever that of its directory.", From: "rows badname, mism, numname, spname"},
		{Cell: CellNames, Basis: FromSource, Text: "In the names of skills : \\ / < > * ? \" and | become hyphens.", From: "skillLoader.ts"},
		{Cell: CellNames, Basis: FromSource, Text: "Commands are named by their path, with colons; other characters than letters, digits, \"_\", \"-\" and \".\" become \"_\", and parts of more than 50 characters are cut.", From: "FileCommandLoader.ts"},
		{Cell: CellClashes, Basis: Observed, Text: "Of two skills the one that is read last wins: the project before the user, .agents before .gemini.", From: "observations of n11"},
		{Cell: CellClashes, Basis: Observed, Text: "Of two commands neither keeps the name: they become user.NAME and workspace.NAME.", From: "formats dossier, section 6"},
		{Cell: CellClashes, Basis: FromSource, Text: "The host's own commands keep their names: a file of the same name is renamed. A command of an extension has a plain name, and EXTENSION:NAME where another has that.", From: "SlashCommandResolver.ts"},
		{Cell: CellClashes, Basis: Inferred, Text: "Commands of its own that only some settings or builds bring count as there."},
		{Cell: CellListing, Basis: Observed, Text: "Lists every skill in full, without escaping and without a limit; disable-model-invocation changes nothing.", From: "n09, n14, row dmi"},
		{Cell: CellListing, Basis: Observed, Text: "Neither commands nor agents are listed.", From: "n05, n06"},
		{Cell: CellListing, Basis: FromSource, Text: "The form, with the path of each file; what is read first is listed first: extensions, user, project.", From: "prompts/snippets.ts"},
		{Cell: CellListing, Basis: Inferred, Text: "Within one directory skills are ordered by name."},
		{Cell: CellInstructions, Basis: Observed, Text: "Reads GEMINI.md alone: the user's into the system prompt, the project's into the first message, each with what it imports.", From: "n02, n03, n04"},
		{Cell: CellInstructions, Basis: FromSource, Text: "Imports go five files deep and stay inside the project; there are none in code. A file that is touched brings in the GEMINI.md of the directories above it.", From: "utils/memoryImportProcessor.ts, context/memoryContextManager.ts"},
		{Cell: CellInstructions, Basis: FromSource, Text: "context.fileName of the settings names other files in the place of GEMINI.md; that of the project replaces the user's. Extensions keep GEMINI.md here.", From: "utils/memoryDiscovery.ts"},
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
		placesIn(definition.User, InHome).movedBy(geminiHome, EnvHome).
			dir(".agents/skills", skill).dir(".gemini/skills", skill).
			dir(".gemini/commands", commands).last(hidden).dir(".gemini/agents", agents).
			file(".gemini/GEMINI.md"),
		placesIn(definition.Plugin, InPlugin).
			dir("skills", skill).dir("commands", commands).last(func(r *Root) { r.Hidden, r.PlainNames = true, true }).dir("agents", agents).file("GEMINI.md"),
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

// geminiFields: a skill has two fields. Where they are no texts, or the YAML does
// not parse, the text of their lines is taken (source, skillLoader.ts; rows
// "numname" and "listdesc"). Agents are checked strictly (source, agentLoader.ts),
// commands are TOML (source, FileCommandLoader.ts).
func geminiFields(k definition.Kind) []FieldRule {
	switch k {
	case definition.Skill:
		return []FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: TakesText, Type: Quotes, Required: true, Basis: Observed, About: "The name of the skill."},
			{
				Key: "description", Field: definition.FieldDescription, Takes: TakesText, Type: Quotes, Required: true, Blank: true, Basis: Observed,
				About: "What the skill does and when to use it.",
			},
		}
	case definition.Command:
		return []FieldRule{
			{Key: "prompt", Field: definition.FieldPrompt, Takes: TakesText, Type: Drops, Required: true, Basis: FromSource, About: "What is sent to the model."},
			{Key: "description", Field: definition.FieldDescription, Takes: TakesText, Type: Drops, Basis: FromSource, About: "What the command does, in a line."},
		}
	case definition.Agent:
		return geminiAgentFields()
	}
	return nil
}

func geminiAgentFields() []FieldRule {
	rules := []FieldRule{
		{Key: "name", Field: definition.FieldName, Takes: TakesText, Required: true, Pattern: `[a-z0-9_-]+`, Bad: Drops, About: "The name of the agent, in lower case."},
		{Key: "description", Field: definition.FieldDescription, Takes: TakesText, Required: true, Unless: "agent_card_url", About: "When to use the agent."},
		{Key: "kind", Takes: TakesText, Words: []string{"local", "remote"}, Bad: Drops, About: "Where the agent runs; local without it."},
		{Key: "display_name", Field: definition.FieldTitle, Takes: TakesText, About: "The name that people see."},
		{Key: "tools", Field: definition.FieldTools, Takes: TakesList, Items: TakesText, About: "The tools that it may use, by the host's own names."},
		{Key: "mcp_servers", Field: definition.FieldMCPServers, Takes: TakesMap, About: "MCP servers of the agent's own."},
		{Key: "policy", Takes: TakesMap, About: "Rules for its tools."},
		{Key: "model", Field: definition.FieldModel, Takes: TakesText, About: "The model that it runs on."},
		{Key: "temperature", Field: definition.FieldTemperature, Takes: TakesNumber, About: "How freely the model chooses its words."},
		{Key: "max_turns", Field: definition.FieldMaxTurns, Takes: TakesNumber, Whole: true, About: "The most turns that it takes."},
		{Key: "timeout_mins", Takes: TakesNumber, Whole: true, About: "The most minutes that it runs."},
		{Key: "agent_card_url", Takes: TakesText, About: "The address of a remote agent's card."},
		{Key: "auth", Takes: TakesMap, About: "How to sign in to a remote agent."},
	}
	for i := range rules {
		rules[i].Type, rules[i].Basis = Drops, FromSource
	}
	return rules
}

// geminiClosed: an unknown key of an agent is an error.
func geminiClosed(k definition.Kind) bool { return k == definition.Agent }

// geminiNaming: of skills, what a file name may not hold becomes a hyphen (source,
// skillLoader.ts); of commands, each part of the path is cleaned and cut (source,
// FileCommandLoader.ts).
func geminiNaming(k definition.Kind) NameRule {
	switch k {
	case definition.Skill:
		return NameRule{Clean: func(s string) string {
			return replaced(s, '-', func(r rune) bool { return strings.ContainsRune(`:\/<>*?"|`, r) })
		}}
	case definition.Command:
		return NameRule{Place: geminiSegment}
	}
	return NameRule{}
}

// geminiSegment is a part of a command's name.
func geminiSegment(s string) string {
	const longest, kept = 50, 47
	s = replaced(s, '_', func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-' && r != '.'
	})
	if len(s) > longest {
		return s[:kept] + "..."
	}
	return s
}

// replaced puts one character for each that bad finds. JavaScript counts those
// beyond the first plane twice.
func replaced(s string, by byte, bad func(rune) bool) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case !bad(r):
			b.WriteRune(r)
		case r > 0xffff:
			b.WriteByte(by)
			b.WriteByte(by)
		default:
			b.WriteByte(by)
		}
	}
	return b.String()
}

func geminiDescribed(k definition.Kind) DescriptionRule {
	if k == definition.Command {
		return DescriptionRule{Missing: MissingNothing, Default: func(file string) string { return "Custom command from " + file }}
	}
	return DescriptionRule{Missing: MissingNothing}
}

// geminiClash: two commands of one name are both renamed (formats dossier, section
// 6); of two skills the last that is read wins, which is the first of the order of
// layers here.
func geminiClash(k definition.Kind) Clash {
	if k == definition.Command {
		return BothRenamed
	}
	return FirstWins
}

// geminiRenamed: "/user.t" and "/workspace.t" (source, SlashCommandResolver.ts).
func geminiRenamed(o definition.Origin, name string) string {
	prefix := "workspace."
	switch {
	case o.Plugin != "":
		prefix = o.Plugin + ":"
	case o.Layer == definition.User:
		prefix = "user."
	}
	if strings.HasPrefix(name, prefix) {
		return name
	}
	return prefix + name
}

func geminiNameField(k definition.Kind) bool { return k == definition.Skill || k == definition.Agent }

// geminiRefuses: see [geminiFields]; a name that holds nothing is left to them.
func geminiRefuses(*definition.Definition) string { return "" }
