package audit

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
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
		switch {
		case p.inside(c.Place, fact.Comment) && weight >= Review:
			p.at(c.Place, "a command stands in a comment and is run while the definition is loaded: %s", c.Name).guarded()
		case p.inside(c.Place, fact.Comment):
			p.at(c.Place, "a command stands in a comment and is run while the definition is loaded: %s", c.Name).guarded().as(Review, Medium)
		case p.inFence(c.Place) && !p.isMeantToRun(c.Place):
			f := p.at(c.Place, "a command in a block of code is run while the definition is loaded: %s", c.Name).guarded().as(Inform, Medium)
			if weight < Review {
				f.forPersona(Pedantic)
			}
		}
	}
	for _, r := range p.references() {
		if r.brought && p.inside(r.Place, fact.Comment) {
			p.at(r.Place, "a file is named in a comment and is brought in: %s", clip(r.target)).as(Inform, Medium)
		}
	}
}

// inside reports whether a place of the definition is in a region of a medium.
func (p *pass) inside(place fact.Place, medium fact.Medium) bool {
	for i := range p.Regions {
		if r := &p.Regions[i]; r.Medium == medium && r.File == place.File && r.Span.Start <= place.Span.Start && place.Span.Start < r.Span.End {
			return true
		}
	}
	return false
}

// isMeantToRun reports whether the block of code around a place begins with ```!, which
// is how an author has commands run.
func (p *pass) isMeantToRun(place fact.Place) bool {
	text := p.Package.Files[place.File].Text
	for i := range p.Regions {
		r := &p.Regions[i]
		if r.Medium != fact.Fence || r.File != place.File || r.Span.Start > place.Span.Start || place.Span.Start >= r.Span.End {
			continue
		}
		before := strings.TrimRight(text[:min(r.Span.Start, len(text))], "\r\n")
		line := strings.TrimLeft(before[strings.LastIndexByte(before, '\n')+1:], " >\t")
		if strings.HasPrefix(strings.TrimLeft(line, "`~"), "!") {
			return true
		}
	}
	return false
}
