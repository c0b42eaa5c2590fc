package audit

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

func x05() Rule {
	return Rule{
		ID: "X05", Name: "mandatory-download", Title: "A program that nobody answers for has to be installed first", Scope: "text",
		Severity: Block, Confidence: High,
		Why: "The program is not part of what is looked at here. A definition that needs a stranger's program for nothing that it does is the lure for it.",
		Fix: "Name a package of a package manager or the releases of a project that is known, with checksums. Do not install what the text asks for.",
		CWE: []int{494, 506}, OWASP: "AST02",
		find: findX05,
	}
}

func findX05(p *pass) {
	said := map[string]bool{}
	if len(p.Gets) == 0 {
		return
	}
	fetched := p.fetchedURLs()
	for i := range p.Gets {
		g := &p.Gets[i]
		if g.URL < 0 || !g.Run || !(g.Told || g.Must) {
			continue
		}
		u := &p.URLs[g.URL]
		// What commands do by themselves is looked at as such.
		if fetched[u.Place] != notUsed || g.Medium == fact.Fence && g.Lang != "" && g.Lang != "txt" && g.Lang != "md" {
			continue
		}
		if u.Private || fact.PlaceholderHost(u.Host) || fact.RegistryHost(u.Host) || g.Target == fact.ARelease && !g.Terminal {
			continue
		}
		if g.Target == fact.APage && !g.Terminal && u.Kind() != fact.FileDrop || installerHost(u.Host, u.Route) {
			continue
		}
		signs := p.tricks(g, u)
		if signs == nil && !(g.Must && g.Target != fact.APage) || said[u.Text] {
			continue
		}
		said[u.Text] = true
		who := publisher(u)
		f := p.at(u.Place, "a program from %s is to be installed and run%s", shown(who), listed(signs))
		need := g.Must || g.Vain || g.First
		switch {
		case len(signs) >= 2 && need && !p.ownProject(u), len(signs) >= 3 && need:
		case len(signs) >= 1 && need && !p.ownProject(u):
			f.as(Review, Medium)
		default:
			f.as(Inform, Low).forPersona(Pedantic)
		}
		f.standing(g.Standing)
	}
}

func listed(signs []string) string {
	if len(signs) == 0 {
		return ""
	}
	return ": " + strings.Join(signs, ", ")
}

// tricks names what around a download is not as it is with programs that someone
// answers for.
func (p *pass) tricks(g *fact.Get, u *fact.URL) []string {
	var signs []string
	add := func(is bool, what string) {
		if is {
			signs = append(signs, what)
		}
	}
	a, forge := fact.Forge(u)
	kind := u.Kind()
	add(g.Password != "", "the archive has a password")
	add(kind != "" && kind != fact.Messenger, "the address is a "+string(kind))
	add(u.IP, "the address is a number")
	add(u.Scheme == "http" || u.Scheme == "ftp", "the connection is open to changes")
	add(fact.PersonalHost(u.Host), "the site is one that everybody gets")
	add(forge && a.What == "release" && oddTag(a.Tag), "the release has no version")
	add(g.Unguarded, "what guards the system is to be switched off")
	add(g.Terminal && g.Target == fact.APage, "a line is to be copied from a page to a terminal")
	add(g.Vain || g.First && g.Must, "nothing works without it")
	other := ""
	for _, i := range g.Beside {
		o := &p.URLs[i]
		if k := o.Kind(); k == fact.PasteService || k == fact.FileDrop || k == fact.Shortener {
			other = "beside it stands a " + string(k)
		} else if other == "" && publisher(o) != publisher(u) && !fact.RegistryHost(o.Host) && !o.Private && !fact.PlaceholderHost(o.Host) && o.Medium == u.Medium {
			other = "each system gets it from somebody else"
		}
	}
	add(other != "", other)
	return signs
}

// oddTag reports whether the name of a release says nothing of which one it is. The
// names that projects give to what they build each night say so.
func oddTag(tag string) bool {
	if tag == "" || strings.ContainsAny(tag, "0123456789{}$<") {
		return false
	}
	switch strings.ToLower(tag) {
	case "nightly", "stable", "continuous", "tip", "canary", "beta", "alpha", "edge", "dev", "preview", "rolling", "snapshot", "next", "unstable", "weekly", "daily", "head":
		return false
	}
	return true
}
