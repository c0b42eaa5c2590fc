package claude

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// fields returns Claude Code's fields, for display and for editors (format notes, section 3.4).
// Claude Code treats an invalid value as absent, unless refuses returns a reason to drop the file.
func fields(k definition.Kind) []host.FieldRule {
	switch k {
	case definition.Skill, definition.Command:
		return skillFields(k)
	case definition.Agent:
		return agentFields()
	case definition.Instruction:
		return []host.FieldRule{{
			Key: "paths", Field: definition.FieldPaths, Takes: host.TakesText | host.TakesList | host.TakesNull, Basis: host.Observed,
			About: "Glob patterns for the files the rule applies to, as a list or a comma-separated string.",
		}}
	}
	return nil
}

func skillFields(k definition.Kind) []host.FieldRule {
	const text, flag, words = host.TakesScalar | host.TakesNull, host.TakesScalar | host.TakesNull, host.TakesScalar | host.TakesList | host.TakesNull
	rules := []host.FieldRule{
		{Key: "description", Field: definition.FieldDescription, Takes: text, Basis: host.Observed, About: "What the " + k.String() + " does and when to use it; defaults to the first line of the body."},
		{Key: "when_to_use", Field: definition.FieldWhenToUse, Takes: text, Basis: host.Observed, About: "When to use the " + k.String() + "; listed after the description."},
		{Key: "argument-hint", Field: definition.FieldArgumentHint, Takes: text | host.TakesList, Basis: host.Observed, About: "A hint about the arguments, shown to users."},
		{Key: "arguments", Field: definition.FieldArguments, Takes: words, Basis: host.Observed, About: "The argument names, for use as $name in the body, as a list or a space-separated string."},
		{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: flag, Pattern: host.FlagPattern, Basis: host.Observed, About: "If true, only users can invoke the " + k.String() + "."},
		{Key: "user-invocable", Field: definition.FieldUserInvocable, Takes: flag, Pattern: host.FlagPattern, Basis: host.Observed, About: "Whether users can invoke the " + k.String() + "."},
		{Key: "allowed-tools", Field: definition.FieldAllowedTools, Takes: words, Basis: host.Observed, About: "The tools the " + k.String() + " may use without asking for permission."},
		{Key: "disallowed-tools", Field: definition.FieldDisallowedTools, Takes: words, Basis: host.Documented, About: "The tools the " + k.String() + " must not use."},
		{Key: "model", Field: definition.FieldModel, Takes: text, Basis: host.Observed, About: "The model the " + k.String() + " uses: an alias, a model name or inherit."},
		{Key: "effort", Field: definition.FieldEffort, Takes: text, Pattern: `low|medium|high|xhigh|max|[+-]?[0-9]+`, Basis: host.Observed, About: "The reasoning effort: low, medium, high, xhigh or max."},
		{Key: "context", Field: definition.FieldContext, Takes: text, Words: []string{"fork", "inherit"}, Basis: host.Observed, About: "Set to fork to run the " + k.String() + " in a separate conversation."},
		{Key: "agent", Field: definition.FieldAgent, Takes: text, Basis: host.Observed, About: "The agent that runs the separate conversation."},
		{Key: "background", Field: definition.FieldBackground, Takes: flag, Pattern: host.FlagPattern, Basis: host.Documented, About: "Whether to run the separate conversation in the background."},
		{Key: "hooks", Field: definition.FieldHooks, Takes: host.TakesMap | host.TakesNull, Basis: host.Documented, About: "Commands that run on events after the " + k.String() + " is invoked."},
		{Key: "shell", Field: definition.FieldShell, Takes: text, Words: []string{"bash", "powershell"}, Basis: host.Observed, About: "The shell that runs the commands in the body."},
		{Key: "metadata", Field: definition.FieldMetadata, Takes: host.TakesAny, Inert: true, Basis: host.Documented, About: "Additional keys with string values."},
		{Key: "license", Field: definition.FieldLicense, Takes: host.TakesAny, Inert: true, Basis: host.Documented, About: "The license."},
		{Key: "compatibility", Field: definition.FieldCompatibility, Takes: host.TakesAny, Inert: true, Basis: host.Documented, About: "What the " + k.String() + " needs to run."},
	}
	if k == definition.Command {
		return rules
	}
	return append([]host.FieldRule{
		{Key: "name", Field: definition.FieldName, Takes: text, Basis: host.Observed, About: "An additional name; the directory name still works."},
		{
			Key: "paths", Field: definition.FieldPaths, Takes: words, Basis: host.Observed,
			About: "Glob patterns; the skill becomes available once a matching file is touched.",
		},
	}, rules...)
}

func agentFields() []host.FieldRule {
	const text, flag, words = host.TakesScalar | host.TakesNull, host.TakesScalar | host.TakesNull, host.TakesScalar | host.TakesList | host.TakesNull
	return []host.FieldRule{
		{
			Key: "name", Field: definition.FieldName, Takes: host.TakesText, Type: host.Drops, Required: true, Pattern: `[^:-][^:]*`, Bad: host.Drops, Basis: host.Observed,
			About: "The agent's name, which must not contain a colon or start with a hyphen.",
		},
		{Key: "description", Field: definition.FieldDescription, Takes: host.TakesText, Type: host.Drops, Required: true, Basis: host.Observed, About: "When to use the agent."},
		{Key: "tools", Field: definition.FieldTools, Takes: words, Basis: host.Documented, About: "The tools the agent may use; defaults to all tools."},
		{Key: "disallowedTools", Field: definition.FieldDisallowedTools, Takes: words, Basis: host.Documented, About: "The tools the agent must not use."},
		{Key: "model", Field: definition.FieldModel, Takes: text, Basis: host.Documented, About: "The model the agent uses: an alias, a model name or inherit."},
		{
			Key: "permissionMode", Field: definition.FieldPermissionMode, Takes: text,
			Words: []string{"default", "acceptEdits", "auto", "dontAsk", "bypassPermissions", "plan", "manual"},
			Basis: host.Documented, About: "What the agent may do without asking for permission.",
		},
		{Key: "maxTurns", Field: definition.FieldMaxTurns, Takes: host.TakesText | host.TakesNumber | host.TakesNull, Whole: true, Basis: host.Documented, About: "The maximum number of turns."},
		{Key: "skills", Field: definition.FieldSkills, Takes: words, Basis: host.Observed, About: "Skills to preload."},
		{Key: "mcpServers", Field: definition.FieldMCPServers, Takes: words | host.TakesMap, Basis: host.Documented, About: "MCP servers the agent may use, listed by name or defined inline."},
		{Key: "hooks", Field: definition.FieldHooks, Takes: host.TakesMap | host.TakesNull, Basis: host.Documented, About: "Commands that run on events while the agent is running."},
		{Key: "memory", Field: definition.FieldMemory, Takes: text, Words: []string{"user", "project", "local"}, Basis: host.Documented, About: "Where the agent stores its memory."},
		{Key: "background", Field: definition.FieldBackground, Takes: flag, Pattern: host.FlagPattern, Basis: host.Documented, About: "Whether to run the agent in the background."},
		{Key: "effort", Field: definition.FieldEffort, Takes: text, Pattern: `low|medium|high|xhigh|max|[+-]?[0-9]+`, Basis: host.Documented, About: "The reasoning effort: low, medium, high, xhigh or max."},
		{Key: "isolation", Field: definition.FieldIsolation, Takes: text, Words: []string{"worktree"}, Basis: host.Documented, About: "Set to worktree to run the agent in a separate git worktree."},
		{
			Key: "color", Field: definition.FieldColor, Takes: text, Words: []string{"red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan"},
			Basis: host.Documented, About: "The display color.",
		},
		{Key: "initialPrompt", Field: definition.FieldInitialPrompt, Takes: text, Basis: host.Documented, About: "The initial prompt sent when this agent is the main agent."},
	}
}
