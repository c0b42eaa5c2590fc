package audit

import (
	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/chars"
)

func h02() Rule {
	return Rule{
		ID: "H02", Name: "pushed-out-of-sight", Title: "Text stands behind many empty lines or blanks", Scope: "text",
		Severity: Block, Confidence: High,
		Why: "Who looks at the file takes the empty part for its end, and does not see what stands behind it or far to the right.",
		Fix: "Remove the empty lines and blanks.",
		CWE: []int{451}, OWASP: "AST04",
		find: findH02,
	}
}

func findH02(p *pass) {
	type key struct {
		file int
		kind fact.HiddenKind
	}
	seen := map[key]bool{}
	for i := range p.Hidden {
		h := &p.Hidden[i]
		k := key{h.File, h.Kind}
		if h.Kind != fact.HiddenLines && h.Kind != fact.HiddenBlanks || seen[k] {
			continue
		}
		seen[k] = true
		// What is said and done anywhere behind counts, not only in the first piece.
		all := h.Place
		if h.Kind == fact.HiddenLines {
			all.Span.End = len(p.Package.Files[h.File].Text)
		}
		where := "many empty lines"
		if h.Kind == fact.HiddenBlanks {
			where = "many blanks"
		}
		grave, _ := p.signs(all)
		if len(grave) > 0 {
			p.at(h.Place, "behind %s stands text that %s", where, grave[0])
		} else {
			p.at(h.Place, "behind %s stands text: %q", where, chars.Short(h.Text, 60)).as(Review, Medium).standing(h.Standing)
		}
	}
}
