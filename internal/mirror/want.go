package mirror

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/vfs"
)

// instead takes the files in the place of those links that would have to go where
// a directory with something of the project's own stands.
func (m *maker) instead(wants []Want) []Want {
	var all []Want
	for i := range wants {
		w := &wants[i]
		if w.Link == "" || len(w.Else) == 0 || m.look(w.Path).what != directory {
			all = append(all, *w)
			continue
		}
		may := map[string]bool{}
		for _, e := range w.Else {
			// What would be overwritten by each of the files can be a link at once.
			may[e.Path] = m.forced(e.Path)
		}
		if !m.onlyOurs(w.Path, may, 0) {
			all = append(all, w.Else...)
			continue
		}
		for p := range may {
			if had := m.before.of(p); may[p] && (len(had) == 0 || adopted(had)) {
				m.cleared = append(m.cleared, p)
			}
		}
		all = append(all, *w)
	}
	return all
}

// onlyOurs reports whether all files in a directory are as Vade has made them, or may
// be overwritten.
func (m *maker) onlyOurs(d string, may map[string]bool, depth int) bool {
	entries, err := m.list(d)
	if err != nil || depth > maxDepth || len(entries) == 0 && !slices.Contains(m.before.Dirs, d) {
		return false
	}
	return !slices.ContainsFunc(entries, func(e vfs.Entry) bool {
		p := join(d, e.Name)
		if e.Type == vfs.Dir {
			return !m.onlyOurs(p, may, depth+1)
		}
		if e.Type == vfs.File && may[p] {
			return false
		}
		had := m.before.of(p)
		return len(had) == 0 || adopted(had) || !m.believed(had, m.read(p, e.Type))
	})
}

// want takes what should stand, each path once.
func (m *maker) want(wants []Want) {
	for i := range wants {
		w := &wants[i]
		if why := m.Bad(w.Path); why != "" {
			m.problem(diag.SyncBlocked, w.Source, "give the definition another name", "the copy for %s is not written: its path %s", strings.Join(w.Hosts, ", "), why)
			continue
		}
		if old := m.wanted[w.Path]; old != nil {
			if string(old.Data) == string(w.Data) && old.Link == w.Link && old.Executable == w.Executable {
				old.Hosts, old.NoLinks = union(old.Hosts, w.Hosts), old.NoLinks || w.NoLinks
				continue
			}
			m.clash(w, old)
			continue
		}
		m.wanted[w.Path] = w
		m.order = append(m.order, w.Path)
	}
	slices.Sort(m.order)
	// A link and what stands behind it would be two things in one place; so would
	// two names that some file systems take for one.
	spelled := map[string]*Want{}
	m.order = slices.DeleteFunc(m.order, func(p string) bool {
		w := m.wanted[p]
		first := m.over(w, spelled)
		if first != nil {
			m.clash(w, first)
			delete(m.wanted, p)
			return true
		}
		for d := p; d != "."; d = dir(d) {
			if name := fold(d); spelled[name] == nil {
				spelled[name] = w
			}
		}
		return false
	})
}

// over returns what stands already where something should, or above it: a file or
// link there, or a name that is the same but for its capitals and the way its accents are written.
func (m *maker) over(w *Want, spelled map[string]*Want) *Want {
	for d := w.Path; d != "."; d = dir(d) {
		if first := m.wanted[d]; first != nil && first != w {
			return first
		}
		if first := spelled[fold(d)]; first != nil && first.Path != d && !strings.HasPrefix(first.Path, d+"/") {
			return first
		}
	}
	return nil
}

func (m *maker) clash(w, first *Want) {
	m.problem(diag.SyncClash, w.Path, "leave the kind out for one of the hosts with sync: exclude: in vade.yaml, or rename one of the definitions",
		"%s is to be made of %s for %s, and %s of %s for %s: the first is made", w.Path, first.Source, strings.Join(first.Hosts, ", "),
		w.Path, w.Source, strings.Join(w.Hosts, ", "))
}
