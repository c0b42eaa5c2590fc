package cursor

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// prompt describes calls in Cursor. According to Cursor's documentation, the message is the
// command's text followed by the user's input. It is inferred that line feeds separate them.
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
