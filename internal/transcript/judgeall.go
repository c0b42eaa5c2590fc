package transcript

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// judgeAll says which rules the skill has, and what is left to be asked.
func (d *drafter) judgeAll() {
	x := d.draft
	var risky [][]string
	var exact []judged
	counts := map[string]int{}
	for _, it := range d.session.Items {
		// Also what failed or was refused counts here.
		if it.Call == nil || it.Call.Kind != Command {
			continue
		}
		parts, known := d.parsed[it.Call]
		if !known {
			parts, _, _ = ran(it.Call.Command)
		}
		for _, p := range parts {
			if p.risk != "" {
				risky = append(risky, p.words)
			}
		}
	}
	for _, a := range d.acts {
		c := a.call
		if c.ByUser {
			continue
		}
		switch c.Kind {
		case Command:
			if a.parts == nil {
				d.withhold(a.shape, "the command can not be read as one of a shell", a.risk)
			}
			for _, p := range a.parts {
				switch {
				case p.risk != "":
					d.withhold(d.clean.command(p.shape, 60), p.risk, p.risk)
				case p.reads:
				case p.rule == "" || c.Result.Failed:
					if p.why != "" {
						d.withhold(d.clean.command(p.shape, 60), p.why, "")
					}
				case p.exact:
					if !slices.ContainsFunc(exact, func(e judged) bool { return e.rule == p.rule }) {
						exact = append(exact, p)
						counts[p.shape]++
					}
				default:
					d.allow(p.rule)
				}
			}
		case Fetch:
			d.fetch(c)
		case Server:
			d.server(c)
		case Edit:
			d.withhold("changing files", "each change is shown to the user first", "")
		}
	}
	for _, p := range exact {
		// Where the same was done with other words each time, no rule for one of them is
		// of use.
		if counts[p.shape] > 2 || d.isArgument(p.words) || d.clean.command(strings.Join(p.words, " "), 400) != strings.Join(p.words, " ") {
			d.withhold(d.clean.command(p.shape, 60), "its arguments are others each time", "")
			continue
		}
		d.allow(p.rule)
	}
	x.Allowed = slices.DeleteFunc(x.Allowed, func(rule string) bool {
		return slices.ContainsFunc(risky, func(words []string) bool { return covers(rule, words) })
	})
	if len(x.Withheld) > maxWithheld {
		x.Withheld = x.Withheld[:maxWithheld]
	}
}

// covers reports whether a rule of ours allows a command.
func covers(rule string, words []string) bool {
	inner, ok := strings.CutPrefix(strings.TrimSuffix(rule, ")"), "Bash(")
	if !ok {
		return false
	}
	line := strings.Join(words, " ")
	if prefix, wide := strings.CutSuffix(inner, ":*"); wide {
		return line == prefix || strings.HasPrefix(line, prefix+" ")
	}
	return line == inner
}

func (d *drafter) allow(rule string) {
	if x := d.draft; !slices.Contains(x.Allowed, rule) {
		if len(x.Allowed) < maxRules {
			x.Allowed = append(x.Allowed, rule)
		} else {
			d.withhold(rule, "there are many rules already", "")
		}
	}
}

func (d *drafter) withhold(what, why, confirm string) {
	x := d.draft
	if len(x.Withheld) >= 10*maxWithheld {
		return
	}
	if what == "" || slices.ContainsFunc(x.Withheld, func(w Withheld) bool { return w.What == what }) {
		return
	}
	x.Withheld = append(x.Withheld, Withheld{What: what, Why: why, Confirm: confirm != ""})
}

// fetch allows the site of an address: a name of the public network and no address by
// number.
func (d *drafter) fetch(c *Call) {
	u, err := url.Parse(c.URL)
	host := ""
	if err == nil {
		host = u.Hostname()
	}
	_, numeric := netip.ParseAddr(host)
	plain := host != "" && len(host) < 80 && strings.Contains(host, ".") && strings.Trim(strings.ToLower(host), "abcdefghijklmnopqrstuvwxyz0123456789-.") == "" && !strings.HasSuffix(host, ".local") && !strings.HasSuffix(host, ".internal")
	if c.Tool != "WebFetch" || numeric == nil || !plain || u.User != nil || (u.Scheme != "https" && u.Scheme != "http") || c.Result.Failed || d.clean.secretWord(host) {
		d.withhold("reading from the web", "the address is none that every user can be expected to allow", "")
		return
	}
	d.allow("WebFetch(domain:" + strings.ToLower(host) + ")")
}

// server allows a tool of an MCP server whose name says that it only reads.
func (d *drafter) server(c *Call) {
	parts := strings.Split(c.Tool, "__")
	name := d.clean.path(c.Tool)
	if len(parts) < 3 || len(c.Tool) > 100 || name != c.Tool || strings.Trim(c.Tool, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		d.withhold(name, "its name is none that a rule can have", "")
		return
	}
	verb := strings.ToLower(parts[len(parts)-1])
	for _, reads := range []string{"get", "list", "search", "read", "find", "view", "show", "describe"} {
		if (verb == reads || strings.HasPrefix(verb, reads+"_") || strings.HasPrefix(verb, reads+"-")) && !c.Result.Failed && !actsByName(verb) {
			d.allow(c.Tool)
			return
		}
	}
	d.withhold(name, "what it does is known to its server only", riskSends)
}

// actsByName reports whether a name has a word for more than reading.
func actsByName(name string) bool {
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' }) {
		switch word {
		case "delete", "remove", "update", "create", "write", "set", "add", "send", "merge", "replace", "or", "and", "drop", "execute", "run":
			return true
		}
	}
	return false
}
