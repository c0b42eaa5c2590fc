package host

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// qwenFields: name and description become texts, whatever they are (case n09,
// source: core/src/skills/skill-load.ts).
func qwenFields(k definition.Kind) []FieldRule {
	const text, flag = TakesText | TakesNull, TakesText | TakesBool | TakesNull
	truth := []string{"true", "false"}
	switch k {
	case definition.Skill:
		return []FieldRule{
			{
				Key: "name", Field: definition.FieldName, Takes: TakesScalar, Type: Coerces, Required: true,
				Pattern: `[\p{L}\p{N}_:.-]+`, Bad: Drops, Basis: Observed, About: "The name of the skill: letters, digits and _ : . -",
			},
			{
				Key: "description", Field: definition.FieldDescription, Takes: TakesScalar, Type: Coerces, Required: true, Basis: Observed,
				About: "What the skill does and when to use it.",
			},
			{Key: "when_to_use", Field: definition.FieldWhenToUse, Takes: text, Basis: FromSource, About: "When to use the skill, behind the description."},
			{Key: "argument-hint", Field: definition.FieldArgumentHint, Takes: text, Basis: FromSource, About: "The arguments, shown to people."},
			{Key: "allowedTools", Field: definition.FieldAllowedTools, Takes: text | TakesList, Basis: Inferred, About: "The tools that it may use without being asked."},
			{Key: "allowed-tools", Field: definition.FieldAllowedTools, Takes: text | TakesList, Basis: Inferred, About: "The same as allowedTools."},
			{Key: "model", Field: definition.FieldModel, Takes: TakesText, Type: Drops, Basis: FromSource, About: "The model that it runs on."},
			{Key: "paths", Field: definition.FieldPaths, Takes: TakesList | TakesNull, Type: Drops, Basis: FromSource, About: "Patterns of the files that the skill is for, as a list."},
			{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: flag, Words: truth, Basis: Observed, About: "Only people can call it."},
			{Key: "user-invocable", Field: definition.FieldUserInvocable, Takes: flag, Words: truth, Basis: FromSource, About: "Whether people can call it."},
			{Key: "priority", Takes: TakesNumber | TakesNull, Basis: FromSource, About: "The place in the list that people see; higher comes first."},
			{Key: "hooks", Field: definition.FieldHooks, Takes: TakesMap | TakesNull, Basis: FromSource, About: "What runs at events after the skill is called."},
		}
	case definition.Command:
		return []FieldRule{
			{Key: "prompt", Field: definition.FieldPrompt, Takes: TakesText, Type: Drops, Required: true, InTOML: true, Basis: FromSource, About: "What is sent to the model, in a TOML file."},
			{Key: "description", Field: definition.FieldDescription, Takes: TakesText, Type: Drops, Basis: FromSource, About: "What the command does; with it the model sees the command."},
			{Key: "argument-hint", Field: definition.FieldArgumentHint, Takes: TakesText, Type: Drops, Basis: FromSource, About: "The arguments, shown to people."},
			{Key: "when_to_use", Field: definition.FieldWhenToUse, Takes: TakesText, Type: Drops, Basis: FromSource, About: "When to use the command, behind the description."},
			{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: TakesBool, Type: Drops, Basis: FromSource, About: "Only people can call it."},
		}
	case definition.Agent:
		return qwenAgentFields()
	}
	return nil
}

// qwenAgentFields are those of agents (source, core/src/subagents).
func qwenAgentFields() []FieldRule {
	const text, words = TakesText | TakesNull, TakesText | TakesList | TakesNull
	rules := []FieldRule{
		{
			Key: "name", Field: definition.FieldName, Takes: TakesText, Type: Coerces, Required: true, Max: 50, Long: Drops,
			// Two or more letters, digits, hyphens and underscores; these do not stand at the ends.
			Pattern: `[\p{L}\p{N}][\p{L}\p{N}_-]*[\p{L}\p{N}]`, Bad: Drops, About: "The name of the agent.",
		},
		{Key: "description", Field: definition.FieldDescription, Takes: TakesScalar, Type: Coerces, Required: true, About: "When to use the agent."},
		{Key: "tools", Field: definition.FieldTools, Takes: words, About: "The tools that it may use; all without it."},
		{Key: "disallowedTools", Field: definition.FieldDisallowedTools, Takes: words, About: "The tools that it may not use."},
		{Key: "model", Field: definition.FieldModel, Takes: TakesScalar | TakesNull, Type: Coerces, About: "The model that it runs on."},
		{
			Key: "color", Field: definition.FieldColor, Takes: text, Words: []string{"red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan", "auto"},
			About: "The colour in which it is shown.",
		},
		{Key: "approvalMode", Takes: text, Type: Drops, About: "What it may do without asking."},
		{
			Key: "permissionMode", Field: definition.FieldPermissionMode, Takes: text,
			Words: []string{"acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"}, About: "The same in the words of Claude Code.",
		},
		{Key: "background", Field: definition.FieldBackground, Takes: TakesText | TakesBool | TakesNull, Words: []string{"true", "false"}, About: "Runs it in the background."},
		{Key: "maxTurns", Field: definition.FieldMaxTurns, Takes: TakesText | TakesNumber | TakesNull, Whole: true, About: "The most turns that it takes."},
		{
			Key: "effort", Field: definition.FieldEffort, Takes: TakesText | TakesNumber | TakesNull, Pattern: `low|med|medium|high|xhigh|max|-?[0-9]+`,
			About: "How much the model thinks.",
		},
		{Key: "skills", Field: definition.FieldSkills, Takes: words, About: "Skills that are put before it."},
		{Key: "memory", Field: definition.FieldMemory, Takes: text, Words: []string{"user", "project", "local"}, About: "Where it keeps what it learns."},
		{Key: "isolation", Field: definition.FieldIsolation, Takes: text, Words: []string{"worktree"}, About: "Runs it in a working tree of its own."},
		{Key: "mcpServers", Field: definition.FieldMCPServers, Takes: TakesMap | TakesNull, About: "MCP servers of the agent's own."},
		{Key: "hooks", Field: definition.FieldHooks, Takes: TakesMap | TakesNull, About: "What runs at events while the agent works."},
		{Key: "executor", Takes: TakesMap | TakesNull, Type: Drops, About: "The program that runs it in place of the host."},
		{Key: "modelConfig", Takes: TakesMap | TakesNull, About: "The older way to name the model."},
		{Key: "runConfig", Takes: TakesMap | TakesNull, About: "Limits of its run."},
	}
	for i := range rules {
		rules[i].Basis = FromSource
	}
	return rules
}

func qwenNaming(definition.Kind) NameRule { return NameRule{} }

func qwenDescribed(definition.Kind) DescriptionRule {
	return DescriptionRule{Missing: MissingNothing}
}

func qwenNameField(k definition.Kind) bool { return k == definition.Skill || k == definition.Agent }

// qwenRefuses: some names of agents are kept for the host (source,
// core/src/subagents/validation.ts).
func qwenRefuses(d *definition.Definition) string {
	kept := []string{"self", "system", "user", "model", "tool", "config", "default"}
	if d.Kind == definition.Agent && slices.Contains(kept, strings.ToLower(d.Fields.Name)) {
		return "the name is one that the host keeps for itself"
	}
	return ""
}
