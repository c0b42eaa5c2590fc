package audit

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/lazyregexp"
)

func x18() Rule {
	return Rule{
		ID: "X18", Name: "remote-code-in-code", Title: "A script fetches code and runs it", Scope: "code",
		Severity: Block, Confidence: High,
		Why: "What runs is not what was looked at: whoever has the address decides what the script does, for each user and at each run.",
		Fix: "Put the code into the package, or install it by name and version with a package manager that checks it.",
		CWE: []int{494, 829}, OWASP: "AST05",
		find: findX18,
	}
}

func findX18(p *pass) {
	seen := map[fact.Place]bool{}
	for i := range p.Flows {
		x := &p.Flows[i]
		if x.From != fact.Fetch || seen[x.At] {
			continue
		}
		s, sure, how := Review, Medium, ""
		switch x.To {
		case fact.Evaluate:
			how = "code is fetched%s and run by %s"
		case fact.LoadCode:
			how = "objects are fetched%s and loaded by %s, which runs what is in them"
			if x.Part != "pickle" {
				how = "code is fetched%s and loaded by %s"
			}
		case fact.RunShell:
			if x.Part == "input" || x.Part == "" {
				how = "commands are fetched%s and run by %s"
			}
		case fact.RunProgram:
			how = "a program is fetched%s and started by %s"
		}
		if how == "" {
			continue
		}
		to := receiverOf(x.What)
		if to.own {
			continue
		}
		u, known := fact.AddressOf(x.What)
		switch kind := u.Kind(); {
		case to.bad != "", kind == fact.Shortener:
			s, sure = Block, High
		case x.Packed || p.decodes18(x):
			s = Block
		case known && x.To == fact.RunProgram:
			if _, asset := fact.Forge(&u); asset || fact.RegistryHost(u.Host) {
				// An installer of a tool, as there are many.
				s, sure = Inform, Low
			}
		}
		if x.Medium == fact.Fence && to.bad == "" {
			sure = Low
			if s == Block {
				s = Review
			}
			if fact.PlaceholderHost(u.Host) {
				continue
			}
		}
		from := ""
		if to.known {
			from = " from " + to.host
		}
		seen[x.At] = true
		p.at(x.At, how, from, x.Sink).as(s, sure).standing(x.Standing)
	}
	p.installsAddress()
	p.writesLoader()
}

// writesLoader finds a line of Python that fetches, unpacks and runs, wherever it stands
// in a script: most of all in a text that the script writes to where Python starts.
func (p *pass) writesLoader() {
	for i := range p.Regions {
		r := &p.Regions[i]
		if r.Medium != fact.Code || !strings.Contains(r.Text, "__import__") {
			continue
		}
		for _, m := range loaderLine().FindAllStringIndex(r.Text, maxPhrases) {
			s, end := Review, min(len(r.Text), m[1]+300)
			for _, word := range [...]string{"urlopen", "urllib", "requests", "socket"} {
				if strings.Contains(r.Text[m[0]:end], word) {
					s = Block
				}
			}
			p.at(r.At(m[0], m[1]), "a line that hides what it loads is run as code").as(s, Medium).standing(r.StandingAt(m[0]))
		}
	}
}

var loaderLine = lazyregexp.New(`\b(exec|eval)\(\s*(compile\(\s*)?__import__\(`)

// decodes18 reports whether what is fetched is decoded before it is run.
func (p *pass) decodes18(x *fact.Flow) bool {
	for i := range p.Flows {
		if y := &p.Flows[i]; y.At == x.At && y.From == fact.DecodeData && y.To == x.To {
			return true
		}
	}
	return false
}

// installsAddress finds package managers that code starts with an address instead of a
// name.
func (p *pass) installsAddress() {
	for i := range p.Commands {
		c := &p.Commands[i]
		if c.Medium != fact.Literal || !installsPackages(c) {
			continue
		}
		for _, a := range c.Args {
			where := strings.TrimPrefix(strings.TrimPrefix(a, "git+"), "--extra-index-url=")
			u, ok := fact.AddressOf(where)
			if !ok || u.Private || !strings.Contains(where, "://") {
				continue
			}
			s, sure := Review, Medium
			if to := receiverOf(where); to.bad != "" {
				s, sure = Block, High
			} else if _, asset := fact.Forge(&u); asset || fact.RegistryHost(u.Host) || strings.HasPrefix(a, "git+https://") {
				s, sure = Inform, Low
			}
			p.at(c.Place, "%s installs a package from %s, not by its name", c.Name, u.Host).as(s, sure).standing(c.Standing)
			break
		}
	}
}

// installsPackages reports whether a command installs packages.
func installsPackages(c *fact.Command) bool {
	switch c.Name {
	case "pip", "pip3", "npm", "pnpm", "yarn", "bun", "uv", "gem":
	case "python", "python3":
		if len(c.Args) < 3 || c.Args[0] != "-m" || c.Args[1] != "pip" {
			return false
		}
	default:
		return false
	}
	for _, a := range c.Args[:min(len(c.Args), 4)] {
		if a == "install" || a == "add" || a == "i" {
			return true
		}
	}
	return false
}
