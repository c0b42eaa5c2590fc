package audit

import "github.com/vadehq/vade/internal/audit/fact"

func p12() Rule {
	return Rule{
		ID: "P12", Name: "persist", Title: "a definition keeps itself, or its instructions, alive",
		Severity: Review, Confidence: Medium, Scope: "text",
		Why: "What stays after it was removed or comes back is no longer the user's choice, and outlives each review.",
		Fix: "Let the definition end where its task ends, and let the user remove it whole.",
		CWE: []int{506, 912}, OWASP: "AST01", find: findP12,
	}
}

func findP12(p *pass) {
	several := p.dishonest() > 1
	p.said(fact.AboutPersist, func(s *fact.Saying, firm bool) {
		f := p.at(s.Place, "It is to stay, or to come back")
		if !firm && !several {
			f.weak()
		}
		f.standing(s.Standing)
	})
}
