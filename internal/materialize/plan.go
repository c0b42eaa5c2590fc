package materialize

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/syncstate"
	"github.com/vadehq/vade/internal/vfs"
)

// want is one file or link that a host needs.
type want struct {
	path string
	// data is the content of a file; a link has its text instead.
	data       []byte
	executable bool
	link       string
	// source is what it is made from; a link leads there.
	source string
	hosts  []string
	// noLinks: a host does not follow a link to this file.
	noLinks bool
	// instead are the files to write where the link cannot be.
	instead []want
}

// plan is what brings a project in step, and the state afterwards.
type plan struct {
	steps    []Step
	problems []diag.Diagnostic
	// same counts what is in step already, own those among them that the project has by
	// itself.
	same, own     int
	before, after *syncstate.State
}

// planner compares what hosts need with what is there. A path that is recorded with the
// digest of what is there may be changed or removed, and a path where nothing is may be
// written. Anything else is reported and left alone, unless it is forced.
type planner struct {
	*Syncer
	*plan
	// scope are the hosts of --hosts; nil without the flag.
	scope []string
	// gone are the paths that the plan empties, in lowercase: file systems that ignore
	// case take the new spelling of a name for the old file.
	gone map[string]bool
}

func (y *Syncer) makePlan(wants []want) *plan {
	m := planner{Syncer: y, plan: &plan{before: y.State, after: &syncstate.State{Version: 1}}, gone: map[string]bool{}}
	if len(y.request.Hosts) > 0 {
		m.scope = []string{}
		for _, h := range y.Result.Hosts {
			m.scope = append(m.scope, h.Host)
		}
	}
	wanted := m.unique(m.linksOrFiles(wants))
	m.removals(wanted)
	for _, p := range slices.Sorted(maps.Keys(wanted)) {
		m.place(wanted[p])
	}
	m.after.Sort()
	slices.SortStableFunc(m.steps, func(a, b Step) int { return cmp.Compare(a.Path, b.Path) })
	return m.plan
}

// linksOrFiles decides which directories of skills are links. There are files instead
// where a directory is there already, and where a host needs files of its own in it.
func (m *planner) linksOrFiles(wants []want) []want {
	var all []want
	for _, w := range wants {
		typ, err := m.Tree.Lstat(w.path)
		below := w.path + "/"
		if w.link != "" && (err == nil && typ == vfs.Dir ||
			slices.ContainsFunc(wants, func(o want) bool { return strings.HasPrefix(o.path, below) })) {
			all = append(all, w.instead...)
		} else {
			all = append(all, w)
		}
	}
	return all
}

// unique returns one want for each path. Of two that differ the first is made. Names that
// differ in case only are one path to some file systems.
func (m *planner) unique(wants []want) map[string]*want {
	wanted, spelled := map[string]*want{}, map[string]*want{}
	for i := range wants {
		w := &wants[i]
		if why := config.BadPath(w.path); why != "" {
			m.problem(diag.SyncBlocked, w.source, "give the definition another name", "the copy for %s is not written: its path %s", strings.Join(w.hosts, ", "), why)
			continue
		}
		first := spelled[strings.ToLower(w.path)]
		switch {
		case first == nil:
			wanted[w.path], spelled[strings.ToLower(w.path)] = w, w
		case first.path == w.path && first.link == w.link && first.executable == w.executable && string(first.data) == string(w.data):
			first.hosts, first.noLinks = union(first.hosts, w.hosts), first.noLinks || w.noLinks
		default:
			m.problem(diag.SyncClash, w.path, "leave the kind out for one of the hosts with sync: exclude: in vade.yaml, or rename one of the definitions",
				"%s is to be made of %s for %s, and %s of %s for %s: the first is made", first.path, first.source, strings.Join(first.hosts, ", "),
				w.path, w.source, strings.Join(w.hosts, ", "))
		}
	}
	return wanted
}

// removals plans the removal of what was written and is not wanted any more. Anybody can
// have written the state: what it says of a source of truth, or of a file made of anything
// but one, is not enough to remove a file that nobody has named.
func (m *planner) removals(wanted map[string]*want) {
	done := map[string]bool{}
	for _, e := range m.before.Files {
		if done[e.Path] {
			continue
		}
		done[e.Path] = true
		others := slices.DeleteFunc(slices.Clone(e.Hosts), func(h string) bool { return m.scope == nil || slices.Contains(m.scope, h) })
		w := wanted[e.Path]
		switch {
		case w != nil:
			w.hosts = union(w.hosts, others)
			continue
		case len(others) > 0:
			e.Hosts = others
			m.after.Files = append(m.after.Files, e)
			continue
		}
		if why := m.unreadable(e.Source); why != "" && !m.forced(e.Path) {
			m.problem(diag.SyncBlocked, e.Path, "make "+e.Source+" readable, or remove it", "its source %s cannot be used: %s; the copy stays as it is", e.Source, why)
			m.keep(e.Path)
			continue
		}
		t := m.look(e.Path)
		own := slices.ContainsFunc(m.before.At(e.Path), func(e syncstate.Entry) bool { return e.Own })
		s := Step{Action: "remove", Path: e.Path, Source: e.Source, Hosts: e.Hosts, before: t.data}
		switch {
		case t.what == link && m.owned(e.Path, &t):
			s.Action, s.Link = "unlink", t.link
		case t.what == file && !own && m.owned(e.Path, &t) && !m.keepsSources(e.Path) &&
			(m.forced(e.Path) || e.Source == serversSource || m.isSource(e.Source)):
		case t.what == file && len(m.Only) > 0 && m.forced(e.Path):
			s.Forced = true
		case t.what == file && own:
			// It is the project's own again.
			continue
		case t.what == file && m.owned(e.Path, &t):
			why := "made of " + e.Source + ", which is not in the sources of truth"
			if m.keepsSources(e.Path) {
				why = "a copy of " + e.Source + ", but it is in the sources of truth"
			}
			m.problem(diag.SyncEdited, e.Path, "if it is yours, take its entry out of "+syncstate.File+"; if not, have it removed with: vade sync --force "+e.Path,
				"it is recorded as %s: it is not removed", why)
			m.keep(e.Path)
			continue
		case t.what == file:
			m.problem(diag.SyncEdited, e.Path, "take what you need from it and remove it, or have it removed with: vade sync --force "+e.Path,
				"it was made of %s, which is not there any more for %s, and was edited since: it is not removed", e.Source, strings.Join(e.Hosts, ", "))
			m.keep(e.Path)
			continue
		default:
			// Something else is there, or nothing: there is nothing to remove.
			continue
		}
		m.gone[strings.ToLower(e.Path)] = true
		m.steps = append(m.steps, s)
	}
}

// keepsSources reports whether a path is in the sources of truth and not where Copilot has
// its copies of commands, which is among them.
func (m *planner) keepsSources(p string) bool {
	return m.isSource(p) && !strings.HasPrefix(p, ".github/prompts/") && !strings.HasPrefix(p, ".github/skills/")
}

// unreadable says why a source that is there cannot be used, or "". A directory is a skill.
func (m *planner) unreadable(source string) string {
	if _, err := m.Tree.Lstat(source); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return ""
		}
		return err.Error()
	}
	if why := m.unread[source]; why != "" {
		return why
	}
	return m.unread[source+"/"+catalog.SkillFileName]
}

// place plans what is done where a file or link is wanted.
func (m *planner) place(w *want) {
	t := m.look(w.path)
	mine := m.owned(w.path, &t)
	switch {
	case t.what == nothing:
		m.put(w)
	case t.what == blocked || t.what == directory:
		if m.leads(w) {
			m.same, m.own = m.same+1, m.own+1
			return
		}
		m.leave(w, diag.SyncBlocked, "move it away, or leave the kind out with sync: exclude: in vade.yaml",
			"the copy of %s for %s is not written: %s", w.source, strings.Join(w.hosts, ", "), t.why)
	case t.what == link && w.link != "" && t.link == w.link,
		t.what == file && w.link == "" && string(t.data) == string(w.data) && (!vfs.HasExecBits() || t.executable == w.executable):
		m.same++
		if m.record(w, true) {
			m.own++
		}
	case t.what == link && !mine && m.leads(w):
		m.same, m.own = m.same+1, m.own+1
	case t.what == file && w.link == "" && (mine || m.forced(w.path) || string(t.data) == string(w.data)):
		s := m.step(w, "update")
		s.before, s.Forced = t.data, !mine && string(t.data) != string(w.data)
		m.record(w, !s.Forced)
	case mine || m.forced(w.path):
		s := m.step(w, "remove")
		s.before, s.after, s.Link = t.data, nil, t.link
		if t.what == link {
			s.Action = "unlink"
		}
		s.Forced = !mine
		m.put(w)
	case len(m.before.At(w.path)) > 0:
		m.leave(w, diag.SyncEdited, "put the change into "+w.source+", then overwrite the file with: vade sync --force "+w.path,
			"it was made of %s, and was edited since: it is not overwritten", w.source)
	default:
		what := "a file that Vade has not made"
		if t.what == link {
			what = "a link to " + t.link
		}
		m.leave(w, diag.SyncForeign, "see the difference: vade sync --dry-run --force "+w.path+"; if nothing in this file is newer: vade sync --force "+w.path+"; else put what is newer into "+w.source+" (see vade import), or move the file away",
			"%s stands where the copy of %s for %s would go", what, w.source, strings.Join(w.hosts, ", "))
	}
}

// put plans the creation of a file or link.
func (m *planner) put(w *want) {
	if w.link != "" {
		m.step(w, "link")
	} else {
		m.step(w, "create")
	}
	m.record(w, false)
}

func (m *planner) step(w *want, action string) *Step {
	m.steps = append(m.steps, Step{
		Action: action, Path: w.path, Source: w.source, Hosts: w.hosts, Link: w.link, after: w.data, executable: w.executable,
	})
	return &m.steps[len(m.steps)-1]
}

// record notes what is at a path afterwards. there: a file was there already, which is
// the project's own unless Vade wrote it, or nobody knows and the user forces it.
func (m *planner) record(w *want, there bool) (own bool) {
	e := syncstate.Entry{Path: w.path, Source: w.source, Hosts: w.hosts, Link: w.link}
	if w.link == "" {
		e.Digest = syncstate.Digest(w.data)
		had := m.before.At(w.path)
		e.Own = there && !m.stateLost && (len(had) == 0 || slices.ContainsFunc(had, func(e syncstate.Entry) bool { return e.Own }))
	}
	m.after.Files = append(m.after.Files, e)
	return e.Own
}

// keep carries over what is recorded of a path that is left alone.
func (m *planner) keep(p string) { m.after.Files = append(m.after.Files, m.before.At(p)...) }

// leave reports why a path is left alone.
func (m *planner) leave(w *want, code diag.Code, fix, format string, args ...any) {
	m.problem(code, w.path, fix, format, args...)
	m.keep(w.path)
}

func (m *planner) problem(code diag.Code, path, fix, format string, args ...any) {
	m.problems = append(m.problems, diag.For(path, code, format, args...).WithFix("%s", fix))
}

// forced reports whether the user has asked to overwrite what is at a path.
func (m *planner) forced(p string) bool {
	return m.request.Force && (len(m.Only) == 0 || slices.ContainsFunc(m.Only, func(at string) bool {
		return p == at || at == "." || strings.HasPrefix(p, at+"/")
	}))
}

// owned reports whether what is at a path is as it was recorded. A link is so only if it
// leads to its source. Where git makes no links it writes files with the text of the link.
func (m *planner) owned(p string, t *thing) bool {
	return slices.ContainsFunc(m.before.At(p), func(e syncstate.Entry) bool {
		is := t.link
		switch {
		case t.what == file && e.Link != "":
			is = strings.TrimRight(string(t.data), "\r\n")
		case t.what == file:
			return e.Digest == syncstate.Digest(t.data)
		}
		return e.Link != "" && e.Link == is && is == syncstate.LinkText(e.Path, e.Source)
	})
}

// leads reports whether a link of the project's own leads to what is wanted.
func (m *planner) leads(w *want) bool {
	in, real, err := m.Tree.Resolve(w.path)
	if err != nil || in != m.Tree {
		return false
	}
	if w.link != "" {
		return real == w.source
	}
	data, err := m.Tree.ReadFile(real, syncstate.MaxFile)
	return err == nil && real != w.path && !w.noLinks && string(data) == string(w.data)
}

// thing is what is at a path.
type thing struct {
	what       what
	data       []byte
	executable bool
	link       string
	// why says what blocks the path.
	why string
}

type what uint8

const (
	nothing what = iota
	file
	link
	directory
	// blocked: a link or a file is in the place of a directory above the path, or the
	// path cannot be read.
	blocked
)

// look returns what is at a path. It follows no links.
func (m *planner) look(p string) thing {
	if m.gone[strings.ToLower(p)] {
		return thing{}
	}
	for i := range len(p) {
		if p[i] != '/' {
			continue
		}
		switch typ, err := m.Tree.Lstat(p[:i]); {
		case errors.Is(err, fs.ErrNotExist), m.gone[strings.ToLower(p[:i])]:
			return thing{}
		case err != nil:
			return thing{what: blocked, why: p[:i] + ": " + catalog.Cause(err).Error()}
		case typ == vfs.Link:
			return thing{what: blocked, why: p[:i] + " is a symbolic link, and nothing is written through one"}
		case typ != vfs.Dir:
			return thing{what: blocked, why: p[:i] + " is not a directory"}
		}
	}
	typ, err := m.Tree.Lstat(p)
	if errors.Is(err, fs.ErrNotExist) {
		return thing{}
	}
	t := thing{what: blocked}
	if err == nil {
		switch typ {
		case vfs.Dir:
			return thing{what: directory, why: "a directory stands there"}
		case vfs.Link:
			t.what = link
			t.link, err = m.Tree.Readlink(p)
		case vfs.File:
			t.what = file
			if t.data, err = m.Tree.ReadFile(p, syncstate.MaxFile); err == nil {
				var info fs.FileInfo
				if info, err = m.Tree.Info(p); err == nil {
					t.executable = info.Mode()&0o100 != 0
				}
			}
		default:
			err = vfs.ErrNotRegular
		}
	}
	if err != nil {
		return thing{what: blocked, why: fmt.Sprintf("%s: %s", p, catalog.Cause(err))}
	}
	return t
}

func union(a, b []string) []string {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}
