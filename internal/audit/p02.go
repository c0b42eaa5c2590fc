package audit

import (
	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/chars"
)

func p02() Rule {
	return Rule{
		ID: "P02", Name: "conceal", Title: "a text asks the model to hide something from the user",
		Severity: Block, Confidence: Medium, Scope: "text",
		Why: "Who uses the definition can only object to what they see. A step that is to be kept from them is one that they would not agree to.",
		Fix: "Do in the open what the definition needs, or leave it out.",
		CWE: []int{451, 506}, OWASP: "AST01", find: findP02,
	}
}

func findP02(p *pass) {
	worse := p.firmly(fact.AboutDisclose)
	p.said(fact.AboutConceal, func(s *fact.Saying, firm bool) {
		f := p.at(s.Place, "It asks to keep something from the user")
		sends, _ := s.On(fact.AboutDisclose)
		switch {
		case firm && s.Meant() && (worse || sends || s.Hidden || s.Packed):
			f.Message = "It asks to keep from the user that something is sent away"
			if !worse && !sends {
				f.Message = "A text that does not show asks to keep something from the user"
			}
		case firm && s.Medium == fact.Fence && chars.IndexFold(s.Heading, "prompt") >= 0:
			// The prompt of another model, as a rule: it has no user to keep anything from.
			f.weak()
		case firm:
			f.as(Review, Medium)
		default:
			f.weak()
		}
		f.standing(s.Standing)
	})
}
