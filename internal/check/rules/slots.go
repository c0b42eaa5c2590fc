package rules

import (
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// template is what a host makes of a body of a kind when a user calls it, or else a
// model; nil where it has no table for that.
func template(h *host.Profile, k definition.Kind) *host.Template {
	if h.Prompt == nil || h.Prompt.Calls == nil {
		return nil
	}
	for _, call := range []func(definition.Kind) *host.Template{h.Prompt.Calls.User, h.Prompt.Calls.Model} {
		if call != nil {
			if t := call(k); t != nil {
				return t
			}
		}
	}
	return nil
}

// direct reports whether a host has the older slots of a prompt, in which a body
// takes arguments and commands by one grammar.
func direct(h *host.Profile) bool { return h.Prompt != nil && h.Prompt.Calls == nil }

// replaces reports whether a host puts arguments into a body by their numbers, and
// the number from which it counts them.
func replaces(h *host.Profile, k definition.Kind) (base int, ok bool) {
	if t := template(h, k); t != nil {
		return 1, slices.ContainsFunc(t.Steps, func(s host.Step) bool { return s.Places != nil && s.Places.Positions })
	}
	return 0, direct(h) && h.Prompt.Fields != nil
}

// takesLine reports whether a host puts the whole line of arguments into a body.
func takesLine(h *host.Profile, k definition.Kind) bool {
	if t := template(h, k); t != nil {
		return slices.ContainsFunc(t.Steps, func(s host.Step) bool { return s.Places != nil && slices.Contains(s.Places.All, "$ARGUMENTS") })
	}
	return direct(h) && h.Prompt.Fields != nil
}

// runs reports whether a host runs the commands of a body that are written as
// package body finds them, and whether it does so in code too.
func runs(h *host.Profile, k definition.Kind) (runs, inCode bool) {
	if t := template(h, k); t != nil {
		// A template is a text to such a host: it knows of no code in it.
		has := slices.ContainsFunc(t.Steps, func(s host.Step) bool { return s.Shell != nil && s.Shell.Open == "!`" })
		return has, has
	}
	return direct(h) && h.Permission != nil || h.ShellInCode, h.ShellInCode
}

// attaches reports whether a host attaches the files that a body mentions.
func attaches(h *host.Profile, k definition.Kind) bool {
	if t := template(h, k); t != nil {
		return h.Prompt.Calls.Mentioned != nil && len(t.Steps) > 0
	}
	return direct(h) && h.Prompt.Attach.ReadTool != ""
}
