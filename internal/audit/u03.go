package audit

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/chars"
)

func u03() Rule {
	return Rule{
		ID: "U03", Name: "zero-width", Title: "Words are split by characters without a width, or these spell a text", Scope: "text",
		Severity: Block, Confidence: High,
		Why: "A word that is split so looks whole, is read whole by a model, and is not found by who searches for it. A row of them can carry a text of its own.",
		Fix: "Remove the characters.",
		CWE: []int{1007, 451}, OWASP: "AST04",
		find: findU03,
	}
}

func findU03(p *pass) {
	for _, block := range [...]bool{true, false} {
		for i := range p.Points {
			pt := &p.Points[i]
			if pt.Class != fact.ZeroWidth || pt.Natural || block != (pt.Says != "" || telling(strings.ToLower(pt.Word))) {
				continue
			}
			switch {
			case pt.Says != "":
				p.point(pt, "%d characters without a width spell %q", pt.Count, chars.Short(pt.Says, 60))
			case pt.Count >= 16:
				p.point(pt, "%d characters without a width stand in a row", pt.Count).as(Review, Medium)
			case block:
				p.point(pt, "the word %q is split by a character without a width", pt.Word).standing(pt.Standing)
			case pt.Word != "":
				p.point(pt, "the word %q is split by a character without a width", chars.Short(pt.Word, 60)).as(Review, Medium).standing(pt.Standing)
			}
		}
	}
}
