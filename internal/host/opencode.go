package host

import (
	"github.com/vadehq/vade/internal/definition"
)

// openCodeHost is opencode.
func openCodeHost() Host {
	return Host{
		Name: "opencode", Versions: []string{"1.18.33"}, View: openCodeView,
		Export: openCodeExport, Servers: openCodeServers, Connect: openCodeConnect,
		Client: func(name string) bool { return name == "opencode" }, // source
		Tools:  toolsNamed(openCodeTool),
		Bodies: func() *Bodies {
			return &Bodies{Dirs: []string{".opencode", ".config/opencode"}, Syntax: openCodeSyntax}
		},
	}
}

func openCodeView(string) *Profile {
	return &Profile{
		Facts:     openCodeFacts(),
		Roots:     openCodeRoots(),
		Ancestors: ToFilesystem,
		MaxFile:   maxHostFile,
		Silent:    true,
		Walk:      Walk{SkipHidden: true, Modules: true},
		// The first of the three that any directory of the project has is the one that
		// is read; of the user's two the host's own (n02, n04; source).
		Fallbacks: []Fallback{
			{Files: []string{"CLAUDE.md", "CONTEXT.md"}, Unless: []string{"AGENTS.md"}},
			{Files: []string{"CONTEXT.md"}, Unless: []string{"CLAUDE.md"}},
			{Files: []string{"CLAUDE.md"}, Unless: []string{"AGENTS.md"}, Layer: definition.User},
		},
		Configs: openCodeConfigs(),
		UserDir: ".config/opencode", UserEnv: "XDG_CONFIG_HOME",
		Dialect: openCodeDialect(),
		Fields:  openCodeFields, Naming: openCodeNaming, Described: openCodeDescribed,
		DeepAlike: true, Clash: openCodeClash,
		NameField:    openCodeNameField,
		Refuses:      openCodeRefuses,
		EmptyText:    func(definition.Kind) string { return "" },
		BrokenDrops:  func(definition.Kind) bool { return true },
		Precedence:   openCodePrecedence,
		Prompt:       openCodePrompt(),
		Listing:      openCodeListing(),
		Instructions: openCodeInstructions(),
		Unread:       openCodeUnread(),
		Switches:     SwitchTouched,
	}
}

func openCodeFacts() []Fact {
	return []Fact{
		{Cell: CellRoots, Basis: Observed, Text: "Reads skills from .claude/skills, .agents/skills, .opencode/skill and .opencode/skills of the project, from ~/.claude/skills and ~/.agents/skills, and from ~/.config/opencode/skill and skills.", From: "n01"},
		{Cell: CellRoots, Basis: FromSource, Text: "Looks in every directory from the working directory up to the top of the repository; without a repository up to the root of the file system.", From: "skill/index.ts, config/paths.ts"},
		{Cell: CellRoots, Basis: FromSource, Text: "XDG_CONFIG_HOME moves ~/.config; OPENCODE_CONFIG_DIR names one more directory like it.", From: "config/paths.ts"},
		{Cell: CellWalk, Basis: Observed, Text: "A skill may stand at any depth, in the root itself, in node_modules and inside another skill.", From: "n09, rows d7, node_modules/nm and par"},
		{Cell: CellWalk, Basis: Observed, Text: "Directories that begin with a dot are looked into below .claude/skills and .agents/skills, and not below the host's own.", From: "n09, row .hid"},
		{Cell: CellWalk, Basis: Observed, Text: "Links are followed; one that leads back to its own directory is followed again and again, which is not repeated here.", From: "rows dirlink and filelink; formats dossier, section 10.2"},
		{Cell: CellDelimiters, Basis: Observed, Text: "The file has to begin with \"---\", behind which blanks may stand; a byte order mark before it is taken.", From: "rows blank, bom, tailo"},
		{Cell: CellDelimiters, Basis: FromSource, Text: "The next line that begins with \"---\" closes the block; without one all of the file is frontmatter.", From: "gray-matter"},
		{Cell: CellYAML, Basis: Observed, Text: "Where the YAML does not parse, values with a colon become blocks of text and it is tried again; other errors, and a key that stands twice, drop the file.", From: "rows anch, at, bracket, quote; n09"},
		{Cell: CellYAML, Basis: Observed, Text: "Tabs that indent a line count as nothing.", From: "n09"},
		{Cell: CellAgents, Basis: Observed, Text: "Reads the *.md files of .opencode/agent and .opencode/agents.", From: "n06"},
		{Cell: CellAgents, Basis: FromSource, Text: "They stand at any depth, and in ~/.config/opencode as well.", From: "config/config.ts"},
		{Cell: CellTrust, Basis: FromSource, Text: "Nothing has to be trusted.", From: "skill/index.ts"},
		{Cell: CellCommands, Basis: Observed, Text: "Commands and skills alike are templates: $1 counts from one and the highest takes the rest, $0 is \"undefined\", $ARGUMENTS is the line, !`command` runs, @path attaches a file.", From: "n05, n07"},
		{Cell: CellCommands, Basis: Observed, Text: "A name that is no command ends the run.", From: "n05-1"},
		{Cell: CellCommands, Basis: FromSource, Text: "agent, model and subtask of the frontmatter change the turn; arguments without a place stand behind the text.", From: "session/prompt.ts"},
		{Cell: CellRendering, Basis: Observed, Text: "A file that the finished text mentions follows as what its Read tool says of it.", From: "n05, n07"},
		{Cell: CellRendering, Basis: FromSource, Text: "Only the standard output of a command counts, failed or not, and nobody is asked; arguments are put in before commands are looked for.", From: "session/prompt.ts"},
		{Cell: CellRendering, Basis: FromSource, Text: "The skill tool gives the body with ten of the files beside it.", From: "tool/skill.ts"},
		{Cell: CellFields, Basis: Observed, Text: "A skill needs a name that is text; a description may be missing, and has to be text where it is not. Everything else is ignored, disable-model-invocation too.", From: "rows dmi, listdesc, nodesc, noname, numname"},
		{Cell: CellFields, Basis: FromSource, Text: "A command or agent with a value of another type makes the host report its configuration as invalid.", From: "config/command.ts, v1/config/agent.ts"},
		{Cell: CellFields, Basis: FromSource, Text: "An agent with disable: true is taken out of use.", From: "config/config.ts"},
		{Cell: CellFields, Basis: Inferred, Text: "A description that YAML takes for a date is no text, and the skill is not loaded; here it is text."},
		{Cell: CellNames, Basis: Observed, Text: "A skill has the name in its frontmatter, whatever that of its directory.", From: "rows badname, mism, spname"},
		{Cell: CellNames, Basis: FromSource, Text: "Commands and agents are named by their path, with slashes, or by the name in their frontmatter.", From: "config/command.ts, config/agent.ts"},
		{Cell: CellClashes, Basis: FromSource, Text: "Skills are read side by side: of two of one name the one that is done last wins, which differs from run to run.", From: "skill/index.ts; formats dossier, section 7"},
		{Cell: CellClashes, Basis: Inferred, Text: "A command wins over a skill of its name when it is called."},
		{Cell: CellListing, Basis: Observed, Text: "Lists every skill in full, without escaping and without a limit; disable-model-invocation changes nothing.", From: "n09, n14, row dmi"},
		{Cell: CellListing, Basis: Observed, Text: "Agents are listed in the tools, commands are not listed.", From: "n05, n06"},
		{Cell: CellListing, Basis: FromSource, Text: "The forms; skills and agents by name, and no agent whose mode is primary.", From: "skill/index.ts, tool/registry.ts"},
		{Cell: CellListing, Basis: Inferred, Text: "A skill without a description is not listed.", From: "ports of it"},
		{Cell: CellInstructions, Basis: Observed, Text: "Reads AGENTS.md, or CLAUDE.md where no directory has one, and ~/.config/opencode/AGENTS.md, or else ~/.claude/CLAUDE.md; nothing is imported.", From: "n02, n03, n04"},
		{Cell: CellInstructions, Basis: FromSource, Text: "From the working directory up, the project before the user. A file that is read brings in those of the directories above it, down from the working directory.", From: "session/instruction.ts"},
		{Cell: CellInstructions, Basis: FromSource, Text: "The instructions of opencode.json name further files; they are not read here.", From: "session/instruction.ts"},
	}
}

// openCodeRoots: which of two skills with one name wins differs from run to run; the
// order is that of n11, where the host's own directory of the project won.
func openCodeRoots() []Root {
	skill := skillFile(0, anyDepth)
	own := func(p *places, at string) *places {
		return p.dir(below(at, "skills"), skill).dir(below(at, "skill"), skill).
			dir(below(at, "commands"), ending(definition.Command, ".md", anyDepth, BySlashPath)).
			dir(below(at, "command"), ending(definition.Command, ".md", anyDepth, BySlashPath)).
			dir(below(at, "agents"), ending(definition.Agent, ".md", anyDepth, BySlashPath)).
			dir(below(at, "agent"), ending(definition.Agent, ".md", anyDepth, BySlashPath))
	}
	// The directories that belong to others are listed with what begins with a dot.
	shared := func(p *places) *places {
		hidden := func(r *Root) { r.Hidden = true }
		return p.dir(".agents/skills", skill).last(hidden).dir(".claude/skills", skill).last(hidden)
	}
	return join(
		shared(own(placesIn(definition.Project, InProject), ".opencode")).
			file("AGENTS.md").file("CLAUDE.md").file("CONTEXT.md"),
		own(placesIn(definition.User, InHome).movedBy("XDG_CONFIG_HOME", 0), ".config/opencode").file(".config/opencode/AGENTS.md"),
		own(placesIn(definition.User, InHome), ".opencode"),
		own(placesIn(definition.User, InEnv).movedBy("OPENCODE_CONFIG_DIR", 0), ""),
		shared(placesIn(definition.User, InHome)).file(".claude/CLAUDE.md"),
	)
}

func openCodeDialect() Dialect {
	return Dialect{
		Delimiters: Delimiters{
			BOM: true, TrailingSpace: true, CRLF: true, CloserPrefix: true, OpenEnd: true, Behind: BodyAtOnce,
		},
		Needed: isSkill, Second: SecondBlocks, TabIndent: true,
	}
}

func openCodePrecedence(definition.Kind) []definition.Layer {
	return []definition.Layer{definition.Project, definition.User}
}

// openCodeFields: skills have two fields (source, skill/index.ts; rows "nodesc"
// and "numname"), and a null is no text. A command or agent with a wrong value
// makes the host report its configuration as invalid (source, config/command.ts
// and v1/config/agent.ts).
func openCodeFields(k definition.Kind) []FieldRule {
	switch k {
	case definition.Skill:
		return []FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: TakesText, Type: Drops, Required: true, Basis: Observed, About: "The name of the skill."},
			{Key: "description", Field: definition.FieldDescription, Takes: TakesText, Type: Drops, Basis: Observed, About: "What the skill does and when to use it; without it the model does not see the skill."},
		}
	case definition.Command:
		return []FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: TakesText, Type: Drops, Basis: FromSource, About: "The name of the command, in place of its path."},
			{Key: "description", Field: definition.FieldDescription, Takes: TakesText, Type: Drops, Basis: FromSource, About: "What the command does, in a line."},
			{Key: "agent", Field: definition.FieldAgent, Takes: TakesText, Type: Drops, Basis: FromSource, About: "The agent that runs it."},
			{Key: "model", Field: definition.FieldModel, Takes: TakesText, Type: Drops, Basis: FromSource, About: "The model that it runs on, as provider/model."},
			{Key: "subtask", Field: definition.FieldSubtask, Takes: TakesBool, Type: Drops, Basis: FromSource, About: "Runs it in a conversation of its own."},
		}
	case definition.Agent:
		return openCodeAgentFields()
	}
	return nil
}

func openCodeAgentFields() []FieldRule {
	rules := []FieldRule{
		{Key: "name", Field: definition.FieldName, Takes: TakesText, About: "The name of the agent, in place of its path."},
		{Key: "description", Field: definition.FieldDescription, Takes: TakesText, About: "When to use the agent."},
		{Key: "mode", Field: definition.FieldMode, Takes: TakesText, Words: []string{"subagent", "primary", "all"}, Bad: Drops, About: "Whether other agents start it, people choose it, or both."},
		{Key: "model", Field: definition.FieldModel, Takes: TakesText, About: "The model that it runs on, as provider/model."},
		{Key: "variant", Takes: TakesText, About: "The variant of the model."},
		{Key: "temperature", Field: definition.FieldTemperature, Takes: TakesNumber, About: "How freely the model chooses its words."},
		{Key: "top_p", Takes: TakesNumber, About: "The share of likely words that the model chooses from."},
		{Key: "prompt", Takes: TakesAny, Inert: true, About: "The body of the file takes its place."},
		{Key: "tools", Takes: TakesMap, Items: TakesBool, About: "Tools that are on or off; permission is the newer way."},
		{Key: "permission", Takes: TakesMap | TakesText, About: "What it may do, with or without asking."},
		{Key: "disable", Takes: TakesBool, Disables: true, About: "Takes the agent out of use."},
		{Key: "hidden", Takes: TakesBool, About: "Keeps a subagent out of completion."},
		{Key: "options", Takes: TakesMap, About: "Options for the provider of the model."},
		{
			Key: "color", Field: definition.FieldColor, Takes: TakesText, Pattern: `#[0-9a-fA-F]{6}|primary|secondary|accent|success|warning|error|info`, Bad: Drops,
			About: "The colour in which it is shown.",
		},
		{Key: "steps", Takes: TakesNumber, Whole: true, About: "The most steps that it takes."},
		{Key: "maxSteps", Field: definition.FieldMaxTurns, Takes: TakesNumber, Whole: true, About: "The older name of steps."},
	}
	for i := range rules {
		rules[i].Type, rules[i].Basis = Drops, FromSource
	}
	return rules
}

// openCodeNaming: the parts of a command's or an agent's path have slashes
// between them (formats dossier, section 7).
func openCodeNaming(k definition.Kind) NameRule {
	if k == definition.Command || k == definition.Agent {
		return NameRule{Join: "/"}
	}
	return NameRule{}
}

// openCodeDescribed: descriptions keep their last line break (row "dashline").
func openCodeDescribed(definition.Kind) DescriptionRule {
	return DescriptionRule{Clean: asWritten, Missing: MissingNothing}
}

// openCodeClash: skills are read side by side, and the one that is done last wins
// (source, skill/index.ts; formats dossier, section 7). Of two commands or agents
// the directory that is read later wins.
func openCodeClash(k definition.Kind) Clash {
	if k == definition.Skill {
		return AnyWins
	}
	return FirstWins
}

func openCodeNameField(k definition.Kind) bool { return k != definition.Instruction }

func openCodeRefuses(*definition.Definition) string { return "" }

// below is a directory in another, which may be "".
func below(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
