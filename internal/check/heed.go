package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/check/rules"
)

// FieldEffects is a field that hosts heed after an edit and did not before, or of which
// they take another value then.
type FieldEffects struct {
	Field string
	Hosts []string
	// WriteAs: they heeded it before, and take another value.
	Anew bool
}

// String says it in words.
func (h FieldEffects) String() string {
	one := len(h.Hosts) == 1
	verb := "heed " + h.Field + " from then on"
	switch {
	case h.Anew && one:
		verb = "takes another " + h.Field + " from then on"
	case h.Anew:
		verb = "take another " + h.Field + " from then on"
	case one:
		verb = "heeds " + h.Field + " from then on"
	}
	return strings.Join(h.Hosts, ", ") + " " + verb
}

// heeded are the fields that a host heeds in a definition, with their values as
// text; those that are as without them are left out.
func heeded(d *definition.Definition) map[definition.Field]string {
	f, all := &d.Fields, map[definition.Field]string{}
	text := func(field definition.Field, s string) {
		if s != "" {
			all[field] = s
		}
	}
	list := func(field definition.Field, words []string) { text(field, strings.Join(words, "\n")) }
	flag := func(field definition.Field, b bool) {
		if b {
			all[field] = "true"
		}
	}
	text(definition.FieldTitle, f.Title())
	text(definition.FieldDescription, f.Description)
	text(definition.FieldWhenToUse, f.WhenToUse())
	text(definition.FieldArgumentHint, f.ArgumentHint())
	text(definition.FieldModel, f.Model())
	text(definition.FieldEffort, f.Effort())
	text(definition.FieldContext, f.Context())
	text(definition.FieldAgent, f.Agent())
	text(definition.FieldShell, f.Shell())
	text(definition.FieldTarget, f.Target())
	list(definition.FieldArguments, f.Arguments())
	list(definition.FieldAllowedTools, f.AllowedTools())
	list(definition.FieldDisallowedTools, f.DisallowedTools())
	list(definition.FieldTools, f.Tools())
	list(definition.FieldPaths, f.Paths())
	list(definition.FieldAgents, f.Agents())
	list(definition.FieldSkills, f.Skills())
	list(definition.FieldExcludeAgent, f.ExcludeAgent())
	flag(definition.FieldUserInvocable, f.UserInvocable != nil && !*f.UserInvocable)
	flag(definition.FieldDisableModelInvocation, f.DisableModelInvocation)
	flag(definition.FieldHasArchitectureAccess, f.HasArchitectureAccess)
	flag(definition.FieldAlwaysApply, f.AlwaysApply)
	flag(definition.FieldHooks, f.HasHooks)
	flag(definition.FieldMCPServers, f.HasMCPServers)
	return all
}

// switches reports whether edits make a host that loads the file heed another value of
// the field that they are in, or lose it. What begins to tell people and models
// something is no switch; nor is a value that quotes let a host read at all.
func switches(was, now *reading, text rules.Text, made []rules.Finding) bool {
	for i := range made {
		f := &made[i]
		form := f.Code == diag.FieldBool || f.Code == diag.FieldList || f.Code == diag.FieldSpelling
		at := slices.IndexFunc(text.Entries, func(e definition.Entry) bool {
			return e.KeySpan.Start <= f.Edit.Start && f.Edit.Start <= e.Value.Span.End
		})
		if at < 0 {
			continue
		}
		field := definition.LookupField(text.Entries[at].Key)
		if field == definition.FieldGlobs || field == definition.FieldApplyTo {
			field = definition.FieldPaths
		}
		for h, before := range was.heeds {
			after, ok := now.heeds[h]
			switch {
			case !ok || before[field] == after[field] || rules.Tells(field) && before[field] == "":
			case !form && before[field] == "":
				// A host that could not read the value can now.
			case !rules.Tells(field) || f.Code == diag.FieldSpelling:
				return true
			}
		}
	}
	return false
}

// heedings says what the hosts that load a file before and after edits heed then.
func heedings(was, now *reading) []FieldEffects {
	type change struct {
		field definition.Field
		anew  bool
	}
	hosts := map[change][]string{}
	for h, before := range was.heeds {
		for field, value := range now.heeds[h] {
			if before[field] != value {
				c := change{field, before[field] != ""}
				hosts[c] = append(hosts[c], h)
			}
		}
	}
	var list []FieldEffects
	for c, names := range hosts {
		slices.Sort(names)
		list = append(list, FieldEffects{c.field.Key(), names, c.anew})
	}
	slices.SortFunc(list, func(a, b FieldEffects) int { return strings.Compare(fmt.Sprint(a.Field, a), fmt.Sprint(b.Field, b)) })
	return list
}
