// Package copilotvscode describes GitHub Copilot in VS Code, which shares its directories and tools
// with the Copilot CLI. [Host] returns its profile and capabilities.
package copilotvscode

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/copilotcli"
	"github.com/vadehq/vade/internal/pathmatch"
)

// Host describes GitHub Copilot in VS Code.
func Host() host.Host {
	return host.Host{
		Name: "copilot-vscode", Versions: []string{"2026-08"}, View: view,
		Export: export, Servers: servers, Connect: connect,
		Client: client, Tools: neutralTools, Variable: variable, Bodies: bodies,
	}
}

// client reports whether name is the client name in VS Code's source code.
func client(name string) bool {
	switch name {
	case "visual studio code", "visual studio code - insiders", "code - oss":
		return true
	}
	return false
}

func view(string) *host.Profile {
	return &host.Profile{
		Facts:     facts(),
		Roots:     roots(),
		Ancestors: host.ToRepository,
		MaxFile:   host.MaxHostFile,
		Trust:     host.Trust{Needed: true, How: "trust the folder when the editor asks", Basis: host.Documented},
		Plugins: &host.Plugins{
			Manifests: []host.Manifest{
				{Path: ".plugin/plugin.json"}, {Path: "plugin.json"}, {Path: ".github/plugin/plugin.json"}, {Path: ".claude-plugin/plugin.json"},
			},
			Root: host.SharedPluginRoot,
		},
		Configs: Configs,
		Hooks:   copilotcli.Hooks(),
		UserDir: ".copilot",
		Dialect: dialect(),
		// From the source (computeAutomaticInstructions.ts).
		Patterns: pathmatch.Form{Globs: true, FoldCase: true, AnyDepth: true, Absolute: true, Everywhere: []string{"**", "**/*", "*"}},
		Fields:   fields, Naming: naming, Described: described,
		DeepAlike:    true,
		NameField:    nameField,
		Refuses:      refuses,
		EmptyText:    func(definition.Kind) string { return "" },
		PartOfBroken: true,
		Precedence:   precedence,
		Prompt:       prompt(),
		Listing:      listing(),
		Instructions: instructions(),
		Unread:       unread(),
		Toggles:      host.Toggles{Alternative: "exclude its directory in the chat.agentSkillsLocations setting, or add disable-model-invocation: true to its frontmatter"},
		Switches:     host.SwitchTouched,
	}
}

func facts() []host.Fact {
	return []host.Fact{
		{Cell: host.CellRoots, Basis: host.FromSource, Text: "Reads skills from .github/skills, .agents/skills and .claude/skills in the open folder, then from ~/.copilot/skills, ~/.agents/skills and ~/.claude/skills.", From: "promptFileLocations.ts"},
		{Cell: host.CellRoots, Basis: host.Documented, Text: "Parent directories of the open folder are read only if the chat.useCustomizationsInParentRepositories setting is enabled.", From: "format notes, section 5.2"},
		{Cell: host.CellRoots, Basis: host.Inferred, Text: "Plugins are recognized by the same files as in Copilot CLI, in the same order. The names of a plugin's definitions are prefixed with the plugin's name."},
		{Cell: host.CellWalk, Basis: host.Documented, Text: "A skill must be an immediate subdirectory of a skills directory.", From: "microsoft/vscode#324646"},
		{Cell: host.CellWalk, Basis: host.FromSource, Text: "The file name SKILL.md is case-insensitive.", From: "promptFileLocations.ts"},
		{Cell: host.CellWalk, Basis: host.Inferred, Text: "Hidden directories are read, and symlinks are followed."},
		{Cell: host.CellDelimiters, Basis: host.FromSource, Text: "The first line must be \"---\", optionally followed by spaces. Without a closing line, the whole file is frontmatter.", From: "promptFileParser.ts"},
		{Cell: host.CellYAML, Basis: host.Inferred, Text: "The editor's parser continues after errors and reads an unquoted value to the end of the line."},
		{Cell: host.CellAgents, Basis: host.FromSource, Text: "Reads *.md and *.agent.md directly in .github/agents, .claude/agents and ~/.copilot/agents, except README.md.", From: "promptFileLocations.ts; format notes, section 5.2"},
		{Cell: host.CellTrust, Basis: host.Documented, Text: "Chat is unavailable in restricted mode, so the folder's definitions are not used.", From: "workspace trust"},
		{Cell: host.CellCommands, Basis: host.Documented, Text: "The *.prompt.md files in .github/prompts are commands. ${input:name} is replaced with the value given as name=value in the prompt, and ${workspaceFolder} with the folder's path.", From: "format notes, section 5.2"},
		{Cell: host.CellRendering, Basis: host.FromSource, Text: "Invoking a prompt attaches its file and asks the model to follow it. Text after the prompt's name is sent on a separate line.", From: "chatWidget.ts"},
		{Cell: host.CellRendering, Basis: host.Inferred, Text: "A skill invoked by a user is attached in the same way. A model invokes a skill by reading its file."},
		{Cell: host.CellFields, Basis: host.FromSource, Text: "A value with the wrong type is treated as absent.", From: "promptFileParser.ts"},
		{Cell: host.CellFields, Basis: host.FromSource, Text: "A skill's name is truncated to 64 characters and its description to 1,024, and text in angle brackets is removed from both.", From: "promptsServiceImpl.ts"},
		{Cell: host.CellFields, Basis: host.Documented, Text: "An agent with target: github-copilot is not available in the editor.", From: "custom-agents-configuration"},
		{Cell: host.CellNames, Basis: host.FromSource, Text: "A skill is named after its directory, regardless of its frontmatter.", From: "promptsServiceImpl.ts; format notes, section 5.2"},
		{Cell: host.CellNames, Basis: host.FromSource, Text: "The names of prompts, agents and instructions come from their frontmatter, or from their files if the frontmatter has no name.", From: "promptsServiceImpl.ts"},
		{Cell: host.CellClashes, Basis: host.FromSource, Text: "The first definition found wins, in the order workspace, user, plugins. The others are ignored.", From: "promptsServiceImpl.ts"},
		{Cell: host.CellListing, Basis: host.FromSource, Text: "Lists the name, description and file of each skill, unescaped. Prompts are not listed. Agents are listed only if an experimental setting is enabled.", From: "computeAutomaticInstructions.ts"},
		{Cell: host.CellListing, Basis: host.FromSource, Text: "The total length of the listing is not limited.", From: "computeAutomaticInstructions.ts"},
		{Cell: host.CellListing, Basis: host.Inferred, Text: "Sort order: workspace skills, then user and plugin skills, each group sorted by name."},
		{Cell: host.CellInstructions, Basis: host.FromSource, Text: "A file with applyTo is attached if its pattern matches a file in use or is **, **/* or *. Files without applyTo are only listed.", From: "computeAutomaticInstructions.ts"},
		{Cell: host.CellInstructions, Basis: host.FromSource, Text: "Patterns are case-insensitive globs that match a file's absolute path, at any depth unless they start with a slash.", From: "computeAutomaticInstructions.ts"},
		{Cell: host.CellInstructions, Basis: host.Documented, Text: "Attaches .github/copilot-instructions.md, AGENTS.md, CLAUDE.md, .claude/CLAUDE.md, CLAUDE.local.md and ~/.claude/CLAUDE.md; rules without paths always apply.", From: "format notes, section 5.2"},
		{Cell: host.CellInstructions, Basis: host.Inferred, Text: "The order of the files and the text around each file are inferred. Vade does not follow links between the files."},
	}
}

func roots() []host.Root {
	skill := host.WholeSkill(1, 1)
	skill.FoldCase = true
	readmes := host.Rule{Kind: definition.Agent, File: "README.md", Skip: host.Readme}
	markdown := []host.Rule{
		readmes, host.FilesEndingIn(definition.Agent, ".agent.md", 0, host.ByStem), host.FilesEndingIn(definition.Agent, ".chatmode.md", 0, host.ByStem),
		host.FilesEndingIn(definition.Agent, ".md", 0, host.ByStem),
	}
	instructions := host.FilesEndingIn(definition.Instruction, ".instructions.md", host.TreeDepth, host.ByPath)
	rules := host.FilesEndingIn(definition.Instruction, ".md", host.TreeDepth, host.ByPath)
	return host.JoinRoots(
		host.PlacesIn(definition.Project, host.InWorkDir).
			Dir(".github/skills", skill).Dir(".agents/skills", skill).Dir(".claude/skills", skill).
			Dir(".github/prompts", host.FilesEndingIn(definition.Command, ".prompt.md", 0, host.ByStem)).
			Dir(".github/agents", markdown...).
			Dir(".github/chatmodes", host.FilesEndingIn(definition.Agent, ".chatmode.md", 0, host.ByStem)).Last(func(r *host.Root) { r.Legacy = true }).
			Dir(".claude/agents", readmes, host.FilesEndingIn(definition.Agent, ".md", 0, host.ByStem)).
			File(".github/copilot-instructions.md").Dir(".github/instructions", instructions).
			Dir(".claude/rules", rules).
			File("AGENTS.md").File("CLAUDE.md").File(".claude/CLAUDE.md").File("CLAUDE.local.md"),
		host.PlacesIn(definition.User, host.InHome).
			Dir(".copilot/skills", skill).Dir(".agents/skills", skill).Dir(".claude/skills", skill).
			Dir(".copilot/agents", markdown...).
			Dir(".copilot/instructions", instructions).Dir(".claude/rules", rules).File(".claude/CLAUDE.md"),
		host.PlacesIn(definition.Plugin, host.InPlugin).
			Dir("skills", skill).Last(host.OfPlugin("skills", false)).
			Dir("commands", host.FilesEndingIn(definition.Command, ".md", 0, host.ByStem)).Last(host.OfPlugin("commands", true)).
			Dir("agents", markdown...).Last(host.OfPlugin("agents", true)),
	)
}

// dialect describes VS Code's frontmatter parser. It is inferred from the parser's purpose that it
// accepts input that YAML parsers reject.
func dialect() host.Dialect {
	return host.Dialect{
		Delimiters: host.Delimiters{BOM: true, TrailingSpace: true, CRLF: true, OpenEnd: true},
		Repair:     host.RepairValues, DuplicateKeys: true,
	}
}

func precedence(definition.Kind) []definition.Layer {
	return []definition.Layer{definition.Project, definition.User, definition.Plugin}
}

// fields returns the fields for the given kind. An attribute with the wrong type is treated as
// absent (according to promptFileParser.ts in VS Code's source code).
func fields(k definition.Kind) []host.FieldRule {
	const text, flag = host.TakesText | host.TakesNull, host.TakesBool | host.TakesNull
	name := host.FieldRule{Key: "name", Field: definition.FieldName, Takes: text, Basis: host.FromSource, About: "The name; defaults to the file name."}
	description := host.FieldRule{Key: "description", Field: definition.FieldDescription, Takes: text, Basis: host.FromSource, About: "What the file is for."}
	hint := host.FieldRule{Key: "argument-hint", Field: definition.FieldArgumentHint, Takes: text, Basis: host.FromSource, About: "A hint about the arguments, shown to users."}
	model := host.FieldRule{Key: "model", Field: definition.FieldModel, Takes: text | host.TakesList, Basis: host.FromSource, About: "The model to use, or a list of models; the first available one is used."}
	tools := host.FieldRule{Key: "tools", Field: definition.FieldTools, Takes: text | host.TakesList, Basis: host.FromSource, About: "The tools the " + k.String() + " may use, as a list or a comma-separated string."}
	callable := host.FieldRule{Key: "user-invocable", Field: definition.FieldUserInvocable, Takes: flag, Basis: host.FromSource, About: "Whether users can invoke the " + k.String() + "."}
	manual := host.FieldRule{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: flag, Basis: host.FromSource, About: "If true, only users can invoke the " + k.String() + "."}
	license := host.FieldRule{Key: "license", Field: definition.FieldLicense, Takes: host.TakesAny, Inert: true, Basis: host.FromSource, About: "The license."}
	needs := host.FieldRule{Key: "compatibility", Field: definition.FieldCompatibility, Takes: host.TakesAny, Inert: true, Basis: host.FromSource, About: "What the " + k.String() + " needs to run."}
	metadata := host.FieldRule{Key: "metadata", Field: definition.FieldMetadata, Takes: host.TakesAny, Inert: true, Basis: host.FromSource, About: "Additional keys with string values."}
	switch k {
	case definition.Skill:
		name.Max, name.Long = 64, host.Cuts
		name.About = "The skill's name, which should match its directory name; otherwise, the directory name is used."
		description.Max, description.Long = 1024, host.Cuts
		return []host.FieldRule{
			name, description, hint, callable, manual, license, needs, metadata,
			{Key: "context", Field: definition.FieldContext, Takes: text, Words: []string{"fork"}, Basis: host.Documented, About: "Set to fork to run the skill in a separate conversation (experimental)."},
		}
	case definition.Command:
		return []host.FieldRule{
			name, description, hint, model, tools,
			{Key: "agent", Field: definition.FieldAgent, Takes: text, Basis: host.FromSource, About: "The agent that runs the prompt: ask, agent, plan or a custom agent."},
			{Key: "mode", Field: definition.FieldMode, Takes: text, Basis: host.FromSource, About: "The older name of the agent field."},
		}
	case definition.Agent:
		return []host.FieldRule{
			name, description, hint, model, tools, callable, manual, metadata,
			{Key: "agents", Field: definition.FieldAgents, Takes: host.TakesList | host.TakesNull, Items: host.TakesText, Basis: host.FromSource, About: "The agents that this agent may start."},
			{Key: "infer", Takes: flag | host.TakesText, Basis: host.FromSource, About: "Deprecated; the opposite of disable-model-invocation."},
			{Key: "target", Field: definition.FieldTarget, Takes: text, Words: []string{"vscode", "github-copilot"}, Basis: host.FromSource, About: "The only environment in which the agent is available."},
			{Key: "mcp-servers", Field: definition.FieldMCPServers, Takes: host.TakesMap | host.TakesNull, Basis: host.FromSource, About: "The agent's MCP servers."},
			{Key: "handoffs", Field: definition.FieldHandoffs, Takes: host.TakesList | host.TakesNull, Items: host.TakesMap, Basis: host.FromSource, About: "Agents to hand off to, each with a label, an agent and a prompt."},
			{Key: "hooks", Field: definition.FieldHooks, Takes: host.TakesMap | host.TakesNull, Basis: host.Documented, About: "Commands that run on events while the agent is running."},
		}
	case definition.Instruction:
		name.Field = definition.FieldTitle
		return []host.FieldRule{
			name, description,
			{Key: "applyTo", Field: definition.FieldApplyTo, Takes: text, Basis: host.FromSource, About: "Comma-separated glob patterns for the files the instructions apply to."},
			{Key: "paths", Field: definition.FieldPaths, Takes: text | host.TakesList, Basis: host.Documented, About: "Same as applyTo, for files in .claude/rules."},
			{Key: "excludeAgent", Field: definition.FieldExcludeAgent, Takes: text | host.TakesList, Basis: host.FromSource, About: "Agents that should not receive these instructions."},
		}
	}
	return nil
}

// naming returns the naming rules. The directory name takes precedence over the frontmatter,
// according to VS Code's source code.
func naming(k definition.Kind) host.NameRule {
	if k != definition.Skill {
		return host.NameRule{}
	}
	return host.NameRule{Clean: untagged, SameDir: true, Other: host.Ignores, Max: 64, Long: host.Cuts}
}

func described(k definition.Kind) host.DescriptionRule {
	if k != definition.Skill {
		return host.DescriptionRule{Missing: host.MissingNothing}
	}
	return host.DescriptionRule{Missing: host.MissingNothing, Clean: func(s string) string { return strings.TrimSpace(untagged(s)) }}
}

// untagged removes tags: everything from "<" to the next ">", if there is text between them.
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

func nameField(k definition.Kind) bool { return k != definition.Instruction }

// refuses returns the reason why an agent is not loaded, or "" if it is loaded. According to VS
// Code's documentation, an agent is not loaded if it targets another environment.
func refuses(d *definition.Definition) string { return copilotcli.OtherTarget(d, "vscode") }
