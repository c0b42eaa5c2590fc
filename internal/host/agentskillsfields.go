package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// agentSkillsFields are the six fields of the standard with the checks of its
// reference validator (skills-ref, agentskills@69ef37e). Its YAML has no types:
// every plain value is text there.
func agentSkillsFields(k definition.Kind) []FieldRule {
	if k != definition.Skill {
		return nil
	}
	const text = TakesScalar
	return []FieldRule{
		{
			Key: "name", Field: definition.FieldName, Takes: text, Type: Drops, Required: true, Max: 64, Long: Drops,
			// Letters without case or in lower case, digits, single hyphens between them.
			Pattern: `[\p{Ll}\p{Lm}\p{Lo}\p{N}]+(-[\p{Ll}\p{Lm}\p{Lo}\p{N}]+)*`, Bad: Drops, Basis: Observed,
			About: "The name of the skill: that of its directory, in lower case, with single hyphens.",
		},
		{
			Key: "description", Field: definition.FieldDescription, Takes: text, Type: Drops, Required: true, Max: 1024, Long: Drops, Basis: Observed,
			About: "What the skill does and when to use it.",
		},
		{Key: "license", Field: definition.FieldLicense, Takes: TakesAny, Basis: FromSource, About: "The licence, or the file that holds it."},
		{
			Key: "compatibility", Field: definition.FieldCompatibility, Takes: text | TakesNull, Type: Drops, Max: 500, Long: Drops, Basis: FromSource,
			About: "What the skill needs to run.",
		},
		{Key: "metadata", Field: definition.FieldMetadata, Takes: text | TakesMap | TakesNull, Items: text | TakesNull, Basis: Observed, About: "Further keys and their texts."},
		{
			Key: "allowed-tools", Field: definition.FieldAllowedTools, Takes: text | TakesList | TakesNull, Type: Drops, Items: text, Basis: FromSource,
			About: "The tools that the skill may use without being asked, with blanks between them.",
		},
	}
}

// agentSkillsClosed: a seventh field is an error (row "unk" of the frontmatter matrix).
func agentSkillsClosed(k definition.Kind) bool { return k == definition.Skill }

// agentSkillsNaming: the validator also brings both names into Unicode's
// compatibility form, which is not done here.
func agentSkillsNaming(k definition.Kind) NameRule {
	if k != definition.Skill {
		return NameRule{}
	}
	return NameRule{Clean: strings.TrimSpace, SameDir: true, Other: Drops}
}

func agentSkillsDescribed(definition.Kind) DescriptionRule {
	return DescriptionRule{Missing: MissingNothing}
}

func agentSkillsNameField(k definition.Kind) bool { return k == definition.Skill }

func agentSkillsRefuses(*definition.Definition) string { return "" }
