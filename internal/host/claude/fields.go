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
			About: "Patterns for the files that the rule applies to: comma-separated or a list.",
		}}
	}
	return nil
}

func skillFields(k definition.Kind) []host.FieldRule {
	const text, flag, words = host.TakesScalar | host.TakesNull, host.TakesScalar | host.TakesNull, host.TakesScalar | host.TakesList | host.TakesNull
	rules := []host.FieldRule{
		{Key: "description", Field: definition.FieldDescription, Takes: text, Basis: host.Observed, About: "What it does and when to use it; defaults to the first line of the body."},
		{Key: "when_to_use", Field: definition.FieldWhenToUse, Takes: text, Basis: host.Observed, About: "When to use it; listed after the description."},
		{Key: "argument-hint", Field: definition.FieldArgumentHint, Takes: text | host.TakesList, Basis: host.Observed, About: "A hint about the arguments, shown to users."},
		{Key: "arguments", Field: definition.FieldArguments, Takes: words, Basis: host.Observed, About: "The argument names, for $name in the body: space-separated or a list."},
		{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: flag, Pattern: host.FlagPattern, Basis: host.Observed, About: "If true, only users can call it."},
		{Key: "user-invocable", Field: definition.FieldUserInvocable, Takes: flag, Pattern: host.FlagPattern, Basis: host.Observed, About: "Whether users can call it."},
		{Key: "allowed-tools", Field: definition.FieldAllowedTools, Takes: words, Basis: host.Observed, About: "The tools that it may use without asking."},
		{Key: "disallowed-tools", Field: definition.FieldDisallowedTools, Takes: words, Basis: host.Documented, About: "The tools that it must not use."},
		{Key: "model", Field: definition.FieldModel, Takes: text, Basis: host.Observed, About: "The model that it runs on: an alias, a name or inherit."},
		{Key: "effort", Field: definition.FieldEffort, Takes: text, Pattern: `low|medium|high|xhigh|max|[+-]?[0-9]+`, Basis: host.Observed, About: "The reasoning effort: low, medium, high, xhigh or max."},
		{Key: "context", Field: definition.FieldContext, Takes: text, Words: []string{"fork", "inherit"}, Basis: host.Observed, About: "Set to fork to run it in a separate conversation."},
		{Key: "agent", Field: definition.FieldAgent, Takes: text, Basis: host.Observed, About: "The agent that runs the separate conversation."},
		{Key: "background", Field: definition.FieldBackground, Takes: flag, Pattern: host.FlagPattern, Basis: host.Documented, About: "Whether to run the separate conversation in the background."},
		{Key: "hooks", Field: definition.FieldHooks, Takes: host.TakesMap | host.TakesNull, Basis: host.Documented, About: "Commands that run on events after it is called."},
		{Key: "shell", Field: definition.FieldShell, Takes: text, Words: []string{"bash", "powershell"}, Basis: host.Observed, About: "The shell that runs the commands in the body."},
		{Key: "metadata", Field: definition.FieldMetadata, Takes: host.TakesAny, Inert: true, Basis: host.Documented, About: "Additional keys with string values."},
		{Key: "license", Field: definition.FieldLicense, Takes: host.TakesAny, Inert: true, Basis: host.Documented, About: "The license."},
		{Key: "compatibility", Field: definition.FieldCompatibility, Takes: host.TakesAny, Inert: true, Basis: host.Documented, About: "What it needs to run."},
	}
	if k == definition.Command {
		return rules
	}
	return append([]host.FieldRule{
		{Key: "name", Field: definition.FieldName, Takes: text, Basis: host.Observed, About: "A second name in addition to the directory name."},
		{
			Key: "paths", Field: definition.FieldPaths, Takes: words, Basis: host.Observed,
			About: "File patterns; the skill becomes available once a matching file is touched.",
		},
	}, rules...)
}

func agentFields() []host.FieldRule {
	const text, flag, words = host.TakesScalar | host.TakesNull, host.TakesScalar | host.TakesNull, host.TakesScalar | host.TakesList | host.TakesNull
	return []host.FieldRule{
		{
			Key: "name", Field: definition.FieldName, Takes: host.TakesText, Type: host.Drops, Required: true, Pattern: `[^:-][^:]*`, Bad: host.Drops, Basis: host.Observed,
			About: "The agent's name; it must not contain a colon or begin with a hyphen.",
		},
		{Key: "description", Field: definition.FieldDescription, Takes: host.TakesText, Type: host.Drops, Required: true, Basis: host.Observed, About: "When to use the agent."},
		{Key: "tools", Field: definition.FieldTools, Takes: words, Basis: host.Documented, About: "The tools that it may use; all if absent."},
		{Key: "disallowedTools", Field: definition.FieldDisallowedTools, Takes: words, Basis: host.Documented, About: "The tools that it must not use."},
		{Key: "model", Field: definition.FieldModel, Takes: text, Basis: host.Documented, About: "The model that it runs on: an alias, a name or inherit."},
		{
			Key: "permissionMode", Field: definition.FieldPermissionMode, Takes: text,
			Words: []string{"default", "acceptEdits", "auto", "dontAsk", "bypassPermissions", "plan", "manual"},
			Basis: host.Documented, About: "What the agent may do without asking.",
		},
		{Key: "maxTurns", Field: definition.FieldMaxTurns, Takes: host.TakesText | host.TakesNumber | host.TakesNull, Whole: true, Basis: host.Documented, About: "The maximum number of turns."},
		{Key: "skills", Field: definition.FieldSkills, Takes: words, Basis: host.Observed, About: "Skills to preload."},
		{Key: "mcpServers", Field: definition.FieldMCPServers, Takes: words | host.TakesMap, Basis: host.Documented, About: "MCP servers that it may use, by name or defined inline."},
		{Key: "hooks", Field: definition.FieldHooks, Takes: host.TakesMap | host.TakesNull, Basis: host.Documented, About: "Commands that run on events while the agent works."},
		{Key: "memory", Field: definition.FieldMemory, Takes: text, Words: []string{"user", "project", "local"}, Basis: host.Documented, About: "Where the agent keeps its memory."},
		{Key: "background", Field: definition.FieldBackground, Takes: flag, Pattern: host.FlagPattern, Basis: host.Documented, About: "Whether to run it in the background."},
		{Key: "effort", Field: definition.FieldEffort, Takes: text, Pattern: `low|medium|high|xhigh|max|[+-]?[0-9]+`, Basis: host.Documented, About: "The reasoning effort: low, medium, high, xhigh or max."},
		{Key: "isolation", Field: definition.FieldIsolation, Takes: text, Words: []string{"worktree"}, Basis: host.Documented, About: "Set to worktree to run it in a separate git worktree."},
		{
			Key: "color", Field: definition.FieldColor, Takes: text, Words: []string{"red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan"},
			Basis: host.Documented, About: "The display color.",
		},
		{Key: "initialPrompt", Field: definition.FieldInitialPrompt, Takes: text, Basis: host.Documented, About: "The first message when it is the main agent."},
	}
}
