package audit

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit/fact"
)

// f06 finds fields that are nearly spelled as one that means something.
func f06() Rule {
	return Rule{
		ID: "F06", Name: "misspelled-field", Title: "A field is nearly spelled as one that hosts know",
		Severity: Inform, Confidence: Medium, Scope: "definition",
		Why:   "Hosts do nothing with it: a limit that is misspelled limits nothing.",
		Fix:   "Correct the spelling, or put fields of your own under metadata.",
		CWE:   []int{1109, 20},
		OWASP: "AST04", find: findF06,
	}
}

func findF06(p *pass) {
	for i := range p.Entries {
		e := &p.Entries[i]
		if definition.LookupField(e.Key) != 0 || len(e.Key) < 4 || len(e.Key) > 40 {
			continue
		}
		for f := definition.FieldName; definition.LookupField(f.Key()) == f; f++ {
			if near(fold(e.Key), fold(f.Key()), 1+len(e.Key)/9) {
				p.at(fact.Place{Span: e.KeySpan}, "%q may be meant for %q", e.Key, f.Key()).forPersona(Pedantic)
				break
			}
			if f == definition.FieldSubtask {
				break
			}
		}
	}
}
