package audit

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

func x09() Rule {
	return Rule{
		ID: "X09", Name: "credential-store", Title: "Keys or logins of the user are read", Scope: "text",
		Severity: Block, Confidence: High,
		Why: "What is in such files opens everything else that the user has. Programs that need a login ask the tool that keeps it; they do not read where it is kept.",
		Fix: "Take a token that the user gives for this purpose, from a variable, and use the tool that owns the login.",
		CWE: []int{522, 200}, OWASP: "AST01",
		find: findX09,
	}
}

func findX09(p *pass) {
	sent := map[int]bool{}
	for _, l := range p.leaks() {
		x := &p.Paths[l.path]
		if !x.Class.Secret() && x.Class != fact.AgentHistory && x.Class != fact.EnvFile || sent[l.path] {
			continue
		}
		sent[l.path] = true
		f := p.at(l.at, "%s goes to %s", shown(l.what), shown(destination(l.to)))
		switch {
		case x.Class == fact.EnvFile && p.copied(l.at):
			// That is how what a server needs comes to it.
			f.as(Inform, Low)
		case mine(l.to) && l.to != "":
			f.as(Review, Medium)
		}
		f.standing(l.Standing)
	}
	for i := range p.Flows {
		fl := &p.Flows[i]
		if fl.To != fact.Send && fl.To != fact.Connect || !fl.Class.Secret() && fl.From != fact.ReadSecret || fl.Picked {
			continue
		}
		f := p.at(fl.At, "%s goes to %s", shown(what(fl.What)), shown(destination(fl.Where)))
		if mine(fl.Where) {
			f.as(Review, Medium)
		}
		f.standing(fl.Standing)
	}
	p.asksPassword()
	p.phrases()
	type read struct {
		text string
		how  fact.Access
	}
	said := map[read]bool{}
	for i := range p.Paths {
		x := &p.Paths[i]
		goes := x.Access == fact.Sends && (x.Class == fact.AgentHistory || x.Class == fact.EnvFile)
		if !x.Class.Secret() && !goes || x.Access == fact.Named || x.Access == fact.Writes || sent[i] || said[read{x.Text, x.Access}] || x.Medium == fact.CodeComment {
			continue
		}
		f := p.at(x.Place, "%s is read: %s", kindOf(x.Class), shown(x.Text)).as(Review, Medium)
		if x.Access == fact.Sends && x.Medium != fact.Fence && x.Medium != fact.Code {
			if !goes {
				f.as(Block, Medium)
			}
			f.Message = shown(x.Text) + " is to be sent"
		}
		if x.Meant() {
			said[read{x.Text, x.Access}] = true
		}
		if teaches(p.purpose(), x.Standing) {
			f.as(Inform, Low)
		}
		f.standing(x.Standing)
	}
}

// copied reports whether the command at a place copies files to a machine that lets the
// user in.
func (p *pass) copied(at fact.Place) bool {
	return slices.ContainsFunc(p.Commands, func(c fact.Command) bool {
		return c.Place == at && (c.Name == "scp" || c.Name == "rsync" || c.Name == "sftp")
	})
}

// asksPassword finds windows that ask for a password whose letters do not show: it goes
// to the script and not to the system.
func (p *pass) asksPassword() {
	for i := range p.Commands {
		c := &p.Commands[i]
		if c.Name != "osascript" || !strings.Contains(strings.ToLower(c.Text+c.Input), "hidden answer") || strings.Contains(strings.ToLower(c.Text+c.Input), "hidden answer false") {
			continue
		}
		f := p.at(c.Place, "a window of the script's own asks for a password").as(Review, Medium)
		for k := range p.Commands {
			o := &p.Commands[k]
			if o.Unit != c.Unit || o.File != c.File {
				continue
			}
			to, sends := sendsTo(o)
			if sends && carries(o) && !mine(to) || o.Name == "dscl" && strings.Contains(strings.ToLower(o.Text), "authonly") {
				f.as(Block, Medium)
				f.Message += ", and it is tried or sent on"
				break
			}
		}
		f.standing(c.Standing)
	}
}

func what(name string) string {
	if name == "" {
		return "what is secret"
	}
	return name
}

func destination(to string) string {
	if to == "" {
		return "another machine"
	}
	return to
}

// kindOf names a class of files in a message.
func kindOf(c fact.PathClass) string {
	switch c {
	case fact.Wallet:
		return "a wallet"
	case fact.Browser:
		return "a store of a browser"
	case fact.AgentSecret:
		return "the login of an agent"
	case fact.AgentHistory:
		return "what was said to an agent"
	case fact.EnvFile:
		return "a file of variables"
	}
	return "a store of keys"
}
