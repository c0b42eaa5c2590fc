package export

import (
	"fmt"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
)

// callers writes the fields that determine who may invoke the definition. It
// omits values that are the host's default.
func (f *fielder) callers(e *definition.Entry, field definition.Field) {
	on, problem := frontmatter.Bool(e.Value)
	if problem != "" {
		f.unsupportedField(e, LossField)
		return
	}
	if r, ok := f.rule(field); ok {
		f.set(r.Key, definition.BoolValue(on))
		return
	}
	manual := field == definition.FieldDisableModelInvocation
	switch {
	case on != manual:
	case manual && f.p.Export.Manual != nil && f.kind == definition.Skill:
	case manual && f.kind == definition.Command && f.p.Listing != nil && !f.p.Listing.Commands:
		// In this host, only users can invoke commands.
	case manual && f.kind == definition.Agent && f.primary():
	case manual:
		f.reportWidening(f.it.entryLine(e), LossActivation, fmt.Sprintf("in %s, the model can also use the %s", f.p.Name, f.kind), "say in the description that only users should use it")
	default:
		f.reportWidening(f.it.entryLine(e), LossActivation, fmt.Sprintf("%s also lets users invoke the %s", f.p.Name, f.kind), "")
	}
}

// primary restricts an agent so that only users can select it. It returns false if the host has no
// mode for this.
func (f *fielder) primary() bool {
	r, ok := f.rule(definition.FieldMode)
	if ok = ok && slices.Contains(r.Words, "primary"); ok {
		f.setText(r.Key, "primary")
	}
	return ok
}

// fork makes the definition run in its own conversation.
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
		f.set(r.Key, definition.BoolValue(true))
	} else {
		f.unsupportedField(e, LossField)
	}
}

// agent writes the field that selects the agent that runs a command or, for an agent, the field
// that sets its mode.
func (f *fielder) agent(e *definition.Entry, field definition.Field) {
	if field == definition.FieldMode && f.kind != definition.Agent {
		field = definition.FieldAgent
	}
	r, ok := f.rule(field)
	if prompt := f.it.Syntax != nil && f.it.Syntax.Inputs; ok && prompt && !(f.syntax != nil && f.syntax.Inputs) {
		// These values name built-in modes of the editor, not agents.
		ok = !slices.Contains([]string{"ask", "edit", "agent", "plan"}, e.Value.Text)
	}
	switch {
	case ok:
		f.plain(e, r)
		fork := f.entry(definition.FieldContext)
		if _, only := f.rule(definition.FieldContext); only && (fork == nil || fork.Value.Text != "fork") && f.entry(definition.FieldSubtask) == nil {
			f.reportLoss(f.it.entryLine(e), LossField, fmt.Sprintf("%s ignores %s in %s without context: fork", f.p.Name, e.Key, chars.WithArticle(f.kind.String())), "add context: fork")
		}
	case f.kind == definition.Agent && e.Value.Text == "primary":
		f.callers(&definition.Entry{Key: e.Key, KeySpan: e.KeySpan, Value: definition.BoolValue(true)},
			definition.FieldDisableModelInvocation)
	default:
		f.unsupportedField(e, LossField)
	}
}

// servers writes the names of an agent's servers. It omits their definitions, because their format
// differs between hosts and definitions may contain secrets.
func (f *fielder) servers(e *definition.Entry) {
	if r, ok := f.rule(definition.FieldMCPServers); ok && Leave(e) == "" && e.Value.Kind != definition.Map && r.Takes&host.TakesList != 0 {
		f.plain(e, r)
		return
	}
	if r, ok := f.rule(definition.FieldMCPServers); ok && !r.Inert && f.kind == definition.Agent {
		f.reportLoss(f.it.entryLine(e), LossField, fmt.Sprintf("%s supports servers in an agent, but servers in %s start programs and may contain secrets, so they are not exported", f.p.Name, e.Key),
			fmt.Sprintf("add them to the host's settings file, or under %s in the host's agent file", r.Key))
		return
	}
	f.reportLoss(f.it.entryLine(e), LossField, fmt.Sprintf("%s does not support MCP servers in %s", f.p.Name, chars.WithArticle(f.kind.String())), "configure the servers in the host")
}
