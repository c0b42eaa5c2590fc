package mirror

import (
	"path"
	"slices"
	"strings"
)

// believed reports whether what stands at a path was made by Vade, so that it may be
// removed. The word of the state is not enough for that, as it comes with the files of
// the project and anybody can have written it. A file counts that has the mark and is
// as it was made; so does what has no mark, and is besides as the state says:
//   - a link that leads to its source as links do that are made;
//   - a file beside a SKILL.md with the mark, where the source of truth holds the same
//     text beside a skill, so that nothing is lost by it;
//   - what would be made of its source again.
//
// In the source of truth only the first three are. Whose a file was that has no mark,
// and of which the source is gone, nothing tells.
func (m *maker) believed(entries []Entry, t thing) bool {
	if !ours(entries, t) {
		return m.TextLinks && slices.ContainsFunc(entries, func(e Entry) bool {
			return t.what == file && strings.TrimRight(string(t.data), "\r\n") == e.Link && canonical(e)
		})
	}
	if t.what == link {
		return slices.ContainsFunc(entries, func(e Entry) bool { return e.Link == t.link && canonical(e) && !m.leadsAstray(e) })
	}
	if _, intact, found := ReadMark(t.data); found && intact {
		return true
	}
	return slices.ContainsFunc(entries, func(e Entry) bool {
		return e.Digest == Digest(t.data) &&
			(m.repeats(e, t.data) || m.Makes != nil && (m.Source == nil || !m.Source(e.Path)) && m.Makes(e, t.data))
	})
}

// proven reports whether a file may be overwritten by what is made anew. Where that has a
// mark the file has to have had one, unless it says what is made but for the mark, lies
// beside a SKILL.md with the mark, or is made of its source again. A file of a form that
// takes no mark, and one that was the project's own and has none yet, is known by the
// state alone: by its digest, and by naming the source that it is made of now. Nothing
// that its writer had not got can be lost by that, as a digest is not known without the
// text.
func (m *maker) proven(w *Want, t thing, entries []Entry) bool {
	if rest, found := unmark(w.Data); found && len(entries) > 0 && string(rest) == string(t.data) {
		return true
	}
	bears := marked(w.Data)
	if main := m.wanted[w.Main]; main != nil {
		bears = marked(main.Data)
	}
	return slices.ContainsFunc(entries, func(e Entry) bool {
		return e.Digest != "" && e.Digest == Digest(t.data) &&
			(e.Source == w.Source && (e.Adopted || !bears) || m.goesWith(w, e) || m.Makes != nil && m.Makes(e, t.data))
	})
}

// ours reports whether what stands at a path is as the state says that Vade has made it,
// or as its mark says where the state knows the path.
func ours(entries []Entry, t thing) bool {
	for _, e := range entries {
		switch {
		case t.what == link && e.Link == t.link && e.Link != "":
			return true
		case t.what == file && e.Digest != "" && e.Digest == Digest(t.data):
			return true
		}
	}
	if t.what != file || len(entries) == 0 {
		return false
	}
	_, intact, found := ReadMark(t.data)
	return found && intact
}

// canonical reports whether a link is written as those are that lead to its source.
func canonical(e Entry) bool {
	return e.Link != "" && e.Source != "" && e.Link == linkText(e.Path, e.Source)
}

// leadsAstray reports whether a link leads to something that is in no source of truth.
func (m *maker) leadsAstray(e Entry) bool {
	return m.Source != nil && !m.Source(e.Source) && m.look(e.Source).what != nothing
}

// accompanied is the path of the SKILL.md with the mark that a file lies beside, and what
// that was made of; "" where there is none.
func (m *maker) accompanied(e Entry) (main, source string) {
	for d := dir(e.Path); d != "."; d = dir(d) {
		main := d + "/SKILL.md"
		if len(m.before.of(main)) == 0 {
			continue
		}
		// It may count as gone already.
		data, err := m.disk.ReadFile(main, maxFile)
		if err != nil {
			continue
		}
		if source, intact, _ := ReadMark(data); intact {
			return main, source
		}
		return "", ""
	}
	return "", ""
}

// accompanies reports whether a file lies beside a SKILL.md with the mark, under the name
// that it has beside the source of that. It is the state that says so: the file may still
// be anybody's.
func (m *maker) accompanies(e Entry) bool {
	main, source := m.accompanied(e)
	return main != "" && e.Source == join(dir(source), strings.TrimPrefix(e.Path, dir(main)))
}

// repeats reports whether a file beside a SKILL.md with the mark says what its source
// says, or what another file beside a skill does that is copied now: the skill may have
// another name, or the file.
func (m *maker) repeats(e Entry, data []byte) bool {
	if !m.accompanies(e) {
		return false
	}
	if m.companions[Digest(data)] {
		return true
	}
	source, err := m.disk.ReadFile(e.Source, maxFile)
	return err == nil && string(source) == string(data)
}

// goesWith reports whether what stands where a file beside a skill should was made with
// the SKILL.md that has the mark there.
func (m *maker) goesWith(w *Want, e Entry) bool {
	main, source := m.accompanied(e)
	return main != "" && main == w.Main && (m.accompanies(e) || e.Source == source && w.Source == source)
}

// companionsOf are the digests of the files beside skills that should stand.
func companionsOf(wants []Want) map[string]bool {
	all := map[string]bool{}
	for i := range wants {
		for _, w := range append(wants[i].Else, wants[i]) {
			if w.Main != "" {
				all[Digest(w.Data)] = true
			}
		}
	}
	return all
}

// marked reports whether a file says of itself that it was made.
func marked(data []byte) bool {
	_, _, found := ReadMark(data)
	return found
}

// named reports whether the user has named a path itself to be forced.
func (m *maker) named(p string) bool { return m.Force && slices.Contains(m.Only, p) }

// skillOf is the directory of the skill that a file lies beside by its path, "" for none.
func skillOf(p string) string {
	for d := dir(p); d != "."; d = dir(d) {
		if path.Base(dir(d)) == "skills" && path.Base(p) != "SKILL.md" {
			return d
		}
	}
	return ""
}

// Claims finds entries for paths in the source of truth that nothing but the state
// says were made, and takes them out. What is not there, a link as they are made, a file
// with a mark and what lies beside one stay, and so does what bears accepts.
func (s *State) Claims(disk Reader, source func(path string) bool, bears func(Entry) bool) []Entry {
	s.sort()
	m := maker{looker: looker{disk: disk, gone: map[string]bool{}, dirs: map[string]*listing{}}, Options: Options{Source: source}, before: s}
	var claims, rest []Entry
	for _, e := range s.Files {
		ok := true
		if source(e.Path) {
			switch t := m.look(e.Path); t.what {
			case file:
				ok = marked(t.data) || m.accompanies(e) || bears(e)
			case link:
				ok = t.link == e.Link && canonical(e) && !m.leadsAstray(e)
			case nothing:
			default:
				ok = false
			}
		}
		if ok {
			rest = append(rest, e)
		} else {
			claims = append(claims, e)
		}
	}
	s.Files = rest
	return claims
}
