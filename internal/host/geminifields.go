package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// geminiFields: a skill has two fields. Where they are no texts, or the YAML does
// not parse, the text of their lines is taken (source, skillLoader.ts; rows
// "numname" and "listdesc"). Agents are checked strictly (source, agentLoader.ts),
// commands are TOML (source, FileCommandLoader.ts).
func geminiFields(k definition.Kind) []FieldRule {
	switch k {
	case definition.Skill:
		return []FieldRule{
			{Key: "name", Field: definition.FieldName, Takes: TakesText, Type: Quotes, Required: true, Basis: Observed, About: "The name of the skill."},
			{
				Key: "description", Field: definition.FieldDescription, Takes: TakesText, Type: Quotes, Required: true, Blank: true, Basis: Observed,
				About: "What the skill does and when to use it.",
			},
		}
	case definition.Command:
		return []FieldRule{
			{Key: "prompt", Field: definition.FieldPrompt, Takes: TakesText, Type: Drops, Required: true, Basis: FromSource, About: "What is sent to the model."},
			{Key: "description", Field: definition.FieldDescription, Takes: TakesText, Type: Drops, Basis: FromSource, About: "What the command does, in a line."},
		}
	case definition.Agent:
		return geminiAgentFields()
	}
	return nil
}

func geminiAgentFields() []FieldRule {
	rules := []FieldRule{
		{Key: "name", Field: definition.FieldName, Takes: TakesText, Required: true, Pattern: `[a-z0-9_-]+`, Bad: Drops, About: "The name of the agent, in lower case."},
		{Key: "description", Field: definition.FieldDescription, Takes: TakesText, Required: true, Unless: "agent_card_url", About: "When to use the agent."},
		{Key: "kind", Takes: TakesText, Words: []string{"local", "remote"}, Bad: Drops, About: "Where the agent runs; local without it."},
		{Key: "display_name", Field: definition.FieldTitle, Takes: TakesText, About: "The name that people see."},
		{Key: "tools", Field: definition.FieldTools, Takes: TakesList, Items: TakesText, About: "The tools that it may use, by the host's own names."},
		{Key: "mcp_servers", Field: definition.FieldMCPServers, Takes: TakesMap, About: "MCP servers of the agent's own."},
		{Key: "policy", Takes: TakesMap, About: "Rules for its tools."},
		{Key: "model", Field: definition.FieldModel, Takes: TakesText, About: "The model that it runs on."},
		{Key: "temperature", Field: definition.FieldTemperature, Takes: TakesNumber, About: "How freely the model chooses its words."},
		{Key: "max_turns", Field: definition.FieldMaxTurns, Takes: TakesNumber, Whole: true, About: "The most turns that it takes."},
		{Key: "timeout_mins", Takes: TakesNumber, Whole: true, About: "The most minutes that it runs."},
		{Key: "agent_card_url", Takes: TakesText, About: "The address of a remote agent's card."},
		{Key: "auth", Takes: TakesMap, About: "How to sign in to a remote agent."},
	}
	for i := range rules {
		rules[i].Type, rules[i].Basis = Drops, FromSource
	}
	return rules
}

// geminiClosed: an unknown key of an agent is an error.
func geminiClosed(k definition.Kind) bool { return k == definition.Agent }

// geminiNaming: of skills, what a file name may not hold becomes a hyphen (source,
// skillLoader.ts); of commands, each part of the path is cleaned and cut (source,
// FileCommandLoader.ts).
func geminiNaming(k definition.Kind) NameRule {
	switch k {
	case definition.Skill:
		return NameRule{Clean: func(s string) string {
			return replaced(s, '-', func(r rune) bool { return strings.ContainsRune(`:\/<>*?"|`, r) })
		}}
	case definition.Command:
		return NameRule{Place: geminiSegment}
	}
	return NameRule{}
}

// geminiSegment is a part of a command's name.
func geminiSegment(s string) string {
	const longest, kept = 50, 47
	s = replaced(s, '_', func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-' && r != '.'
	})
	if len(s) > longest {
		return s[:kept] + "..."
	}
	return s
}

// replaced puts one character for each that bad finds. JavaScript counts those
// beyond the first plane twice.
func replaced(s string, by byte, bad func(rune) bool) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case !bad(r):
			b.WriteRune(r)
		case r > 0xffff:
			b.WriteByte(by)
			b.WriteByte(by)
		default:
			b.WriteByte(by)
		}
	}
	return b.String()
}

func geminiDescribed(k definition.Kind) DescriptionRule {
	if k == definition.Command {
		return DescriptionRule{Missing: MissingNothing, Default: func(file string) string { return "Custom command from " + file }}
	}
	return DescriptionRule{Missing: MissingNothing}
}

// geminiClash: two commands of one name are both renamed (formats dossier, section
// 6); of two skills the last that is read wins, which is the first of the order of
// layers here.
func geminiClash(k definition.Kind) Clash {
	if k == definition.Command {
		return BothRenamed
	}
	return FirstWins
}

// geminiRenamed: "/user.t" and "/workspace.t" (source, SlashCommandResolver.ts).
func geminiRenamed(o definition.Origin, name string) string {
	prefix := "workspace."
	switch {
	case o.Plugin != "":
		prefix = o.Plugin + ":"
	case o.Layer == definition.User:
		prefix = "user."
	}
	if strings.HasPrefix(name, prefix) {
		return name
	}
	return prefix + name
}

func geminiNameField(k definition.Kind) bool { return k == definition.Skill || k == definition.Agent }

// geminiRefuses: see [geminiFields]; a name that holds nothing is left to them.
func geminiRefuses(*definition.Definition) string { return "" }
