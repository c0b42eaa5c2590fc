package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

// s07 finds what the user's policy names as bad.
func s07() Rule {
	return Rule{
		ID: "S07", Name: "known-bad", Title: "A file, host or publisher is on the user's list of bad ones",
		Severity: Block, Confidence: High, Scope: "package",
		Why:   "Somebody whom the user trusts has found it harmful.",
		Fix:   "Do not use the package, or take the entry off the list.",
		CWE:   []int{506, 829},
		OWASP: "AST01", find: findS07,
	}
}

func findS07(p *pass) {
	bad := p.options.KnownBad
	if bad == nil {
		return
	}
	digests := map[string]bool{}
	for _, d := range bad.Digests {
		digests[strings.ToLower(strings.TrimPrefix(d, "sha256:"))] = true
	}
	if len(digests) > 0 {
		for i, x := range p.Package.Files {
			if x.From != nil && !x.From.Container || int64(len(x.Raw)) < x.Size {
				continue
			}
			sum := sha256.Sum256(x.Raw)
			if digests[hex.EncodeToString(sum[:])] {
				p.at(fact.Place{File: i}, "%s is on the list of bad files", x.Path)
			}
		}
	}
	for i := range p.URLs {
		u := &p.URLs[i]
		if slices.ContainsFunc(bad.Hosts, func(h string) bool {
			h = strings.ToLower(strings.Trim(h, "."))
			return h != "" && (u.Host == h || strings.HasSuffix(u.Host, "."+h))
		}) {
			p.at(u.Place, "%s is on the list of bad hosts", u.Host)
		}
		if a, ok := fact.Forge(u); ok && slices.ContainsFunc(bad.Publishers, func(name string) bool { return strings.EqualFold(name, a.Owner) }) {
			p.at(u.Place, "%s is on the list of bad publishers", a.Owner)
		}
	}
	for i := range p.Entries {
		e := &p.Entries[i]
		p.publisher(e.Key, e.Value.Text, fact.Place{Span: e.Value.Span}, bad)
		for k := range e.Value.Pairs {
			inner := &e.Value.Pairs[k]
			p.publisher(inner.Key, inner.Value.Text, fact.Place{Span: inner.Value.Span}, bad)
		}
	}
}

// publisher looks at a field that names who made the package.
func (p *pass) publisher(key, value string, place fact.Place, bad *KnownBad) {
	switch fold(key) {
	case "author", "authors", "publisher", "owner", "vendor", "organization", "maintainer":
		if slices.ContainsFunc(bad.Publishers, func(name string) bool {
			return strings.EqualFold(name, strings.TrimPrefix(strings.TrimSpace(value), "@"))
		}) {
			p.at(place, "%s is on the list of bad publishers", value)
		}
	}
}
