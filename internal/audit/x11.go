package audit

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

func x11() Rule {
	return Rule{
		ID: "X11", Name: "upload", Title: "A file of this machine is uploaded", Scope: "code",
		Severity: Review, Confidence: Medium,
		Why: "What is uploaded is out of the user's hands. Most uploads are what the skill is for; one beside the reading of keys may not be.",
		Fix: "Say in the description what is sent and where, and send only what the user names.",
		CWE: []int{200}, OWASP: "AST03",
		find: findX11,
	}
}

func findX11(p *pass) {
	said := map[string]bool{}
	add := func(place fact.Place, s fact.Standing, what, to string) {
		_, host, _ := splitURL(to)
		if mine(to) || host == "" && to != "" || said[host] {
			return
		}
		said[host] = true
		f := p.at(place, "%s goes to %s", shown(what), shown(destination(to))).as(Inform, Low)
		if p.found("X09", Review) {
			f.as(Review, Medium)
		}
		f.standing(s)
	}
	for i := range p.Commands {
		c := &p.Commands[i]
		what, ok := sentFile(c)
		if !ok {
			continue
		}
		if to, ok := sendsTo(c); ok {
			add(c.Place, c.Standing, what, to)
		}
	}
	for i := range p.Flows {
		if f := &p.Flows[i]; f.From == fact.ReadFile && f.To == fact.Send {
			name := f.What
			if name == "" {
				name = "a file"
			}
			add(f.At, f.Standing, name, f.Where)
		}
	}
}

// sentFile returns the file that a command sends.
func sentFile(c *fact.Command) (string, bool) {
	switch c.Name {
	case "curl", "curl.exe":
		for i, a := range c.Args {
			if i == 0 {
				continue
			}
			switch c.Args[i-1] {
			case "-T", "--upload-file":
				return a, true
			case "-F", "--form", "-d", "--data", "--data-binary":
				if k := strings.IndexByte(a, '@'); k >= 0 && k+1 < len(a) && (k == 0 || a[k-1] == '=') && a[k+1] != '-' && !strings.Contains(a[k:], ".json") {
					return a[k+1:], true
				}
			}
		}
	case "wget":
		for _, a := range c.Args {
			if v, ok := strings.CutPrefix(a, "--post-file="); ok {
				return v, true
			}
		}
	case "scp", "rsync":
		if len(c.Args) > 1 {
			return c.Args[len(c.Args)-2], true
		}
	}
	return "", false
}
