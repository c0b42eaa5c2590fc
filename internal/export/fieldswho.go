package export

import (
	"fmt"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
)

// callers writes who may call. What is the host's way anyway is left out.
func (f *fielder) callers(e *definition.Entry, field definition.Field) {
	on, problem := frontmatter.Bool(e.Value)
	if problem != "" {
		f.without(e, LossField)
		return
	}
	if r, ok := f.rule(field); ok {
		f.set(r.Key, truth(on))
		return
	}
	manual := field == definition.FieldDisableModelInvocation
	switch {
	case on != manual:
	case manual && f.p.Export.Manual != nil && f.kind == definition.Skill:
	case manual && f.kind == definition.Command && f.p.Listing != nil && !f.p.Listing.Commands:
		// Its commands are for people alone.
	case manual && f.kind == definition.Agent && f.primary():
	case manual:
		f.widen(f.it.entryLine(e), LossActivation, fmt.Sprintf("%s lets its model use the %s too", f.p.Name, f.kind), "say in the description that it is for people")
	default:
		f.widen(f.it.entryLine(e), LossActivation, fmt.Sprintf("%s lets people call the %s too", f.p.Name, f.kind), "")
	}
}

// primary writes that only people choose an agent, where that is one of the host's modes.
func (f *fielder) primary() bool {
	r, ok := f.rule(definition.FieldMode)
	if ok = ok && slices.Contains(r.Words, "primary"); ok {
		f.setText(r.Key, "primary")
	}
	return ok
}

// fork writes that it runs in a conversation of its own.
func (f *fielder) fork(e *definition.Entry, field definition.Field) {
	if field == definition.FieldContext && e.Value.Text != "fork" {
		return
	}
	if on, problem := frontmatter.Bool(e.Value); field == definition.FieldSubtask && (problem != "" || !on) {
		return
	}
	if r, ok := f.rule(definition.FieldContext); ok {
		f.setText(r.Key, "fork")
	} else if r, ok := f.rule(definition.FieldSubtask); ok {
		f.set(r.Key, truth(true))
	} else {
		f.without(e, LossField)
	}
}

// agent writes the agent that runs a command, and of an agent its mode.
func (f *fielder) agent(e *definition.Entry, field definition.Field) {
	if field == definition.FieldMode && f.kind != definition.Agent {
		field = definition.FieldAgent
	}
	r, ok := f.rule(field)
	if prompt := f.it.Syntax != nil && f.it.Syntax.Inputs; ok && prompt && !(f.syntax != nil && f.syntax.Inputs) {
		// Those of the editor itself are no agents of another host.
		ok = !slices.Contains([]string{"ask", "edit", "agent", "plan"}, e.Value.Text)
	}
	switch {
	case ok:
		f.plain(e, r)
		fork := f.entry(definition.FieldContext)
		if _, only := f.rule(definition.FieldContext); only && (fork == nil || fork.Value.Text != "fork") && f.entry(definition.FieldSubtask) == nil {
			f.lose(f.it.entryLine(e), LossField, fmt.Sprintf("%s does nothing with %s in %s without context: fork", f.p.Name, e.Key, chars.WithArticle(f.kind.String())), "write context: fork")
		}
	case f.kind == definition.Agent && e.Value.Text == "primary":
		f.callers(&definition.Entry{Key: e.Key, KeySpan: e.KeySpan, Value: truth(true)}, definition.FieldDisableModelInvocation)
	default:
		f.without(e, LossField)
	}
}

// servers are not written: each host has its own form for them, and they may hold
// secrets. Names of servers are no more than names.
func (f *fielder) servers(e *definition.Entry) {
	if r, ok := f.rule(definition.FieldMCPServers); ok && Leave(e) == "" && e.Value.Kind != definition.Map && r.Takes&host.TakesList != 0 {
		f.plain(e, r)
		return
	}
	if r, ok := f.rule(definition.FieldMCPServers); ok && !r.Inert && f.kind == definition.Agent {
		f.lose(f.it.entryLine(e), LossField, fmt.Sprintf("%s takes servers in an agent, but %s start programs and may hold secrets: they are not carried over", f.p.Name, e.Key),
			fmt.Sprintf("write them into the host's file, or under %s in the agent there: vade mcp list --as %s has its form", r.Key, f.p.Name))
		return
	}
	f.lose(f.it.entryLine(e), LossField, fmt.Sprintf("%s takes no MCP servers in %s", f.p.Name, chars.WithArticle(f.kind.String())), "give the host the servers: vade mcp list --as "+f.p.Name)
}
