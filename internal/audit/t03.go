package audit

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit/fact"
)

// t03 compares the tools that are asked for with what the text tells to do.
func t03() Rule {
	return Rule{
		ID: "T03", Name: "declared-and-used", Title: "The definition uses what it does not declare",
		Severity: Inform, Confidence: Medium, Scope: "definition",
		Why:   "A list of tools reads like a promise; what the text does beside it is not covered by it.",
		Fix:   "Declare what is used, or leave the list out.",
		CWE:   []int{1059, 250},
		OWASP: "AST03", find: findT03,
	}
}

func findT03(p *pass) {
	declared, shell := false, false
	var place fact.Place
	for _, g := range p.Grants {
		if g.Field != definition.FieldAllowedTools.Key() && g.Field != definition.FieldTools.Key() {
			continue
		}
		declared, place = true, g.Place
		tool := strings.ToLower(g.Tool)
		shell = shell || shellTool(tool) || tool == "*" || tool == "task" || tool == "agent"
	}
	if !declared || shell {
		return
	}
	for i := range p.Commands {
		c := &p.Commands[i]
		if c.File == 0 && c.Meant() && c.Medium == fact.Fence && c.Lang == "sh" && c.Outer < 0 {
			p.at(place, "no tool for commands is declared, and the text has commands to run, such as %s", c.Name).forPersona(Pedantic)
			return
		}
	}
}
