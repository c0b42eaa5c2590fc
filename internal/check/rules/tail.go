package rules

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
)

// doing is what one host, or several, do about a value, in words behind their names.
type doing struct{ one, more string }

// tail is what some hosts do about what a finding is about.
type tail struct {
	doing
	hosts []string
}

// ignores is the one of them that says least.
var ignores = doing{" ignores it", " ignore it"}

// doings are the words with which package parse ends a message.
func doings() []doing {
	return []doing{
		ignores, {" cuts it", " cut it"}, {" takes it for text", " take it for text"}, {" loads it and warns", " load it and warn"},
	}
}

func (t *tail) text() string {
	names := strings.Join(t.hosts, ", ")
	switch {
	case t.doing == ignores:
		return "ignored by " + names
	case len(t.hosts) == 1:
		return names + t.one
	}
	return names + t.more
}

// say notes what a host does about the i-th finding.
func (m *merger) say(i int, h string, does doing) {
	for j := range m.tails[i] {
		if t := &m.tails[i][j]; t.doing == does {
			if !slices.Contains(t.hosts, h) {
				t.hosts = append(t.hosts, h)
			}
			return
		}
	}
	m.tails[i] = append(m.tails[i], tail{does, []string{h}})
}

// impersonal takes the host out of a message that says that it does not load the
// definition, and reports whether it is one: which hosts it are is said once, at
// the end.
func impersonal(h, message string) (text string, drops bool) {
	if rest, ok := strings.CutPrefix(message, h+" does not take the field "); ok {
		return "the field " + strings.TrimSuffix(rest, " here") + " is not known to every host; " + h + ignores.one, false
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

// cutTail takes what the host does from the end of a message.
func cutTail(h, message string) (text string, does doing, ok bool) {
	for _, d := range doings() {
		if text, ok := strings.CutSuffix(message, "; "+h+d.one); ok {
			return text, d, true
		}
	}
	if text, ok := strings.CutSuffix(message, "; its brackets are taken literally by "+h); ok {
		return text, doing{" takes the brackets literally", " take the brackets literally"}, true
	}
	return message, doing{}, false
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
