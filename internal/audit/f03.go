package audit

import "github.com/vadehq/vade/internal/audit/fact"

func f03() Rule {
	return Rule{
		ID: "F03", Name: "control-characters", Title: "The text has control characters or bytes that are no text", Scope: "text",
		Severity: Block, Confidence: High,
		Why: "Escapes change what a terminal shows of a file, and a NUL ends it for some programs: who looks at it does not see what is there.",
		Fix: "Remove the characters and keep the file in UTF-8. Write an escape in code as \\x1b.",
		CWE: []int{150, 451}, OWASP: "AST04",
		find: findF03,
	}
}

func findF03(p *pass) {
	for i := range p.Points {
		pt := &p.Points[i]
		file := p.Package.Files[pt.File]
		main := file.Role == fact.Main
		switch {
		case file.From != nil:
		case pt.Class == fact.Invalid && main:
			p.point(pt, "%d bytes are no UTF-8", pt.Count).as(Inform, High)
		case pt.Class == fact.Invalid && (file.Role == fact.Document || file.Role == fact.Script):
			p.point(pt, "%d bytes are no UTF-8", pt.Count).as(Inform, High).forPersona(Pedantic)
		case pt.Class != fact.Controls:
		case pt.Medium == fact.Fence || pt.Medium == fact.CodeSpan || pt.Medium == fact.Code || pt.Medium == fact.Value:
			if pt.Says == "NUL" && file.Role == fact.Script {
				p.point(pt, "the code has a NUL character").as(Review, Medium)
			}
		case main && pt.Says != "":
			p.point(pt, "the text has %s", controlName(pt.Says))
		case main || pt.Says != "" && file.Role == fact.Document:
			p.point(pt, "the text has %s", controlName(pt.Says)).as(Review, Medium)
		case file.Role == fact.Document:
			p.point(pt, "the text has %s", controlName(pt.Says)).as(Inform, Medium).forPersona(Pedantic)
		}
	}
}

func controlName(says string) string {
	switch says {
	case "NUL":
		return "a NUL character"
	case "escape":
		return "an escape for terminals"
	}
	return "control characters"
}
