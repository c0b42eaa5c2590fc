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

// agentTools writes the tools that the agent may use. It refuses to export the agent if the host
// cannot restrict the agent to these tools.
func (f *fielder) agentTools() {
	x := f.p.Export.Tools
	a := allowedOf(f.it, x != nil && x.Rules, f.supported)
	if a.all && len(a.denied) == 0 && len(a.ruled) == 0 {
		return
	}
	tools, disallowed := f.entry(definition.FieldTools), f.entry(definition.FieldDisallowedTools)
	e := cmp.Or(tools, disallowed, a.plan, a.permission)
	line := f.it.entryLine(e)
	for _, entry := range []*definition.Entry{tools, disallowed} {
		if entry != nil && Secret(entry) {
			f.refuse(line, LossSecret, entry.Key+" may contain a secret", "remove the secret and rotate it")
			return
		}
	}
	for _, w := range a.widened {
		f.reportLoss(line, LossTool, fmt.Sprintf("%s does not support tool rules, so the whole tool is denied instead of %s", f.p.Name, w), "")
	}
	if a.plan != nil && (x == nil || x.ReadOnly == nil) {
		f.reportLoss(line, LossTool, fmt.Sprintf("%s has no equivalent of the field %s for %s, so the agent gets only read-only tools", f.p.Name, a.plan.Key, chars.WithArticle(f.kind.String())), "")
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
			f.switches(rule.Key, f.withoutDenied(f.toolWords(a.words, line, false), &a, line), true)
		}
		return
	}
	denies, canDeny := f.rule(definition.FieldDisallowedTools)
	canDeny = canDeny && !denies.Inert
	words := a.words
	switch {
	case a.all && canDeny:
	case a.all:
		f.reportLoss(line, LossTool, fmt.Sprintf("%s does not support the field %s for %s, so all other tools except MCP server tools are listed instead", f.p.Name, e.Key, chars.WithArticle(f.kind.String())), "")
		quiet := fielder{lossList: &lossList{it: f.it}, p: f.p, kind: f.kind}
		words = f.withoutDenied(quiet.toolWords(a.without(host.AllTools()), line, false), &a, line)
	default:
		words = f.withoutDenied(f.toolWords(words, line, false), &a, line)
	}
	if !a.all || !canDeny {
		if len(words) == 0 && rule.Takes&host.TakesList == 0 {
			f.refuse(line, LossTool, fmt.Sprintf("%s has none of these tools and cannot express an empty list", f.p.Name), "list tools that the host has; see: vade help export-tables")
			return
		}
		f.listed(tools, rule, words)
	}
	if taken := slices.Concat(a.denied, a.ruled); canDeny && len(taken) > 0 {
		f.listed(disallowed, denies, f.toolWords(taken, line, true))
	}
}

// supported reports whether the host honors the field if it is exported unchanged.
func (f *fielder) supported(e *definition.Entry) bool {
	if x := f.p.Export.Tools; ReadOnly(e) && x != nil && x.ReadOnly != nil {
		// The exported tool list already reflects this field.
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

// listed sets the rule's field to a list of tools. It keeps the value in entry e if that value
// lists the same tools in a form that the host accepts.
func (f *fielder) listed(e *definition.Entry, rule host.FieldRule, words []string) {
	lists := rule.Takes&host.TakesList != 0 && (f.p.Dialect.Rejects&host.RejectFlow == 0 || len(words) == 0)
	switch {
	case e != nil && e.Value.Kind != definition.Map && (lists || e.Value.Kind != definition.List) &&
		host.TakesKind(e.Value.Kind)&rule.Takes != 0 &&
		slices.Equal(words, toolsOf(e.Value).words):
		f.set(rule.Key, e.Value)
	case lists:
		f.set(rule.Key, definition.ListValue(words))
	default:
		f.setText(rule.Key, strings.Join(words, " "))
	}
}

// withoutDenied removes from words every name that the host uses for a denied tool as well as for
// an allowed one. It reports each removed name as a loss.
func (f *fielder) withoutDenied(words []string, a *allowed, line int) []string {
	x := f.p.Export.Tools
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		base, _, _ := strings.Cut(w, "(")
		for _, n := range host.AllTools() {
			if x.Name(n) == base && a.denies(n) {
				f.reportLoss(line, LossTool, fmt.Sprintf("%s uses the name %s for both an allowed tool and the denied tool %s, so the name is omitted", f.p.Name, base, n), "")
				return true
			}
		}
		return false
	})
}

// unlisted handles an agent that restricts its tools when the host does not support tool lists.
func (f *fielder) unlisted(e *definition.Entry, line int, a *allowed) {
	x := f.p.Export.Tools
	message := fmt.Sprintf("%s does not support the field %s for %s", f.p.Name, e.Key, chars.WithArticle(f.kind.String()))
	switch {
	case x != nil && x.ReadOnly != nil && a.isReadOnly():
		f.set(x.ReadOnly.Key, x.ReadOnly.Value)
		if key := foldKey(e.Key); key == "readonly" || key == "sandboxmode" {
			return
		}
		f.reportLoss(line, LossTool, fmt.Sprintf("%s does not support tool lists; none of these tools writes files, so %s is set instead", f.p.Name, x.ReadOnly.Key), "")
	case a.allowsEverything():
		f.reportWidening(line, LossTool, message+", so the agent may use all tools", "deny the other tools in the host's settings")
	default:
		fix := "add Bash if the agent may do everything, list only read-only tools, or write the host's agent file by hand"
		if denied := slices.Concat(a.denied, a.ruled); len(denied) > 0 {
			fix = "list only read-only tools, or write the host's agent file by hand and deny " + strings.Join(denied, ", ") + " in the host's settings"
		}
		f.refuse(line, LossTool, message+"; the agent is omitted because it would get tools that it must not have", fix)
	}
}
