package audit

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/host"
)

// t02 finds hooks, and modes in which nothing is asked.
func t02() Rule {
	return Rule{
		ID: "T02", Name: "hooks-or-bypass", Title: "The definition brings hooks or a mode in which nothing is asked",
		Severity: Block, Confidence: High, Scope: "definition",
		Why:   "Hooks run by themselves at events, and a mode without questions takes the user's say away; neither is a matter of the text that the user reads.",
		Fix:   "Leave modes to the user, and keep hooks to programs of the package that do what they say.",
		CWE:   []int{250, 732, 829},
		OWASP: "AST03", find: findT02,
	}
}

func findT02(p *pass) {
	for _, g := range p.Grants {
		if g.Field != "permissionMode" {
			continue
		}
		switch host.PromptPolicyOf(g.Tool) {
		case host.PromptsNever:
			if f := p.at(g.Place, "%s: everything runs without a question", g.Tool); !foreign(p.Package.Layer) {
				f.as(Review, High)
			}
		case host.PromptsExceptEdits:
			p.at(g.Place, "%s: files are changed without a question", g.Tool).as(Inform, High)
		}
	}
	calm, first := 0, fact.Place{}
	for _, h := range p.Hooks {
		if installs(h.Event) || h.Event == fact.ServerStart {
			continue
		}
		if word := p.hookDoes(h); word != "" {
			p.at(h.Place, "the hook on %s %s", eventName(h.Event), word).as(Review, Medium)
			continue
		}
		if calm == 0 {
			first = h.Place
		}
		calm++
	}
	if calm > 0 {
		p.at(first, "%d of its hooks run commands by themselves", calm).as(Inform, High)
	}
}

func eventName(event string) string {
	if event == "" {
		return "some event"
	}
	return event
}

// hookDoes says what a hook does that a hook need not do; "" where there is nothing.
func (p *pass) hookDoes(h fact.Hook) string {
	for i := range p.Commands {
		c := &p.Commands[i]
		if c.File != h.File || c.Span.End <= h.Span.Start || c.Span.Start >= h.Span.End {
			continue
		}
		switch {
		case netProgram(c.Name) && !local(c.Args):
			return "reaches for the network: " + c.Name
		case c.Name == "base64" && slices.ContainsFunc(c.Args, func(a string) bool { return a == "-d" || a == "-D" || a == "--decode" }), c.Packed:
			return "undoes an encoding"
		case (c.Name == "npx" || c.Name == "uvx" || c.Name == "bunx") && !pinned(c.Args):
			return "runs what a registry has at that time: " + c.Name
		case c.Name == "osascript" || c.Name == "crontab" || c.Name == "launchctl" || c.Name == "schtasks":
			return "runs " + c.Name
		}
	}
	return ""
}

// netProgram reports whether a program is there to reach other machines.
func netProgram(name string) bool {
	switch name {
	case "curl", "wget", "nc", "ncat", "netcat", "socat", "ssh", "scp", "sftp", "ftp", "telnet", "rsync", "aria2c", "iwr", "irm", "invoke-webrequest", "invoke-restmethod", "curl.exe", "certutil", "bitsadmin", "start-bitstransfer", "dig", "nslookup":
		return true
	}
	return false
}

// local reports whether the addresses in words are all of the machine itself.
func local(words []string) bool {
	found := false
	for _, w := range words {
		if strings.HasPrefix(w, "-") || !strings.ContainsAny(w, ".:") {
			continue
		}
		hostPart := strings.TrimPrefix(strings.TrimPrefix(w, "http://"), "https://")
		hostPart, _, _ = strings.Cut(hostPart, "/")
		if i := strings.LastIndexByte(hostPart, ':'); i > 0 && !strings.HasSuffix(hostPart, "]") {
			hostPart = hostPart[:i]
		}
		if !fact.Loopback(strings.ToLower(hostPart)) {
			return false
		}
		found = true
	}
	return found
}
