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
	if w.s.badLink {
		w.fix = fixOf(w.e.neutral.of(w.s.real))
	}
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
// root is looked for, or in words what to do. A file that stands in the root, where
// its name or its depth keeps it out, is moved, unless a link to its directory will do.
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
	inside := w.s.nested == "" && r == w.same()
	linkDir, linkFile := "ln -s", "ln -s"
	if w.p.Walk.NoDirLinks {
		linkDir = "cp -R"
	}
	if w.p.Walk.NoFileLinks {
		linkFile = "cp -R"
	}
	if inside {
		linkFile = "mv"
		if linkDir == "cp -R" {
			linkDir = "mv"
		}
		if !w.inHome() {
			dir = w.s.rootShown
		}
	}
	base, name := path.Base(file), check.NameOf(file)
	switch from := path.Dir(file); {
	case r.Single():
		w.to = catalog.Placement{Root: r, Rule: rule, Path: dir}
		return w.atTop(w.put("ln -s", file, dir))
	case rule.File != "" && strings.EqualFold(base, rule.File) && (w.s.root == nil || from != w.s.rootShown):
		to := path.Join(dir, path.Base(from))
		w.to = catalog.Placement{Root: r, Rule: rule, Path: path.Join(to, rule.File)}
		rename := ""
		if base != rule.File && !rule.FoldCase {
			rename = "mv " + w.arg(file) + " " + w.arg(path.Join(from, rule.File))
		}
		switch {
		case inside && to == from:
			return w.atTop(rename)
		case rename != "":
			rename += " && "
		}
		return w.atTop(rename + w.put(linkDir, from, to))
	case rule.File != "":
		if isReadme(file) {
			return ""
		}
		if strings.EqualFold(base, rule.File) {
			name = "NAME"
		}
		w.to = catalog.Placement{Root: r, Rule: rule, Path: path.Join(dir, name, rule.File)}
		if !inside {
			linkFile = "cp -R"
		}
		return w.atTop(w.put(linkFile, file, w.to.Path))
	case rule.Format != w.s.format:
		return check.WriteAs(w.p.Name, path.Join(dir, name+rule.Suffix))
	}
	w.to = catalog.Placement{Root: r, Rule: rule, Path: path.Join(dir, name+rule.Suffix)}
	if !inside && (w.s.kind == definition.Agent || w.s.kind == definition.Command) {
		w.copied = w.atTop(w.put("cp -R", file, w.to.Path))
	}
	return w.atTop(w.put(linkFile, file, w.to.Path))
}

// movable reports whether the file is one of its own that a link can lead to.
func (w *whyUnread) movable() bool {
	return w.s.format != definition.Package && !w.s.badLink && (w.inHome() || !vfs.IsAbs(w.s.path))
}

func (w *whyUnread) inHome() bool { return w.s.root != nil && w.s.root.Base == host.InHome }

// put is the command that brings a file or directory to another path by how: "ln -s",
// "cp -R" or "mv".
func (w *whyUnread) put(how, from, to string) string {
	if w.exists(to) {
		return to + " is there already: make one of the two a link to the other, or rename one"
	}
	command := ""
	if dir := path.Dir(to); dir != "." && !w.exists(dir) {
		command = "mkdir -p " + w.arg(dir) + " && "
	}
	if how == "ln -s" && !vfs.IsAbs(from) && !strings.HasPrefix(to, "~/") {
		if rel, below := strings.CutPrefix(from, path.Dir(to)+"/"); below {
			from = rel
		} else {
			from = strings.Repeat("../", strings.Count(to, "/")) + from
		}
	}
	return command + how + " " + w.arg(from) + " " + w.arg(to)
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
