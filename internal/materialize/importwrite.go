package materialize

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/vfs"
)

// write makes the files, and takes the originals away where that is asked for.
func (m *Importer) write(ctx context.Context, w *vfs.Writer) error {
	for i := range m.result.Files {
		f := &m.result.Files[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.Action != "create" {
			continue
		}
		if err := makeParents(w, f.Path); err != nil {
			return fmt.Errorf("vade: %s: %w", f.Path, catalog.ReasonOf(err))
		}
		if err := w.Create(f.Path, f.data, f.executable); err != nil {
			return fmt.Errorf("vade: %s: %w", f.Path, catalog.ReasonOf(err))
		}
	}
	m.result.Done = true
	if !m.Request.Move {
		return nil
	}
	return m.remove(w)
}

// makeParents makes the directories above a path that are not there.
func makeParents(w *vfs.Writer, p string) error {
	up := path.Dir(p)
	if up == "." {
		return nil
	}
	if err := makeParents(w, up); err != nil {
		return err
	}
	if err := w.Mkdir(up); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// remove takes away the originals that a plan has chosen.
func (m *Importer) remove(w *vfs.Writer) error {
	for i := range m.result.Files {
		f := &m.result.Files[i]
		if !f.Removed {
			continue
		}
		data, err := m.Tree.ReadFile(f.Source, maxCompanion)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = w.Remove(f.Source, data)
		}
		if err != nil {
			f.Removed = false
			m.problem(diag.SyncBlocked, f.Source, "remove it by hand", "it is in the source of truth now, and could not be taken away: %s", catalog.ReasonOf(err))
			continue
		}
		for up := path.Dir(f.Source); up != "."; up = path.Dir(up) {
			if w.RemoveDir(up) != nil {
				break
			}
		}
	}
	return nil
}
