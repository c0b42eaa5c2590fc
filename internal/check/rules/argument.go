package rules

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
)

// called reports whether the definition has a body that is called with arguments.
func (p *pass) called() bool {
	return (p.Definition.Kind == definition.Skill || p.Definition.Kind == definition.Command) && p.Definition.Format == definition.Markdown
}

// replacers are the readers that put arguments into the body.
func (p *pass) replacers() []*host.Profile {
	return filter(p.Readers, func(h *host.Profile) bool { _, ok := replaces(h, p.Definition.Kind); return ok })
}

// numbered returns the first placeholder of one argument by its number.
func (p *pass) numbered() (body.Segment, bool) {
	if !p.called() || !strings.Contains(p.Body, "$") {
		return body.Segment{}, false
	}
	for s := range body.Placeholders(p.Body, body.Options{Names: p.Definition.Fields.Arguments()}, true) {
		if s.Kind == body.Placeholder && s.Index >= 0 && s.Name == "" && !s.Escaped {
			return s, true
		}
	}
	return body.Segment{}, false
}

// argumentNumbers looks for arguments by number where the hosts that read the
// definition count from different numbers (formats dossier, section 10.5: $1 is
// the second argument to Claude Code, and the first to opencode and pi).
func argumentNumbers(p *pass) {
	first, ok := p.numbered()
	if !ok {
		return
	}
	bases := map[int]string{}
	for _, h := range p.replacers() {
		if base, _ := replaces(h, p.Definition.Kind); bases[base] == "" {
			bases[base] = h.Name
		}
	}
	if len(bases) < 2 {
		return
	}
	text := first.Source(p.Body)
	p.in(first.Span, "%s is another argument to each host: %s counts from 0 and %s from 1", text, bases[0], bases[1]).
		fix("use $ARGUMENTS, which is the same to all of them").about(p.replacers())
}

// argumentsInCode looks for $1 and its like in code that is shown, where a host
// that replaces them breaks the code (Claude Code 2.1.329: also in fences).
func argumentsInCode(p *pass) {
	hosts := p.replacers()
	if len(hosts) == 0 || !p.called() {
		return
	}
	asked := p.Definition.Kind == definition.Command || p.Definition.Fields.ArgumentHint() != "" || len(p.Definition.Fields.Arguments()) > 0
	for s := range body.Scan(p.Body, body.Options{Names: p.Definition.Fields.Arguments()}) {
		if s.Kind != body.Placeholder || s.Index < 0 || s.Name != "" || s.Escaped || !s.InFence && !s.InCode {
			continue
		}
		if asked && !ofProgram(p.Body, s.Span.Start) {
			continue
		}
		p.in(s.Span, "%s in an example is an argument to a host that calls this with one", s.Source(p.Body)).
			fix(`write \` + s.Source(p.Body) + " if it belongs to the example").about(hosts)
		return
	}
}

// ofProgram reports whether what stands at i belongs to a program in another
// language on its line, such as awk's.
func ofProgram(text string, i int) bool {
	line := text[strings.LastIndexByte(text[:i], '\n')+1 : i]
	return strings.Contains(line, "awk ") || strings.Contains(line, "{print") || strings.Contains(line, "{ print")
}

// shellInCode looks for commands and files in examples, which a host takes for
// real (Claude Code 2.1.329 and opencode run them in fences, formats dossier,
// section 10.6).
func shellInCode(p *pass) {
	runners := filter(p.Readers, func(h *host.Profile) bool { _, inCode := runs(h, p.Definition.Kind); return inCode })
	attachers := filter(p.Readers, func(h *host.Profile) bool { return attaches(h, p.Definition.Kind) })
	if !p.called() || len(runners)+len(attachers) == 0 {
		return
	}
	files := false
	for s := range body.Scan(p.Body, body.Options{Names: p.Definition.Fields.Arguments()}) {
		switch {
		case !s.Quoted():
		case s.Kind == body.Shell && len(runners) > 0:
			p.in(s.Span, "the command %q stands in an example, and is run", chars.Truncate(s.Name, 60)).
				fix("write the example so that no backtick follows the exclamation mark").about(runners)
		case s.Kind == body.FileRef && len(attachers) > 0 && !files && strings.ContainsAny(s.Name, "/."):
			if p.LookTop != nil && p.LookTop(s.Name) == Inside {
				files = true
				p.in(s.Span, "@%s stands in an example, and the file is attached", chars.Truncate(s.Name, 60)).
					fix("write the example without the at sign").about(attachers)
			}
		}
	}
}

// argumentsInShell looks for arguments in shell commands: what a user, or a model,
// gives becomes part of the command in a host that does not guard it (opencode
// 1.18.33; Claude Code guards only what would begin another command).
func argumentsInShell(p *pass) {
	runners := filter(p.Readers, func(h *host.Profile) bool {
		run, _ := runs(h, p.Definition.Kind)
		return run && takesLine(h, p.Definition.Kind)
	})
	if len(runners) == 0 || !p.called() {
		return
	}
	for _, c := range body.Commands(p.Body, maxFindings) {
		for s := range body.Placeholders(c.Text, body.Options{Names: p.Definition.Fields.Arguments()}, true) {
			if s.Kind == body.Placeholder && !s.Escaped && !slices.Contains(p.seen, c.Inner.Start) {
				p.seen = append(p.seen, c.Inner.Start)
				p.in(c.Inner, "%s is put into a shell command: an argument such as $(…) is run with it", s.Source(c.Text)).
					fix("keep arguments out of commands, and let the model use them").about(runners)
				break
			}
		}
	}
}

// telling are the readers of which it is known what they make of a body. The
// standard has no program that calls a definition.
func (p *pass) telling() []*host.Profile {
	return filter(p.Readers, func(h *host.Profile) bool { return h.Prompt != nil })
}

// argumentsUnequal looks for a place for arguments that some of the readers fill in
// and others leave as it is written (formats dossier, section 10.5: Codex, Gemini CLI
// and Copilot put nothing into a skill).
func argumentsUnequal(p *pass) {
	readers := p.telling()
	if !p.called() || len(readers) < 2 {
		return
	}
	for s := range body.Placeholders(p.Body, body.Options{Names: p.Definition.Fields.Arguments()}, true) {
		if s.Kind != body.Placeholder || s.Escaped {
			continue
		}
		fills := func(h *host.Profile) bool { return takesLine(h, p.Definition.Kind) }
		if s.Index >= 0 {
			fills = func(h *host.Profile) bool { _, ok := replaces(h, p.Definition.Kind); return ok }
		}
		filling := filter(readers, fills)
		leaving := filter(readers, func(h *host.Profile) bool { return !fills(h) })
		if len(filling) > 0 && len(leaving) > 0 {
			p.in(s.Span, "%s is an argument to %s, and the model of %s reads it as it is written",
				s.Source(p.Body), several(filling), several(leaving)).
				fix("say in words what the arguments are, so that the text makes sense with and without them").about(leaving)
			return
		}
	}
}

// shellUnequal looks for a command that some of the readers run, where the model of
// others reads the command itself (formats dossier, section 10.6).
func shellUnequal(p *pass) {
	readers := p.telling()
	if !p.called() || len(readers) < 2 {
		return
	}
	running := filter(readers, func(h *host.Profile) bool { run, _ := runs(h, p.Definition.Kind); return run })
	leaving := filter(readers, func(h *host.Profile) bool { run, _ := runs(h, p.Definition.Kind); return !run })
	if len(running) == 0 || len(leaving) == 0 {
		return
	}
	for s := range body.Scan(p.Body, body.Options{Names: p.Definition.Fields.Arguments()}) {
		if s.Kind == body.Shell && !s.Quoted() {
			p.in(s.Span, "%s puts in what %q prints, and the model of %s reads the command", several(running), chars.Truncate(s.Name, 60), several(leaving)).
				fix("ask the model in words to run it, where the hosts have to do the same").about(leaving)
			return
		}
	}
}

// several names a few hosts in a sentence.
func several(hosts []*host.Profile) string {
	list := names(hosts)
	switch last := len(list) - 1; {
	case last == 0:
		return list[0]
	case last < 3:
		return strings.Join(list[:last], ", ") + " and " + list[last]
	}
	return list[0] + " and others"
}

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
