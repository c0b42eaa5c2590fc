package audit

import "github.com/vadehq/vade/internal/audit/fact"

func p11() Rule {
	return Rule{
		ID: "P11", Name: "takes-control", Title: "a definition puts itself above what the user set or asked for",
		Severity: Review, Confidence: Medium, Scope: "text",
		Why: "What the user set, asked for and allowed is all that bounds an agent. A definition that does more, or that cannot be switched off, takes that away.",
		Fix: "Do what was asked, take the user's settings as they are, and ask before doing more.",
		CWE: []int{269, 863}, OWASP: "AST03", find: findP11,
	}
}

func findP11(p *pass) {
	several := p.dishonest() > 1
	for _, topic := range [...]fact.Topic{fact.AboutControl, fact.AboutBeyond, fact.AboutPermission} {
		p.said(topic, func(s *fact.Saying, firm bool) {
			f := p.at(s.Place, "It puts itself above what the user set or asked for")
			if !firm && !several {
				f.weak()
			}
			f.standing(s.Standing)
		})
	}
}
