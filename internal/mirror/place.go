package mirror

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/vfs"
)

// place plans what is done where something should stand.
func (m *maker) place(w *Want) {
	if m.left[w.Main] {
		m.keep(w.Path)
		return
	}
	t := m.look(w.Path)
	switch {
	case t.what == behindLink && m.leadsTo(w) && m.asGood(w):
		m.p.Same++
		m.p.Own++
	case t.what == behindLink && m.leadsTo(w):
		m.leave(w, diag.SyncBlocked, "remove the link "+t.at+", and run vade sync again",
			"%s is a symbolic link to the source of truth, and %s reads %s otherwise than what would be made of it", t.at, strings.Join(w.Hosts, ", "), w.Source)
	case t.what == behindLink, t.what == underFile, t.what == otherCase, t.what == other:
		m.leave(w, diag.SyncBlocked, "move it away, or leave the kind out with sync: exclude: in vade.yaml", "the copy of %s for %s is not written: %s", w.Source, strings.Join(w.Hosts, ", "), describe(t))
	case w.Link != "":
		m.placeLink(w, t)
	default:
		m.placeFile(w, t)
	}
}

// leave reports why a path is left as it is, and what accompanies it with it.
func (m *maker) leave(w *Want, code diag.Code, fix, format string, args ...any) {
	m.problem(code, w.Path, fix, format, args...)
	m.keep(w.Path)
	m.left[w.Path] = true
}

// keep carries over what the state says of a path that is left as it is.
func (m *maker) keep(p string) {
	m.p.State.Files = append(m.p.State.Files, m.before.of(p)...)
}

func (m *maker) made(w *Want) {
	e := Entry{Path: w.Path, Source: w.Source, Hosts: w.Hosts, Link: w.Link}
	if w.Link == "" {
		e.Digest = Digest(w.Data)
		e.Adopted = m.before.Adopted(w.Path) && !m.gone[w.Path]
	}
	m.p.State.Files = append(m.p.State.Files, e)
}

// adopt takes over a file of the project's own that says the same as what should
// stand there.
func (m *maker) adopt(w *Want, t thing) {
	m.p.Same++
	m.p.Own++
	m.p.State.Files = append(m.p.State.Files, Entry{Path: w.Path, Source: w.Source, Hosts: w.Hosts, Digest: Digest(t.data), Adopted: true})
}

func (m *maker) step(w *Want, a Action, t thing) *Step {
	m.p.Steps = append(m.p.Steps, Step{
		Action: a, Path: w.Path, Source: w.Source, Hosts: w.Hosts, Before: t.data, After: w.Data, Executable: w.Executable, Link: w.Link,
	})
	return &m.p.Steps[len(m.p.Steps)-1]
}

// leadsTo reports whether a path leads to what should be there, by a link of the
// project's own.
func (m *maker) leadsTo(w *Want) bool {
	real, err := m.disk.Real(w.Path)
	return err == nil && real == w.Source
}

// asGood reports whether the source itself says what should stand in the place of a
// link to it.
func (m *maker) asGood(w *Want) bool {
	if w.Link != "" {
		return true
	}
	data, err := m.disk.ReadFile(w.Source, maxFile)
	return err == nil && (string(data) == string(w.Data) || m.twin(w, thing{what: file, data: data}))
}

func (m *maker) placeFile(w *Want, t thing) {
	entries := m.before.of(w.Path)
	switch t.what {
	case nothing:
		m.parents(w.Path)
		m.step(w, Create, t)
		m.made(w)
	case file:
		m.overFile(w, t, entries)
	case link:
		switch {
		case m.leadsTo(w) && m.asGood(w) && !w.NoLinks:
			m.p.Same++
			m.p.Own++
		case m.forced(w.Path):
			s := m.step(w, Unlink, t)
			s.Link, s.Forced = t.link, true
			m.step(w, Create, thing{})
			m.made(w)
		case m.leadsTo(w):
			reads := "reads that otherwise than what would be made of it"
			if w.NoLinks {
				reads = "follows no links to files"
			}
			m.leave(w, diag.SyncForeign, "have a file made in its place: vade sync --force "+w.Path,
				"it is a link to %s itself, and %s %s", w.Source, strings.Join(w.Hosts, ", "), reads)
		default:
			m.foreign(w, "a link to "+t.link+" stands")
		}
	default:
		m.leave(w, diag.SyncBlocked, "move it away", "the copy of %s for %s is not written: %s", w.Source, strings.Join(w.Hosts, ", "), describe(t))
	}
}

// overFile plans what becomes of a file where a file should stand.
func (m *maker) overFile(w *Want, t thing, entries []Entry) {
	same := string(t.data) == string(w.Data)
	source, intact, marked := ReadMark(t.data)
	// Anybody can write a mark. It counts where the state knows the file, or where it
	// names what the file is made of.
	marked = marked && (len(entries) > 0 || source == w.Source)
	mine := len(entries) > 0 || marked
	if same && !mine {
		mine = m.besideMine(w)
	}
	own := !mine || adopted(entries)
	runs := m.NoRunBits || t.run == w.Executable
	switch {
	case own && (same || m.twin(w, t)):
		m.adopt(w, t)
	case same && runs:
		m.p.Same++
		m.made(w)
	case same || intact && marked || m.proven(w, t, entries):
		m.step(w, Update, t).Adopted = own
		m.made(w)
	case m.forced(w.Path):
		m.step(w, Update, t).Forced = true
		m.made(w)
	case conflicted(t.data):
		code := diag.SyncForeign
		if mine {
			code = diag.SyncEdited
		}
		m.leave(w, code, "resolve "+w.Source+" first, then have this file made again: vade sync --force "+w.Path,
			"git has left the marks of a merge in it: it is not overwritten")
	case ours(entries, t):
		m.foreign(w, "a file stands of which "+StateFile+" alone says that it was made,")
	case mine:
		was := "was made of"
		if own {
			was = "was in step with"
		}
		m.leave(w, diag.SyncEdited, "put the change into "+w.Source+", then overwrite the file with: vade sync --force "+w.Path,
			"it %s %s, and was edited since: it is not overwritten", was, w.Source)
	default:
		m.foreign(w, "a file that Vade has not made stands")
	}
}

// besideMine reports whether the file that this one accompanies is Vade's.
func (m *maker) besideMine(w *Want) bool {
	if w.Main == "" {
		return false
	}
	if had := m.before.of(w.Main); len(had) > 0 {
		return !adopted(had)
	}
	t, main := m.look(w.Main), m.wanted[w.Main]
	source, _, marked := ReadMark(t.data)
	return t.what == file && marked && main != nil && source == main.Source
}

// twin reports whether a file is the project's own and as good as what should stand:
// the same but for the mark, or in other words for the host.
func (m *maker) twin(w *Want, t thing) bool {
	rest, found := unmark(w.Data)
	return found && string(rest) == string(t.data) || w.Alike != nil && w.Alike(t.data)
}

func (m *maker) foreign(w *Want, what string) {
	m.leave(w, diag.SyncForeign, "see the difference: vade sync --dry-run --force "+w.Path+"; if nothing in this file is newer: vade sync --force "+w.Path+"; else put what is newer into "+w.Source+", or move the file away",
		"%s where the copy of %s for %s would go", what, w.Source, strings.Join(w.Hosts, ", "))
}

// conflicted reports whether git has left the marks of a merge in a file.
func conflicted(data []byte) bool {
	begun, split := false, false
	for line := range bytes.Lines(data) {
		switch {
		case bytes.HasPrefix(line, []byte("<<<<<<< ")):
			begun, split = true, false
		case begun && bytes.HasPrefix(line, []byte("=======")):
			split = true
		case begun && split && bytes.HasPrefix(line, []byte(">>>>>>> ")):
			return true
		}
	}
	return false
}

func (m *maker) placeLink(w *Want, t thing) {
	entries := m.before.of(w.Path)
	switch t.what {
	case nothing:
		m.parents(w.Path)
		m.step(w, Link, t)
		m.made(w)
	case link:
		switch {
		case t.link == w.Link:
			m.p.Same++
			m.made(w)
		case ours(entries, t) && slices.ContainsFunc(entries, func(e Entry) bool { return e.Link == t.link && canonical(e) }):
			m.step(w, Unlink, t).Link = t.link
			m.step(w, Link, thing{})
			m.made(w)
		case m.leadsTo(w):
			m.p.Same++
			m.p.Own++
		case m.forced(w.Path):
			s := m.step(w, Unlink, t)
			s.Link, s.Forced = t.link, true
			m.step(w, Link, thing{})
			m.made(w)
		default:
			m.foreign(w, "a link to "+t.link+" stands")
		}
	case directory:
		switch {
		case m.removeTree(w.Path, 0):
			m.step(w, Link, thing{})
			m.made(w)
		default:
			m.leave(w, diag.SyncForeign, "bring it into the source of truth with vade import, or move it away; --force does not remove directories",
				"a directory that Vade has not made stands where the link to %s for %s would go", w.Source, strings.Join(w.Hosts, ", "))
		}
	case file:
		if !m.forced(w.Path) {
			m.foreign(w, "a file that Vade has not made stands")
			return
		}
		s := m.step(w, Remove, t)
		s.Forced, s.Link = true, ""
		m.step(w, Link, thing{})
		m.made(w)
	}
}

// removeTree plans the removal of a directory with nothing but directories in it.
func (m *maker) removeTree(d string, depth int) bool {
	left, err := m.list(d)
	if err != nil || depth > maxDepth {
		return false
	}
	for _, e := range left {
		if e.Type != vfs.Dir || !m.removeTree(join(d, e.Name), depth+1) {
			return false
		}
	}
	return m.removeDir(d)
}

// describe says what is in the way.
func describe(t thing) string {
	switch t.what {
	case behindLink:
		return fmt.Sprintf("%s is a symbolic link, and nothing is written through one", t.at)
	case underFile:
		return t.at + " is a file, not a directory"
	case otherCase:
		return fmt.Sprintf("%s stands there as %q, which is the same name to this file system", t.at, t.as)
	case directory:
		return "a directory stands there"
	}
	if t.err != nil {
		return t.at + ": " + reason(t.err)
	}
	return t.at + ": " + vfs.ErrNotRegular.Error()
}
