package definition

import (
	"slices"
	"strings"
)

// Fields are the decoded frontmatter fields. The zero value of each means that
// the file does not set it. The fields that few files have are behind methods, and
// cost nothing where they are not set.
type Fields struct {
	Name, Description       string
	UserInvocable           *bool
	DisableModelInvocation  bool
	HasArchitectureAccess   bool
	AlwaysApply             bool
	HasHooks, HasMCPServers bool
	// rest are the others that are set, in the order of their numbers. It is never
	// changed: another takes its place, since copies share it.
	rest []setting
}

// setting is one field with its value; a text is a list of one.
type setting struct {
	field  Field
	values []string
}

// Text is the value of a field that is text, "" where it is not set.
func (f *Fields) Text(k Field) string {
	if list := f.List(k); len(list) > 0 {
		return list[0]
	}
	return ""
}

// List is the value of a field that is a list, nil where it is not set. It must not
// be changed.
func (f *Fields) List(k Field) []string {
	for i := range f.rest {
		if f.rest[i].field == k {
			return f.rest[i].values
		}
	}
	return nil
}

// SetText sets a field that is text; "" unsets it.
func (f *Fields) SetText(k Field, s string) {
	if s == "" {
		f.SetList(k, nil)
		return
	}
	f.SetList(k, []string{s})
}

// SetList sets a field that is a list; nil unsets it, an empty list does not.
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

// Compact makes the values that are behind methods parts of one text, which clone copies,
// so that they keep nothing else of what they were read from.
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

// Equal reports whether the same fields have the same values, whatever a host
// ignores. An empty list is another value than none.
func (f Fields) Equal(g Fields) bool {
	return f.Name == g.Name && f.Description == g.Description && flag(f.UserInvocable) == flag(g.UserInvocable) &&
		f.DisableModelInvocation == g.DisableModelInvocation && f.HasArchitectureAccess == g.HasArchitectureAccess &&
		f.AlwaysApply == g.AlwaysApply && f.HasHooks == g.HasHooks && f.HasMCPServers == g.HasMCPServers &&
		slices.EqualFunc(f.fileFields(), g.fileFields(), func(a, b setting) bool { return a.field == b.field && slices.Equal(a.values, b.values) })
}

// own are the fields of the file that are behind methods.
func (f *Fields) fileFields() []setting {
	end := slices.IndexFunc(f.rest, func(s setting) bool { return s.field >= fieldEnd })
	if end < 0 {
		return f.rest
	}
	return f.rest[:end]
}

// flag tells the three values of a switch apart.
func flag(b *bool) int {
	switch {
	case b == nil:
		return 0
	case *b:
		return 1
	}
	return 2
}

// What is kept with the fields and is none: the keys that no known field has, those
// that a host does nothing with and why, and the body of what is no file.
const (
	fieldUnknown Field = 0
	fieldIgnored       = fieldEnd
	fieldInline        = fieldEnd + 1
)

// What follows are the fields by their names.

// Title is a text, as are those that follow it.
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

// Arguments is a list, as are those that follow it.
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

// Unknown are the keys that no known field has, in the file's order.
func (f *Fields) Unknown() []string { return f.List(fieldUnknown) }

// SetUnknown sets them.
func (f *Fields) SetUnknown(keys []string) { f.SetList(fieldUnknown, keys) }

// IgnoredField is a key of the frontmatter that a host does nothing with.
type IgnoredField struct {
	Key string
	// Reason says why, in words that follow "ignored: ".
	Reason string
}

// Ignored are the keys of the frontmatter that the view's host does nothing with, in
// the file's order.
func (f *Fields) Ignored() []IgnoredField {
	var all []IgnoredField
	list := f.List(fieldIgnored)
	for i := 0; i+1 < len(list); i += 2 {
		all = append(all, IgnoredField{list[i], list[i+1]})
	}
	return all
}

// SetIgnored sets them.
func (f *Fields) SetIgnored(all []IgnoredField) {
	var list []string
	for _, x := range all {
		list = append(list, x.Key, x.Reason)
	}
	f.SetList(fieldIgnored, list)
}

// Inline is the body of a definition that is no file of its own.
func (f *Fields) Inline() string { return f.Text(fieldInline) }

// SetInline sets it.
func (f *Fields) SetInline(s string) { f.SetText(fieldInline, s) }
