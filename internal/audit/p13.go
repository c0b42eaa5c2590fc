package audit

import "github.com/vadehq/vade/internal/audit/fact"

func p13() Rule {
	return Rule{
		ID: "P13", Name: "obeys-data", Title: "a text asks to take what data says as instructions",
		Severity: Review, Confidence: Medium, Scope: "text",
		Why: "Whoever can write a message, a page or a comment that the model reads can then tell it what to do.",
		Fix: "Treat what is read as data; take instructions from the user only.",
		CWE: []int{94, 77}, OWASP: "AST05", find: findP13,
	}
}

func findP13(p *pass) {
	several := p.dishonest() > 1
	p.said(fact.AboutObey, func(s *fact.Saying, firm bool) {
		f := p.at(s.Place, "What stands in data is to be followed as instructions")
		if !firm && !several {
			f.weak()
		}
		f.standing(s.Standing)
	})
}
