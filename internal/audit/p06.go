package audit

import "github.com/vadehq/vade/internal/audit/fact"

func p06() Rule {
	return Rule{
		ID: "P06", Name: "suppress-safety", Title: "a text takes away what keeps the model from doing harm",
		Severity: Review, Confidence: Medium, Scope: "text",
		Why: "A model that may not refuse, or that is told that no limits apply, does what the next text asks for, whatever that is.",
		Fix: "Say which answers the task needs; leave the limits of the model and of the host alone.",
		CWE: []int{693}, OWASP: "AST01", find: findP06,
	}
}

func findP06(p *pass) {
	p.said(fact.AboutSuppress, func(s *fact.Saying, firm bool) {
		f := p.at(s.Place, "It takes away limits or refusals of the model")
		if !firm {
			f.weak()
		}
		f.standing(s.Standing)
	})
}
