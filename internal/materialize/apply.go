package materialize

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/syncstate"
	"github.com/vadehq/vade/internal/vfs"
)

// apply carries out the plan. It first records both the old and the new content as pending, then
// removes and writes files, and finally records the result. If the run is killed at any point, the
// next run completes it. apply stops at the first error.
func (p *plan) apply(ctx context.Context, tree *vfs.Tree, w *vfs.Writer) error {
	if len(p.steps) > 0 {
		pending := &syncstate.State{Version: 1, Pending: true, Files: slices.Concat(p.before.Files, p.after.Files)}
		if err := writeState(tree, w, pending); err != nil {
			return err
		}
	}
	for _, removing := range []bool{true, false} {
		for i := range p.steps {
			s := &p.steps[i]
			if (s.Action == "remove" || s.Action == "unlink") != removing {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := s.run(tree, w); err != nil {
				return fmt.Errorf("%s: %w", s.Path, catalog.Cause(err))
			}
			if removing {
				removeEmptyParents(w, s.Path)
			}
		}
	}
	// An interrupted run may have removed a file but not its directory.
	for _, e := range p.before.Files {
		if p.before.Pending {
			removeEmptyParents(w, e.Path)
		}
	}
	return writeState(tree, w, p.after)
}

func (s *Step) run(tree *vfs.Tree, w *vfs.Writer) error {
	switch s.Action {
	case "create":
		return createFile(tree, w, s.Path, s.Source, s.after, s.executable)
	case "update":
		return w.Replace(s.Path, s.before, s.after, s.executable)
	case "remove":
		return w.Remove(s.Path, s.before)
	case "unlink":
		return w.Unlink(s.Path, s.Link)
	}
	_, err := w.MkdirParents(s.Path)
	if err == nil {
		err = w.Symlink(s.Link, s.Path)
	}
	if vfs.SymlinksUnsupported(err) {
		err = ErrNoLinks
	}
	return err
}

// createFile creates a file. If only the owner can access the source, only the owner can access the
// new file.
func createFile(tree *vfs.Tree, w *vfs.Writer, at, source string, data []byte, executable bool) error {
	if _, err := w.MkdirParents(at); err != nil {
		return err
	}
	if info, err := tree.Info(source); err == nil && info.Mode()&0o077 == 0 {
		return w.CreatePrivate(at, data, executable)
	}
	return w.Create(at, data, executable)
}

// removeEmptyParents removes the empty directories above p.
func removeEmptyParents(w *vfs.Writer, p string) {
	for up := path.Dir(p); up != "." && w.RemoveDir(up) == nil; up = path.Dir(up) {
	}
}

// removeTemporaryFiles removes temporary files left behind by a run that was killed.
func (y *Syncer) removeTemporaryFiles(s *syncstate.State, w *vfs.Writer) error {
	dirs := []string{path.Dir(syncstate.File)}
	for _, e := range s.Files {
		if y.pathProblem(e.Path) == "" {
			dirs = append(dirs, path.Dir(e.Path))
		}
	}
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		_, err := w.Sweep(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, vfs.ErrLink) {
			return fmt.Errorf("%s: %w", dir, catalog.Cause(err))
		}
	}
	return nil
}

// writeState writes the state file, or removes it if the state is empty.
func writeState(tree *vfs.Tree, w *vfs.Writer, s *syncstate.State) error {
	old, err := tree.ReadFile(syncstate.File, syncstate.MaxFile)
	exists := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", syncstate.File, catalog.Cause(err))
	}
	data, err := s.Format()
	switch {
	case err != nil:
	case len(s.Files) == 0 && !s.Pending:
		if exists {
			err = w.Remove(syncstate.File, old)
			removeEmptyParents(w, syncstate.File)
		}
	case exists && string(old) == string(data):
	case exists:
		err = w.Replace(syncstate.File, old, data, false)
	default:
		if _, err = w.MkdirParents(syncstate.File); err == nil {
			err = w.Create(syncstate.File, data, false)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", syncstate.File, catalog.Cause(err))
	}
	return nil
}
