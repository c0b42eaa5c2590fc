package host

import "github.com/vadehq/vade/internal/definition"

// cursorFields are as documented (formats dossier, section 8). What a wrong value
// does is inferred to be nothing.
func cursorFields(k definition.Kind) []FieldRule {
	var rules []FieldRule
	const text, flag = TakesText | TakesNull, TakesBool | TakesNull
	switch k {
	case definition.Skill:
		rules = []FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: text, Required: true, About: "The name of the skill."},
			{Key: "description", Field: definition.FieldDescription, Takes: text, Required: true, About: "What the skill does and when to use it."},
			{Key: "paths", Field: definition.FieldPaths, Takes: text | TakesList, About: "Patterns of the files that the skill is for."},
			{Key: "globs", Field: definition.FieldGlobs, Takes: text | TakesList, About: "The older name of paths."},
			{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: flag, About: "Only people can call it."},
			{Key: "user-invocable", Field: definition.FieldUserInvocable, Takes: flag, About: "Whether people can call it."},
			{Key: "icon", Takes: text, About: "The sign with which it is shown."},
			{Key: "color", Field: definition.FieldColor, Takes: text, About: "The colour in which it is shown."},
			{Key: "license", Field: definition.FieldLicense, Takes: TakesAny, Inert: true, About: "The licence."},
			{Key: "compatibility", Field: definition.FieldCompatibility, Takes: TakesAny, Inert: true, About: "What it needs to run."},
			{Key: "metadata", Field: definition.FieldMetadata, Takes: TakesAny, Inert: true, About: "Further keys and their texts."},
		}
	case definition.Command:
		rules = []FieldRule{
			{Key: "description", Field: definition.FieldDescription, Takes: text, About: "What the command does, in a line."},
			{Key: "handoffs", Field: definition.FieldHandoffs, Takes: TakesAny, Inert: true, About: "What to go on with."},
		}
	case definition.Agent:
		rules = []FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: text, About: "The name of the agent; that of its file without it."},
			{Key: "description", Field: definition.FieldDescription, Takes: text, About: "When to use the agent."},
			{Key: "model", Field: definition.FieldModel, Takes: text, About: "The model that it runs on: inherit, fast or a name."},
			{Key: "readonly", Takes: flag, About: "The agent may not write."},
			{Key: "is_background", Field: definition.FieldBackground, Takes: flag, About: "Runs it in the background."},
		}
	case definition.Instruction:
		rules = []FieldRule{
			{Key: "description", Field: definition.FieldDescription, Takes: text, About: "What the rule is about: the model chooses by it."},
			{Key: "globs", Field: definition.FieldGlobs, Takes: text | TakesList, About: "Patterns of the files that the rule is for, with commas between them and without quotes."},
			{Key: "alwaysApply", Field: definition.FieldAlwaysApply, Takes: flag, About: "The rule is always in force."},
		}
	}
	for i := range rules {
		rules[i].Basis = Documented
	}
	return rules
}

func cursorNaming(definition.Kind) NameRule { return NameRule{} }

func cursorDescribed(definition.Kind) DescriptionRule {
	return DescriptionRule{Missing: MissingNothing}
}

func cursorNameField(k definition.Kind) bool { return k == definition.Skill || k == definition.Agent }

func cursorRefuses(*definition.Definition) string { return "" }
