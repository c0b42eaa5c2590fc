package explain

import (
	"slices"
	"strings"
	"unicode"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
)

// lean makes the view parse only what may have the name that is asked for, where
// nothing else can change the verdicts: a host with a budget lists a definition by
// what all others take of it. Directories are walked and files opened as ever, so
// that the limits of the host count as they do for everything.
func (e *explainer) lean(v *view) {
	if len(e.alike) == 0 || v.whole {
		return
	}
	if t := v.profile.Listing; t != nil && t.Budget.Overflow != host.Unbounded {
		return
	}
	parse := v.c.Parser
	v.c.Parser = func(f *discover.Found) *definition.Definition {
		if others, known := e.neutral.byReal[f.Real]; known && !e.alike[alike(f.Name)] && !e.likely(others) {
			return nil
		}
		return parse(f)
	}
}

// names notes what the names have in common that a host could take for those of
// the files that are asked for. There are none where everything is, or where the
// neutral view knows no such file.
func (e *explainer) names() {
	if e.request.All {
		return
	}
	for _, d := range e.neutral.all {
		if e.asked(e.neutral, d) {
			if e.alike == nil {
				e.alike = map[string]bool{alike(e.name): true}
			}
			for _, name := range append([]string{d.Name, d.Title, d.Fields.Name}, d.Aliases...) {
				e.alike[alike(name)] = true
			}
		}
	}
}

// again reads those views in full in which a file has a name that could not be
// foreseen.
func (e *explainer) again(subjects []*subject) error {
	var late []*view
	for _, v := range e.views {
		for _, s := range subjects {
			if d := v.of(s.real); d != nil && len(e.alike) > 0 && !v.whole && !e.alike[alike(d.Name)] {
				v.whole = true
			}
		}
		if v.whole {
			late = append(late, v)
		}
	}
	return catalog.SideBySide(len(late), func(i int) error {
		late[i].c.Close()
		return e.read(late[i])
	})
}

// likely reports whether a host may know a file by a name that is asked for: hosts
// take it from the frontmatter or from the place, and write it in their own ways.
// What the neutral view had to mend may read otherwise elsewhere.
func (e *explainer) likely(list []*definition.Definition) bool {
	for _, d := range list {
		if e.alike[alike(d.Name)] || e.alike[alike(d.Title)] || e.alike[alike(d.Fields.Name)] || d.State == definition.Dropped {
			return true
		}
		if slices.ContainsFunc(d.Aliases, func(a string) bool { return e.alike[alike(a)] }) {
			return true
		}
		if slices.ContainsFunc(d.Diagnostics, func(x diag.Diagnostic) bool { return misread(x.Code) }) {
			return true
		}
	}
	return false
}

// misread reports whether a finding may come with another reading of the fields.
func misread(code diag.Code) bool {
	for _, part := range []string{"FM_", "YAML_", "TOML_", "ENCODING_", "FIELD_"} {
		if strings.HasPrefix(string(code), part) {
			return true
		}
	}
	return false
}

// alikeLength is how many letters of a name are compared: less than any host
// leaves of a long one.
const alikeLength = 32

// alike is what names have in common that a host could take for the same: the
// letters and digits of their last part, up to a length, in lower case.
func alike(name string) string {
	name = strings.TrimSuffix(name, "/")
	if i := strings.LastIndexAny(name, ":/"); i >= 0 && i+1 < len(name) {
		name = name[i+1:]
	}
	var b strings.Builder
	n := 0
	for _, r := range name {
		if n == alikeLength {
			break
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToLower(r))
			n++
		}
	}
	return b.String()
}
