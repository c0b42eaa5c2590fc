package audit

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

func p04() Rule {
	return Rule{
		ID: "P04", Name: "send-away", Title: "a text asks to send conversations, secrets or files to an address",
		Severity: Block, Confidence: Medium, Scope: "text",
		Why: "What the model sees is the user's: their words, their files, their keys. An address in a definition belongs to its author.",
		Fix: "Keep the data where it is. If a service is what the skill is for, say so at its top, send what the task needs, and let the user agree.",
		CWE: []int{200, 359}, OWASP: "AST01", find: findP04,
	}
}

func findP04(p *pass) {
	p.said(fact.AboutDisclose, func(s *fact.Saying, firm bool) {
		f := p.at(s.Place, "What the model or the user has is to be sent away")
		hidden, _ := s.On(fact.AboutConceal)
		switch {
		case firm && (hidden || s.Hidden || s.Packed):
		case firm && addressed(s) && (p.firmly(fact.AboutConceal) || p.firmly(fact.AboutOverride) || s.Object == "secret"):
		case firm:
			f.as(Review, Medium)
		default:
			f.weak()
		}
		f.standing(s.Standing)
	})
	p.phrases()
}

// addressed reports whether a saying names an address.
func addressed(s *fact.Saying) bool { return strings.Contains(s.Text, "://") }
