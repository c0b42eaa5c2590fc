package export

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
)

// fielder writes the fields of one item.
type fielder struct {
	loser
	p     *host.Profile
	kind  definition.Kind
	place *host.ExportPlace
	// names are the arguments that the body needs declared.
	names  []string
	syntax *host.Syntax
	// typed are the names of arguments that the body takes by name.
	typed []string
	out   []definition.Entry
	// reworded: the host reads a field in another form only than the source has it in.
	reworded bool
	// refused: nothing is exported, as the last of the losses says.
	refused bool
}

// refuse notes that the definition can not be exported without harm.
func (f *fielder) refuse(line int, what, message, fix string) {
	f.lose(line, what, message, fix)
	if f.refused = !f.it.Stays; !f.refused {
		return
	}
	for i := range f.list {
		if f.list[i].What == what && f.list[i].Message == message {
			f.list[i].Whole = true
		}
	}
}

// rule returns the host's rule for a field. What it does nothing with comes last.
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

// set sets a field.
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
	f.set(key, definition.Value{Kind: definition.String, Text: s})
}

// fields writes the fields of an item. name is what it is called in the host.
func (f *fielder) fields(name string) []definition.Entry {
	if f.place.Name {
		f.setText("name", name)
	}
	f.description()
	if f.it.Kind == definition.Agent {
		f.agentTools()
	}
	if hidden(f.it) && !f.manual() {
		f.callers(&definition.Entry{Value: truth(true)}, definition.FieldDisableModelInvocation)
	}
	seen := map[definition.Field]bool{}
	for i := range f.it.Entries {
		e := &f.it.Entries[i]
		field := definition.LookupField(e.Key)
		if e.Value.Kind == definition.Null || field != 0 && seen[field] || isBody(f.it, e.Key) {
			continue
		}
		seen[field] = true
		before := len(f.list)
		f.field(e, field)
		if more := Unguarded(f.kind, e); more != "" {
			for i := range f.list[before:] {
				l := &f.list[before+i]
				l.Widens, l.Message = true, l.Message+": "+more
			}
		}
	}
	if f.it.Kind == definition.Command && f.kind == definition.Skill && !seen[definition.FieldDisableModelInvocation] {
		// A command is for people.
		if r, ok := f.rule(definition.FieldDisableModelInvocation); ok {
			f.set(r.Key, truth(true))
		}
	}
	f.hint()
	if r, ok := f.rule(definition.FieldArguments); ok && f.syntax != nil && f.syntax.Named && len(f.names) > 0 {
		f.set(r.Key, ListOf(f.names))
	}
	return f.out
}

// isBody reports whether a key holds the body of a TOML file.
func isBody(it *Item, key string) bool {
	return it.Format == definition.TOML && (key == "prompt" || key == "developer_instructions")
}

// description is first of the fields, with when_to_use behind it where the host has
// no field for that.
func (f *fielder) description() {
	r, ok := f.rule(definition.FieldDescription)
	own, when := f.entry(definition.FieldDescription), f.entry(definition.FieldWhenToUse)
	s := ""
	if own != nil {
		s, _ = frontmatter.Text(own.Value)
		if Secret(own) {
			f.refuse(f.it.entryLine(own), LossSecret, "the description may hold a secret", "take it out, and renew what was written down")
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
	if _, has := f.rule(definition.FieldWhenToUse); !has && when != nil {
		if w, _ := frontmatter.Text(when.Value); strings.TrimSpace(w) != "" {
			s = strings.TrimPrefix(s+" - "+strings.TrimSpace(w), " - ")
		}
	}
	if s == "" {
		return
	}
	if r.Max > 0 && utf8.RuneCountInString(s) > r.Max && r.Long != host.Warns {
		line := 0
		if own != nil {
			line = f.it.entryLine(own)
		}
		f.lose(line, LossField, fmt.Sprintf("%s takes a description of %d characters: it is cut", f.p.Name, r.Max), "shorten it")
		s = string([]rune(s)[:r.Max-1]) + "…"
	}
	if clean := f.p.DescriptionRules(f.kind).Clean; clean != nil && strings.Join(strings.Fields(clean(s)), " ") != strings.Join(strings.Fields(s), " ") {
		line := 0
		if own != nil {
			line = f.it.entryLine(own)
		}
		f.lose(line, LossField, fmt.Sprintf("%s takes a part out of the description, such as what stands in angle brackets", f.p.Name), "write it without these")
	}
	f.setText(r.Key, s)
}

// entry returns the first entry of a field, nil without one.
func (f *fielder) entry(field definition.Field) *definition.Entry { return entryOf(f.it, field) }

func entryOf(it *Item, field definition.Field) *definition.Entry {
	for i := range it.Entries {
		if definition.LookupField(it.Entries[i].Key) == field && it.Entries[i].Value.Kind != definition.Null {
			return &it.Entries[i]
		}
	}
	return nil
}

// field writes one field.
func (f *fielder) field(e *definition.Entry, field definition.Field) {
	if field != definition.FieldDescription && Secret(e) {
		f.lose(f.it.entryLine(e), LossSecret, e.Key+" may hold a secret and is left out", "refer to a variable of the environment instead, and renew what was written down")
		return
	}
	if why := Leave(e); why != "" && field != definition.FieldMCPServers {
		f.lose(f.it.entryLine(e), LossField, fmt.Sprintf("%s %s and is not carried over", e.Key, why), "write it into "+f.p.Name+"'s own file, if it is meant")
		return
	}
	switch field {
	case 0:
		f.unknown(e)
	case definition.FieldDescription:
	case definition.FieldWhenToUse:
		if r, ok := f.rule(field); ok {
			f.plain(e, r)
		} else if f.it.Stays {
			f.without(e, LossField)
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
			// The tools that it gets say so.
			return
		}
		f.without(e, LossField)
	}
}

// without notes that the host has no field for something, unless it keeps all.
func (f *fielder) without(e *definition.Entry, what string) {
	if f.p.Export.Keeps {
		f.set(e.Key, e.Value)
		return
	}
	fix := "take it out, or say it in the body"
	if Unguarded(f.kind, e) != "" {
		fix = "choose it in the host's settings, or take it out"
	}
	f.lose(f.it.entryLine(e), what, fmt.Sprintf("%s has no field like %s in %s", f.p.Name, e.Key, chars.WithArticle(f.kind.String())), fix)
}

func (f *fielder) unknown(e *definition.Entry) {
	on, problem := frontmatter.Bool(e.Value)
	switch r, ok := f.p.Rule(f.kind, e.Key); {
	case ok && r.Field == 0 && !r.InTOML:
		f.plain(e, r)
	case f.p.Export.Keeps:
		f.without(e, LossField)
	case f.kind != definition.Agent:
		f.without(e, LossField)
	case ReadOnly(e):
		// The tools that it gets say so.
	case folded(e.Key) == "infer" && problem == "":
		f.callers(&definition.Entry{Key: e.Key, KeySpan: e.KeySpan, Value: truth(!on)}, definition.FieldDisableModelInvocation)
	case SwitchesOff(e):
		f.refuse(f.it.entryLine(e), LossField, fmt.Sprintf("the agent is switched off with %s, which %s has no field for: it is left out", e.Key, f.p.Name), "take the field out to export the agent")
	default:
		if t, _, ok := permission(e); ok && Leave(e) == "" && !says(e.Value, "ask", 0) && (len(t.words) > 0 || len(t.off) > 0) {
			// So here.
			return
		}
		f.without(e, LossField)
	}
}

// name keeps a second name where the host has such, and else says what is not kept.
func (f *fielder) name(e *definition.Entry) {
	own, _ := frontmatter.Text(e.Value)
	if f.place.Name || own == "" {
		return
	}
	if r, ok := f.rule(definition.FieldName); ok && fits(&r, own) && !(f.p.NameField != nil && f.p.NameField(f.kind)) {
		f.plain(e, r)
		return
	}
	if own != f.it.Name {
		f.without(e, LossName)
	}
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
				f.without(e, LossModel)
			}
			return
		}
	}
	if len(names) > 0 {
		f.lose(line, LossModel, fmt.Sprintf("%s has no name that is known for the model %s: it runs on that of the session", f.p.Name, strings.Join(names, ", ")), "choose a model in the host")
	}
}

// arguments are declared where the body needs them.
func (f *fielder) arguments(e *definition.Entry) {
	switch {
	case f.syntax != nil && f.syntax.Named:
		if r, ok := f.rule(definition.FieldArguments); ok && len(f.names) == 0 {
			f.plain(e, r)
		}
	case f.syntax == nil || !f.syntax.Positions && !f.syntax.Inputs:
		f.without(e, LossArgument)
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
				f.set(r.Key, ListOf(globs))
			} else {
				f.setText(r.Key, strings.Join(globs, ","))
			}
			return
		}
	}
	f.lose(f.it.entryLine(e), LossActivation, fmt.Sprintf("%s has no files that make %s available: it always is", f.p.Name, chars.WithArticle(f.kind.String())), "say in the description what it is for")
}

// plain writes a value in the form that the host's rule asks for.
func (f *fielder) plain(e *definition.Entry, r host.FieldRule) {
	v, problem := shaped(&r, definition.LookupField(e.Key), e.Value)
	if problem != "" {
		f.lose(f.it.entryLine(e), LossField, fmt.Sprintf("%s: %s %s", f.p.Name, e.Key, problem), "change it, or take it out")
		return
	}
	f.set(r.Key, v)
}

// ordered puts name and description first.
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
