package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// copilotCLIFields: a skill with a wrong value is dropped and reported. That a
// null counts as absent is inferred.
func copilotCLIFields(k definition.Kind) []FieldRule {
	const text, flag = TakesText | TakesNull, TakesBool | TakesNull
	switch k {
	case definition.Skill:
		return append([]FieldRule{{
			Key: "name", Field: definition.FieldName, Takes: text, Type: Drops, Max: 64, Long: Drops,
			Pattern: `[A-Za-z0-9][A-Za-z0-9_.: -]*`, Bad: Drops, Basis: Observed,
			About: "The name of the skill; its directory without it. Blanks become hyphens.",
		}}, copilotSkillFields(Observed)...)
	case definition.Command:
		return copilotSkillFields(Inferred)
	case definition.Agent:
		return []FieldRule{
			{Key: "name", Field: definition.FieldTitle, Takes: text, Basis: Documented, About: "The name that people see; agents go by the name of their file."},
			{Key: "description", Field: definition.FieldDescription, Takes: text, Required: true, Basis: Documented, About: "What the agent is for."},
			{Key: "tools", Field: definition.FieldTools, Takes: text | TakesList, Items: TakesText, Basis: Documented, About: "The tools that it may use; all without it."},
			{Key: "model", Field: definition.FieldModel, Takes: text, Basis: Documented, About: "The model that it runs on."},
			{Key: "models", Takes: TakesList | TakesNull, Basis: Documented, About: "Models that it may run on."},
			{Key: "modelPolicy", Takes: text, Basis: Documented, About: "How a model is chosen."},
			{Key: "reasoningEffort", Field: definition.FieldEffort, Takes: text, Basis: Documented, About: "How much the model thinks."},
			{Key: "mcp-servers", Field: definition.FieldMCPServers, Takes: TakesMap | TakesNull, Basis: Documented, About: "MCP servers of the agent's own."},
			{Key: "infer", Takes: flag, Basis: Documented, About: "Retired; disable-model-invocation says the opposite."},
			{Key: "include-custom-instructions", Takes: flag, Basis: Documented, About: "Whether instruction files are put before it."},
			{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: flag, Basis: Documented, About: "Only people can start the agent."},
			{Key: "user-invocable", Field: definition.FieldUserInvocable, Takes: flag, Basis: Documented, About: "Whether people can choose the agent."},
			{Key: "target", Field: definition.FieldTarget, Takes: text, Words: []string{"vscode", "github-copilot"}, Basis: Documented, About: "The one environment that it is for."},
			{Key: "metadata", Field: definition.FieldMetadata, Takes: TakesAny, Inert: true, Basis: Documented, About: "Further keys and their texts."},
		}
	case definition.Instruction:
		return []FieldRule{
			{Key: "applyTo", Field: definition.FieldApplyTo, Takes: text | TakesList, Basis: Documented, About: "Patterns of the files that the instructions are for."},
			{Key: "paths", Field: definition.FieldPaths, Takes: text | TakesList, Basis: Documented, About: "What applyTo is, in .claude/rules."},
			{Key: "excludeAgent", Field: definition.FieldExcludeAgent, Takes: text | TakesList, Basis: Documented, About: "Agents that do not get the instructions."},
			{Key: "name", Field: definition.FieldTitle, Takes: TakesAny, Inert: true, Basis: Documented, About: "The name that people see."},
			{Key: "description", Field: definition.FieldDescription, Takes: text, Basis: Documented, About: "What the instructions are about."},
		}
	}
	return nil
}

// copilotSkillFields are those of skills, and of the commands that appear as such.
func copilotSkillFields(b Basis) []FieldRule {
	const text, flag = TakesText | TakesNull, TakesBool | TakesNull
	return []FieldRule{
		{
			Key: "description", Field: definition.FieldDescription, Takes: text, Type: Drops, Max: 1024, Long: Drops, Basis: b,
			About: "What it does and when to use it; the first line of the body that is no heading without it.",
		},
		{Key: "argument-hint", Field: definition.FieldArgumentHint, Takes: text, Type: Drops, Basis: b, About: "The arguments, shown to people."},
		{
			Key: "allowed-tools", Field: definition.FieldAllowedTools, Takes: text | TakesList, Type: Drops, Items: TakesText, Basis: b,
			About: "The tools that it may use without being asked, with commas between them or as a list.",
		},
		{Key: "user-invocable", Field: definition.FieldUserInvocable, Takes: flag, Type: Drops, Basis: b, About: "Whether people can call it; true or false, not yes or no."},
		{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: flag, Type: Drops, Basis: Inferred, About: "Only people can call it; true or false."},
		{Key: "license", Field: definition.FieldLicense, Takes: TakesAny, Inert: true, Basis: Documented, About: "The licence."},
		{Key: "compatibility", Field: definition.FieldCompatibility, Takes: TakesAny, Inert: true, Basis: Documented, About: "What it needs to run."},
		{Key: "metadata", Field: definition.FieldMetadata, Takes: TakesAny, Inert: true, Basis: b, About: "Further keys and their texts."},
	}
}

// copilotCLINaming: "Space Name" becomes "Space-Name" (row "spname").
func copilotCLINaming(k definition.Kind) NameRule {
	if k != definition.Skill {
		return NameRule{}
	}
	return NameRule{Clean: func(s string) string { return strings.ReplaceAll(strings.TrimSpace(s), " ", "-") }}
}

// copilotCLIDescribed: row "nodesc" and case n09.
func copilotCLIDescribed(k definition.Kind) DescriptionRule {
	if k == definition.Skill || k == definition.Command {
		return DescriptionRule{Missing: MissingText}
	}
	return DescriptionRule{Missing: MissingNothing}
}

func copilotCLINameField(k definition.Kind) bool { return k == definition.Skill }

func copilotCLIRefuses(*definition.Definition) string { return "" }
