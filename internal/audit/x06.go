package audit

import (
	"slices"

	"github.com/vadehq/vade/internal/audit/fact"
)

func x06() Rule {
	return Rule{
		ID: "X06", Name: "paste-host", Title: "Code or instructions come from a paste page, a shortener or a drop for files", Scope: "text",
		Severity: Block, Confidence: High,
		Why: "Such services take what anybody gives them without a name, and what lies behind an address may be another thing tomorrow.",
		Fix: "Put the text into the package, or name the project's own site. Do not run what the page says.",
		CWE: []int{829, 494}, OWASP: "AST05",
		find: findX06,
	}
}

func findX06(p *pass) {
	if !slices.ContainsFunc(p.URLs, func(u fact.URL) bool { return u.Kind() != "" }) {
		return
	}
	fetched := p.fetchedURLs()
	about := map[int]*fact.Get{}
	for i := range p.Gets {
		if g := &p.Gets[i]; g.URL >= 0 {
			about[g.URL] = g
		}
	}
	for i := range p.URLs {
		u := &p.URLs[i]
		kind := u.Kind()
		if kind != fact.PasteService && kind != fact.Shortener && kind != fact.FileDrop && kind != fact.DynamicName || u.Image || u.Medium == fact.CodeComment || u.Template && u.Route == "" {
			continue
		}
		g, how := about[i], fetched[u.Place]
		switch {
		case g != nil && g.Terminal, how == runsIt:
			p.at(u.Place, "what a %s at %s says is to be run", kind, shown(u.Host)).standing(u.Standing)
		case g != nil && (g.Target == fact.AProgram || g.Target == fact.AScript || g.Target == fact.AnArchive || kind == fact.FileDrop) && g.Told && g.Run && kind != fact.Shortener:
			p.at(u.Place, "a program is to be got from a %s at %s and run", kind, shown(u.Host)).as(Review, Medium).standing(u.Standing)
		case how == fetchesIt && kind != fact.DynamicName:
			p.at(u.Place, "a command reads from a %s at %s", kind, shown(u.Host)).as(Review, Medium).standing(u.Standing)
		case g != nil && kind == fact.PasteService && g.Told && (g.Run || g.Must):
			p.at(u.Place, "a %s at %s is to be followed", kind, shown(u.Host)).as(Review, Medium).standing(u.Standing)
		}
	}
}
