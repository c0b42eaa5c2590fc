package audit

import "github.com/vadehq/vade/internal/audit/fact"

func p03() Rule {
	return Rule{
		ID: "P03", Name: "fake-role", Title: "a text has the marks of a system message or of another speaker",
		Severity: Review, Confidence: Medium, Scope: "text",
		Why: "Marks of chat templates and headers like those of a system make a text look as if it came from someone with more say than its author.",
		Fix: "Write plain Markdown. Put marks that are shown as examples into code.",
		CWE: []int{451, 94}, OWASP: "AST01", find: findP03,
	}
}

func findP03(p *pass) {
	p.said(fact.AboutRole, func(s *fact.Saying, firm bool) {
		f := p.at(s.Place, "It has a mark of a system or of another speaker")
		if !firm {
			f.weak()
		}
		f.standing(s.Standing)
	})
}
