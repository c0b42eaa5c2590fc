package audit

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/secretnames"
)

func x10() Rule {
	return Rule{
		ID: "X10", Name: "secrets-to-network", Title: "The environment or secrets are sent to the network", Scope: "code",
		Severity: Block, Confidence: High,
		Why: "Variables and files with keys are given away to whoever has the address. Keys that have left can only be replaced.",
		Fix: "Send the one key that a service needs to that service, and nothing else. If you did not write this, do not run it.",
		CWE: []int{200, 522}, OWASP: "AST01",
		find: findX10,
	}
}

// outflow is what reaches one call that sends.
type outflow struct {
	at    fact.Place
	flows []*fact.Flow
}

func findX10(p *pass) {
	var outflows []outflow
	for i := range p.Flows {
		x := &p.Flows[i]
		if x.To != fact.Send || x.From != fact.ReadAllEnv && x.From != fact.ReadEnv && x.From != fact.ReadSecret && x.Class != fact.EnvFile {
			continue
		}
		if n := len(outflows); n == 0 || outflows[n-1].at != x.At {
			outflows = append(outflows, outflow{at: x.At})
		}
		l := &outflows[len(outflows)-1]
		l.flows = append(l.flows, x)
	}
	for i := range outflows {
		p.outflow(&outflows[i])
	}
	p.leakingCommands()
	p.settings()
}

// receiver says what is known of where something is sent.
type receiver struct {
	host string
	// known: the host shows. own: it is on this machine or in a network of one's own.
	known, own bool
	// bad says why nobody should send secrets there; "" where nothing is known against it.
	bad string
}

func receiverOf(where string) receiver {
	u, ok := fact.AddressOf(where)
	if !ok {
		return receiver{}
	}
	r := receiver{host: u.Host, known: true, own: u.Private}
	switch kind := u.Kind(); {
	case r.own:
	case u.IP:
		r.bad = "an address in numbers"
	case kind != "" && kind != fact.Shortener:
		r.bad = "a " + string(kind)
	case u.Scheme == "http" && !fact.PlaceholderHost(u.Host):
		r.bad = "a connection that is not encrypted"
	}
	return r
}

// outflow judges what reaches one call that sends.
func (p *pass) outflow(l *outflow) {
	first := l.flows[0]
	to := receiverOf(first.Where)
	if to.own {
		return
	}
	s, c, what := Clean, Medium, ""
	say := func(severity Severity, confidence Confidence, text string) {
		if severity > s {
			s, c, what = severity, confidence, text
		}
	}
	var names []string
	for _, x := range l.flows {
		carried := x.Part == "body" || x.Part == "address" || x.Part == ""
		switch {
		case x.From == fact.ReadAllEnv && (carried || x.Part == "header"):
			say(Block, High, "all variables of the environment are sent")
		case x.From == fact.ReadSecret && x.Class != "" && carried && !x.Picked:
			say(Block, High, x.What+" is sent")
		case x.From == fact.ReadSecret && x.Class != "" && to.bad != "" && x.Part != "client":
			say(Block, Medium, x.What+" is sent")
		case x.From == fact.ReadSecret && x.Class != "" && carried && to.known && !belongs(x.What, to.host):
			say(Review, Medium, "a part of "+x.What+" is sent")
		case x.Class == fact.EnvFile && carried && to.bad != "":
			say(Block, Medium, x.What+" is sent")
		case x.Class == fact.EnvFile && x.Part == "body" && !x.Picked && to.known:
			say(Review, Medium, x.What+" is sent")
		case x.From == fact.ReadEnv && carried && secretnames.Is(x.What) && !belongs(x.What, to.host) && !slices.Contains(names, x.What):
			names = append(names, x.What)
		}
	}
	p.severalKeys(names, to, say)
	if s == Clean {
		return
	}
	// Code in a document is an example before it is anything else.
	if first.Medium == fact.Fence && s == Block && to.bad == "" {
		s, c = Review, Medium
	}
	where := "to the network"
	if to.known {
		where = "to " + to.host
	}
	if to.bad != "" && to.bad != "an address in numbers" {
		where += ", " + to.bad
	}
	p.at(l.at, "%s %s", what, where).as(s, c).standing(first.Standing)
}

// severalKeys judges variables that are sent as data, not as what opens the door: by
// how many owners their names have.
func (p *pass) severalKeys(names []string, to receiver, say func(Severity, Confidence, string)) {
	var owners []string
	for _, name := range names {
		if o := ownerOf(name); !slices.Contains(owners, o) {
			owners = append(owners, o)
		}
	}
	list := strings.Join(names[:min(len(names), 4)], ", ")
	messenger := to.bad == "a "+string(fact.Messenger)
	switch {
	case len(owners) >= 3:
		say(Block, Medium, list+" are sent")
	case len(owners) == 2 && to.bad != "" && !messenger:
		say(Block, Medium, list+" are sent")
	case len(owners) == 2 && to.known && !slices.Contains(owners, ""):
		say(Review, Medium, list+" are sent")
	case len(owners) == 1 && owners[0] != "" && to.bad != "" && to.bad != "a connection that is not encrypted":
		say(Block, Medium, list+" is sent")
	case len(owners) == 1 && to.bad != "" && !messenger:
		say(Review, Low, list+" is sent")
	}
}

// ownerOf is whose a key is by its name: OPENAI of OPENAI_API_KEY; "" for names that
// say nothing of it.
func ownerOf(name string) string {
	first, _, _ := strings.Cut(strings.ToUpper(name), "_")
	switch first {
	case "API", "APP", "ACCESS", "SECRET", "AUTH", "CLIENT", "USER", "DB", "MY", "BOT", "PRIVATE", "TOKEN", "PASSWORD", "SERVICE", "SERVER", "TEST", "ADMIN", "LOGIN", "WEBHOOK", "KEY", "BEARER", "SESSION", "REFRESH", "OAUTH", "JWT", "INPUT", "NEXT", "VITE", "REACT", "PUBLIC", "EMAIL", "SMTP", "PROXY", "CHAT", "TELEGRAM", "DISCORD", "SLACK", "HTTP", "DATABASE":
		return ""
	}
	switch first {
	case "GH", "GITHUB":
		return "GITHUB"
	case "HF", "HUGGINGFACE", "HUGGING":
		return "HUGGINGFACE"
	case "GCP", "GOOGLE":
		return "GOOGLE"
	}
	return first
}

// belongs reports whether a key or file goes by the name of the host's owner.
func belongs(what, host string) bool {
	what = strings.ToLower(what)
	site := fact.Site(host)
	label, _, _ := strings.Cut(site, ".")
	if len(label) >= 2 && (strings.Contains(what, label) || strings.HasPrefix(what, strings.SplitN(label, "-", 2)[0]+"_")) {
		return true
	}
	owner := strings.ToLower(ownerOf(what))
	if owner != "" && len(owner) >= 2 && strings.Contains(host, owner) {
		return true
	}
	switch {
	case strings.HasSuffix(host, "amazonaws.com"):
		return strings.Contains(what, "aws")
	case strings.HasSuffix(host, "googleapis.com"), strings.HasSuffix(host, "google.com"):
		return strings.Contains(what, "gcloud") || strings.Contains(what, "google") || strings.Contains(what, "gcp") || strings.Contains(what, "application_default") || strings.Contains(what, "youtube")
	case strings.HasSuffix(host, "github.com"):
		return strings.HasPrefix(what, "gh_") || strings.Contains(what, "/gh/")
	case strings.HasSuffix(host, "microsoftonline.com"), strings.HasSuffix(host, "azure.com"), strings.HasSuffix(host, "windows.net"), strings.HasSuffix(host, "microsoft.com"):
		return strings.Contains(what, "azure") || strings.HasPrefix(what, "ms_") || strings.Contains(what, "graph") || strings.Contains(what, "msal")
	case strings.HasSuffix(host, "facebook.com"), strings.HasSuffix(host, "instagram.com"):
		return strings.Contains(what, "meta") || strings.Contains(what, "fb_") || strings.Contains(what, "ig_") || strings.Contains(what, "whatsapp") || strings.Contains(what, "facebook")
	case strings.HasSuffix(host, "twitter.com"), host == "api.x.com":
		return strings.HasPrefix(what, "x_") || strings.Contains(what, "twitter")
	}
	return false
}
