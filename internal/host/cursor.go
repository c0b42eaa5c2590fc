package host

import (
	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/pathmatch"
)

// cursorHost is Cursor.
func cursorHost() Host {
	return Host{
		Name: "cursor", Versions: []string{"2026-08"}, View: cursorView,
		Export: cursorExport, Servers: cursorServers, Connect: cursorConnect,
		// Seen by servers of others.
		Client: func(name string) bool { return name == "cursor" || name == "cursor-vscode" },
		Bodies: func() *Bodies { return &Bodies{Dirs: []string{".cursor"}, Syntax: cursorSyntax} },
	}
}

func cursorView(string) *Profile {
	return &Profile{
		Facts:     cursorFacts(),
		Roots:     cursorRoots(),
		Ancestors: ToRepository,
		MaxFile:   maxHostFile,
		Plugins:   &Plugins{Manifests: []Manifest{{Path: ".cursor-plugin/plugin.json"}}, Root: sharedPluginRoot},
		Configs:   cursorConfigs(),
		UserDir:   ".cursor",
		Dialect:   cursorDialect(),
		// Inferred; see [cursorFacts].
		Patterns: pathmatch.Form{Globs: true, NameAtAnyDepth: true, Everywhere: []string{"**", "**/*", "*", "/**"}},
		Fields:   cursorFields, Naming: cursorNaming, Described: cursorDescribed,
		DeepAlike:    true,
		NameField:    cursorNameField,
		Refuses:      cursorRefuses,
		EmptyText:    func(definition.Kind) string { return "" },
		BrokenDrops:  func(definition.Kind) bool { return true },
		Precedence:   cursorPrecedence,
		Prompt:       cursorPrompt(),
		Listing:      cursorListing(),
		Instructions: cursorInstructions(),
		Switches:     SwitchTouched,
	}
}

func cursorFacts() []Fact {
	return []Fact{
		{Cell: CellRoots, Basis: Documented, Text: "Reads skills from .agents/skills, .cursor/skills, .claude/skills and .codex/skills of the project and of the home directory.", From: "cursor.com/docs/skills"},
		{Cell: CellRoots, Basis: Inferred, Text: "The directories above the working directory are looked into up to the top of the repository, since that is what the editor opens."},
		{Cell: CellWalk, Basis: Documented, Text: "A skill is a directory with a SKILL.md below a directory of skills.", From: "cursor.com/docs/skills"},
		{Cell: CellWalk, Basis: Inferred, Text: "It stands exactly one directory deep; links are followed."},
		{Cell: CellDelimiters, Basis: Inferred, Text: "The file begins with a line \"---\" and a later one closes the block."},
		{Cell: CellYAML, Basis: Documented, Text: "Rules are read by a simple parser that takes values such as *.ts without quotes; quotes belong to the value, and there are no blocks.", From: "formats dossier, section 8"},
		{Cell: CellYAML, Basis: Inferred, Text: "A list in a rule is none: its lines are not read, and brackets are text."},
		{Cell: CellYAML, Basis: Inferred, Text: "Other files are mended in the same way."},
		{Cell: CellAgents, Basis: Documented, Text: "Reads .cursor/agents of the project and of the home directory, and .claude/agents and .codex/agents as well.", From: "formats dossier, section 8"},
		{Cell: CellTrust, Basis: Inferred, Text: "Nothing has to be trusted: workspace trust is off unless a setting switches it on."},
		{Cell: CellCommands, Basis: Documented, Text: "Commands are the Markdown files of .cursor/commands; what is typed behind the name follows the text.", From: "formats dossier, section 8"},
		{Cell: CellRendering, Basis: Inferred, Text: "Nothing else is replaced or run; a skill that a user calls is its body, and a model reads its file."},
		{Cell: CellFields, Basis: Documented, Text: "A skill needs name and description; a rule has description, globs and alwaysApply.", From: "formats dossier, section 8"},
		{Cell: CellFields, Basis: Inferred, Text: "A value of another type counts as absent, and keys that are not known are ignored."},
		{Cell: CellNames, Basis: Documented, Text: "Skills and agents have the name in their frontmatter, agents else that of their file; commands have that of their file.", From: "formats dossier, section 8"},
		{Cell: CellClashes, Basis: Inferred, Text: "The first wins, the project before the user."},
		{Cell: CellListing, Basis: Documented, Text: "Lists skills by name and description, without those that only a user may call.", From: "cursor.com/docs/skills"},
		{Cell: CellListing, Basis: Inferred, Text: "The form and the order; what has paths waits for a file that matches."},
		{Cell: CellInstructions, Basis: Documented, Text: "Rules with alwaysApply are always there, those with globs once a file matches, the others when a model or a user asks for them; AGENTS.md, also of the directories that are worked in, CLAUDE.md and .cursorrules.", From: "formats dossier, section 8"},
		{Cell: CellInstructions, Basis: Inferred, Text: "A pattern is a glob of the path in the project, one without a slash of a name at any depth, and its case counts; **, **/*, * and /** stand for every file."},
		{Cell: CellInstructions, Basis: Inferred, Text: "The form and the order: the texts follow one another."},
	}
}

func cursorRoots() []Root {
	skill := wholeSkill(1, 1)
	agents := ending(definition.Agent, ".md", 0, ByStem)
	commands := ending(definition.Command, ".md", treeDepth, ByPath)
	kinds := func(p *places) *places {
		return p.dir(".cursor/skills", skill).dir(".agents/skills", skill).dir(".claude/skills", skill).dir(".codex/skills", skill).
			dir(".cursor/commands", commands).
			dir(".cursor/agents", agents).dir(".claude/agents", agents).dir(".codex/agents", agents)
	}
	return join(
		kinds(placesIn(definition.Project, InProject)).
			dir(".cursor/rules", ending(definition.Instruction, ".mdc", treeDepth, ByPath)).
			file("AGENTS.md").file("CLAUDE.md").file(".cursorrules").last(func(r *Root) { r.Legacy = true }),
		kinds(placesIn(definition.User, InHome)),
		placesIn(definition.Plugin, InPlugin).
			dir("skills", skill).last(ofPlugin("skills", false)).
			dir("commands", commands).last(ofPlugin("commands", true)).
			dir("agents", agents).last(ofPlugin("agents", true)).
			dir("rules", ending(definition.Instruction, ".mdc", treeDepth, ByPath)).last(ofPlugin("rules", true)),
	)
}

// cursorDialect is inferred: the host is closed, and of its parser only that it takes
// values without quotes is known (formats dossier, section 8).
func cursorDialect() Dialect {
	return Dialect{
		Delimiters: Delimiters{BOM: true, TrailingSpace: true, CRLF: true},
		Repair:     RepairValues, DuplicateKeys: true,
		// Rules: no quotes, no blocks (documented); that a list is none is inferred.
		Other: func(k definition.Kind, d Dialect) Dialect {
			d.Plain = k == definition.Instruction
			return d
		},
	}
}

func cursorPrecedence(definition.Kind) []definition.Layer {
	return []definition.Layer{definition.Project, definition.User, definition.Plugin}
}

// cursorFields are as documented (formats dossier, section 8). What a wrong value
// does is inferred to be nothing.
func cursorFields(k definition.Kind) []FieldRule {
	var rules []FieldRule
	const text, flag = TakesText | TakesNull, TakesBool | TakesNull
	switch k {
	case definition.Skill:
		rules = []FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: text, Required: true, About: "The name of the skill."},
			{Key: "description", Field: definition.FieldDescription, Takes: text, Required: true, About: "What the skill does and when to use it."},
			{Key: "paths", Field: definition.FieldPaths, Takes: text | TakesList, About: "Patterns of the files that the skill is for."},
			{Key: "globs", Field: definition.FieldGlobs, Takes: text | TakesList, About: "The older name of paths."},
			{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: flag, About: "Only people can call it."},
			{Key: "user-invocable", Field: definition.FieldUserInvocable, Takes: flag, About: "Whether people can call it."},
			{Key: "icon", Takes: text, About: "The sign with which it is shown."},
			{Key: "color", Field: definition.FieldColor, Takes: text, About: "The colour in which it is shown."},
			{Key: "license", Field: definition.FieldLicense, Takes: TakesAny, Inert: true, About: "The licence."},
			{Key: "compatibility", Field: definition.FieldCompatibility, Takes: TakesAny, Inert: true, About: "What it needs to run."},
			{Key: "metadata", Field: definition.FieldMetadata, Takes: TakesAny, Inert: true, About: "Further keys and their texts."},
		}
	case definition.Command:
		rules = []FieldRule{
			{Key: "description", Field: definition.FieldDescription, Takes: text, About: "What the command does, in a line."},
			{Key: "handoffs", Field: definition.FieldHandoffs, Takes: TakesAny, Inert: true, About: "What to go on with."},
		}
	case definition.Agent:
		rules = []FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: text, About: "The name of the agent; that of its file without it."},
			{Key: "description", Field: definition.FieldDescription, Takes: text, About: "When to use the agent."},
			{Key: "model", Field: definition.FieldModel, Takes: text, About: "The model that it runs on: inherit, fast or a name."},
			{Key: "readonly", Takes: flag, About: "The agent may not write."},
			{Key: "is_background", Field: definition.FieldBackground, Takes: flag, About: "Runs it in the background."},
		}
	case definition.Instruction:
		rules = []FieldRule{
			{Key: "description", Field: definition.FieldDescription, Takes: text, About: "What the rule is about: the model chooses by it."},
			{Key: "globs", Field: definition.FieldGlobs, Takes: text | TakesList, About: "Patterns of the files that the rule is for, with commas between them and without quotes."},
			{Key: "alwaysApply", Field: definition.FieldAlwaysApply, Takes: flag, About: "The rule is always in force."},
		}
	}
	for i := range rules {
		rules[i].Basis = Documented
	}
	return rules
}

func cursorNaming(definition.Kind) NameRule { return NameRule{} }

func cursorDescribed(definition.Kind) DescriptionRule {
	return DescriptionRule{Missing: MissingNothing}
}

func cursorNameField(k definition.Kind) bool { return k == definition.Skill || k == definition.Agent }

func cursorRefuses(*definition.Definition) string { return "" }
