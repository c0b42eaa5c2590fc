package host

import "github.com/vadehq/vade/internal/definition"

// piPrompt says what pi makes of what is called (0.73.1, case n05; the text of a
// skill is read in its source: agent-session.ts).
func piPrompt() *Prompt {
	prefix := func(k definition.Kind) string {
		switch k {
		case definition.Command:
			return "/"
		case definition.Skill:
			return "/skill:"
		}
		return ""
	}
	command, skill := piTemplate(), &Template{Trim: true, LineFeeds: true, Wrap: piSkill}
	return &Prompt{
		UserCall: typed(prefix), ModelCall: byReading, KeepBlanks: true,
		Calls: &Calls{
			Prefix: prefix, Kinds: []definition.Kind{definition.Skill, definition.Command}, NameEnds: " ",
			User: func(k definition.Kind) *Template {
				switch k {
				case definition.Command:
					return command
				case definition.Skill:
					return skill
				}
				return nil
			},
			Model: wholeFile(), ByFile: true, // n08
		},
	}
}

// piTemplate: one form of place after the other, so that an argument can bring in
// one of a later form, and arguments without a place are left out (n05; source:
// prompt-templates.ts). Nothing is run, and no file read.
func piTemplate() *Template {
	return &Template{
		LineFeeds: true, TrimBehind: true,
		Split: func(line string) []string { return quotedFields(line, false) },
		Steps: []Step{
			{Places: &Placeholders{Positions: true, Zero: func([]string, bool) string { return "" }}},
			{Places: &Placeholders{Slices: true}},
			{Places: &Placeholders{All: []string{"$ARGUMENTS"}, Joined: true, Patterns: true}},
			{Places: &Placeholders{All: []string{"$@"}, Joined: true, Patterns: true}},
		},
	}
}

func piSkill(w Wrapped) string {
	text := "<skill name=\"" + w.Name + "\" location=\"" + w.File + "\">\nReferences are relative to " + w.Dir + ".\n\n" + w.Body + "\n</skill>"
	if args := trimmed(w.Arguments); args != "" {
		text += "\n\n" + args
	}
	return text
}
