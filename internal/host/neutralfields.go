package host

import "github.com/vadehq/vade/definition"

// FlagPattern matches the strings that Claude Code and the neutral view accept as
// booleans.
const FlagPattern = `[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[Yy][Ee][Ss]|[Nn][Oo]|[Oo][Nn]|[Oo][Ff][Ff]|[01]`

// neutralFields returns the fields that Vade supports, for documentation and editors. The neutral
// view accepts these fields in every spelling and with every type of value.
func neutralFields(k definition.Kind) []FieldRule {
	const text, flag, words = TakesScalar | TakesNull, TakesScalar | TakesNull, TakesScalar | TakesList | TakesNull
	field := func(f definition.Field, takes ValueType, about string) FieldRule {
		r := FieldRule{Key: f.Key(), Field: f, Takes: takes, About: about, Basis: Documented}
		if f.Shape() == definition.Flag {
			r.Pattern = FlagPattern
		}
		return r
	}
	noun := k.String()
	if k == definition.Instruction {
		noun = "file"
	}
	agents, modeText := "The agents the "+noun+" is for.", "The agent that runs the prompt."
	if k == definition.Agent {
		agents, modeText = "The agents that this agent may start as subagents.", "The agent's mode."
	}
	rules := []FieldRule{
		field(definition.FieldName, text, "The name."),
		field(definition.FieldTitle, text, "The display name."),
		field(definition.FieldDescription, text, "What the "+noun+" is for and when to use it."),
		field(definition.FieldVersion, text, "The version, such as 1.2.3."),
		field(definition.FieldRequires, TakesAny, `Requirements, such as {vade: ">=1.2"}. Vade checks its own version and the versions of hosts.`),
		field(definition.FieldLicense, text, "The license."),
		field(definition.FieldCompatibility, TakesAny, "What the "+noun+" needs to run."),
		field(definition.FieldMetadata, TakesAny, "Additional keys with string values."),
		field(definition.FieldKeywords, words, "Search keywords."),
		field(definition.FieldAgents, words, agents),
	}
	effort := field(definition.FieldEffort, text, "The reasoning effort: low, medium, high, xhigh, max or a number.")
	effort.Pattern = `low|medium|high|xhigh|max|[+-]?[0-9]+`
	model := field(definition.FieldModel, words, "The model the "+noun+" uses.")
	tools := field(definition.FieldTools, words|TakesMap, "The tools the "+noun+" may use.")
	hooks := field(definition.FieldHooks, TakesMap|TakesNull, "Commands that run on events.")
	mode := field(definition.FieldMode, text, modeText)
	paths := field(definition.FieldPaths, words, "Glob patterns for the files the "+noun+" applies to, as a list or a comma-separated string.")
	color := field(definition.FieldColor, text, "The display color.")
	manual := field(definition.FieldDisableModelInvocation, flag, "If true, only users can invoke the "+noun+".")
	callable := field(definition.FieldUserInvocable, flag, "Whether users can invoke the "+noun+".")
	denied := field(definition.FieldDisallowedTools, words, "The tools the "+noun+" must not use.")
	background := field(definition.FieldBackground, flag, "Whether to run the "+noun+" in the background.")
	switch k {
	case definition.Skill, definition.Command:
		context := field(definition.FieldContext, text, "Set to fork to run the "+noun+" in a separate conversation.")
		context.Words = []string{"fork", "inherit"}
		shell := field(definition.FieldShell, text, "The shell that runs the commands in the body.")
		shell.Words = []string{"bash", "powershell"}
		return append(rules,
			field(definition.FieldWhenToUse, text, "When to use the "+noun+"; listed after the description."),
			field(definition.FieldArgumentHint, text|TakesList, "A hint about the arguments, shown to users."),
			field(definition.FieldArguments, words, "The argument names."),
			field(definition.FieldAllowedTools, words, "The tools the "+noun+" may use without asking for permission."),
			denied, tools, model, effort, context,
			field(definition.FieldAgent, text, "The agent that runs the "+noun+"."),
			shell, paths, field(definition.FieldGlobs, words, "Some hosts' name for the paths field."),
			callable, manual, hooks, mode, background, color,
			field(definition.FieldAliases, words, "Alternative names."),
			field(definition.FieldPrompt, text, "In a TOML file: the body."),
			field(definition.FieldSubtask, flag, "Whether to run the "+noun+" in a separate conversation."),
			field(definition.FieldHandoffs, TakesAny, "Suggested next steps."),
		)
	case definition.Agent:
		target := field(definition.FieldTarget, text, "The only environment in which the agent is available.")
		turns := field(definition.FieldMaxTurns, TakesText|TakesNumber|TakesNull, "The maximum number of turns.")
		return append(rules,
			tools, denied, model, effort, mode, hooks, color, callable, manual, background, target, turns,
			field(definition.FieldArgumentHint, text|TakesList, "A hint about the arguments, shown to users."),
			field(definition.FieldMCPServers, TakesAny, "The agent's MCP servers."),
			field(definition.FieldSkills, words, "Skills to preload."),
			field(definition.FieldAliases, words, "Alternative names."),
			field(definition.FieldHasArchitectureAccess, flag, "Whether the agent may see the project's architecture."),
			field(definition.FieldHandoffs, TakesAny, "Suggested next steps."),
			field(definition.FieldPermissionMode, text, "What the agent may do without asking for permission."),
			field(definition.FieldMemory, text, "Where the agent stores its memory."),
			field(definition.FieldIsolation, text, "Where the agent runs, such as in a separate git worktree."),
			field(definition.FieldInitialPrompt, text, "The initial prompt sent when the agent is the main agent."),
			field(definition.FieldPrompt, text, "In a TOML file: the body."),
			field(definition.FieldTemperature, text, "The model's sampling temperature."),
		)
	case definition.Instruction:
		return append(rules, paths,
			field(definition.FieldGlobs, words, "Cursor's name for the paths field."),
			field(definition.FieldApplyTo, words, "Copilot's name for the paths field."),
			field(definition.FieldAlwaysApply, flag, "If true, the instructions always apply, regardless of the patterns."),
			field(definition.FieldExcludeAgent, words, "Agents that should not receive these instructions."),
		)
	}
	return nil
}
