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
	text, does := cutTail(h, text)
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
	if does == "ignored" && f.Code == diag.NameDirMismatch {
		does = "called " + name
	}
	if does != "" {
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
		if f.Code == diag.FieldSpelling && f.Edit != nil && !f.Fixable() {
			f.Fix += ": hosts that did not know the key honor it from then on"
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
			f.Message += "; " + t.does + " by " + strings.Join(t.hosts, ", ")
		}
	}
}

// tail is what some hosts do about what a finding is about, such as "ignored".
type tail struct {
	does  string
	hosts []string
}

// cutTail takes what the host does from the end of a message of package parse.
func cutTail(h, message string) (text, does string) {
	for _, end := range [...][2]string{
		{"; " + h + " ignores it", "ignored"}, {"; " + h + " cuts it", "cut"}, {"; " + h + " takes it for text", "taken for text"},
		{"; " + h + " loads it and warns", "loaded with a warning"},
		{"; its brackets are taken literally by " + h, "its brackets taken literally"},
	} {
		if text, ok := strings.CutSuffix(message, end[0]); ok {
			return text, end[1]
		}
	}
	return message, ""
}

// say notes what a host does about the i-th finding.
func (m *merger) say(i int, h, does string) {
	at := slices.IndexFunc(m.tails[i], func(t tail) bool { return t.does == does })
	if at < 0 {
		at = len(m.tails[i])
		m.tails[i] = append(m.tails[i], tail{does: does})
	}
	if t := &m.tails[i][at]; !slices.Contains(t.hosts, h) {
		t.hosts = append(t.hosts, h)
	}
}

// impersonal takes the host out of a message that says that it does not load the
// definition, and reports whether it is one: which hosts it are is said once, at
// the end.
func impersonal(h, message string) (text string, drops bool) {
	if rest, ok := strings.CutPrefix(message, h+" does not take the field "); ok {
		return "the field " + strings.TrimSuffix(rest, " here") + " is not known to every host; " + h + " ignores it", false
	}
	rest, drops := strings.CutPrefix(message, h+" does not load ")
	if !drops {
		return some(message), false
	}
	if what, ok := strings.CutPrefix(rest, "it: "); ok {
		if field, ok := strings.CutPrefix(what, "it knows no field "); ok {
			name, kind, _ := strings.Cut(field, " in a")
			return "the field " + name + " is not known in a" + kind, true
		}
		return what, true
	}
	if _, why, ok := strings.Cut(rest, " without frontmatter: "); ok {
		return "there is no frontmatter: " + some(why), true
	}
	what, why, ok := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(rest, "a "), "an "), " ")
	for _, link := range []string{"whose ", "that "} {
		if said, linked := strings.CutPrefix(why, link); ok && linked {
			if link == "whose " {
				return "the " + said, true
			}
			return "the " + what + " " + said, true
		}
	}
	return "it does not load " + rest, true
}

// some makes words about the host at hand words about some hosts: which they are is
// said elsewhere.
func some(message string) string {
	return strings.NewReplacer("this host takes", "some hosts take", "this host sees", "some hosts see", "this host ends", "some hosts end").Replace(message)
}

// hiding returns the diagnostic of a view that says why the host sees nothing of the
// frontmatter, or nil.
func (m *merger) hiding(list []diag.Diagnostic) *diag.Diagnostic {
	for i := range list {
		d := &list[i]
		switch family(d.Code) {
		case "frontmatter":
			if hides(d.Code) || strings.Contains(d.Message, "this host") {
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

// missing reports whether reading, which sees all that any host sees, found a field
// missing too.
func (m *merger) missing(d *diag.Diagnostic) bool {
	return slices.ContainsFunc(m.read, func(r diag.Diagnostic) bool { return r.Code == d.Code && alike(r.Message, d.Message) })
}

// alike reports whether two messages are about the same of the fields that may be
// missing: the one may be about the name and the other about the description.
func alike(a, b string) bool {
	return strings.Contains(a, "description") == strings.Contains(b, "description")
}

// hides reports whether a code says that there is no frontmatter to any host.
func hides(c diag.Code) bool {
	switch c {
	case diag.FMUnclosed, diag.FMTooLarge, diag.FMEmpty, diag.FMMissing:
		return true
	}
	return false
}

// absorb makes one finding of those that follow from one: without frontmatter there
// is no field either, and where it does not end, the body is no YAML.
func (m *merger) absorb() {
	root := slices.IndexFunc(m.out, func(f Finding) bool { return hides(f.Code) })
	if root < 0 {
		return
	}
	var out []Finding
	tails := map[int][]tail{}
	at := 0
	for i := range m.out {
		if c := m.out[i].Code; i != root && (c == diag.FieldMissing || family(c) == "yaml") {
			m.out[root].join(&m.out[i])
		}
	}
	for i := range m.out {
		if c := m.out[i].Code; i != root && (c == diag.FieldMissing || family(c) == "yaml") {
			continue
		}
		out, tails[at] = append(out, m.out[i]), m.tails[i]
		at++
	}
	m.out, m.tails = out, tails
}

// join adds the hosts of another finding.
func (f *Finding) join(other *Finding) {
	for _, h := range other.Hosts {
		if !slices.Contains(f.Hosts, h) {
			f.Hosts = append(f.Hosts, h)
		}
	}
	for _, h := range other.NotLoaded {
		if !slices.Contains(f.NotLoaded, h) {
			f.NotLoaded = append(f.NotLoaded, h)
		}
	}
}
