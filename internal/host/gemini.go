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

func geminiConnect(string) Connect {
	return Connect{
		Project: []string{".gemini/settings.json"}, User: []string{".gemini/settings.json"},
		Next: "it reads the file only in a folder that you trust; see /mcp",
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
		{CellClashes, FromSource, "The host's own commands keep their names: a file of the same name is renamed. A command of an extension has a plain name, and EXTENSION:NAME where another has that.", "SlashCommandResolver.ts"},
		{CellClashes, Inferred, "Commands of its own that only some settings or builds bring count as there.", ""},
		{CellListing, Observed, "Lists every skill in full, without escaping and without a limit; disable-model-invocation changes nothing.", "n09, n14, row dmi"},
		{CellListing, Observed, "Neither commands nor agents are listed.", "n05, n06"},
		{CellListing, FromSource, "The form, with the path of each file; what is read first is listed first: extensions, user, project.", "prompts/snippets.ts"},
		{CellListing, Inferred, "Within one directory skills are ordered by name.", ""},
		{CellInstructions, Observed, "Reads GEMINI.md alone: the user's into the system prompt, the project's into the first message, each with what it imports.", "n02, n03, n04"},
		{CellInstructions, FromSource, "Imports go five files deep and stay inside the project; there are none in code. A file that is touched brings in the GEMINI.md of the directories above it.", "utils/memoryImportProcessor.ts, context/memoryContextManager.ts"},
		{CellInstructions, FromSource, "context.fileName of the settings names other files in the place of GEMINI.md; that of the project replaces the user's. Extensions keep GEMINI.md here.", "utils/memoryDiscovery.ts"},
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

// geminiListing is that of Gemini CLI 0.61.0: everything in full (n14), nothing
// escaped and nothing hidden (n09 and the frontmatter matrix), no agents (n06),
// no commands (n05). The form is source (packages/core/src/prompts/snippets.ts), as
// is the order of directories; that of the skills in one is inferred.
func geminiListing() *Listing {
	return &Listing{
		Manual: true,
		Line: func(e ListedItem) string {
			return "  <skill>\n    " + xmlTag("name", e.Name) + "\n    " + xmlTag("description", e.Description) +
				"\n    " + xmlTag("location", e.Path) + "\n  </skill>"
		},
		Frame: func(t ListedText) string {
			return "# Available Agent Skills\n\nYou have access to the following specialized skills. To activate a skill and " +
				"receive its detailed instructions, call the `activate_skill` tool with the skill's name.\n\n" +
				xmlTall("available_skills", strings.Join(t.Lines, "\n"))
		},
		Rank:    byRowsReversed(definition.Plugin, definition.User, definition.Project),
		Compare: strings.Compare,
	}
}

// geminiInstructions are those of Gemini CLI 0.61.0: GEMINI.md alone, with what it
// imports, the user's in the system prompt and the project's in the first message
// (n02, n03, n04). The order, the imports and the wrapping are source
// (packages/core/src/utils/memoryDiscovery.ts, memoryImportProcessor.ts,
// config/config.ts); the host's words on precedence before the user's are left out.
// What a touched file brings in stands behind the result of the tool.
func geminiInstructions() *Instructions {
	const file = "GEMINI.md"
	return &Instructions{
		Rows: []InstructionRow{
			{Layer: definition.User, Source: SourceUser, Dir: ".gemini", File: file},
			{Layer: definition.Plugin, Source: SourceUser, File: file},
			{Layer: definition.Project, Source: SourceProject, File: file},
		},
		MaxFile: maxNeutralFile, Whole: true, Imports: ImportsInline, Depth: 5, Inline: geminiInline(),
		Compose: func(_ InstructionSession, files []InstructionText) []InstructionMessage {
			var messages []InstructionMessage
			if own := contextBlocks(files, definition.User, absolutePath); own != "" {
				messages = append(messages, InstructionMessage{"system", xmlTall("loaded_context", own)})
			}
			var parts []string
			if extension := contextBlocks(files, definition.Plugin, absolutePath); extension != "" {
				parts = append(parts, xmlTall("extension_context", extension))
			}
			if project := contextBlocks(files, definition.Project, absolutePath); project != "" {
				parts = append(parts, xmlTall("project_context", project))
			}
			if len(parts) > 0 {
				messages = append(messages, InstructionMessage{"user", xmlTall("loaded_context", strings.Join(parts, "\n"))})
			}
			return messages
		},
		Brought: func(_ InstructionSession, files []InstructionText) []InstructionMessage {
			return []InstructionMessage{{
				"tool_result", "--- Newly Discovered Project Context ---\n" +
					contextBlocks(files, definition.Project, absolutePath) + "\n--- End Project Context ---",
			}}
		},
		Closer: "</loaded_context>",
	}
}

// geminiInline are the comments around imports.
func geminiInline() InlineTexts {
	failed := func(path, why string) string { return "<!-- Import failed: " + path + " - " + why + " -->" }
	return InlineTexts{
		Imported: func(path, text string) string {
			return "<!-- Imported from: " + path + " -->\n" + text + "\n<!-- End of import from: " + path + " -->"
		},
		Failed:  failed,
		Outside: func(path string) string { return failed(path, "Path traversal attempt") },
		Again:   func(path string) string { return "<!-- File already processed: " + path + " -->" },
		Missing: func(abs string) string { return "ENOENT: no such file or directory, access '" + abs + "'" },
	}
}

func absolutePath(path string) string { return path }

// contextBlocks are the files of a layer, each between two lines with its path. A
// layer of 0 is all of them.
func contextBlocks(files []InstructionText, layer definition.Layer, shown func(path string) string) string {
	var list []string
	for _, f := range files {
		if layer == 0 || f.Layer == layer {
			at := shown(f.Path)
			list = append(list, "--- Context from: "+at+" ---\n"+f.Text+"\n--- End of Context from: "+at+" ---")
		}
	}
	return strings.Join(list, "\n\n")
}

func geminiConfigs() []Config {
	return []Config{
		serversIn(definition.Project, InProject, ".gemini/settings.json", geminiServers()).withHooks("hooks"),
		serversIn(definition.User, InHome, ".gemini/settings.json", geminiServers()).movedBy(geminiHome, EnvHome).withHooks("hooks"),
	}
}
