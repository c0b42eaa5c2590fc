package pi

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// prompt describes calls in pi (case n05). The text for a skill comes from the source
// (agent-session.ts). Since 0.87.1, any whitespace ends a prompt's name (case c04).
func prompt(version string) *host.Prompt {
	prefix := func(k definition.Kind) string {
		switch k {
		case definition.Command:
			return "/"
		case definition.Skill:
			return "/skill:"
		}
		return ""
	}
	command, ends := template(), func(definition.Kind) string { return " " }
	if version == newVersion {
		command = newTemplate()
		ends = func(k definition.Kind) string {
			if k == definition.Command {
				return ""
			}
			return " "
		}
	}
	skill := &host.Template{Trim: true, LineFeeds: true, Wrap: skillText}
	return &host.Prompt{
		UserCall: host.TypedCall(prefix), ModelCall: host.ReadingCall, KeepLeadingSpaces: true,
		Calls: &host.Calls{
			Prefix: prefix, Kinds: []definition.Kind{definition.Skill, definition.Command}, NameEnds: ends,
			User: func(k definition.Kind) *host.Template {
				switch k {
				case definition.Command:
					return command
				case definition.Skill:
					return skill
				}
				return nil
			},
			Model: host.WholeFile(), ByFile: true, // n08
		},
	}
}

// template describes how a prompt is rendered. The placeholder forms are replaced one after
// another, so an argument can insert a placeholder that a later pass replaces. Unused arguments are
// dropped (see case n05 and prompt-templates.ts in pi's source code). pi does not run commands or
// read files here.
func template() *host.Template {
	return &host.Template{
		LineFeeds: true, TrimAfter: true,
		Split: func(line string) []string { return host.QuotedFields(line, false) },
		Steps: []host.Step{
			{Places: &host.Placeholders{Positions: true, Zero: func([]string, bool) string { return "" }}},
			{Places: &host.Placeholders{Slices: true}},
			{Places: &host.Placeholders{All: []string{"$ARGUMENTS"}, Joined: true, Patterns: true}},
			{Places: &host.Placeholders{All: []string{"$@"}, Joined: true, Patterns: true}},
		},
	}
}

// newTemplate describes how a prompt is rendered in 0.87.1, which replaces all
// placeholder forms at once (case c04).
func newTemplate() *host.Template {
	return &host.Template{
		LineFeeds: true, TrimAfter: true,
		Split: func(line string) []string { return host.QuotedFields(line, true) },
		Steps: []host.Step{{Places: &host.Placeholders{
			Positions: true, Zero: func([]string, bool) string { return "" }, Slices: true, Defaults: true,
			All: []string{"$ARGUMENTS", "$@"}, Joined: true,
		}}},
	}
}

func skillText(w host.Wrapped) string {
	text := "<skill name=\"" + w.Name + "\" location=\"" + w.File + "\">\nReferences are relative to " + w.Dir + ".\n\n" + w.Body + "\n</skill>"
	if args := host.Trimmed(w.Arguments); args != "" {
		text += "\n\n" + args
	}
	return text
}
