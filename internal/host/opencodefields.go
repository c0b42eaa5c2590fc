package host

import "github.com/vadehq/vade/internal/definition"

// openCodeFields: skills have two fields (source, skill/index.ts; rows "nodesc"
// and "numname"), and a null is no text. A command or agent with a wrong value
// makes the host report its configuration as invalid (source, config/command.ts
// and v1/config/agent.ts).
func openCodeFields(k definition.Kind) []FieldRule {
	switch k {
	case definition.Skill:
		return []FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: TakesText, Type: Drops, Required: true, Basis: Observed, About: "The name of the skill."},
			{Key: "description", Field: definition.FieldDescription, Takes: TakesText, Type: Drops, Basis: Observed, About: "What the skill does and when to use it; without it the model does not see the skill."},
		}
	case definition.Command:
		return []FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: TakesText, Type: Drops, Basis: FromSource, About: "The name of the command, in place of its path."},
			{Key: "description", Field: definition.FieldDescription, Takes: TakesText, Type: Drops, Basis: FromSource, About: "What the command does, in a line."},
			{Key: "agent", Field: definition.FieldAgent, Takes: TakesText, Type: Drops, Basis: FromSource, About: "The agent that runs it."},
			{Key: "model", Field: definition.FieldModel, Takes: TakesText, Type: Drops, Basis: FromSource, About: "The model that it runs on, as provider/model."},
			{Key: "subtask", Field: definition.FieldSubtask, Takes: TakesBool, Type: Drops, Basis: FromSource, About: "Runs it in a conversation of its own."},
		}
	case definition.Agent:
		return openCodeAgentFields()
	}
	return nil
}

func openCodeAgentFields() []FieldRule {
	rules := []FieldRule{
		{Key: "name", Field: definition.FieldName, Takes: TakesText, About: "The name of the agent, in place of its path."},
		{Key: "description", Field: definition.FieldDescription, Takes: TakesText, About: "When to use the agent."},
		{Key: "mode", Field: definition.FieldMode, Takes: TakesText, Words: []string{"subagent", "primary", "all"}, Bad: Drops, About: "Whether other agents start it, people choose it, or both."},
		{Key: "model", Field: definition.FieldModel, Takes: TakesText, About: "The model that it runs on, as provider/model."},
		{Key: "variant", Takes: TakesText, About: "The variant of the model."},
		{Key: "temperature", Field: definition.FieldTemperature, Takes: TakesNumber, About: "How freely the model chooses its words."},
		{Key: "top_p", Takes: TakesNumber, About: "The share of likely words that the model chooses from."},
		{Key: "prompt", Takes: TakesAny, Inert: true, About: "The body of the file takes its place."},
		{Key: "tools", Takes: TakesMap, Items: TakesBool, About: "Tools that are on or off; permission is the newer way."},
		{Key: "permission", Takes: TakesMap | TakesText, About: "What it may do, with or without asking."},
		{Key: "disable", Takes: TakesBool, About: "Takes the agent out of use."},
		{Key: "hidden", Takes: TakesBool, About: "Keeps a subagent out of completion."},
		{Key: "options", Takes: TakesMap, About: "Options for the provider of the model."},
		{
			Key: "color", Field: definition.FieldColor, Takes: TakesText, Pattern: `#[0-9a-fA-F]{6}|primary|secondary|accent|success|warning|error|info`, Bad: Drops,
			About: "The colour in which it is shown.",
		},
		{Key: "steps", Takes: TakesNumber, Whole: true, About: "The most steps that it takes."},
		{Key: "maxSteps", Field: definition.FieldMaxTurns, Takes: TakesNumber, Whole: true, About: "The older name of steps."},
	}
	for i := range rules {
		rules[i].Type, rules[i].Basis = Drops, FromSource
	}
	return rules
}

// openCodeNaming: the parts of a command's or an agent's path have slashes
// between them (formats dossier, section 7).
func openCodeNaming(k definition.Kind) NameRule {
	if k == definition.Command || k == definition.Agent {
		return NameRule{Join: "/"}
	}
	return NameRule{}
}

// openCodeDescribed: descriptions keep their last line break (row "dashline").
func openCodeDescribed(definition.Kind) DescriptionRule {
	return DescriptionRule{Clean: asWritten, Missing: MissingNothing}
}

// openCodeClash: skills are read side by side, and the one that is done last wins
// (source, skill/index.ts; formats dossier, section 7). Of two commands or agents
// the directory that is read later wins.
func openCodeClash(k definition.Kind) Clash {
	if k == definition.Skill {
		return AnyWins
	}
	return FirstWins
}

func openCodeNameField(k definition.Kind) bool { return k != definition.Instruction }

func openCodeRefuses(*definition.Definition) string { return "" }
