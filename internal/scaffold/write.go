package scaffold

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/vfs"
)

// givenAs returns the caller's catalog options for the view of the host as.
func (m *maker) givenAs(as string) catalog.Options {
	o := m.given
	o.As, o.Remote = as, false
	return o
}

// checkNameFree returns an error if the name is already used by a managed definition or by one in
// the same layer. It checks the neutral view and the requested host's view. For definitions in
// other layers, it only adds notes. Skills and commands share their names, and some file systems
// and hosts ignore case.
func (m *maker) checkNameFree(ctx context.Context) error {
	layer := definition.Project
	if m.want.User {
		layer = definition.User
	}
	reported := map[string]bool{}
	for _, as := range slices.Compact([]string{"", m.want.Host}) {
		all, err := scan(ctx, m.givenAs(as))
		if err != nil {
			return err
		}
		for _, d := range all {
			// A user-level definition is created for one host, so that host's view decides.
			isElsewhere := d.Origin.Layer == definition.User && m.want.User && as == "" && m.host != nil
			if isElsewhere || reported[d.Origin.Path] || !m.answers(d) {
				continue
			}
			reported[d.Origin.Path] = true
			if d.Origin.Layer == layer || d.Origin.Layer == definition.Managed {
				fix := "choose another name"
				if m.host != nil && as == "" && d.Kind == m.kind && d.Origin.Layer == layer {
					fix += "; or export the existing one to the host: vade export " + m.host.Name + " --name " + d.Name + " --out ."
				}
				return newError(ErrNewExists, fix, "the %s %q already exists: %s", d.Kind, d.Name, d.Origin.Path)
			}
			m.say(d.Origin.Path, "to see which one is active, run: vade explain "+m.name+"; to use both, choose another name",
				"the %s %s also has the name %s", d.Kind, d.Name, m.name)
		}
	}
	return nil
}

// answers reports whether a call with the new definition's name could invoke the existing
// definition d instead.
func (m *maker) answers(d *definition.Definition) bool {
	isCalled := func(k definition.Kind) bool { return k == definition.Skill || k == definition.Command }
	if d.State == definition.Dropped || d.Kind != m.kind && !(isCalled(d.Kind) && isCalled(m.kind)) {
		return false
	}
	return resolve.HasName(d, m.name) || strings.EqualFold(strings.ReplaceAll(d.Name, "/", ":"), m.name)
}

// usersPlace chooses the user directory in which to create the definition.
func (m *maker) usersPlace(ctx context.Context) error {
	p := cmp.Or(m.host, m.im.SourceOfTruth)
	c, err := catalog.Open(ctx, m.givenAs(m.want.Host))
	if err != nil {
		return err
	}
	defer c.Close()
	// A project file is DIR/REL. Choose a user directory that accepts REL, preferably one with the
	// same name as DIR. Otherwise, choose the first one.
	main := m.files[0].Path
	dir := path.Dir(main)
	at, kind := export.PlaceOf(p, m.kind)
	if at != nil {
		dir = at.Dir
	}
	rel, wanted := strings.TrimPrefix(main, dir+"/"), dir
	if m.host == nil {
		wanted = registry.OwnDir(m.kind)
	}
	takes := func(r host.Rule) bool {
		named, exact := r.Fits(path.Base(rel), strings.Count(rel, "/"))
		return named && exact && r.Kind == kind && r.Skip == ""
	}
	var place *discover.Place
	for i := range c.Quick.Places {
		pl := &c.Quick.Places[i]
		isPlace := pl.Layer == definition.User && pl.Tree != nil && slices.ContainsFunc(pl.Root.Rules, takes)
		if isPlace && (place == nil || pl.Root.Dir == wanted) {
			place = pl
		}
	}
	if c.Env.Home == "" {
		return catalog.ErrNoHome
	}
	if place == nil {
		return newError(ErrNewPlace, "create it in the project", "%s has no known user-level directory for %s",
			p.Name, chars.WithArticle(m.kind.String()))
	}
	for i := range m.files {
		f := &m.files[i]
		f.Path = path.Join(place.Dir, strings.TrimPrefix(f.Path, dir+"/"))
		if m.host == nil && m.kind == definition.Command {
			// Outside .github, the file name has no suffix that shows the kind.
			f.Path = strings.TrimSuffix(f.Path, ".command.md") + ".md"
		}
	}
	m.home = place.Tree.Dir() == c.Env.Home
	if m.out, err = vfs.Open(place.Tree.Dir(), vfs.Options{HardLinks: true}); err != nil {
		m.out = nil
		return fmt.Errorf("vade: %w", err)
	}
	return nil
}

// free returns an error if a file cannot be created at its path, because the path is a file, a
// symlink or a nonempty skill directory, or differs from an existing name only in case.
func (m *maker) free() error {
	for _, f := range m.result.Files {
		_, err := m.out.Lstat(f.Path)
		switch {
		case err == nil && m.kind == definition.Instruction && !strings.Contains(path.Base(f.Path), m.name):
			fix := "add the text to that file by hand, because this host uses one file for all instructions"
			return newError(ErrNewExists, fix, "%s already exists", f.Path)
		case err == nil:
			return exists(f.Path, "already exists")
		case !errors.Is(err, fs.ErrNotExist):
			return exists(f.Path, "cannot be written: "+catalog.Cause(err).Error())
		}
		dir := "."
		for part := range strings.SplitSeq(f.Path, "/") {
			entries, _, _ := m.out.ReadDir(dir, catalog.MaxListed)
			i := slices.IndexFunc(entries, func(e vfs.Entry) bool { return strings.EqualFold(e.Name, part) })
			if i >= 0 && !slices.Contains(entries, vfs.Entry{Name: part, Type: vfs.Dir}) {
				return exists(path.Join(dir, entries[i].Name), "already exists, but it is not a directory or its case differs")
			}
			dir = path.Join(dir, part)
		}
	}
	if dir, file := path.Split(m.result.Files[0].Path); file == "SKILL.md" {
		if entries, _, _ := m.out.ReadDir(path.Clean(dir), 1); len(entries) > 0 {
			return exists(path.Clean(dir), "already exists and is not empty")
		}
	}
	return nil
}

func exists(file, why string) error {
	return newError(ErrNewExists, "choose another name, or move the existing file out of the way", "%s %s", file, why)
}

// write writes the files. If writing one fails, it removes the files that it created.
func (m *maker) write(ctx context.Context) error {
	if err := m.free(); err != nil {
		return err
	}
	w, err := m.out.Writer(vfs.WriterOptions{Before: m.given.BeforeWrite})
	if err != nil {
		return fmt.Errorf("vade: %w", err)
	}
	defer w.Close()
	var dirs []string
	for i, f := range m.result.Files {
		err := ctx.Err()
		if err == nil {
			var made []string
			made, err = w.MkdirParents(f.Path)
			dirs = append(dirs, made...)
		}
		if err == nil {
			err = w.Create(f.Path, f.data, f.executable)
		}
		if err == nil {
			continue
		}
		for _, made := range m.result.Files[:i] {
			_ = w.Remove(made.Path, made.data)
		}
		for _, dir := range slices.Backward(dirs) {
			_ = w.RemoveDir(dir)
		}
		return fmt.Errorf("vade: cannot write %s: %w", f.Path, catalog.Cause(err))
	}
	m.result.Done = true
	return nil
}
