package audit

import (
	"cmp"
	"slices"

	"github.com/vadehq/vade/internal/audit/fact"
)

// Severity says what a finding asks for.
type Severity uint8

// The severities. Inform: worth knowing, nothing to be done. Review: a person
// should look before the definition is used. Block: it should not be loaded.
const (
	Clean Severity = iota
	Inform
	Review
	Block
)

var severityNames = [...]string{"clean", "inform", "review", "block"}

// String returns the severity's word; that of a verdict without findings is "clean".
func (s Severity) String() string { return severityNames[s] }

// MarshalText makes a severity a word in JSON.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// ParseSeverity returns the severity of a word.
func ParseSeverity(word string) (Severity, bool) {
	for i, name := range severityNames[1:] {
		if word == name {
			return Severity(i + 1), true
		}
	}
	return 0, false
}

// Confidence says how sure it is that a finding is what its rule looks for.
type Confidence uint8

// The confidences.
const (
	Low Confidence = iota + 1
	Medium
	High
)

var confidenceNames = [...]string{"", "low", "medium", "high"}

// String returns the confidence's word.
func (c Confidence) String() string { return confidenceNames[c] }

// MarshalText makes a confidence a word in JSON.
func (c Confidence) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Persona says for whom findings are shown. Each sees those of the ones before.
type Persona uint8

// The personas. Regular sees what matters; Pedantic also what is only good manners;
// Auditor everything, also what is quoted or forbidden by its text.
const (
	Regular Persona = iota
	Pedantic
	Auditor
)

var personaNames = [...]string{"regular", "pedantic", "auditor"}

// String returns the persona's word.
func (p Persona) String() string { return personaNames[p] }

// ParsePersona returns the persona of a word.
func ParsePersona(word string) (Persona, bool) {
	for i, name := range personaNames {
		if word == name {
			return Persona(i), true
		}
	}
	return 0, false
}

// Rule is one rule of the audit: a row of [Rules] with a file of its own and a page
// docs/rules/<id>.md.
type Rule struct {
	// ID is stable: a letter of the family and a number. Name says the same in words.
	ID, Name string
	// Title says in a line what the rule finds.
	Title string
	// Severity and Confidence are the highest that it gives.
	Severity   Severity
	Confidence Confidence
	// Scope is what it looks at: "definition", "text", "code" or "package".
	Scope string
	// Why says what may happen, Fix what to do.
	Why, Fix string
	// CWE are numbers of the Common Weakness Enumeration, OWASP is a code of the
	// Agentic Skills Top 10.
	CWE   []int
	OWASP string
	find  func(*pass)
}

// pass is one run of a rule over the facts of a package.
type pass struct {
	*fact.Facts
	rule *Rule
	out  []Finding
	// options are those of the run.
	options *Options
	// earlier are the findings of the rules before, for those that correlate.
	earlier []Finding
	// lost is how many findings there was no room for.
	lost int
	// secrets are which commands read which secret files, once they were asked for.
	secrets map[int]int
}

// maxFindings bounds what one rule says of one package to each persona; what is beyond
// is counted in the last finding. maxKept bounds how many a rule may have: what is
// beyond that is said to be missed, since the worst may be among it.
const (
	maxFindings = 25
	maxKept     = 2000
)

// at reports a finding at a place, with the severity and confidence of the rule.
func (p *pass) at(place fact.Place, format string, args ...any) *Finding {
	return p.add(p.finding(place, format, args...))
}

// whole reports a finding about the package.
func (p *pass) whole(format string, args ...any) *Finding {
	return p.add(p.about(format, args...))
}

func (p *pass) add(f Finding) *Finding {
	if len(p.out) >= maxKept {
		p.lost++
		return new(Finding)
	}
	p.out = append(p.out, f)
	return &p.out[len(p.out)-1]
}

// most returns the findings that are shown: of each persona's the worst, in the order
// in which they were found. The last of them says how many are left out.
func (p *pass) most() []Finding {
	var kept []Finding
	for persona := Regular; persona <= Auditor; persona++ {
		var list []Finding
		for _, f := range p.out {
			if f.Persona == persona {
				list = append(list, f)
			}
		}
		slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(b.Severity, a.Severity) })
		if n := len(list) - maxFindings; n > 0 {
			list = list[:maxFindings]
			list[maxFindings-1].More += n
		}
		kept = append(kept, list...)
	}
	for i := range kept {
		kept[i].settle()
	}
	return kept
}

// found reports whether a rule that came before has a finding of at least a severity.
func (p *pass) found(id string, least Severity) bool {
	for i := range p.earlier {
		if p.earlier[i].ID == id && p.earlier[i].Severity >= least {
			return true
		}
	}
	return false
}

// as gives a finding another severity and confidence than its rule.
func (f *Finding) as(s Severity, c Confidence) *Finding {
	f.Severity, f.Confidence = s, c
	return f
}

// forPersona shows a finding only to a persona and those behind it.
func (f *Finding) forPersona(p Persona) *Finding {
	f.Persona = p
	return f
}

// guarded says that loading itself refuses what was found.
func (f *Finding) guarded() *Finding {
	f.Guarded = true
	return f
}

// doing gives a finding advice of its own.
func (f *Finding) doing(fix string) *Finding {
	f.Fix = fix
	return f
}

// standing lowers a finding by how its text is meant: what is forbidden or quoted is
// for auditors to know of, what stands beside the definition is one step less. What
// would block in the definition also blocks in a file that it sends its reader to.
func (f *Finding) standing(s fact.Standing) *Finding {
	switch {
	case !s.Meant() && !s.Hidden:
		f.Severity, f.Confidence, f.Persona = Inform, Low, Auditor
	case s.Apart() && f.Severity > Inform, s.Beside && f.Severity == Review:
		f.Severity--
		f.Confidence = min(f.Confidence, Medium)
	}
	return f
}
