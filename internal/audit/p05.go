package audit

import "github.com/vadehq/vade/internal/audit/fact"

func p05() Rule {
	return Rule{
		ID: "P05", Name: "follow-address", Title: "a text asks to read an address and to do what it says",
		Severity: Review, Confidence: Medium, Scope: "text",
		Why: "What stands at the address can change after the definition was read by a person, and then the model does what its new text says.",
		Fix: "Put the instructions into the definition, or name the address as something to look facts up in.",
		CWE: []int{829, 494}, OWASP: "AST05", find: findP05,
	}
}

func findP05(p *pass) {
	p.said(fact.AboutFollowURL, func(s *fact.Saying, firm bool) {
		f := p.at(s.Place, "What an address says is to be followed")
		if !firm {
			f.weak()
		}
		f.standing(s.Standing)
	})
	p.phrases()
}
