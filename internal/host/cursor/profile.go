// Package cursor describes Cursor. [Host] returns its profile and capabilities.
package cursor

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/pathmatch"
)

// Host describes Cursor.
func Host() host.Host {
	return host.Host{
		Name: "cursor", Versions: []string{"2026-08"}, View: view,
		Export: export, Servers: servers, Connect: connect,
		// These client names come from the logs of MCP servers.
		Client: func(name string) bool { return name == "cursor" || name == "cursor-vscode" },
		Bodies: func() *host.Bodies { return &host.Bodies{Dirs: []string{".cursor"}, Syntax: syntax} },
	}
}

func view(string) *host.Profile {
	return &host.Profile{
		Facts:     facts(),
		Roots:     roots(),
		Ancestors: host.ToRepository,
		MaxFile:   host.MaxHostFile,
		Plugins:   &host.Plugins{Manifests: []host.Manifest{{Path: ".cursor-plugin/plugin.json"}}, Root: host.SharedPluginRoot},
		Configs:   Configs,
		UserDir:   ".cursor",
		Dialect:   dialect(),
		// Inferred; see [facts].
		Patterns: pathmatch.Form{Globs: true, NameAtAnyDepth: true, Everywhere: []string{"**", "**/*", "*", "/**"}},
		Fields:   fields, Described: described,
		DeepAlike:    true,
		NameField:    host.IsSkillOrAgent,
		EmptyText:    func(definition.Kind) string { return "" },
		BrokenDrops:  func(definition.Kind) bool { return true },
		Precedence:   precedence,
		Prompt:       prompt(),
		Listing:      listing(),
		Instructions: instructions(),
		Switches:     host.SwitchTouched,
		Toggles:      host.Toggles{Alternative: "add disable-model-invocation: true to its frontmatter"},
	}
}

func facts() []host.Fact {
	return []host.Fact{
		{Cell: host.CellRoots, Basis: host.Documented, Text: "Reads skills from .agents/skills, .cursor/skills, .claude/skills and .codex/skills in the project and in the home directory.", From: "cursor.com/docs/skills"},
		{Cell: host.CellRoots, Basis: host.Inferred, Text: "Parent directories are read up to the repository root, assuming that the editor opened that directory."},
		{Cell: host.CellWalk, Basis: host.Documented, Text: "A skill is a directory with a SKILL.md in a skills directory.", From: "cursor.com/docs/skills"},
		{Cell: host.CellWalk, Basis: host.Inferred, Text: "A skill must be an immediate subdirectory of a skills directory. Symlinks are followed."},
		{Cell: host.CellDelimiters, Basis: host.Inferred, Text: "The file must start with a \"---\" line, and the next such line closes the block."},
		{Cell: host.CellYAML, Basis: host.Documented, Text: "Rules are read by a simple parser that accepts unquoted values such as *.ts, treats quotes as part of the value and does not support block scalars.", From: "format notes, section 8"},
		{Cell: host.CellYAML, Basis: host.Inferred, Text: "Rules do not support lists: list items are ignored, and brackets are literal text."},
		{Cell: host.CellYAML, Basis: host.Inferred, Text: "In other files, unquoted values that are not valid YAML are also accepted."},
		{Cell: host.CellAgents, Basis: host.Documented, Text: "Reads .cursor/agents, .claude/agents and .codex/agents, in the project and in the home directory.", From: "format notes, section 8"},
		{Cell: host.CellTrust, Basis: host.Inferred, Text: "Trust is not required: workspace trust is off unless a setting enables it."},
		{Cell: host.CellCommands, Basis: host.Documented, Text: "Commands are the Markdown files in .cursor/commands. Arguments are appended to the body.", From: "format notes, section 8"},
		{Cell: host.CellRendering, Basis: host.Inferred, Text: "Placeholders are not expanded, and no commands run. If a user invokes a skill, its body is sent. A model invokes a skill by reading its file."},
		{Cell: host.CellFields, Basis: host.Documented, Text: "Skills require the name and description fields; rules support description, globs and alwaysApply.", From: "format notes, section 8"},
		{Cell: host.CellFields, Basis: host.Inferred, Text: "A value with the wrong type is treated as absent, and unknown keys are ignored."},
		{Cell: host.CellNames, Basis: host.Documented, Text: "The names of skills and agents come from their frontmatter. Commands, and agents without a name, are named after their files.", From: "format notes, section 8"},
		{Cell: host.CellClashes, Basis: host.Inferred, Text: "The first definition found wins, in the order project, user."},
		{Cell: host.CellListing, Basis: host.Documented, Text: "Lists the name and description of each skill, except skills that only users may invoke.", From: "cursor.com/docs/skills"},
		{Cell: host.CellListing, Basis: host.Inferred, Text: "The format and order are unknown. Definitions with paths are omitted until a matching file is in use."},
		{Cell: host.CellInstructions, Basis: host.Documented, Text: "Rules with alwaysApply are always included, rules with globs once a file matches, and others when a model or user requests them. Also reads CLAUDE.md, .cursorrules and AGENTS.md, including AGENTS.md in subdirectories that are in use.", From: "format notes, section 8"},
		{Cell: host.CellInstructions, Basis: host.Inferred, Text: "Patterns are case-sensitive globs relative to the project. A pattern without a slash matches at any depth. The patterns **, **/*, * and /** match every file."},
		{Cell: host.CellInstructions, Basis: host.Inferred, Text: "The format and order are unknown. Vade concatenates the contents of the files."},
	}
}

func roots() []host.Root {
	skill := host.WholeSkill(1, 1)
	agents := host.FilesEndingIn(definition.Agent, ".md", 0, host.ByStem)
	commands := host.FilesEndingIn(definition.Command, ".md", host.TreeDepth, host.ByPath)
	kinds := func(p *host.RootList) *host.RootList {
		return p.Dir(".cursor/skills", skill).Dir(".agents/skills", skill).Dir(".claude/skills", skill).Dir(".codex/skills", skill).
			Dir(".cursor/commands", commands).
			Dir(".cursor/agents", agents).Dir(".claude/agents", agents).Dir(".codex/agents", agents)
	}
	return host.JoinRoots(
		kinds(host.PlacesIn(definition.Project, host.InProject)).
			Dir(".cursor/rules", host.FilesEndingIn(definition.Instruction, ".mdc", host.TreeDepth, host.ByPath)).
			File("AGENTS.md").File("CLAUDE.md").File(".cursorrules").Last(func(r *host.Root) { r.Legacy = true }),
		kinds(host.PlacesIn(definition.User, host.InHome)),
		host.PlacesIn(definition.Plugin, host.InPlugin).
			Dir("skills", skill).Last(host.OfPlugin("skills", false)).
			Dir("commands", commands).Last(host.OfPlugin("commands", true)).
			Dir("agents", agents).Last(host.OfPlugin("agents", true)).
			Dir("rules", host.FilesEndingIn(definition.Instruction, ".mdc", host.TreeDepth, host.ByPath)).Last(host.OfPlugin("rules", true)),
	)
}

// dialect describes how Cursor reads frontmatter. Because Cursor is closed source, most of the
// dialect is inferred. It is only known that the parser accepts unquoted values (format notes,
// section 8).
func dialect() host.Dialect {
	return host.Dialect{
		Delimiters: host.Delimiters{BOM: true, TrailingSpace: true, CRLF: true},
		Repair:     host.RepairValues, DuplicateKeys: true,
		// Rules do not support quotes or block scalars in frontmatter, according to Cursor's
		// documentation. It is inferred that they do not support lists.
		Other: func(k definition.Kind, d host.Dialect) host.Dialect {
			d.Plain = k == definition.Instruction
			return d
		},
	}
}

func precedence(definition.Kind) []definition.Layer {
	return []definition.Layer{definition.Project, definition.User, definition.Plugin}
}

// fields returns the documented fields (format notes, section 8). It is inferred that invalid
// values have no effect.
func fields(k definition.Kind) []host.FieldRule {
	var rules []host.FieldRule
	const text, flag = host.TakesText | host.TakesNull, host.TakesBool | host.TakesNull
	switch k {
	case definition.Skill:
		rules = []host.FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: text, Required: true, About: "The skill's name."},
			{Key: "description", Field: definition.FieldDescription, Takes: text, Required: true, About: "What the skill does and when to use it."},
			{Key: "paths", Field: definition.FieldPaths, Takes: text | host.TakesList, About: "Glob patterns for the files the skill applies to."},
			{Key: "globs", Field: definition.FieldGlobs, Takes: text | host.TakesList, About: "The older name of the paths field."},
			{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: flag, About: "If true, only users can invoke the skill."},
			{Key: "user-invocable", Field: definition.FieldUserInvocable, Takes: flag, About: "Whether users can invoke the skill."},
			{Key: "icon", Takes: text, About: "The icon to display."},
			{Key: "color", Field: definition.FieldColor, Takes: text, About: "The display color."},
			{Key: "license", Field: definition.FieldLicense, Takes: host.TakesAny, Inert: true, About: "The license."},
			{Key: "compatibility", Field: definition.FieldCompatibility, Takes: host.TakesAny, Inert: true, About: "What the skill needs to run."},
			{Key: "metadata", Field: definition.FieldMetadata, Takes: host.TakesAny, Inert: true, About: "Additional keys with string values."},
		}
	case definition.Command:
		rules = []host.FieldRule{
			{Key: "description", Field: definition.FieldDescription, Takes: text, About: "A one-line summary of what the command does."},
			{Key: "handoffs", Field: definition.FieldHandoffs, Takes: host.TakesAny, Inert: true, About: "Suggested next steps."},
		}
	case definition.Agent:
		rules = []host.FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: text, About: "The agent's name; defaults to its file name."},
			{Key: "description", Field: definition.FieldDescription, Takes: text, About: "When to use the agent."},
			{Key: "model", Field: definition.FieldModel, Takes: text, About: "The model the agent uses: inherit, fast or a model name."},
			{Key: "readonly", Takes: flag, About: "If true, the agent must not change files."},
			{Key: "is_background", Field: definition.FieldBackground, Takes: flag, About: "Whether to run the agent in the background."},
		}
	case definition.Instruction:
		rules = []host.FieldRule{
			{Key: "description", Field: definition.FieldDescription, Takes: text, About: "What the rule is about; the model uses it to decide whether the rule applies."},
			{Key: "globs", Field: definition.FieldGlobs, Takes: text | host.TakesList, About: "Comma-separated glob patterns, without quotes, for the files the rule applies to."},
			{Key: "alwaysApply", Field: definition.FieldAlwaysApply, Takes: flag, About: "If true, the rule is always active."},
		}
	}
	for i := range rules {
		rules[i].Basis = host.Documented
	}
	return rules
}

func described(definition.Kind) host.DescriptionRule {
	return host.DescriptionRule{Missing: host.MissingNothing}
}
