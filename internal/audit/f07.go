package audit

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit/fact"
)

// f07 finds values of another type than their fields take.
func f07() Rule {
	return Rule{
		ID: "F07", Name: "field-type", Title: "A field has a value of another type than it takes",
		Severity: Inform, Confidence: High, Scope: "definition",
		Why:   "Each host makes something else of it: a name that is a date or a number, a switch that is a word, a list that is a map.",
		Fix:   "Write text in quotes, switches as true or false, and lists as lists.",
		CWE:   []int{843, 20},
		OWASP: "AST04", find: findF07,
	}
}

func findF07(p *pass) {
	for i := range p.Entries {
		e := &p.Entries[i]
		field := definition.LookupField(e.Key)
		if field == 0 || !confused(field, &e.Value) {
			continue
		}
		p.at(fact.Place{Span: e.Value.Span}, "%s is a %s", e.Key, e.Value.Kind).forPersona(Pedantic)
	}
}

// confused reports whether a value is not what its field takes.
func confused(field definition.Field, v *definition.Value) bool {
	switch field.Shape() {
	case definition.Text:
		switch field {
		case definition.FieldVersion, definition.FieldMaxTurns, definition.FieldTemperature, definition.FieldEffort, definition.FieldMemory, definition.FieldMode:
			return v.Kind == definition.Map
		}
		return v.Kind != definition.String && v.Kind != definition.Null
	case definition.Flag:
		word := strings.ToLower(v.Text)
		return v.Kind != definition.Bool && v.Kind != definition.Null && word != "true" && word != "false"
	case definition.Words:
		return v.Kind == definition.Bool || v.Kind == definition.Number || v.Kind == definition.Map && field != definition.FieldTools
	case definition.Mapping:
		return v.Kind != definition.Map && v.Kind != definition.Null
	}
	return false
}
