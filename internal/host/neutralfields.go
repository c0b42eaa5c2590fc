package host

import "github.com/vadehq/vade/definition"

// FlagPattern are the texts that Claude Code and the neutral view take for true and
// false.
const FlagPattern = `[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[Yy][Ee][Ss]|[Nn][Oo]|[Oo][Nn]|[Oo][Ff][Ff]|[01]`

// neutralFields are the fields that Vade knows, for people and editors; the
// neutral view reads them in every spelling and form. They leave nothing out.
func neutralFields(k definition.Kind) []FieldRule {
	const text, flag, words = TakesScalar | TakesNull, TakesScalar | TakesNull, TakesScalar | TakesList | TakesNull
	field := func(f definition.Field, takes ValueType, about string) FieldRule {
		r := FieldRule{Key: f.Key(), Field: f, Takes: takes, About: about, Basis: Documented}
		if f.Shape() == definition.Flag {
			r.Pattern = FlagPattern
		}
		return r
	}
	rules := []FieldRule{
		field(definition.FieldName, text, "The name."),
		field(definition.FieldTitle, text, "The name that people see."),
		field(definition.FieldDescription, text, "What it is and when to use it."),
		field(definition.FieldVersion, text, "Its own version, as 1.2.3."),
		field(definition.FieldRequires, TakesAny, `What it needs; "vade >= 1.2" is checked.`),
		field(definition.FieldLicense, text, "The licence."),
		field(definition.FieldCompatibility, TakesAny, "What it needs to run."),
		field(definition.FieldMetadata, TakesAny, "Further keys and their texts."),
		field(definition.FieldKeywords, words, "Words to find it by."),
		field(definition.FieldAgents, words, "The agents that it is for, or that an agent may start."),
	}
	effort := field(definition.FieldEffort, text, "How much the model thinks: low, medium, high, xhigh, max or a number.")
	effort.Pattern = `low|medium|high|xhigh|max|[+-]?[0-9]+`
	model := field(definition.FieldModel, words, "The model that it runs on.")
	tools := field(definition.FieldTools, words|TakesMap, "The tools that it may use.")
	hooks := field(definition.FieldHooks, TakesMap|TakesNull, "What runs at events.")
	mode := field(definition.FieldMode, text, "The agent of a prompt, or the mode of an agent.")
	paths := field(definition.FieldPaths, words, "Patterns of the files that it is for, with commas between them or as a list.")
	color := field(definition.FieldColor, text, "The colour in which it is shown.")
	manual := field(definition.FieldDisableModelInvocation, flag, "Only people can call it.")
	callable := field(definition.FieldUserInvocable, flag, "Whether people can call it.")
	denied := field(definition.FieldDisallowedTools, words, "The tools that it may not use.")
	background := field(definition.FieldBackground, flag, "Runs it in the background.")
	switch k {
	case definition.Skill, definition.Command:
		context := field(definition.FieldContext, text, "fork runs it in a conversation of its own.")
		context.Words = []string{"fork", "inherit"}
		shell := field(definition.FieldShell, text, "The shell of the commands in the body.")
		shell.Words = []string{"bash", "powershell"}
		return append(rules,
			field(definition.FieldWhenToUse, text, "When to use it, behind the description."),
			field(definition.FieldArgumentHint, text|TakesList, "The arguments, shown to people."),
			field(definition.FieldArguments, words, "Names of the arguments."),
			field(definition.FieldAllowedTools, words, "The tools that it may use without being asked."),
			denied, tools, model, effort, context,
			field(definition.FieldAgent, text, "The agent that runs it."),
			shell, paths, field(definition.FieldGlobs, words, "What paths is, in the words of other hosts."),
			callable, manual, hooks, mode, background, color,
			field(definition.FieldAliases, words, "Further names."),
			field(definition.FieldPrompt, text, "The body, in a TOML file."),
			field(definition.FieldSubtask, flag, "Runs it in a conversation of its own."),
			field(definition.FieldHandoffs, TakesAny, "What to go on with."),
		)
	case definition.Agent:
		target := field(definition.FieldTarget, text, "The one environment that it is for.")
		turns := field(definition.FieldMaxTurns, TakesText|TakesNumber|TakesNull, "The most turns that it takes.")
		return append(rules,
			tools, denied, model, effort, mode, hooks, color, callable, manual, background, target, turns,
			field(definition.FieldArgumentHint, text|TakesList, "The arguments, shown to people."),
			field(definition.FieldMCPServers, TakesAny, "MCP servers of the agent's own."),
			field(definition.FieldSkills, words, "Skills that are put before it."),
			field(definition.FieldAliases, words, "Further names."),
			field(definition.FieldHasArchitectureAccess, flag, "The agent may see the architecture of the project."),
			field(definition.FieldHandoffs, TakesAny, "What to go on with."),
			field(definition.FieldPermissionMode, text, "What it may do without asking."),
			field(definition.FieldMemory, text, "Where it keeps what it learns."),
			field(definition.FieldIsolation, text, "Where it works."),
			field(definition.FieldInitialPrompt, text, "What is sent to it first."),
			field(definition.FieldPrompt, text, "The body, in a TOML file."),
			field(definition.FieldTemperature, text, "How freely the model chooses its words."),
		)
	case definition.Instruction:
		return append(rules, paths,
			field(definition.FieldGlobs, words, "What paths is, in the words of Cursor."),
			field(definition.FieldApplyTo, words, "What paths is, in the words of Copilot."),
			field(definition.FieldAlwaysApply, flag, "The instructions are always in force, whatever the patterns."),
			field(definition.FieldExcludeAgent, words, "Agents that do not get the instructions."),
		)
	}
	return nil
}
