package audit

import (
	"path"
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

func x01() Rule {
	return Rule{
		ID: "X01", Name: "pipe-to-shell", Title: "A program from the network is run as it comes", Scope: "code",
		Severity: Block, Confidence: High,
		Why: "Whoever owns the address decides at each run what is done on this machine, and nobody sees it before.",
		Fix: "Name a package of a package manager, or pin a version: download it, check its checksum, read it, then run it.",
		CWE: []int{494, 829}, OWASP: "AST02",
		find: findX01,
	}
}

func findX01(p *pass) {
	seen := map[fact.Place]bool{}
	for _, o := range p.origins() {
		worst, url, source := own, "", -1
		for _, i := range o.from {
			urls, ok := fetches(&p.Commands[i])
			if clone := cloned(&p.Commands[i]); clone != "" {
				urls, ok, o.clone = []string{clone}, true, true
			}
			if !ok {
				continue
			}
			if len(urls) == 0 {
				urls = []string{"$"}
			}
			for _, u := range urls {
				if t := trust(u); source < 0 || t > worst {
					worst, url, source = t, u, i
				}
			}
		}
		if source < 0 {
			continue
		}
		c, run := &p.Commands[source], &p.Commands[o.runs]
		place := c.Place
		if run.File == c.File {
			place.Span.Start = min(place.Span.Start, run.Span.Start)
			place.Span.End = max(place.Span.End, run.Span.End)
		}
		if seen[place] {
			continue
		}
		seen[place] = true
		p.x01(o, place, worst, url, run)
	}
	for i := range p.Commands {
		c := &p.Commands[i]
		if url := runsAddress(c); url != "" && !seen[c.Place] {
			seen[c.Place] = true
			p.x01(origin{runs: i}, c.Place, trust(url), url, c)
		}
	}
}

func (p *pass) x01(o origin, place fact.Place, worst trusted, url string, run *fact.Command) {
	say := func(s Severity, c Confidence) {
		p.at(place, "%s is run as it comes from %s", shown(url), worst).as(s, c).standing(run.Standing)
	}
	if o.file != "" && worst < exposed && p.checked(run.Unit) {
		return
	}
	plain := strings.HasPrefix(strings.ToLower(url), "http://")
	if o.file != "" && worst >= stranger && dataName(o.file) && !opener(run.Name) {
		p.at(place, "%s, which by its name is data, is run as it comes from %s", shown(base(o.file)), worst).as(atLeast(worst), Medium).standing(run.Standing)
		return
	}
	if o.apart && worst < dropped {
		// Two steps of a page that have a name in common are not one for certain.
		switch worst {
		case exposed:
			say(Review, Medium)
		case stranger:
			if shellName(run.Name) && !releases(url) && !forged(url) {
				say(Inform, Low)
			}
		}
		return
	}
	switch worst {
	case numbered, dropped:
		say(Block, High)
	case exposed:
		say(Block, Medium)
	case stranger:
		switch {
		case o.file != "" && releases(url), o.clone && forged(url):
		case o.file != "" && !shellName(run.Name):
			say(Inform, Low)
		default:
			say(Review, Medium)
		}
	case installer:
		if plain {
			say(Review, Medium)
		}
	case open:
		if o.file == "" && !run.Packed {
			say(Inform, Low)
		} else if run.Packed {
			say(Review, Medium)
		}
	}
}

// dataName reports whether a name is one of data, which nobody runs who means well.
func dataName(name string) bool {
	switch strings.ToLower(path.Ext(base(name))) {
	case ".dat", ".txt", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".ico", ".ttf", ".otf", ".woff", ".woff2", ".pdf", ".csv", ".json", ".xml", ".log", ".mp3", ".mp4", ".db", ".cache", ".tmp":
		return true
	}
	return false
}

// opener reports whether a program shows data with the one that is there for it.
func opener(name string) bool {
	return name == "open" || name == "start" || name == "start-process" || name == "saps"
}

// atLeast is the weight of running something from a kind of place.
func atLeast(t trusted) Severity {
	if t >= exposed {
		return Block
	}
	return Review
}

func shellName(name string) bool { return name == "bash" || name == "sh" || name == "zsh" }

// cloned is the address of a repository that a command copies, "" where it copies none.
func cloned(c *fact.Command) string {
	if c.Name != "git" || len(c.Args) < 2 || c.Args[0] != "clone" {
		return ""
	}
	for _, a := range c.Args[1:] {
		if strings.Contains(a, "://") {
			return a
		}
	}
	return ""
}

// forged reports whether an address is of a forge, where what is there has an owner.
func forged(url string) bool {
	_, host, path := splitURL(url)
	_, ok := fact.Forge(&fact.URL{Host: host, Route: path})
	return ok
}

// checked reports whether a text checks what it downloads against a sum or a signature.
func (p *pass) checked(unit int) bool {
	for i := max(unit, 0); i < len(p.Commands) && p.Commands[i].Unit == unit; i++ {
		c := &p.Commands[i]
		switch c.Name {
		case "sha256sum", "sha512sum", "shasum", "gsha256sum", "cosign", "minisign", "signify", "slsa-verifier":
			return true
		case "gpg", "gpg2":
			return c.Has("--verify")
		case "gh":
			return c.Has("attestation")
		}
	}
	return false
}

// releases reports whether an address is that of a file of a release in a forge.
func releases(url string) bool {
	_, host, path := splitURL(url)
	return (host == "github.com" || host == "gitlab.com" || host == "codeberg.org") && (strings.Contains(path, "/releases/") || strings.Contains(path, "/archive/") || strings.Contains(path, "/raw/"))
}

// shown cuts an address for a message.
func shown(url string) string {
	if len(url) > 100 {
		url = url[:100]
	}
	return strings.ToValidUTF8(url, "?")
}
