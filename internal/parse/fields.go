package parse

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/pathmatch"
)

// decoder converts frontmatter entries to a definition's fields.
type decoder struct {
	*header
	file *diag.File
	// unknownKeys contains the keys that Vade does not know as field names. ignored contains the
	// keys that the host ignores.
	unknownKeys []string
	ignored     []definition.IgnoredField
}

func (r *decoder) decode(entries []definition.Entry) {
	if r.table.exact {
		r.byTable(entries)
	} else {
		r.byName(entries)
	}
	r.d.Fields.SetUnknown(r.unknownKeys)
	r.d.Fields.SetIgnored(r.ignored)
}

func (r *decoder) byName(entries []definition.Entry) {
	for i := range entries {
		e := &entries[i]
		r.inert(e.Key)
		f := definition.LookupField(e.Key)
		if f == 0 {
			r.unknownKeys = append(r.unknownKeys, strings.Clone(e.Key))
			continue
		}
		if accepts := r.profile.Accepts; accepts != nil && !accepts(r.d.Kind, f, e.Key) && !r.namesCommand(f) {
			d := diag.At(r.file, e.KeySpan, diag.FieldSpelling, "%s does not support the field %q in %s", r.profile.Name, e.Key, chars.WithArticle(r.d.Kind.String()))
			d.Problem, d.Effect = fmt.Sprintf("the field %q is not supported by every host", e.Key), diag.Ignored
			if accepts(r.d.Kind, f, f.Key()) {
				d = d.WithFix("use %s", f.Key()).WithEdit(e.KeySpan, f.Key())
			}
			r.report(d)
			continue
		}
		if e.Key != f.Key() && !isAlternative(f, e.Key) {
			r.report(diag.At(r.file, e.KeySpan, diag.FieldSpelling, "hosts do not recognize %q; Vade reads it as %q", e.Key, f.Key()).
				WithFix("use %s", f.Key()).WithEdit(e.KeySpan, f.Key()))
		}
		if e.Value.Kind != definition.Null && !r.refused(e) {
			r.field(f, e)
		}
	}
	r.paths(entries)
}

// namesCommand reports whether field f gives a command a second name.
func (r *decoder) namesCommand(f definition.Field) bool {
	return f == definition.FieldName && r.d.Kind == definition.Command && r.profile.SecondNames != nil && r.profile.SecondNames(r.d)
}

// refused reports whether a value has the wrong type and the rule for its key would drop the
// definition for that reason. If so, refused adds a diagnostic, and the caller ignores the field.
func (r *decoder) refused(e *definition.Entry) bool {
	at := r.table.find(e.Key)
	if at < 0 || r.table.rules[at].Type != host.Drops {
		return false
	}
	problem := mistyped(&r.table.rules[at], &e.Value)
	if problem == "" {
		return false
	}
	r.report(diag.At(r.file, e.Value.Span, diag.FieldType, "%s %s; the field is ignored", e.Key, problem).
		WithFix("use %s for %s", kindsText(r.table.rules[at].Takes), e.Key))
	return true
}

// isAlternative reports whether key is another spelling of f that some hosts accept for some kinds.
func isAlternative(f definition.Field, key string) bool {
	switch f {
	case definition.FieldDisallowedTools:
		return key == "disallowedTools"
	case definition.FieldMCPServers:
		return key == "mcpServers"
	case definition.FieldSkills:
		return key == "useSkills"
	case definition.FieldAgents:
		return key == "for_agents"
	case definition.FieldTitle, definition.FieldLicense, definition.FieldGlobs:
		return true
	case definition.FieldArgumentHint:
		return key == "argumentHint"
	}
	return false
}

// field decodes the value of one field and stores it. If only part of the value is valid, field
// stores that part.
func (r *decoder) field(f definition.Field, e *definition.Entry) {
	v, problem, loss := e.Value, "", "; the field is ignored"
	switch f.Shape() {
	case definition.Text:
		var s string
		if s, problem = frontmatter.Text(v); problem == "" {
			if v.Kind == definition.Number && r.profile.Dialect.Numbers && isProse(f) {
				s = frontmatter.ScriptNumber(s)
			}
			r.text(f, e, s)
		}
	case definition.Hint:
		var hint string
		hint, problem = frontmatter.Hint(v)
		r.d.Fields.SetText(f, strings.Clone(hint))
		loss = ""
	case definition.Flag:
		var b bool
		b, problem = frontmatter.Bool(v)
		if r.profile.Dialect.StrictBools {
			b, problem = frontmatter.StrictBool(v), ""
		}
		if problem == "" {
			r.flag(f, b)
		}
	case definition.Words:
		var list []string
		if on, only, ok := frontmatter.Switches(v); ok && f == definition.FieldTools && r.d.Kind == definition.Agent {
			// Tools that the map does not list remain enabled, unless "*" is off.
			if only {
				r.words(f, on)
			}
		} else if list, problem = r.list(f, v); len(list) > 0 {
			loss = "; only part of the list is used"
			r.words(f, list)
		} else if f == definition.FieldAgents && r.d.Kind != definition.Agent {
			loss = r.emptyAgents(v)
			if v.Kind == definition.Null {
				problem = "has no value"
			}
		}
	case definition.Globs:
		_, problem = frontmatter.Globs(v)
	case definition.Mapping:
		if v.Kind == definition.Map {
			if f == definition.FieldHooks {
				r.hooks(v)
			}
		} else {
			problem = "is a " + v.Kind.String()
		}
	default:
		r.any(f, e)
	}
	if problem == "" || r.table.exact {
		return
	}
	code := diag.FieldType
	if f == definition.FieldHooks {
		code = diag.HooksInvalid
	}
	d := diag.At(r.file, v.Span, code, "%s %s%s", f.Key(), problem, loss).WithFix("use %s for %s", shapeText(f.Shape()), f.Key())
	if f.Shape() == definition.Hint && problem == frontmatter.ListAsText {
		bare := d.Message
		d.Message += "; its brackets are taken literally"
		if r.profile.Name != host.NeutralName {
			d.Message += " by " + r.profile.Name
			d.Problem, d.Effect = bare, diag.Literal
		}
	}
	r.report(d)
}

// hooks stores a definition's hooks, and reports problems that the host's rules find in them.
func (r *decoder) hooks(v definition.Value) {
	r.d.Fields.SetHooks(host.GroupedHooks(v))
	if r.profile.Hooks == nil {
		return
	}
	for _, p := range r.profile.Hooks.Check(v) {
		r.report(diag.At(r.file, p.Span, diag.HooksInvalid, "%s", p.Message).WithFix("%s", p.Fix))
	}
}

// emptyAgents handles the value of an agents field that contains no names. If the value is null,
// the field has no effect. Any other value was meant as a restriction, so the definition is not
// available to any agent. emptyAgents returns the end of the diagnostic's message.
func (r *decoder) emptyAgents(v definition.Value) string {
	if v.Kind == definition.Null {
		return "; the field has no effect"
	}
	r.d.Fields.SetList(definition.FieldAgents, []string{})
	return "; the field is treated as an empty list"
}

// isProse reports whether a field contains text for people or models.
func isProse(f definition.Field) bool {
	return f == definition.FieldName || f == definition.FieldDescription || f == definition.FieldWhenToUse
}

// list parses a list field according to the field's syntax. It returns the items and a description
// of any problem.
func (r *decoder) list(f definition.Field, v definition.Value) ([]string, string) {
	switch f {
	case definition.FieldAllowedTools, definition.FieldDisallowedTools:
		return frontmatter.Rules(v)
	case definition.FieldArguments:
		if r.profile.Dialect.NamesByWhitespace {
			return namesByWhitespace(v), ""
		}
	}
	return frontmatter.Strings(v)
}

// namesByWhitespace parses argument names, which are either the words in a string or the strings in
// a list. It skips values of other types, blank strings, and names that consist only of digits. A
// skipped name does not count as an argument: the names after it move up by one position (Claude
// Code 2.1.330, cases a14 and h71).
func namesByWhitespace(v definition.Value) []string {
	var names []string
	switch v.Kind {
	case definition.String:
		names = strings.FieldsFunc(v.Text, chars.IsSpace)
	case definition.List:
		for _, item := range v.Items {
			if item.Kind == definition.String && strings.TrimFunc(item.Text, chars.IsSpace) != "" {
				names = append(names, item.Text)
			}
		}
	}
	return slices.DeleteFunc(names, chars.IsDigits)
}

func shapeText(s definition.Shape) string {
	switch s {
	case definition.Flag:
		return "true or false"
	case definition.Words, definition.Globs:
		return "a list or a comma-separated string"
	case definition.Mapping:
		return "a map"
	}
	return "a string"
}

// text stores a string field, and checks fields that accept only certain values.
func (r *decoder) text(f definition.Field, e *definition.Entry, s string) {
	x := &r.d.Fields
	switch f {
	case definition.FieldName:
		x.Name = s
	case definition.FieldDescription:
		switch clean := r.described(); {
		case r.table.exact:
		case clean != nil:
			s = clean(s)
		default:
			s = strings.TrimSpace(s)
		}
		x.Description = s
		if s == "" && r.acceptsEmpty(f) {
			x.SetList(f, []string{""})
		}
	case definition.FieldWhenToUse:
		if clean := r.described(); !r.table.exact || clean == nil {
			s = strings.TrimSpace(s)
		} else {
			s = clean(s)
		}
		x.SetText(f, s)
	case definition.FieldEffort:
		_, err := strconv.Atoi(s)
		if err == nil || r.oneOf(f, e, s, "low", "medium", "high", "xhigh", "max") {
			x.SetText(f, s)
		}
	case definition.FieldContext:
		if r.oneOf(f, e, s, "fork") {
			x.SetText(f, s)
		}
	case definition.FieldShell:
		if r.oneOf(f, e, s, "bash", "powershell") {
			x.SetText(f, s)
		}
	case definition.FieldTitle, definition.FieldTarget, definition.FieldMode, definition.FieldAgent, definition.FieldLicense:
		x.SetText(f, s)
	case definition.FieldVersion:
		x.SetText(f, s)
		if !IsSemantic(s) {
			r.report(diag.At(r.file, e.Value.Span, diag.VersionForm, "the version %q must have the form 1.2.3", s).
				WithFix("use the form major.minor.patch"))
		}
	}
}

// oneOf reports whether s is one of the valid values. If it is not, oneOf adds a diagnostic, unless
// s is the value "inherit" of the context field.
func (r *decoder) oneOf(f definition.Field, e *definition.Entry, s string, values ...string) bool {
	if r.table.exact {
		// byTable has already checked the value.
		return true
	}
	if slices.Contains(values, s) || f == definition.FieldContext && s == "inherit" {
		return slices.Contains(values, s)
	}
	r.report(diag.At(r.file, e.Value.Span, diag.FieldValue, "unknown value %q for %s; the field is ignored", s, f.Key()).
		WithFix("use one of: %s", strings.Join(values, ", ")))
	return false
}

func (r *decoder) flag(f definition.Field, b bool) {
	x := &r.d.Fields
	switch f {
	case definition.FieldUserInvocable:
		x.UserInvocable = &b
	case definition.FieldDisableModelInvocation:
		x.DisableModelInvocation = b
	case definition.FieldHasArchitectureAccess:
		x.HasArchitectureAccess = b
	case definition.FieldAlwaysApply:
		x.AlwaysApply = b
	}
}

func (r *decoder) words(f definition.Field, list []string) {
	x := &r.d.Fields
	switch f {
	case definition.FieldArguments:
		names := slices.Clone(x.Arguments())
		for _, a := range list {
			if !r.profile.Dialect.NamesByWhitespace {
				a = strings.TrimPrefix(a, "$")
			}
			names = append(names, a)
		}
		x.SetList(f, names)
	case definition.FieldAllowedTools, definition.FieldDisallowedTools, definition.FieldTools, definition.FieldKeywords,
		definition.FieldAliases, definition.FieldAgents, definition.FieldSkills, definition.FieldExcludeAgent:
		x.SetList(f, list)
	}
}

// any stores the value of a field that accepts several types of values.
func (r *decoder) any(f definition.Field, e *definition.Entry) {
	x := &r.d.Fields
	switch f {
	case definition.FieldModel:
		s, problem := frontmatter.Text(e.Value)
		if list, none := frontmatter.Strings(e.Value); problem != "" && none == "" && len(list) > 0 {
			// VS Code accepts a list and uses the first available model.
			s = list[0]
		}
		if s != "inherit" {
			x.SetText(f, s)
		}
	case definition.FieldMCPServers:
		x.HasMCPServers = true
	case definition.FieldRequires, definition.FieldCompatibility:
		x.SetText(f, definition.Flat(&e.Value))
	}
}

// paths sets the patterns for the files that activate the definition. It takes them from the paths
// field or from another host's equivalent field.
func (r *decoder) paths(entries []definition.Entry) {
	var all []string
	for i := range entries {
		e := &entries[i]
		switch f := definition.LookupField(e.Key); f {
		case definition.FieldPaths, definition.FieldGlobs, definition.FieldApplyTo:
			if accepts := r.profile.Accepts; accepts != nil && !accepts(r.d.Kind, f, e.Key) {
				continue
			}
			globs := Globs(r.profile, r.d.Kind, e.Value)
			if len(globs) == 0 {
				continue
			}
			form := r.profile.Patterns
			_, problems := pathmatch.CompileActivation(globs)
			if r.table.exact {
				// These problems affect only other hosts.
				problems = nil
			}
			for _, p := range problems {
				r.report(diag.At(r.file, e.Value.Span, diag.FieldValue, "%s: %q: %s", f.Key(), p.Pattern, p.Message).
					WithFix("use a pattern in .gitignore syntax, relative to the project root"))
			}
			all = append(all, form.Patterns(globs)...)
		}
	}
	if r.d.Fields.AlwaysApply {
		all = nil
	}
	r.d.Fields.SetList(definition.FieldPaths, all)
}

// Globs returns a field's patterns as a host reads them, or nil if the value is invalid. If the
// host does not parse the frontmatter as YAML, it uses the value literally, including any quotes.
func Globs(p *host.Profile, k definition.Kind, v definition.Value) []string {
	if p.Dialect.For(k).Plain {
		return []string{v.Text}
	}
	globs, problem := frontmatter.Globs(v)
	if problem != "" {
		return nil
	}
	return globs
}
