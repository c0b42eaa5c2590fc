package scaffold

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
)

// compose puts into a draft what a request says, under a name.
func (t *draft) compose(r *Request, name string, form argumentForm) {
	t.drop(aboutKey)
	// Two definitions can not have them both.
	t.drop(definition.FieldAliases.Key())
	t.ownMetadata()
	if len(r.Arguments) > 0 {
		t.set(definition.FieldArguments, listValue(r.Arguments))
		if r.ArgumentHint == "" {
			t.set(definition.FieldArgumentHint, wordValue("["+strings.Join(r.Arguments, "] [")+"]"))
		}
	}
	if r.ArgumentHint != "" {
		t.set(definition.FieldArgumentHint, wordValue(r.ArgumentHint))
	}
	if len(r.Tools) > 0 {
		field := definition.FieldAllowedTools
		if r.Kind == definition.Agent {
			field = definition.FieldTools
		}
		t.set(field, toolsValue(r.Kind, r.Tools))
	}
	if r.Model != "" {
		t.set(definition.FieldModel, wordValue(r.Model))
	}
	switch {
	case r.Kind == definition.Skill && len(r.Paths) > 0:
		t.set(definition.FieldPaths, listValue(r.Paths))
	case r.Kind == definition.Instruction:
		t.forPaths(r.Paths)
	}
	if r.Description != "" {
		t.set(definition.FieldDescription, wordValue(strings.Join(strings.Fields(r.Description), " ")))
	}
	if r.Kind == definition.Skill || r.Kind == definition.Agent {
		t.set(definition.FieldName, wordValue(name))
	} else {
		// The place of the file says it.
		t.drop(definition.FieldName.Key())
	}
	if t.own {
		t.fill(name, form)
	}
	slices.SortStableFunc(t.entries, func(a, b definition.Entry) int { return rankOf(&a) - rankOf(&b) })
}

// ownMetadata leaves out what says something of the definitions that come with Vade, and
// of no other.
func (t *draft) ownMetadata() {
	for i := range t.entries {
		if e := &t.entries[i]; e.Key == definition.FieldMetadata.Key() && e.Value.Kind == definition.Map {
			e.Value.Pairs = slices.DeleteFunc(slices.Clone(e.Value.Pairs), func(p definition.Entry) bool { return strings.HasPrefix(p.Key, "vade-") })
		}
	}
	t.entries = slices.DeleteFunc(t.entries, func(e definition.Entry) bool {
		return e.Key == definition.FieldMetadata.Key() && e.Value.Kind == definition.Map && len(e.Value.Pairs) == 0
	})
}

// forPaths says which files an instruction is for: all, where nothing else is said.
func (t *draft) forPaths(paths []string) {
	if len(paths) == 0 && slices.ContainsFunc(t.entries, isPaths) {
		return
	}
	t.entries = slices.DeleteFunc(t.entries, isPaths)
	if len(paths) == 0 {
		paths = []string{"**"}
	}
	t.set(definition.FieldApplyTo, wordValue(strings.Join(paths, ",")))
}

func isPaths(e definition.Entry) bool {
	switch definition.LookupField(e.Key) {
	case definition.FieldPaths, definition.FieldGlobs, definition.FieldApplyTo, definition.FieldAlwaysApply:
		return true
	}
	return false
}

// argumentForm is how a template says what is typed behind its name.
type argumentForm uint8

// The forms: in words, by the place of all arguments, by the names of each.
const (
	inWords argumentForm = iota
	allArguments
	namedArguments
)

// fill puts the name and the arguments into the places of a template.
func (t *draft) fill(name string, form argumentForm) {
	inputs, names, hint := "", t.words(definition.FieldArguments), fieldText(t.entries, definition.FieldArgumentHint.Key())
	switch {
	case len(names) > 0 && form == namedArguments:
		for _, n := range names {
			inputs += "- " + n + ": $" + n + "\n"
		}
	case len(names) > 0:
		inputs = "What stands behind its name in the call, in this order:\n\n- " + strings.Join(names, "\n- ") + "\n"
		if form == allArguments {
			inputs += "\nThat is: $ARGUMENTS\n"
		}
	case hint != "" && form == inWords:
		inputs = "What is asked for is what stands behind its name in the call: " + hint + "\n"
	case hint != "":
		inputs = "What is asked for: $ARGUMENTS\n"
	}
	const place = "{{inputs}}\n"
	if inputs == "" {
		t.body = strings.Replace(t.body, place+"\n", "", 1)
	}
	t.body = strings.Replace(t.body, place, inputs, 1)
	t.body = strings.ReplaceAll(t.body, "{{title}}", titleOf(name))
}

// argumentForm is the form that every host takes which is asked for, or that the project
// is checked for. Most hosts put nothing into the body of a skill. In the source of truth
// a command always has the place for all arguments, which sync writes for each host.
func (m *maker) argumentForm() argumentForm {
	form := namedArguments
	for _, p := range m.profiles {
		if p.Export == nil {
			continue
		}
		kind := m.kind
		if p.Export.Place(kind) == nil {
			kind = definition.Skill
		}
		var syntax *host.Syntax
		if p.Export.Syntax != nil {
			syntax = p.Export.Syntax(kind)
		}
		switch {
		case syntax == nil || syntax.All == "" && !syntax.Inputs:
			form = inWords
		case !syntax.Named && !syntax.Positions && !syntax.Inputs:
			form = min(form, allArguments)
		}
	}
	if m.kind == definition.Skill && len(m.hosts) == 0 {
		return inWords
	}
	if m.kind == definition.Command && len(m.hosts) == 0 {
		return max(form, allArguments)
	}
	return form
}

// words are the items of a field.
func (t *draft) words(f definition.Field) []string {
	for i := range t.entries {
		if definition.LookupField(t.entries[i].Key) == f {
			list, _ := frontmatter.Strings(t.entries[i].Value)
			return list
		}
	}
	return nil
}

// rankOf orders the fields as people read them: what it is called and what it is for
// first.
func rankOf(e *definition.Entry) int {
	order := []definition.Field{
		definition.FieldName, definition.FieldDescription, definition.FieldArgumentHint, definition.FieldArguments,
		definition.FieldApplyTo, definition.FieldPaths, definition.FieldTools, definition.FieldAllowedTools, definition.FieldModel,
	}
	if at := slices.Index(order, definition.LookupField(e.Key)); at >= 0 {
		return at
	}
	return len(order)
}

// set gives a field a value, in whatever spelling it stood there.
func (t *draft) set(f definition.Field, v definition.Value) {
	t.drop(f.Key())
	t.entries = append(t.entries, definition.Entry{Key: f.Key(), Value: v})
}

// drop takes fields out, in whatever spelling; false: there were none.
func (t *draft) drop(keys ...string) bool {
	before := len(t.entries)
	for _, key := range keys {
		field := definition.LookupField(key)
		t.entries = slices.DeleteFunc(t.entries, func(e definition.Entry) bool {
			return e.Key == key || field != 0 && definition.LookupField(e.Key) == field
		})
	}
	return len(t.entries) < before
}

func wordValue(text string) definition.Value {
	return definition.Value{Kind: definition.String, Text: text}
}

func listValue(list []string) definition.Value {
	v := definition.Value{Kind: definition.List}
	for _, text := range list {
		v.Items = append(v.Items, wordValue(text))
	}
	return v
}

// toolsValue is a list of tools as hosts take it: that of a skill is one line with blanks
// between the rules (documented: the Agent Skills specification), where they can be told
// apart in it.
func toolsValue(k definition.Kind, tools []string) definition.Value {
	list, line := listValue(tools), wordValue(strings.Join(tools, " "))
	if k != definition.Skill {
		return list
	}
	rules, problem := frontmatter.Rules(list)
	again, wrong := frontmatter.Rules(line)
	if problem != "" || wrong != "" || !slices.Equal(rules, again) {
		return list
	}
	return line
}

// encode writes a draft as a file.
func (t *draft) encode() []byte {
	return []byte("---\n" + frontmatter.Write(t.entries) + "---\n\n" + strings.TrimLeft(t.body, "\n"))
}
