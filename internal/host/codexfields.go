package host

import "github.com/vadehq/vade/internal/definition"

// codexFields are the three fields of skills, and those of the agents, which are
// TOML.
func codexFields(k definition.Kind) []FieldRule {
	const text = TakesScalar | TakesNull
	switch k {
	case definition.Skill:
		return []FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: text, Type: Drops, Max: 64, Long: Drops, Basis: Observed, About: "The name of the skill; its directory without it."},
			{
				Key: "description", Field: definition.FieldDescription, Takes: text, Type: Drops, Required: true, Max: 1024, Long: Cuts, Mark: "...", Basis: Observed,
				About: "What the skill does and when to use it.",
			},
			// Of a null it is inferred.
			{Key: "metadata", Field: definition.FieldMetadata, Takes: TakesMap, Type: Drops, Basis: Observed, About: "Its key short-description is a shorter description for people."},
		}
	case definition.Agent:
		return []FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: TakesText, Type: Drops, Required: true, Basis: Documented, About: "The name under which the agent is started."},
			{Key: "description", Field: definition.FieldDescription, Takes: TakesText, Type: Drops, Required: true, Basis: Documented, About: "When to use the agent."},
			{Key: "developer_instructions", Takes: TakesText, Type: Drops, Required: true, Basis: Documented, About: "The instructions of the agent."},
			{Key: "model", Field: definition.FieldModel, Takes: TakesText, Type: Drops, Basis: Documented, About: "The model that it runs on."},
			{Key: "model_reasoning_effort", Field: definition.FieldEffort, Takes: TakesText, Type: Drops, Basis: Documented, About: "How much the model thinks."},
			{
				Key: "sandbox_mode", Takes: TakesText, Type: Drops, Words: []string{"read-only", "workspace-write", "danger-full-access"}, Bad: Drops, Basis: Documented,
				About: "What the agent may write.",
			},
			{Key: "nickname_candidates", Takes: TakesList, Type: Drops, Items: TakesText, Basis: Documented, About: "Names to show for running agents."},
			{Key: "mcp_servers", Field: definition.FieldMCPServers, Takes: TakesMap, Type: Drops, Basis: Documented, About: "MCP servers of the agent's own."},
		}
	}
	return nil
}

// codexNaming: white space becomes single blanks, and the name with its
// namespace has at most 64 characters (source; cases n09 and the matrix).
func codexNaming(k definition.Kind) NameRule {
	if k != definition.Skill {
		return NameRule{}
	}
	return NameRule{Clean: collapse, Place: collapse, Max: 64, Long: Drops}
}

func codexDescribed(k definition.Kind) DescriptionRule {
	if k != definition.Skill {
		return DescriptionRule{Missing: MissingNothing}
	}
	return DescriptionRule{Clean: collapse, Missing: MissingNothing}
}

// codexClash: the same name twice is listed twice (case n11).
func codexClash(k definition.Kind) Clash {
	if k == definition.Skill {
		return BothLoad
	}
	return FirstWins
}

func codexNameField(k definition.Kind) bool { return k == definition.Skill || k == definition.Agent }

func codexRefuses(*definition.Definition) string { return "" }
