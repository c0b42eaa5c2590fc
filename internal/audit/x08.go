package audit

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/secretnames"
)

func x08() Rule {
	return Rule{
		ID: "X08", Name: "collector", Title: "Data goes to a service that only collects", Scope: "text",
		Severity: Block, Confidence: High,
		Why: "A request collector, a tunnel or the webhook of somebody's chat shows what comes in to whoever made it, and to no one else. Nothing else is ever there to be sent to.",
		Fix: "Take it out, or let the user give the address of a service of their own.",
		CWE: []int{200, 506}, OWASP: "AST01",
		find: findX08,
	}
}

func findX08(p *pass) {
	said := map[string]bool{}
	say := func(place fact.Place, s fact.Standing, to, what string) {
		kind := sinkOf(to)
		key := to
		if what != "" {
			key += " " + what
		}
		if kind == "" || said[key] {
			return
		}
		said[key] = true
		if what == "" {
			p.at(place, "data goes to a %s: %s", kind, shown(to)).as(Review, Medium).standing(s)
			return
		}
		p.at(place, "%s goes to a %s: %s", shown(what), kind, shown(to)).standing(s)
	}
	for _, l := range p.leaks() {
		say(l.at, l.Standing, l.to, l.what)
	}
	for i := range p.Commands {
		c := &p.Commands[i]
		to, ok := sendsTo(c)
		if !ok || sinkOf(to) == "" {
			continue
		}
		what := p.secretIn(i)
		if _, ok := sentFile(c); ok && what == "" && !templated(to) {
			what, _ = sentFile(c)
		}
		if what == "" && (templated(to) || !carries(c)) {
			continue
		}
		say(c.Place, c.Standing, to, what)
	}
	for i := range p.Flows {
		f := &p.Flows[i]
		if f.To != fact.Send && f.To != fact.Connect {
			continue
		}
		switch {
		case f.Part == "header" || f.Part == "address" && f.From == fact.ReadEnv:
		case f.From == fact.ReadAllEnv, f.From == fact.ReadSecret, f.Class.Secret(), f.From == fact.ReadEnv && secretnames.Is(f.What), f.From == fact.ReadFile && !templated(f.Where):
			say(f.At, f.Standing, f.Where, what(f.What))
		}
	}
	p.x08Text(say)
}

// x08Text looks at addresses of collectors in code and in what a text tells to do.
func (p *pass) x08Text(say func(fact.Place, fact.Standing, string, string)) {
	for i := range p.URLs {
		u := &p.URLs[i]
		kind := fact.Sink(u.Host, u.Route)
		if kind == "" || u.Image || u.Medium == fact.CodeComment || templated(u.Text) {
			continue
		}
		address := u.Text
		if u.Scheme == "" {
			address = "https://" + address
		}
		switch {
		case (u.Medium == fact.Code || u.Medium == fact.Fence && u.Lang != "" && u.Lang != "sh") && kind != fact.Tunnel && (len(u.Route) > 4 || strings.Count(u.Host, ".") > 1):
			say(u.Place, u.Standing, address, "")
		case u.Told == fact.Sends && len(u.Route) > 1:
			say(u.Place, u.Standing, address, u.What)
		}
	}
}

// templated reports whether an address is the user's own to fill in.
func templated(url string) bool {
	upper := strings.ToUpper(url)
	return strings.ContainsAny(url, "{}<>$") || strings.Contains(url, "...") || strings.Contains(url, "…") || strings.Contains(upper, "YOUR") || strings.Contains(upper, "XXX") || strings.Contains(upper, "TOKEN") || strings.Contains(upper, "/SERVICES/T00000000")
}

// carries reports whether a command sends something with it.
func carries(c *fact.Command) bool {
	switch c.Name {
	case "curl", "curl.exe", "wget", "http", "https", "xh", "httpie":
		for _, a := range c.Args {
			switch a {
			case "-d", "--data", "--data-binary", "--data-raw", "--data-urlencode", "-F", "--form", "-T", "--upload-file", "--json", "POST", "PUT", "-XPOST", "-XPUT":
				return true
			}
			if strings.HasPrefix(a, "--data") || strings.HasPrefix(a, "--post-") || strings.HasPrefix(a, "-d") && len(a) > 2 && c.Name == "curl" || strings.Contains(a, "$(") || strings.Contains(a, "`") {
				return true
			}
		}
		return c.From >= 0
	case "nslookup", "dig", "host", "ping":
		return strings.ContainsAny(c.Text, "$`")
	case "invoke-webrequest", "invoke-restmethod", "iwr", "irm":
		return strings.Contains(strings.ToLower(c.Text), "post") || strings.Contains(strings.ToLower(c.Text), "-body")
	}
	return true
}

// secretIn names what is secret among what a command sends: a variable by its name, or
// all of them.
func (p *pass) secretIn(i int) string {
	c := &p.Commands[i]
	for _, k := range append(c.Inner[:len(c.Inner):len(c.Inner)], p.back([]int{i})...) {
		if k < 0 || k >= len(p.Commands) || k == i {
			continue
		}
		switch o := &p.Commands[k]; o.Name {
		case "env", "printenv", "set", "export":
			if len(o.Args) == 0 || o.Name == "export" && o.Args[0] == "-p" {
				return "the environment"
			}
			if secretnames.Is(o.Args[0]) {
				return o.Args[0]
			}
		case "history":
			return "the history of the shell"
		case "security":
			return "the keychain"
		}
	}
	for k, a := range c.Args {
		if k > 0 && (c.Args[k-1] == "-H" || c.Args[k-1] == "--header" || c.Args[k-1] == "-u") || strings.Contains(a, "://") && !strings.Contains(a, "?") {
			continue
		}
		for j := strings.IndexByte(a, '$'); j >= 0 && j < len(a); {
			name := strings.TrimLeft(a[j+1:], "{")
			if n := strings.IndexFunc(name, func(r rune) bool {
				return r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9')
			}); n >= 0 {
				name = name[:n]
			}
			if secretnames.Is(name) {
				return name
			}
			next := strings.IndexByte(a[j+1:], '$')
			if next < 0 {
				break
			}
			j += 1 + next
		}
	}
	return ""
}
