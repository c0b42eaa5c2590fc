package parse

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// table contains a host's rules for the frontmatter of one kind of definition.
type table struct {
	rules    []host.FieldRule
	patterns []func() *regexp.Regexp
	// exact is set if the host's rules determine how every value is parsed. Otherwise, Vade uses
	// its own syntax, and the rules determine only which keys the host ignores.
	exact, closed bool
	names         host.NameRule
	described     host.DescriptionRule
}

// newTables returns a profile's tables, indexed by kind.
func newTables(p *host.Profile) []*table {
	tables := make([]*table, len(definition.Kinds)+1)
	for _, k := range definition.Kinds {
		t := &table{names: p.NameRules(k), described: p.DescriptionRules(k), exact: p.Fields != nil && p.Accepts == nil}
		if p.Fields != nil {
			t.rules, t.closed = p.Fields(k), p.IsClosed(k)
		}
		t.patterns = make([]func() *regexp.Regexp, len(t.rules))
		for i := range t.rules {
			if text := t.rules[i].Pattern; text != "" {
				t.patterns[i] = lazyregexp.New("^(?:" + text + ")$")
			}
		}
		tables[k] = t
	}
	return tables
}

func (t *table) find(key string) int {
	for i := range t.rules {
		if t.rules[i].Key == key {
			return i
		}
	}
	return -1
}

// inert adds the key to the ignored keys if the host ignores it. If there are no rules for the
// host, inert does nothing.
func (r *decoder) inert(key string) {
	if r.table.rules == nil {
		return
	}
	switch at := r.table.find(key); {
	case at < 0:
		r.ignore(key, r.unknownReason(key))
	case r.table.rules[at].Inert:
		r.ignore(key, r.inertReason())
	}
}

func (r *decoder) inertReason() string { return r.profile.Name + " ignores it" }

func (r *decoder) ignore(key, reason string) {
	r.ignored = append(r.ignored, definition.IgnoredField{Key: strings.Clone(key), Reason: reason})
}

// unknownReason explains why the host does not recognize a key. If the host has a different name
// for the field, the explanation includes it.
func (r *decoder) unknownReason(key string) string {
	if f := definition.LookupField(key); f != 0 {
		for i := range r.table.rules {
			if r.table.rules[i].Field == f {
				return fmt.Sprintf("%s spells it %s", r.profile.Name, r.table.rules[i].Key)
			}
		}
	}
	return fmt.Sprintf("%s does not support this field in %s", r.profile.Name, chars.WithArticle(r.d.Kind.String()))
}

// byTable decodes entries according to the host's rules.
func (r *decoder) byTable(entries []definition.Entry) {
	var taken []definition.Entry
	given := make([]bool, len(r.table.rules))
	for i := range entries {
		e := &entries[i]
		at := r.table.find(e.Key)
		if at < 0 {
			r.unknown(e)
			continue
		}
		rule := &r.table.rules[at]
		if rule.Inert {
			r.ignore(e.Key, r.inertReason())
			continue
		}
		v, ok := r.value(at, e)
		if !ok {
			continue
		}
		if rule.Disables {
			r.disable(rule.Key, &v)
		}
		given[at] = rule.Blank || !isScalar(v.Kind) || strings.TrimSpace(v.Text) != ""
		if rule.Field == 0 {
			continue
		}
		if rule.Field == definition.FieldName {
			r.named = position{r.file, e.Value.Span}
		}
		read := *e
		read.Value = v
		r.field(rule.Field, &read)
		taken = append(taken, read)
	}
	r.paths(taken)
	r.required(entries, given)
}

// disable disables the definition if the value of key is true.
func (r *decoder) disable(key string, v *definition.Value) {
	if on, problem := frontmatter.Bool(*v); on && problem == "" && r.d.State == definition.Loaded {
		r.d.State, r.d.ReasonCode, r.d.Reason = definition.Disabled, diag.SwitchedOff, "disabled in its frontmatter; to enable it, remove "+key
	}
}

func isScalar(k definition.ValueKind) bool { return k != definition.List && k != definition.Map }

func (r *decoder) unknown(e *definition.Entry) {
	if definition.LookupField(e.Key) == 0 {
		r.unknownKeys = append(r.unknownKeys, strings.Clone(e.Key))
	}
	if !r.table.closed {
		r.ignore(e.Key, r.unknownReason(e.Key))
		return
	}
	d := diag.At(r.file, e.KeySpan, diag.FieldUnknown, "").WithFix("remove the field %s", e.Key)
	if span, ok := wholeLine(r.file.Data, e); ok {
		d = d.WithEdit(span, "")
	}
	r.applyOutcome(host.Drops, d, fmt.Sprintf("the field %q is not supported in %s", e.Key, chars.WithArticle(r.d.Kind.String())))
}

// wholeLine returns the line that contains an entry. It returns false if the entry spans multiple
// lines.
func wholeLine(data []byte, e *definition.Entry) (diag.Span, bool) {
	start, end := e.KeySpan.Start, e.Value.Span.End
	if !isScalar(e.Value.Kind) || start < 0 || end < start || end > len(data) || strings.ContainsAny(string(data[start:end]), "\r\n") {
		return diag.Span{}, false
	}
	if start > 0 && data[start-1] != '\n' {
		return diag.Span{}, false
	}
	for end < len(data) && data[end] != '\n' {
		end++
	}
	return diag.Span{Start: start, End: min(end+1, len(data))}, true
}

// required drops the definition if a required field is missing.
func (r *decoder) required(entries []definition.Entry, given []bool) {
	for i := range r.table.rules {
		rule := &r.table.rules[i]
		if given[i] || !rule.Required || r.d.State == definition.Dropped || rule.InTOML && r.d.Format != definition.TOML {
			continue
		}
		if r.d.Format == definition.Package && (rule.Field == definition.FieldName || rule.Field == 0) {
			// The name field of a definition in a settings file is the entry's key, and its body
			// may be in a separate file.
			continue
		}
		if rule.Unless != "" && hasKey(entries, rule.Unless) {
			continue
		}
		d := diag.For(r.d.Origin.Path, diag.FieldMissing, "")
		problem, fix := fmt.Sprintf("the %s field is missing", rule.Key), "add the field %s: %s"
		for j := range entries {
			if e := &entries[j]; e.Key == rule.Key {
				d = diag.At(r.file, e.KeySpan, diag.FieldMissing, "")
				if isScalar(e.Value.Kind) && strings.TrimSpace(e.Value.Text) == "" {
					problem, fix = fmt.Sprintf("the %s field is empty", rule.Key), "give the field %s a value: %s"
				}
			}
		}
		d.Field = rule.Key
		r.applyOutcome(host.Drops, d.WithFix(fix, rule.Key, lower(rule.About)), problem)
	}
}

func hasKey(entries []definition.Entry, key string) bool {
	for i := range entries {
		if entries[i].Key == key {
			return true
		}
	}
	return false
}

// value applies a key's rule to a value and returns the value that the host uses, or false if there
// is none. A null value that the rule accepts is treated as missing.
func (r *decoder) value(at int, e *definition.Entry) (definition.Value, bool) {
	rule, v := &r.table.rules[at], e.Value
	if v.Kind == definition.Null && rule.Takes&host.TakesNull != 0 {
		return v, false
	}
	problem := mistyped(rule, &v)
	if problem == "" && r.profile.Dialect.Dates && v.Plain && v.Kind == definition.String && rule.Takes != host.TakesAny && date().MatchString(v.Text) {
		problem = "is a date, not " + kindsText(rule.Takes)
	}
	if problem != "" {
		d := diag.At(r.file, v.Span, diag.FieldType, "").WithFix("use %s for %s", kindsText(rule.Takes), rule.Key)
		if text, ok := converted(rule, &v); ok {
			d = d.WithEdit(v.Span, text)
		}
		r.applyOutcome(rule.Type, d, rule.Key+" "+problem)
		switch rule.Type {
		case host.Coerces:
			v = definition.Value{Kind: definition.String, Text: scriptText(&v), Span: v.Span}
		case host.Quotes:
			v = definition.Value{Kind: definition.String, Text: strings.TrimSpace(string(r.file.Data[v.Span.Start:v.Span.End])), Span: v.Span}
		case host.Ignores:
			r.ignore(rule.Key, rule.Key+" "+problem)
			return v, false
		default:
			return v, false
		}
	}
	if isScalar(v.Kind) {
		return r.plain(at, v)
	}
	for i := range v.Items {
		if p, text := r.table.patterns[at], v.Items[i].Text; p != nil && !p().MatchString(text) {
			r.reportInvalid(rule, v.Items[i].Span, diag.FieldValue, fmt.Sprintf("%s contains %q, which is not valid", rule.Key, text), validFix(rule))
			return v, rule.Bad == host.Warns
		}
	}
	return v, true
}

// plain applies a key's rule to a scalar. It returns the value that the host uses, or false if
// there is none.
func (r *decoder) plain(at int, v definition.Value) (definition.Value, bool) {
	rule := &r.table.rules[at]
	if v.Kind == definition.String && rule.Words != nil && !slices.Contains(rule.Words, v.Text) {
		r.reportInvalid(rule, v.Span, diag.FieldValue, fmt.Sprintf("unknown value %q for %s", v.Text, rule.Key), "use one of: "+strings.Join(rule.Words, ", "))
		return v, rule.Bad == host.Warns
	}
	if p := r.table.patterns[at]; p != nil && strings.TrimSpace(v.Text) != "" && !p().MatchString(strings.TrimSpace(v.Text)) {
		code := diag.FieldValue
		if rule.Field == definition.FieldName {
			code = diag.NameChars
		}
		r.reportInvalid(rule, v.Span, code, fmt.Sprintf("%s %q is not valid", rule.Key, v.Text), validFix(rule))
		if rule.Bad != host.Warns {
			return v, false
		}
	}
	v.Text = r.clean(rule.Field, v.Text)
	if rule.TooLong(v.Text) {
		code := diag.FieldValue
		switch rule.Field {
		case definition.FieldName:
			code = diag.NameLength
		case definition.FieldDescription:
			code = diag.DescLength
		}
		d := diag.At(r.file, v.Span, code, "").WithFix("shorten it to at most %d characters", rule.Max)
		problem := fmt.Sprintf("%s is %d characters long, but the maximum is %d", rule.Key, rule.Length(v.Text), rule.Max)
		r.applyOutcome(rule.Long, d, problem)
		switch rule.Long {
		case host.Cuts:
			v.Text = rule.Shorten(v.Text, rule.Mark)
		case host.Warns:
		case host.Ignores:
			r.ignore(rule.Key, problem)
			return v, false
		default:
			return v, false
		}
	}
	return v, true
}

func (r *decoder) reportInvalid(rule *host.FieldRule, span diag.Span, code diag.Code, problem, fix string) {
	if rule.Bad == host.Ignores {
		r.ignore(rule.Key, problem)
	}
	r.applyOutcome(rule.Bad, diag.At(r.file, span, code, "").WithFix("%s", fix), problem)
}

// validFix returns the suggested fix for an invalid value.
func validFix(rule *host.FieldRule) string {
	return "use a valid value for " + rule.Key + ": " + lower(rule.About)
}

// described returns the function with which the host normalizes the definition's description, or
// nil if the host does not change it.
func (r *decoder) described() func(string) string {
	if rule := &r.table.described; r.d.Origin.Plugin != "" && rule.CleanInPlugin != nil {
		return rule.CleanInPlugin
	}
	return r.table.described.Clean
}

// clean normalizes a name or a description the way the host does.
func (r *decoder) clean(f definition.Field, s string) string {
	switch f {
	case definition.FieldName:
		if r.table.names.Clean != nil {
			return r.table.names.Clean(s)
		}
	case definition.FieldDescription:
		if clean := r.described(); clean != nil {
			return clean(s)
		}
		return strings.TrimSpace(s)
	}
	return s
}

// applyOutcome reports a problem with a diagnostic that says how the host responds to it. If the
// host drops the definition, applyOutcome does too.
func (h *header) applyOutcome(o host.Outcome, d diag.Diagnostic, problem string) {
	name := h.profile.Name
	d.Problem = problem
	switch o {
	case host.Drops:
		d.Effect = diag.NotLoaded
		d.Message, d.Severity = fmt.Sprintf("%s does not load the %s: %s", name, h.d.Kind, problem), diag.Error
		if h.d.State != definition.Dropped {
			h.d.State, h.d.ReasonCode, h.d.Reason = definition.Dropped, d.Code, d.Message
		}
	case host.Cuts:
		d.Message, d.Effect = fmt.Sprintf("%s; %s truncates it", problem, name), diag.Truncated
	case host.Coerces, host.Quotes:
		d.Message, d.Effect = fmt.Sprintf("%s; %s treats it as a string", problem, name), diag.TreatedAsString
	case host.Warns:
		d.Message, d.Effect = fmt.Sprintf("%s; %s only warns about it", problem, name), diag.Warned
	default:
		d.Message, d.Effect = fmt.Sprintf("%s; %s ignores it", problem, name), diag.Ignored
	}
	h.report(d)
}
