package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// copilotVSCodeFields: an attribute of another type counts as absent (source,
// promptFileParser).
func copilotVSCodeFields(k definition.Kind) []FieldRule {
	const text, flag = TakesText | TakesNull, TakesBool | TakesNull
	name := FieldRule{Key: "name", Field: definition.FieldName, Takes: text, Basis: FromSource, About: "The name; that of the file without it."}
	description := FieldRule{Key: "description", Field: definition.FieldDescription, Takes: text, Basis: FromSource, About: "What it is for."}
	hint := FieldRule{Key: "argument-hint", Field: definition.FieldArgumentHint, Takes: text, Basis: FromSource, About: "The arguments, shown to people."}
	model := FieldRule{Key: "model", Field: definition.FieldModel, Takes: text | TakesList, Basis: FromSource, About: "The model, or several of which the first that there is is taken."}
	tools := FieldRule{Key: "tools", Field: definition.FieldTools, Takes: TakesList | TakesNull, Basis: FromSource, About: "The tools that it may use."}
	callable := FieldRule{Key: "user-invocable", Field: definition.FieldUserInvocable, Takes: flag, Basis: FromSource, About: "Whether people can call it."}
	manual := FieldRule{Key: "disable-model-invocation", Field: definition.FieldDisableModelInvocation, Takes: flag, Basis: FromSource, About: "Only people can call it."}
	license := FieldRule{Key: "license", Field: definition.FieldLicense, Takes: TakesAny, Inert: true, Basis: FromSource, About: "The licence."}
	needs := FieldRule{Key: "compatibility", Field: definition.FieldCompatibility, Takes: TakesAny, Inert: true, Basis: FromSource, About: "What it needs to run."}
	metadata := FieldRule{Key: "metadata", Field: definition.FieldMetadata, Takes: TakesAny, Inert: true, Basis: FromSource, About: "Further keys and their texts."}
	switch k {
	case definition.Skill:
		name.Max, name.Long = 64, Cuts
		name.About = "The name of the skill, which has to be that of its directory."
		description.Max, description.Long = 1024, Cuts
		return []FieldRule{
			name, description, hint, callable, manual, license, needs, metadata,
			{Key: "context", Field: definition.FieldContext, Takes: text, Words: []string{"fork"}, Basis: Documented, About: "Runs the skill in a conversation of its own (experimental)."},
		}
	case definition.Command:
		return []FieldRule{
			name, description, hint, model, tools,
			{Key: "agent", Field: definition.FieldAgent, Takes: text, Basis: FromSource, About: "The agent that runs the prompt: ask, agent, plan or one of your own."},
			{Key: "mode", Field: definition.FieldMode, Takes: text, Basis: FromSource, About: "The older name of agent."},
		}
	case definition.Agent:
		return []FieldRule{
			name, description, hint, model, tools, callable, manual, metadata,
			{Key: "agents", Field: definition.FieldAgents, Takes: TakesList | TakesNull, Items: TakesText, Basis: FromSource, About: "The agents that it may start."},
			{Key: "infer", Takes: flag | TakesText, Basis: FromSource, About: "Retired; disable-model-invocation says the opposite."},
			{Key: "target", Field: definition.FieldTarget, Takes: text, Words: []string{"vscode", "github-copilot"}, Basis: FromSource, About: "The one environment that it is for."},
			{Key: "mcp-servers", Field: definition.FieldMCPServers, Takes: TakesMap | TakesNull, Basis: FromSource, About: "MCP servers of the agent's own."},
			{Key: "handoffs", Field: definition.FieldHandoffs, Takes: TakesList | TakesNull, Items: TakesMap, Basis: FromSource, About: "Agents to go on with, each with label, agent and prompt."},
			{Key: "hooks", Field: definition.FieldHooks, Takes: TakesMap | TakesNull, Basis: Documented, About: "What runs at events while the agent works."},
		}
	case definition.Instruction:
		name.Field = definition.FieldTitle
		return []FieldRule{
			name, description,
			{Key: "applyTo", Field: definition.FieldApplyTo, Takes: text, Basis: FromSource, About: "Patterns of the files that the instructions are for, with commas between them."},
			{Key: "paths", Field: definition.FieldPaths, Takes: text | TakesList, Basis: Documented, About: "What applyTo is, in .claude/rules."},
			{Key: "excludeAgent", Field: definition.FieldExcludeAgent, Takes: text | TakesList, Basis: FromSource, About: "Agents that do not get the instructions."},
		}
	}
	return nil
}

// copilotVSCodeNaming: the directory's name wins over another one in the
// frontmatter (source).
func copilotVSCodeNaming(k definition.Kind) NameRule {
	if k != definition.Skill {
		return NameRule{}
	}
	return NameRule{Clean: untagged, SameDir: true, Other: Ignores, Max: 64, Long: Cuts}
}

func copilotVSCodeDescribed(k definition.Kind) DescriptionRule {
	if k != definition.Skill {
		return DescriptionRule{Missing: MissingNothing}
	}
	return DescriptionRule{Missing: MissingNothing, Clean: func(s string) string { return strings.TrimSpace(untagged(s)) }}
}

// untagged takes out everything from "<" to the next ">", where there is
// something between them.
func untagged(s string) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(s, '<')
		if open < 0 {
			break
		}
		end := strings.IndexByte(s[open:], '>')
		if end < 0 {
			break
		}
		if end == 1 {
			b.WriteString(s[:open+2])
			s = s[open+2:]
			continue
		}
		b.WriteString(s[:open])
		s = s[open+end+1:]
	}
	return b.String() + s
}

func copilotVSCodeNameField(k definition.Kind) bool { return k != definition.Instruction }

func copilotVSCodeRefuses(*definition.Definition) string { return "" }
