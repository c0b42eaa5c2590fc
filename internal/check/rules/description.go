package rules

import (
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
)

// maxDescription is the longest description that every host takes whole (formats
// dossier, section 10.4: Copilot drops longer ones, Codex cuts them).
const maxDescription = 1024

// described returns the entry of a description that is text.
func (p *pass) described() (*definition.Entry, string) {
	if k := p.Definition.Kind; k != definition.Skill && k != definition.Command && k != definition.Agent {
		return nil, ""
	}
	e := p.field(definition.FieldDescription)
	if e == nil || e.Value.Kind != definition.String {
		return nil, ""
	}
	return e, strings.TrimSpace(e.Value.Text)
}

func descriptionLength(p *pass) {
	e, text := p.described()
	if e == nil || p.Definition.Kind != definition.Skill {
		return
	}
	if n := utf8.RuneCountInString(text); n > maxDescription {
		p.at(e.Value.Span, "the description has %d characters; above %d some hosts drop the skill and others cut it", n, maxDescription).
			fix("say what it does and when to use it in fewer words")
	}
}

func descriptionLines(p *pass) {
	e, text := p.described()
	if e != nil && p.Definition.Kind == definition.Skill && strings.Contains(text, "\n") {
		p.at(e.Value.Span, "the description has several lines: some hosts list it as it is, others join it").
			fix("write it as one line, or fold it with >-")
	}
}

// descriptionMarkup looks for what a model could take for a tag of the host's own
// (case n09: Codex, Gemini and opencode put the text into their listing as it is).
func descriptionMarkup(p *pass) {
	e, text := p.described()
	if e == nil || p.Definition.Kind != definition.Skill {
		return
	}
	open := strings.IndexByte(text, '<')
	if open < 0 || !strings.Contains(text[open:], ">") {
		return
	}
	f := p.at(e.Value.Span, "the description has angle brackets: some hosts list them as they are, where they read as markup").
		fix("write it without < and >")
	if strings.Contains(text, "</") {
		f.Severity, f.Message = warning, "the description closes a tag: in hosts that do not escape it, it can end their listing of skills"
	}
}
