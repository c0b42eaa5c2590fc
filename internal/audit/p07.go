package audit

import "github.com/vadehq/vade/internal/audit/fact"

func p07() Rule {
	return Rule{
		ID: "P07", Name: "no-confirmation", Title: "a text asks to act without asking the user",
		Severity: Review, Confidence: Medium, Scope: "text",
		Why: "Asking is what keeps a mistake, or another's instruction, from becoming a payment, a deletion or a message that is out.",
		Fix: "Let the user confirm what cannot be undone, and let them choose to be asked less.",
		CWE: []int{862, 693}, OWASP: "AST03", find: findP07,
	}
}

func findP07(p *pass) {
	p.said(fact.AboutNoConfirm, func(s *fact.Saying, firm bool) {
		f := p.at(s.Place, "It acts without asking the user")
		control, _ := s.On(fact.AboutControl)
		if !firm && !control {
			f.weak()
		}
		f.standing(s.Standing)
	})
}
