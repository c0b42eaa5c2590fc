package host

import "github.com/vadehq/vade/internal/definition"

// piFields: skills load with most faults, and pi warns of them (source,
// core/skills.ts; case n09). A name or description that is no text fails the
// skill. Of a prompt only the description is read.
func piFields(k definition.Kind) []FieldRule {
	const text = TakesText | TakesNull
	switch k {
	case definition.Skill:
		return []FieldRule{
			{
				Key: "name", Field: definition.FieldName, Takes: text, Type: Drops, Max: 64, Long: Warns,
				Pattern: `[a-z0-9]+(-[a-z0-9]+)*`, Bad: Warns, Basis: FromSource,
				About: "The name of the skill, which should be that of its directory; its directory without it.",
			},
			{
				Key: "description", Field: definition.FieldDescription, Takes: text, Type: Drops, Required: true, Max: 1024, Long: Warns, Basis: Observed,
				About: "What the skill does and when to use it.",
			},
			{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: TakesBool | TakesNull, Basis: Observed, About: "Only people can call it."},
			{Key: "license", Field: definition.FieldLicense, Takes: TakesAny, Inert: true, Basis: FromSource, About: "The licence."},
			{Key: "compatibility", Field: definition.FieldCompatibility, Takes: TakesAny, Inert: true, Basis: FromSource, About: "What it needs to run."},
			{Key: "metadata", Field: definition.FieldMetadata, Takes: TakesAny, Inert: true, Basis: FromSource, About: "Further keys and their texts."},
			{Key: "allowed-tools", Field: definition.FieldAllowedTools, Takes: TakesAny, Inert: true, Basis: FromSource, About: "The tools that it may use without being asked."},
		}
	case definition.Command:
		return []FieldRule{
			{Key: "description", Field: definition.FieldDescription, Takes: text, Basis: FromSource, About: "What the prompt does; its first line without it."},
			{Key: "argument-hint", Field: definition.FieldArgumentHint, Takes: text, Basis: Inferred, About: "The arguments, shown to people."},
		}
	}
	return nil
}

func piNaming(k definition.Kind) NameRule {
	if k != definition.Skill {
		return NameRule{}
	}
	return NameRule{SameDir: true, Other: Warns}
}

func piDescribed(k definition.Kind) DescriptionRule {
	if k != definition.Skill {
		return DescriptionRule{}
	}
	return DescriptionRule{Clean: asWritten, Missing: MissingNothing}
}

func piNameField(k definition.Kind) bool { return k == definition.Skill }

func piRefuses(*definition.Definition) string { return "" }
