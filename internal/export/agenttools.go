package export

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
)

// agentTools writes what an agent may use: its list less what is taken from it, which
// is known before anything is written. What the host can not be told so that the
// agent gets no more than it had is not exported at all.
func (f *fielder) agentTools() {
	x := f.p.Export.Tools
	a := allowedOf(f.it, x != nil && x.Rules, f.carried)
	if a.all && len(a.denied) == 0 && len(a.ruled) == 0 {
		return
	}
	list, less := f.entry(definition.FieldTools), f.entry(definition.FieldDisallowedTools)
	e := cmp.Or(list, less, a.plan, a.permission)
	line := f.it.entryLine(e)
	for _, entry := range []*definition.Entry{list, less} {
		if entry != nil && Secret(entry) {
			f.refuse(line, LossSecret, entry.Key+" may hold a secret", "take it out, and renew what was written down")
			return
		}
	}
	for _, w := range a.widened {
		f.lose(line, LossTool, fmt.Sprintf("%s takes no such rule with a tool: the whole tool of %s is denied there", f.p.Name, w), "")
	}
	if a.plan != nil && (x == nil || x.ReadOnly == nil) {
		f.lose(line, LossTool, fmt.Sprintf("%s has no field like %s in %s: it gets only tools that change nothing", f.p.Name, a.plan.Key, chars.WithArticle(f.kind.String())), "")
	}
	rule, ok := f.rule(definition.FieldTools)
	if x != nil && x.Form == host.ToolSwitches {
		rule, ok = f.p.Rule(f.kind, x.Key)
	}
	if !ok || x == nil || x.Name == nil || rule.Inert {
		f.unlisted(e, line, &a)
		return
	}
	if x.Form == host.ToolSwitches {
		if a.all {
			f.switches(rule.Key, f.toolWords(a.denied, line, true), false)
		} else {
			f.switches(rule.Key, f.apart(f.toolWords(a.words, line, false), &a, line), true)
		}
		return
	}
	denies, can := f.rule(definition.FieldDisallowedTools)
	can = can && !denies.Inert
	words := a.words
	switch {
	case a.all && can:
	case a.all:
		f.lose(line, LossTool, fmt.Sprintf("%s takes no %s in %s: it gets a list of the other tools, which has none of a server", f.p.Name, e.Key, chars.WithArticle(f.kind.String())), "")
		quiet := fielder{loser: loser{it: f.it}, p: f.p, kind: f.kind}
		words = f.apart(quiet.toolWords(a.less(host.AllTools()), line, false), &a, line)
	default:
		words = f.apart(f.toolWords(words, line, false), &a, line)
	}
	if !a.all || !can {
		if len(words) == 0 && rule.Takes&host.TakesList == 0 {
			f.refuse(line, LossTool, fmt.Sprintf("%s has none of the tools, and can not be told that it may use none", f.p.Name), "name tools of the host: see docs/export.md")
			return
		}
		f.listed(list, rule, words)
	}
	if taken := slices.Concat(a.denied, a.ruled); can && len(taken) > 0 {
		f.listed(less, denies, f.toolWords(taken, line, true))
	}
}

// carried reports whether the host has a field and does what it says.
func (f *fielder) carried(e *definition.Entry) bool {
	if x := f.p.Export.Tools; ReadOnly(e) && x != nil && x.ReadOnly != nil {
		// It goes with the tools.
		return false
	}
	if f.p.Export.Keeps && Leave(e) == "" {
		return true
	}
	if field := definition.LookupField(e.Key); field != 0 {
		r, ok := f.rule(field)
		return ok && !r.Inert
	}
	r, ok := f.p.Rule(f.kind, e.Key)
	return ok && !r.Inert && Leave(e) == ""
}

// listed sets a list of tools, in the form that it had where that says the same.
func (f *fielder) listed(e *definition.Entry, rule host.FieldRule, words []string) {
	lists := rule.Takes&host.TakesList != 0 && (f.p.Dialect.Rejects&host.RejectFlow == 0 || len(words) == 0)
	switch {
	case e != nil && e.Value.Kind != definition.Map && (lists || e.Value.Kind != definition.List) && host.TakesKind(e.Value.Kind)&rule.Takes != 0 &&
		slices.Equal(words, toolsOf(e.Value).words):
		f.set(rule.Key, e.Value)
	case lists:
		f.set(rule.Key, ListOf(words))
	default:
		f.setText(rule.Key, strings.Join(words, " "))
	}
}

// apart takes out the host's words that stand for a tool which is denied as well.
func (f *fielder) apart(words []string, a *allowed, line int) []string {
	x := f.p.Export.Tools
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		base, _, _ := strings.Cut(w, "(")
		for _, n := range host.AllTools() {
			if x.Name(n) == base && a.denies(n) {
				f.lose(line, LossTool, fmt.Sprintf("%s has one word, %s, for what is allowed and what is denied (%s): it is left out", f.p.Name, base, n), "")
				return true
			}
		}
		return false
	})
}

// unlisted says what becomes of an agent whose tools the host takes no list of.
func (f *fielder) unlisted(e *definition.Entry, line int, a *allowed) {
	x := f.p.Export.Tools
	message := fmt.Sprintf("%s takes no %s in %s", f.p.Name, e.Key, chars.WithArticle(f.kind.String()))
	switch {
	case x != nil && x.ReadOnly != nil && a.looks():
		f.set(x.ReadOnly.Key, x.ReadOnly.Value)
		if key := folded(e.Key); key == "readonly" || key == "sandboxmode" {
			return
		}
		f.lose(line, LossTool, fmt.Sprintf("%s takes no list of tools: none of these writes, and so it is told that with %s", f.p.Name, x.ReadOnly.Key), "")
	case a.everything():
		f.widen(line, LossTool, message+": it may use all tools", "deny the others in the host's settings")
	default:
		fix := "give it Bash, if it may do all, or only tools that do not write; or write the agent for the host by hand"
		if denied := slices.Concat(a.denied, a.ruled); len(denied) > 0 {
			fix = "give it a list of tools that do not write; or write the agent for the host by hand, and deny " + strings.Join(denied, ", ") + " in the host's settings"
		}
		f.refuse(line, LossTool, message+", and the agent would get tools that it is not to have: it is left out", fix)
	}
}
