package claude

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// fields are the fields of Claude Code, for people and editors (formats
// dossier, section 3.4). Nothing in them makes it drop a file but what
// refuses says; a value that it can not use counts as absent.
func fields(k definition.Kind) []host.FieldRule {
	switch k {
	case definition.Skill, definition.Command:
		return skillFields(k)
	case definition.Agent:
		return agentFields()
	case definition.Instruction:
		return []host.FieldRule{{
			Key: "paths", Field: definition.FieldPaths, Takes: host.TakesText | host.TakesList | host.TakesNull, Basis: host.Observed,
			About: "Patterns of the files that the rule is for, with commas between them or as a list.",
		}}
	}
	return nil
}

func skillFields(k definition.Kind) []host.FieldRule {
	const text, flag, words = host.TakesScalar | host.TakesNull, host.TakesScalar | host.TakesNull, host.TakesScalar | host.TakesList | host.TakesNull
	rules := []host.FieldRule{
		{Key: "description", Field: definition.FieldDescription, Takes: text, Basis: host.Observed, About: "What it does and when to use it; the first line of the body without it."},
		{Key: "when_to_use", Field: definition.FieldWhenToUse, Takes: text, Basis: host.Observed, About: "When to use it, behind the description."},
		{Key: "argument-hint", Field: definition.FieldArgumentHint, Takes: text | host.TakesList, Basis: host.Observed, About: "The arguments, shown to people."},
		{Key: "arguments", Field: definition.FieldArguments, Takes: words, Basis: host.Observed, About: "Names of the arguments, for $name in the body; with blanks between them or as a list."},
		{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: flag, Pattern: host.FlagPattern, Basis: host.Observed, About: "Only people can call it."},
		{Key: "user-invocable", Field: definition.FieldUserInvocable, Takes: flag, Pattern: host.FlagPattern, Basis: host.Observed, About: "Whether people can call it."},
		{Key: "allowed-tools", Field: definition.FieldAllowedTools, Takes: words, Basis: host.Observed, About: "The tools that it may use without being asked."},
		{Key: "disallowed-tools", Field: definition.FieldDisallowedTools, Takes: words, Basis: host.Documented, About: "The tools that it may not use."},
		{Key: "model", Field: definition.FieldModel, Takes: text, Basis: host.Observed, About: "The model that it runs on: an alias, a name or inherit."},
		{Key: "effort", Field: definition.FieldEffort, Takes: text, Pattern: `low|medium|high|xhigh|max|[+-]?[0-9]+`, Basis: host.Observed, About: "How much the model thinks: low, medium, high, xhigh or max."},
		{Key: "context", Field: definition.FieldContext, Takes: text, Words: []string{"fork", "inherit"}, Basis: host.Observed, About: "fork runs it in a conversation of its own."},
		{Key: "agent", Field: definition.FieldAgent, Takes: text, Basis: host.Observed, About: "The agent of that conversation."},
		{Key: "background", Field: definition.FieldBackground, Takes: flag, Pattern: host.FlagPattern, Basis: host.Documented, About: "Runs that conversation in the background."},
		{Key: "hooks", Field: definition.FieldHooks, Takes: host.TakesMap | host.TakesNull, Basis: host.Documented, About: "What runs at events after it is called."},
		{Key: "shell", Field: definition.FieldShell, Takes: text, Words: []string{"bash", "powershell"}, Basis: host.Observed, About: "The shell of the commands in the body."},
		{Key: "metadata", Field: definition.FieldMetadata, Takes: host.TakesAny, Inert: true, Basis: host.Documented, About: "Further keys and their texts."},
		{Key: "license", Field: definition.FieldLicense, Takes: host.TakesAny, Inert: true, Basis: host.Documented, About: "The licence."},
		{Key: "compatibility", Field: definition.FieldCompatibility, Takes: host.TakesAny, Inert: true, Basis: host.Documented, About: "What it needs to run."},
	}
	if k == definition.Command {
		return rules
	}
	return append([]host.FieldRule{
		{Key: "name", Field: definition.FieldName, Takes: text, Basis: host.Observed, About: "A second name; the directory is the first."},
		{
			Key: "paths", Field: definition.FieldPaths, Takes: words, Basis: host.Observed,
			About: "Patterns of files; the skill is there once one of them is touched.",
		},
	}, rules...)
}

func agentFields() []host.FieldRule {
	const text, flag, words = host.TakesScalar | host.TakesNull, host.TakesScalar | host.TakesNull, host.TakesScalar | host.TakesList | host.TakesNull
	return []host.FieldRule{
		{
			Key: "name", Field: definition.FieldName, Takes: host.TakesScalar, Type: host.Drops, Required: true, Pattern: `[^:-][^:]*`, Bad: host.Drops, Basis: host.Observed,
			About: "The name of the agent, without a colon and not beginning with a hyphen.",
		},
		{Key: "description", Field: definition.FieldDescription, Takes: host.TakesScalar, Type: host.Drops, Required: true, Basis: host.Observed, About: "When to use the agent."},
		{Key: "tools", Field: definition.FieldTools, Takes: words, Basis: host.Documented, About: "The tools that it may use; all without it."},
		{Key: "disallowedTools", Field: definition.FieldDisallowedTools, Takes: words, Basis: host.Documented, About: "The tools that it may not use."},
		{Key: "model", Field: definition.FieldModel, Takes: text, Basis: host.Documented, About: "The model that it runs on: an alias, a name or inherit."},
		{
			Key: "permissionMode", Field: definition.FieldPermissionMode, Takes: text,
			Words: []string{"default", "acceptEdits", "auto", "dontAsk", "bypassPermissions", "plan", "manual"},
			Basis: host.Documented, About: "What it may do without asking.",
		},
		{Key: "maxTurns", Field: definition.FieldMaxTurns, Takes: host.TakesText | host.TakesNumber | host.TakesNull, Whole: true, Basis: host.Documented, About: "The most turns that it takes."},
		{Key: "skills", Field: definition.FieldSkills, Takes: words, Basis: host.Observed, About: "Skills that are put before it."},
		{Key: "mcpServers", Field: definition.FieldMCPServers, Takes: words | host.TakesMap, Basis: host.Documented, About: "MCP servers that it may use, by name or written out."},
		{Key: "hooks", Field: definition.FieldHooks, Takes: host.TakesMap | host.TakesNull, Basis: host.Documented, About: "What runs at events while the agent works."},
		{Key: "memory", Field: definition.FieldMemory, Takes: text, Words: []string{"user", "project", "local"}, Basis: host.Documented, About: "Where it keeps what it learns."},
		{Key: "background", Field: definition.FieldBackground, Takes: flag, Pattern: host.FlagPattern, Basis: host.Documented, About: "Runs it in the background."},
		{Key: "effort", Field: definition.FieldEffort, Takes: text, Pattern: `low|medium|high|xhigh|max|[+-]?[0-9]+`, Basis: host.Documented, About: "How much the model thinks: low, medium, high, xhigh or max."},
		{Key: "isolation", Field: definition.FieldIsolation, Takes: text, Words: []string{"worktree"}, Basis: host.Documented, About: "Runs it in a working tree of its own."},
		{
			Key: "color", Field: definition.FieldColor, Takes: text, Words: []string{"red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan"},
			Basis: host.Documented, About: "The colour in which it is shown.",
		},
		{Key: "initialPrompt", Field: definition.FieldInitialPrompt, Takes: text, Basis: host.Documented, About: "What is sent to it first when it is the main agent."},
	}
}
