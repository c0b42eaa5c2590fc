package audit

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/chars"
)

func u05() Rule {
	return Rule{
		ID: "U05", Name: "mixed-scripts", Title: "A word has letters of another script that look like its own", Scope: "text",
		Severity: Block, Confidence: Medium,
		Why: "A Cyrillic or Greek letter in a Latin word can not be told from the right one. Names, hosts and commands become others than they look, and words are not found by who searches for them.",
		Fix: "Write the word in letters of one script.",
		CWE: []int{1007}, OWASP: "AST04",
		find: findU05,
	}
}

// manyDisguised is how many telling words in disguise are no slip of a keyboard.
const manyDisguised = 3

func findU05(p *pass) {
	first := map[string]*fact.Points{}
	words := map[string]bool{}
	for i := range p.Points {
		pt := &p.Points[i]
		if pt.Class != fact.Mixed || pt.Natural || first[pt.Word] != nil {
			continue
		}
		first[pt.Word] = pt
		if telling(strings.ToLower(pt.Says)) {
			words[strings.ToLower(pt.Says)] = true
		}
	}
	for _, block := range [...]bool{true, false} {
		for i := range p.Points {
			pt := &p.Points[i]
			if first[pt.Word] != pt || block != (len(words) >= manyDisguised && words[strings.ToLower(pt.Says)]) {
				continue
			}
			f := p.point(pt, "%q has letters of another script: it looks like %q", chars.Short(pt.Word, 60), chars.Short(pt.Says, 60))
			if !block {
				f.as(Review, Medium)
			}
			f.standing(pt.Standing)
		}
	}
}
