package audit

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/chars"
)

func h05() Rule {
	return Rule{
		ID: "H05", Name: "hidden-expansion", Title: "A comment or an example has a command or a file in it that hosts carry out", Scope: "definition",
		Severity: Block, Confidence: High,
		Why: "Hosts look for commands and files before they look at Markdown: what stands in a comment runs, and nobody who reads the page sees it.",
		Fix: "Take it out of the comment. In an example, write it so that no host takes it for its own.",
		CWE: []int{451, 78}, OWASP: "AST01",
		find: findH05,
	}
}

func findH05(p *pass) {
	for _, i := range p.loading() {
		c := &p.Commands[i]
		weight, _ := loadWeight(c)
		block := p.regionAt(c.Place, fact.Fence)
		switch {
		case p.regionAt(c.Place, fact.Comment) != nil && weight >= Review:
			p.at(c.Place, "a command stands in a comment and is run while the definition is loaded: %s", c.Name).guarded()
		case p.regionAt(c.Place, fact.Comment) != nil:
			p.at(c.Place, "a command stands in a comment and is run while the definition is loaded: %s", c.Name).guarded().as(Review, Medium)
		case block != nil && !p.isMeantToRun(block):
			f := p.at(c.Place, "a command in a block of code is run while the definition is loaded: %s", c.Name).guarded().as(Inform, Medium)
			if weight < Review {
				f.forPersona(Pedantic)
			}
		}
	}
	for _, r := range p.references() {
		if r.brought && p.regionAt(r.Place, fact.Comment) != nil {
			p.at(r.Place, "a file is named in a comment and is brought in: %s", chars.Short(r.target, 80)).as(Inform, Medium)
		}
	}
}

// regionAt returns the region of a medium around a place; nil where there is none.
func (p *pass) regionAt(place fact.Place, medium fact.Medium) *fact.Region {
	for i := range p.Regions {
		if r := &p.Regions[i]; r.Medium == medium && r.File == place.File && r.Span.Start <= place.Span.Start && place.Span.Start < r.Span.End {
			return r
		}
	}
	return nil
}

// isMeantToRun reports whether a block of code begins with ```!, which is how an author
// has commands run.
func (p *pass) isMeantToRun(block *fact.Region) bool {
	text := p.Package.Files[block.File].Text
	before := strings.TrimRight(text[:min(block.Span.Start, len(text))], "\r\n")
	line := strings.TrimLeft(before[strings.LastIndexByte(before, '\n')+1:], " >\t")
	return strings.HasPrefix(strings.TrimLeft(line, "`~"), "!")
}
