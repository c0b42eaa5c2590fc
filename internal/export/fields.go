package export

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

type fielder struct {
	*lossList
	p     *host.Profile
	kind  definition.Kind
	place *host.ExportPlace
	// hostName is the item's name in the host.
	hostName string
	// names lists the argument names to declare in the frontmatter.
	names  []string
	syntax *host.Syntax
	// inputNames lists the named arguments in the exported body, if the host supports them.
	inputNames []string
	out        []definition.Entry
	// reformatted reports whether the host requires a different form for at least one field.
	reformatted bool
	// refused reports whether the definition cannot be exported safely. A loss gives the reason.
	refused bool
}

// refuse adds a loss and marks the definition as refused, unless the host reads the source in
// place.
func (f *fielder) refuse(line int, what, message, fix string) {
	f.reportLoss(line, what, message, fix)
	if f.refused = !f.it.InPlace; !f.refused {
		return
	}
	for i := range f.losses {
		if f.losses[i].What == what && f.losses[i].Message == message {
			f.losses[i].Whole = true
		}
	}
}

// rule returns the host's rule for a field. If there are several, it prefers one that has an
// effect. It returns false if the host does not support the field or the export drops it.
func (f *fielder) rule(field definition.Field) (host.FieldRule, bool) {
	var found host.FieldRule
	ok := false
	for _, r := range f.p.Table(f.kind) {
		if r.Field != field || r.InTOML || ok && (r.Inert || !found.Inert) {
			continue
		}
		found, ok = r, true
	}
	if f.p.Export.Drops != nil && f.p.Export.Drops(f.kind, field) {
		return found, false
	}
	return found, ok
}

func (f *fielder) set(key string, v definition.Value) {
	for i := range f.out {
		if f.out[i].Key == key {
			f.out[i].Value = v
			return
		}
	}
	f.out = append(f.out, definition.Entry{Key: key, Value: v})
}

func (f *fielder) setText(key, s string) {
	f.set(key, definition.StringValue(s))
}

func (f *fielder) fields() []definition.Entry {
	if f.place.Name {
		f.setText("name", f.hostName)
	}
	f.description()
	if f.it.Kind == definition.Agent {
		f.agentTools()
	}
	if hiddenFromModel(f.it) && !f.manual() {
		f.callers(&definition.Entry{Value: definition.BoolValue(true)}, definition.FieldDisableModelInvocation)
	}
	seen := map[definition.Field]bool{}
	for i := range f.it.Entries {
		e := &f.it.Entries[i]
		field := definition.LookupField(e.Key)
		if e.Value.Kind == definition.Null || field != 0 && seen[field] || isBody(f.it, e.Key) {
			continue
		}
		seen[field] = true
		before := len(f.losses)
		f.field(e, field)
		if widening := Unguarded(f.kind, e); widening != "" {
			for i := range f.losses[before:] {
				l := &f.losses[before+i]
				l.Widens, l.Message = true, l.Message+", so "+widening
			}
		}
	}
	if f.it.Kind == definition.Command && f.kind == definition.Skill && !seen[definition.FieldDisableModelInvocation] {
		// Only users may invoke commands.
		if r, ok := f.rule(definition.FieldDisableModelInvocation); ok {
			f.set(r.Key, definition.BoolValue(true))
		}
	}
	f.hint()
	if r, ok := f.rule(definition.FieldArguments); ok && f.syntax != nil && f.syntax.Named && len(f.names) > 0 {
		f.set(r.Key, definition.ListValue(f.names))
	}
	return f.out
}

// isBody reports whether a key holds the body in a TOML file.
func isBody(it *Item, key string) bool {
	return it.Format == definition.TOML && (key == "prompt" || key == "developer_instructions")
}

// description writes the description, followed by when_to_use if the host has no such field.
func (f *fielder) description() {
	r, ok := f.rule(definition.FieldDescription)
	desc, whenToUse := f.entry(definition.FieldDescription), f.entry(definition.FieldWhenToUse)
	s := ""
	if desc != nil {
		s, _ = frontmatter.Text(desc.Value)
		if Secret(desc) {
			f.refuse(f.it.entryLine(desc), LossSecret, "the description may contain a secret", "remove the secret and rotate it")
		}
	}
	if !ok {
		return
	}
	s = strings.TrimSpace(s)
	if s == "" && (r.Required || f.it.Kind != f.kind) {
		if s = strings.TrimSpace(f.it.Description); s == "" {
			s = f.it.Name
		}
	}
	if _, has := f.rule(definition.FieldWhenToUse); !has && whenToUse != nil {
		if w, _ := frontmatter.Text(whenToUse.Value); strings.TrimSpace(w) != "" {
			s = strings.TrimPrefix(s+" - "+strings.TrimSpace(w), " - ")
		}
	}
	if s == "" {
		return
	}
	if r.TooLong(s) && r.Long != host.Warns {
		line := 0
		if desc != nil {
			line = f.it.entryLine(desc)
		}
		f.reportLoss(line, LossField, fmt.Sprintf("%s limits descriptions to %d characters, so the description is truncated", f.p.Name, r.Max), "shorten it")
		s = r.Shorten(s, "…")
	}
	if clean := f.p.DescriptionRules(f.kind).Clean; clean != nil && strings.Join(strings.Fields(clean(s)), " ") != strings.Join(strings.Fields(s), " ") {
		line := 0
		if desc != nil {
			line = f.it.entryLine(desc)
		}
		f.reportLoss(line, LossField, fmt.Sprintf("%s removes part of the description, such as text in angle brackets", f.p.Name), "rewrite that part")
	}
	f.setText(r.Key, s)
}

// entry returns the first non-null entry for a field, or nil.
func (f *fielder) entry(field definition.Field) *definition.Entry { return entryOf(f.it, field) }

func entryOf(it *Item, field definition.Field) *definition.Entry {
	for i := range it.Entries {
		if definition.LookupField(it.Entries[i].Key) == field && it.Entries[i].Value.Kind != definition.Null {
			return &it.Entries[i]
		}
	}
	return nil
}

func (f *fielder) field(e *definition.Entry, field definition.Field) {
	if field != definition.FieldDescription && Secret(e) {
		f.reportLoss(f.it.entryLine(e), LossSecret, e.Key+" may contain a secret and is omitted", "use an environment variable instead, and rotate the secret")
		return
	}
	if why := Leave(e); why != "" && field != definition.FieldMCPServers {
		f.reportLoss(f.it.entryLine(e), LossField, fmt.Sprintf("the field %s %s and is not exported", e.Key, why), FixInFile)
		return
	}
	switch field {
	case 0:
		f.unknown(e)
	case definition.FieldDescription:
	case definition.FieldWhenToUse:
		if r, ok := f.rule(field); ok {
			f.plain(e, r)
		} else if f.it.InPlace {
			f.unsupportedField(e, LossField)
		}
	case definition.FieldName:
		f.name(e)
	case definition.FieldTools, definition.FieldAllowedTools, definition.FieldDisallowedTools:
		if f.it.Kind != definition.Agent || field == definition.FieldAllowedTools {
			f.tools(e, field)
		}
	case definition.FieldModel:
		f.model(e)
	case definition.FieldArguments:
		f.arguments(e)
	case definition.FieldPaths, definition.FieldGlobs, definition.FieldApplyTo:
		f.paths(e)
	case definition.FieldUserInvocable, definition.FieldDisableModelInvocation:
		f.callers(e, field)
	case definition.FieldContext, definition.FieldSubtask:
		f.fork(e, field)
	case definition.FieldAgent, definition.FieldMode:
		f.agent(e, field)
	case definition.FieldMCPServers:
		f.servers(e)
	default:
		if r, ok := f.rule(field); ok {
			f.plain(e, r)
			return
		}
		if ReadOnly(e) && f.kind == definition.Agent {
			// The exported tool list already reflects this field.
			return
		}
		f.unsupportedField(e, LossField)
	}
}

// unsupportedField handles a field that the host does not support. It reports the loss or, if the
// host's export keeps all fields, writes the field unchanged.
func (f *fielder) unsupportedField(e *definition.Entry, what string) {
	if f.p.Export.Keeps {
		f.set(e.Key, e.Value)
		return
	}
	fix := "remove the field, or describe it in the body"
	if Unguarded(f.kind, e) != "" {
		fix = "set it in the host's settings, or remove the field"
	}
	f.reportLoss(f.it.entryLine(e), what, fmt.Sprintf("%s has no equivalent of the field %s for %s", f.p.Name, e.Key, chars.WithArticle(f.kind.String())), fix)
}

func (f *fielder) unknown(e *definition.Entry) {
	on, problem := frontmatter.Bool(e.Value)
	switch r, ok := f.p.Rule(f.kind, e.Key); {
	case ok && r.Field == 0 && !r.InTOML:
		f.plain(e, r)
	case f.p.Export.Keeps:
		f.unsupportedField(e, LossField)
	case f.kind != definition.Agent:
		f.unsupportedField(e, LossField)
	case ReadOnly(e):
		// The exported tool list already reflects this field.
	case foldKey(e.Key) == "infer" && problem == "":
		f.callers(&definition.Entry{Key: e.Key, KeySpan: e.KeySpan, Value: definition.BoolValue(!on)},
			definition.FieldDisableModelInvocation)
	case SwitchesOff(e):
		f.refuse(f.it.entryLine(e), LossField, fmt.Sprintf("the agent is disabled with %s, which %s does not support, so the agent is omitted", e.Key, f.p.Name), "remove the field to export the agent")
	default:
		if t, _, ok := permission(e); ok && Leave(e) == "" && !contains(e.Value, "ask", 0) && (len(t.words) > 0 || len(t.off) > 0) {
			// The exported tool list already reflects this field.
			return
		}
		f.unsupportedField(e, LossField)
	}
}

// name writes the name field for hosts that derive a definition's name from its path. All copies of
// a skill must spell the name in the same way, because other hosts that read the directory take the
// name from this field. For example, Copilot CLI 1.0.102 reports REST-API-Design and
// rest-api-design as ambiguous. For the same reason, name keeps the source's spelling if a host
// reads the source in place.
func (f *fielder) name(e *definition.Entry) {
	name, _ := frontmatter.Text(e.Value)
	if f.place.Name || name == "" {
		return
	}
	if r, ok := f.rule(definition.FieldName); ok && fits(&r, name) && !(f.p.NameField != nil && f.p.NameField(f.kind)) {
		if f.kind != definition.Skill || name == f.hostName || readInPlace(f.it) {
			f.plain(e, r)
			return
		}
		f.setText(r.Key, f.hostName)
		why := "because other hosts also read the file and take the name from it"
		f.reportLoss(f.it.entryLine(e), LossName, fmt.Sprintf("the display name %q is replaced by %s, %s", name, f.hostName, why), "")
		return
	}
	if name != f.it.Name {
		f.unsupportedField(e, LossName)
	}
}

// readInPlace reports whether any host reads a skill's SKILL.md at its current path.
func readInPlace(it *Item) bool {
	return path.Base(it.At) == "SKILL.md" &&
		slices.ContainsFunc(registry.Hosts(), func(p *host.Profile) bool { return p.ReadsFile(it.At) })
}

func (f *fielder) model(e *definition.Entry) {
	r, ok := f.rule(definition.FieldModel)
	line := f.it.entryLine(e)
	var names []string
	if e.Value.Kind == definition.List {
		names, _ = frontmatter.Strings(e.Value)
	} else if s, _ := frontmatter.Text(e.Value); s != "" {
		names = []string{strings.TrimSpace(s)}
	}
	for _, n := range names {
		if n == "" {
			continue
		}
		if name, known := f.p.Export.Model(n); known {
			switch {
			case name == "":
			case ok:
				f.setText(r.Key, name)
			default:
				f.unsupportedField(e, LossModel)
			}
			return
		}
	}
	if len(names) > 0 {
		f.reportLoss(line, LossModel, fmt.Sprintf("%s has no known equivalent of the model %s, so the session's model is used", f.p.Name, strings.Join(names, ", ")), "choose a model in the host")
	}
}

// arguments writes the arguments field if the host supports placeholders that refer to arguments by
// name.
func (f *fielder) arguments(e *definition.Entry) {
	switch {
	case f.syntax != nil && f.syntax.Named:
		if r, ok := f.rule(definition.FieldArguments); ok && len(f.names) == 0 {
			f.plain(e, r)
		}
	case f.syntax == nil || !f.syntax.Positions && !f.syntax.Inputs:
		f.unsupportedField(e, LossArgument)
	}
}

func (f *fielder) paths(e *definition.Entry) {
	globs, _ := frontmatter.Globs(e.Value)
	if len(globs) == 0 {
		return
	}
	for _, field := range []definition.Field{definition.FieldPaths, definition.FieldGlobs} {
		if r, ok := f.rule(field); ok {
			if r.Takes&host.TakesList != 0 {
				f.set(r.Key, definition.ListValue(globs))
			} else {
				f.setText(r.Key, strings.Join(globs, ","))
			}
			return
		}
	}
	f.reportLoss(f.it.entryLine(e), LossActivation, fmt.Sprintf("%s cannot activate %s by file pattern, so the definition is always available", f.p.Name, chars.WithArticle(f.kind.String())), "say in the description when to use it")
}

// plain writes a field's value in a form that the host's rule allows. If there is no such form, it
// reports a loss.
func (f *fielder) plain(e *definition.Entry, r host.FieldRule) {
	v, problem := shaped(&r, definition.LookupField(e.Key), e.Value)
	if problem != "" {
		f.reportLoss(f.it.entryLine(e), LossField, fmt.Sprintf("%s: %s %s", f.p.Name, e.Key, problem), "change or remove the field")
		return
	}
	f.set(r.Key, v)
}

// ordered moves the name and description fields to the front.
func ordered(list []definition.Entry) []definition.Entry {
	rank := func(key string) int {
		switch key {
		case "name":
			return 0
		case "description":
			return 1
		}
		return 2
	}
	slices.SortStableFunc(list, func(a, b definition.Entry) int { return cmp.Compare(rank(a.Key), rank(b.Key)) })
	return list
}
