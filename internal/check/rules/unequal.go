package rules

import (
	"strings"

	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
)

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
			p.in(s.Span, "%s puts in what %q prints, and the model of %s reads the command", several(running), chars.Short(s.Name, 60), several(leaving)).
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
