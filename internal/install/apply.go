package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/ledger"
	"github.com/vadehq/vade/internal/vfs"
)

// Apply makes the changes, which must not have conflicts. If it is interrupted, running the same
// command again completes them.
func (x *Installer) Apply(ctx context.Context, changes []*Change) error {
	unlock, err := x.lock(ctx)
	if err != nil {
		return fmt.Errorf("vade: %w", err)
	}
	defer unlock()
	// Another command may have changed other definitions in the meantime.
	if err := x.read(); err != nil {
		return fmt.Errorf("vade: %w", err)
	}
	for _, c := range changes {
		if !reflect.DeepEqual(x.Lock.Get(c.Kind, c.Name), c.Old) {
			return fmt.Errorf("vade: another command has changed %s; run the command again", c.Name)
		}
	}
	w, err := x.tree.Writer(vfs.WriterOptions{Before: x.options.Catalog.BeforeWrite})
	if err != nil {
		return fmt.Errorf("vade: %w", err)
	}
	defer w.Close()
	if err := x.apply(ctx, w, changes); err != nil {
		return fmt.Errorf("vade: %w", err)
	}
	return nil
}

// lock locks the directory. It waits for other commands, which hold the lock only briefly. For the
// home directory, it also locks the ledger that gh writes, in the same way as gh.
func (x *Installer) lock(ctx context.Context) (unlock func(), err error) {
	dir, err := wait(ctx, x.tree.Lock)
	if err != nil || !x.options.User {
		return dir, err
	}
	file, err := wait(ctx, func() (func(), error) { return x.tree.LockFile(ledger.UserSkillsPath) })
	if err != nil {
		dir()
		return nil, err
	}
	return func() { file(); dir() }, nil
}

// wait calls lock until no other process holds the lock, for at most one minute.
func wait(ctx context.Context, lock func() (func(), error)) (unlock func(), err error) {
	unlock, err = vfs.WaitLock(ctx, time.Minute, lock)
	switch {
	case errors.Is(err, vfs.ErrBusy):
		return nil, ErrBusy
	case err != nil:
		return nil, fmt.Errorf("cannot lock the directory: %w", err)
	}
	return unlock, nil
}

// apply first records new versions as pending, then makes the changes, and finally records the
// changes that were made.
func (x *Installer) apply(ctx context.Context, w *vfs.Writer, changes []*Change) error {
	during, after := x.Lock, x.Lock
	for _, c := range changes {
		during = c.pending(during)
	}
	if err := x.writeLock(w, during); err != nil {
		return err
	}
	var err error
	for _, c := range changes {
		if err = ctx.Err(); err != nil {
			break
		}
		if err = c.run(w); err != nil {
			after = c.pending(after)
			break
		}
		if after = after.Without(c.Kind, c.Name); c.New != nil {
			after = after.With(c.New)
		}
		if c.Kind == definition.Skill.String() {
			x.recordSkill(c)
		}
	}
	// Record what was done even if a later change failed. Write Vade's ledger last: until then, its
	// pending records show that the command is incomplete.
	if failed := x.writeSkills(w); failed != nil {
		return cmp.Or(err, failed)
	}
	return cmp.Or(err, x.writeLock(w, after))
}

// pending returns a copy of the ledger with c's new record, which also lists the files of the
// previous version. If c is a removal, pending returns l unchanged.
func (c *Change) pending(l *ledger.Lock) *ledger.Lock {
	if c.New == nil {
		return l
	}
	r := *c.New
	r.Before = map[string]string{}
	if c.Old != nil {
		maps.Copy(r.Before, c.Old.Files)
	}
	return l.With(&r)
}

func (c *Change) run(w *vfs.Writer) error {
	for i := range c.Steps {
		// Remove temporary files left behind by Vade processes that were killed.
		_, _ = w.Sweep(path.Dir(c.Steps[i].Path))
		if err := c.Steps[i].run(w); err != nil {
			return err
		}
	}
	return nil
}

// run makes one change. It does not touch a file that has changed since the plan was made.
func (s *Step) run(w *vfs.Writer) error {
	var err error
	switch s.Action {
	case "create":
		if _, err = w.MkdirParents(s.Path); err == nil {
			err = w.Create(s.Path, s.after, s.executable)
		}
	case "update":
		err = w.Replace(s.Path, s.before, s.after, s.executable)
	case "link":
		if _, err = w.MkdirParents(s.Path); err == nil {
			err = w.Symlink(s.Link, s.Path)
		}
	case "remove":
		if err = w.Remove(s.Path, s.before); err == nil {
			removeEmptyParents(w, s.Path)
		}
	case "unlink":
		if err = w.Unlink(s.Path, s.Link); err == nil {
			removeEmptyParents(w, s.Path)
		}
	}
	if err != nil {
		return fmt.Errorf("cannot %s %s: %w", s.Action, s.Path, vfs.WithoutPath(err))
	}
	return nil
}

// removeEmptyParents removes the directories that became empty when name was removed.
func removeEmptyParents(w *vfs.Writer, name string) {
	for dir := path.Dir(name); dir != "." && w.RemoveDir(dir) == nil; dir = path.Dir(dir) {
	}
}

func (x *Installer) writeLock(w *vfs.Writer, l *ledger.Lock) error {
	data, err := l.Format()
	if err != nil {
		return err
	}
	if len(l.Definitions) == 0 {
		data = nil
	}
	if err := put(w, ledger.Path, x.lockData, data); err != nil {
		return err
	}
	x.Lock, x.lockData = l, data
	return nil
}

// recordSkill updates the npx skills ledger in memory.
func (x *Installer) recordSkill(c *Change) {
	if c.New == nil {
		x.skills.Delete(c.Name)
	} else {
		x.skills.Set(c.Name, x.skills.Entry(c.New, c.files, x.options.now()))
	}
}

// writeSkills writes the npx skills ledger.
func (x *Installer) writeSkills(w *vfs.Writer) error {
	data := x.skills.Format()
	if x.skills.Empty() {
		data = nil
	}
	if err := put(w, x.skills.Path, x.skillsData, data); err != nil {
		return err
	}
	x.skillsData = data
	return nil
}

// put creates, replaces or removes a ledger. Nil data means that the file does not exist.
func put(w *vfs.Writer, name string, before, after []byte) error {
	var err error
	switch {
	case string(before) == string(after):
	case after == nil:
		if err = w.Remove(name, before); err == nil {
			removeEmptyParents(w, name)
		}
	case before == nil:
		if _, err = w.MkdirParents(name); err == nil {
			err = w.Create(name, after, false)
		}
	default:
		err = w.Replace(name, before, after, false)
	}
	if errors.Is(err, vfs.ErrChanged) || errors.Is(err, fs.ErrExist) || errors.Is(err, vfs.ErrExists) {
		return fmt.Errorf("%s has changed since it was read; run the command again", name)
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", name, vfs.WithoutPath(err))
	}
	return nil
}
