package rules

import (
	"iter"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
)

// called reports whether users or models can pass arguments to the definition.
func (p *pass) called() bool {
	return (p.Definition.Kind == definition.Skill || p.Definition.Kind == definition.Command) &&
		p.Definition.Format == definition.Markdown
}

// scan splits the body into segments, such as text, placeholders and shell commands.
func (p *pass) scan() iter.Seq[body.Segment] {
	return body.Scan(p.Body, body.Options{Names: p.Definition.Fields.Arguments()})
}

// placeholders yields the unescaped placeholders in text, including those in code.
func (p *pass) placeholders(text string) iter.Seq[body.Segment] {
	return func(yield func(body.Segment) bool) {
		for s := range body.Placeholders(text, body.Options{Names: p.Definition.Fields.Arguments()}, true) {
			if s.Kind == body.Placeholder && !s.Escaped && !yield(s) {
				return
			}
		}
	}
}

// replacers returns the hosts that load the definition and substitute numbered arguments.
func (p *pass) replacers() []*host.Profile {
	return filter(p.Readers, p.replaces)
}

// numbered returns the first placeholder for a numbered argument, such as $1.
func (p *pass) numbered() (body.Segment, bool) {
	if !p.called() || !strings.Contains(p.Body, "$") {
		return body.Segment{}, false
	}
	for s := range p.placeholders(p.Body) {
		if s.Index >= 0 && s.Name == "" {
			return s, true
		}
	}
	return body.Segment{}, false
}

// skipsFirst reports whether the body uses numbered arguments outside code but never uses $0,
// $ARGUMENTS or a named argument.
func (p *pass) skipsFirst() bool {
	skips := false
	for s := range p.scan() {
		if s.Kind != body.Placeholder || s.Escaped {
			continue
		}
		if s.Index <= 0 || s.Name != "" {
			return false
		}
		skips = skips || !s.InFence && !s.InCode
	}
	return skips
}

// argumentNumbers reports numbered arguments if the hosts that load the definition number them
// differently: $1 is the second argument in Claude Code but the first in opencode and pi (format
// notes, section 10.5). If all of these hosts count from 0, it reports a body that uses $1 or
// higher but not $0.
func argumentNumbers(p *pass) {
	first, ok := p.numbered()
	if !ok {
		return
	}
	bases := map[int]string{}
	for _, h := range p.replacers() {
		if base, _ := p.base(h); bases[base] == "" {
			bases[base] = h.Name
		}
	}
	text := first.Source(p.Body)
	if len(bases) < 2 {
		if bases[0] != "" && p.skipsFirst() {
			p.in(first.Span, "%s is not the first argument in %s (numbering starts at $0), and $0 is not used", text, bases[0]).
				fix("start at $0, or use $ARGUMENTS").about(p.replacers())
		}
		return
	}
	p.in(first.Span, "hosts disagree about which argument %s is: %s counts from 0, %s from 1", text, bases[0], bases[1]).
		fix("use $ARGUMENTS, which means the same in all hosts").about(p.replacers())
}

// argumentsInCode reports placeholders such as $1 in example code, because a host that substitutes
// arguments would change the code (Claude Code 2.1.329 substitutes them even in fences).
func argumentsInCode(p *pass) {
	hosts := p.replacers()
	if len(hosts) == 0 || !p.called() {
		return
	}
	expectsArguments := p.Definition.Kind == definition.Command || p.Definition.Fields.ArgumentHint() != "" || len(p.Definition.Fields.Arguments()) > 0
	for s := range p.scan() {
		if s.Kind != body.Placeholder || s.Index < 0 || s.Name != "" || s.Escaped || !s.InFence && !s.InCode {
			continue
		}
		if expectsArguments && !ofProgram(p.Body, s.Span.Start) {
			continue
		}
		p.in(s.Span, "some hosts replace %s in example code with an argument", s.Source(p.Body)).
			fix(`use \` + s.Source(p.Body) + " to keep it literal").about(hosts)
		return
	}
}

// ofProgram reports whether the text at i belongs to a program that is embedded in the same line,
// such as an awk script.
func ofProgram(text string, i int) bool {
	line := text[strings.LastIndexByte(text[:i], '\n')+1 : i]
	return strings.Contains(line, "awk ") || strings.Contains(line, "{print") || strings.Contains(line, "{ print")
}

// shellInCode reports commands and files in examples that a host would run or attach (Claude Code
// 2.1.329 and opencode run commands in fences; format notes, section 10.6).
func shellInCode(p *pass) {
	runners := filter(p.Readers, p.runsInCode)
	attachers := filter(p.Readers, p.attaches)
	if !p.called() || len(runners)+len(attachers) == 0 {
		return
	}
	files := false
	for s := range p.scan() {
		switch {
		case !s.Quoted():
		case s.Kind == body.Shell && len(runners) > 0:
			p.in(s.Span, "the command %q is in an example but runs anyway", chars.Truncate(s.Name, 60)).
				fix("remove the backtick after the exclamation mark").about(runners)
		case s.Kind == body.FileRef && len(attachers) > 0 && !files && strings.ContainsAny(s.Name, "/."):
			if p.LookTop != nil && p.LookTop(s.Name) == Inside {
				files = true
				p.in(s.Span, "@%s is in an example but the file is attached anyway", chars.Truncate(s.Name, 60)).
					fix("remove the @ from the example").about(attachers)
			}
		}
	}
}

// argumentsInShell reports arguments in shell commands. Unless the host escapes them, input from a
// user or a model becomes part of the command. opencode 1.18.33 does not escape arguments; Claude
// Code escapes only characters that would start another command.
func argumentsInShell(p *pass) {
	runners := filter(p.Readers, func(h *host.Profile) bool {
		return p.runs(h) && p.takesLine(h)
	})
	if len(runners) == 0 || !p.called() {
		return
	}
	for _, c := range body.Commands(p.Body, maxFindings) {
		for s := range p.placeholders(c.Text) {
			p.in(c.Inner, "%s is inserted into a shell command, so an argument such as $(…) would be executed (shell injection)", s.Source(c.Text)).
				fix("remove arguments from commands, and tell the model how to use them").about(runners)
			break
		}
	}
}

// promptReaders returns the hosts that load the definition and whose prompt format is known. The
// Agent Skills standard is excluded, because it does not define how a skill is called.
func (p *pass) promptReaders() []*host.Profile {
	return filter(p.Readers, func(h *host.Profile) bool { return p.called() && h.Prompt != nil })
}

// argumentsUnequal reports a placeholder that some hosts replace and others leave unchanged (format
// notes, section 10.5: Codex, Gemini CLI and Copilot in VS Code do not substitute anything in a
// skill).
func argumentsUnequal(p *pass) {
	readers := p.promptReaders()
	if len(readers) < 2 {
		return
	}
	for s := range p.placeholders(p.Body) {
		fills := p.takesLine
		if s.Index >= 0 {
			fills = p.replaces
		}
		filling := filter(readers, fills)
		leaving := filter(readers, func(h *host.Profile) bool { return !fills(h) })
		if len(filling) > 0 && len(leaving) > 0 {
			p.in(s.Span, "%s is expanded by %s, but the model in %s sees the placeholder",
				s.Source(p.Body), several(filling), several(leaving)).
				fix("describe the arguments in words, so that the text makes sense either way").about(leaving)
			return
		}
	}
}

// shellUnequal reports an embedded command that some hosts run but others pass to the model as text
// (format notes, section 10.6).
func shellUnequal(p *pass) {
	readers := p.promptReaders()
	running := filter(readers, p.runs)
	leaving := filter(readers, func(h *host.Profile) bool { return !p.runs(h) })
	if len(running) == 0 || len(leaving) == 0 {
		return
	}
	for s := range p.scan() {
		if s.Kind == body.Shell && !s.Quoted() {
			p.in(s.Span, "in %s, the model sees the output of %q, but in %s it sees the command itself",
				several(running), chars.Truncate(s.Name, 60), several(leaving)).
				fix("tell the model in words to run the command").about(leaving)
			return
		}
	}
}

// several joins host names for use in a sentence. It abbreviates lists of more than three hosts.
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

// template returns the template that a host uses to render the body when a user calls the
// definition or, if there is no such template, when a model calls it. It returns nil if the host
// has neither.
func (p *pass) template(h *host.Profile) *host.Template {
	if h.Prompt == nil || h.Prompt.Calls == nil {
		return nil
	}
	for _, call := range []func(definition.Kind) *host.Template{h.Prompt.Calls.User, h.Prompt.Calls.Model} {
		if call != nil {
			if t := call(p.Definition.Kind); t != nil {
				return t
			}
		}
	}
	return nil
}

// direct reports whether a host replaces placeholders in the way that Vade does by default, rather
// than with templates of its own.
func direct(h *host.Profile) bool { return h.Prompt != nil && h.Prompt.Calls == nil }

// base reports whether a host substitutes numbered arguments, and returns the number of the first
// argument.
func (p *pass) base(h *host.Profile) (base int, ok bool) {
	t := p.template(h)
	if t == nil {
		return 0, direct(h) && h.Prompt.Fields != nil
	}
	i := slices.IndexFunc(t.Steps, func(s host.Step) bool { return s.Places != nil && (s.Places.Positions || s.Places.FromZero) })
	if i >= 0 && t.Steps[i].Places.Positions {
		return 1, true
	}
	return 0, i >= 0
}

func (p *pass) replaces(h *host.Profile) bool {
	_, ok := p.base(h)
	return ok
}

// takesLine reports whether a host replaces $ARGUMENTS in the body with the whole argument line.
func (p *pass) takesLine(h *host.Profile) bool {
	if t := p.template(h); t != nil {
		return slices.ContainsFunc(t.Steps, func(s host.Step) bool { return s.Places != nil && slices.Contains(s.Places.All, "$ARGUMENTS") })
	}
	return direct(h) && h.Prompt.Fields != nil
}

// runs reports whether a host runs the shell commands that are embedded in a body, as in !`ls`.
func (p *pass) runs(h *host.Profile) bool {
	if t := p.template(h); t != nil {
		return slices.ContainsFunc(t.Steps, func(s host.Step) bool { return s.Shell != nil && s.Shell.Open == "!`" })
	}
	return direct(h) && h.Permission != nil || h.ShellInCode
}

// runsInCode reports whether a host also runs commands that are inside code blocks. Hosts that use
// templates do so, because they do not parse Markdown.
func (p *pass) runsInCode(h *host.Profile) bool {
	return p.runs(h) && (h.ShellInCode || p.template(h) != nil)
}

// attaches reports whether a host attaches files that are mentioned in the body, as in @README.md.
func (p *pass) attaches(h *host.Profile) bool {
	if t := p.template(h); t != nil {
		return h.Prompt.Calls.Mentioned != nil && len(t.Steps) > 0
	}
	return direct(h) && h.Prompt.Attach.ReadTool != ""
}
