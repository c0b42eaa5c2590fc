package rules

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
)

// toolRules looks for rules that no call of a tool can match, by the grammar of
// the hosts that check commands (Claude Code 2.1.329, table of rules p1 to p23,
// formats dossier, section 3.10).
func toolRules(p *pass) {
	judges := filter(p.Readers, func(h *host.Profile) bool { return h.Permission != nil })
	if len(judges) == 0 {
		return
	}
	for _, f := range []definition.Field{definition.FieldAllowedTools, definition.FieldDisallowedTools} {
		e := p.field(f)
		if e == nil {
			continue
		}
		rules, _ := frontmatter.Rules(e.Value)
		for _, r := range rules {
			why, fix := unmatchable(r)
			if why == "" {
				continue
			}
			p.at(p.within(e.Value.Span, r), "the rule %q matches nothing: %s", r, why).fix(fix).about(judges)
		}
	}
}

// within returns where a text stands in a range of the file, or the range.
func (p *pass) within(s diag.Span, text string) diag.Span {
	if i := strings.Index(string(p.File.Data[s.Start:s.End]), text); i >= 0 && text != "" {
		return diag.Span{Start: s.Start + i, End: s.Start + i + len(text)}
	}
	return s
}

// unmatchable says why a rule can match no call, or "", and what to write.
func unmatchable(rule string) (why, fix string) {
	open := strings.IndexByte(rule, '(')
	tool := rule
	if open >= 0 {
		tool = rule[:open]
	}
	switch {
	case rule == "*":
		return "a star alone is no tool", "name the tools"
	case tool != "" && strings.EqualFold(tool, "bash") && tool != "Bash":
		return "names of tools have capitals", "write Bash"
	case open < 0 && strings.Contains(rule, ")"), open >= 0 && !strings.HasSuffix(rule, ")"):
		return "its parentheses are not closed", "write it as Tool(pattern)"
	}
	if tool != "Bash" || open < 0 {
		return "", ""
	}
	pattern := rule[open+1 : len(rule)-1]
	if i := strings.Index(pattern, ":*"); i >= 0 && i+2 < len(pattern) {
		return `":*" ends a pattern, and something follows it`, "write Bash(" + pattern[:i] + ":*)"
	}
	for _, operator := range []string{"&&", "||", ";", "|"} {
		if strings.Contains(pattern, operator) {
			return "the commands of a line are matched one by one, and it has " + operator, "write a rule for each command"
		}
	}
	return "", ""
}

func filter(hosts []*host.Profile, keep func(*host.Profile) bool) []*host.Profile {
	var list []*host.Profile
	for _, h := range hosts {
		if keep(h) {
			list = append(list, h)
		}
	}
	return list
}
