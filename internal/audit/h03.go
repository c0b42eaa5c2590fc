package audit

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/chars"
)

func h03() Rule {
	return Rule{
		ID: "H03", Name: "encoded-text", Title: "Text is encoded that could stand in the clear", Scope: "text",
		Severity: Review, Confidence: Medium,
		Why: "A model decodes such text without being asked and may follow it; a person does not see what it says.",
		Fix: "Write the text in the clear, or say in the definition what it is.",
		CWE: []int{506, 451}, OWASP: "AST01",
		find: findH03,
	}
}

// longEncoded is the length from which on encoded text is worth a word by itself.
const longEncoded = 120

func findH03(p *pass) {
	for i := range p.Packs {
		k := &p.Packs[i]
		length := k.Span.End - k.Span.Start
		switch {
		case !k.Readable && k.Says == "" && length >= longEncoded:
			p.at(k.Place, "%d characters of %s are no text", length, k.How).as(Inform, Low).standing(k.Standing)
			continue
		case !k.Readable || k.Inside == 0:
			continue
		}
		switch what := p.packed(k); {
		case what != "":
			p.at(k.Place, "what is in %s %s: %q", k.How, what, chars.Short(k.Says, 60)).standing(k.Standing)
		case length >= longEncoded && !marked(k.Says):
			p.at(k.Place, "%d characters of %s are text: %q", length, k.How, chars.Short(k.Says, 60)).as(Inform, Medium).standing(k.Standing)
		}
	}
}

// packed says in words what an encoded text does, if it does something.
func (p *pass) packed(k *fact.Pack) string {
	place := fact.Place{File: k.Inside}
	place.Span.End = len(p.Package.Files[k.Inside].Text)
	grave, other := p.signs(place)
	switch {
	case len(grave) > 0:
		return grave[0]
	case len(other) > 0:
		return "gives instructions or commands"
	}
	for i := range p.Calls {
		if c := &p.Calls[i]; c.File == k.Inside {
			switch c.Does {
			case fact.RunShell, fact.RunProgram, fact.Evaluate, fact.LoadCode, fact.Fetch, fact.Send, fact.Connect, fact.DecodeData, fact.RemoveTree, fact.ReadAllEnv, fact.ReadSecret, fact.Bind:
				return "is code that runs or sends something"
			}
		}
	}
	if marked(k.Says) {
		return ""
	}
	for i := range p.URLs {
		if u := &p.URLs[i]; u.File == k.Inside {
			return "names an address"
		}
	}
	return ""
}

// marked reports whether a text is a picture, a page or data rather than words.
func marked(says string) bool {
	says = strings.TrimSpace(says)
	return strings.HasPrefix(says, "<") && !strings.Contains(says, "<script") || strings.HasPrefix(says, "{") || strings.HasPrefix(says, "[")
}
