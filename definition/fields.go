package definition

import (
	"slices"
	"strings"
)

// Fields holds the decoded frontmatter fields. Fields that the file does not set are zero. Rare
// fields are accessed through methods and take up no memory unless they are set.
type Fields struct {
	Name, Description       string
	UserInvocable           *bool
	DisableModelInvocation  bool
	HasArchitectureAccess   bool
	AlwaysApply             bool
	HasHooks, HasMCPServers bool
	// rest holds the other fields that are set, in order of field number. Copies of Fields share
	// the slice, so it must be replaced rather than modified.
	rest []setting
}

// setting is a field and its value. A string is stored as a list of one item.
type setting struct {
	field  Field
	values []string
}

// Text returns a string field, or "" if it is not set.
func (f *Fields) Text(k Field) string {
	if list := f.List(k); len(list) > 0 {
		return list[0]
	}
	return ""
}

// List returns a list field, or nil if it is not set. The caller must not modify it.
func (f *Fields) List(k Field) []string {
	for i := range f.rest {
		if f.rest[i].field == k {
			return f.rest[i].values
		}
	}
	return nil
}

// SetText sets a string field; "" removes it.
func (f *Fields) SetText(k Field, s string) {
	if s == "" {
		f.SetList(k, nil)
		return
	}
	f.SetList(k, []string{s})
}

// SetList sets a list field. A nil list removes it; an empty list does not.
func (f *Fields) SetList(k Field, list []string) {
	at, there := slices.BinarySearchFunc(f.rest, k, func(s setting, k Field) int { return int(s.field) - int(k) })
	if !there && list == nil {
		return
	}
	rest := make([]setting, 0, len(f.rest)+1)
	rest = append(rest, f.rest[:at]...)
	if list != nil {
		rest = append(rest, setting{k, list})
	}
	if there {
		at++
	}
	f.rest = append(rest, f.rest[at:]...)
}

// Compact moves the values of rare fields into a single string made by clone, so that they no
// longer keep the file's contents in memory.
func (f *Fields) Compact(clone func(string) string) {
	n := 0
	var all strings.Builder
	for i := range f.rest {
		n += len(f.rest[i].values)
		for _, v := range f.rest[i].values {
			all.WriteString(v)
		}
	}
	if n == 0 {
		return
	}
	values, text := make([]string, 0, n), clone(all.String())
	for i := range f.rest {
		from := len(values)
		for _, v := range f.rest[i].values {
			values = append(values, text[:len(v)])
			text = text[len(v):]
		}
		if len(values) > from {
			f.rest[i].values = values[from:len(values):len(values)]
		}
	}
}

// Equal reports whether f and g have the same values for all fields that come from the file. An
// empty list differs from an unset one.
func (f Fields) Equal(g Fields) bool {
	return f.Name == g.Name && f.Description == g.Description && flag(f.UserInvocable) == flag(g.UserInvocable) &&
		f.DisableModelInvocation == g.DisableModelInvocation && f.HasArchitectureAccess == g.HasArchitectureAccess &&
		f.AlwaysApply == g.AlwaysApply && f.HasHooks == g.HasHooks && f.HasMCPServers == g.HasMCPServers &&
		slices.EqualFunc(f.fileFields(), g.fileFields(), func(a, b setting) bool {
			return a.field == b.field && slices.Equal(a.values, b.values)
		})
}

// fileFields returns the rare fields that come from the file.
func (f *Fields) fileFields() []setting {
	end := slices.IndexFunc(f.rest, func(s setting) bool { return s.field >= fieldEnd })
	if end < 0 {
		return f.rest
	}
	return f.rest[:end]
}

// flag returns 0 if b is nil, 1 if it points to false, and 2 if it points to true.
func flag(b *bool) int {
	switch {
	case b == nil:
		return 0
	case *b:
		return 1
	}
	return 2
}

// Pseudo-fields are stored along with the real fields. They hold unknown keys, the keys that the
// host ignores along with the reasons, and the body of a definition without a file.
const (
	fieldUnknown Field = 0
	fieldIgnored       = fieldEnd
	fieldInline        = fieldEnd + 1
)

// Title and the methods below return the values of string fields.
func (f *Fields) Title() string         { return f.Text(FieldTitle) }
func (f *Fields) WhenToUse() string     { return f.Text(FieldWhenToUse) }
func (f *Fields) ArgumentHint() string  { return f.Text(FieldArgumentHint) }
func (f *Fields) Model() string         { return f.Text(FieldModel) }
func (f *Fields) Effort() string        { return f.Text(FieldEffort) }
func (f *Fields) Context() string       { return f.Text(FieldContext) }
func (f *Fields) Agent() string         { return f.Text(FieldAgent) }
func (f *Fields) Shell() string         { return f.Text(FieldShell) }
func (f *Fields) Version() string       { return f.Text(FieldVersion) }
func (f *Fields) License() string       { return f.Text(FieldLicense) }
func (f *Fields) Compatibility() string { return f.Text(FieldCompatibility) }
func (f *Fields) Requires() string      { return f.Text(FieldRequires) }
func (f *Fields) Target() string        { return f.Text(FieldTarget) }

// Arguments and the methods below return the values of list fields.
func (f *Fields) Arguments() []string       { return f.List(FieldArguments) }
func (f *Fields) AllowedTools() []string    { return f.List(FieldAllowedTools) }
func (f *Fields) DisallowedTools() []string { return f.List(FieldDisallowedTools) }
func (f *Fields) Tools() []string           { return f.List(FieldTools) }
func (f *Fields) Paths() []string           { return f.List(FieldPaths) }
func (f *Fields) Keywords() []string        { return f.List(FieldKeywords) }
func (f *Fields) Aliases() []string         { return f.List(FieldAliases) }
func (f *Fields) Agents() []string          { return f.List(FieldAgents) }
func (f *Fields) Skills() []string          { return f.List(FieldSkills) }
func (f *Fields) ExcludeAgent() []string    { return f.List(FieldExcludeAgent) }

// BlankDescription reports whether the file has an empty description that the host uses as is.
func (f *Fields) BlankDescription() bool { return f.List(FieldDescription) != nil }

// Unknown returns the unknown keys in file order.
func (f *Fields) Unknown() []string { return f.List(fieldUnknown) }

// SetUnknown sets the unknown keys.
func (f *Fields) SetUnknown(keys []string) { f.SetList(fieldUnknown, keys) }

// IgnoredField is a frontmatter key that a host ignores.
type IgnoredField struct {
	Key string
	// Reason explains why the host ignores the key. Messages put Reason after "ignored: ".
	Reason string
}

// Ignored returns the frontmatter keys that the view's host ignores, in file order.
func (f *Fields) Ignored() []IgnoredField {
	var all []IgnoredField
	list := f.List(fieldIgnored)
	for i := 0; i+1 < len(list); i += 2 {
		all = append(all, IgnoredField{list[i], list[i+1]})
	}
	return all
}

// SetIgnored sets the keys that the view's host ignores.
func (f *Fields) SetIgnored(all []IgnoredField) {
	var list []string
	for _, x := range all {
		list = append(list, x.Key, x.Reason)
	}
	f.SetList(fieldIgnored, list)
}

// Hooks returns the hooks that a skill, command or agent declares, in file order.
func (f *Fields) Hooks() []TurnHook {
	var all []TurnHook
	list := f.List(FieldHooks)
	for i := 0; i+3 < len(list); i += 4 {
		all = append(all, TurnHook{list[i], list[i+1], list[i+2], list[i+3]})
	}
	return all
}

// SetHooks sets the declared hooks.
func (f *Fields) SetHooks(all []TurnHook) {
	var list []string
	for _, h := range all {
		list = append(list, h.Event, h.Matcher, h.Type, h.Command)
	}
	f.HasHooks = true
	f.SetList(FieldHooks, list)
}

// Inline returns the body if the definition has no file of its own.
func (f *Fields) Inline() string { return f.Text(fieldInline) }

// SetInline sets the inline body.
func (f *Fields) SetInline(s string) { f.SetText(fieldInline, s) }
