package mirror

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
)

// Want is one file or link that should stand below the top of a project.
type Want struct {
	Path string
	// Data is what a file holds, with its mark where it has one; a link has its
	// text, relative to its directory, instead.
	Data       []byte
	Executable bool
	Link       string
	// Source is what it is made of, below the top: for a link where it leads.
	Source string
	Hosts  []string
	// Main is the path of the file that this one accompanies, "" for none: where
	// that one is Vade's, an equal file beside it is too.
	Main string
	// Alike reports whether a file of the project's own says the same as this one; nil:
	// only the same text does.
	Alike func(data []byte) bool
	// NoLinks: a host of it does not follow a link to a file.
	NoLinks bool
	// Else are the files that are made in the place of a link where a directory of
	// the project's own stands.
	Else []Want
}

// Options say how a plan is made.
type Options struct {
	// Scope are the hosts that are looked after; nil is all. What was made for
	// others stays.
	Scope []string
	// Force overwrites what is not Vade's, or was edited: at the paths of Only and
	// below them, or where there are none everywhere.
	Force bool
	Only  []string
	// NoRunBits: the right to run files is nothing here.
	NoRunBits bool
	// TextLinks: git writes files with the text of a link in the place of links here.
	TextLinks bool
	// Source reports whether a path is in the source of truth; nil: none is. Makes
	// reports whether data is what is made of an entry's source at its path, as far
	// as that is there; nil: it never is. See [maker.believed].
	Source func(path string) bool
	Makes  func(e Entry, data []byte) bool
	// Bad says why a path is not written, or "".
	Bad func(path string) string
}

// Action is what is done at a path.
type Action string

// The actions.
const (
	Create Action = "create"
	Update Action = "update"
	Remove Action = "remove"
	Link   Action = "link"
	Unlink Action = "unlink"
)

// Step is one thing that is done.
type Step struct {
	Action Action
	Path   string
	Source string
	Hosts  []string
	// Before and After are the contents of a file, Link the text of a link.
	Before, After []byte
	Executable    bool
	Link          string
	// Forced: what is overwritten or removed is not as Vade has made it.
	Forced bool
	// Adopted: what is updated was the project's own before it was kept in step.
	Adopted bool
}

// Plan is what brings a project in step.
type Plan struct {
	Steps []Step
	// Problems are what hinders; what they are about is left as it is.
	Problems []diag.Diagnostic
	// Same is the number of files and links that are in step already, Own that of
	// those among them that Vade has not made.
	Same, Own int
	// State is what will have been made.
	State *State

	before *State
	mkdirs []string
	rmdirs []string
}

// Recorded reports whether the state changes.
func (p *Plan) Recorded() bool { return string(p.State.Format()) != string(p.before.Format()) }

// Make compares what should stand with what stands. It changes nothing.
func Make(disk Reader, before *State, wants []Want, o Options) *Plan {
	before.sort()
	m := maker{
		looker:  looker{disk: disk, gone: map[string]bool{}, dirs: map[string]*listing{}},
		Options: o, before: before, wanted: map[string]*Want{}, left: map[string]bool{}, mkdirs: map[string]bool{},
		p: &Plan{State: &State{Version: 1, NoLinks: before.NoLinks}, before: before},
	}
	m.companions = companionsOf(wants)
	m.want(m.instead(wants))
	m.removals()
	m.emptied()
	for _, main := range []bool{true, false} {
		for _, p := range m.order {
			if w := m.wanted[p]; (w.Main == "") == main {
				m.place(w)
			}
		}
	}
	m.keepDirs()
	slices.SortStableFunc(m.p.Steps, func(a, b Step) int { return cmp.Compare(a.Path, b.Path) })
	m.p.State.sort()
	return m.p
}

// maker makes one plan.
type maker struct {
	looker
	Options
	before *State
	wanted map[string]*Want
	order  []string
	// left are the wanted paths that are left as they are.
	left map[string]bool
	// cleared are files of the project's own that make room for a link, by force.
	cleared []string
	// companions are the digests of the files beside skills that should stand.
	companions map[string]bool
	// mkdirs are the directories that are to be made.
	mkdirs map[string]bool
	p      *Plan
}

func (m *maker) problem(code diag.Code, path, fix, format string, args ...any) {
	m.p.Problems = append(m.p.Problems, diag.For(path, code, format, args...).WithFix("%s", fix))
}

// forced reports whether what stands at a path may be overwritten whatever it is.
func (m *maker) forced(p string) bool {
	return m.Force && (len(m.Only) == 0 || slices.ContainsFunc(m.Only, func(at string) bool {
		return p == at || at == "." || strings.HasPrefix(p, at+"/")
	}))
}

func (m *maker) inScope(host string) bool { return m.Scope == nil || slices.Contains(m.Scope, host) }

// removals plans what goes: what was made and is not wanted any more.
func (m *maker) removals() {
	done := map[string]bool{}
	for _, e := range m.before.Files {
		if done[e.Path] {
			continue
		}
		done[e.Path] = true
		w := m.wanted[e.Path]
		left := slices.DeleteFunc(slices.Clone(e.Hosts), m.inScope)
		if w != nil {
			w.Hosts = union(w.Hosts, left)
			if (w.Link == "") == (e.Link == "") {
				continue
			}
		} else if len(left) > 0 {
			e.Hosts = left
			m.p.State.Files = append(m.p.State.Files, e)
			continue
		}
		m.remove(e.Path, w != nil)
	}
	slices.Sort(m.cleared)
	for _, p := range m.cleared {
		if t := m.look(p); t.what == file {
			m.gone[p] = true
			m.p.Steps = append(m.p.Steps, Step{Action: Remove, Path: p, Source: m.wantedAt(p), Before: t.data, Forced: true})
		}
	}
}

// wantedAt is the source of the link that takes the place of a file.
func (m *maker) wantedAt(p string) string {
	for d := dir(p); d != "."; d = dir(d) {
		if w := m.wanted[d]; w != nil {
			return w.Source + strings.TrimPrefix(p, d)
		}
	}
	return ""
}

// remove plans the removal of what was made at a path. again: something else is
// wanted there.
func (m *maker) remove(p string, again bool) {
	entries := m.before.of(p)
	t := m.look(p)
	s := Step{Action: Remove, Path: p, Source: entries[0].Source, Hosts: entries[0].Hosts, Before: t.data}
	switch t.what {
	case link:
		s.Action, s.Link = Unlink, t.link
		if !m.believed(entries, t) {
			return
		}
	case file:
		switch {
		case adopted(entries) && !m.replaced(p):
			if !m.sourceGone(entries[0].Source) {
				// It is wanted no more, and the project's own again.
				return
			}
			if m.named(p) {
				s.Forced = true
				break
			}
			m.problem(diag.SyncForeign, p, "remove it, or have it removed with: vade sync --force "+p,
				"its source %s is not there any more; the file was the project's own before it was kept in step: it is not removed", entries[0].Source)
			m.p.State.Files = append(m.p.State.Files, entries...)
			return
		case m.believed(entries, t):
			s.Forced = adopted(entries)
		case m.named(p), m.forced(p) && (again || m.replaced(p) || marked(t.data)):
			s.Forced = true
		case again:
			return
		case ours(entries, t) && m.named(skillOf(p)):
			s.Forced = true
		case ours(entries, t):
			m.problem(diag.SyncOrphan, p, "if you do not need it: vade sync --force "+cmp.Or(skillOf(p), p)+"; if it is your own, take its entry out of "+StateFile,
				"%s says that it was made of %s for %s, of which it is not made now; nothing in the file shows it: it is not removed", StateFile, entries[0].Source, strings.Join(entries[0].Hosts, ", "))
			m.p.State.Files = append(m.p.State.Files, entries...)
			return
		default:
			m.problem(diag.SyncEdited, p, "take what you need from it and remove it, or have it removed with: vade sync --force "+p,
				"it was made of %s, which is not there any more for %s, and was edited since: it is not removed", entries[0].Source, strings.Join(entries[0].Hosts, ", "))
			m.p.State.Files = append(m.p.State.Files, entries...)
			return
		}
	default:
		// What was made is not there any more.
		return
	}
	m.gone[p] = true
	m.p.Steps = append(m.p.Steps, s)
}

// replaced reports whether a link is wanted above a path.
func (m *maker) replaced(p string) bool { return slices.Contains(m.cleared, p) }

// sourceGone reports whether what a file was made of is not there any more.
func (m *maker) sourceGone(source string) bool {
	return source != "" && m.look(source).what == nothing
}

// emptied plans which of the directories that were made go, the deepest first.
func (m *maker) emptied() {
	dirs := slices.Clone(m.before.Dirs)
	slices.SortFunc(dirs, func(a, b string) int {
		return cmp.Or(strings.Count(b, "/")-strings.Count(a, "/"), cmp.Compare(a, b))
	})
	held := m.held()
	for _, d := range dirs {
		if !m.needed(d) && held[d] {
			m.removeDir(d)
		}
	}
}

// held are the directories from below which something goes, or went when the run before
// this one ended too early. That a directory was made is not enough.
func (m *maker) held() map[string]bool {
	all := map[string]bool{}
	for i := range m.p.Steps {
		above(m.p.Steps[i].Path, all)
	}
	for i := range m.before.Files {
		if m.before.Pending {
			above(m.before.Files[i].Path, all)
		}
	}
	return all
}

// above adds the directories above a path to others, of which those above are there too.
func above(p string, all map[string]bool) {
	for d := dir(p); d != "." && !all[d]; d = dir(d) {
		all[d] = true
	}
}

// removeDir plans the removal of a directory that becomes empty.
func (m *maker) removeDir(d string) bool {
	if t := m.look(d); t.what != directory {
		return false
	}
	if left, err := m.list(d); err != nil || len(left) > 0 {
		return false
	}
	m.gone[d] = true
	m.p.rmdirs = append(m.p.rmdirs, d)
	return true
}

// needed reports whether something is wanted below a directory.
func (m *maker) needed(d string) bool {
	at, _ := slices.BinarySearch(m.order, d+"/")
	return at < len(m.order) && strings.HasPrefix(m.order[at], d+"/")
}

// keepDirs carries over the directories that were made and stay.
func (m *maker) keepDirs() {
	m.p.State.Dirs = slices.Clone(m.p.mkdirs)
	holds := map[string]bool{}
	for _, e := range m.p.State.Files {
		above(e.Path, holds)
	}
	for _, d := range m.before.Dirs {
		if !m.gone[d] && holds[d] && m.look(d).what == directory {
			m.p.State.Dirs = append(m.p.State.Dirs, d)
		}
	}
}

// parents plans the directories above a path.
func (m *maker) parents(p string) {
	var missing []string
	for d := dir(p); d != "."; d = dir(d) {
		if t := m.look(d); t.what != nothing || m.mkdirs[d] {
			break
		}
		m.mkdirs[d] = true
		missing = append(missing, d)
	}
	slices.Reverse(missing)
	m.p.mkdirs = append(m.p.mkdirs, missing...)
}

func union(a, b []string) []string {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}

func join(elements ...string) string { return path.Join(elements...) }

// linkText is the text of a link at a path that leads to another path of the
// project.
func linkText(at, to string) string {
	from, target := strings.Split(dir(at), "/"), strings.Split(to, "/")
	if from[0] == "." {
		from = nil
	}
	for len(from) > 0 && len(target) > 1 && from[0] == target[0] {
		from, target = from[1:], target[1:]
	}
	return strings.Repeat("../", len(from)) + strings.Join(target, "/")
}

// LinkTo returns the Want of a link at a path to a directory of the project; instead
// are the files that are as good where it can not stand.
func LinkTo(at, to string, hosts []string, instead []Want) Want {
	return Want{Path: at, Link: linkText(at, to), Source: to, Hosts: hosts, Else: instead}
}
