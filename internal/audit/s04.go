package audit

import (
	"path"
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/chars"
)

// s04 finds code that runs when the package is installed or a language starts.
func s04() Rule {
	return Rule{
		ID: "S04", Name: "install-script", Title: "Code runs when the package is installed",
		Severity: Block, Confidence: Medium, Scope: "package",
		Why:   "It runs with the rights of who installs, before anybody has used the package, and again with each dependency that does the same.",
		Fix:   "Do without, or let the user run it knowingly.",
		CWE:   []int{829, 506},
		OWASP: "AST02", find: findS04,
	}
}

// installs reports whether an event is one of installing.
func installs(event string) bool { return strings.HasPrefix(event, fact.InstallEvent) }

func findS04(p *pass) {
	for _, h := range p.Hooks {
		if !installs(h.Event) {
			continue
		}
		if p.fetchesAndRuns(h.Place) {
			p.at(h.Place, "a step of the installation fetches a program and runs it: %s", chars.Short(h.Command, 80)).as(Block, Medium).
				doing("Name a package of a package manager instead. Do not install what brings such a step before you know what it fetches.")
			continue
		}
		if h.File == 0 && !p.commandIn(h.Place) {
			// A field of that name that says something in words.
			continue
		}
		f := p.at(h.Place, "%s runs at installing: %s", strings.TrimPrefix(h.Event, fact.InstallEvent), chars.Short(h.Command, 80)).as(Review, Medium)
		if p.hookDoes(h) == "" && !inlineCode(h.Command) {
			f.as(Inform, Medium)
		}
	}
	for i, x := range p.Package.Files {
		base := strings.ToLower(path.Base(x.Path))
		place := fact.Place{File: i}
		switch {
		case strings.HasSuffix(base, ".pth") && x.Role != fact.Opaque:
			for line := range strings.Lines(x.Text) {
				if strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "import\t") {
					p.at(place, "a line of %s runs at each start of Python", x.Path).as(Review, Medium)
					break
				}
			}
		case base == "sitecustomize.py" || base == "usercustomize.py":
			p.at(place, "%s runs at each start of Python", x.Path).as(Review, Medium)
		case base == "setup.py" || base == "build.rs":
			switch {
			case p.actsIn(i):
				p.at(place, "%s reaches for the network or runs programs at installing", x.Path).as(Review, Medium)
			case strings.Contains(x.Text, "cmdclass"):
				p.at(place, "%s has steps of its own at installing", x.Path).as(Inform, Medium)
			}
		}
	}
}

// commandIn reports whether a command stands in a place.
func (p *pass) commandIn(place fact.Place) bool {
	for i := range p.Commands {
		if c := &p.Commands[i]; c.File == place.File && c.Span.End > place.Span.Start && c.Span.Start < place.Span.End {
			return true
		}
	}
	return false
}

// fetchesAndRuns reports whether a command in a place gives to an interpreter what it
// gets from the network. A step of an installation runs without having been read, so
// that it does not matter how well known the address is.
func (p *pass) fetchesAndRuns(place fact.Place) bool {
	for _, o := range p.origins() {
		run := &p.Commands[o.runs]
		if run.File != place.File || run.Span.End <= place.Span.Start || run.Span.Start >= place.Span.End {
			continue
		}
		for _, i := range o.from {
			if _, ok := fetches(&p.Commands[i]); ok {
				return true
			}
		}
	}
	return false
}

// actsIn reports whether code in a file fetches, runs or undoes an encoding.
func (p *pass) actsIn(file int) bool {
	for i := range p.Calls {
		if c := &p.Calls[i]; c.File == file {
			switch c.Does {
			case fact.RunShell, fact.Fetch, fact.Send, fact.Connect, fact.Evaluate, fact.DecodeData:
				// The code of a version file is commonly evaluated.
				if c.Does != fact.Evaluate || strings.Contains(strings.ToLower(strings.Join(c.Args, " ")), "http") {
					return true
				}
			}
		}
	}
	return false
}

// inlineCode reports whether a command has a program in its arguments.
func inlineCode(command string) bool {
	low := strings.ToLower(command)
	for _, mark := range [...]string{"node -e", "python -c", "python3 -c", "base64", "eval ", "eval(", "curl ", "wget ", "powershell"} {
		if strings.Contains(low, mark) {
			return true
		}
	}
	return false
}
