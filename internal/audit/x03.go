package audit

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

func x03() Rule {
	return Rule{
		ID: "X03", Name: "raw-address", Title: "Something is fetched from, or sent to, a public address in numbers", Scope: "text",
		Severity: Review, Confidence: Medium,
		Why: "A number has no name and no certificate: nobody can tell whose machine it is today, or whose it was when the text was written.",
		Fix: "Name the host, with TLS.",
		CWE: []int{829, 319}, OWASP: "AST02",
		find: findX03,
	}
}

func findX03(p *pass) {
	var fetched map[fact.Place]use
	said := map[string]bool{}
	told := map[int]bool{}
	for i := range p.Gets {
		if g := &p.Gets[i]; g.URL >= 0 && (g.Told || g.Terminal) {
			told[g.URL] = true
		}
	}
	for i := range p.URLs {
		u := &p.URLs[i]
		if !u.IP || u.Private || resolver(u.Host) || u.Template && strings.ContainsAny(u.Host, "{<$") || said[u.Host] || u.Medium == fact.CodeComment {
			continue
		}
		if fetched == nil {
			if fetched = p.fetchedURLs(); fetched == nil {
				fetched = map[fact.Place]use{}
			}
		}
		f := (*Finding)(nil)
		switch {
		case fetched[u.Place] != notUsed, u.Medium == fact.Code && u.Scheme != "", u.Medium == fact.Value && u.Scheme != "", told[i], u.Odd:
			f = p.at(u.Place, "an address in numbers is used: %s", shown(u.Text))
		case u.Medium == fact.Fence && u.Lang != "" && u.Scheme != "":
			f = p.at(u.Place, "an address in numbers is used: %s", shown(u.Text)).as(Review, Low)
		default:
			continue
		}
		if f.standing(u.Standing); u.Meant() {
			said[u.Host] = true
		}
	}
}

// resolver are addresses in numbers that everybody knows the owner of, and those that
// machines in clouds ask for what they are.
func resolver(host string) bool {
	switch host {
	case "1.1.1.1", "1.0.0.1", "8.8.8.8", "8.8.4.4", "9.9.9.9", "149.112.112.112", "208.67.222.222", "208.67.220.220", "114.114.114.114", "223.5.5.5", "1.2.3.4", "255.255.255.255":
		return true
	}
	return false
}
