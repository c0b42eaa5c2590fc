package cursor

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// prompt says what Cursor makes of what is called: the text of the command
// with what was typed behind it (documented; the line feeds between are
// inferred).
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
