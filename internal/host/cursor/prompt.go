package cursor

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// prompt describes calls in Cursor. The message is the command's text followed by the user's input
// (documented; the line feeds between them are inferred).
func prompt() *host.Prompt {
	t := &host.Template{
		Trim:  true,
		Steps: []host.Step{{Append: host.ArgumentLine}},
	}
	return &host.Prompt{
		UserCall: host.TypedCall(host.Slash), ModelCall: host.ReadingCall,
		Calls: &host.Calls{
			Prefix: host.Slash, Kinds: []definition.Kind{definition.Command, definition.Skill},
			User: func(k definition.Kind) *host.Template {
				if host.Slash(k) == "" {
					return nil
				}
				return t
			},
			Model: host.WholeFile(), ByFile: true,
		},
	}
}
