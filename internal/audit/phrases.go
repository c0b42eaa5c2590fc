package audit

import (
	"regexp"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/fact"
)

// phrase is what a sentence says that asks for one certain harm. The rules of the P
// family know what is said in general; these are for what has a form of its own.
type phrase struct {
	// marks: without one of them the expression is not tried. In small letters.
	marks []string
	form  *regexp.Regexp
	// near, where it is there, has to be found in the text around as well.
	near *regexp.Regexp
	says string
}

// around is how far the text around a phrase reaches to both sides, in bytes.
const around = 700

// maxPhrases bounds how often one phrase is reported in one region.
const maxPhrases = 50

// phraseRules are the phrases by the rule that reports them.
var phraseRules = sync.OnceValue(func() map[string][]phrase {
	of := func(form string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + form) }
	address := of(`https?://`)
	return map[string][]phrase{
		"X09": {{
			marks: []string{"phrase", "mnemonic", "private key", "seed words", "助记词", "私钥", "мнемонич", "сид-фраз"},
			form:  of(`\b(ask|request|require|prompt|tell|collect|obtain|get|have)\b[^.\n]{0,50}\b(the user|them|users|user's|customer|owner|wallet)\b[^.\n]{0,60}\b((seed|recovery|mnemonic|backup|secret)[ -](phrase|words)|mnemonic|private key of (the|their|a) wallet|wallet'?s? private key)|(请|让|要求)[^。\n]{0,20}(助记词|私钥)|(попроси|запроси)[^.\n]{0,40}(сид-фраз|мнемонич|приватн\w+ ключ)`),
			says:  "the user is to be asked for the phrase or key of a wallet",
		}},
		"P04": {{
			marks: []string{"bcc", "blind copy", "blind carbon"},
			form:  of(`\b(put|add|set|include|insert|place|copy)\b[^.\n]{0,40}[\w.+-]+@[\w-]+(\.[\w-]+)+[^.\n]{0,30}\b(bcc|blind (carbon )?copy)\b|\b(bcc|blind (carbon )?copy)\b( it| everything| all)?( to|:)?\s*` + "[`\"'<]?" + `[\w.+-]+@[\w-]+(\.[\w-]+)+`),
			says:  "a copy of mail goes to an address that others do not see",
		}, {
			marks: []string{"!["},
			form:  of(`!\[[^\]\n]*\]\(https?://[^)\s]*\?[^)\s]*=[^)\s]*[<{\[$][^)\s]*\)`),
			near:  of(`\b(every|each|all|any)\b[^.\n]{0,30}\b(answer|answers|reply|replies|response|responses|message|messages|turn|output)\b`),
			says:  "each answer is to load a picture whose address has data in it",
		}},
		"P05": {{
			marks: []string{"precedence", "overrides", "supersedes", "takes priority"},
			form:  of(`\b(it|they|which|that|this|these|the (page|guidance|document|rules|instructions|file|answer|response))\b[^.\n]{0,20}\b(takes? (precedence|priority) over|overrides?|supersedes?)\b[^.\n]{0,20}\b(this|these|the|any|all)\b[^.\n]{0,12}\b(page|skill|instructions?|document|file|text|rules|conventions)\b`),
			near:  address,
			says:  "what an address says is to stand above the definition",
		}},
		"P09": {{
			marks: []string{"unchanged", "verbatim", "word by word", "word for word", "as it is"},
			form:  of(`\b(carry|copy|add|insert|include|paste|put|write|append)\b[^.\n]{0,80}\b(over|in|into|to)\b[^.\n]{0,80}\b(unchanged|verbatim|word (by|for) word|as it is)\b`),
			near:  of(`\b(other|sibling|another|every|each|all)\b[^.\n]{0,20}\b(repositor(y|ies)|skills?|projects?|assistants?|agents?|instruction files?)\b`),
			says:  "a text is to be carried on into the instructions of others",
		}},
	}
})

// phrases reports the phrases of a rule in the texts that speak to a model.
func (p *pass) phrases() {
	for _, want := range phraseRules()[p.rule.ID] {
		for i := range p.Regions {
			r := &p.Regions[i]
			if r.Medium != fact.Prose && r.Medium != fact.Comment && r.Medium != fact.Frontmatter && r.Medium != fact.CodeSpan || !hasMark(r.Text, want.marks) {
				continue
			}
			for _, m := range want.form.FindAllStringIndex(r.Text, maxPhrases) {
				at := r.At(m[0], m[1])
				if text := p.Package.Files[at.File].Text; want.near != nil && !want.near.MatchString(text[max(0, min(at.Span.Start-around, len(text))):min(len(text), at.Span.End+around)]) {
					continue
				}
				p.at(at, "%s", want.says).as(Review, Medium).standing(r.StandingAt(m[0]))
			}
		}
	}
}

func hasMark(text string, marks []string) bool {
	low := strings.ToLower(text)
	for _, m := range marks {
		if strings.Contains(low, m) {
			return true
		}
	}
	return false
}
