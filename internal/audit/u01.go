package audit

import (
	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/chars"
)

func u01() Rule {
	return Rule{
		ID: "U01", Name: "tag-characters", Title: "Text is written in tag characters, which nobody sees", Scope: "text",
		Severity: Block, Confidence: High,
		Why: "Tag characters have no shape, and models read the ASCII text that they spell. Nobody who looks at the file knows that it is there.",
		Fix: "Remove the characters. If you do not know how they came in, do not use the definition.",
		CWE: []int{451, 506}, OWASP: "AST04",
		find: findU01,
	}
}

func findU01(p *pass) {
	for i := range p.Points {
		pt := &p.Points[i]
		switch {
		case pt.Class != fact.TagPoints || pt.Natural:
		case len(pt.Says) >= 3:
			p.point(pt, "%d tag characters spell %q", pt.Count, chars.Short(pt.Says, 60))
		default:
			// The end of a flag that lost its beginning.
			words := "tag characters"
			if pt.Count == 1 {
				words = "tag character"
			}
			p.point(pt, "%d %s", pt.Count, words).as(Review, Medium)
		}
	}
}
