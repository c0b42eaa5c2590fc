package copilotvscode

import (
	"path"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// prompt describes calls in VS Code's Copilot. According to chatWidget.ts in VS Code's source code,
// a prompt file is attached, and the user's message tells the model to follow it. VS Code's
// documentation describes the variables in the message.
func prompt() *host.Prompt {
	prompt := &host.Template{
		Split: func(line string) []string { return host.QuotedFields(line, true) },
		Steps: []host.Step{{Places: &host.Placeholders{Inputs: true}}},
		Variables: func(p host.Places) map[string]string {
			return map[string]string{"workspaceFolder": p.Project, "workspaceFolderBasename": path.Base(p.Project)}
		},
		Turn: host.TurnKeys{Model: "model", Agent: "agent", Tools: "tools"},
	}
	return &host.Prompt{
		UserCall: host.TypedCall(host.Slash), ModelCall: host.ReadingCall,
		Calls: &host.Calls{
			Prefix: host.Slash, Kinds: []definition.Kind{definition.Command, definition.Skill},
			User: func(k definition.Kind) *host.Template {
				if host.Slash(k) == "" {
					return nil
				}
				return prompt
			},
			Follow: func(w host.Wrapped) string {
				text := "Follow instructions in [" + path.Base(w.File) + "](" + host.FileURL(w.File) + ")."
				if args := host.Trimmed(w.Arguments); args != "" {
					text += "\n" + args
				}
				return text
			},
			Model: host.WholeFile(), ByFile: true,
		},
	}
}
