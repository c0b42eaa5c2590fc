package audit

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

func u02() Rule {
	return Rule{
		ID: "U02", Name: "bidi-controls", Title: "Characters turn the direction of writing where no script needs it", Scope: "text",
		Severity: Block, Confidence: High,
		Why: "With such characters a text shows in another order than the one in which models and interpreters read it: what is looked at is not what runs.",
		Fix: "Remove the characters, or escape them where a program needs them.",
		CWE: []int{1007, 451}, OWASP: "AST04",
		find: findU02,
	}
}

func findU02(p *pass) {
	for i := range p.Points {
		pt := &p.Points[i]
		if pt.Class != fact.BidiPoints || pt.Natural {
			continue
		}
		turns := strings.Contains(pt.Says, "U+202E") || strings.Contains(pt.Says, "U+202B") || strings.Contains(pt.Says, "U+2067") || strings.Contains(pt.Says, "U+202D")
		marks := !strings.Contains(pt.Says, "U+202") && !strings.Contains(pt.Says, "U+206")
		f := p.point(pt, "the direction of writing is turned: %s", pt.Says)
		switch {
		case turns && !p.Package.Files[pt.File].RightToLeft:
		case turns:
			f.as(Review, Medium)
		case marks && pt.Word == "":
			f.as(Inform, Low).forPersona(Pedantic)
		case pt.Word != "":
			f.as(Review, Medium)
		default:
			// Isolates and embeddings from left to right come with names and numbers
			// that are pasted, and change nothing here.
			f.as(Inform, Low).forPersona(Pedantic)
		}
	}
}
