package materialize

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/syncstate"
	"github.com/vadehq/vade/internal/vfs"
)

// desiredFile is a file or symlink that a host needs.
type desiredFile struct {
	path string
	// data is the file's content; link is the symlink's target.
	data       []byte
	executable bool
	link       string
	// source is the file from which this file is generated, or the symlink's target.
	source string
	hosts  []string
	// regularOnly is set if the host does not follow symlinks to files.
	regularOnly bool
	// files are the files to write instead if the symlink cannot be created.
	files []desiredFile
}

// plan is the set of changes that brings a project up to date, and the resulting state.
type plan struct {
	steps    []Step
	problems []diag.Diagnostic
	// same is the number of files that are up to date. own is the number of these files that the
	// project already had.
	same, own int
	// instructions are the paths of the instruction files that hosts need.
	instructions  []string
	before, after *syncstate.State
}

// planner compares the desired files against the existing ones. A file with the
// recorded digest may be changed or removed, and a missing file may be created.
// Everything else is reported and left alone, unless the user forces it.
type planner struct {
	*Syncer
	*plan
	// scope lists the hosts given with --host. It is nil without the flag.
	scope []string
	// removed holds the paths that the plan removes, in lowercase. If a file's new path differs
	// only in case, a case-insensitive file system treats it as the old file.
	removed map[string]bool
}

func (y *Syncer) makePlan(wants []desiredFile) *plan {
	m := planner{Syncer: y, plan: &plan{before: y.State, after: &syncstate.State{Version: 1}}, removed: map[string]bool{}}
	if len(y.request.Hosts) > 0 {
		m.scope = []string{}
		for _, h := range y.Result.Hosts {
			m.scope = append(m.scope, h.Host)
		}
	}
	m.shareInstructions(wants)
	desired := m.unique(m.chooseLinks(wants))
	m.removals(desired)
	for _, p := range slices.Sorted(maps.Keys(desired)) {
		m.planFile(desired[p])
	}
	m.after.Sort()
	slices.SortStableFunc(m.steps, func(a, b Step) int { return cmp.Compare(a.Path, b.Path) })
	return m.plan
}

// chooseLinks returns wants, but replaces a symlink to a skill directory with the skill's files if
// the directory already exists or a host needs additional files in it.
func (m *planner) chooseLinks(wants []desiredFile) []desiredFile {
	var all []desiredFile
	for _, w := range wants {
		typ, err := m.Tree.Lstat(w.path)
		below := w.path + "/"
		if w.link != "" && (err == nil && typ == vfs.Dir ||
			slices.ContainsFunc(wants, func(o desiredFile) bool { return strings.HasPrefix(o.path, below) })) {
			all = append(all, w.files...)
		} else {
			all = append(all, w)
		}
	}
	return all
}

// unique returns one file per path, for all hosts that need it. If two files with the same path
// differ, it keeps the first and reports the conflict. Paths that differ only in case are treated
// as the same path, because some file systems ignore case.
func (m *planner) unique(wants []desiredFile) map[string]*desiredFile {
	desired, byFoldedPath := map[string]*desiredFile{}, map[string]*desiredFile{}
	for i := range wants {
		w := &wants[i]
		if problem := config.BadPath(w.path); problem != "" {
			m.problem(diag.SyncBlocked, w.source, "rename the definition", "copy for %s not written: its path %s", strings.Join(w.hosts, ", "), problem)
			continue
		}
		first := byFoldedPath[strings.ToLower(w.path)]
		switch {
		case first == nil:
			desired[w.path], byFoldedPath[strings.ToLower(w.path)] = w, w
		case first.path == w.path && first.link == w.link && first.executable == w.executable && string(first.data) == string(w.data):
			first.hosts, first.regularOnly = union(first.hosts, w.hosts), first.regularOnly || w.regularOnly
		default:
			m.problem(diag.SyncClash, w.path, "exclude the kind for one of the hosts with sync.exclude in vade.yaml, or rename one of the definitions",
				"%s (from %s, for %s) conflicts with %s (from %s, for %s), so only the first was written", first.path, first.source, strings.Join(first.hosts, ", "),
				w.path, w.source, strings.Join(w.hosts, ", "))
		}
	}
	return desired
}

// removals plans the removal of files that are no longer needed. The state file alone is not
// trusted, because it is part of the repository and can be forged. Unless the user names a file, it
// is removed only if it is not in a source directory and its recorded source is in one.
func (m *planner) removals(desired map[string]*desiredFile) {
	done := map[string]bool{}
	for _, e := range m.before.Files {
		if done[e.Path] {
			continue
		}
		done[e.Path] = true
		others := slices.DeleteFunc(slices.Clone(e.Hosts), func(h string) bool { return m.scope == nil || slices.Contains(m.scope, h) })
		w := desired[e.Path]
		switch {
		case w != nil:
			w.hosts = union(w.hosts, others)
			continue
		case len(others) > 0:
			e.Hosts = others
			m.after.Files = append(m.after.Files, e)
			continue
		}
		existing := m.inspect(e.Path)
		own := slices.ContainsFunc(m.before.At(e.Path), func(e syncstate.Entry) bool { return e.Own })
		if problem := m.sourceProblem(e.Source); problem != "" && !m.forced(e.Path) {
			m.problem(diag.SyncBlocked, e.Path, "run vade check "+shell.ForShell(e.Source)+"; to delete the copy too, delete the source", "copy left unchanged because the source %s cannot be used: %s", e.Source, problem)
			m.retain(e.Path)
			continue
		}
		s := Step{Action: "remove", Path: e.Path, Source: e.Source, Hosts: e.Hosts, before: existing.data}
		switch {
		case existing.kind == link && !own && m.owned(e.Path, &existing):
			s.Action, s.Link = "unlink", existing.link
		case existing.kind == file && !own && m.owned(e.Path, &existing) && !m.isHandWritten(e.Path) &&
			(m.forced(e.Path) || e.Source == serversSource || m.isSource(e.Source)):
		case existing.kind == file && len(m.ForcedPaths) > 0 && m.forced(e.Path):
			s.Forced = true
		case existing.kind == file && own:
			// The project owns the file, so leave it alone.
			continue
		case existing.kind == file && m.owned(e.Path, &existing):
			why := "a copy of " + e.Source + ", which is not in a source directory"
			if m.isHandWritten(e.Path) {
				why = "a copy of " + e.Source + ", but the file itself is in a source directory"
			}
			m.problem(diag.SyncEdited, e.Path, "if you wrote the file, remove its entry from "+syncstate.File+"; otherwise, to remove the file, run: "+m.force("", e.Path),
				"not removed, because the file is recorded as %s", why)
			m.retain(e.Path)
			continue
		case existing.kind == file:
			why := ", which is no longer used for " + strings.Join(e.Hosts, ", ")
			if m.request.Remove {
				why = ""
			}
			m.problem(diag.SyncEdited, e.Path, "save any changes that you need; then, to remove the file, run: "+m.force("", e.Path),
				"not removed, because the file was edited after it was created from %s%s", e.Source, why)
			m.retain(e.Path)
			continue
		default:
			// Vade did not create what is at this path.
			continue
		}
		m.removed[strings.ToLower(e.Path)] = true
		m.steps = append(m.steps, s)
	}
}

// force returns the command that overwrites or removes a path. The command resolves paths against
// the working directory.
func (m *planner) force(flags, p string) string {
	return "vade sync " + flags + "--force " + shell.ForShell(path.Join(m.toRoot, p))
}

// isHandWritten reports whether a path is in a source directory but not in a directory that Vade
// writes to, such as Copilot's directories inside .github.
func (m *planner) isHandWritten(p string) bool {
	return m.isSource(p) && !strings.HasPrefix(p, ".github/prompts/") && !strings.HasPrefix(p, ".github/skills/")
}

// sourceProblem returns the reason that a source cannot be used even though it exists, or "". If
// the source is a directory, it checks the directory's SKILL.md file.
func (m *planner) sourceProblem(source string) string {
	if _, _, err := m.Tree.Resolve(source); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return ""
		}
		return err.Error()
	}
	if why := m.sourceProblems[source]; why != "" {
		return why
	}
	return m.sourceProblems[source+"/"+catalog.SkillFileName]
}

func (m *planner) planFile(w *desiredFile) {
	existing := m.inspect(w.path)
	mine := m.owned(w.path, &existing)
	switch {
	case existing.kind == missing:
		if hidden, host := m.hiddenBy(w); hidden != "" && !m.forced(w.path) {
			m.skip(w, diag.SyncForeign, "move the content of "+hidden+" to the source of truth (see vade import), or, to write the file anyway, run: "+m.force("", w.path),
				"copy of %s for %s not written, because %s would no longer read %s", w.source, strings.Join(w.hosts, ", "), host, hidden)
			return
		}
		m.planCreate(w)
	case existing.kind == blocked || existing.kind == directory:
		if m.resolvesTo(w) {
			m.same, m.own = m.same+1, m.own+1
			return
		}
		m.skip(w, diag.SyncBlocked, "move it to another location, or exclude the kind with sync.exclude in vade.yaml",
			"copy of %s for %s not written: %s", w.source, strings.Join(w.hosts, ", "), existing.reason)
	case existing.kind == link && w.link != "" && existing.link == w.link && (mine || m.stateUnreadable),
		existing.kind == file && w.link == "" && string(existing.data) == string(w.data) && (!vfs.HasExecBits() || existing.executable == w.executable):
		m.same++
		if m.record(w, true) {
			m.own++
		}
	case existing.kind == link && !mine && m.resolvesTo(w):
		m.same, m.own = m.same+1, m.own+1
	case existing.kind == file && w.link == "" && (mine || m.forced(w.path) || string(existing.data) == string(w.data)):
		s := m.addStep(w, "update")
		s.before, s.Forced = existing.data, !mine && string(existing.data) != string(w.data)
		m.record(w, !s.Forced)
	case mine || m.forced(w.path):
		s := m.addStep(w, "remove")
		s.before, s.after, s.Link = existing.data, nil, existing.link
		if existing.kind == link {
			s.Action = "unlink"
		}
		s.Forced = !mine
		m.planCreate(w)
	case len(m.before.At(w.path)) > 0:
		m.skip(w, diag.SyncEdited, "move your change to "+w.source+"; then, to overwrite the file, run: "+m.force("", w.path),
			"not overwritten, because the file was edited after it was created from %s", w.source)
	default:
		what := "a file that Vade did not write"
		if existing.kind == link {
			what = "a symlink to " + existing.link
		}
		m.skip(w, diag.SyncForeign, "to see the differences, run: "+m.force("--dry-run ", w.path)+"; to overwrite the file, run: "+m.force("", w.path)+
			"; to keep its content, move the content to "+w.source+" (see vade import), or move the file to another location",
			"copy of %s for %s not written, because %s already exists at this path", w.source, strings.Join(w.hosts, ", "), what)
	}
}

// hiddenBy returns a user's instruction file that a host would stop reading once the new file
// exists, and the host's name. It ignores files in the source of truth, and files whose text is
// included in the new file.
func (m *planner) hiddenBy(w *desiredFile) (hidden, host string) {
	dir, base := path.Split(w.path)
	for _, h := range m.Result.Hosts {
		for _, f := range m.readers[h.Host].profile.Fallbacks {
			if !slices.Contains(w.hosts, h.Host) || f.Layer != 0 || !slices.Contains(f.Unless, base) ||
				slices.ContainsFunc(f.Unless, func(o string) bool { return m.inspect(dir+o).kind != missing }) {
				continue
			}
			for _, o := range f.Files {
				existing := m.inspect(dir + o)
				text := bytes.TrimSpace(existing.data)
				if !m.owned(dir+o, &existing) && !m.isSource(dir+o) && !bytes.Contains(w.data, text) && string(text) != "@"+base {
					return dir + o, h.Host
				}
			}
		}
	}
	return "", ""
}

func (m *planner) planCreate(w *desiredFile) {
	if w.link != "" {
		m.addStep(w, "link")
	} else {
		m.addStep(w, "create")
	}
	m.record(w, false)
}

func (m *planner) addStep(w *desiredFile, action string) *Step {
	m.steps = append(m.steps, Step{
		Action: action, Path: w.path, Source: w.source, Hosts: w.hosts, Link: w.link, after: w.data, executable: w.executable,
	})
	return &m.steps[len(m.steps)-1]
}

// record adds the resulting file to the state. exists reports whether an identical file existed
// before. Such a file belongs to the project unless Vade wrote it or the state is unknown.
func (m *planner) record(w *desiredFile, exists bool) (own bool) {
	e := syncstate.Entry{Path: w.path, Source: w.source, Hosts: w.hosts, Link: w.link}
	if w.link == "" {
		e.Digest = syncstate.Digest(w.data)
		had := m.before.At(w.path)
		e.Own = exists && !m.stateUnreadable && (len(had) == 0 || slices.ContainsFunc(had, func(e syncstate.Entry) bool { return e.Own }))
	}
	m.after.Files = append(m.after.Files, e)
	return e.Own
}

// retain keeps the recorded entries for a path that is left unchanged.
func (m *planner) retain(p string) { m.after.Files = append(m.after.Files, m.before.At(p)...) }

// skip reports why a path is left alone, and keeps the path's recorded entries.
func (m *planner) skip(w *desiredFile, code diag.Code, fix, format string, args ...any) {
	m.problem(code, w.path, fix, format, args...)
	m.retain(w.path)
}

func (m *planner) problem(code diag.Code, path, fix, format string, args ...any) {
	m.problems = append(m.problems, diag.For(path, code, format, args...).WithFix("%s", fix))
}

// forced reports whether the user allows overwriting the file at a path.
func (m *planner) forced(p string) bool {
	return m.request.Force && (len(m.ForcedPaths) == 0 || slices.ContainsFunc(m.ForcedPaths, func(at string) bool {
		return p == at || at == "." || strings.HasPrefix(p, at+"/")
	}))
}

// owned reports whether the existing file matches its recorded digest or, for a symlink, whether it
// points to its recorded source. A regular file that contains the link target is treated as a
// symlink, because git writes such files if it cannot create symlinks.
func (m *planner) owned(p string, existing *existingEntry) bool {
	return slices.ContainsFunc(m.before.At(p), func(e syncstate.Entry) bool {
		target := existing.link
		switch {
		case existing.kind == file && e.Link != "":
			target = strings.TrimRight(string(existing.data), "\r\n")
		case existing.kind == file:
			return e.Digest == syncstate.Digest(existing.data)
		}
		return e.Link != "" && e.Link == target && target == syncstate.LinkText(e.Path, e.Source)
	})
}

// resolvesTo reports whether a symlink that the project already has resolves to
// the desired content.
func (m *planner) resolvesTo(w *desiredFile) bool {
	in, real, err := m.Tree.Resolve(w.path)
	if err != nil || in != m.Tree {
		return false
	}
	if w.link != "" {
		return real == w.source
	}
	data, err := m.Tree.ReadFile(real, syncstate.MaxFile)
	return err == nil && real != w.path && !w.regularOnly && string(data) == string(w.data)
}

// existingEntry describes what exists at a path.
type existingEntry struct {
	kind       entryKind
	data       []byte
	executable bool
	link       string
	// reason explains why a file cannot be written to the path.
	reason string
}

type entryKind uint8

const (
	missing entryKind = iota
	file
	link
	directory
	// blocked is the kind for a path that cannot be read, or that has a symlink
	// or a file in place of a parent directory.
	blocked
)

// inspect returns what exists at a path, without following symlinks.
func (m *planner) inspect(p string) existingEntry {
	if m.removed[strings.ToLower(p)] {
		return existingEntry{}
	}
	for i := range len(p) {
		if p[i] != '/' {
			continue
		}
		switch typ, err := m.Tree.Lstat(p[:i]); {
		case errors.Is(err, fs.ErrNotExist), m.removed[strings.ToLower(p[:i])]:
			return existingEntry{}
		case err != nil:
			return existingEntry{kind: blocked, reason: p[:i] + ": " + catalog.Cause(err).Error()}
		case typ == vfs.Link:
			return existingEntry{kind: blocked, reason: p[:i] + " is a symlink, and Vade does not write through symlinks"}
		case typ != vfs.Dir:
			return existingEntry{kind: blocked, reason: p[:i] + " is not a directory"}
		}
	}
	typ, err := m.Tree.Lstat(p)
	if errors.Is(err, fs.ErrNotExist) {
		return existingEntry{}
	}
	t := existingEntry{kind: blocked}
	if err == nil {
		switch typ {
		case vfs.Dir:
			return existingEntry{kind: directory, reason: "a directory exists at this path"}
		case vfs.Link:
			t.kind = link
			t.link, err = m.Tree.Readlink(p)
		case vfs.File:
			t.kind = file
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
		return existingEntry{kind: blocked, reason: fmt.Sprintf("%s: %s", p, catalog.Cause(err))}
	}
	return t
}

func union(a, b []string) []string {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}
