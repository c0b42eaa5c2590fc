package audit

import (
	"strings"
	"sync"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/host"
)

// s06 finds names that pass for a well-known one.
func s06() Rule {
	return Rule{
		ID: "S06", Name: "look-alike-name", Title: "The name is nearly that of a well-known skill or tool",
		Severity: Review, Confidence: Medium, Scope: "definition",
		Why:   "Who looks for the known one, or misspells it, gets this one.",
		Fix:   "Take a name that can not be mistaken.",
		CWE:   []int{290, 1007},
		OWASP: "AST02", find: findS06,
	}
}

func findS06(p *pass) {
	if p.Package.Bare {
		return
	}
	names := []struct {
		text  string
		place fact.Place
	}{{p.Package.Name, fact.Place{}}}
	if e := p.field(definition.FieldName); e != nil {
		names[0].text, names[0].place = e.Value.Text, fact.Place{Span: e.Value.Span}
	}
	for _, n := range names {
		if known := imitated(n.text); known != "" {
			p.at(n.place, "%q is nearly %q", n.text, known)
			return
		}
	}
}

// imitated returns the well-known name that a name passes for; "" is none.
func imitated(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if len(name) < 5 || len(name) > 60 {
		return ""
	}
	plain := flatName(name)
	best := ""
	for i, known := range host.WellKnownNames() {
		flat := flatKnown()[i]
		if name == known || plain == flat && digits(name) == "" && ascii(name) {
			// The name itself, perhaps in another spelling.
			return ""
		}
		if best != "" {
			continue
		}
		switch {
		case plain == flat, single(plain) == single(flat) && len(plain) > len(flat):
			best = known
		case len(flat) >= 10 && near(plain, flat, 1) && !number(plain, flat):
			best = known
		case len(flat) >= 7 && swapped(plain, flat):
			best = known
		}
	}
	return best
}

// flatName is a name without what divides it, with look-alikes for what they pass for.
func flatName(name string) string {
	return flattener().Replace(name)
}

var flattener = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("-", "", "_", "", ".", "", " ", "", "0", "o", "1", "l", "3", "e", "5", "s", "vv", "w", "а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "х", "x", "і", "i", "ӏ", "l")
})

// flatKnown are the well-known names, each without what divides it.
var flatKnown = sync.OnceValue(func() []string {
	var list []string
	for _, known := range host.WellKnownNames() {
		list = append(list, flatName(known))
	}
	return list
})

// single has each letter once that stands there twice in a row.
func single(word string) string {
	var b strings.Builder
	for i := range len(word) {
		if i == 0 || word[i] != word[i-1] {
			b.WriteByte(word[i])
		}
	}
	return b.String()
}

// swapped reports whether two letters side by side have changed places.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i+1 < len(a); i++ {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}

// number reports whether two words differ only in a plural or in a number, as those
// of families of skills do.
func number(a, b string) bool {
	return strings.TrimRight(a, "s0123456789") == strings.TrimRight(b, "s0123456789")
}

func digits(name string) string {
	if strings.ContainsAny(name, "0135") {
		return name
	}
	return ""
}

func ascii(name string) bool {
	for i := range len(name) {
		if name[i] >= 0x80 {
			return false
		}
	}
	return true
}
