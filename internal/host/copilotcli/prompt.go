package copilotcli

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// prompt describes calls in Copilot CLI 1.0.102. The project's commands are skills. Nothing in a
// body is replaced (cases n05, n07 and n08), except in interactive mode; see [typed].
func prompt() *host.Prompt {
	t := &host.Template{Wrap: skillText, Resources: 200}
	return &host.Prompt{
		UserCall:  host.TypedCall(host.Slash),
		ModelCall: host.ToolCall("skill", definition.Skill, definition.Command),
		Calls: &host.Calls{
			Prefix: host.Slash, Kinds: []definition.Kind{definition.Skill, definition.Command},
			Model: func(k definition.Kind) *host.Template {
				if k == definition.Skill || k == definition.Command {
					return t
				}
				return nil
			},
			User: func(k definition.Kind) *host.Template {
				if host.Slash(k) != "" {
					return typed()
				}
				return nil
			},
			// On the command line, a call is sent as plain text (cases n05 and n07).
			Interactive: true,
			AsText: func(definition.Kind) (why, fix string) {
				return "skills can be invoked only in interactive mode, not on the command line", "to render an interactive invocation, use --interactive; to render a model's call, use --by model"
			},
			Ambiguous: func(name string, names []string) string {
				return "Skill \"" + name + "\" is ambiguous. Use one of: " + strings.Join(names, ", ")
			},
			Missing: func(name string, available []string) string {
				return "Skill \"" + name + "\" not found. Available skills: " +
					strings.Join(append(available, "customize-cloud-agent", "github-pr-media"), ", ")
			},
		},
	}
}

// typed describes how the interactive program renders a call (observed in 1.0.102).
func typed() *host.Template {
	return &host.Template{
		Split: func(line string) []string { return host.QuotedFields(line, true) },
		Steps: []host.Step{
			{Places: &host.Placeholders{All: []string{"$ARGUMENTS"}, FromZero: true}},
			{Append: func(c host.Called) string {
				if c.Arguments == "" {
					return ""
				}
				return "\n\nARGUMENTS: " + c.Arguments
			}},
		},
		Wrap: func(w host.Wrapped) string {
			return "The user explicitly invoked the \"/" + w.Name + "\" skill. Follow its instructions now.\n\n" + skillText(w)
		},
		Resources: 200,
	}
}

// skillText returns the tool result for a skill (observed in 1.0.102).
func skillText(w host.Wrapped) string {
	text := "<skill-context name=\"" + w.Name + "\">\nBase directory for this skill: " + w.Dir + "\n\n"
	var files []string
	for _, f := range w.Resources.Paths() {
		if f != "SKILL.md" {
			files = append(files, "  - "+w.Dir+"/"+f)
		}
	}
	if len(files) > 0 {
		text += "Related files (use view tool to read):\n" + strings.Join(files, "\n") + "\n\n"
	}
	return text + w.Body + "\n</skill-context>"
}
