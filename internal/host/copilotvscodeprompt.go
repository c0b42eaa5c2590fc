package host

import (
	"path"

	"github.com/vadehq/vade/internal/definition"
)

// copilotVSCodePrompt says what Copilot in VS Code makes of what is called. A
// prompt file is attached, and the text of the user tells the model to follow it
// (source: chatWidget.ts; the variables in it are documented).
func copilotVSCodePrompt() *Prompt {
	prompt := &Template{
		Split: func(line string) []string { return quotedFields(line, true) },
		Steps: []Step{{Places: &Placeholders{Inputs: true}}},
		Variables: func(p Places) map[string]string {
			return map[string]string{"workspaceFolder": p.Project, "workspaceFolderBasename": path.Base(p.Project)}
		},
		Turn: TurnKeys{Model: "model", Agent: "agent", Tools: "tools"},
	}
	return &Prompt{
		UserCall: typed(slash), ModelCall: byReading,
		Calls: &Calls{
			Prefix: slash, Kinds: []definition.Kind{definition.Command, definition.Skill},
			User: func(k definition.Kind) *Template {
				if slash(k) == "" {
					return nil
				}
				return prompt
			},
			Follow: func(w Wrapped) string {
				text := "Follow instructions in [" + path.Base(w.File) + "](" + fileURL(w.File) + ")."
				if args := trimmed(w.Arguments); args != "" {
					text += "\n" + args
				}
				return text
			},
			Model: wholeFile(), ByFile: true,
		},
	}
}
