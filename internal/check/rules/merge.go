package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// Outcome describes what a host does with a file.
type Outcome struct {
	Kind  definition.Kind
	Name  string
	State definition.State
	// Code and Reason explain why the file is not active. By is the file that is active instead.
	Code        diag.Code
	Reason, By  string
	Diagnostics []diag.Diagnostic
}

// View describes what a host does with each file. Its keys are canonical paths.
type View struct {
	Host     string
	Outcomes map[string][]Outcome
}

// Loads reports whether the file is active in the host.
func (v *View) Loads(real string) bool {
	return slices.ContainsFunc(v.Outcomes[real], func(o Outcome) bool { return o.State == definition.Loaded })
}

// best returns the outcome for a file. If the file can be reached by several paths, best prefers an
// outcome in which the host loads it.
func (v *View) best(real string) *Outcome {
	var best *Outcome
	for i := range v.Outcomes[real] {
		o := &v.Outcomes[real][i]
		if o.State == definition.Loaded {
			return o
		}
		if best == nil || best.Code == diag.SameFile {
			best = o
		}
	}
	return best
}

// Merge combines the diagnostics in read, which come from Vade's own parser, the findings of the
// rules, and what each host does with the file. Each problem becomes one finding that lists the
// affected hosts. A finding that keeps a host from loading the file is an error, unless the host
// does not look at the file at all.
func Merge(path, real string, read []diag.Diagnostic, rules []Finding, views []View) []Finding {
	m := merger{path: path, read: read}
	for _, d := range read {
		d.Message = cmp.Or(d.Problem, d.Message)
		m.out = append(m.out, Of(d))
	}
	for _, f := range rules {
		m.rule(f)
	}
	for i := range views {
		if o := views[i].best(real); o != nil {
			m.view(views[i].Host, o)
		}
	}
	m.absorb()
	m.finish(len(views))
	return m.out
}

type merger struct {
	path string
	out  []Finding
	read []diag.Diagnostic
	// instruction reports whether some host treats the file as an instruction file.
	instruction bool
}

// rule adds a rule's finding. If the parser already reported the same value, the more specific
// finding from the rule replaces the parser's finding.
func (m *merger) rule(f Finding) {
	i := slices.IndexFunc(m.out, func(x Finding) bool {
		return family(f.Code) == "value" && family(x.Code) == "value" && x.Line == f.Line && x.Column == f.Column && f.Line > 0
	})
	if i < 0 {
		m.out = append(m.out, f)
		return
	}
	f.Severity = max(f.Severity, m.out[i].Severity)
	m.out[i] = f
}

func (m *merger) view(h string, o *Outcome) {
	m.instruction = m.instruction || o.Kind == definition.Instruction
	switch {
	case o.State == definition.Disabled, o.State != definition.Loaded && o.Code == diag.SameFile:
		return
	case o.State == definition.Shadowed:
		m.shadowed(h, o)
		return
	}
	because, root := -1, m.hiding(o.Diagnostics)
	for _, d := range o.Diagnostics {
		if d.Code == diag.SameFile {
			continue
		}
		whole := d.Code == diag.YAMLInvalid && d.Line == 0
		if root != nil && (whole || d.Code == diag.FieldMissing && !m.missing(&d)) {
			// The field exists, but the host does not see it. Report why.
			d = *root
			if o.State == definition.Dropped {
				because = m.add(h, d, o.Name)
			}
			continue
		}
		i := m.add(h, d, o.Name)
		if o.State == definition.Dropped && d.Code == o.Code && (because < 0 || m.out[because].Line == 0) {
			because = i
		}
	}
	// A file that only Vade refuses to read is not dropped by the host.
	if o.State != definition.Dropped || o.Code == diag.FileHardLink || o.Code == diag.FileProtected {
		return
	}
	if because < 0 {
		because = m.add(h, diag.For(m.path, o.Code, "%s", o.Reason), o.Name)
	}
	addOnce(&m.out[because].NotLoaded, h)
}

func addOnce(list *[]string, s string) {
	if !slices.Contains(*list, s) {
		*list = append(*list, s)
	}
}

// shadowed reports that another file is active instead.
func (m *merger) shadowed(h string, o *Outcome) {
	code := o.Code
	if code == "" {
		code = diag.ShadowedBy
	}
	for _, d := range o.Diagnostics {
		if d.Code != diag.ShadowedBy {
			m.add(h, d, o.Name)
		}
	}
	m.add(h, diag.For(m.path, code, "not active: %s also has the name %q and takes precedence", o.By, o.Name).
		WithFix("rename or remove one of them"), o.Name)
}

// add merges a diagnostic that applies to host h into the finding for the same problem, or adds a
// new finding. It returns the finding's index. name is the definition's name in that host.
func (m *merger) add(h string, d diag.Diagnostic, name string) int {
	d.Message = cmp.Or(d.Problem, d.Message)
	i := slices.IndexFunc(m.out, func(f Finding) bool { return same(&f, &d) })
	if i < 0 {
		m.out = append(m.out, Of(d))
		i = len(m.out) - 1
		m.out[i].Path = m.path
	}
	f := &m.out[i]
	addOnce(&f.Hosts, h)
	if f.Edit == nil && d.Edit != nil && f.Code == d.Code {
		f.Edit = d.Edit
	}
	if f.Fix == "" {
		f.Fix = d.Fix
	}
	does := hostDoes[d.Effect]
	if d.Effect == diag.Ignored && f.Code == diag.NameDirMismatch {
		does = "called " + name
	}
	if d.Effect == diag.NotLoaded {
		addOnce(&f.NotLoaded, h)
	} else if does != "" {
		f.addTail(h, does)
	}
	return i
}

// same reports whether a host's diagnostic and a finding describe the same problem. Two equal codes
// do if they are on the same line. Different codes do if they belong to the same family and the
// diagnostic is within the finding's lines. The position of a diagnostic without a line is ignored,
// but if it reports a missing field, the finding must be about the same field.
func same(f *Finding, d *diag.Diagnostic) bool {
	if f.Code == diag.FieldMissing && d.Code == f.Code && d.Line == 0 {
		return f.field == d.Field
	}
	if f.Code == d.Code {
		return f.Line == d.Line || d.Line == 0
	}
	if d.Line != 0 && (d.Line < f.Line || d.Line > max(f.Line, f.EndLine)) {
		return false
	}
	if f.Code == diag.FieldList && d.Code == diag.YAMLForbidden && f.Column == d.Column {
		// One host reports the brackets, and another reports the list that YAML parses them as.
		return true
	}
	a, b := family(f.Code), family(d.Code)
	return a != "" && a == b
}

// family returns the name of a group of codes that can stand for the same problem in different
// hosts. It returns "" if the code is not in such a group.
func family(c diag.Code) string {
	switch c {
	case diag.YAMLRepairedValue, diag.YAMLRepairedLines, diag.YAMLInvalid, diag.YAMLDuplicateKey, diag.YAMLForbidden,
		diag.EncodingControl:
		return "yaml"
	case diag.FMNotAtByte0, diag.FMBOM, diag.FMIndented, diag.FMTrailingSpace, diag.FMUnclosed, diag.FMMissing, diag.FMEmpty, diag.FMTooLarge:
		return "frontmatter"
	case diag.FieldBool, diag.FieldList, diag.FieldType, diag.FieldValue, diag.MetadataForm:
		return "value"
	}
	return ""
}

// finish sets each finding's severity and lists the hosts that do not load the file.
func (m *merger) finish(checked int) {
	for i := range m.out {
		f := &m.out[i]
		slices.Sort(f.Hosts)
		slices.Sort(f.NotLoaded)
		switch {
		case len(f.NotLoaded) > 0 && f.Code == diag.NotRead:
			// Instruction files commonly yield to other instruction files.
			if f.Severity = diag.Warning; m.instruction {
				f.Severity = diag.Info
			}
		case len(f.NotLoaded) > 0:
			f.Severity = diag.Error
		case checked <= 1 && len(f.Hosts) == 0 && portable(f.Code):
			f.Severity = diag.Info
		}
		if f.Code == diag.FieldSpelling && f.Edit != nil && !f.Fixable() {
			f.Fix += "; hosts that ignored the misspelled field will then honor it"
		}
		f.bareMessage = f.Message
		if len(f.NotLoaded) > 0 {
			// The hosts that do not load the file are named below, and they do not read the value
			// at all.
			if i := strings.LastIndex(f.Message, " some hosts "); i > 0 && strings.IndexByte(":;", f.Message[i-1]) >= 0 {
				f.Message = f.Message[:i-1]
			}
			f.Message = strings.TrimSuffix(f.Message, ", so the value is read as a string")
			f.Message += "; not loaded by " + strings.Join(f.NotLoaded, ", ")
		}
		for _, t := range f.tails {
			f.Message += "; " + t.does + " by " + strings.Join(t.hosts, ", ")
		}
	}
}

// tail describes how some hosts treat a problem, for example "ignored".
type tail struct {
	does  string
	hosts []string
}

// hostDoes says what hosts do about a problem in a file that they load anyway.
var hostDoes = [...]string{
	diag.Ignored: "ignored", diag.Truncated: "truncated", diag.TreatedAsString: "treated as a string", diag.Warned: "loaded with a warning",
	diag.Literal: "treated as literal text",
}

// addTail records that host h treats the problem as described by does.
func (f *Finding) addTail(h, does string) {
	at := slices.IndexFunc(f.tails, func(t tail) bool { return t.does == does })
	if at < 0 {
		at = len(f.tails)
		f.tails = append(f.tails, tail{does: does})
	}
	addOnce(&f.tails[at].hosts, h)
}

// hiding returns the diagnostic that explains why the host does not recognize the frontmatter, or
// nil.
func (m *merger) hiding(list []diag.Diagnostic) *diag.Diagnostic {
	for i := range list {
		d := &list[i]
		switch family(d.Code) {
		case "frontmatter":
			if hides(d.Code) || d.Effect == diag.NoFrontmatter {
				return d
			}
		case "yaml":
			if d.Severity == diag.Error && d.Line > 0 {
				return d
			}
		}
	}
	return nil
}

// missing reports whether Vade's own parser does not find the field either. If so, the field is
// missing in every host.
func (m *merger) missing(d *diag.Diagnostic) bool {
	return slices.ContainsFunc(m.read, func(r diag.Diagnostic) bool { return r.Code == d.Code && r.Field == d.Field })
}

// hides reports whether a code means that a host does not recognize the frontmatter.
func hides(c diag.Code) bool {
	switch c {
	case diag.FMUnclosed, diag.FMTooLarge, diag.FMEmpty, diag.FMMissing:
		return true
	}
	return false
}

// absorb merges findings that have the same cause. For example, a host that does not recognize the
// frontmatter also misses required fields.
func (m *merger) absorb() {
	root := slices.IndexFunc(m.out, func(f Finding) bool { return hides(f.Code) })
	if root < 0 {
		return
	}
	// The finding about the cause itself is kept.
	caused := func(f Finding) bool { return f.Code == diag.FieldMissing || family(f.Code) == "yaml" }
	for _, f := range m.out {
		if !caused(f) {
			continue
		}
		for _, h := range f.Hosts {
			addOnce(&m.out[root].Hosts, h)
		}
		for _, h := range f.NotLoaded {
			addOnce(&m.out[root].NotLoaded, h)
		}
	}
	m.out = slices.DeleteFunc(m.out, caused)
}
