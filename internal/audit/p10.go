package audit

import "github.com/vadehq/vade/internal/audit/fact"

func p10() Rule {
	return Rule{
		ID: "P10", Name: "deceive", Title: "a text asks the model to say to the user what is not so",
		Severity: Review, Confidence: Medium, Scope: "text",
		Why: "A user who is told something untrue cannot decide: about their data, their money, or whether to go on using the definition.",
		Fix: "Say what is so; where something may not be said, say that.",
		CWE: []int{451}, OWASP: "AST01", find: findP10,
	}
}

func findP10(p *pass) {
	several := p.dishonest() > 1
	p.said(fact.AboutDeceive, func(s *fact.Saying, firm bool) {
		f := p.at(s.Place, "It asks to say to the user what is not so")
		if !firm && !several {
			f.weak()
		}
		f.standing(s.Standing)
	})
}
