package audit

import "github.com/vadehq/vade/internal/audit/fact"

func p08() Rule {
	return Rule{
		ID: "P08", Name: "agent-secrets", Title: "a text asks for the history or the logins of agents",
		Severity: Review, Confidence: Medium, Scope: "text",
		Why: "Transcripts and logins of agents hold what users said and the keys that they work with, across all of their projects.",
		Fix: "Leave them alone. Where a skill is for looking at transcripts, say so in its description and read only what the user names.",
		CWE: []int{200, 522}, OWASP: "AST03", find: findP08,
	}
}

func findP08(p *pass) {
	for i := range p.Paths {
		x := &p.Paths[i]
		switch {
		case x.Class == fact.AgentSecret && x.Access != fact.Writes:
			f := p.at(x.Place, "It reads a login of an agent: %s", x.Text)
			if x.Access == fact.Named {
				f.Message = "It names a login of an agent: " + x.Text
				f.weak()
			}
			f.standing(x.Standing)
		case x.Class == fact.AgentHistory && (x.Access == fact.Reads || x.Access == fact.Sends):
			f := p.at(x.Place, "It reads what was said to an agent: %s", x.Text)
			if x.Access != fact.Sends && !p.firmly(fact.AboutDisclose) {
				f.weak()
			}
			f.standing(x.Standing)
		}
	}
}
