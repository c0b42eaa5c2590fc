package audit

import "github.com/vadehq/vade/internal/audit/fact"

func p01() Rule {
	return Rule{
		ID: "P01", Name: "override", Title: "a text asks the model to leave the instructions that it already has",
		Severity: Review, Confidence: Medium, Scope: "text",
		Why: "What a definition says stands beside the instructions of the user and of the host. One that asks to drop them takes the model away from who it works for.",
		Fix: "Say what the definition needs without touching other instructions; delete the sentence.",
		CWE: []int{94, 1427}, OWASP: "AST01", find: findP01,
	}
}

func findP01(p *pass) {
	p.said(fact.AboutOverride, func(s *fact.Saying, firm bool) {
		f := p.at(s.Place, "It asks the model to leave instructions that it already has")
		if !firm {
			f.weak()
		}
		f.standing(s.Standing)
	})
}
