package explain

import (
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/vfs"
)

// elsewhere says where the host looks instead, and how the file gets there.
func (w *whyUnread) elsewhere() {
	rows, kind := w.p.RootsOf(w.s.kind, w.bases()...), w.s.kind
	if len(rows) == 0 {
		w.noneHere()
		return
	}
	old := func(row int) bool { return w.p.Roots[row].Legacy }
	if newer := slices.DeleteFunc(slices.Clone(rows), old); len(newer) > 0 {
		rows = newer
	}
	var labels []string
	for _, row := range rows {
		labels = append(labels, w.p.Roots[row].Label())
	}
	w.say(host.CellRoots, "reads %s, not %s", catalog.Both(labels), w.s.where())
	w.reads = labels
	w.cell = cellOfKind(kind)
	w.fix = w.link(w.best(rows))
}

// bases are those of the places that compare with the place of the file.
func (w *whyUnread) bases() []host.Base {
	switch {
	case w.s.root == nil:
	case w.s.root.Base == host.InHome:
		return []host.Base{host.InHome}
	case w.s.root.Base == host.InManaged:
		return []host.Base{host.InManaged}
	}
	return []host.Base{host.InProject, host.InTop, host.InWorkDir}
}

// where is the place of the file as the reason names it.
func (s *subject) where() string {
	switch {
	case s.root != nil:
		return s.root.Label()
	case path.Base(s.path) == catalog.SkillFileName:
		return path.Dir(path.Dir(s.path))
	}
	return path.Dir(s.path)
}

// noneHere is for a host that reads nothing of the kind in such a place.
func (w *whyUnread) noneHere() {
	every := []host.Base{host.InProject, host.InTop, host.InWorkDir, host.InHome, host.InManaged}
	if rows := w.p.RootsOf(w.s.kind, every...); len(rows) > 0 {
		var labels []string
		for _, row := range rows {
			labels = append(labels, w.p.Roots[row].Label())
		}
		w.say(cellOfKind(w.s.kind), "reads %ss in %s only", w.s.kind, catalog.Both(labels))
		return
	}
	w.say(cellOfKind(w.s.kind), "reads no %ss", w.s.kind)
	skills := w.p.RootsOf(definition.Skill, w.bases()...)
	if w.s.kind == definition.Command && len(skills) > 0 {
		dir := w.p.Roots[skills[0]].Label()
		if r := w.best(skills); r != nil {
			dir = r.Label()
		}
		w.fix = "write it as a skill, with a name and a description: " + path.Join(dir, check.NameOf(w.s.path), catalog.SkillFileName)
	}
}

// best returns the place that most hosts read, of those that take a file of this
// form, so that one fix serves all; an older directory only where there is no
// other.
func (w *whyUnread) best(rows []int) *host.Root {
	var best *host.Root
	most := -1
	for _, row := range rows {
		r := &w.p.Roots[row]
		n := 2 * host.Readers(w.e.known, r.Label(), w.s.kind)
		if r.Legacy {
			n = 0
		}
		if w.s.kind == definition.Instruction && r.Single() != w.single() {
			continue
		}
		if n > most {
			best, most = r, n
		}
	}
	return best
}

// single reports whether the file is one that its place is named by.
func (w *whyUnread) single() bool { return w.s.root != nil && w.s.root.Single() }

// link is the command, at the top of the project, that puts the file where the
// root is looked for, or in words what to do.
func (w *whyUnread) link(r *host.Root) string {
	if r == nil {
		return "put its text into a file that " + w.p.Name + " reads"
	}
	rule, ok := r.Holds(w.s.kind)
	if !ok || !w.movable() {
		return ""
	}
	for i := range r.Rules {
		if other := &r.Rules[i]; other.Kind == w.s.kind && other.Skip == "" && rule.Format != w.s.format && other.Format == w.s.format {
			rule = other
		}
	}
	dir, file := r.Label(), w.s.path
	if r.Single() {
		w.to = catalog.Placement{Root: r, Rule: rule, Path: dir}
		return w.atTop(w.put(file, dir, false))
	}
	if rule.File != "" && strings.EqualFold(path.Base(file), rule.File) && (w.s.root == nil || path.Dir(file) != w.s.rootShown) {
		from := path.Dir(file)
		w.to = catalog.Placement{Root: r, Rule: rule, Path: path.Join(dir, path.Base(from), rule.File)}
		fix := w.put(from, path.Join(dir, path.Base(from)), w.p.Walk.NoDirLinks)
		if path.Base(file) != rule.File && !rule.FoldCase {
			fix = "mv " + w.arg(file) + " " + w.arg(path.Join(from, rule.File)) + " && " + fix
		}
		return w.atTop(fix)
	}
	name := check.NameOf(file)
	switch {
	case rule.File != "":
		w.to = catalog.Placement{Root: r, Rule: rule, Path: path.Join(dir, name, rule.File)}
		return w.atTop(w.put(file, w.to.Path, true))
	case rule.Format != w.s.format:
		return check.WriteAs(w.p.Name, path.Join(dir, name+rule.Suffix))
	}
	w.to = catalog.Placement{Root: r, Rule: rule, Path: path.Join(dir, name+rule.Suffix)}
	if w.s.kind == definition.Agent || w.s.kind == definition.Command {
		w.copied = w.atTop(w.put(file, w.to.Path, true))
	}
	return w.atTop(w.put(file, w.to.Path, w.p.Walk.NoFileLinks))
}

// movable reports whether the file is one of its own that a link can lead to.
func (w *whyUnread) movable() bool {
	return w.s.format != definition.Package && (w.inHome() || !vfs.IsAbs(w.s.path))
}

func (w *whyUnread) inHome() bool { return w.s.root != nil && w.s.root.Base == host.InHome }

// put is the command that links a file or directory to another path, or copies it.
func (w *whyUnread) put(from, to string, copied bool) string {
	if w.exists(to) {
		return to + " is there already: make one of the two a link to the other, or rename one"
	}
	command := ""
	if dir := path.Dir(to); dir != "." && !w.exists(dir) {
		command = "mkdir -p " + w.arg(dir) + " && "
	}
	switch {
	case copied:
		return command + "cp -R " + w.arg(from) + " " + w.arg(to)
	case vfs.IsAbs(from) || strings.HasPrefix(to, "~/"):
		return command + "ln -s " + w.arg(from) + " " + w.arg(to)
	}
	up := strings.Repeat("../", strings.Count(to, "/"))
	return command + "ln -s " + w.arg(up+from) + " " + w.arg(to)
}

// exists reports whether there is something at a path of the project, or below
// "~".
func (w *whyUnread) exists(name string) bool {
	c := w.v.c
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return slices.ContainsFunc(c.Quick.Places, func(pl discover.Place) bool {
			if pl.Layer != definition.User || pl.Plugin != nil {
				return false
			}
			rel, ok := pl.Tree.Rel(path.Join(c.Env.Home, rest))
			if !ok {
				return false
			}
			_, err := pl.Tree.Lstat(rel)
			return err == nil
		})
	}
	if c.Quick.Project == nil {
		return false
	}
	_, err := c.Quick.Project.Lstat(name)
	return err == nil
}

// arg writes a path as a word of a shell, with the home directory as "~".
func (w *whyUnread) arg(name string) string {
	if home := w.v.c.Env.Home; home != "" {
		if rest, ok := strings.CutPrefix(name, home+"/"); ok {
			name = "~/" + rest
		}
	}
	return shown(name)
}

// shown writes a path as a word of a shell.
func shown(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return "~/" + shell.ForShell(rest)
	}
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	return shell.ForShell(name)
}

// atTop says where a command has to be given.
func (w *whyUnread) atTop(command string) string {
	if dir := w.v.c.Quick.WorkDir; dir != "" && dir != "." && !vfs.IsAbs(w.s.path) && command != "" {
		return command + "   (at the top of the project)"
	}
	return command
}
