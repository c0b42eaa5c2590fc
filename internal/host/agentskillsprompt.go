package host

import "github.com/vadehq/vade/internal/definition"

// agentSkillsPrompt says what the standard has of calls: a model reads the file of
// a skill. How a user calls one is left to the client (documented).
func agentSkillsPrompt() *Prompt {
	return &Prompt{
		UserCall: func(definition.Kind, string) string { return "" }, ModelCall: byReading,
		Calls: &Calls{
			Prefix: slash, Kinds: []definition.Kind{definition.Skill}, Model: wholeFile(), ByFile: true,
			AsText: func(definition.Kind) (why, fix string) {
				return "the standard has no calls by users", "name the client: --as, or let the model load it: --by model"
			},
		},
	}
}
