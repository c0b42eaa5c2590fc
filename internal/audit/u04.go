package audit

import (
	"unicode/utf8"

	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/chars"
)

func u04() Rule {
	return Rule{
		ID: "U04", Name: "variation-selectors", Title: "Variation selectors in a row carry bytes", Scope: "text",
		Severity: Block, Confidence: High,
		Why: "There are 256 of these characters, one for each byte, and none of them shows. Any text or program can be hidden behind a letter with them.",
		Fix: "Remove the characters. If you do not know how they came in, do not use the definition.",
		CWE: []int{451, 506}, OWASP: "AST04",
		find: findU04,
	}
}

// The least selectors that carry something: in a row, and spread over a file.
const (
	selectorsInRow  = 4
	selectorsSpread = 8
)

func findU04(p *pass) {
	spread := map[int]*spreadOut{}
	var order []int
	for i := range p.Points {
		pt := &p.Points[i]
		if pt.Class != fact.Selectors || pt.Natural {
			continue
		}
		run := p.Package.Files[pt.File].Shown()[pt.Start:pt.End]
		switch {
		case pt.Count >= selectorsInRow && !alike(run):
			if pt.Says != "" {
				p.point(pt, "%d variation selectors spell %q", pt.Count, chars.Short(pt.Says, 60))
			} else {
				p.point(pt, "%d variation selectors stand in a row", pt.Count)
			}
			continue
		case pt.Count > 1 && !alike(run):
			p.point(pt, "%d variation selectors stand in a row", pt.Count).as(Review, Medium)
		}
		s := spread[pt.File]
		if s == nil {
			s = &spreadOut{first: pt}
			spread[pt.File] = s
			order = append(order, pt.File)
		}
		s.add(run)
	}
	for _, file := range order {
		if s := spread[file]; s.count >= selectorsSpread && s.kinds >= 4 {
			p.point(s.first, "%d variation selectors of %d kinds stand at letters that have no variants", s.count, s.kinds)
		}
	}
}

// spreadOut are the selectors of a file that stand one by one.
type spreadOut struct {
	first        *fact.Points
	seen         [256]bool
	count, kinds int
}

func (s *spreadOut) add(run []byte) {
	for _, c := range string(run) {
		s.count++
		if k := int(c & 0xff); !s.seen[k] {
			s.seen[k] = true
			s.kinds++
		}
	}
}

// alike reports whether all characters of a run are the same: an emoji that was
// marked more than once.
func alike(run []byte) bool {
	first, _ := utf8.DecodeRune(run)
	for _, c := range string(run) {
		if c != first {
			return false
		}
	}
	return true
}
