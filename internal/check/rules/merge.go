package rules

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// Outcome is what became of one file in the view of one host.
type Outcome struct {
	Kind       definition.Kind
	Name, Path string
	State      definition.State
	// Code and Reason say why it is not in force, By is the file that is instead.
	Code        diag.Code
	Reason, By  string
	Diagnostics []diag.Diagnostic
}

// View is what one host makes of the files, by their canonical paths.
type View struct {
	Host     string
	Outcomes map[string][]Outcome
}

// Loads reports whether the host has the file in force.
func (v *View) Loads(real string) bool {
	return slices.ContainsFunc(v.Outcomes[real], func(o Outcome) bool { return o.State == definition.Loaded })
}

// best returns the outcome that counts where a file is reached in several ways.
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

// Merge joins what reading a file said (of the neutral view), what the rules say
// of its text, and what each host makes of it. One trouble is one finding, with
// the hosts that have it; where one of them does not load the file because of it,
// it is an error.
func Merge(path, real string, read []diag.Diagnostic, rules []Finding, views []View) []Finding {
	m := merger{path: path, read: read, tails: map[int][]tail{}}
	for _, d := range read {
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
	// instruction: the file is one of instructions to a host.
	instruction bool
	// tails are, for each finding, what hosts do about it other than not to load the
	// file.
	tails map[int][]tail
}

// rule adds a finding of the rules. What reading said of the same value is the same
// trouble: the rule knows more about it.
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
			// The field is there: the host does not see it. What keeps it from that is
			// said at its place.
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
	if o.State != definition.Dropped {
		return
	}
	if because < 0 {
		because = m.add(h, diag.For(m.path, o.Code, "%s", o.Reason), o.Name)
	}
	m.drops(because, h)
}

func (m *merger) drops(i int, h string) {
	if f := &m.out[i]; !slices.Contains(f.NotLoaded, h) {
		f.NotLoaded = append(f.NotLoaded, h)
	}
}

// shadowed reports that another file is in force instead.
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
	m.add(h, diag.For(m.path, code, "not in force: %s has the name %q and comes first", o.By, o.Name).
		WithFix("give one of them another name, or remove it"), o.Name)
}

// add joins a diagnostic of a host's view, in which the definition has a name, to the
// finding that it belongs to, or makes one of it.
func (m *merger) add(h string, d diag.Diagnostic, name string) int {
	text, drops := impersonal(h, d.Message)
	text, does, found := cutTail(h, text)
	d.Message = text
	i := slices.IndexFunc(m.out, func(f Finding) bool { return same(&f, &d) })
	if i < 0 {
		m.out = append(m.out, Of(d))
		i = len(m.out) - 1
		m.out[i].Path = m.path
	}
	f := &m.out[i]
	if !slices.Contains(f.Hosts, h) {
		f.Hosts = append(f.Hosts, h)
	}
	if f.Edit == nil && d.Edit != nil && f.Code == d.Code {
		f.Edit = d.Edit
	}
	if f.Fix == "" {
		f.Fix = d.Fix
	}
	if drops {
		m.drops(i, h)
	}
	if found {
		if does == ignores && f.Code == diag.NameDirMismatch {
			does = doing{" ignores the name and calls it " + name, " ignore the name and call it " + name}
		}
		m.say(i, h, does)
	}
	return i
}

// same reports whether a host's diagnostic is about the trouble of a finding: the
// same code on the same line, or two words of one family for what breaks a line.
func same(f *Finding, d *diag.Diagnostic) bool {
	if f.Code == diag.FieldMissing && d.Code == f.Code && d.Line == 0 {
		return alike(f.Message, d.Message)
	}
	if f.Code == d.Code {
		return f.Line == d.Line || d.Line == 0
	}
	if f.Line != d.Line && d.Line != 0 {
		return false
	}
	if f.Code == diag.FieldList && d.Code == diag.YAMLForbidden && f.Column == d.Column {
		// To one host the brackets are what is wrong, to another the list.
		return true
	}
	a, b := family(f.Code), family(d.Code)
	return a != "" && a == b
}

// family names the codes that say, of one place, the same of different views.
func family(c diag.Code) string {
	switch c {
	case diag.YAMLRepairedValue, diag.YAMLRepairedLines, diag.YAMLInvalid, diag.YAMLDuplicateKey, diag.YAMLForbidden:
		return "yaml"
	case diag.FMNotAtByte0, diag.FMBOM, diag.FMIndented, diag.FMTrailingSpace, diag.FMUnclosed, diag.FMMissing, diag.FMEmpty, diag.FMTooLarge:
		return "frontmatter"
	case diag.FieldBool, diag.FieldList, diag.FieldType, diag.FieldValue, diag.MetadataForm:
		return "value"
	}
	return ""
}

// finish says which hosts do not load the file, and how much each finding matters.
func (m *merger) finish(checked int) {
	for i := range m.out {
		f := &m.out[i]
		slices.Sort(f.Hosts)
		slices.Sort(f.NotLoaded)
		switch {
		case len(f.NotLoaded) > 0 && f.Code == diag.NotRead:
			// A file of instructions that stands back for another is as it should be.
			if f.Severity = diag.Warning; m.instruction {
				f.Severity = diag.Info
			}
		case len(f.NotLoaded) > 0:
			f.Severity = diag.Error
		case checked <= 1 && len(f.Hosts) == 0 && portable(f.Code):
			f.Severity = diag.Info
		}
		if f.Code == diag.FieldSpelling && f.Edit != nil && !f.Mendable() {
			f.Fix += ": hosts that did not know the key heed it from then on"
		}
		f.said = f.Message
		if len(f.NotLoaded) > 0 {
			// Which hosts they are is said next.
			if i := strings.LastIndex(f.Message, ": some hosts "); i >= 0 {
				f.Message = f.Message[:i]
			}
			f.Message += "; not loaded by " + strings.Join(f.NotLoaded, ", ")
		}
		for _, t := range m.tails[i] {
			f.Message += "; " + t.text()
		}
	}
}
