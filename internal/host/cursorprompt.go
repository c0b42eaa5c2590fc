package host

import "github.com/vadehq/vade/internal/definition"

// cursorPrompt says what Cursor makes of what is called: the text of the command
// with what was typed behind it (documented; the line feeds between are
// inferred).
func cursorPrompt() *Prompt {
	t := &Template{
		Trim:  true,
		Steps: []Step{{Append: argumentLine}},
	}
	return &Prompt{
		UserCall: typed(slash), ModelCall: byReading,
		Calls: &Calls{
			Prefix: slash, Kinds: []definition.Kind{definition.Command, definition.Skill},
			User: func(k definition.Kind) *Template {
				if slash(k) == "" {
					return nil
				}
				return t
			},
			Model: wholeFile(), ByFile: true,
		},
	}
}
