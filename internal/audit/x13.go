package audit

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/host"
)

func x13() Rule {
	return Rule{
		ID: "X13", Name: "guards-off", Title: "An agent is started or set up without its guards", Scope: "code",
		Severity: Review, Confidence: High,
		Why: "An agent that asks nobody and stands in no sandbox does whatever a text tells it that it reads on the way.",
		Fix: "Leave the guards on and allow the few commands that are needed by name, or run the agent in a container that has nothing to lose.",
		CWE: []int{250, 693}, OWASP: "AST06",
		find: findX13,
	}
}

func findX13(p *pass) {
	for i := range p.Commands {
		c := &p.Commands[i]
		if looksFor(c) {
			continue
		}
		flag := host.GuardFlag(c.Name, c.Args)
		if flag == "" && (len(c.Writes) > 0 || setsValue(c)) {
			flag = host.GuardSetting(c.Text)
			if flag == "" {
				flag = host.GuardSetting(c.Input)
			}
		}
		if flag == "" || c.Wraps >= 0 {
			continue
		}
		f := p.at(c.Place, "%s takes the guards of an agent away", flag)
		if contained(p, c) {
			f.as(Inform, Medium)
		}
		f.standing(c.Standing)
	}
	p.guardSettings()
}

// guardSettings finds the lines of settings that take guards away.
func (p *pass) guardSettings() {
	said := map[string]bool{}
	// Who writes about settings shows them.
	declared := hasWord(p.purpose(), "setting", "config", "permission", "sandbox", "guard", "approval", "headless", "automation", "policy", "mode", "security", "audit")
	p.configurations(func(line string, at func(from, to int) fact.Place, s fact.Standing) {
		what := host.GuardLine(line)
		if what == "" || said[what] {
			return
		}
		said[what] = s.Meant()
		f := p.at(at(0, len(strings.TrimRight(line, "\r\n"))), "%s takes the guards of an agent away", strings.Trim(what, `"`)).as(Review, Medium)
		if declared {
			f.as(Inform, Low)
		}
		f.standing(s)
	})
}

// looksFor reports whether a command only looks for words in texts, or says them.
func looksFor(c *fact.Command) bool {
	switch c.Name {
	case "grep", "rg", "ag", "echo", "printf", "jq", "git", "which", "man", "alias":
		return len(c.Writes) == 0
	}
	return c.Has("--help", "--version")
}

// setsValue reports whether a command changes a setting.
func setsValue(c *fact.Command) bool {
	switch c.Name {
	case "sed", "tee", "defaults", "jq", "yq", "setx":
		return true
	}
	return slices.Contains(c.Args, "config") && (slices.Contains(c.Args, "set") || slices.Contains(c.Args, "add"))
}

// contained reports whether a command runs in a container or another machine that is
// made for it.
func contained(p *pass, c *fact.Command) bool {
	for i, n := c.Outer, 0; i >= 0 && n < 8; i, n = p.Commands[i].Outer, n+1 {
		switch o := &p.Commands[i]; o.Name {
		case "docker", "podman", "nerdctl", "bwrap", "firejail", "limactl", "sandbox-exec", "multipass":
			return true
		}
	}
	return c.Lang == "docker" || strings.Contains(strings.ToLower(c.Heading), "container") || strings.Contains(strings.ToLower(c.Heading), "sandbox")
}
