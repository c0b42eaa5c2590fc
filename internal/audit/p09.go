package audit

import "github.com/vadehq/vade/internal/audit/fact"

func p09() Rule {
	return Rule{
		ID: "P09", Name: "propagate", Title: "a text asks to write itself into other definitions",
		Severity: Review, Confidence: Medium, Scope: "text",
		Why: "Instructions that copy themselves stay after their definition is gone, and reach projects whose users never chose it.",
		Fix: "Keep what the definition says in the definition.",
		CWE: []int{506, 94}, OWASP: "AST01", find: findP09,
	}
}

func findP09(p *pass) {
	p.said(fact.AboutPropagate, func(s *fact.Saying, firm bool) {
		f := p.at(s.Place, "It is to be written into other definitions or projects")
		if !firm {
			f.weak()
		}
		f.standing(s.Standing)
	})
	p.phrases()
}
