package audit

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/commands"
	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/chars"
)

func h01() Rule {
	return Rule{
		ID: "H01", Name: "hidden-instruction", Title: "What the page does not show tells the model to do something", Scope: "text",
		Severity: Block, Confidence: High,
		Why: "Comments and elements that are styled away are not seen by who reads the page; a model reads them like everything else.",
		Fix: "Write what the model is to do where people see it, or remove it.",
		CWE: []int{451, 506}, OWASP: "AST01",
		find: findH01,
	}
}

// maxHidden bounds how many hidden texts are judged.
const maxHidden = 400

func findH01(p *pass) {
	n := 0
	for i := range p.Hidden {
		h := &p.Hidden[i]
		if h.Kind == fact.HiddenDetails || h.Kind == fact.HiddenLines || h.Kind == fact.HiddenBlanks {
			continue
		}
		if n++; n > maxHidden {
			return
		}
		grave, other := p.signs(h.Place)
		how := hiddenHow(h.Kind)
		switch {
		case len(grave) > 1:
			p.at(h.Place, "%s %s: %q", how, strings.Join(grave, " and "), chars.Short(h.Text, 60)).standing(h.Standing)
		case len(grave) == 1:
			p.at(h.Place, "%s %s: %q", how, grave[0], chars.Short(h.Text, 60)).as(Review, Medium).standing(h.Standing)
		case len(other) > 0 && speaksToModel(h.Text):
			p.at(h.Place, "%s tells the model to do something: %q", how, chars.Short(h.Text, 60)).as(Review, Medium).standing(h.Standing)
		case len(other) > 0 && h.Kind != fact.HiddenAlt:
			p.at(h.Place, "%s tells someone to do something: %q", how, chars.Short(h.Text, 60)).as(Inform, Low).forPersona(Pedantic)
		}
	}
}

func hiddenHow(kind fact.HiddenKind) string {
	switch kind {
	case fact.HiddenElement:
		return "an element that the page does not show"
	case fact.HiddenAlt:
		return "the text in the place of a picture"
	case fact.HiddenReference:
		return "the title of a reference that nothing uses"
	}
	return "a comment that the page does not show"
}

// signs are what a text says or does, in words: what hardly anyone says in good faith
// where it is not seen, and what else it asks for.
func (p *pass) signs(place fact.Place) (grave, other []string) {
	add := func(list *[]string, sign string) {
		if !slices.Contains(*list, sign) {
			*list = append(*list, sign)
		}
	}
	for i := range p.Sayings {
		s := &p.Sayings[i]
		if !within(s.Place, place) || s.Forbidden {
			continue
		}
		for _, t := range s.Topics {
			switch t {
			case fact.AboutOverride:
				add(&grave, "sets aside what the model was told")
			case fact.AboutConceal, fact.AboutDeceive:
				add(&grave, "keeps something from the user")
			case fact.AboutRole:
				add(&grave, "speaks as another")
			case fact.AboutDisclose:
				add(&grave, "sends data away")
			case fact.AboutHistory:
				add(&grave, "reads what an agent keeps")
			case fact.AboutSuppress:
				add(&grave, "takes care away from the model")
			case fact.AboutPropagate:
				add(&grave, "changes other definitions")
			default:
				add(&other, string(t))
			}
		}
	}
	for i := range p.URLs {
		u := &p.URLs[i]
		if within(u.Place, place) && (fact.Sink(u.Host, u.Route) != "" || fact.PasteHost(u.Host) || u.IP && !u.Private) {
			add(&grave, "names a place where data is dropped")
		}
	}
	for i := range p.Paths {
		if x := &p.Paths[i]; within(x.Place, place) && (x.Class == fact.Credential || x.Class == fact.AgentSecret || x.Class == fact.Wallet || x.Class == fact.Browser || x.Class == fact.AgentHistory) {
			add(&grave, "names where secrets are kept")
		}
	}
	for i := range p.Commands {
		c := &p.Commands[i]
		switch {
		case !within(c.Place, place):
		case commands.Decodes(c.Words()):
			add(&grave, "decodes something")
		case c.Name == "curl" || c.Name == "wget" || c.Name == "iwr" || c.Name == "invoke-webrequest" || c.Name == "nc" || c.Name == "ncat":
			add(&other, "fetch")
			for k := range p.Pipes {
				if stages := p.Pipes[k].Stages; slices.Contains(stages, i) && stages[len(stages)-1] != i && commands.Interpreter(p.Commands[stages[len(stages)-1]].Name) != "" {
					add(&grave, "runs what it fetches")
				}
			}
		case commands.Interpreter(c.Name) != "" || c.Name == "sudo" || c.Name == "rm" || c.Name == "chmod" || c.Name == "eval":
			add(&other, "run")
		}
	}
	return grave, other
}

// speaksToModel reports whether a text speaks to a model: its first words name one, or it
// says how to behave when it is read.
func speaksToModel(text string) bool {
	low := strings.ToLower(text[:min(len(text), 400)])
	for _, who := range [...]string{"assistant", "agent", " ai ", "ai:", "ai,", "language model", "llm", "model:", "chatbot", "copy of you", "when you read", "if you are reading", "you must", "you are", "助手", "模型", "ассистент", "модель", "assistent", "asistente", "アシスタント"} {
		if strings.Contains(low, who) {
			return true
		}
	}
	return false
}
