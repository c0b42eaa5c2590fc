package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/pathmatch"
)

// copilotVSCodeHost is GitHub Copilot in VS Code.
func copilotVSCodeHost() Host {
	return Host{
		Name: "copilot-vscode", Versions: []string{"2026-08"}, View: copilotVSCodeView,
		Export: copilotVSCodeExport, Servers: vsCodeServers, Connect: vscodeConnect,
		Client: vscodeClient, Tools: vscodeNeutralTools, Variable: vscodeVariable, Bodies: vscodeBodies,
	}
}

// vscodeClient: source.
func vscodeClient(name string) bool {
	switch name {
	case "visual studio code", "visual studio code - insiders", "code - oss":
		return true
	}
	return false
}

func copilotVSCodeView(string) *Profile {
	return &Profile{
		Facts:     copilotVSCodeFacts(),
		Roots:     copilotVSCodeRoots(),
		Ancestors: ToRepository,
		MaxFile:   maxHostFile,
		Trust:     Trust{Needed: true, How: "trust the folder when the editor asks for it", Basis: Documented},
		Plugins: &Plugins{
			Manifests: []Manifest{
				{Path: ".plugin/plugin.json"}, {Path: "plugin.json"}, {Path: ".github/plugin/plugin.json"}, {Path: ".claude-plugin/plugin.json"},
			},
			Root: sharedPluginRoot,
		},
		Configs: copilotVSCodeConfigs(),
		UserDir: ".copilot",
		Dialect: copilotVSCodeDialect(),
		// source: computeAutomaticInstructions.ts
		Patterns: pathmatch.Form{Globs: true, FoldCase: true, AnyDepth: true, Absolute: true, Everywhere: []string{"**", "**/*", "*"}},
		Fields:   copilotVSCodeFields, Naming: copilotVSCodeNaming, Described: copilotVSCodeDescribed,
		DeepAlike:    true,
		NameField:    copilotVSCodeNameField,
		Refuses:      copilotVSCodeRefuses,
		EmptyText:    func(definition.Kind) string { return "" },
		PartOfBroken: true,
		Precedence:   copilotVSCodePrecedence,
		Prompt:       copilotVSCodePrompt(),
		Listing:      copilotVSCodeListing(),
		Instructions: copilotVSCodeInstructions(),
		Unread:       copilotVSCodeUnread(),
		Switches:     SwitchTouched,
	}
}

func copilotVSCodeFacts() []Fact {
	return []Fact{
		{Cell: CellRoots, Basis: FromSource, Text: "Reads skills from .github/skills, .agents/skills and .claude/skills of the opened folder, then from ~/.copilot/skills, ~/.agents/skills and ~/.claude/skills.", From: "promptFileLocations.ts"},
		{Cell: CellRoots, Basis: Documented, Text: "The directories above the opened folder are looked into only with the setting chat.useCustomizationsInParentRepositories.", From: "formats dossier, section 5.2"},
		{Cell: CellRoots, Basis: Inferred, Text: "A directory is a plugin by the files by which Copilot CLI knows one, in the same order; a plugin's name stands before those of what is in it."},
		{Cell: CellWalk, Basis: Documented, Text: "A skill stands exactly one directory below the directory of skills.", From: "microsoft/vscode#324646"},
		{Cell: CellWalk, Basis: FromSource, Text: "SKILL.md may have any case.", From: "promptFileLocations.ts"},
		{Cell: CellWalk, Basis: Inferred, Text: "Directories that begin with a dot are looked into, and links are followed."},
		{Cell: CellDelimiters, Basis: FromSource, Text: "The first line has to be \"---\", behind which blanks may stand; without a closing line the whole file is frontmatter.", From: "promptFileParser.ts"},
		{Cell: CellYAML, Basis: Inferred, Text: "The parser is the editor's own and goes on after errors: a value without quotes is taken to the end of its line."},
		{Cell: CellAgents, Basis: FromSource, Text: "Reads *.md and *.agent.md of .github/agents, but no README.md and nothing in directories below; .claude/agents and ~/.copilot/agents as well.", From: "promptFileLocations.ts; formats dossier, section 5.2"},
		{Cell: CellTrust, Basis: Documented, Text: "A folder that is opened in restricted mode has no chat, and so none of its definitions.", From: "workspace trust"},
		{Cell: CellCommands, Basis: Documented, Text: "The *.prompt.md files of .github/prompts are commands; ${input:name} takes name=value of the prompt, ${workspaceFolder} is replaced.", From: "formats dossier, section 5.2"},
		{Cell: CellRendering, Basis: FromSource, Text: "A call attaches the file and asks the model to follow it; the text behind the name follows on a line of its own.", From: "chatWidget.ts"},
		{Cell: CellRendering, Basis: Inferred, Text: "A skill that a user calls is attached in the same way, and a model reads its file."},
		{Cell: CellFields, Basis: FromSource, Text: "A value of another type counts as absent.", From: "promptFileParser.ts"},
		{Cell: CellFields, Basis: FromSource, Text: "Names are cut at 64 characters, descriptions at 1,024, and what stands in angle brackets is taken out.", From: "promptsServiceImpl.ts"},
		{Cell: CellFields, Basis: Documented, Text: "An agent whose target is github-copilot is not one of the editor's.", From: "custom-agents-configuration"},
		{Cell: CellNames, Basis: FromSource, Text: "A skill has the name of its directory, whatever the frontmatter says.", From: "promptsServiceImpl.ts; formats dossier, section 5.2"},
		{Cell: CellNames, Basis: FromSource, Text: "Prompts, agents and instructions have the name in their frontmatter, else that of their file.", From: "promptsServiceImpl.ts"},
		{Cell: CellClashes, Basis: FromSource, Text: "The first wins: the workspace before the user, then plugins; others are left out.", From: "promptsServiceImpl.ts"},
		{Cell: CellListing, Basis: FromSource, Text: "Lists skills by name, description and file, without escaping; prompts are not listed, agents only with an experimental setting.", From: "computeAutomaticInstructions.ts"},
		{Cell: CellListing, Basis: FromSource, Text: "There is no limit for all together.", From: "computeAutomaticInstructions.ts"},
		{Cell: CellListing, Basis: Inferred, Text: "Order: workspace, user, plugins, each by name."},
		{Cell: CellInstructions, Basis: FromSource, Text: "A file with applyTo is attached where a file that is worked on matches, or where the pattern is **, **/* or *; Files without applyTo are only listed.", From: "computeAutomaticInstructions.ts"},
		{Cell: CellInstructions, Basis: FromSource, Text: "A pattern is a glob without regard to case; it is compared with the absolute path of a file, at any depth unless it begins with a slash.", From: "computeAutomaticInstructions.ts"},
		{Cell: CellInstructions, Basis: Documented, Text: "Attaches .github/copilot-instructions.md, AGENTS.md, CLAUDE.md, .claude/CLAUDE.md, CLAUDE.local.md and ~/.claude/CLAUDE.md; rules without paths always apply.", From: "formats dossier, section 5.2"},
		{Cell: CellInstructions, Basis: Inferred, Text: "The order and what is around each file; links from one file to another are not followed here."},
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

// copilotVSCodeFields: an attribute of another type counts as absent (source,
// promptFileParser).
func copilotVSCodeFields(k definition.Kind) []FieldRule {
	const text, flag = TakesText | TakesNull, TakesBool | TakesNull
	name := FieldRule{Key: "name", Field: definition.FieldName, Takes: text, Basis: FromSource, About: "The name; that of the file without it."}
	description := FieldRule{Key: "description", Field: definition.FieldDescription, Takes: text, Basis: FromSource, About: "What it is for."}
	hint := FieldRule{Key: "argument-hint", Field: definition.FieldArgumentHint, Takes: text, Basis: FromSource, About: "The arguments, shown to people."}
	model := FieldRule{Key: "model", Field: definition.FieldModel, Takes: text | TakesList, Basis: FromSource, About: "The model, or several of which the first that there is is taken."}
	tools := FieldRule{Key: "tools", Field: definition.FieldTools, Takes: text | TakesList, Basis: FromSource, About: "The tools that it may use: a list, or text with commas."}
	callable := FieldRule{Key: "user-invocable", Field: definition.FieldUserInvocable, Takes: flag, Basis: FromSource, About: "Whether people can call it."}
	manual := FieldRule{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: flag, Basis: FromSource, About: "Only people can call it."}
	license := FieldRule{Key: "license", Field: definition.FieldLicense, Takes: TakesAny, Inert: true, Basis: FromSource, About: "The licence."}
	needs := FieldRule{Key: "compatibility", Field: definition.FieldCompatibility, Takes: TakesAny, Inert: true, Basis: FromSource, About: "What it needs to run."}
	metadata := FieldRule{Key: "metadata", Field: definition.FieldMetadata, Takes: TakesAny, Inert: true, Basis: FromSource, About: "Further keys and their texts."}
	switch k {
	case definition.Skill:
		name.Max, name.Long = 64, Cuts
		name.About = "The name of the skill, which has to be that of its directory."
		description.Max, description.Long = 1024, Cuts
		return []FieldRule{
			name, description, hint, callable, manual, license, needs, metadata,
			{Key: "context", Field: definition.FieldContext, Takes: text, Words: []string{"fork"}, Basis: Documented, About: "Runs the skill in a conversation of its own (experimental)."},
		}
	case definition.Command:
		return []FieldRule{
			name, description, hint, model, tools,
			{Key: "agent", Field: definition.FieldAgent, Takes: text, Basis: FromSource, About: "The agent that runs the prompt: ask, agent, plan or one of your own."},
			{Key: "mode", Field: definition.FieldMode, Takes: text, Basis: FromSource, About: "The older name of agent."},
		}
	case definition.Agent:
		return []FieldRule{
			name, description, hint, model, tools, callable, manual, metadata,
			{Key: "agents", Field: definition.FieldAgents, Takes: TakesList | TakesNull, Items: TakesText, Basis: FromSource, About: "The agents that it may start."},
			{Key: "infer", Takes: flag | TakesText, Basis: FromSource, About: "Retired; disable-model-invocation says the opposite."},
			{Key: "target", Field: definition.FieldTarget, Takes: text, Words: []string{"vscode", "github-copilot"}, Basis: FromSource, About: "The one environment that it is for."},
			{Key: "mcp-servers", Field: definition.FieldMCPServers, Takes: TakesMap | TakesNull, Basis: FromSource, About: "MCP servers of the agent's own."},
			{Key: "handoffs", Field: definition.FieldHandoffs, Takes: TakesList | TakesNull, Items: TakesMap, Basis: FromSource, About: "Agents to go on with, each with label, agent and prompt."},
			{Key: "hooks", Field: definition.FieldHooks, Takes: TakesMap | TakesNull, Basis: Documented, About: "What runs at events while the agent works."},
		}
	case definition.Instruction:
		name.Field = definition.FieldTitle
		return []FieldRule{
			name, description,
			{Key: "applyTo", Field: definition.FieldApplyTo, Takes: text, Basis: FromSource, About: "Patterns of the files that the instructions are for, with commas between them."},
			{Key: "paths", Field: definition.FieldPaths, Takes: text | TakesList, Basis: Documented, About: "What applyTo is, in .claude/rules."},
			{Key: "excludeAgent", Field: definition.FieldExcludeAgent, Takes: text | TakesList, Basis: FromSource, About: "Agents that do not get the instructions."},
		}
	}
	return nil
}

// copilotVSCodeNaming: the directory's name wins over another one in the
// frontmatter (source).
func copilotVSCodeNaming(k definition.Kind) NameRule {
	if k != definition.Skill {
		return NameRule{}
	}
	return NameRule{Clean: untagged, SameDir: true, Other: Ignores, Max: 64, Long: Cuts}
}

func copilotVSCodeDescribed(k definition.Kind) DescriptionRule {
	if k != definition.Skill {
		return DescriptionRule{Missing: MissingNothing}
	}
	return DescriptionRule{Missing: MissingNothing, Clean: func(s string) string { return strings.TrimSpace(untagged(s)) }}
}

// untagged takes out everything from "<" to the next ">", where there is
// something between them.
func untagged(s string) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(s, '<')
		if open < 0 {
			break
		}
		end := strings.IndexByte(s[open:], '>')
		if end < 0 {
			break
		}
		if end == 1 {
			b.WriteString(s[:open+2])
			s = s[open+2:]
			continue
		}
		b.WriteString(s[:open])
		s = s[open+end+1:]
	}
	return b.String() + s
}

func copilotVSCodeNameField(k definition.Kind) bool { return k != definition.Instruction }

// copilotVSCodeRefuses: an agent for the other environment is not loaded
// (documented).
func copilotVSCodeRefuses(d *definition.Definition) string { return otherTarget(d, "vscode") }
